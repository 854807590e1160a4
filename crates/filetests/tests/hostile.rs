//! Hostile input: damaged modules, wrong flags, outputs that cannot be written, a missing compiler.
//!
//! What must hold for every run of the command: it ends by itself with an exit status (never by a signal, never
//! with the words of a Rust panic); if the status is not zero there is a message, and no output file and nothing
//! else is left behind. Where LLVM itself dies of an input, it does so without the plugin too.
//!
//! A run with damaged input costs a process of LLVM's, so `cargo test` does a fixed, small number of them from fixed
//! seeds. `HOSTILE_SECONDS=600 cargo test -p filetests --test hostile` goes on from there for so long; a failure
//! keeps the input and prints its name.

use filetests::Toolchain;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A module with most of what a mutation could hit: loops, phis, calls, globals, metadata, debug locations.
const MODULE: &str = include_str!("hostile/module.ll");

/// Damaged inputs per notation in an ordinary test run.
const MUTATIONS: u64 = 60;

/// No run takes longer, however damaged the input.
const LIMIT: Duration = Duration::from_secs(120);

struct Ran {
    exit: i32,
    message: String,
}

fn toolchain() -> Toolchain {
    Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"))
}

fn orthant() -> Command {
    toolchain().tool("orthant").unwrap_or_else(|message| panic!("{message}"))
}

/// Runs the command in `folder` and checks what must hold for every run.
#[track_caller]
fn run(mut command: Command, folder: &Path) -> Ran {
    let before = listing(folder);
    let log = tempfile::NamedTempFile::new().unwrap();
    let stderr = log.reopen().unwrap();
    let shown = format!("{command:?}");
    command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{shown} does not end");
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let message = String::from_utf8_lossy(&std::fs::read(log.path()).unwrap()).into_owned();
    let exit = status.code().unwrap_or_else(|| panic!("{shown} died: {status}\n{message}"));
    assert!(!message.contains("panicked at"), "{shown} panicked:\n{message}");
    if exit != 0 {
        assert!(!message.trim().is_empty(), "{shown} failed without a message");
        assert_eq!(listing(folder), before, "{shown} failed and left something behind:\n{message}");
    }
    Ran { exit, message }
}

