//! Reading a test file: its directives, its input text, and what it expects.
//!
//! The *header* is the run of comment lines that starts at line 1. Directives (`test:`, `exit:`) stand there;
//! a header line that starts with a lower-case word and a colon must be one, so a misspelt directive is found.
//! The *golden section* runs from the line `output:` to the end of the file. The *input text* is everything
//! before it, directives included, so that line numbers in messages are the file's.

use std::path::Path;

/// One test, as the file states it.
#[derive(Debug, PartialEq, Eq)]
pub struct TestFile {
    /// What starts a comment in this file.
    pub comment: &'static str,
    /// The command lines, in order; at least one.
    pub commands: Vec<String>,
    /// The exit status that the last command must have.
    pub exit: i32,
    /// The file up to the golden section.
    pub text: String,
    /// How the output is checked.
    pub check: Check,
}

/// How the output is checked.
#[derive(Debug, PartialEq, Eq)]
pub enum Check {
    /// `CHECK` lines in the file.
    FileCheck,
    /// This text, trimmed as [`crate::check::trimmed`] does.
    Golden(String),
}

/// Which comment openers a file of this extension may use; empty if the extension is not a test's.
pub fn comment_openers(path: &Path) -> &'static [&'static str] {
    match path.extension().and_then(|e| e.to_str()) {
        Some("ll") => &[";"],
        Some("c" | "cpp" | "rs") => &["//"],
        Some("f90") => &["!"],
        Some("imp" | "scop") => &["#", "//", ";"],
        _ => &[],
    }
}

impl TestFile {
    /// Reads a test from the content of the file at `path`, or says what is wrong with it.
    pub fn parse(path: &Path, content: &str) -> Result<TestFile, String> {
        let openers = comment_openers(path);
        if openers.is_empty() {
            return Err("no comment syntax is known for files of this extension; \
                        tests are .ll .c .cpp .f90 .rs .imp .scop, other files belong in a folder `inputs`"
                .into());
        }
        let first = content.lines().next().unwrap_or("");
        let comment = openers.iter().find(|o| first.starts_with(**o)).copied();
        let comment =
            comment.filter(|c| directive(comment_text(first, c).unwrap_or("")) == Some(("test", false)));
        let Some(comment) = comment else {
            return Err(format!(
                "the first line must name the command, as `{} test: COMMAND`, but is `{first}`",
                openers[0]
            ));
        };
        let (text, golden) = split_golden(content, comment)?;
        let (commands, exit) = header(&text, comment)?;
        let checks = check_lines(&text, comment)?;
        let check = match (golden, checks) {
            (Some(_), n) if n > 0 => {
                return Err("has both CHECK lines and a golden section: choose one".into());
            }
            (Some(golden), _) => Check::Golden(golden),
            (None, 0) => {
                return Err(format!(
                    "checks nothing: add CHECK lines, or end it with the line `{comment} output:` and run with BLESS=1"
                ));
            }
            (None, _) => Check::FileCheck,
        };
        Ok(TestFile { comment, commands, exit, text, check })
    }

    /// The whole file with its golden section replaced by `output`.
    pub fn with_golden(&self, output: &str) -> String {
        let mut content = self.text.clone();
        content.push_str(&format!("{} output:\n", self.comment));
        for line in output.lines() {
            content.push_str(format!("{} {line}", self.comment).trim_end());
            content.push('\n');
        }
        content
    }
}

/// The text of a comment line without its opener and one space; `None` if the line is no comment.
fn comment_text<'a>(line: &'a str, comment: &str) -> Option<&'a str> {
    let text = line.strip_prefix(comment)?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

/// The lower-case word before the colon at the start of a comment, and whether nothing follows it.
fn directive(text: &str) -> Option<(&str, bool)> {
    let (word, rest) = text.split_once(':')?;
    let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    (is_word && (rest.is_empty() || rest.starts_with(' '))).then_some((word, rest.trim().is_empty()))
}

