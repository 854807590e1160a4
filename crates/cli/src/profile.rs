//! `orthant profile`: runs a program and shows what its loops do.
//!
//! The program runs unchanged under QEMU's user mode ([`orthant_qemu`]); its input, output and exit status are its
//! own. What was found goes to standard error as one screen, and with `--json` to a file that other commands read.
//!
//! With `--hot` the program runs twice: first a survey that only counts blocks and loops, with its output thrown
//! away, then with everything recorded in the functions with the hottest nests.

use crate::failure::{Failure, say, say_raw};
use crate::{rendered, tools};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use orthant_qemu::config::Config;
use orthant_qemu::run::{self, Outcome, Problem, Request};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use trace::Mode;
use trace::profile::{Ended, Loop, LoopKind, Nest, Profile};

/// Nests shown.
pub const SHOWN: usize = 8;
/// Loops shown of a nest.
const LOOPS: usize = 8;
/// Characters shown of a name.
const LONGEST: usize = 60;
/// `--hot` chooses nests until they make up this share of the instructions.
const HOT_SHARE: f64 = 0.9;
/// `--hot` chooses at most this many functions.
const HOT_FUNCTIONS: usize = 8;

/// The command line.
pub fn command() -> Command {
    Command::new("profile")
        .about("Run a program and show what its loops do and how they could be faster")
        .arg(
            Arg::new("program")
                .value_name("PROGRAM")
                .required(true)
                .num_args(1..)
                .last(true)
                .value_parser(clap::value_parser!(OsString))
                .value_hint(ValueHint::CommandWithArguments)
                .help("The program, an unmodified x86-64 binary, and its arguments"),
        )
        .args(rendered::arguments())
        .arg(
            Arg::new("survey")
                .long("survey")
                .action(ArgAction::SetTrue)
                .help("Only count blocks and loops, which is several times faster"),
        )
        .arg(
            Arg::new("hot")
                .long("hot")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["survey", "only"])
                .help("Run the program twice: a survey first, then record only the functions with the hottest nests"),
        )
        .arg(names("only", "FUNCTION").help("Record only these functions and what they call"))
        .arg(names("lib", "NAME").help("Look into libraries whose file name contains NAME, too"))
        .arg(
            number("timeout", "SECONDS")
                .help("Stop the program after so long, and report what happened until then"),
        )
        .arg(number("memory", "MIB").help("Memory for last writers [default: 2048]"))
        .arg(
            Arg::new("mode")
                .long("mode")
                .value_name("MODE")
                .value_parser(Mode::ALL.map(|(name, _)| name))
                .default_value("auto")
                .help("How dependences may be over-approximated"),
        )
        .arg(
            Arg::new("paper")
                .long("paper")
                .action(ArgAction::SetTrue)
                .hide(true)
                .help("Fold exactly as the paper does, for comparison"),
        )
        .arg(
            Arg::new("memory-dependences")
                .long("memory-dependences")
                .action(ArgAction::SetTrue)
                .help("Also record anti and output dependences through memory"),
        )
        .after_help(
            "orthant profile -- ./app input.txt\n\nThe exit status is the program's own; a message goes to standard \
             error if there is no profile. What one run has shown is not proved of others.",
        )
}

fn names(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).action(ArgAction::Append)
}

fn number(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value).value_parser(clap::value_parser!(u64).range(1..))
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let mut words = matches.get_many::<OsString>("program").into_iter().flatten().cloned();
    let name = PathBuf::from(words.next().unwrap_or_default());
    rendered::check(matches)?;
    let scratch = tempfile::tempdir()
        .map_err(|error| Failure::broken(format!("cannot make a temporary folder: {error}")))?;
    let program = tools::program(&name).unwrap_or(name);
    run::check_program(&program).map_err(failure)?;
    let mut request = Request {
        qemu: tools::qemu()?,
        plugin: tools::qemu_plugin()?,
        program,
        arguments: words.collect(),
        scratch: scratch.path().to_owned(),
        quiet: false,
        config: config(matches),
    };
    if matches.get_flag("hot") {
        request.config.functions = hot_functions(&request)?;
    }
    let Outcome { code, profile } = run::run(&request).map_err(failure)?;
    let profile = profile.map_err(failure)?;
    let advice = advise::advise(&profile);
    say_raw(&(summary(&profile) + &advice.text()));
    rendered::write(matches, &profile, &advice)?;
    Ok(ExitCode::from(code))
}

fn config(matches: &ArgMatches) -> Config {
    let names = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    Config {
        libraries: names("lib"),
        functions: names("only"),
        survey: matches.get_flag("survey"),
        mode: matches.get_one::<String>("mode").cloned().unwrap_or_default(),
        paper: matches.get_flag("paper"),
        memory_dependences: matches.get_flag("memory-dependences"),
        max_bytes: matches.get_one::<u64>("memory").map_or(0, |mib| (*mib as usize).saturating_mul(1 << 20)),
        timeout: matches.get_one::<u64>("timeout").copied().unwrap_or(0),
        ..Config::default()
    }
}

fn failure(problem: Problem) -> Failure {
    let made = match &problem {
        Problem::Missing(..) => Failure::missing,
        Problem::Unfit(..) | Problem::NoProfile(..) => Failure::broken,
    };
    made(problem.to_string()).remedy(problem.remedy())
}

