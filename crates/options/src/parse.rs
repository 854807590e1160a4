//! From text to settings, and from layers of settings to [`Options`].
//!
//! Three notations, one meaning:
//!
//! | notation | settings are separated by | example |
//! |---|---|---|
//! | pass parameters | `;` | `orthant<only=^gemm;time>` |
//! | `ORTHANT_OPTS` | white space | `ORTHANT_OPTS="-orthant-only=^gemm time"` |
//! | configuration file | line ends, `#` starts a comment | `only = ^gemm  # the kernel` |
//!
//! A setting is `NAME=VALUE`, or `NAME` alone for a flag that is switched on. In every notation the name may
//! carry the prefix it has in the host's command line (`-orthant-only`).
//!
//! *Quotes.* Text between two `'` or between two `"` stands for itself, separators and `#` included, and
//! joins what stands beside it: `only='a b'"'"c` is the value `a b'c`. A backslash is an ordinary character,
//! because regular expressions and file names need it more often than a value needs both kinds of quote.
//! [`Layer::to_text`] writes what the parsers read: for every layer, parsing its text gives it back.
//!
//! *Values.* The empty value takes back an option that has no default (`report=`); for an option that has
//! one it is an error, as is every other value that the option's [`Kind`] does not list.
//!
//! Each setting is checked where it is read, so that a message can name the line of a configuration file,
//! and once more by [`Options::from_layers`], which is the only way to make an [`Options`].

use crate::{Assumptions, Expand, Kind, Options, Position, Schedule, Spec, TABLE, Tiers, Whose, spec};
use regex::Regex;
use std::fmt;
use std::path::PathBuf;

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

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(name) => f.write_str(name),
            Origin::Environment => f.write_str("ORTHANT_OPTS"),
            Origin::CommandLine => f.write_str("command line"),
            Origin::PassParameters => f.write_str("pass parameters orthant<...>"),
        }
    }
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

/// What is wrong with a setting, and where it was given. One sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{origin}{}: {problem}", .line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct OptionError {
    /// The source of the setting.
    pub origin: Origin,
    /// The 1-based line, in a configuration file.
    pub line: Option<usize>,
    /// What is wrong.
    pub problem: Box<Problem>,
}

/// The ways in which a setting can be wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// No option has this name.
    #[error("unknown option {}{}; the options are {}", shown(.name), did_you_mean(.name, &public_names()), public_names().join(", "))]
    UnknownName {
        /// The name given.
        name: String,
    },
    /// The option takes a value and got none.
    #[error("option '{option}' needs a value: {accepted}")]
    MissingValue {
        /// The option.
        option: &'static str,
        /// What it takes.
        accepted: String,
    },
    /// The option does not take this value.
    #[error("option '{option}' cannot be {}: {accepted}{suggestion}", shown(.value))]
    BadValue {
        /// The option.
        option: &'static str,
        /// The value given.
        value: String,
        /// What it takes, or for a regular expression why it is not one.
        accepted: String,
        /// A near miss, or nothing.
        suggestion: String,
    },
    /// A quote without its partner.
    #[error("the quote {quote} in {} is not closed: add the second one, or put it in quotes of the other kind", shown(.text))]
    OpenQuote {
        /// The quote.
        quote: char,
        /// The setting it stands in.
        text: String,
    },
    /// A setting that starts with `=`.
    #[error("{} has no option's name: write NAME=VALUE", shown(.text))]
    MissingName {
        /// The setting.
        text: String,
    },
}

impl Layer {
    /// The text between the brackets of `orthant<...>`.
    pub fn pass_parameters(text: &str) -> Result<Layer, OptionError> {
        Layer::read(Origin::PassParameters, text)
    }

    /// The value of `ORTHANT_OPTS`.
    pub fn environment(text: &str) -> Result<Layer, OptionError> {
        Layer::read(Origin::Environment, text)
    }

    /// The text of a configuration file; `name` appears in messages.
    pub fn config_file(name: &str, text: &str) -> Result<Layer, OptionError> {
        Layer::read(Origin::File(name.to_owned()), text)
    }

    /// Options that a command-line parser has taken apart already. They are checked by
    /// [`Options::from_layers`].
    pub fn command_line(settings: Vec<Setting>) -> Layer {
        Layer { origin: Origin::CommandLine, settings }
    }

    /// The settings in their origin's notation. A command line is written like `ORTHANT_OPTS`.
    pub fn to_text(&self) -> String {
        let settings = self.settings.iter().map(|setting| match &setting.value {
            None => setting.name.clone(),
            Some(value) => format!("{}={}", setting.name, quoted(value)),
        });
        let separator = match self.origin {
            Origin::PassParameters => ";",
            Origin::File(_) => "\n",
            Origin::Environment | Origin::CommandLine => " ",
        };
        settings.collect::<Vec<_>>().join(separator)
    }

