//! `orthant tune`: measures which options are best for each nest of a program, and stores them for the compiler.
//!
//! ```text
//! orthant tune a.c b.c -- -O3 -march=native -lm -- 1000
//!                         flags of the compiler     arguments of the program
//! ```
//!
//! The program is built plainly and with many options ([`lab`]), run, and compared; the search is in [`mod@search`]. What is
//! best goes to a file ([`report::tuned`]) that the option `tuned` names. See `docs/tune.md`.

mod lab;
mod search;

use crate::explain::{Language, only_flags, temporary};
use crate::failure::{Failure, say};
use crate::tools::Tool;
use crate::{args, output, settings};
use clap::{Arg, ArgMatches, Command, ValueHint};
use lab::{Programs, Task};
use options::{Setting, Spec, TABLE};
use report::tuned::Tuned;
use search::{Choice, Lab as _, search};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// What is tried for each nest: no new loops, new loops whatever is predicted, sizes of caches from which tiles are
/// chosen, no blocks in registers, no rows written out, and tiles of fixed sizes.
const CANDIDATES: [&str; 15] = [
    "schedule=keep",
    "least-gain=0",
    "l2-bytes=128K",
    "l2-bytes=256K",
    "l2-bytes=1M",
    "l2-bytes=2M",
    "l1-bytes=16K",
    "l1-bytes=48K",
    "least-gain=0 registers=false",
    "least-gain=0 rows=false",
    "least-gain=0 tiles=1",
    "least-gain=0 tiles=16",
    "least-gain=0 tiles=32",
    "least-gain=0 tiles=64",
    "least-gain=0 tiles=32,32,256",
];

/// Below this many seconds a run says little.
const SHORT: f64 = 0.02;

/// Options that would be in the way.
const NOT_HERE: [&str; 8] =
    ["tuned", "report", "enable", "print-after", "stop-after", "schedule-in", "schedule-out", "count-checks"];

