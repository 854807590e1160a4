//! The file that `orthant tune` writes and the compiler reads: options for single nests.
//!
//! ```text
//! { "format": "orthant-tuned-1",
//!   "nests": [ { "function": "gemm", "place": "gemm.c:4:3", "fingerprint": "9a2f07c1e5b83d46",
//!                "options": "l2-bytes=1M", "speedup": 1.08 } ] }
//! ```
//!
//! *Which nest.* A nest is known again by its function's symbol and the [`fingerprint`] of its model: loops that were moved in
//! the file are the same loops, loops that were changed are not, wherever they stand. An entry is *stale* for a
//! nest that stands at its place, or in its function if nothing has a place, and has another fingerprint.
//!
//! *What is in it.* `options` is in the notation of the variable `ORTHANT_OPTS`, and only says what may be different
//! from nest to nest ([`NAMES`]); an empty text says that the nest is best as it is. The compiler proves every order legal
//! as it always does, so a file can make a program slow but not wrong. `speedup` is for people: against the same without the options.

use model::SourceLoc;
use serde::{Deserialize, Serialize};

/// The value of `format`.
pub const TUNED_FORMAT: &str = "orthant-tuned-1";

/// The options that can be given for a nest.
pub const NAMES: [&str; 10] = [
    "schedule",
    "tiles",
    "least-gain",
    "registers",
    "rows",
    "l1-bytes",
    "l1-ways",
    "l2-bytes",
    "l2-ways",
    "line-bytes",
];

/// The whole file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuned {
    /// [`TUNED_FORMAT`]
    pub format: String,
    /// In the order in which they were found.
    pub nests: Vec<TunedNest>,
}

/// One nest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TunedNest {
    /// Its function's symbol.
    pub function: String,
    /// Where it was, if that is known.
    pub place: Option<String>,
    /// Its model's.
    pub fingerprint: String,
    /// What was best.
    pub options: String,
    /// How many times faster that was than the same without.
    pub speedup: f64,
}

/// What a file has for a nest; a part of its report.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tuning {
    /// Of the nest's model.
    pub fingerprint: String,
    /// The options that were used, if the file has some.
    pub options: Option<String>,
    /// Whether the file has options for what the nest was earlier.
    pub is_stale: bool,
}

impl Tuning {
    /// For people; nothing where nothing is different.
    pub fn text(&self) -> Option<String> {
        match &self.options {
            _ if self.is_stale => {
                Some("for other loops than these, and so not used: run `orthant tune` again".to_owned())
            }
            Some(options) if !options.is_empty() => Some(options.clone()),
            _ => None,
        }
    }
}

impl Tuned {
    /// A file for these nests.
    pub fn new(nests: Vec<TunedNest>) -> Tuned {
        Tuned { format: TUNED_FORMAT.to_owned(), nests }
    }

    /// Reads a file; if that is none, why.
    pub fn read(text: &str) -> Result<Tuned, String> {
        let tuned: Tuned = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match tuned.format == TUNED_FORMAT {
            true => Ok(tuned),
            false => Err(format!("its format is `{}`, this version reads `{TUNED_FORMAT}`", tuned.format)),
        }
    }

    /// The file's text.
    pub fn json(&self) -> String {
        // Texts and finite numbers cannot fail to be written.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The number of the entry for a nest.
    pub fn find(&self, function: &str, fingerprint: &str) -> Option<usize> {
        self.nests.iter().position(|nest| nest.function == function && nest.fingerprint == fingerprint)
    }

    /// Whether there is an entry for what stood there earlier.
    pub fn is_stale(&self, function: &str, fingerprint: &str, place: Option<&SourceLoc>) -> bool {
        let place = place.map(place_of);
        let mut entries = self.nests.iter().filter(|nest| nest.function == function && nest.place == place);
        self.find(function, fingerprint).is_none() && entries.next().is_some()
    }
}

/// A place without the folder, which differs from machine to machine: `gemm.c:4:3`.
pub fn place_of(loc: &SourceLoc) -> String {
    let whole = loc.to_string();
    whole.rsplit('/').next().unwrap_or_default().to_owned()
}

/// A short name for a text: FNV-1a with 64 bits, which is the same in every build.
pub fn fingerprint(text: &str) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nest(function: &str, place: &str, fingerprint: &str) -> TunedNest {
        TunedNest {
            function: function.into(),
            place: Some(place.into()),
            fingerprint: fingerprint.into(),
            options: "tiles=32".into(),
            speedup: 1.5,
        }
    }

    fn at(line: u32) -> Option<SourceLoc> {
        Some(SourceLoc { file: "/some/where/a.c".into(), line, column: 3 })
    }

    #[test]
    fn nests_are_known_by_their_fingerprint_not_by_their_place() {
        let tuned = Tuned::new(vec![nest("f", "a.c:4:3", "11"), nest("g", "a.c:9:3", "22")]);
        assert_eq!(tuned.find("f", "11"), Some(0));
        assert_eq!((tuned.find("f", "22"), tuned.find("h", "11")), (None, None));
        let stale = |function, print, line| tuned.is_stale(function, print, at(line).as_ref());
        assert!(stale("f", "33", 4), "changed");
        assert!(!stale("f", "11", 7), "moved");
        assert!(!stale("f", "33", 5), "new");
        assert!(!stale("g", "33", 4), "of another function");
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else() {
        let tuned = Tuned::new(vec![nest("f", "a.c:4:3", "11")]);
        assert_eq!(Tuned::read(&tuned.json()).unwrap(), tuned);
        assert!(Tuned::read("[]").is_err());
        let other = tuned.json().replace(TUNED_FORMAT, "orthant-tuned-9");
        assert!(Tuned::read(&other).unwrap_err().contains("orthant-tuned-9"));
    }

    #[test]
    fn fingerprints_are_those_of_fnv() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("a"), "af63dc4c8601ec8c");
        assert_eq!(fingerprint("foobar"), "85944171f73967e8");
    }
}
