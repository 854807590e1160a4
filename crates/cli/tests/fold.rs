//! `orthant fold`: the documented format in, pieces out, and what is wrong in the user's terms.

mod common;

use common::{fails, orthant, stdout, succeeds};
use std::path::PathBuf;
use std::process::Command;

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        Files(tempfile::tempdir().unwrap())
    }

    fn stream(&self, text: &str) -> PathBuf {
        let path = self.0.path().join("stream.jsonl");
        std::fs::write(&path, text).unwrap();
        path
    }

    fn fold(&self, options: &[&str], text: &str) -> Command {
        let mut command = orthant();
        command.arg("fold").args(options).arg(self.stream(text));
        command
    }
}

/// The example of docs/fold.md: its input and what it says comes out.
#[test]
fn the_documented_example() {
    let page = include_str!("../../../docs/fold.md");
    let (_, example) = page.split_once("## Example").unwrap();
    let (input, output) = example.split_once("gives").unwrap();
    let block = |text: &str| -> String {
        text.lines().filter_map(|l| l.strip_prefix("    ")).map(|l| format!("{l}\n")).collect()
    };
    let printed = stdout(&succeeds(&mut Files::new().fold(&[], &block(input))));
    assert_eq!(printed, block(output));
}

#[test]
fn several_streams_in_every_form() {
    let text = r#"{"orthant-fold": 1, "stream": "S", "dims": ["i", "j"], "labels": ["a"]}
# rows of a triangle
{"from": [0, 0, 100], "step": [0, 1, 8], "count": 1}
{"stream": "T", "dims": 1}
[0]
[3]
[6]
[9]
{"stream": "S"}
{"from": [1, 0, 200], "step": [0, 1, 8], "count": 2}
{"from": [2, 0, 300], "step": [0, 1, 8], "count": 3}
"#;
    let files = Files::new();
    let isl = stdout(&succeeds(&mut files.fold(&["--isl"], text)));
    let lines: Vec<&str> = isl.lines().collect();
    assert_eq!(lines[0], "{ S[i, j] -> [100*i + 8*j + 100] : 0 <= i <= 2 and 0 <= j <= i }");
    assert_eq!(lines[1], "{ T[i0] : 0 <= i0 <= 9 and (i0) mod 3 = 0 }");
    let json: serde_json::Value =
        serde_json::from_str(&stdout(&succeeds(&mut files.fold(&["--json"], text)))).unwrap();
    assert_eq!(json["streams"][0]["exact"], true);
    assert_eq!(json["streams"][1]["pieces"].as_array().unwrap().len(), 1);
    // Without strides the paper's algorithm needs a piece per point of T.
    let paper = stdout(&succeeds(&mut files.fold(&["--paper", "--mode", "exact"], text)));
    assert!(paper.contains("T: 4 points, 4 pieces, exact"), "{paper}");
}

#[test]
fn what_is_over_approximated_is_marked() {
    let points: Vec<String> = (0..400i64).map(|i| format!("[{i}, {}]", i * i % 101)).collect();
    let text = format!(
        "{{\"orthant-fold\": 1, \"dims\": 1, \"labels\": 1, \"mode\": \"widen\"}}\n{}\n",
        points.join("\n")
    );
    let printed = stdout(&succeeds(&mut Files::new().fold(&[], &text)));
    assert!(printed.contains("over-approximated: label l0 along i0"), "{printed}");
}

#[test]
fn broken_streams_are_explained() {
    let files = Files::new();
    let header = "{\"orthant-fold\": 1, \"dims\": 1, \"labels\": 1}\n";
    let cases = [
        ("", "line 1: expected a header"),
        ("[1, 2]\n", "line 1: expected a header"),
        ("{\"orthant-fold\": 7, \"dims\": 1}\n", "format version 7"),
        (&format!("{header}[1]\n"), "line 2: expected 1 coordinates and 1 labels, found 1 numbers"),
        (&format!("{header}[1, 2]\n[0, 2]\n"), "line 3: "),
        (&format!("{header}[1, 99999999999999999999]\n"), "line 2: expected a point"),
        (&format!("{header}{{\"pionts\": [1, 2]}}\n"), "pionts"),
        (&format!("{header}\u{0}\n"), "line 2: "),
    ];
    for (text, expected) in cases {
        let said = fails(&mut files.fold(&[], text), 1);
        assert!(said.contains(expected) && said.contains("docs/fold.md"), "{text:?}: {said}");
    }
    assert!(fails(orthant().args(["fold", "/no/such/file"]), 1).contains("cannot read /no/such/file"));
    let both = files.fold(&["--json", "--isl"], header).output().unwrap();
    assert_eq!(both.status.code(), Some(2));
}
