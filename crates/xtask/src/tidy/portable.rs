//! Nothing of one machine in a tracked file: no home folder, no work folder, no private registry.

use super::{Files, Problem};
use std::path::Path;

/// Beginnings of paths that exist on one person's machine. In pieces, so that this file passes its own rule.
const FOREIGN: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// The one source that a lock file may name.
const CRATES_IO: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// All such traces.
pub fn check(files: &Files) -> Vec<Problem> {
    let texts = files.iter().filter_map(|(path, text)| Some((path.as_path(), text.as_deref()?)));
    texts.flat_map(|(path, text)| paths(path, text).into_iter().chain(registries(path, text))).collect()
}

fn paths(path: &Path, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if let Some(found) = FOREIGN.iter().find(|prefix| mentions(line, prefix)) {
            let message = format!(
                "a path under {found} exists on one machine only: write a relative one, or ask at run time"
            );
            problems.push(Problem::new(path, Some(index + 1), message));
        }
    }
    problems
}

/// Whether the path stands at the beginning of a word: `src/work/x` does not mention a root folder.
fn mentions(line: &str, prefix: &str) -> bool {
    let begins = |at: usize| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-}~/)".contains(c));
    line.match_indices(prefix).any(|(at, _)| begins(at))
}

fn registries(path: &Path, text: &str) -> Vec<Problem> {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let wrong: fn(&str) -> bool = match name {
        "Cargo.lock" => |line| line.starts_with("source = ") && line != format!("source = \"{CRATES_IO}\""),
        "config.toml" | "config" if path.parent().is_some_and(|dir| dir.ends_with(".cargo")) => |line| {
            ["[source", "[registr", "[net", "[http", "replace-with"]
                .iter()
                .any(|key| line.trim_start().starts_with(key))
        },
        _ => return Vec::new(),
    };
    let message =
        "crates come from crates.io and nowhere else: keep other registries in your own ~/.cargo/config.toml";
    let lines = text.lines().enumerate().filter(|(_, line)| wrong(line));
    lines.map(|(index, _)| Problem::new(path, Some(index + 1), message)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::files;
    use super::*;

    #[test]
    fn a_path_of_one_machine_is_found() {
        let bad = format!("first\nsee {}someone/x.c\n", FOREIGN[0]);
        let problems = check(&files(&[("README.md", &bad)]));
        assert_eq!(problems.iter().map(|p| p.line).collect::<Vec<_>>(), [Some(2)]);
        let fine = format!("build{}x.c and https://example.org{}x", FOREIGN[3], FOREIGN[0]);
        assert_eq!(check(&files(&[("README.md", &fine)])), []);
    }

    #[test]
    fn only_crates_io_may_stand_in_the_lock_file() {
        let fine = format!("[[package]]\nname = \"a\"\nsource = \"{CRATES_IO}\"\n");
        assert_eq!(check(&files(&[("Cargo.lock", &fine)])), []);
        let bad = "[[package]]\nname = \"a\"\nsource = \"registry+https://mirror.example/index\"\n";
        assert_eq!(check(&files(&[("Cargo.lock", bad)]))[0].line, Some(3));
        let git = "source = \"git+https://example.org/x#0\"\n";
        assert_eq!(check(&files(&[("fuzz/Cargo.lock", git)])).len(), 1);
    }

    #[test]
    fn a_replaced_registry_is_found() {
        let bad = "[alias]\nx = \"run\"\n[source.crates-io]\nreplace-with = \"mirror\"\n";
        assert_eq!(check(&files(&[(".cargo/config.toml", bad)])).len(), 2);
        assert_eq!(check(&files(&[("elsewhere/config.toml", bad)])), []);
    }
}
