//! `cargo xtask`: everything one does with this repository beyond `cargo build`.
//!
//! Each subcommand is one module. The crate needs rustc and nothing else: it is what installs the rest.
//! Exit codes: 0 done, 1 a check, test or build failed, 2 wrong usage or something is missing that the
//! user has to provide.

mod bench;
mod break_checks;
mod command;
mod demo;
mod docs;
mod fuzz;
mod lint;
mod realworld;
mod setup;
mod stats;
mod survey;
mod test;
mod tidy;
mod workspace;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::process::ExitCode;
use workspace::Workspace;

/// Why a task stopped.
#[derive(Debug)]
pub enum Failure {
    /// A check, a test, a build or a program failed (exit code 1).
    Failed(String),
    /// The user has to provide something first (exit code 2).
    Missing(String),
}

impl Failure {
    fn failed(message: impl Into<String>) -> Failure {
        Failure::Failed(message.into())
    }
}

/// What every task returns.
pub type Outcome<T = ()> = Result<T, Failure>;

fn main() -> ExitCode {
    let matches = cli().get_matches();
    let failure = match Workspace::find().and_then(|ws| run(&ws, &matches)) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(failure) => failure,
    };
    let (message, code) = match failure {
        Failure::Failed(message) => (message, 1),
        Failure::Missing(message) => (message, 2),
    };
    eprintln!("xtask: {message}");
    ExitCode::from(code)
}

fn run(ws: &Workspace, matches: &ArgMatches) -> Outcome {
    match matches.subcommand() {
        Some(("setup", m)) => setup::run(m.get_flag("check")),
        Some(("demo", _)) => demo::run(ws),
        Some(("test", m)) => test::run(ws, &rest(m)),
        Some(("bless", m)) => test::bless(ws, &rest(m)),
        Some(("lint", _)) => lint::run(ws),
        Some(("tidy", _)) => tidy::run(ws),
        Some(("docs", _)) => docs::run(ws),
        Some(("bench", m)) => bench::run(ws, &bench_request(m), &bench::suite::Options::from(m)),
        Some(("break-checks", _)) => break_checks::run(ws),
        Some(("fuzz", m)) => fuzz::run(ws, &fuzz_request(m)),
        Some(("realworld", m)) => realworld::run(
            ws,
            &realworld::Request {
                projects: strings(m, "project"),
                options: m.get_one("options").cloned().unwrap_or_default(),
                flags: m.get_one("flags").cloned(),
            },
        ),
        Some(("survey", m)) => survey::run(
            ws,
            &survey::Request {
                paths: m.get_many("path").unwrap_or_default().cloned().collect(),
                files: m.get_one("files").copied(),
                jobs: m.get_one("jobs").copied(),
            },
        ),
        _ => unreachable!("clap requires a known subcommand"),
    }
}

fn cli() -> Command {
    let rest = || Arg::new("rest").num_args(0..).last(true).value_name("ARGS");
    Command::new("cargo xtask")
        .bin_name("cargo xtask")
        .about("Set-up, tests, benchmarks and checks of Orthant")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("setup").about("Install the packages that building and testing need").arg(
                Arg::new("check")
                    .long("check")
                    .action(ArgAction::SetTrue)
                    .help("Report what is missing, change nothing"),
            ),
        )
        .subcommand(Command::new("demo").about("Build Orthant and run it on the examples"))
        .subcommand(
            Command::new("test")
                .about("Build everything and run all tests")
                .arg(rest().help("Passed on to cargo test, as in: -- -p report some_name")),
        )
        .subcommand(
            Command::new("bless")
                .about("Run the file tests and rewrite the expected outputs that differ")
                .arg(rest().help("Passed on to the test program: a filter on test names, for example")),
        )
        .subcommand(Command::new("lint").about("Formatting, clippy, rustdoc and tidy, warnings denied"))
        .subcommand(
            Command::new("tidy").about("Check the project's own rules (crate edges, unsafe, headers, links)"),
        )
        .subcommand(
            Command::new("docs").about("Write docs/options.md, the man pages and the API documentation"),
        )
        .subcommand(bench_cli())
        .subcommand(
            Command::new("break-checks")
                .about("Leave out the run-time checks of one kind after the other: does a test notice?"),
        )
        .subcommand(fuzz_cli())
        .subcommand(
            Command::new("realworld")
                .about("Build real projects with the orthant command and run their own tests")
                .arg(Arg::new("project").num_args(0..).help("Which ones; all of them if none is named"))
                .arg(text(
                    "options",
                    "Orthant's options, as in ORTHANT_OPTS: \"least-gain=0 least-length=0\"",
                ))
                .arg(text("flags", "CFLAGS, CXXFLAGS and FFLAGS of both builds: \"-O3 -march=native\"")),
        )
        .subcommand(
            Command::new("survey")
                .about("Count how many loop nests of code bases are modelled, with and without assumptions")
                .arg(
                    Arg::new("path")
                        .required(true)
                        .num_args(1..)
                        .value_name("DIR|compile_commands.json")
                        .value_parser(value_parser!(PathBuf))
                        .help("Folders of sources, or compilation databases"),
                )
                .arg(number("files", "Look at so many files of each, at even distances"))
                .arg(number("jobs", "Compile so many files at once")),
        )
}