    fn read(origin: Origin, text: &str) -> Result<Layer, OptionError> {
        let in_file = matches!(origin, Origin::File(_));
        let separates: fn(char) -> bool = match origin {
            Origin::PassParameters => |c| c == ';',
            Origin::File(_) => |c| c == '\n',
            Origin::Environment | Origin::CommandLine => char::is_whitespace,
        };
        let mut settings = Vec::new();
        for (line, piece) in pieces(text.trim_start_matches('\u{feff}'), separates, in_file) {
            let line = in_file.then_some(line);
            let setting = Setting::read(piece)
                .and_then(|setting| setting.map(|s| s.check().map(|_| s)).transpose())
                .map_err(|problem| OptionError {
                    origin: origin.clone(),
                    line,
                    problem: Box::new(problem),
                })?;
            settings.extend(setting);
        }
        Ok(Layer { origin, settings })
    }
}

/// Cuts `text` at unquoted separators, with the 1-based line on which each piece starts. In a file a quote ends
/// with its line at the latest, and a `#` at the start of a line or after white space hides the rest of it.
fn pieces(text: &str, separates: fn(char) -> bool, in_file: bool) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let (mut start, mut start_line, mut line) = (0, 1, 1);
    let mut quote = None;
    let mut comment_from = None;
    let mut after_space = true;
    for (at, c) in text.char_indices() {
        line += usize::from(c == '\n');
        let ends = separates(c) && (quote.is_none() || in_file);
        if ends {
            found.push((start_line, &text[start..comment_from.unwrap_or(at)]));
            (start, start_line) = (at + c.len_utf8(), line);
            (quote, comment_from, after_space) = (None, None, true);
            continue;
        }
        match quote {
            _ if comment_from.is_some() => {}
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if in_file && c == '#' && after_space => comment_from = Some(at),
            None if c == '\'' || c == '"' => quote = Some(c),
            None => {}
        }
        after_space = c.is_whitespace();
    }
    found.push((start_line, &text[start..comment_from.unwrap_or(text.len())]));
    found
}

impl Setting {
    /// Reads `NAME`, `NAME=VALUE` or, for a blank piece, nothing.
    fn read(piece: &str) -> Result<Option<Setting>, Problem> {
        let piece = piece.trim();
        if piece.is_empty() {
            return Ok(None);
        }
        let (name, value) = match piece.split_once('=') {
            Some((name, value)) => (name, Some(unquoted(value.trim_start())?)),
            None => (piece, None),
        };
        let name = without_prefix(name.trim_end());
        if name.is_empty() {
            return Err(Problem::MissingName { text: piece.to_owned() });
        }
        Ok(Some(Setting { name: name.to_owned(), value }))
    }

    /// The option and the value in its type.
    fn check(&self) -> Result<(&'static Spec, Value), Problem> {
        let spec = spec(&self.name).ok_or_else(|| Problem::UnknownName { name: self.name.clone() })?;
        Ok((spec, spec.read(self.value.as_deref())?))
    }
}

/// `-orthant-only`, `--only` and `only` are one name.
fn without_prefix(name: &str) -> &str {
    let name = name.strip_prefix("--").or_else(|| name.strip_prefix('-')).unwrap_or(name);
    name.strip_prefix("orthant-").unwrap_or(name)
}

fn unquoted(text: &str) -> Result<String, Problem> {
    let mut value = String::with_capacity(text.len());
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '\'' || c == '"' => quote = Some(c),
            _ => value.push(c),
        }
    }
    match quote {
        Some(quote) => Err(Problem::OpenQuote { quote, text: text.to_owned() }),
        None => Ok(value),
    }
}

/// The shortest quoting that [`unquoted`] and [`pieces`] take back in every notation.
fn quoted(value: &str) -> String {
    let plain = |c: char| !(c.is_whitespace() || matches!(c, '\'' | '"' | ';' | '#'));
    if value.chars().all(plain) {
        return value.to_owned();
    }
    // Runs without `'` go into single quotes, runs of `'` into double quotes.
    let mut out = String::with_capacity(value.len() + 2);
    for run in value.chars().collect::<Vec<_>>().chunk_by(|a, b| (*a == '\'') == (*b == '\'')) {
        let quote = if run[0] == '\'' { '"' } else { '\'' };
        out.push(quote);
        out.extend(run);
        out.push(quote);
    }
    out
}

