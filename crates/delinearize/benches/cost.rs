//! What delinearization costs: microseconds per access for every file test and for the arrays of `schedule`'s kernels, the
//! best of many runs.
//!
//! `cargo bench -p delinearize`; words on the command line select files by part of their name.

#[path = "../tests/common/mod.rs"]
mod common;

use delinearize::{Options, Problem, delinearize, text};
use isl::Ctx;
use std::path::{Path, PathBuf};
use std::time::Instant;

const RUNS: usize = 51;

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let is_wanted = |name: &str| wanted.is_empty() || wanted.iter().any(|word| name.contains(word));
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"));
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    for file in files {
        let name = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let source = std::fs::read_to_string(&file).unwrap_or_default();
        if let Ok(text) = text::read(&Ctx::new(), &source)
            && is_wanted(&name)
        {
            measure(&name, &text.problem);
        }
    }
    for kernel in common::kernels(0).iter().filter(|kernel| is_wanted(&kernel.name)) {
        measure(&format!("{}, {} dimensions", kernel.name, kernel.sizes.len() + 1), &kernel.problem);
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

fn measure(name: &str, problem: &Problem) {
    let mut times = Vec::new();
    for _ in 0..RUNS {
        let start = Instant::now();
        let view = delinearize(problem, &Options::default());
        times.push(start.elapsed());
        drop(view);
    }
    let accesses = problem.accesses.len().max(1);
    let best = times.into_iter().min().unwrap_or_default();
    let per_access = best.as_secs_f64() * 1e6 / accesses as f64;
    println!("{per_access:8.0} us per access, {accesses:2} accesses: {name}");
}
