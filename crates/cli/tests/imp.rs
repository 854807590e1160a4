//! `orthant dataflow` and `orthant fmt`: views, outputs, exit codes. Neither needs LLVM nor the plugin.

mod common;

use common::{fails, orthant, stderr, stdout, succeeds};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const FILLING: &str =
    "param n;\nc[0] := 0;\ni := 1;\nwhile i <= n do\n  c[i] := c[i - 1] + 1;\n  i := i + 1\ndone\n";
const FLATTENED: &str = "param n >= 0, m >= 0;\ni := 0; j := 0;\nwhile i < n do\n  s: a[i, j] := a[i, j - 1] + 1;\n  \
                         if j < m then j := j + 1 else j := 0; i := i + 1 fi\ndone\n";
const SYRACUSE: &str = "i := 5;\nwhile i <> 1 do\n  if i mod 2 == 0 then\n    i := i / 2\n  else\n    i := 3 * i + 1\n  fi\ndone\n";

struct Program {
    folder: tempfile::TempDir,
}

impl Program {
    fn new(text: impl AsRef<[u8]>) -> Program {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("p.imp"), text).unwrap();
        Program { folder }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("p.imp")
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.path()).unwrap()
    }

    /// `orthant COMMAND p.imp ...` where no LLVM can be found.
    fn command(&self, name: &str, arguments: &[&str]) -> Command {
        let mut command = orthant();
        command.arg(name).arg("p.imp").args(arguments).current_dir(self.folder.path());
        command.env("PATH", self.folder.path()).env("ORTHANT_PLUGIN", "/none");
        command
    }

    #[track_caller]
    fn dataflow(&self, arguments: &[&str]) -> String {
        stdout(&succeeds(&mut self.command("dataflow", arguments)))
    }
}

fn with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = orthant()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn the_table_is_what_is_printed_by_default() {
    let program = Program::new(FILLING);
    let table = program.dataflow(&[]);
    let rows: Vec<&str> = table.lines().collect();
    assert_eq!(rows[0], "read          from  when");
    assert_eq!(rows[1], "s3: c[i - 1]  s1    [n] -> { s3[i = 1] -> s1[] : n > 0 }");
    assert_eq!(rows[2], "s3: c[i - 1]  s3    [n] -> { s3[i] -> s3[i' = -1 + i] : 2 <= i <= n }");
    assert_eq!(
        rows[3..],
        ["scalars that only count are left out; --all shows them", "all relations are exact"]
    );
    assert!(program.dataflow(&["--all"]).contains("s4: i"));
    assert!(program.dataflow(&["--notation=counters"]).contains("s3[k0 = 2, k1 = 0] -> s1[k0' = 0]"));
    assert!(program.dataflow(&["--notation=both"]).lines().count() > rows.len());
    assert!(program.dataflow(&["--overwrites", "--all"]).contains("s4: i (overwritten)"));
    assert!(program.dataflow(&["--relations", "--only=c"]).contains("      K       [n]"));
    assert_eq!(stdout(&with_input(&["dataflow", "-"], FILLING)), table);
}

#[test]
fn over_approximations_say_why_and_are_no_failure() {
    let program = Program::new(SYRACUSE);
    let table = program.dataflow(&["--check", "i=0"]);
    assert!(
        table.contains("[1] over-approximated: no closed form was found for the loop's rounds (line 2)"),
        "{table}"
    );
    assert!(table.contains("check i=0: agrees (17 operations"), "{table}");
    assert!(program.dataflow(&["--schedule"]).starts_with("no schedule: the program has no exact model"));
}

#[test]
fn structure_is_put_back_and_scheduled() {
    let program = Program::new(FLATTENED);
    assert!(program.dataflow(&[]).contains("--structure may put it back"));
    let text = program.dataflow(&["--structure", "--check=n=2,m=3"]);
    assert!(text.starts_with("rotated the loop"), "{text}");
    assert!(text.contains("  while j <= m do") && text.contains("all relations are exact"), "{text}");
    assert!(
        text.contains("the same as the original on ") && text.contains("check n=2,m=3: agrees"),
        "{text}"
    );
    let text = program.dataflow(&["--schedule", "--check=n=3,m=2"]);
    for part in [
        "# the model\nscop p.imp",
        "legal: every dependence is kept",
        "the same on 9 instances",
        "for (c0 = 0;",
    ] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
}

#[test]
fn json_has_everything() {
    let program = Program::new(FILLING);
    let text = program.dataflow(&["--json", "--check=n=3", "--check=n=0"]);
    let document: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["format"], 1);
    assert_eq!(document["file"], "p.imp");
    assert_eq!(document["exact"], true);
    assert_eq!(document["statements"][3]["name"], "s3");
    assert_eq!(document["checks"][0]["agrees"], true);
    assert_eq!(document["checks"][1]["operations"], 3);
    let found = document["dependences"].as_array().unwrap();
    let of_c = found.iter().find(|d| d["sink"] == "s3" && d["source"] == "s1").unwrap();
    assert_eq!(of_c["direct"]["variables"], "[n] -> { s3[i = 1] -> s1[] : n > 0 }");
    let document: serde_json::Value =
        serde_json::from_str(&Program::new(FLATTENED).dataflow(&["--json", "--structure"])).unwrap();
    assert!(document["structure"]["program"].as_str().unwrap().contains("while j <= m do"));
}

