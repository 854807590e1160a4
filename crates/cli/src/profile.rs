//! `orthant profile`: runs a program and shows what its loops do.
//!
//! The program runs unchanged under QEMU's user mode ([`orthant_qemu`]); its input, output and exit status are its
//! own. What was found goes to standard error as one screen, and with `--json` to a file that other commands read.
//!
//! The program runs twice. First at its own speed, with its output thrown away, for a *survey* by samples
//! ([`orthant_qemu::native`]) that finds the functions with the hottest nests; then under QEMU, recorded in those functions. It
//! runs once, and everything is recorded, with `--once`, if its input cannot be read twice, and if the survey is too
//! short to tell. A survey that fails is no failure.

use crate::failure::{Failure, say, say_raw};
use crate::fold_command::mode_argument;
use crate::{rendered, tools};
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use orthant_qemu::config::{Config, Moment};
use orthant_qemu::native;
use orthant_qemu::run::{self, Outcome, Problem, Request};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{IsTerminal as _, Seek as _, SeekFrom};
use std::os::fd::AsFd as _;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;
use std::process::{self, ExitCode, Stdio};
use std::time::Instant;
use trace::profile::{Dependence, Ended, Loop, LoopKind, Nest, Profile};

/// Nests shown.
pub const SHOWN: usize = 8;
/// Loops shown of a nest.
const LOOPS: usize = 8;
/// Characters shown of a name.
const LONGEST: usize = 60;
/// Nests are chosen by the survey until they make up this share of the time in loops.
const HOT_SHARE: f64 = 0.95;
/// Most functions that are chosen.
const HOT_FUNCTIONS: usize = 8;
/// A survey with fewer samples tells nothing; everything is recorded then.
const LEAST_SAMPLES: u64 = 50;

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
                .value_name("HOW")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("sample")
                .value_parser(["sample", "count"])
                .help("Only show where the time goes: by samples, at the program's own speed, or counting blocks under QEMU"),
        )
        .arg(
            Arg::new("once")
                .long("once")
                .action(ArgAction::SetTrue)
                .conflicts_with("survey")
                .help("Run the program once and record everything, without a survey first"),
        )
        .arg(names("only", "FUNCTION").help("Record only these functions and what they call"))
        .arg(names("lib", "NAME").help("Look into libraries whose file name contains NAME, too"))
        .arg(moment("from").help("Record from this moment on: FUNCTION, FUNCTION:N for its N-th call, or seconds such as 2.5s"))
        .arg(moment("to").help("Record until this moment"))
        .arg(
            number("timeout", "SECONDS")
                .help("Stop the program after so long, and report what happened until then"),
        )
        .arg(number("memory", "MIB").help("Memory for last writers [default: 2048]"))
        .arg(mode_argument("How dependences may be over-approximated"))
        .arg(number("checkpoint", "SECONDS").hide(true).help("The first checkpoint after so long [default: 5]"))
        .arg(
            Arg::new("paper")
                .long("paper")
                .action(ArgAction::SetTrue)
                .hide(true)
                .help("Fold exactly as the paper does, for comparison"),
        )
        .arg(
            Arg::new("plain")
                .long("plain")
                .action(ArgAction::SetTrue)
                .hide(true)
                .help("Take no shortcuts where iterations are all alike, for comparison"),
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

fn moment(name: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("MOMENT").value_parser(Moment::parse)
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
        progress,
    };
    let (code, profile) = observe(matches, &mut request)?;
    let advice = advise::advise(&profile);
    say_raw(&(summary(&profile) + &advice.text()));
    rendered::write(matches, &profile, &advice)?;
    Ok(ExitCode::from(code))
}

/// Runs the program as the command line asks for.
fn observe(matches: &ArgMatches, request: &mut Request) -> Result<(u8, Profile), Failure> {
    if matches.get_one::<String>("survey").is_some_and(|how| how == "sample") {
        let found = native::survey(request, &mut program(request)).map_err(failure)?;
        return Ok((run::code(found.status), found.profile));
    }
    let config = &request.config;
    let chosen =
        config.survey || !config.functions.is_empty() || config.from.is_some() || config.to.is_some();
    let chosen = chosen || matches.get_flag("once");
    if !chosen && let Some(input) = second_input() {
        request.config.functions = hot_functions(request, input);
    }
    let outcome = run::run(request).map_err(failure);
    if request.config.progress {
        say_raw(CLEAR);
    }
    let Outcome { code, profile } = outcome?;
    Ok((code, profile.map_err(|problem| failure(problem).after(code))?))
}

/// To the beginning of the line, and nothing on it.
const CLEAR: &str = "\r\x1b[K";

/// Shows progress in one line of the terminal.
fn progress(events: u64, nests: u64) {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let seconds = START.get_or_init(Instant::now).elapsed().as_secs_f64();
    let rate = events as f64 / seconds.max(0.25) / 1e6;
    let plural = if nests == 1 { "" } else { "s" };
    say_raw(&format!(
        "{CLEAR}orthant: {} events, {rate:.1} million a second, {nests} loop nest{plural}",
        grouped(events)
    ));
}

