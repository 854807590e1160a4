//! Files that show a profile: `--json`, `--html` and `--sarif`, for `orthant profile` and `orthant report`.
//!
//! Targets are checked before the program runs, so that a wrong name costs nothing.

use crate::failure::{Failure, say};
use crate::output;
use advise::Advice;
use clap::{Arg, ArgMatches, ValueHint};
use std::path::{Path, PathBuf};
use trace::Profile;

/// The forms, with their help.
const FORMS: [(&str, &str); 3] = [
    ("json", "Also write everything that was found to FILE, as JSON"),
    (
        "html",
        "Also write a page with flame graph, pictures and suggestions to FILE; it needs no other file and no server",
    ),
    ("sarif", "Also write the suggestions to FILE as SARIF, for editors"),
];

/// The largest source file that is shown.
const LARGEST_SOURCE: u64 = 8 << 20;

/// The arguments.
pub fn arguments() -> Vec<Arg> {
    let argument = |(name, help): (&'static str, &'static str)| {
        Arg::new(name)
            .long(name)
            .value_name("FILE")
            .value_parser(clap::value_parser!(PathBuf))
            .value_hint(ValueHint::FilePath)
            .help(help)
    };
    FORMS.into_iter().map(argument).collect()
}

fn targets(matches: &ArgMatches) -> impl Iterator<Item = (&'static str, &PathBuf)> {
    FORMS.into_iter().filter_map(|(name, _)| matches.get_one::<PathBuf>(name).map(|path| (name, path)))
}

/// Refuses targets that cannot be written.
pub fn check(matches: &ArgMatches) -> Result<(), Failure> {
    targets(matches).try_for_each(|(_, path)| output::check(path))
}

/// Writes what was asked for.
pub fn write(matches: &ArgMatches, profile: &Profile, advice: &Advice) -> Result<(), Failure> {
    for (form, path) in targets(matches) {
        let text = match form {
            "json" => serde_json::to_string(&Advised { profile, advice }).unwrap_or_default(),
            "html" => present::html(profile, advice, &source),
            _ => present::sarif(profile, advice, env!("CARGO_PKG_VERSION")),
        };
        output::write(path, text.as_bytes())?;
        let what = if form == "json" { "profile" } else { form };
        say(&format!("{what} written to {}", path.display()));
    }
    Ok(())
}

/// The JSON form: the profile with one more field.
#[derive(serde::Serialize)]
struct Advised<'a> {
    #[serde(flatten)]
    profile: &'a Profile,
    advice: &'a Advice,
}

/// The lines of a source file, if it is one that can be shown.
fn source(path: &str) -> Option<Vec<String>> {
    let path = Path::new(path);
    let data = path.metadata().ok()?;
    if !data.is_file() || data.len() > LARGEST_SOURCE {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).lines().map(|line| line.replace('\t', "    ")).collect())
}