#[test]
fn graphs() {
    let program = Program::new(FILLING);
    assert!(program.dataflow(&["--dot"]).contains("\"s1\" -> \"s3\" [label=\"c[i - 1]\", style=solid];"));
    let drawn = program.dataflow(&["--svg"]);
    assert!(drawn.starts_with("<svg xmlns=") && drawn.ends_with("</svg>\n"));
    assert_eq!(drawn.matches("<rect").count(), 5);
    let run = program.dataflow(&["--svg", "--instances=n=3"]);
    assert_eq!(run.matches("<rect").count(), 12, "3 + 3 * 3 operations");
    assert!(program.dataflow(&["--dot", "--instances=n=3"]).starts_with("digraph operations"));
    let file = program.folder.path().join("g.svg");
    assert_eq!(program.dataflow(&["--svg", "-o", "g.svg"]), "");
    assert_eq!(std::fs::read_to_string(file).unwrap(), drawn);
}

#[test]
fn explanations() {
    let program = Program::new("x := 0; x := 1; s: y := x + a[0]");
    let text = program.dataflow(&["--explain=s"]);
    assert!(
        text.contains("s1: writes it earlier, { s[] -> s1[] }, but never last: s2 always comes between"),
        "{text}"
    );
    assert!(text.contains("reads a[0]\n  before the program: the value is an input"), "{text}");
    assert!(!program.dataflow(&["--explain=s:x"]).contains("reads a[0]"));
}

#[test]
fn wrong_usage() {
    let program = Program::new(FILLING);
    let fails = |arguments: &[&str]| fails(&mut program.command("dataflow", arguments), 2);
    assert!(fails(&["--check=m=3"]).contains("no parameter and no scalar `m`"));
    assert!(fails(&["--check=n"]).contains("NAME=NUMBER"));
    assert!(fails(&["--check="]).contains("the parameter `n` has no value"));
    assert!(fails(&["--only=d"]).contains("no variable `d`; it has"));
    assert!(fails(&["--explain=s9"]).contains("no statement `s9`; it has s1"));
    assert!(fails(&["--explain=s3:d"]).contains("does not read `d`; it reads c, i"));
    assert!(fails(&["--instances=n=3"]).contains("add --svg or --dot"));
    assert!(fails(&["--svg", "--instances=n=1000"]).contains("more than 300 operations"));
    fails(&["--svg", "--dot"]);
    fails(&["--notation=greek"]);
}

#[test]
fn broken_programs_are_messages() {
    let said =
        fails(&mut Program::new("i := 1;\nwhile i <= n\n  i := i + 1\ndone\n").command("dataflow", &[]), 1);
    assert!(
        said.contains("expected `do`, found `i`\n --> p.imp:3:3\n") && said.contains("= help: write"),
        "{said}"
    );
    for bytes in [&b"\xff\xfe"[..], b"", b"x :=", &[b'('; 100_000]] {
        for command in ["dataflow", "fmt"] {
            let output = Program::new(bytes).command(command, &[]).output().unwrap();
            assert_eq!(
                output.status.code(),
                Some(i32::from(!bytes.is_empty())),
                "{command} {}",
                stderr(&output)
            );
            assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        }
    }
    let program = Program::new(vec![b' '; 5 << 20]);
    assert!(fails(&mut program.command("dataflow", &[]), 1).contains("larger than 4 MiB"));
    assert!(fails(orthant().args(["dataflow", "/no/such.imp"]), 1).contains("cannot read /no/such.imp"));
    fails(orthant().arg("dataflow").arg(Path::new("/")), 1);
    fails(orthant().arg("dataflow"), 2);
}

#[test]
fn programs_are_formatted_in_place_or_only_checked() {
    let program = Program::new("x:=1 # one\nwhile x<3 do x:=x+1 done");
    let said = stderr(&program.command("fmt", &["--check"]).output().unwrap());
    assert_eq!(said, "orthant: p.imp is not formatted\n");
    assert!(program.text().starts_with("x:=1"));
    succeeds(&mut program.command("fmt", &[]));
    let formatted = "x := 1;  # one\nwhile x < 3 do\n  x := x + 1\ndone\n";
    assert_eq!(program.text(), formatted);
    assert_eq!(stderr(&succeeds(&mut program.command("fmt", &["--check"]))), "");
    let output = with_input(&["fmt", "-"], "x:=1");
    assert_eq!(stdout(&output), "x := 1\n");
    // A broken one does not keep the others from being formatted.
    let (broken, other) = (Program::new("while"), Program::new("x:=1"));
    fails(orthant().arg("fmt").args([broken.path(), other.path()]), 1);
    assert_eq!((broken.text().as_str(), other.text().as_str()), ("while", "x := 1\n"));
}