/// Splits the file at the line `output:`. The second part is the expected text.
fn split_golden(content: &str, comment: &str) -> Result<(String, Option<String>), String> {
    let (mut text, mut golden) = (String::new(), None::<String>);
    for (index, line) in content.lines().enumerate() {
        let comment_line = comment_text(line, comment);
        match &mut golden {
            None if comment_line.is_some_and(|text| directive(text) == Some(("output", true))) => {
                golden = Some(String::new());
            }
            None => {
                text.push_str(line);
                text.push('\n');
            }
            Some(golden) => {
                let Some(expected) = comment_line else {
                    return Err(format!(
                        "line {}: the golden section after `output:` runs to the end of the file, \
                         but this line is not a comment",
                        index + 1
                    ));
                };
                golden.push_str(expected);
                golden.push('\n');
            }
        }
    }
    Ok((text, golden.map(|text| crate::check::trimmed(&text))))
}

/// The commands and the exit status from the header.
fn header(text: &str, comment: &str) -> Result<(Vec<String>, i32), String> {
    let (mut commands, mut exit, mut others_seen) = (Vec::new(), None, false);
    for (index, line) in text.lines().enumerate() {
        let Some(body) = comment_text(line, comment) else { break };
        let at = index + 1;
        let value = body.split_once(':').map_or("", |(_, value)| value.trim());
        match directive(body) {
            Some(("test", _)) if others_seen => {
                return Err(format!("line {at}: `test:` lines stand together at the top of the file"));
            }
            Some(("test", true)) => return Err(format!("line {at}: `test:` names no command")),
            Some(("test", false)) => commands.push(value.to_string()),
            Some(("exit", _)) if exit.is_some() => return Err(format!("line {at}: a second `exit:`")),
            Some(("exit", _)) => match value.parse::<u8>() {
                Ok(status) => exit = Some(i32::from(status)),
                Err(_) => return Err(format!("line {at}: `exit: {value}` is not a number from 0 to 255")),
            },
            Some((word, _)) => {
                return Err(format!(
                    "line {at}: unknown directive `{word}:`; the header knows `test:`, `exit:` and `output:`"
                ));
            }
            None => {}
        }
        others_seen |= !matches!(directive(body), Some(("test", _)));
    }
    Ok((commands, exit.unwrap_or(0)))
}

/// Counts the lines FileCheck will act on, and refuses those that only look like one.
fn check_lines(text: &str, comment: &str) -> Result<usize, String> {
    let mut count = 0;
    for (index, line) in text.lines().enumerate() {
        let Some((_, body)) = line.split_once(comment) else {
            continue;
        };
        match check_directive(body.trim_start()) {
            CheckLine::Proper => count += 1,
            CheckLine::Typo(word) => {
                return Err(format!(
                    "line {}: `{word}` is no check directive; there are CHECK: CHECK-NOT: CHECK-NEXT: CHECK-SAME: \
                     CHECK-EMPTY: CHECK-DAG: CHECK-LABEL: CHECK-COUNT-<n>:",
                    index + 1
                ));
            }
            CheckLine::Other => {}
        }
    }
    Ok(count)
}

/// What a comment is to FileCheck.
#[derive(Debug, PartialEq, Eq)]
enum CheckLine<'a> {
    Proper,
    /// Meant as a directive, but FileCheck would ignore it.
    Typo(&'a str),
    Other,
}

/// Judges a comment by its first word. Upper-case words close to `CHECK`, and any spelling of it that is
/// followed by a colon, are taken as meant.
fn check_directive(body: &str) -> CheckLine<'_> {
    let end = body.find(|c: char| c == ':' || c.is_whitespace()).unwrap_or(body.len());
    let (word, rest) = body.split_at(end);
    let stem = word.split(['-', '_', '.']).next().unwrap_or("");
    let upper = stem.to_ascii_uppercase();
    let meant = upper.starts_with("CHECK") || edit_distance(&upper, "CHECK") <= 2 && upper.len() >= 4;
    let colon = rest.trim_start().starts_with(':');
    let shouting = stem.bytes().all(|b| b.is_ascii_uppercase());
    match meant && (colon || shouting) {
        true if rest.starts_with(':') && is_check_name(word) => CheckLine::Proper,
        true => CheckLine::Typo(word),
        false => CheckLine::Other,
    }
}

/// Whether FileCheck knows the directive.
fn is_check_name(word: &str) -> bool {
    let count = word.strip_prefix("CHECK-COUNT-");
    matches!(
        word,
        "CHECK" | "CHECK-NOT" | "CHECK-NEXT" | "CHECK-SAME" | "CHECK-EMPTY" | "CHECK-DAG" | "CHECK-LABEL"
    ) || count.is_some_and(|n| n.parse::<u32>().is_ok_and(|n| n > 0))
}

