//! Rules on Rust files: `unsafe` stays behind the walls, a module begins with its specification, and no
//! file pins a toolchain (rustup would download it).

use super::{Files, Problem, with_extension};
use std::path::Path;

/// The crates that talk to C and may therefore be unsafe.
const UNSAFE_CRATES: [&str; 3] = ["crates/isl", "crates/llvm", "crates/qemu"];

/// What the plugin's one exported symbol needs: its fixed name is unsafe in Rust's eyes, its body is not.
const EXPORT: (&str, [&str; 2]) = ("crates/plugin", ["#[unsafe(no_mangle)]", "#[allow(unsafe_code"]);

/// Inputs of tests, which follow their own rules.
const DATA: [&str; 3] = ["tests/", "examples/", "bench/"];

/// All problems of the Rust files and of toolchain files.
pub fn check(files: &Files) -> Vec<Problem> {
    let own = with_extension(files, "rs").filter(|(path, _)| is_module(path));
    let modules = own.flat_map(|(path, text)| header(path, text).into_iter().chain(unsafety(path, text)));
    modules.chain(files.keys().filter_map(|path| toolchain(path))).collect()
}

/// Whether the file is part of the program, not an input of it.
fn is_module(path: &Path) -> bool {
    let in_crate = path.starts_with("crates") || path.starts_with("fuzz");
    let inside: std::path::PathBuf = path.components().skip(2).collect();
    let data_of_tests = DATA.iter().any(|dir| inside.starts_with(dir)) && inside.components().count() > 2;
    in_crate && !data_of_tests
}

fn header(path: &Path, text: &str) -> Option<Problem> {
    let message = "begin the file with a //! header that says what the module is: its terms, representation, \
                   invariant, and the paper's section if there is one";
    (!text.starts_with("//! ")).then(|| Problem::new(path, Some(1), message))
}

fn unsafety(path: &Path, text: &str) -> Vec<Problem> {
    if UNSAFE_CRATES.iter().any(|dir| path.starts_with(dir)) {
        return Vec::new();
    }
    let message = "unsafe code belongs in isl, llvm or qemu: put a safe function there and call it";
    let is_unsafe = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| w == "unsafe" || w == "unsafe_code")
    };
    let is_export = |line: &str| path.starts_with(EXPORT.0) && EXPORT.1.iter().any(|e| line.starts_with(e));
    let code = blank_comments_and_strings(text);
    let lines = code.lines().enumerate().filter(|(_, line)| is_unsafe(line) && !is_export(line));
    lines.map(|(index, _)| Problem::new(path, Some(index + 1), message)).collect()
}

fn toolchain(path: &Path) -> Option<Problem> {
    let name = path.file_name()?.to_str()?;
    let message = "remove it: rustup would download that toolchain; the least version stands in Cargo.toml (rust-version)";
    matches!(name, "rust-toolchain" | "rust-toolchain.toml").then(|| Problem::new(path, None, message))
}

/// The text with comments, string and character literals replaced by spaces; lines stay where they are.
fn blank_comments_and_strings(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let blank = literal_length(rest, out.chars().next_back());
        let (taken, visible) = if blank == 0 { (c.len_utf8(), true) } else { (blank, false) };
        let piece = &rest[..taken];
        match visible {
            true => out.push_str(piece),
            false => out.extend(piece.chars().map(|c| if c == '\n' { '\n' } else { ' ' })),
        }
        rest = &rest[taken..];
    }
    out
}

/// The length of the comment or literal that the text begins with, or 0.
fn literal_length(text: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    match text.as_bytes() {
        [b'/', b'/', ..] => text.find('\n').unwrap_or(text.len()),
        [b'/', b'*', ..] => block_comment(text),
        [b'"', ..] => quoted(text, 1),
        [b'r', b'"' | b'#', ..] if !in_word => raw_string(text),
        [b'\'', ..] => character(text),
        _ => 0,
    }
}

fn block_comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match &bytes[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

fn quoted(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn raw_string(text: &str) -> usize {
    let hashes = text[1..].bytes().take_while(|&b| b == b'#').count();
    let body = 1 + hashes;
    if text.as_bytes().get(body) != Some(&b'"') {
        return 0; // a raw identifier
    }
    let end = format!("\"{}", "#".repeat(hashes));
    text[body + 1..].find(&end).map_or(text.len(), |at| body + 1 + at + end.len())
}

/// A character literal, not a lifetime.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => {
            text[2..].char_indices().skip(1).find(|(_, c)| *c == '\'').map_or(0, |(at, _)| 2 + at + 1)
        }
        Some((_, _)) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    fn problems_in(path: &str, text: &str) -> Vec<Problem> {
        check(&files(&[(path, text)]))
    }

    #[test]
    fn unsafe_outside_the_walls_is_found_at_its_line() {
        let problems = problems_in("crates/model/src/x.rs", "//! X.\nfn f() {\n    unsafe { g() }\n}\n");
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [Some(3)]);
        assert_eq!(problems_in("crates/cli/src/x.rs", "//! X.\n#![allow(unsafe_code)]\n").len(), 1);
        assert_eq!(problems_in("crates/llvm/src/x.rs", "//! X.\nunsafe fn f() {}\n"), []);
    }

    #[test]
    fn the_plugin_may_export_and_nothing_more() {
        let export = "//! X.\n#[unsafe(no_mangle)]\npub extern \"C\" fn f() {}\n";
        assert_eq!(problems_in("crates/plugin/src/lib.rs", export), []);
        assert_eq!(problems_in("crates/driver/src/lib.rs", export).len(), 1);
        assert_eq!(problems_in("crates/plugin/src/lib.rs", "//! X.\nunsafe { f() }\n").len(), 1);
    }

    #[test]
    fn the_word_in_comments_and_strings_is_no_code() {
        let text = "//! X.\n// unsafe\n/* unsafe /* unsafe */ unsafe */\nconst A: &str = \"\\\"unsafe\";\n\
                    const B: &str = r#\"unsafe \"unsafe\"#;\nconst C: char = '\"'; // unsafe\n\
                    const D: char = '\\'';\nfn f<'a>(x: &'a str) -> &'a str { x }\nlet unsafely = 1;\n";
        assert_eq!(problems_in("crates/model/src/x.rs", text), []);
        let after = format!("{text}unsafe {{}}\n");
        assert_eq!(problems_in("crates/model/src/x.rs", &after)[0].line, Some(10));
    }

    #[test]
    fn a_module_without_header_is_found() {
        assert!(problems_in("crates/fold/src/a.rs", "use std::fmt;\n")[0].message.contains("//!"));
        assert_eq!(problems_in("crates/fold/build.rs", "fn main() {}\n").len(), 1);
        assert_eq!(problems_in("crates/fold/tests/a.rs", "fn main() {}\n").len(), 1);
        assert_eq!(problems_in("crates/fold/tests/data/a.rs", "// run: explain\n"), [], "an input of a test");
        assert_eq!(problems_in("examples/a.rs", "fn main() {}\n"), []);
    }

    #[test]
    fn a_pinned_toolchain_is_found() {
        assert_eq!(problems_in("rust-toolchain.toml", "[toolchain]\n").len(), 1);
        assert_eq!(problems_in("crates/x/rust-toolchain", "stable\n").len(), 1);
    }
}
