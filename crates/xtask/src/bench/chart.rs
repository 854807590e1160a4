//! `cargo xtask bench chart RUN.json`: a run of the suite as a table in Markdown and as a picture.
//!
//! `RUN.json` is what `cargo xtask bench --json RUN.json` wrote; `cargo xtask bench --section NAME` does both at once. The
//! section is the name of two places: the picture is `docs/NAME.svg`, and the tables stand in `docs/status.md` between the lines
//!
//! ```text
//! <!-- begin speed -->
//! <!-- end speed -->
//! ```
//!
//! The picture shows the first shape that was run, the tables show all.

mod markdown;
mod summary;
mod svg;

use crate::workspace::Workspace;
use crate::{Failure, Outcome};
use serde_json::Value;
use std::fs;
use std::path::Path;
use summary::Summary;

/// Where the tables go.
const PAGE: &str = "docs/status.md";

/// Draws a run that was saved.
pub fn run(ws: &Workspace, file: &Path, section: &str) -> Outcome {
    let failed = |why: String| Failure::Missing(format!("{}: {why}", file.display()));
    let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let value = serde_json::from_str(&text).map_err(|error| failed(format!("no JSON: {error}")))?;
    write(ws, &value, section)
}

/// Writes both.
pub fn write(ws: &Workspace, value: &Value, section: &str) -> Outcome {
    let summaries = Summary::all(value).map_err(Failure::Missing)?;
    let picture = Path::new("docs").join(format!("{section}.svg"));
    save(ws, &picture, &svg::svg(&summaries[0]))?;
    let tables: Vec<_> = summaries.iter().map(markdown::table).collect();
    let tables = tables.join("\n");
    let page = fs::read_to_string(ws.root.join(PAGE))
        .map_err(|error| Failure::failed(format!("{PAGE}: {error}")))?;
    match with_section(&page, section, &tables) {
        Some(page) => save(ws, Path::new(PAGE), &page),
        None => {
            println!("\n{tables}\n{PAGE} has no lines");
            let lines = [begin(section), end(section)].join("\n");
            println!("{lines}\nto put this table between");
            Ok(())
        }
    }
}

fn save(ws: &Workspace, file: &Path, text: &str) -> Outcome {
    fs::write(ws.root.join(file), text)
        .map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
    println!("wrote {}", file.display());
    Ok(())
}

fn begin(section: &str) -> String {
    format!("<!-- begin {section} -->")
}

fn end(section: &str) -> String {
    format!("<!-- end {section} -->")
}

/// The page with this text in the section, if it has one.
fn with_section(page: &str, section: &str, text: &str) -> Option<String> {
    let (begin, end) = (begin(section), end(section));
    let (before, rest) = page.split_once(&begin)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{begin}\n\n{text}\n{end}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_section_changes() {
        let page = "a\n<!-- begin speed -->\nold\n<!-- end speed -->\nb\n<!-- begin x -->\n<!-- end x -->\n";
        let new = with_section(page, "speed", "| t |\n").unwrap();
        assert_eq!(
            new,
            "a\n<!-- begin speed -->\n\n| t |\n\n<!-- end speed -->\nb\n<!-- begin x -->\n<!-- end x -->\n"
        );
        assert_eq!(with_section(&new, "speed", "| t |\n"), Some(new.clone()), "again changes nothing");
        assert_eq!(with_section(page, "spee", ""), None);
        assert_eq!(with_section("<!-- end x --><!-- begin x -->", "x", ""), None);
    }
}