/// The names of everything in a folder, sorted.
fn listing(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Both commands that read modules, on this input.
#[track_caller]
fn read_by_both(content: &[u8], suffix: &str) -> [i32; 2] {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join(format!("input.{suffix}"));
    std::fs::write(&input, content).unwrap();
    let mut opt = orthant();
    opt.arg("opt").arg(&input).arg("-o").arg(folder.path().join("output.bc"));
    let mut explain = orthant();
    explain.arg("explain").arg(&input);
    let ran = [run(opt, folder.path()), run(explain, folder.path())];
    for message in ran.iter().map(|ran| &ran.message).filter(|message| message.contains("LLVM itself failed"))
    {
        assert!(llvm_fails_alone(&input), "LLVM failed, but not without the plugin:\n{message}");
    }
    ran.map(|ran| ran.exit)
}

/// Whether LLVM dies of this input also without the plugin.
fn llvm_fails_alone(input: &Path) -> bool {
    let opt = toolchain().llvm("opt").unwrap_or_else(|message| panic!("{message}"));
    let output =
        Command::new(opt).args(["-passes=default<O3>", "-disable-output"]).arg(input).output().unwrap();
    output.status.code().is_none() || String::from_utf8_lossy(&output.stderr).contains("Stack dump:")
}

/// Makes bitcode of a module.
fn assembled(module: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let text = folder.path().join("module.ll");
    std::fs::write(&text, module).unwrap();
    let bitcode = folder.path().join("module.bc");
    let llvm_as = toolchain().llvm("llvm-as").unwrap_or_else(|message| panic!("{message}"));
    let status = Command::new(llvm_as).arg(&text).arg("-o").arg(&bitcode).status().unwrap();
    assert!(status.success(), "the undamaged module must be valid");
    std::fs::read(bitcode).unwrap()
}

/// One of the ways in which files break.
fn damaged(random: &mut fastrand::Rng, original: &[u8]) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..random.usize(1..=4) {
        let at = random.usize(..bytes.len());
        let end = (at + random.usize(1..64)).min(bytes.len());
        match random.u8(..7) {
            0 => bytes[at] ^= 1 << random.u8(..8),
            1 => bytes[at] = random.u8(..),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let piece = bytes[at..end].to_vec();
                let to = random.usize(..bytes.len());
                bytes.splice(to..to, piece);
            }
            4 => bytes[at..end].fill(random.choice([0, b'0', b'9', b'-', b'%', 0xff]).unwrap()),
            5 => {
                let from = random.usize(..bytes.len());
                let piece: Vec<u8> = bytes[from..].iter().take(end - at).copied().collect();
                bytes.splice(at..end, piece);
            }
            _ => {
                let noise: Vec<u8> = (at..end).map(|_| random.u8(..)).collect();
                bytes.splice(at..end, noise);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

/// Damages a module with the fixed seeds, and then with more for as long as `HOSTILE_SECONDS` says.
fn survives_damage(original: &[u8], suffix: &str) {
    let seconds = std::env::var("HOSTILE_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(0);
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut refused = 0;
    for seed in 0.. {
        if seed >= MUTATIONS && Instant::now() >= end {
            break;
        }
        let input = damaged(&mut fastrand::Rng::with_seed(seed), original);
        refused += usize::from(survives(&input, suffix) != [0, 0]);
    }
    assert!(refused > 5, "the damage is too small to test anything: {refused} inputs refused");
}

/// Like [`read_by_both`], but the input is kept if something does not hold.
fn survives(content: &[u8], suffix: &str) -> [i32; 2] {
    let result = std::panic::catch_unwind(|| read_by_both(content, suffix));
    result.unwrap_or_else(|panic| {
        let kept =
            tempfile::Builder::new().prefix("hostile-").suffix(&format!(".{suffix}")).tempfile().unwrap();
        std::fs::write(kept.path(), content).unwrap();
        let (_, path) = kept.keep().unwrap();
        eprintln!("the input is kept as {}", path.display());
        std::panic::resume_unwind(panic)
    })
}

#[test]
fn the_undamaged_module_is_accepted() {
    assert_eq!(read_by_both(MODULE.as_bytes(), "ll"), [0, 0]);
    assert_eq!(read_by_both(&assembled(MODULE), "bc"), [0, 0]);
}

#[test]
fn mutated_text_is_survived() {
    survives_damage(MODULE.as_bytes(), "ll");
}

#[test]
fn mutated_bitcode_is_survived() {
    survives_damage(&assembled(MODULE), "bc");
}

#[test]
fn truncated_modules_are_refused() {
    // Every cut inside the function's body; cuts elsewhere may leave a valid module.
    let body = MODULE.find("entry:").unwrap()..MODULE.find("ret void").unwrap();
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..5 {
        let at = random.usize(body.clone());
        let exits = survives(&MODULE.as_bytes()[..at], "ll");
        assert!(exits.iter().all(|&exit| exit != 0), "cut at {at}: {exits:?}");
    }
    let bitcode = assembled(MODULE);
    for at in [1, 3, 4, 20, bitcode.len() / 4, bitcode.len() / 2, bitcode.len() - 4] {
        let exits = survives(&bitcode[..at], "bc");
        assert!(exits.iter().all(|&exit| exit != 0), "cut at {at}: {exits:?}");
    }
}

#[test]
fn random_bytes_are_refused() {
    let mut random = fastrand::Rng::with_seed(2);
    for length in [1, 10, 1000, 100_000] {
        let bytes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
        for suffix in ["ll", "bc"] {
            let exits = survives(&bytes, suffix);
            assert!(exits.iter().all(|&exit| exit != 0), "{length} bytes as .{suffix}: {exits:?}");
        }
    }
    // A magic number and then noise.
    let mut bytes = b"BC\xc0\xde".to_vec();
    bytes.extend((0..1000).map(|_| random.u8(..)));
    assert!(survives(&bytes, "bc").iter().all(|&exit| exit != 0));
}

/// An undamaged module in a folder of its own.
fn module() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("module.ll");
    std::fs::write(&input, MODULE).unwrap();
    (folder, input)
}

#[test]
fn wrong_flags_are_refused() {
    let (folder, input) = module();
    let input = input.to_str().unwrap();
    for args in [
        &["no-such-command"][..],
        &["--no-such-flag"],
        &["opt"],
        &["opt", "--no-such-flag", input],
        &["opt", input, "-o"],
        &["opt", input, "--emit", "no-such-kind"],
        &["opt", "-O9", input],
        &["opt", "no-such-file.ll", "-o", "x.bc"],
        &["opt", ".", "-o", "x.bc"],
        &["opt", input, "--budget=many", "-o", "x.bc"],
        &["opt", input, "--only=(", "-o", "x.bc"],
        &["explain"],
        &["explain", "no-such-file.c"],
        &["explain", input, "--position=sideways"],
        &["cc", "-orthant-budget=many", "-c", input, "-o", "x.o"],
        &["cc", "-orthant-no-such-option", "-c", input, "-o", "x.o"],
        &["cc", "-c", "no-such-file.c", "-o", "x.o"],
    ] {
        let mut command = orthant();
        command.args(args);
        let ran = run(command, folder.path());
        assert_ne!(ran.exit, 0, "{args:?} was accepted:\n{}", ran.message);
    }
}

#[test]
fn wrong_options_in_the_environment_are_refused() {
    let (folder, input) = module();
    for (variable, value) in [
        ("ORTHANT_OPTS", &b"budget=many"[..]),
        ("ORTHANT_OPTS", b"no-such-option"),
        ("ORTHANT_OPTS", b"only='"),
        ("ORTHANT_OPTS", b"only=\xff"),
        ("ORTHANT_CONFIG", b"no-such-file"),
        ("ORTHANT_CONFIG", b"no-such-\xff"),
        ("ORTHANT_CONFIG", b"module.ll"),
        ("ORTHANT_CONFIG", b"."),
    ] {
        let value = OsStr::from_bytes(value);
        for subcommand in [&["opt", "-o", "x.bc"][..], &["explain"], &["cc", "-O2", "-c", "-o", "x.o"]] {
            let mut command = orthant();
            command.args(subcommand).arg(&input).env(variable, value);
            let ran = run(command, folder.path());
            assert_ne!(ran.exit, 0, "{variable}={value:?} {subcommand:?} was accepted:\n{}", ran.message);
        }
    }
}

#[test]
fn outputs_that_cannot_be_written_are_said() {
    let (folder, input) = module();
    std::fs::create_dir(folder.path().join("folder")).unwrap();
    for output in ["no-such-folder/x.bc", "folder", "module.ll/x.bc", "/dev/full"] {
        let mut command = orthant();
        command.arg("opt").arg(&input).args(["-o", output]);
        let ran = run(command, folder.path());
        assert_ne!(ran.exit, 0, "-o {output} was accepted:\n{}", ran.message);
        assert!(Path::new("/dev/full").exists(), "a device was removed");
    }
    let mut command = orthant();
    command.arg("opt").arg(&input).args(["-o", "x.bc", "--report=no-such-folder/report.jsonl"]);
    let ran = run(command, folder.path());
    assert!(ran.message.contains("no-such-folder"), "an unwritable report is said:\n{}", ran.message);
}

#[test]
fn an_existing_output_survives_a_failure() {
    let (folder, input) = module();
    std::fs::write(&input, &MODULE[..MODULE.len() / 2]).unwrap();
    let output = folder.path().join("output.bc");
    std::fs::write(&output, "precious").unwrap();
    let mut command = orthant();
    command.arg("opt").arg(&input).arg("-o").arg(&output);
    assert_ne!(run(command, folder.path()).exit, 0);
    assert_eq!(std::fs::read(&output).unwrap(), b"precious");
}

#[test]
fn a_missing_compiler_is_said() {
    let (folder, input) = module();
    let empty = tempfile::tempdir().unwrap();
    for subcommand in [&["opt", "-o", "x.bc"][..], &["explain"], &["cc", "-c"], &["c++", "-c"], &["fc", "-c"]]
    {
        let mut command = orthant();
        command.args(subcommand).arg(&input).env("PATH", empty.path());
        let ran = run(command, folder.path());
        assert_ne!(ran.exit, 0, "{subcommand:?}");
        assert!(ran.message.contains("not installed"), "{subcommand:?}: {}", ran.message);
        assert!(ran.message.contains("help:"), "{subcommand:?} names no remedy: {}", ran.message);
    }
}

#[test]
fn a_compiler_that_cannot_run_is_said() {
    let (folder, input) = module();
    for tool in ["/no/such/tool", "/dev/null", "/bin/false"] {
        let mut opt = orthant();
        opt.arg("opt").arg(&input).args(["-o", "x.bc"]).env("ORTHANT_OPT", tool);
        assert_ne!(run(opt, folder.path()).exit, 0, "ORTHANT_OPT={tool}");
        if tool == "/bin/false" {
            continue; // `cc` becomes the compiler: the silence of /bin/false is its own
        }
        let mut cc = orthant();
        cc.args(["cc", "-c"]).arg(&input).env("ORTHANT_CLANG", tool);
        assert_ne!(run(cc, folder.path()).exit, 0, "ORTHANT_CLANG={tool}");
    }
}
