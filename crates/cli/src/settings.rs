//! Options on their way to the plugin.
//!
//! The command hands options to the plugin in `ORTHANT_OPTS`, after what the user has there. Unlike
//! `-mllvm -orthant-...` that is harmless wherever the plugin is not loaded: clang's assembler and lld stop at an
//! `-mllvm` option they do not know, and a link step warns that it is unused. They are checked here first, so that
//! a message says "command line" and comes before any work.
//!
//! *This machine.* Who compiles for the processor at hand (`-march=native`) means its caches, too. The plugin sees only the
//! processor's name, which says nothing about where the code will run, so the command says `machine=native` for it
//! ([`with_flags`]), unless somebody said something else.

use crate::failure::Failure;
use clap::ArgMatches;
use options::{Kind, Layer, OptionError, Options, Setting, Spec, TABLE};
use std::ffi::OsStr;
use std::process::Command;

/// The plugin's variable for options.
pub const VARIABLE: &str = "ORTHANT_OPTS";

/// The settings among a command's arguments: the options of [`TABLE`] that it was given.
pub fn of(matches: &ArgMatches) -> Vec<Setting> {
    TABLE.iter().filter_map(|spec| setting(spec, matches)).collect()
}

fn setting(spec: &Spec, matches: &ArgMatches) -> Option<Setting> {
    let values = matches.try_get_many::<String>(spec.name).ok()??;
    let separator = if matches!(spec.kind, Kind::Choices(_)) { "," } else { "" };
    let value = values.map(String::as_str).collect::<Vec<_>>().join(separator);
    Some(Setting { name: spec.name.to_owned(), value: Some(value) })
}

/// Checks the settings, and those of the environment: the plugin would refuse them too, but later and elsewhere. What they say.
pub fn check(settings: &[Setting]) -> Result<Options, Failure> {
    Options::from_layers(&layers(settings)?).map_err(usage)
}

/// The settings with what the compiler's flags mean for the plugin.
pub fn with_flags<S: AsRef<OsStr>>(settings: Vec<Setting>, flags: &[S]) -> Result<Vec<Setting>, Failure> {
    const NAME: &str = "machine";
    if !is_native(flags) {
        return Ok(settings);
    }
    let is_given = layers(&settings)?.iter().flat_map(|layer| &layer.settings).any(|s| s.name == NAME);
    let native = Setting { name: NAME.to_owned(), value: Some("native".to_owned()) };
    Ok(settings.into_iter().chain((!is_given).then_some(native)).collect())
}

/// Whether a compiler with these flags compiles for the processor that it runs on; the last word counts.
fn is_native<S: AsRef<OsStr>>(flags: &[S]) -> bool {
    let processor = |flag: &S| -> Option<String> {
        let text = flag.as_ref().to_str()?;
        let names = ["-march=", "-mcpu=", "-Ctarget-cpu=", "target-cpu="];
        names.iter().find_map(|name| text.strip_prefix(name)).map(str::to_owned)
    };
    flags.iter().filter_map(processor).next_back().is_some_and(|name| name == "native")
}

/// What is said by whom.
fn layers(settings: &[Setting]) -> Result<Vec<Layer>, Failure> {
    let mut layers = Vec::new();
    if let Some(name) = std::env::var_os("ORTHANT_CONFIG").filter(|name| !name.is_empty()) {
        let name = name.to_string_lossy();
        let text = std::fs::read_to_string(&*name).map_err(|error| {
            Failure::usage(format!("cannot read {name}: {error}"))
                .remedy("let ORTHANT_CONFIG name a readable file, or unset it")
        })?;
        layers.push(Layer::config_file(&name, &text).map_err(usage)?);
    }
    if let Some(text) = std::env::var_os(VARIABLE) {
        layers.push(Layer::environment(&text.to_string_lossy()).map_err(usage)?);
    }
    layers.push(Layer::command_line(settings.to_vec()));
    Ok(layers)
}

fn usage(error: OptionError) -> Failure {
    Failure::usage(error.to_string()).remedy("docs/options.md and `orthant help opt` list the options")
}

/// Lets the command's plugin see the settings.
pub fn give(settings: &[Setting], command: &mut Command) {
    if settings.is_empty() {
        return;
    }
    let mut text = std::env::var_os(VARIABLE).unwrap_or_default();
    text.push(" ");
    text.push(Layer::command_line(settings.to_vec()).to_text());
    command.env(VARIABLE, text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_processor_counts() {
        let native = |line: &str| is_native(&line.split(' ').collect::<Vec<_>>());
        assert!(native("-O3 -march=native a.c") && native("-march=haswell -mcpu=native"));
        assert!(native("-C target-cpu=native") && native("-Ctarget-cpu=native"));
        assert!(!native("-march=native -march=haswell") && !native("-mtune=native") && !native(""));
    }

    #[test]
    fn nothing_is_said_for_those_who_say_it_themselves() {
        let given = |value: &str| Setting { name: "machine".into(), value: Some(value.into()) };
        let with = |settings: Vec<Setting>, flags: &[&str]| with_flags(settings, flags).unwrap();
        assert_eq!(with(Vec::new(), &["-march=native"]), [given("native")]);
        assert_eq!(with(vec![given("generic")], &["-march=native"]), [given("generic")]);
        assert_eq!(with(Vec::new(), &["-march=znver4"]), []);
    }
}
