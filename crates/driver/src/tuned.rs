//! Options for single nests, from a file of `orthant tune` ([`report::tuned`]).
//!
//! The options of each entry are checked when the file is read, on top of those of the run, so that a nest is
//! scheduled with validated options like any other.

use crate::pipeline::Modelled;
use model::{Scop, SourceLoc};
use options::{Layer, Options};
use report::tuned::{NAMES, Tuned, Tuning, fingerprint};
use std::path::Path;

/// The entries of a file, with their options.
pub struct Tunings {
    /// None if there is no file.
    tuned: Option<Tuned>,
    /// For each entry.
    options: Vec<Options>,
}

impl Tunings {
    /// No file.
    pub const NONE: Tunings = Tunings { tuned: None, options: Vec::new() };

    /// Those that the run's options name.
    pub fn of(options: &Options) -> Result<Tunings, String> {
        let Some(file) = &options.tuned else { return Ok(Tunings::NONE) };
        Tunings::read(file, options).map_err(|why| format!("cannot use {}: {why}", file.display()))
    }

    fn read(file: &Path, base: &Options) -> Result<Tunings, String> {
        let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
        let tuned = Tuned::read(&text)?;
        let options = tuned.nests.iter().map(|nest| on_top(base, &nest.options));
        Ok(Tunings { options: options.collect::<Result<_, _>>()?, tuned: Some(tuned) })
    }

    /// What the file has for a nest, and the options to use; `None` if there is no file.
    pub fn find(
        &self,
        function: &str,
        model: &Modelled<'_>,
        place: Option<&SourceLoc>,
    ) -> Option<(Tuning, Option<&Options>)> {
        let tuned = self.tuned.as_ref()?;
        let fingerprint = fingerprint(&neutral(&model.lifted.scop));
        let found = tuned.find(function, &fingerprint);
        let tuning = Tuning {
            options: found.map(|at| tuned.nests[at].options.clone()),
            is_stale: tuned.is_stale(function, &fingerprint, place),
            fingerprint,
        };
        Some((tuning, found.map(|at| &self.options[at])))
    }

    /// Whether some nests are to have loops in threads.
    pub fn some_in_threads(&self) -> bool {
        self.options.iter().any(|options| options.parallel)
    }
}

/// A model's text with numbers for the names of its parameters, which are the source's if there is debug information.
fn neutral(scop: &Scop) -> String {
    let text = scop.to_string();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut neutral = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(start) = rest.find(is_word) {
        let (before, from) = rest.split_at(start);
        let (word, after) = from.split_at(from.find(|c| !is_word(c)).unwrap_or(from.len()));
        neutral.push_str(before);
        match scop.params.iter().position(|param| param.name == word) {
            Some(at) => neutral.push_str(&format!("p{at}")),
            None => neutral.push_str(word),
        }
        rest = after;
    }
    neutral + rest
}

/// The run's options with those of an entry.
fn on_top(base: &Options, text: &str) -> Result<Options, String> {
    let layer = Layer::environment(text).map_err(|error| error.problem.to_string())?;
    if let Some(setting) = layer.settings.iter().find(|setting| !NAMES.contains(&setting.name.as_str())) {
        let names = NAMES.join(", ");
        return Err(format!("option '{}' cannot be given for a nest; these can: {names}", setting.name));
    }
    base.with_layers(&[layer]).map_err(|error| error.problem.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_say_only_what_differs_from_nest_to_nest() {
        let base = Options::from_layers(&[Layer::environment("l1-bytes=48K l2-bytes=1M").unwrap()]).unwrap();
        let options = on_top(&base, "l2-bytes=2M tiles=32,8").unwrap();
        assert_eq!((options.l1_bytes, options.l2_bytes), (Some(48 << 10), Some(2 << 20)));
        assert_eq!(options.tiles, [32, 8]);
        assert!(on_top(&base, "only=^f$").unwrap_err().contains("these can: schedule, tiles"));
        assert!(on_top(&base, "tiles=x").unwrap_err().contains("option 'tiles' cannot be 'x'"));
        assert!(NAMES.iter().all(|name| options::spec(name).is_some()));
    }

    #[test]
    fn names_of_parameters_are_no_part_of_a_model() {
        let text = |n: &str| {
            format!(
                "scop f\nparam {n} [0, 9]\ncontext [{n}] -> {{ : {n} >= 1 }}\narray A0 [*] 8\n\
                 stmt S0 [{n}] -> {{ S0[i0] : 0 <= i0 < {n} }}\n  write [{n}] -> {{ S0[i0] -> A0[i0] }}\n\
                 order {{ for {{ S0 }} }}\n"
            )
        };
        let neutral = |n: &str| {
            let ctx = isl::Ctx::new();
            neutral(&Scop::parse(&ctx, &text(n)).unwrap())
        };
        assert_eq!(neutral("size"), neutral("p0"));
        assert!(neutral("size").contains("param p0") && !neutral("size").contains("size"));
    }

    #[test]
    fn what_is_no_file_is_said_with_its_name() {
        let with = |text: &str| {
            Options::from_layers(&[Layer::environment(&format!("tuned={text}")).unwrap()]).unwrap()
        };
        assert!(Tunings::of(&Options::default()).unwrap().tuned.is_none());
        let error = Tunings::of(&with("/no/such/file")).err().unwrap();
        assert!(error.starts_with("cannot use /no/such/file: "), "{error}");
    }
}
