//! `cargo xtask setup` on systems that are not this one: the path holds only what the test puts there.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// A folder to be the whole path, with the given shell scripts in it.
fn system(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, body) in scripts {
        let file = dir.path().join(name);
        fs::write(&file, format!("#!/bin/sh\n{body}\n")).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    }
    dir
}

fn setup(path: &Path, arguments: &[&str]) -> (i32, String) {
    let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
    let Output { status, stdout, stderr } = xtask
        .arg("setup")
        .args(arguments)
        .env("PATH", path)
        .env("STATE", path.join("state"))
        // It would fetch the crates of a test, for which it needs more than this path.
        .env("CARGO", "/bin/true")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.code().expect("not killed"), said)
}

#[test]
fn without_apt_it_lists_what_is_missing_and_why() {
    let nothing = system(&[]);
    for arguments in [&[][..], &["--check"]] {
        let (code, said) = setup(nothing.path(), arguments);
        assert_eq!(code, 2, "{said}");
        for expected in ["clang-22", ">= 22.1", "libpolly-22-dev", "isl, the integer set library", "valgrind"]
        {
            assert!(said.contains(expected), "{expected} is not in:\n{said}");
        }
    }
}

#[test]
fn the_programs_themselves_satisfy_it_on_a_system_without_packages() {
    let new_clang = system(&[("clang-22", "echo clang version 22.1.8")]);
    let (code, said) = setup(new_clang.path(), &["--check"]);
    assert_eq!(code, 2);
    assert!(!said.contains("clang-22 "), "clang-22 is there:\n{said}");
    let old_clang = system(&[("clang-22", "echo clang version 22.0.1")]);
    assert!(setup(old_clang.path(), &["--check"]).1.contains("clang-22 "));
}

const EVERYTHING: &str = r#"shift 2; for p in "$@"; do echo "$p installed 1:999.9-1"; done"#;

#[test]
fn when_everything_is_there_nothing_but_dpkg_query_runs() {
    let full = system(&[
        ("dpkg-query", EVERYTHING),
        ("apt-get", "echo CALLED; exit 1"),
        ("sudo", "echo CALLED; exit 1"),
    ]);
    for arguments in [&[][..], &["--check"]] {
        let (code, said) = setup(full.path(), arguments);
        assert_eq!(code, 0, "{said}");
        assert!(said.contains("everything is there") && !said.contains("CALLED"), "{said}");
    }
}

/// A Debian whose apt "installs" by creating the file that its dpkg-query looks for.
fn debian(candidate: &str) -> tempfile::TempDir {
    let dpkg = format!(r#"if [ -e "$STATE" ]; then {EVERYTHING}; fi"#);
    let apt = r#"case $1 in install) : > "$STATE";; esac; echo "apt-get $*""#;
    let sudo = r#"case $1 in -n) shift;; esac; case $1 in true) exit 0;; env) shift 2;; esac; exec "$@""#;
    let env = r#"shift; exec "$@""#; // `env VAR=x apt-get ...`, with nothing but this folder on the path
    let cache = format!("echo '  Candidate: {candidate}'");
    system(&[("dpkg-query", &dpkg), ("apt-get", apt), ("apt-cache", &cache), ("sudo", sudo), ("env", env)])
}

#[test]
fn missing_packages_are_named_and_installed_once() {
    let debian = debian("1:999.9-1");
    let (code, said) = setup(debian.path(), &[]);
    assert_eq!(code, 0, "{said}");
    let update = said.find("apt-get update").expect("updates first");
    let install = said.find("apt-get install -y --no-install-recommends").expect("installs");
    assert!(said.find("compiles the C++ shim").unwrap() < update && update < install, "{said}");
    let (code, said) = setup(debian.path(), &[]);
    assert!(code == 0 && !said.contains("apt-get"), "the second time there is nothing to do:\n{said}");
}

#[test]
fn a_missing_suite_is_explained() {
    let (code, said) = setup(debian("(none)").path(), &[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("bookworm-security") && !said.contains("apt-get install -y"), "{said}");
}