/// The program itself, without QEMU.
fn program(request: &Request) -> process::Command {
    let mut command = process::Command::new(&request.program);
    command.args(&request.arguments);
    command
}

/// The program's input for a run before the real one; `None` if reading it would take it away from that.
fn second_input() -> Option<Stdio> {
    let mut own = File::open("/proc/self/fd/0").ok()?;
    let kind = own.metadata().ok()?.file_type();
    if !kind.is_file() {
        return kind.is_char_device().then(Stdio::null);
    }
    let mut shared = std::io::stdin().as_fd().try_clone_to_owned().map(File::from).ok()?;
    own.seek(SeekFrom::Start(shared.stream_position().ok()?)).ok()?;
    Some(own.into())
}

fn config(matches: &ArgMatches) -> Config {
    let names = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
    Config {
        libraries: names("lib"),
        functions: names("only"),
        survey: matches.get_one::<String>("survey").is_some(),
        mode: matches.get_one::<String>("mode").cloned().unwrap_or_default(),
        paper: matches.get_flag("paper"),
        plain: matches.get_flag("plain"),
        memory_dependences: matches.get_flag("memory-dependences"),
        max_bytes: matches.get_one::<u64>("memory").map_or(0, |mib| (*mib as usize).saturating_mul(1 << 20)),
        timeout: matches.get_one::<u64>("timeout").copied().unwrap_or(0),
        from: matches.get_one::<Moment>("from").cloned(),
        to: matches.get_one::<Moment>("to").cloned(),
        checkpoint: matches.get_one::<u64>("checkpoint").copied().unwrap_or(0),
        progress: std::io::stderr().is_terminal(),
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

/// The functions with the hottest nests, by a survey; none, which is all, if there is nothing to choose.
fn hot_functions(request: &Request, input: Stdio) -> Vec<String> {
    let mut command = program(request);
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::null());
    let survey = match native::survey(request, &mut command) {
        Ok(found) => found.profile,
        Err(problem) => {
            say(&format!("no survey, everything is recorded: {problem}"));
            return Vec::new();
        }
    };
    let named = survey.warnings.iter().all(|warning| warning.id != "no-symbols");
    if survey.totals.instructions < LEAST_SAMPLES || !named {
        return Vec::new();
    }
    let (functions, share) = hottest(&survey);
    say(&format!("survey: {:.0}% of the time in the loops of {}", 100.0 * share, functions.join(", ")));
    functions
}

/// Functions of outermost loops, most costly first, until they make up most of the time in loops; their share of all.
fn hottest(survey: &Profile) -> (Vec<String>, f64) {
    let all: f64 = survey.nests.iter().map(|nest| nest.share).sum();
    let mut functions: Vec<String> = Vec::new();
    let mut share = 0.0;
    for nest in &survey.nests {
        let Some(function) = nest.loops.first().map(|l| &l.function) else { continue };
        let plain = function.split('(').next().unwrap_or(function).to_owned();
        if !functions.contains(&plain) {
            functions.push(plain);
        }
        share += nest.share;
        if share >= HOT_SHARE * all || functions.len() >= HOT_FUNCTIONS {
            break;
        }
    }
    (functions, share)
}

/// One screen for people.
pub fn summary(profile: &Profile) -> String {
    let mut text = String::new();
    let totals = &profile.totals;
    let share = percent(totals.instructions_in_loops, totals.instructions);
    let _ = writeln!(
        text,
        "orthant: {}{}: {} {}, {share} in {} loop nest{}",
        profile.program.path,
        ended(&profile.program.ended),
        grouped(totals.instructions),
        if profile.collection.sampled { "samples" } else { "instructions of its own" },
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
        let often = if l.entries > 0 { trips(l) } else { format!("{:.1}%", 100.0 * part(nest, l)) };
        let _ = writeln!(text, "  {share}  {indent}{kind}{name} {place}  {often}{carried}");
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

/// A loop's share of the run.
fn part(nest: &Nest, l: &Loop) -> f64 {
    nest.share * l.instructions as f64 / nest.instructions.max(1) as f64
}

fn trips(l: &Loop) -> String {
    match l.entries {
        0 | 1 => format!("{} iterations", grouped(l.iterations)),
        entries => format!("{} x {:.1} iterations", grouped(entries), l.iterations as f64 / entries as f64),
    }
}

/// What was seen to tie the iterations of a loop together, if that was looked at.
fn carried(nest: &Nest, l: &Loop) -> String {
    let inside = |s: u32| {
        nest.statements.get(s as usize).is_some_and(|s| s.loops.get(l.dimension as usize) == Some(&l.id))
    };
    if !nest.statements.iter().any(|statement| inside(statement.id)) {
        return "only counted".to_owned();
    }
    let of_it = nest.dependences.iter().filter(|d| d.carried_by == Some(l.dimension) && inside(d.target));
    let (mut exact, mut over) = (0, 0);
    let is_exact = |d: &Dependence| d.relation.exact || !d.distance.contains(&None);
    of_it.for_each(|d| if is_exact(d) { exact += 1 } else { over += 1 });
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
