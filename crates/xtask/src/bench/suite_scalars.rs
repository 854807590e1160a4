//! `cargo xtask bench suite --scalars`: what `delicm` makes of the scalars of each kernel at the late position.
//!
//! The figures are those that the plugin prints after its stage `delicm`, summed over a kernel's nests: scalar and phi
//! writes inside of loops before and after, operations copied and cells loaded anew (the paper's "forwards"), scalars
//! and phis that got a cell ("mappings"); what was not done for lack of budget says so, and so does what is left and why. After the kernels come the
//! programs of `bench/ublas`, whose loops are those of a library.

use super::peers::Peer;
use super::suite_kernels::{Kernel, Shape, Size, kernel_arguments};
use crate::{Failure, Outcome, command};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// A kernel's figures, in the order in which the plugin prints them: forwards, mappings, removed, before, after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Figures {
    pairs: [(usize, usize); 4],
    removed: usize,
    is_spent: bool,
}

/// Compiles every kernel in every shape and prints the tables.
pub fn run(orthant: &Peer, kernels: &[Kernel], shapes: &[Shape], size: &Size, scratch: &Path) -> Outcome {
    let object = scratch.join("scalars.o");
    for shape in shapes {
        let programs: Vec<_> = kernels
            .iter()
            .map(|kernel| (kernel.name.clone(), kernel_arguments(kernel, *shape, size, &object)))
            .collect();
        table(orthant, &format!("shape {}", shape.name()), &programs)?;
    }
    let Some(folder) = kernels.first().and_then(|kernel| kernel.file.parent()?.parent()) else {
        return Ok(());
    };
    table(orthant, "Boost's uBLAS", &library_programs(&folder.join("ublas"), &object)?)
}

/// The programs in a folder and how to compile each.
fn library_programs(folder: &Path, object: &Path) -> Outcome<Vec<(String, Vec<OsString>)>> {
    let failed = |e: std::io::Error| Failure::failed(format!("{}: {e}", folder.display()));
    let mut programs = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut arguments: Vec<OsString> =
            ["-std=c++17", "-DNDEBUG", "-DBOOST_UBLAS_NDEBUG", "-w", "-c", "-o"].map(OsString::from).into();
        arguments.extend([object.into(), file.into()]);
        programs.push((name, arguments));
    }
    programs.sort();
    Ok(programs)
}

fn table(orthant: &Peer, what: &str, programs: &[(String, Vec<OsString>)]) -> Outcome {
    println!("scalars at the late position, {what}: SSA values + phis");
    println!("{:<20}{:>10}{:>10}{:>12}{:>10}", "kernel", "before", "after", "forwards", "mappings");
    let (mut clean, mut with) = (0, 0);
    for (name, arguments) in programs {
        let (figures, why) = figures(orthant, arguments)?;
        println!("{name:<20}{}", figures.shown());
        why.iter().for_each(|(why, scalars)| println!("{:>20}: {why}", scalars.join(", ")));
        with += usize::from(figures.pairs[2] != (0, 0));
        clean += usize::from(figures.pairs[2] != (0, 0) && figures.pairs[3] == (0, 0));
    }
    println!("{clean} of {with} kernels with scalar writes in loops have none afterwards\n");
    Ok(())
}

impl Figures {
    fn shown(&self) -> String {
        let [forwards, mappings, before, after] = self.pairs.map(|(a, b)| format!("{a}+{b}"));
        let spent = if self.is_spent { "  budget spent" } else { "" };
        format!("{before:>10}{after:>10}{forwards:>12}{mappings:>10}{spent}")
    }

    /// `forwards 0+1, mappings 0+2, removed 5, scalar writes in loops 1+3 -> 0+0`.
    fn parse(line: &str) -> Option<Figures> {
        let rest = line.strip_prefix("forwards ")?;
        let (forwards, rest) = rest.split_once(", mappings ")?;
        let (mappings, rest) = rest.split_once(", removed ")?;
        let (removed, rest) = rest.split_once(", scalar writes in loops ")?;
        let (before, after) = rest.split_once(" -> ")?;
        let pair = |text: &str| {
            let (a, b) = text.trim().split_once('+')?;
            Some((a.parse().ok()?, b.parse().ok()?))
        };
        let pairs = [pair(forwards)?, pair(mappings)?, pair(before)?, pair(after)?];
        Some(Figures { pairs, removed: removed.parse().ok()?, is_spent: false })
    }

    fn plus(self, more: Figures) -> Figures {
        let mut sum = self;
        for (pair, more) in sum.pairs.iter_mut().zip(more.pairs) {
            *pair = (pair.0 + more.0, pair.1 + more.1);
        }
        Figures { removed: sum.removed + more.removed, is_spent: sum.is_spent || more.is_spent, ..sum }
    }
}

/// For each reason the scalars that it keeps where they are.
type Left = BTreeMap<String, Vec<String>>;

fn figures(orthant: &Peer, arguments: &[OsString]) -> Outcome<(Figures, Left)> {
    let mut compile = orthant.command();
    compile.args(arguments);
    for option in ["position=late", "stop-after=delicm", "print-after=delicm"] {
        compile.args(["-mllvm".to_owned(), format!("-orthant-{option}")]);
    }
    let output = command::raw_output(&mut compile)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        return Err(Failure::failed(format!("{} failed:\n{said}", command::shown(&compile))));
    }
    Ok((read(&said), left(&said)))
}

/// From lines like `phi5 stays: it is used after the nest`.
fn left(said: &str) -> Left {
    let mut left = Left::new();
    for (scalar, why) in said.lines().filter_map(|line| line.split_once(" stays: ")) {
        left.entry(why.to_owned()).or_default().push(scalar.to_owned());
    }
    left
}

fn read(said: &str) -> Figures {
    let sum = said.lines().filter_map(Figures::parse).fold(Figures::default(), Figures::plus);
    Figures { is_spent: said.lines().any(|line| line.ends_with("not done: the budget is spent")), ..sum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugins_lines_are_understood() {
        let line = "forwards 1+2, mappings 3+4, removed 5, scalar writes in loops 6+7 -> 8+9";
        let figures =
            read(&format!("orthant: delicm: f\n{line}\ncoalesce not done: the budget is spent\n{line}\n"));
        assert_eq!(figures.pairs, [(2, 4), (6, 8), (12, 14), (16, 18)]);
        assert_eq!((figures.removed, figures.is_spent), (10, true));
        assert_eq!(read("orthant: lift\n"), Figures::default());
        let left = left("phi5 stays: no cell\nphi6 stays: no cell\n");
        assert_eq!(left["no cell"], ["phi5", "phi6"]);
    }
}
