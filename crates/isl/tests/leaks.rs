//! Runs `examples/leakcheck.rs` under valgrind: no leak, no invalid access.

use std::path::PathBuf;
use std::process::Command;

/// The example's binary, which Cargo builds along with the tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("the test has a path");
    let profile = test.parent().and_then(|deps| deps.parent()).expect("target/profile/deps/test");
    let binary = profile.join("examples").join(format!("leakcheck{}", std::env::consts::EXE_SUFFIX));
    assert!(
        binary.is_file(),
        "{} is missing: build it with `cargo build -p isl --example leakcheck` (a plain `cargo test -p isl` does)",
        binary.display()
    );
    binary
}

#[test]
fn valgrind_finds_no_leak_and_no_invalid_access() {
    let output = Command::new("valgrind")
        .args(["--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect"])
        .args(["--errors-for-leak-kinds=definite,indirect", "--error-exitcode=9"])
        .arg(example())
        .output()
        .unwrap_or_else(|e| panic!("valgrind cannot be run ({e}); install it with `cargo xtask setup`"));
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{report}", output.status);
    assert_eq!(report, "", "isl prints nothing");
}
