//! Comparing what a test wrote with what it expects.

use similar::TextDiff;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Text without white space at line ends and without blank lines at its end.
pub fn trimmed(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let used = lines.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
    lines[..used].iter().flat_map(|line| [line, "\n"]).collect()
}

/// Compares trimmed texts; the error is a readable difference.
pub fn golden(expected: &str, actual: &str) -> Result<(), String> {
    if expected == actual {
        return Ok(());
    }
    let diff = TextDiff::from_lines(expected, actual);
    let diff = diff.unified_diff().context_radius(3).header("expected", "actual").to_string();
    Err(format!("the output is not the expected one (BLESS=1 accepts it):\n{diff}"))
}

/// Runs LLVM's FileCheck on `actual` with the `CHECK` lines of the file at `path`.
pub fn file_check(file_check: &Path, path: &Path, actual: &str) -> Result<(), String> {
    let mut child = Command::new(file_check)
        .arg("--dump-input=fail")
        .arg("--dump-input-context=20")
        .arg("--allow-empty") // a test may consist of CHECK-NOT lines
        .arg("--color=0")
        .arg(path)
        .env_remove("FILECHECK_OPTS")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("cannot run {}: {error}", file_check.display()))?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let output = std::thread::scope(|scope| {
        // FileCheck may end without reading everything; a broken pipe is then no error of the test's.
        scope.spawn(move || drop(stdin.write_all(actual.as_bytes())));
        child.wait_with_output()
    });
    let output = output.map_err(|error| format!("{}: {error}", file_check.display()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "FileCheck ({}) says:\n{}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim_end()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_white_space_does_not_count() {
        assert_eq!(trimmed("a  \n\n b\t\r\n \n\n"), "a\n\n b\n");
        assert_eq!(trimmed(" \n\n"), "");
        assert_eq!(trimmed(""), "");
        assert_eq!(trimmed("a"), "a\n");
    }

    #[test]
    fn a_difference_is_shown() {
        assert_eq!(golden("a\nb\n", "a\nb\n"), Ok(()));
        let error = golden("a\nb\nc\n", "a\nX\nc\n").unwrap_err();
        assert!(error.contains("-b\n+X\n"), "{error}");
    }
}