/// A value in the type that its option's [`Kind`] names; `None` and the empty list take the option back.
enum Value {
    Flag(bool),
    Number(u64),
    Bytes(Option<u64>),
    Numbers(Vec<u64>),
    Words(Vec<&'static str>),
    Regex(Option<Regex>),
    File(Option<PathBuf>),
    Text(Option<String>),
}

impl Spec {
    fn read(&self, value: Option<&str>) -> Result<Value, Problem> {
        let Some(value) = value else {
            return match self.kind {
                Kind::Flag => Ok(Value::Flag(true)),
                _ => Err(Problem::MissingValue { option: self.name, accepted: self.accepts() }),
            };
        };
        let given = (!value.is_empty()).then_some(value);
        if given.is_none() && !self.default.is_empty() {
            return Err(self.bad(value, self.accepts()));
        }
        match self.kind {
            Kind::Flag => flag(value).map(Value::Flag).ok_or_else(|| self.bad(value, self.accepts())),
            Kind::Number(low, high) => number(value)
                .filter(|n| (low..=high).contains(n))
                .map(Value::Number)
                .ok_or_else(|| self.bad(value, self.accepts())),
            Kind::Bytes(most) => given
                .map(|text| {
                    bytes(text)
                        .filter(|n| (1..=most).contains(n))
                        .ok_or_else(|| self.bad(text, self.accepts()))
                })
                .transpose()
                .map(Value::Bytes),
            Kind::Numbers(most) => {
                let listed = given.into_iter().flat_map(|list| list.split(','));
                let read = |text: &str| number(text.trim()).filter(|n| *n <= most);
                let numbers: Option<_> = listed.map(read).collect();
                numbers.map(Value::Numbers).ok_or_else(|| self.bad(value, self.accepts()))
            }
            Kind::Choice(words) => {
                given.map(|word| self.word(words, word)).transpose().map(|w| Value::Words(Vec::from_iter(w)))
            }
            Kind::Choices(words) => {
                let listed = given.into_iter().flat_map(|list| list.split(','));
                listed.map(|word| self.word(words, word.trim())).collect::<Result<_, _>>().map(Value::Words)
            }
            Kind::Regex => given
                .map(|text| Regex::new(text).map_err(|e| self.bad(text, regex_problem(&e))))
                .transpose()
                .map(Value::Regex),
            Kind::File if value.contains('\0') => Err(self.bad(value, self.accepts())),
            Kind::File => Ok(Value::File(given.map(PathBuf::from))),
            Kind::Text => Ok(Value::Text(given.map(str::to_owned))),
        }
    }

    fn word(&self, words: &'static [&'static str], word: &str) -> Result<&'static str, Problem> {
        let found = words.iter().copied().find(|known| *known == word);
        found.ok_or_else(|| self.bad(word, self.accepts()))
    }

    fn bad(&self, value: &str, accepted: String) -> Problem {
        let words = match self.kind {
            Kind::Choice(words) | Kind::Choices(words) => words,
            Kind::Flag => &["true", "false"],
            _ => &[],
        };
        let suggestion = did_you_mean(value, words);
        Problem::BadValue { option: self.name, value: value.to_owned(), accepted, suggestion }
    }

    /// What the option takes, as the end of a sentence about it.
    pub fn accepts(&self) -> String {
        match self.kind {
            Kind::Flag => "it takes true or false".to_owned(),
            Kind::Choice(words) => format!("it takes {}", listed(words, "or")),
            Kind::Choices([word]) => format!("it takes {word}"),
            Kind::Choices(words) => format!("it takes a comma-separated list of {}", listed(words, "and")),
            Kind::Number(0, u64::MAX) => "it takes a whole number".to_owned(),
            Kind::Number(low, u64::MAX) => format!("it takes a whole number from {low} on"),
            Kind::Number(low, high) => format!("it takes a whole number from {low} to {high}"),
            Kind::Bytes(most) => format!("it takes a number of bytes up to {}, as 48K or 2M", size(most)),
            Kind::Numbers(most) => format!("it takes a comma-separated list of whole numbers up to {most}"),
            Kind::Regex => "it takes a regular expression".to_owned(),
            Kind::File => "it takes a file name".to_owned(),
            Kind::Text => "it takes a name".to_owned(),
        }
    }
}

fn flag(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "on" | "yes" | "1" => Some(true),
        "false" | "off" | "no" | "0" => Some(false),
        _ => None,
    }
}