/// The command line.
pub fn command(shown: fn(&Spec) -> bool) -> Command {
    Command::new("tune")
        .about("Measure which schedules and tile sizes are best for each loop nest, and store them for the compiler")
        .arg(
            Arg::new("sources")
                .value_name("SOURCE")
                .num_args(1..)
                .required(true)
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The sources of the program, C, C++ or Fortran"),
        )
        .arg(
            Arg::new("flags")
                .value_name("FLAGS [-- ARGUMENTS]")
                .num_args(0..)
                .last(true)
                .allow_hyphen_values(true)
                .value_parser(clap::value_parser!(OsString))
                .help("For the compiler, after its own -O3; after a second --: for the program"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .default_value("orthant-tuned.json")
                .value_parser(clap::value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The file to write; the option tuned reads it"),
        )
        .arg(
            Arg::new("runs")
                .long("runs")
                .value_name("N")
                .default_value("5")
                .value_parser(clap::value_parser!(u16).range(1..=1000))
                .help("Runs of each candidate, in turn with the best so far"),
        )
        .arg(args::verbose())
        .args(TABLE.iter().filter(|spec| shown(spec) && !NOT_HERE.contains(&spec.name)).map(args::argument))
        .after_help(
            "The program must print its results to standard output, the same each time, and run long enough to be measured; \
             builds that print something else than the plain one are dropped.\n\n\
             orthant tune a.c -- -O3 -march=native -lm -- 1000\n\
             orthant cc -O3 -march=native -orthant-tuned=$PWD/orthant-tuned.json a.c -lm",
        )
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let target = matches.get_one::<PathBuf>("output").cloned().unwrap_or_default();
    output::check(&target)?;
    let task = task(matches)?;
    let runs = usize::from(matches.get_one::<u16>("runs").copied().unwrap_or(5));
    let folder = temporary()?;
    let (mut programs, plain) = Programs::new(&task, folder.path())?;
    if plain < SHORT {
        say(&format!(
            "warning: the program runs for {:.1} ms, which is too short to tell candidates apart; give it more to do",
            plain * 1e3
        ));
    }
    let nests = programs.find_nests()?.len();
    if nests == 0 {
        return Err(Failure::usage("there is no loop nest to tune: none has a model")
            .remedy("`orthant explain` says why, with the same sources and flags"));
    }
    let choices = search(&mut programs, nests, &CANDIDATES, runs)?;
    let tuned = tuned(&programs, &choices);
    output::write(&target, tuned.json().as_bytes())?;
    if target != Path::new("-") {
        output::print(summary(&tuned, &times(&mut programs, &choices, plain, runs)?, &target).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn task(matches: &ArgMatches) -> Result<Task, Failure> {
    let sources: Vec<PathBuf> = matches.get_many("sources").unwrap_or_default().cloned().collect();
    let compiler = compiler(&sources)?;
    let words: Vec<OsString> = matches.get_many("flags").unwrap_or_default().cloned().collect();
    let (flags, arguments) = match words.iter().position(|word| word == "--") {
        Some(at) => (&words[..at], &words[at + 1..]),
        None => (&words[..], &[][..]),
    };
    let settings: Vec<Setting> = settings::of(matches);
    let options = settings::check(&settings)?;
    Ok(Task {
        compiler,
        flags: only_flags(flags, Path::new("")),
        arguments: arguments.to_vec(),
        sources,
        settings,
        is_parallel: options.parallel,
        is_verbose: matches.get_flag("verbose"),
    })
}

/// The compiler of all sources: that of C++ if there is some.
fn compiler(sources: &[PathBuf]) -> Result<(Tool, &'static str), Failure> {
    let mut tools = Vec::new();
    for source in sources {
        let Some(Language::Compiled(tool)) = Language::of(source) else {
            return Err(Failure::usage(format!("{}: tune takes C, C++ and Fortran", source.display()))
                .remedy("name sources; objects and libraries go among the flags after --"));
        };
        tools.push(tool);
    }
    let has = |tool: Tool| tools.contains(&tool);
    Ok(match (has(Tool::Flang), has(Tool::ClangCxx)) {
        (true, _) => (Tool::Flang, "fc"),
        (false, true) => (Tool::ClangCxx, "c++"),
        (false, false) => (Tool::Clang, "cc"),
    })
}

fn tuned(programs: &Programs<'_>, choices: &[Choice]) -> Tuned {
    let options: Vec<String> = choices.iter().map(|choice| choice.options.clone()).collect();
    let mut tuned = programs.tuned(&options);
    for (nest, choice) in tuned.nests.iter_mut().zip(choices) {
        nest.speedup = choice.speedup;
    }
    tuned
}

/// Seconds of the whole program.
struct Times {
    plain: f64,
    untuned: f64,
    tuned: f64,
}

/// The least of some runs each, in turn.
fn times(programs: &mut Programs<'_>, choices: &[Choice], plain: f64, runs: usize) -> Result<Times, Failure> {
    let options: Vec<String> = choices.iter().map(|choice| choice.options.clone()).collect();
    let builds = [programs.build(&vec![String::new(); choices.len()])?, programs.build(&options)?];
    let mut least = [f64::INFINITY; 2];
    for _ in 0..runs {
        for (build, least) in builds.iter().zip(&mut least) {
            let seconds = build.map(|build| programs.run(build)).transpose()?.flatten();
            *least = least.min(seconds.unwrap_or(f64::INFINITY));
        }
    }
    Ok(Times { plain, untuned: least[0], tuned: least[1] })
}

fn summary(tuned: &Tuned, times: &Times, target: &Path) -> String {
    let line = |nest: &report::tuned::TunedNest| match nest.options.as_str() {
        "" => format!("{}: as it is\n", lab::name(nest)),
        options => format!("{}: {options}, {:.2} times as fast\n", lab::name(nest), nest.speedup),
    };
    let lines: String = tuned.nests.iter().map(line).collect();
    let Times { plain, untuned, tuned } = times;
    format!(
        "{lines}the program: {plain:.3} s plain, {untuned:.3} s with Orthant, {tuned:.3} s tuned\n\
         wrote {0}; compile with -orthant-tuned={0}\n",
        target.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_candidate_can_be_given_for_a_nest() {
        for candidate in CANDIDATES {
            let layer = options::Layer::environment(candidate).expect(candidate);
            assert!(
                layer.settings.iter().all(|s| report::tuned::NAMES.contains(&s.name.as_str())),
                "{candidate}"
            );
        }
    }

    #[test]
    fn flags_and_arguments_are_told_apart() {
        let of = |line: &str| {
            let words = line.split(' ');
            let matches = command(|spec| !spec.hidden).try_get_matches_from(words).unwrap();
            task(&matches).unwrap()
        };
        let task = of("tune a.c b.cpp --parallel -- -O2 -o x -lm -- -n 5");
        assert_eq!(
            (task.flags, task.arguments),
            (vec!["-O2".into(), "-lm".into()], vec!["-n".into(), "5".into()])
        );
        assert_eq!((task.compiler, task.is_parallel), ((Tool::ClangCxx, "c++"), true));
        assert!(of("tune a.c").arguments.is_empty());
    }

    #[test]
    fn what_is_no_source_is_refused() {
        let failure = compiler(&["a.c".into(), "b.o".into()]).unwrap_err();
        assert!(failure.message().starts_with("b.o: "));
    }
}
