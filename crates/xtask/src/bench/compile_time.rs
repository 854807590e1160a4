//! What the loaded plugin costs on code that has nothing for it: no loop at all.
//!
//! The aim of the project is less than 2% of `clang -O3`. Loading the library, registering the pass and
//! asking every function for its loops is all there is to pay.

use super::{Cost, Request, input, measure};
use crate::stats::{median, quartiles};
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, setup};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;

const AIM: f64 = 0.02;

/// Generates, compiles both ways in turn, prints the figures.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    setup::ensure()?;
    let built = ws.build(Profile::Release)?;
    let dir = built.plugin.parent().expect("in a folder").join("bench");
    let source = dir.join("compile-time.c");
    let text = input::generate(request.lines as usize);
    fs::create_dir_all(&dir)
        .and_then(|()| fs::write(&source, &text))
        .map_err(|e| Failure::failed(format!("{}: {e}", dir.display())))?;
    println!(
        "compile-time: {} lines of C without loops, clang-22 -O3 -c, {} runs of each",
        text.lines().count(),
        request.runs
    );
    let (plain, loaded) = samples(&source, &built.plugin, request.runs)?;
    let figures = Figures::new(&plain, &loaded);
    figures.print();
    match &request.json {
        None => Ok(()),
        Some(file) => fs::write(file, format!("{:#}\n", figures.json(request)))
            .map_err(|e| Failure::failed(format!("{}: {e}", file.display()))),
    }
}

fn samples(source: &Path, plugin: &Path, runs: u32) -> Outcome<(Vec<Cost>, Vec<Cost>)> {
    let compile = |with_plugin: bool| {
        let mut clang = Command::new("clang-22");
        clang.args(["-O3", "-c", "-o"]).arg(source.with_extension("o")).arg(source);
        if with_plugin {
            clang.arg(format!("-fpass-plugin={}", plugin.display()));
        }
        // What the user's environment says to the plugin is not what is measured here.
        clang.env_remove("ORTHANT_OPTS").env_remove("ORTHANT_CONFIG");
        measure(&mut clang)
    };
    // One unmeasured run of each fills the file cache.
    compile(false)?;
    compile(true)?;
    let (mut plain, mut loaded) = (Vec::new(), Vec::new());
    for run in 0..runs {
        // Who goes first alternates: a machine that slows down while we measure hits both sides.
        if run % 2 == 0 {
            plain.push(compile(false)?);
            loaded.push(compile(true)?);
        } else {
            loaded.push(compile(true)?);
            plain.push(compile(false)?);
        }
    }
    Ok((plain, loaded))
}

struct Figures {
    plain: [Vec<f64>; 2],
    loaded: [Vec<f64>; 2],
}

impl Figures {
    fn new(plain: &[Cost], loaded: &[Cost]) -> Figures {
        let columns =
            |costs: &[Cost]| [costs.iter().map(|c| c.cpu).collect(), costs.iter().map(|c| c.wall).collect()];
        Figures { plain: columns(plain), loaded: columns(loaded) }
    }

    /// The median of the ratios of neighbouring runs, less one: what the plugin costs, as a fraction.
    fn overhead(&self, column: usize) -> (f64, f64, f64) {
        let pairs = self.loaded[column].iter().zip(&self.plain[column]);
        let ratios: Vec<f64> = pairs.map(|(loaded, plain)| loaded / plain - 1.0).collect();
        let (low, high) = quartiles(&ratios);
        (median(&ratios), low, high)
    }

    fn print(&self) {
        println!(
            "{:<16} {:>22} {:>22} {:>26}",
            "median (quartiles)", "plain", "with plugin", "plugin's cost"
        );
        for (column, name) in ["processor time", "wall time"].into_iter().enumerate() {
            let seconds = |values: &[f64]| {
                let (low, high) = quartiles(values);
                format!("{:.3} s ({low:.3}..{high:.3})", median(values))
            };
            let (cost, low, high) = self.overhead(column);
            let cost = format!("{:+.2}% ({:+.2}..{:+.2})", cost * 100.0, low * 100.0, high * 100.0);
            println!(
                "{name:<18} {:>22} {:>22} {cost:>26}",
                seconds(&self.plain[column]),
                seconds(&self.loaded[column])
            );
        }
        let (cost, ..) = self.overhead(0);
        let verdict = if cost < AIM { "reached" } else { "missed" };
        println!("aim: below {:.0}% of processor time: {verdict}", AIM * 100.0);
    }

    fn json(&self, request: &Request) -> Value {
        let column = |c: usize| {
            let (cost, low, high) = self.overhead(c);
            json!({ "plain": self.plain[c], "plugin": self.loaded[c],
                    "overhead": { "median": cost, "lower_quartile": low, "upper_quartile": high } })
        };
        json!({ "benchmark": "compile-time", "lines": request.lines, "runs": request.runs,
                "cpu_seconds": column(0), "wall_seconds": column(1) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_overhead_is_the_median_of_neighbouring_ratios() {
        let cost = |cpu: f64| Cost { cpu, wall: 2.0 * cpu };
        let plain: Vec<_> = [1.0, 2.0, 1.0].map(cost).into();
        let loaded: Vec<_> = [1.01, 2.02, 1.5].map(cost).into();
        let figures = Figures::new(&plain, &loaded);
        assert!((figures.overhead(0).0 - 0.01).abs() < 1e-9);
        assert!((figures.overhead(1).0 - 0.01).abs() < 1e-9);
        let request = Request { name: "compile-time".into(), runs: 3, lines: 100, ..Request::default() };
        assert_eq!(figures.json(&request)["cpu_seconds"]["plain"], json!([1.0, 2.0, 1.0]));
    }
}
