//! Options on their way to the plugin.
//!
//! The command hands options to the plugin in `ORTHANT_OPTS`, after what the user has there. Unlike
//! `-mllvm -orthant-...` that is harmless wherever the plugin is not loaded: clang's assembler and lld stop at an
//! `-mllvm` option they do not know, and a link step warns that it is unused. They are checked here first, so that
//! a message says "command line" and comes before any work.

use crate::failure::Failure;
use clap::ArgMatches;
use options::{Kind, Layer, OptionError, Options, Setting, Spec, TABLE};
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
    Options::from_layers(&layers).map_err(usage)
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