/// Levenshtein's distance between two short words.
fn edit_distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, content: &str) -> Result<TestFile, String> {
        TestFile::parse(Path::new(name), content)
    }

    #[track_caller]
    fn refused(name: &str, content: &str, message: &str) {
        let error = parse(name, content).expect_err("a proper test");
        assert!(error.contains(message), "{error}");
    }

    #[test]
    fn reads_commands_exit_status_and_golden_text() {
        let file = parse(
            "a.c",
            "// test: one %s\n// test: two\n// exit: 3\nint x;\n// output:\n// a\n//\n//  b  \n//\n",
        );
        let file = file.unwrap();
        assert_eq!(file.commands, ["one %s", "two"]);
        assert_eq!(file.exit, 3);
        assert_eq!(file.text, "// test: one %s\n// test: two\n// exit: 3\nint x;\n");
        assert_eq!(file.check, Check::Golden("a\n\n b\n".into()));
    }

    #[test]
    fn each_extension_has_its_comment_syntax() {
        let cases =
            [("a.ll", ";"), ("a.c", "//"), ("a.cpp", "//"), ("a.rs", "//"), ("a.f90", "!"), ("a.imp", "#")];
        for (name, comment) in cases {
            let file = parse(name, &format!("{comment} test: x\n{comment} CHECK: y\n")).unwrap();
            assert_eq!((file.comment, file.check), (comment, Check::FileCheck));
        }
        assert_eq!(parse("a.scop", "// test: x\n// output:\n").unwrap().comment, "//");
        refused("a.ll", "// test: x\n// output:\n", "first line must name the command");
        refused("a.txt", "# test: x\n# output:\n", "no comment syntax");
    }

    #[test]
    fn improper_tests_are_refused() {
        refused("a.c", "", "first line must name the command");
        refused("a.c", "int x;\n// test: x\n// CHECK: y\n", "first line must name the command");
        refused("a.c", "// test:\n// CHECK: y\n", "first line must name the command");
        refused("a.c", "// test: x\n// test:\n// CHECK: y\n", "names no command");
        refused("a.c", "// test: x\nint x;\n", "checks nothing");
        refused("a.c", "// test: x\n// CHECK: y\n// output:\n", "choose one");
        refused("a.c", "// test: x\n// exit: -1\n// output:\n", "not a number");
        refused("a.c", "// test: x\n// exit: 1\n// exit: 1\n// output:\n", "second");
        refused("a.c", "// test: x\n// exti: 1\n// output:\n", "unknown directive `exti:`");
        refused("a.c", "// test: x\n// prose\n// test: y\n// output:\n", "stand together");
        refused("a.c", "// test: x\n// output:\n// y\nint x;\n", "line 4");
    }

    #[test]
    fn misspelt_check_lines_are_refused() {
        for typo in [
            "CHEKC: y",
            "CHECK-NXT: y",
            "CHECK_NEXT: y",
            "CHECKNOT: y",
            "CHECK y",
            "CHECK : y",
            "check: y",
            "CHECK-COUNT-x: y",
            "CHECK-COUNT-0: y",
            "CHEC-NOT: y",
            "CHECKS: y",
        ] {
            refused("a.c", &format!("// test: x\n// CHECK: ok\nint a; // {typo}\n"), "is no check directive");
        }
        for prose in ["Check that it works", "A check: this", "CHANGED: no", "the CHECK: is inside"] {
            parse("a.c", &format!("// test: x\n// CHECK: ok\nint a; // {prose}\n")).expect(prose);
        }
    }

    #[test]
    fn golden_text_is_written_as_it_is_read() {
        let file = parse("a.f90", "! test: x\nprogram p\nend\n! output:\n! old\n").unwrap();
        let content = file.with_golden("new\n\n  line\n");
        assert_eq!(content, "! test: x\nprogram p\nend\n! output:\n! new\n!\n!   line\n");
        assert_eq!(parse("a.f90", &content).unwrap().check, Check::Golden("new\n\n  line\n".into()));
    }
}
