//! What must be written down, is: every dependency with its reason, every package of the set-up, every
//! refusal reason; and the page of options is the one the table yields.

use super::{Files, Problem, links};
use crate::setup;
use crate::workspace::Package;
use std::collections::BTreeSet;
use std::path::Path;

const DEPENDENCIES: &str = "docs/dependencies.md";
const OPTIONS: &str = "docs/options.md";
const REFUSALS: &str = "docs/refusals.md";
const REASONS: &str = "crates/model/src/refusal.rs";

/// All gaps.
pub fn check(files: &Files, packages: &[Package]) -> Vec<Problem> {
    let apt = setup::REQUIREMENTS.iter().map(|r| r.package);
    let wanted: BTreeSet<&str> = outside(packages).chain(apt).collect();
    let problems = [
        dependencies(text(files, DEPENDENCIES), &wanted),
        options(text(files, OPTIONS), &options::markdown()),
        refusals(text(files, REASONS), text(files, REFUSALS)),
    ];
    problems.concat()
}

fn text<'a>(files: &'a Files, path: &str) -> &'a str {
    files.get(Path::new(path)).and_then(|text| text.as_deref()).unwrap_or_default()
}

fn outside(packages: &[Package]) -> impl Iterator<Item = &str> {
    packages.iter().flat_map(|p| &p.dependencies).filter(|d| !d.local).map(|d| d.name.as_str())
}

/// The page has a row `| `name` | reason |` for each, and no row for what is not used.
fn dependencies(page: &str, wanted: &BTreeSet<&str>) -> Vec<Problem> {
    let rows: BTreeSet<&str> = page.lines().filter_map(row).collect();
    let missing = wanted.difference(&rows).map(|name| {
        let message =
            format!("`{name}` has no row: say in one line what it is for and what we would write otherwise");
        Problem::new(DEPENDENCIES, None, message)
    });
    let stale = rows.difference(wanted).map(|name| {
        Problem::new(
            DEPENDENCIES,
            None,
            format!("`{name}` is in the page but nothing depends on it: remove the row"),
        )
    });
    missing.chain(stale).collect()
}

/// The name in a table row's first cell, if it is one.
fn row(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split_once("` |").map(|(name, _)| name)
}

fn options(page: &str, generated: &str) -> Vec<Problem> {
    let stale = || Problem::new(OPTIONS, None, "differs from the table of options: run `cargo xtask docs`");
    (page != generated).then(stale).into_iter().collect()
}

fn refusals(reasons: &str, page: &str) -> Vec<Problem> {
    let ids = reason_ids(reasons);
    if ids.is_empty() {
        return vec![Problem::new(
            REASONS,
            None,
            "no reason ids found in `fn id`: adapt crates/xtask/src/tidy/coverage.rs",
        )];
    }
    let sections = links::anchors(page);
    let missing = ids.iter().filter(|id| !sections.iter().any(|section| section == *id));
    let message = |id: &str| {
        format!("reason `{id}` has no section `## {id}`: say what it means, with example and remedy")
    };
    missing.map(|id| Problem::new(REFUSALS, None, message(id))).collect()
}

/// The strings that `Reason::id` returns.
fn reason_ids(source: &str) -> Vec<&str> {
    let lines =
        source.lines().skip_while(|line| !line.contains("pub fn id(")).take_while(|line| *line != "    }");
    lines.filter_map(|line| line.split_once("=> \"")?.1.split_once('"')).map(|(id, _)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_undocumented_dependency_is_found_and_a_stale_row() {
        let page = "| crate | why |\n|---|---|\n| `serde` | JSON |\n| `gone` | nothing |\n";
        let problems = dependencies(page, &BTreeSet::from(["serde", "novel"]));
        let messages: Vec<_> = problems.iter().map(|p| p.message.as_str()).collect();
        assert!(
            messages[0].starts_with("`novel` has no row") && messages[1].starts_with("`gone`"),
            "{messages:?}"
        );
        assert_eq!(dependencies(page, &BTreeSet::from(["serde", "gone"])), []);
    }

    #[test]
    fn an_outdated_page_of_options_is_found() {
        assert_eq!(options("old", "new").len(), 1);
        assert_eq!(options("same", "same"), []);
    }

    const SOURCE: &str = "impl Reason {\n    pub fn id(&self) -> &'static str {\n        match self {\n            \
                          Reason::A => \"a-one\",\n            Reason::B { .. } => \"b-two\",\n        }\n    }\n\n    \
                          pub fn remedy(&self) {\n        Reason::A => \"other text\",\n    }\n}\n";

    #[test]
    fn a_reason_without_section_is_found() {
        assert_eq!(reason_ids(SOURCE), ["a-one", "b-two"]);
        let problems = refusals(SOURCE, "# Refusals\n\n## a-one\n");
        assert_eq!(problems.len(), 1);
        assert!(problems[0].message.contains("b-two"));
        assert_eq!(refusals("", "").len(), 1, "an unreadable source is a problem, not silence");
    }
}
