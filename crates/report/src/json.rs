//! Reports as JSON: what the plugin writes and `orthant explain --json` prints.
//!
//! A *recorded* file has one [`FunctionReport`] a line. The *document* is one JSON value,
//! `{"format": 1, "functions": [...]}`, with the same objects in [`crate::arrange`]'s order. [`read`] takes both.

use crate::{FORMAT, FunctionReport};
use serde::{Deserialize, Serialize};

/// Everything in one JSON value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The format's version, as in each function.
    pub format: u32,
    /// In order, without repetitions.
    pub functions: Vec<FunctionReport>,
}

/// Why a text is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// Written by a newer Orthant.
    #[error(
        "line {line}: the report has format {format}, this orthant reads up to {FORMAT}; use the newer orthant that wrote it"
    )]
    Newer {
        /// The 1-based line.
        line: usize,
        /// The format it claims.
        format: u64,
    },
    /// Not what the plugin writes.
    #[error(
        "line {line}: not a line of an Orthant report ({reason}); record it again with the option report=FILE"
    )]
    Malformed {
        /// The 1-based line.
        line: usize,
        /// What the parser said.
        reason: String,
    },
}

/// Reads a recorded file or a document.
pub fn read(text: &str) -> Result<Vec<FunctionReport>, ReadError> {
    if let Ok(version) = serde_json::from_str::<Version>(text) {
        let blank = &text[..text.len() - text.trim_start().len()];
        version.check(1 + blank.matches('\n').count())?;
        if let Ok(document) = serde_json::from_str::<Document>(text) {
            return Ok(document.functions);
        }
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| function(index + 1, line)).collect()
}

/// Read first: a newer format may not parse, and the message should say why.
#[derive(Deserialize)]
struct Version {
    format: u64,
}

impl Version {
    fn check(&self, line: usize) -> Result<(), ReadError> {
        let known = self.format <= u64::from(FORMAT);
        if known { Ok(()) } else { Err(ReadError::Newer { line, format: self.format }) }
    }
}

fn function(line: usize, text: &str) -> Result<FunctionReport, ReadError> {
    let malformed =
        |error: serde_json::Error| ReadError::Malformed { line, reason: without_position(&error) };
    let version: Version = serde_json::from_str(text).map_err(malformed)?;
    version.check(line)?;
    serde_json::from_str(text).map_err(malformed)
}

/// The position is within the line, whose number the message has already. The parser quotes words of the text:
/// their control characters must not reach the terminal.
fn without_position(error: &serde_json::Error) -> String {
    let text = error.to_string().replace(char::is_control, "\u{fffd}");
    match text.rsplit_once(" at line ") {
        Some((reason, _)) => format!("{reason}, column {}", error.column()),
        None => text,
    }
}

/// The document, indented, with a final line end.
pub fn json(functions: &[FunctionReport]) -> String {
    #[derive(Serialize)]
    struct Borrowed<'a> {
        format: u32,
        functions: &'a [FunctionReport],
    }
    let document = Borrowed { format: FORMAT, functions };
    // Only maps with keys that are no strings, or failing Serialize impls, can fail; there are none.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::order::tests::{function, report};
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    #[test]
    fn lines_and_documents_are_read_back() {
        let functions = vec![report("m.c", "f", &[("m.c", 3)]), report("m.c", "g", &[])];
        let lines: String = functions.iter().map(|f| serde_json::to_string(f).unwrap() + "\n").collect();
        assert_eq!(read(&format!("\n{lines}\r\n")), Ok(functions.clone()));
        assert_eq!(read(&json(&functions)), Ok(functions));
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read(&json(&[])), Ok(vec![]));
    }

    #[test]
    fn a_newer_format_and_garbage_are_told_apart() {
        let newer = r#"{"format": 7, "strange": []}"#;
        assert_eq!(read(newer), Err(ReadError::Newer { line: 1, format: 7 }));
        let message = read(&format!("\n{newer}")).unwrap_err().to_string();
        assert!(
            message
                .starts_with(&format!("line 2: the report has format 7, this orthant reads up to {FORMAT}")),
            "{message}"
        );
        assert_eq!(
            read("{\n\"format\": 9,\n\"functions\": []}"),
            Err(ReadError::Newer { line: 1, format: 9 })
        );
        let message = read("{\"format\": 1}").unwrap_err().to_string();
        assert!(message.contains("missing field `module`"), "{message}");
        let message = read("int main() {}").unwrap_err().to_string();
        assert!(
            message.starts_with("line 1: not a line of an Orthant report (expected value, column 1)"),
            "{message}"
        );
    }

    #[test]
    fn control_characters_of_the_text_are_not_repeated() {
        let functions = [report("m.c", "f", &[("m.c", 3)])];
        let line = serde_json::to_string(&functions[0]).unwrap().replace("candidate", "cand\\r\\u001bidate");
        let message = read(&line).unwrap_err().to_string();
        assert!(message.contains("cand\u{fffd}\u{fffd}idate"), "{message:?}");
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            rng_seed: RngSeed::Fixed(3),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn generated_reports_round_trip(functions in proptest::collection::vec(function(), 0..5)) {
            prop_assert_eq!(read(&json(&functions)), Ok(functions.clone()));
            let lines: String = functions.iter().map(|f| serde_json::to_string(f).unwrap() + "\n").collect();
            prop_assert_eq!(read(&lines), Ok(functions));
        }

        #[test]
        fn cut_and_mutated_reports_are_refused_or_read(f in function(), at in any::<prop::sample::Index>(), c in any::<char>()) {
            let line = serde_json::to_string(&f).unwrap();
            let chars: Vec<char> = line.chars().collect();
            let at = at.index(chars.len());
            let cut: String = chars[..at].iter().collect();
            prop_assert!(at == 0 || read(&cut).is_err());
            let mutated: String = chars[..at].iter().chain([&c]).chain(&chars[at + 1..]).collect();
            if let Err(error) = read(&mutated) {
                prop_assert_eq!(error.to_string().lines().count(), 1);
            }
        }
    }
}
