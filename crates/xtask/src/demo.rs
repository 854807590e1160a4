//! `cargo xtask demo`: from a fresh checkout to Orthant at work on a few small programs.
//!
//! Each program of `examples/` is compiled by `clang-22 -O3` with and without the plugin. Both must print the
//! same bytes; their times are medians of interleaved runs; then `orthant explain` says what was found. What
//! the demo claims follows from what it measured, not from a fixed text.

use crate::bench::measure;
use crate::stats::median;
use crate::workspace::{Built, Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const EXAMPLES: [&str; 3] = ["matmul.c", "stencil.c", "calls.c"];
const RUNS: usize = 5;

/// What one example showed.
struct Shown {
    name: &'static str,
    plain: f64,
    optimized: f64,
    same_code: bool,
}

/// Builds Orthant and shows it.
pub fn run(ws: &Workspace) -> Outcome {
    setup::ensure()?;
    let built = ws.build(Profile::Release)?;
    let dir = built.plugin.parent().expect("in a folder").join("demo");
    fs::create_dir_all(&dir).map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    let mut all = Vec::new();
    for name in EXAMPLES {
        all.push(example(ws, &built, &dir, name)?);
    }
    summary(&all);
    Ok(())
}

fn example(ws: &Workspace, built: &Built, dir: &Path, name: &'static str) -> Outcome<Shown> {
    let source = Path::new("examples").join(name);
    println!("\n== {}", source.display());
    let plain = compile(ws, &source, dir, None)?;
    let optimized = compile(ws, &source, dir, Some(&built.plugin))?;
    same_output(&plain.program, &optimized.program)?;
    let (before, after) = times(&plain.program, &optimized.program)?;
    println!("output identical; clang -O3 {before:.3} s, with Orthant {after:.3} s: {:.2}x", before / after);
    command::run(Command::new(&built.orthant).arg("explain").arg(&source).current_dir(&ws.root))?;
    Ok(Shown { name, plain: before, optimized: after, same_code: plain.assembly == optimized.assembly })
}

struct Compiled {
    program: PathBuf,
    assembly: String,
}

fn compile(ws: &Workspace, source: &Path, dir: &Path, plugin: Option<&Path>) -> Outcome<Compiled> {
    let suffix = if plugin.is_some() { "orthant" } else { "plain" };
    let program = dir.join(source.file_name().expect("a file")).with_extension(suffix);
    let clang = || {
        let mut clang = Command::new("clang-22");
        clang.current_dir(&ws.root).args(["-O3", "-march=native"]).arg(source);
        clang.args(plugin.map(|plugin| format!("-fpass-plugin={}", plugin.display())));
        clang
    };
    command::run(clang().arg("-o").arg(&program))?;
    let assembly = command::output(clang().args(["-S", "-o", "-"]))?;
    Ok(Compiled { program, assembly })
}

fn same_output(plain: &Path, optimized: &Path) -> Outcome {
    let outputs =
        [command::output(&mut Command::new(plain))?, command::output(&mut Command::new(optimized))?];
    match outputs[0] == outputs[1] && !outputs[0].is_empty() {
        true => Ok(()),
        false => Err(Failure::failed(format!(
            "{} and {} print different results: this is a bug of Orthant, see CONTRIBUTING.md, \"Reporting a failure\"",
            plain.display(),
            optimized.display()
        ))),
    }
}

/// Median processor times of both programs, run in turn.
fn times(plain: &Path, optimized: &Path) -> Outcome<(f64, f64)> {
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        before.push(measure(&mut Command::new(plain))?.cpu);
        after.push(measure(&mut Command::new(optimized))?.cpu);
    }
    // A time below the clock's resolution would make the ratio meaningless, not infinite.
    Ok((median(&before).max(1e-6), median(&after).max(1e-6)))
}

fn summary(all: &[Shown]) {
    println!("\n{:<12} {:>12} {:>14} {:>9}", "example", "clang -O3", "with Orthant", "speed-up");
    for Shown { name, plain, optimized, same_code } in all {
        let note = if *same_code { "  (the same machine code)" } else { "" };
        println!("{name:<12} {plain:>10.3} s {optimized:>12.3} s {:>8.2}x{note}", plain / optimized);
    }
}
