//! What delinearization costs: microseconds per access for every file test, the best of many runs.
//!
//! `cargo bench -p delinearize`; words on the command line select files by part of their name.

use delinearize::{Options, delinearize, text};
use isl::Ctx;
use std::path::{Path, PathBuf};
use std::time::Instant;

const RUNS: usize = 51;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let mut files = Vec::new();
    collect(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files")), &mut files);
    files.sort();
    for file in files {
        let name = file.display().to_string();
        if wanted.is_empty() || wanted.iter().any(|word| name.contains(word)) {
            measure(&file);
        }
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => collect(&path, files),
            path => files.push(path),
        }
    }
}

fn measure(file: &Path) {
    let source = std::fs::read_to_string(file).unwrap_or_default();
    let ctx = Ctx::new();
    let Ok(text) = text::read(&ctx, &source) else { return };
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let view = delinearize(&text.problem, &Options::default());
        times.push(start.elapsed());
        drop(view);
    }
    let accesses = text.names.len().max(1);
    let best = times.into_iter().min().unwrap_or_default();
    let per_access = best.as_secs_f64() * 1e6 / accesses as f64;
    println!("{per_access:8.0} us per access, {accesses:2} accesses: {}", file.display());
}