/// Decimal digits; `_` may group them.
fn number(value: &str) -> Option<u64> {
    let starts_with_digit = value.starts_with(|c: char| c.is_ascii_digit());
    let digits: String = value.chars().filter(|c| *c != '_').collect();
    let only_digits = digits.chars().all(|c| c.is_ascii_digit());
    (starts_with_digit && only_digits).then(|| digits.parse().ok())?
}

/// A number, perhaps with one of the letters of [`UNITS`] behind it.
fn bytes(value: &str) -> Option<u64> {
    let unit = UNITS.into_iter().find(|(letter, _)| value.to_ascii_uppercase().ends_with(*letter));
    let (digits, factor) = unit.map_or((value, 1), |(_, factor)| (&value[..value.len() - 1], factor));
    number(digits)?.checked_mul(factor)
}

const UNITS: [(char, u64); 3] = [('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30)];

/// A number of bytes as [`bytes`] reads it, in its largest unit.
pub(crate) fn size(bytes: u64) -> String {
    let unit = UNITS.into_iter().rev().find(|(_, factor)| bytes >= *factor && bytes.is_multiple_of(*factor));
    unit.map_or_else(|| bytes.to_string(), |(letter, factor)| format!("{}{letter}", bytes / factor))
}

/// The last line of the library's message says what is wrong; those above it draw the expression.
fn regex_problem(error: &regex::Error) -> String {
    let message = error.to_string();
    let last = message.lines().last().unwrap_or_default();
    let reason = last.trim().trim_start_matches("error: ").trim_end_matches('.');
    format!("it takes a regular expression ({reason})")
}

fn listed(words: &[&str], conjunction: &str) -> String {
    match words {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [start @ .., last] => format!("{} {conjunction} {last}", start.join(", ")),
    }
}

fn public_names() -> Vec<&'static str> {
    TABLE.iter().filter(|spec| !spec.hidden).map(|spec| spec.name).collect()
}

/// A piece of a message: the known word nearest to `given`, if one is near.
fn did_you_mean(given: &str, known: &[&str]) -> String {
    const LONGEST: usize = 64; // the distance takes quadratic time, and longer words are no slips
    if given.len() > LONGEST {
        return String::new();
    }
    let given = given.to_lowercase();
    let near = known.iter().map(|word| (strsim::osa_distance(&given, word), *word)).min();
    match near {
        Some((distance, word)) if distance <= word.len().max(3) / 3 => format!(" (did you mean '{word}'?)"),
        _ => String::new(),
    }
}

/// A value as a message shows it: quoted, control characters escaped, cut when long.
fn shown(value: &str) -> String {
    const LONGEST: usize = 60;
    let escape = |c: char| if c.is_control() { c.escape_default().to_string() } else { c.to_string() };
    let mut text: String = value.chars().take(LONGEST).map(escape).collect();
    if value.chars().nth(LONGEST).is_some() {
        text.push_str("...");
    }
    format!("'{text}'")
}

impl Options {
    /// The options that the layers give on top of the defaults; the later layer wins.
    pub fn from_layers(layers: &[Layer]) -> Result<Options, OptionError> {
        Options::default().with_layers(layers)
    }

    /// These options with what the layers say on top of them.
    pub fn with_layers(&self, layers: &[Layer]) -> Result<Options, OptionError> {
        let mut options = self.clone();
        for layer in layers {
            for setting in &layer.settings {
                let in_layer = |problem| OptionError {
                    origin: layer.origin.clone(),
                    line: None,
                    problem: Box::new(problem),
                };
                let (spec, value) = setting.check().map_err(in_layer)?;
                options.set(spec.name, value);
            }
        }
        Ok(options)
    }

    /// One arm per row of the table; a test checks that none is missing.
    fn set(&mut self, name: &str, value: Value) {
        match (name, value) {
            ("enable", Value::Flag(on)) => self.enable = on,
            ("position", Value::Words(words)) => {
                self.position = if words == ["early"] { Position::Early } else { Position::Late }
            }
            ("only", Value::Regex(regex)) => self.only = regex,
            ("report", Value::File(file)) => self.report = file,
            ("stop-after", Value::Words(words)) => self.stop_after = words.first().map(|w| (*w).to_owned()),
            ("print-after", Value::Words(words)) => {
                self.print_after = words.into_iter().map(str::to_owned).collect();
            }
            ("schedule", Value::Words(words)) => {
                self.schedule = match words.first().copied() {
                    Some("identity") => Schedule::Identity,
                    Some("keep") => Schedule::Keep,
                    _ => Schedule::Auto,
                }
            }
            ("tiles", Value::Numbers(sizes)) => self.tiles = sizes,
            ("tuned", Value::File(file)) => self.tuned = file,
            ("least-gain", Value::Number(percent)) => self.least_gain = clamped(percent) as u32,
            ("least-length", Value::Number(count)) => self.least_length = clamped(count) as u32,
            ("registers", Value::Flag(on)) => self.registers = on,
            ("align-arrays", Value::Flag(on)) => self.align_arrays = on,
            ("rows", Value::Flag(on)) => self.rows = on,
            ("panels", Value::Flag(on)) => self.panels = on,
            ("machine", Value::Words(words)) => {
                self.machine = match words.first().copied() {
                    Some("target") => Whose::Target,
                    Some("native") => Whose::Native,
                    _ => Whose::Generic,
                }
            }
            ("l1-bytes", Value::Bytes(bytes)) => self.l1_bytes = bytes,
            ("l2-bytes", Value::Bytes(bytes)) => self.l2_bytes = bytes,
            ("l1-ways", Value::Number(ways)) => self.l1_ways = clamped(ways) as u32,
            ("l2-ways", Value::Number(ways)) => self.l2_ways = clamped(ways) as u32,
            ("l3-bytes", Value::Bytes(bytes)) => self.l3_bytes = bytes,
            ("line-bytes", Value::Bytes(bytes)) => self.line_bytes = bytes,
            ("machine-out", Value::File(file)) => self.machine_out = file,
            ("schedule-in", Value::File(folder)) => self.schedule_in = folder,
            ("schedule-out", Value::File(folder)) => self.schedule_out = folder,
            ("assumptions", Value::Words(words)) => {
                self.assumptions = if words == ["none"] { Assumptions::None } else { Assumptions::All }
            }
            ("tiers", Value::Words(words)) => {
                self.tiers = match words.first().copied() {
                    Some("never") => Tiers::Never,
                    Some("always") => Tiers::Always,
                    _ => Tiers::Auto,
                }
            }
            ("use-counts", Value::File(file)) => self.use_counts = file,
            ("count-checks", Value::Flag(on)) => self.count_checks = on,
            ("delicm", Value::Flag(on)) => self.delicm = on,
            ("expand-always", Value::Flag(on)) => self.expand_always = on,
            ("parallel", Value::Flag(on)) => self.parallel = on,
            ("threads", Value::Number(count)) => self.threads = clamped(count) as u32,
            ("parallel-always", Value::Flag(on)) => self.parallel_always = on,
            ("expand", Value::Words(words)) => {
                self.expand = match words.first().copied() {
                    Some("none") => Expand::None,
                    Some("heap") => Expand::Heap,
                    _ => Expand::Stack,
                }
            }
            ("time", Value::Flag(on)) => self.time = on,
            ("budget", Value::Number(units)) => self.budget = units,
            ("shape-candidates", Value::Number(most)) => self.shape_candidates = clamped(most),
            ("shape-alphas", Value::Number(most)) => self.shape_alphas = clamped(most) as u32,
            ("shape-shifts", Value::Number(most)) => self.shape_shifts = clamped(most) as u32,
            ("panic-in", Value::Text(function)) => self.panic_in = function,
            ("break-in", Value::Text(function)) => self.break_in = function,
            _ => debug_assert!(false, "no arm for option {name}"),
        }
    }
}

impl Default for Options {
    /// What the table's column `default` says.
    fn default() -> Options {
        let mut options = Options {
            enable: true,
            position: Position::Late,
            only: None,
            report: None,
            stop_after: None,
            print_after: Vec::new(),
            schedule: Schedule::Auto,
            tiles: Vec::new(),
            tuned: None,
            least_gain: 0,
            least_length: 0,
            registers: true,
            align_arrays: true,
            rows: true,
            panels: true,
            machine: Whose::Generic,
            l1_bytes: None,
            l2_bytes: None,
            l1_ways: 0,
            l2_ways: 0,
            l3_bytes: None,
            line_bytes: None,
            machine_out: None,
            schedule_in: None,
            schedule_out: None,
            assumptions: Assumptions::All,
            tiers: Tiers::Auto,
            use_counts: None,
            count_checks: false,
            delicm: true,
            expand: Expand::Stack,
            expand_always: false,
            parallel: false,
            threads: 0,
            parallel_always: false,
            time: false,
            budget: 0,
            shape_candidates: 0,
            shape_alphas: 0,
            shape_shifts: 0,
            panic_in: None,
            break_in: None,
        };
        for spec in TABLE {
            if let Ok(value) = spec.read(Some(spec.default)) {
                options.set(spec.name, value);
            }
        }
        options
    }
}

/// The table allows no number above this.
fn clamped(number: u64) -> usize {
    number.min(1 << 20) as usize
}

#[cfg(test)]
mod tests;