fn number(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("N").value_parser(value_parser!(usize)).help(help)
}

fn text(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("TEXT").allow_hyphen_values(true).help(help)
}

fn bench_cli() -> Command {
    Command::new("bench")
        .about("Measure")
        .arg(Arg::new("name").value_parser(bench::NAMES).default_value("suite").help("What to measure"))
        .arg(
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..=1000))
                .default_value("11")
                .default_value_if("name", "suite", "5")
                .help("Interleaved runs of each side"),
        )
        .arg(
            Arg::new("lines")
                .long("lines")
                .value_name("N")
                .value_parser(value_parser!(u32).range(100..=10_000_000))
                .default_value("100000")
                .help("Lines of the generated input"),
        )
        .arg(
            Arg::new("json")
                .long("json")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Write the figures to FILE as well"),
        )
        .arg(
            Arg::new("saved")
                .value_name("RUN.json")
                .value_parser(value_parser!(PathBuf))
                .help("chart, bounds: what --json wrote"),
        )
        .arg(
            Arg::new("section")
                .long("section")
                .value_name("NAME")
                .value_parser(section)
                .help("suite, chart: write docs/NAME.svg and the tables of section NAME in docs/status.md [chart: speed]"),
        )
        .args(bench::suite::arguments())
}

/// A section's name is a file's, too.
fn section(text: &str) -> Result<String, String> {
    let good = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    match !text.is_empty() && text.chars().all(good) {
        true => Ok(text.to_owned()),
        false => Err("a name is made of small letters, digits and -".to_owned()),
    }
}

fn bench_request(m: &ArgMatches) -> bench::Request {
    bench::Request {
        name: m.get_one::<String>("name").expect("has a default").clone(),
        runs: *m.get_one::<u32>("runs").expect("has a default"),
        lines: *m.get_one::<u32>("lines").expect("has a default"),
        json: m.get_one::<PathBuf>("json").cloned(),
        saved: m.get_one::<PathBuf>("saved").cloned(),
        section: m.get_one::<String>("section").cloned(),
    }
}

fn fuzz_cli() -> Command {
    Command::new("fuzz")
        .about("Hunt for mistakes with random inputs")
        .arg(Arg::new("target").help("One target (see --list); all of libFuzzer's if none is named"))
        .arg(Arg::new("list").long("list").action(ArgAction::SetTrue).help("Say which targets there are"))
        .arg(
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .conflicts_with("seconds")
                .help("Stop each target after N inputs (hunts have their own number: see --list)"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("N")
                .value_parser(value_parser!(u64))
                .help("Stop each target after N seconds [default: 60]"),
        )
}

fn fuzz_request(m: &ArgMatches) -> fuzz::Request {
    let limit = match (m.get_one::<u64>("runs"), m.get_one::<u64>("seconds")) {
        (Some(&runs), _) => Some(fuzz::Limit::Runs(runs)),
        (None, seconds) => seconds.map(|&seconds| fuzz::Limit::Seconds(seconds)),
    };
    fuzz::Request { target: m.get_one::<String>("target").cloned(), limit, list: m.get_flag("list") }
}

fn strings(m: &ArgMatches, id: &str) -> Vec<String> {
    m.get_many::<String>(id).into_iter().flatten().cloned().collect()
}

fn rest(m: &ArgMatches) -> Vec<String> {
    strings(m, "rest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        cli().debug_assert();
    }

    #[test]
    fn wrong_usage_has_exit_code_2() {
        for wrong in [
            &["cargo xtask"][..],
            &["x", "nonsense"],
            &["x", "bench", "nonsense"],
            &["x", "bench", "--runs=0"],
            &["x", "bench", "chart", "run.json", "--section=../x"],
            &["x", "realworld", "--options"],
        ] {
            let error = cli().try_get_matches_from(wrong).unwrap_err();
            assert_eq!(error.exit_code(), 2, "{wrong:?}");
        }
    }

    #[test]
    fn arguments_after_the_dashes_reach_cargo_test() {
        let m = cli().try_get_matches_from(["x", "test", "--", "-p", "report"]).unwrap();
        assert_eq!(rest(m.subcommand_matches("test").unwrap()), ["-p", "report"]);
    }
}
