//! From text to settings, and from layers of settings to [`Options`].
//!
//! Three notations, one meaning. Pass parameters are separated by `;` (`only=foo;time`), `ORTHANT_OPTS` is
//! split at white space with shell-like quotes and takes names with or without `-orthant-` in front, and
//! the configuration file has one `name = value` a line with `#` comments.

use crate::{Kind, Options, Position, Spec, spec};
use regex::Regex;

/// Where a setting came from, for messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The configuration file of that name.
    File(String),
    /// `ORTHANT_OPTS`.
    Environment,
    /// `-mllvm -orthant-...` or the command's own options.
    CommandLine,
    /// `-passes='orthant<...>'`.
    PassParameters,
}

/// One option and its value, not yet validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The option's name, without prefix.
    pub name: String,
    /// The value; `None` for a bare flag.
    pub value: Option<String>,
}

/// Settings from one source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layer {
    /// Their source.
    pub origin: Origin,
    /// In the order given; of two settings of one option the later wins.
    pub settings: Vec<Setting>,
}
