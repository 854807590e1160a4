//! The command apart from the drivers, with fakes: usage, versions, completions, man pages, `opt`'s outputs and
//! failures, recorded reports.

mod common;

use common::{Fakes, fails, orthant, stderr, stdout, succeeds};
use std::process::Stdio;

/// A report as the plugin writes it.
const REPORT: &str = concat!(
    r#"{"format":1,"module":"b.c","symbol":"g","function":"g","nests":[{"loc":{"file":"b.c","line":2,"column":3},"#,
    r#""depth":2,"loops":2,"outcome":{"outcome":"candidate"}}]}"#,
    "\n",
    r#"{"format":1,"module":"a.c","symbol":"f","function":"f","nests":[{"loc":{"file":"a.c","line":1,"column":0},"#,
    r#""depth":1,"loops":1,"outcome":{"outcome":"rejected","refusals":[{"id":"no-exit","loc":null}]}}]}"#,
    "\n"
);

#[test]
fn usage() {
    let output = orthant().output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("Usage: orthant <COMMAND>"));
    assert!(stdout(&succeeds(orthant().arg("--help"))).contains("explain"));
    assert!(fails(orthant().arg("explian"), 2).contains("explain"));
    assert!(fails(orthant().args(["opt", "--positon=late", "a.ll"]), 2).contains("--position"));
    fails(orthant().args(["opt"]), 2);
    fails(orthant().args(["opt", "a.ll", "--emit=exe"]), 2);
    assert!(fails(orthant().arg("explain"), 2).contains("nothing to explain"));
    assert!(fails(orthant().args(["explain", "a.xyz"]), 2).contains("suffix"));
}

#[test]
fn versions() {
    let own = format!("orthant {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(stdout(&succeeds(orthant().arg("-V"))), own);
    let fakes = Fakes::new(
        "echo 'Debian LLVM version 22'; echo 'Orthant 9'; echo '  LLVM 22.1 (built for)'; echo '  isl 0.25'",
    );
    for argument in ["version", "--version"] {
        let said = stdout(&succeeds(fakes.orthant().arg(argument)));
        assert_eq!(said, format!("{own}  LLVM 22.1 (built for)\n  isl 0.25\n"));
    }
    let empty = tempfile::tempdir().unwrap();
    let said =
        stdout(&succeeds(fakes.orthant().arg("version").env_remove("ORTHANT_OPT").env("PATH", empty.path())));
    assert_eq!(said, format!("{own}  LLVM and isl: unavailable (opt-22 is not installed)\n"));
}

#[test]
fn completions_and_man_pages_come_from_the_table() {
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&succeeds(orthant().args(["completions", shell])));
        assert!(script.contains("print-after") && !script.contains("panic-in"), "{shell}");
    }
    assert!(stdout(&succeeds(orthant().arg("man"))).contains(".TH orthant 1"));
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    succeeds(orthant().args(["man", "--out"]).arg(&pages));
    succeeds(orthant().arg("man").arg(&pages));
    for page in ["orthant.1", "orthant-cc.1", "orthant-opt.1", "orthant-explain.1"] {
        let text = std::fs::read_to_string(pages.join(page)).expect(page);
        assert!(
            text.starts_with(".ie") || text.contains(&format!(".TH {}", page.trim_end_matches(".1"))),
            "{text}"
        );
    }
    fails(orthant().args(["man", "/dev/null/x"]), 1);
}

#[test]
fn a_closed_standard_output_is_no_error() {
    let file = tempfile::Builder::new().suffix(".jsonl").tempfile().unwrap();
    std::fs::write(file.path(), REPORT.repeat(2000).replace("\"g\"", "\"gg\"")).unwrap();
    for arguments in [&["--help"][..], &["completions", "bash"], &["man"], &["explain", "--json"]] {
        let mut command = orthant();
        command.args(arguments);
        if arguments[0] == "explain" {
            command.arg(file.path());
        }
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), stderr(&output).as_str()), (Some(0), ""), "{arguments:?}");
    }
}

#[test]
fn opt_writes_what_the_tools_wrote() {
    let fakes = Fakes::new("echo \"$(basename \"$0\") $*\"");
    let input = fakes.path("a.ll");
    std::fs::write(&input, "").unwrap();
    let run = |arguments: &[&str]| {
        let said = stdout(&succeeds(fakes.orthant().arg("opt").arg(&input).args(arguments)));
        said.replace(&fakes.plugin(), "PLUGIN").replace(input.to_str().unwrap(), "INPUT")
    };
    assert_eq!(run(&[]), "opt -load-pass-plugin=PLUGIN -passes=orthant -S INPUT -o -\n");
    assert_eq!(run(&["-O3", "--emit=bc"]), "opt -load-pass-plugin=PLUGIN -passes=default<O3> INPUT -o -\n");
    assert_eq!(run(&["--passes=mem2reg"]), "opt -load-pass-plugin=PLUGIN -passes=mem2reg -S INPUT -o -\n");
    assert_eq!(run(&["--emit=obj", "-O0"]), "llc -filetype=obj -relocation-model=pic -O0 - -o -\n");
    assert_eq!(run(&["--emit=asm", "-Os"]), "llc -filetype=asm -relocation-model=pic -O2 - -o -\n");
    run(&["--only=a b", "--time"]);
    assert_eq!(fakes.options(), "only='a b' time=true");

    let output = fakes.path("out.s");
    run(&["-o", output.to_str().unwrap()]);
    assert!(std::fs::read_to_string(&output).unwrap().starts_with("llc -filetype=asm"));
    fails(fakes.orthant().args(["opt", "/no/such.ll"]), 1);
    fails(fakes.orthant().args(["opt", "-O3", "--passes=x", "a.ll"]), 2);
}

