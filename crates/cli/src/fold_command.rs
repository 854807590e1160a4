//! `orthant fold`: streams of points from any front end, folded into piecewise affine functions.
//!
//! The input is the format of [`fold::format`] (docs/fold.md), from a file or standard input; it is folded while it is read, in
//! memory that does not depend on its length. The output is a table for people, isl's notation (`--isl`) or JSON (`--json`).

use crate::dataflow::{output_argument, program_argument, shown};
use crate::failure::Failure;
use crate::output;
use clap::{Arg, ArgAction, ArgMatches, Command};
use fold::{Folding, Mode, Options};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The command line.
pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    Command::new("fold")
        .about("Fold streams of iteration vectors and labels into piecewise affine functions")
        .arg(
            program_argument()
                .value_name("STREAM")
                .required(true)
                .help("The streams, as JSON lines; - is standard input"),
        )
        .arg(mode_argument("What may be over-approximated, for streams that do not say so themselves"))
        .arg(flag("paper", "Fold exactly as the paper does: no strides, no extra dimensions"))
        .arg(flag("json", "Everything, as one JSON document").conflicts_with("isl"))
        .arg(flag("isl", "One set or map per stream in isl's notation"))
        .arg(output_argument())
        .after_help(
            "{\"orthant-fold\": 1, \"stream\": \"S\", \"dims\": [\"i\", \"j\"], \"labels\": [\"address\"]}\n\
             [0, 0, 1000]\n[0, 1, 1008]\n\n\
             The format is in docs/fold.md. What is over-approximated contains the stream and is marked.",
        )
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let target = matches.get_one::<PathBuf>("output").map_or(Path::new("-"), PathBuf::as_path);
    output::check(target)?;
    let path = matches.get_one::<PathBuf>("program").ok_or_else(|| Failure::usage("no stream given"))?;
    let mode = matches.get_one::<String>("mode").and_then(|name| Mode::parse(name)).unwrap_or_default();
    let options = if matches.get_flag("paper") { Options::paper(mode) } else { Options::with_mode(mode) };
    let foldings =
        fold::fold_stream(open(path)?, &options, &fold::format::Limits::default()).map_err(|error| {
            Failure::broken(format!("{}: {error}", shown(path))).remedy("docs/fold.md has the format")
        })?;
    output::write(target, rendered(matches, &foldings).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The option `--mode` of all commands that fold.
pub fn mode_argument(help: &'static str) -> Arg {
    Arg::new("mode")
        .long("mode")
        .value_name("MODE")
        .value_parser(Mode::ALL.map(|(name, _)| name))
        .default_value("auto")
        .help(help)
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| {
        Failure::broken(format!("cannot read {}: {error}", shown(path)))
            .remedy("name a file with streams, or -")
    })?;
    Ok(Box::new(BufReader::with_capacity(1 << 18, file)))
}

fn rendered(matches: &ArgMatches, foldings: &[Folding]) -> String {
    if matches.get_flag("json") {
        let streams: Vec<_> = foldings.iter().map(Folding::json).collect();
        return format!("{:#}\n", serde_json::json!({ "orthant-fold": 1, "streams": streams }));
    }
    let one: fn(&Folding) -> String = match matches.get_flag("isl") {
        true => |folding| folding.isl() + "\n",
        false => Folding::text,
    };
    foldings.iter().map(one).collect()
}
