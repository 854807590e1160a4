//! Every reason for a refusal is shown by a test file: `tests/STAGE/refuse-ID*`.

use std::path::{Path, PathBuf};

/// The ids, from the text of the function that lists them: the enumeration itself cannot be asked for all.
fn ids(source: &str) -> Vec<&str> {
    let body = source.split("pub fn id(&self)").nth(1).and_then(|rest| rest.split("\n    }\n").next());
    let body = body.expect("crates/model/src/refusal.rs has the function `id`");
    body.lines().filter_map(|line| line.split_once("=> \"")?.1.split_once('"')).map(|(id, _)| id).collect()
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn every_reason_has_a_test_file() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = std::fs::read_to_string(root.join("crates/model/src/refusal.rs")).unwrap();
    let files: Vec<_> =
        entries(&root.join("tests")).iter().filter(|p| p.is_dir()).flat_map(|p| entries(p)).collect();
    let shows = |id: &str| {
        files.iter().any(|file| {
            let name = file.file_name().unwrap().to_string_lossy();
            let named = name.strip_prefix("refuse-").is_some_and(|rest| rest.starts_with(id));
            named && std::fs::read_to_string(file).unwrap().contains(&format!("{id}:"))
        })
    };
    let ids = ids(&source);
    assert!(ids.len() >= 20, "{ids:?}");
    let missing: Vec<_> = ids.into_iter().filter(|id| !shows(id)).collect();
    assert!(missing.is_empty(), "no tests/*/refuse-ID* shows {missing:?}");
}