#[test]
fn opt_leaves_nothing_behind_when_a_tool_fails() {
    for script in [
        "echo part; echo 'x: error: broken' >&2; exit 1",
        "echo part; kill -SEGV $$",
        "echo part; echo 'PLEASE submit a bug report' >&2; echo 'Stack dump:' >&2; echo ' #0 0x123 f' >&2; exit 1",
        "exit 1",
    ] {
        let fakes = Fakes::new(script);
        std::fs::write(fakes.path("a.ll"), "").unwrap();
        let folder = fakes.path("out");
        std::fs::create_dir(&folder).unwrap();
        let output = folder.join("a.bc");
        std::fs::write(&output, "old").unwrap();
        let said = fails(fakes.orthant().arg("opt").arg(fakes.path("a.ll")).arg("-o").arg(&output), 1);
        assert!(!said.contains("0x123"), "{said}");
        assert_eq!(
            said.contains("LLVM itself failed"),
            script.contains("SEGV") || script.contains("dump"),
            "{said}"
        );
        assert_eq!(std::fs::read(&output).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
        let said = fails(fakes.orthant().args(["opt", "--verbose"]).arg(fakes.path("a.ll")), 1);
        assert!(said.contains("running ") && said.contains("0x123") == script.contains("0x123"), "{said}");
    }
}

#[test]
fn opt_killed_leaves_nothing_behind() {
    let fakes = Fakes::new("echo part; touch \"$RECORD.started\"; sleep 3");
    std::fs::write(fakes.path("a.ll"), "").unwrap();
    let folder = fakes.path("out");
    std::fs::create_dir(&folder).unwrap();
    let mut command = fakes.orthant();
    command.arg("opt").arg(fakes.path("a.ll")).arg("-o").arg(folder.join("a.bc")).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    while !fakes.path("record.started").exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn recorded_reports_are_explained_without_llvm() {
    let folder = tempfile::tempdir().unwrap();
    let empty = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.jsonl");
    std::fs::write(&file, REPORT).unwrap();
    let explain = || {
        let mut command = orthant();
        command.arg("explain").arg(&file).env("PATH", empty.path()).env("ORTHANT_PLUGIN", "/none");
        command
    };
    let text = stdout(&succeeds(&mut explain()));
    // The wording belongs to the reason, the page to the command.
    let reason = model::Reason::NoExit;
    let expected = format!(
        "f (a.c)\n  a.c:1: 1 loop: rejected\n    {reason} [no-exit]\n      remedy: {}\ng (b.c)\n  b.c:2:3: 2 loops, \
         2 deep: candidate\n\n2 functions, 2 loop nests: 1 candidate, 1 rejected (no-exit 1)\n",
        reason.remedy()
    );
    assert_eq!(text, expected);
    assert!(stdout(&succeeds(explain().arg("--color=always"))).contains("\u{1b}[32mcandidate"));

    let json = stdout(&succeeds(explain().arg("--json")));
    let document = folder.path().join("document.json");
    std::fs::write(&document, &json).unwrap();
    assert_eq!(stdout(&succeeds(orthant().args(["explain", "--json"]).arg(&document))), json);

    let sarif = folder.path().join("r.sarif");
    assert_eq!(stdout(&succeeds(explain().arg("--sarif").arg(&sarif))), text);
    assert!(std::fs::read_to_string(&sarif).unwrap().contains("\"ruleId\": \"no-exit\""));
    fails(explain().args(["--sarif", "/no/such/folder/x"]), 1);
}

#[test]
fn broken_reports_are_refused_and_the_others_explained() {
    let folder = tempfile::tempdir().unwrap();
    let (good, newer, bad) =
        (folder.path().join("g.jsonl"), folder.path().join("n.jsonl"), folder.path().join("b.json"));
    std::fs::write(&good, REPORT).unwrap();
    std::fs::write(&newer, "{\"format\": 99}\n").unwrap();
    std::fs::write(&bad, b"\xff\x00").unwrap();
    let mut command = orthant();
    let said = fails(command.arg("explain").args([&newer, &good, &bad]), 1);
    assert!(
        said.contains("n.jsonl: line 1: the report has format 99") && said.contains("not UTF-8"),
        "{said}"
    );
    assert!(stdout(&command.output().unwrap()).contains("2 functions"));
}

#[test]
fn cargo_orthant_explains_itself_without_cargo() {
    let mut command = common::clean(env!("CARGO_BIN_EXE_cargo-orthant"));
    assert!(stdout(&succeeds(command.args(["orthant", "--help"]))).contains("cargo orthant build --release"));
    let mut command = common::clean(env!("CARGO_BIN_EXE_cargo-orthant"));
    fails(command.args(["orthant", "-orthant-budget=x", "build"]), 2);
}