/// The functions with the hottest nests, by a survey.
fn hot_functions(request: &Request) -> Result<Vec<String>, Failure> {
    let config = Config { survey: true, ..request.config.clone() };
    let survey = run::run(&Request { quiet: true, config, ..request.clone() }).map_err(failure)?;
    let survey = survey.profile.map_err(failure)?;
    let mut functions: Vec<String> = Vec::new();
    let mut share = 0.0;
    for nest in &survey.nests {
        let Some(function) = nest.loops.first().map(|l| l.function.clone()) else { continue };
        let plain = function.split('(').next().unwrap_or(&function).to_owned();
        if !functions.contains(&plain) {
            functions.push(plain);
        }
        share += nest.share;
        if share >= HOT_SHARE || functions.len() >= HOT_FUNCTIONS {
            break;
        }
    }
    say(&format!("survey: {:.0}% of the instructions in {}", 100.0 * share, functions.join(", ")));
    Ok(functions)
}

/// One screen for people.
pub fn summary(profile: &Profile) -> String {
    let mut text = String::new();
    let totals = &profile.totals;
    let share = percent(totals.instructions_in_loops, totals.instructions);
    let _ = writeln!(
        text,
        "orthant: {}{}: {} instructions of its own, {share} in {} loop nest{}",
        profile.program.path,
        ended(&profile.program.ended),
        grouped(totals.instructions),
        profile.nests.len(),
        if profile.nests.len() == 1 { "" } else { "s" },
    );
    for nest in profile.nests.iter().take(SHOWN) {
        show_nest(&mut text, nest, profile.collection.survey);
    }
    if profile.nests.len() > SHOWN {
        let rest: f64 = profile.nests[SHOWN..].iter().map(|nest| nest.share).sum();
        let _ = writeln!(text, "  {:5.1}%  in {} more nests", 100.0 * rest, profile.nests.len() - SHOWN);
    }
    for warning in &profile.warnings {
        let _ = writeln!(text, "orthant: warning: {} [{}]", warning.message, warning.id);
    }
    text
}

fn ended(ended: &Ended) -> String {
    match ended {
        Ended::Exit(0) | Ended::Unknown => String::new(),
        Ended::Exit(code) => format!(" (exit status {code})"),
        Ended::Signal(signal) => format!(" (signal {signal})"),
        Ended::Timeout => " (stopped by --timeout)".to_owned(),
    }
}

fn show_nest(text: &mut String, nest: &Nest, survey: bool) {
    for (n, l) in nest.loops.iter().take(LOOPS).enumerate() {
        let share = if n == 0 { format!("{:5.1}%", 100.0 * nest.share) } else { " ".repeat(6) };
        let indent = "  ".repeat(LOOPS.min(l.dimension as usize));
        let place =
            l.loc.as_ref().map_or_else(|| format!("{:#x}", l.address.offset), |loc| shown(&loc.to_string()));
        let kind = if l.kind == LoopKind::Recursion { "recursion of " } else { "" };
        let carried = if survey { String::new() } else { format!("  {}", carried(nest, l)) };
        let name = shown(&l.function);
        let _ = writeln!(text, "  {share}  {indent}{kind}{name} {place}  {}{carried}", trips(l));
    }
    if nest.loops.len() > LOOPS {
        let _ = writeln!(text, "          ... {} more loops inside", nest.loops.len() - LOOPS);
    }
}

/// Text from the program's files, without control characters, and not longer than a line has room for.
fn shown(text: &str) -> String {
    let mut shown: String = printable(text).chars().take(LONGEST).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    shown
}

/// Text without characters that could move the cursor.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

fn trips(l: &Loop) -> String {
    match l.entries {
        0 | 1 => format!("{} iterations", grouped(l.iterations)),
        entries => format!("{} x {:.1} iterations", grouped(entries), l.iterations as f64 / entries as f64),
    }
}

/// What was seen to tie the iterations of a loop together.
fn carried(nest: &Nest, l: &Loop) -> String {
    let inside = |s: u32| {
        nest.statements.get(s as usize).is_some_and(|s| s.loops.get(l.dimension as usize) == Some(&l.id))
    };
    let of_it = nest.dependences.iter().filter(|d| d.carried_by == Some(l.dimension) && inside(d.target));
    let (mut exact, mut over) = (0, 0);
    of_it.for_each(|d| if d.relation.exact { exact += 1 } else { over += 1 });
    match (exact, over) {
        (0, 0) => "no dependence between iterations seen".to_owned(),
        (n, 0) => format!("{n} dependence{} between iterations", if n == 1 { "" } else { "s" }),
        (n, m) => format!("{} dependences between iterations, {m} of them over-approximated", n + m),
    }
}

fn percent(part: u64, all: u64) -> String {
    if all == 0 { "0%".to_owned() } else { format!("{:.0}%", 100.0 * part as f64 / all as f64) }
}

/// A number with its digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_for_people() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(percent(1, 3), "33%");
        assert_eq!(percent(0, 0), "0%");
    }

    #[test]
    fn names_cannot_move_the_cursor() {
        assert_eq!(shown("f\u{1b}[2J"), "f\u{fffd}[2J");
        assert_eq!(shown(&"x".repeat(LONGEST + 1)).len(), LONGEST + 3);
    }

    #[test]
    fn an_empty_profile_is_one_line() {
        assert_eq!(summary(&Profile::default()).lines().count(), 1);
    }
}
