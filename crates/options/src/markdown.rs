//! `docs/options.md`, from the table.

use crate::{Kind, Spec, TABLE};
use std::fmt::Write as _;

/// The text of `docs/options.md`: how to give options, and one section for each that is not hidden.
pub fn markdown() -> String {
    let mut page = String::from(INTRODUCTION);
    page.push_str("| option | values | default | what it does |\n|---|---|---|---|\n");
    for spec in TABLE.iter().filter(|spec| !spec.hidden) {
        let default = if spec.default.is_empty() { "none".to_owned() } else { format!("`{}`", spec.default) };
        // Writing to a String cannot fail.
        let _ = writeln!(page, "| `{}` | {} | {default} | {} |", spec.name, values(spec), spec.help);
    }
    page
}

fn values(spec: &Spec) -> String {
    let words = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match spec.kind {
        Kind::Flag => "`true`, `false`; the bare name is `true`".to_owned(),
        Kind::Choice(list) => words(list),
        Kind::Choices(list) => format!("a comma-separated list of {}", words(list)),
        Kind::Number(0, u64::MAX) => "a whole number".to_owned(),
        Kind::Number(low, u64::MAX) => format!("a whole number from {low} on"),
        Kind::Number(low, high) => format!("a whole number from {low} to {high}"),
        Kind::Bytes(most) => {
            format!("a number of bytes up to {}, as `48K` or `2M`", crate::parse::size(most))
        }
        Kind::Numbers(most) => format!("a comma-separated list of whole numbers up to {most}"),
        Kind::Regex => "a regular expression".to_owned(),
        Kind::File => "a file name".to_owned(),
        Kind::Text => "a name".to_owned(),
    }
}

const INTRODUCTION: &str = "\
# Options

<!-- Written by `cargo xtask docs` from crates/options/src/table.rs: change that, not this. -->

Every option can be given in each of these ways; the later in this list wins:

1. in the file named by the variable `ORTHANT_CONFIG`, one `NAME = VALUE` a line, `#` starts a comment;
2. in the variable `ORTHANT_OPTS`, separated by white space: `ORTHANT_OPTS=\"only=^gemm time\"`;
3. on the command line:
   - of the host compiler with the plugin loaded: `clang-22 -O3 -fpass-plugin=liborthant.so -mllvm -orthant-only=^gemm`,
     the same with `flang-22`; with `opt-22` without `-mllvm` and after `-load-pass-plugin=`;
   - of the drivers: `orthant cc -O3 -orthant-only=^gemm`;
   - of the other commands: `orthant explain --only=^gemm FILE`;
4. as parameters of the pass: `opt-22 -passes='orthant<only=^gemm;time>'`.

Where settings are separated, text between two `'` or two `\"` stands for itself, separators included; a backslash is
an ordinary character. The empty value takes back an option that has no default: `report=`.

";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_option_has_a_row_and_no_hidden_one() {
        let page = markdown();
        for spec in TABLE {
            assert_eq!(page.contains(&format!("\n| `{}` | ", spec.name)), !spec.hidden, "{}", spec.name);
        }
        let columns = |line: &str| line.matches(" | ").count();
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        assert!(rows.clone().count() > 3);
        assert!(rows.clone().all(|row| columns(row) == 3), "a cell contains the separator");
    }
}
