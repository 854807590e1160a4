//! `orthant report`: a saved profile once more, or what changed since another one.
//!
//! The file is what `orthant profile --json` wrote. The advice is made anew from it, so a newer version of the command says
//! more about an old run. With `--diff` two runs are compared, before and after a change of the program: loops are the same
//! if function, file and line of the outermost one are, and suggestions if their id and the lines of their loops are.

use crate::dataflow::shown;
use crate::failure::Failure;
use crate::{output, profile, rendered};
use advise::{Advice, Suggestion};
use clap::{Arg, ArgMatches, Command, ValueHint};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use trace::Profile;

/// The command line.
pub fn command() -> Command {
    let file = |name: &'static str| {
        Arg::new(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
    };
    Command::new("report")
        .about("Show a saved profile again, or compare two")
        .arg(
            file("profile")
                .required(true)
                .help("What `orthant profile --json FILE` wrote; - is standard input"),
        )
        .arg(file("diff").long("diff").help("Show what changed since this profile instead"))
        .args(rendered::arguments())
        .after_help("orthant profile --json new.json -- ./app\northant report new.json --diff old.json\northant report new.json --html new.html")
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let load_one = |name| matches.get_one::<PathBuf>(name).map(|path| load(path)).transpose();
    rendered::check(matches)?;
    let new = load_one("profile")?.unwrap_or_default();
    let advice = advise::advise(&new);
    rendered::write(matches, &new, &advice)?;
    let text = match load_one("diff")? {
        Some(old) => difference(&old, &new, &advice),
        None => profile::summary(&new) + &advice.text(),
    };
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn load(path: &Path) -> Result<Profile, Failure> {
    let help = "name a file that `orthant profile --json FILE -- PROGRAM` wrote";
    let text = match path == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()),
        false => std::fs::read_to_string(path),
    };
    let text =
        text.map_err(|error| Failure::broken(format!("cannot read {}: {error}", shown(path))).remedy(help))?;
    Profile::from_json(&text)
        .map_err(|error| Failure::broken(format!("{}: {error}", shown(path))).remedy(help))
}

/// Instructions before and after, then the suggestions that came and went.
fn difference(old: &Profile, new: &Profile, advice: &Advice) -> String {
    let mut text = String::new();
    change(&mut text, "all", old.totals.instructions, new.totals.instructions);
    let [before, after] = [old, new].map(nests);
    let mut places: Vec<&String> =
        before.keys().chain(after.keys().filter(|p| !before.contains_key(*p))).collect();
    let count = |of: &BTreeMap<String, u64>, place: &String| of.get(place).copied().unwrap_or(0);
    places.sort_by_key(|p| std::cmp::Reverse(count(&before, p).max(count(&after, p))));
    for place in places.into_iter().take(profile::SHOWN) {
        change(&mut text, place, count(&before, place), count(&after, place));
    }
    let earlier = advise::advise(old);
    for (title, from, to) in [("no longer", &earlier, advice), ("new", advice, &earlier)] {
        let missing = |s: &&Suggestion| s.possible && !to.suggestions.iter().any(|t| key(t) == key(s));
        for s in from.suggestions.iter().filter(missing) {
            let _ = writeln!(text, "{title}: {} [{}]", profile::printable(&s.message), s.id.id());
        }
    }
    text
}

fn change(text: &mut String, what: &str, before: u64, after: u64) {
    let percent = match before {
        0 => "new".to_owned(),
        _ => format!("{:+.1}%", 100.0 * (after as f64 - before as f64) / before as f64),
    };
    let [old, new] = [before, after].map(profile::grouped);
    let _ = writeln!(text, "{percent:>8}  {what}: {old} -> {new} instructions");
}

/// Instructions per outermost loop, by its place.
fn nests(of: &Profile) -> BTreeMap<String, u64> {
    let mut nests = BTreeMap::new();
    for nest in &of.nests {
        let Some(l) = nest.loops.first() else { continue };
        let place = l.loc.as_ref().map_or_else(String::new, |loc| format!(" {}:{}", loc.file, loc.line));
        *nests.entry(profile::printable(&format!("{}{place}", l.function))).or_default() += nest.instructions;
    }
    nests
}

/// What makes two suggestions the same.
fn key(s: &Suggestion) -> (&'static str, bool, Vec<(&str, u32)>) {
    (s.id.id(), s.possible, s.lines.iter().map(|loc| (loc.file.as_str(), loc.line)).collect())
}
