//! The gallery and the grammar page say what is so: every file is listed with its result, and every program in them is one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// By name: the last column of the rows that link into this folder.
fn listed(folder: &str) -> BTreeMap<String, String> {
    let page = page("imp-gallery.md");
    let link = format!("](../crates/imp/tests/files/{folder}/");
    let rows = page.lines().filter(|line| line.contains(&link)).map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let name = cells[0].split('`').nth(1).unwrap().to_string();
        (name, cells[cells.len() - 1].to_string())
    });
    rows.collect()
}

/// By name: what the file's expected output says of it.
fn found(folder: &str) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(root().join("crates/imp/tests/files").join(folder)).unwrap();
    let one = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        let output = text.split("# output:\n").nth(1).unwrap().to_string();
        let status = if output.contains("over-approximated") { "over-approximated" } else { "exact" };
        assert!(output.contains(status), "{}", path.display());
        (path.file_stem().unwrap().to_string_lossy().into_owned(), status.to_string())
    };
    files.map(|entry| one(entry.unwrap().path())).collect()
}

#[test]
fn the_tables_list_every_program_with_its_result() {
    for folder in ["covert", "kernels"] {
        assert_eq!(listed(folder), found(folder), "{folder}");
    }
}

#[test]
fn the_gallery_is_large_enough() {
    let covert = listed("covert");
    let exact = covert.values().filter(|status| *status == "exact").count();
    assert!(covert.len() >= 25 && exact >= 20, "{exact} of {}", covert.len());
    assert_eq!(listed("kernels").values().filter(|status| *status == "exact").count(), 30);
}

#[test]
fn every_program_in_the_pages_is_one_and_is_formatted() {
    let mut count = 0;
    for name in ["imp-gallery.md", "imp.md"] {
        for block in page(name).split("```imp\n").skip(1) {
            let program = block.split("```").next().unwrap();
            assert_eq!(imp::format(program).as_deref(), Ok(program), "{name}");
            count += 1;
        }
    }
    assert!(count >= 2, "{count}");
}
