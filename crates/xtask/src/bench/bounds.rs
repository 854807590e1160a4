//! `cargo xtask bench bounds RUN.json`: what no order of the loops can beat on this machine, beside what a saved run of the suite has.
//!
//! Pluto is in no package registry. What stands in for it are ratios to clang that were measured on another machine; where clang's own
//! code is faster than there, a ratio may be more than strict floating point allows. So the program of `bench/bounds` measures two speeds
//! in one thread: terms (products that are rounded and then added, with all operands in registers) and ways through a matrix. Each
//! kernel's *bound* is clang's time over the least time that its terms, or its ways through memory, can take.

use super::Request;
use crate::stats::median;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// What a kernel cannot do without, in shape const and size large.
enum Least {
    /// So many terms.
    Terms(f64),
    /// To read and write a matrix of 2000 x 2000 cells, and to read it again.
    Passes,
}

/// Kernels that Pluto makes faster than the others do: how often that of clang, and what they need.
fn kernels() -> [(&'static str, f64, Least); 10] {
    let triangle = |n: f64| n * (n + 1.0) / 2.0;
    let terms = Least::Terms;
    [
        ("correlation", 68.0, terms(triangle(1199.0) * 1400.0)),
        ("covariance", 62.0, terms(triangle(1200.0) * 1400.0)),
        ("syr2k", 49.0, terms(2.0 * triangle(1200.0) * 1000.0)),
        ("trmm", 22.0, terms(triangle(999.0) * 1200.0)),
        ("gramschmidt", 11.0, terms(2.0 * triangle(1199.0) * 1000.0)),
        ("doitgen", 8.0, terms(150.0 * 140.0 * 160.0 * 160.0)),
        ("gemver", 3.8, Least::Passes),
        ("lu", 2.8, terms(2000.0 * 2000.0 * 2000.0 / 3.0)),
        ("syrk", 2.6, terms(triangle(1200.0) * 1000.0)),
        ("cholesky", 1.8, terms(2000.0 * 2000.0 * 2000.0 / 6.0)),
    ]
}

/// The two speeds.
struct Speeds {
    terms_per_second: f64,
    seconds_of_passes: f64,
}

impl Speeds {
    /// The medians of what the program printed.
    fn parse(printed: &str) -> Option<Speeds> {
        let rows = printed.lines().map(|line| {
            let mut numbers = line.split_whitespace().map(|word| word.parse::<f64>().ok());
            Some((numbers.next()??, numbers.next()??))
        });
        let (terms, passes): (Vec<f64>, Vec<f64>) = rows.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        (!terms.is_empty())
            .then(|| Speeds { terms_per_second: median(&terms), seconds_of_passes: median(&passes) })
    }

    fn seconds(&self, least: &Least) -> f64 {
        match least {
            Least::Terms(count) => count / self.terms_per_second,
            Least::Passes => self.seconds_of_passes,
        }
    }
}

/// Measures the speeds and prints the table.
pub fn run(ws: &Workspace, request: &Request, saved: &Path) -> Outcome {
    setup::ensure()?;
    let text =
        std::fs::read_to_string(saved).map_err(|e| Failure::Missing(format!("{}: {e}", saved.display())))?;
    let run: Value = serde_json::from_str(&text)
        .map_err(|e| Failure::Missing(format!("{} is no saved run: {e}", saved.display())))?;
    let folder = ws.out_dir(Profile::Release)?.join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| Failure::failed(format!("{}: {e}", folder.display())))?;
    let program = folder.join("bounds");
    let mut clang = Command::new("clang-22");
    clang.args(["-O3", "-march=native", "-ffp-contract=off", "-o"]).arg(&program);
    command::output(clang.arg(ws.root.join("bench/bounds/bounds.c")))?;
    let printed = command::output(Command::new(&program).arg(request.runs.to_string()))?;
    let speeds = Speeds::parse(&printed)
        .ok_or_else(|| Failure::failed(format!("the program printed no figures: {printed}")))?;
    print!("{}", table(&run, &speeds, request.runs)?);
    Ok(())
}

fn table(run: &Value, speeds: &Speeds, runs: u32) -> Outcome<String> {
    let peers = ["orthant", "tiled"];
    let mut text = format!(
        "bounds: strict floating point, one thread, medians of {runs} runs: {:.1} G terms/s; gemver's two ways through its \
         matrix {:.2} ms\nnumbers are clang's time / theirs\n{:<14}{:>12}{:>10}{:>8}",
        speeds.terms_per_second / 1e9,
        speeds.seconds_of_passes * 1e3,
        "kernel",
        "clang, ms",
        "bound",
        "Pluto",
    );
    peers.iter().for_each(|peer| text.push_str(&format!("{peer:>10}")));
    text.push('\n');
    let mut found = false;
    for (kernel, pluto, least) in kernels() {
        let Some(row) = row(run, kernel) else { continue };
        let Some(clang) = seconds(side(row, "clang")) else { continue };
        found = true;
        let bound = clang / speeds.seconds(&least);
        text.push_str(&format!("{kernel:<14}{:>12.2}{bound:>10.1}{pluto:>8.1}", clang * 1e3));
        for peer in peers {
            let ratio = side(row, peer).and_then(|side| side["ratio"].as_f64());
            text.push_str(&ratio.map_or(format!("{:>10}", "-"), |ratio| format!("{ratio:>10.1}")));
        }
        text.push_str(if bound < pluto { "   more than the bound\n" } else { "\n" });
    }
    match found {
        true => Ok(text),
        false => Err(Failure::Missing(
            "the saved run has none of these kernels in shape const: `cargo xtask bench --filter list --shape const \
             --peers clang,orthant,tiled --json RUN.json` makes one"
                .to_owned(),
        )),
    }
}

fn row<'a>(run: &'a Value, kernel: &str) -> Option<&'a Value> {
    let is_it = |row: &&Value| row["kernel"] == kernel && row["shape"] == "const";
    run["rows"].as_array()?.iter().find(is_it)
}

fn side<'a>(row: &'a Value, peer: &str) -> Option<&'a Value> {
    row["sides"].as_array()?.iter().find(|side| side["peer"] == peer)
}

fn seconds(side: Option<&Value>) -> Option<f64> {
    let times: Vec<f64> = side?["cpu_seconds"].as_array()?.iter().filter_map(Value::as_f64).collect();
    (!times.is_empty()).then(|| median(&times))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_ratio_may_be_more_than_the_bound() {
        let side = |peer: &str, ratio: f64| json!({ "peer": peer, "ratio": ratio, "cpu_seconds": [0.75] });
        let row = |kernel: &str, shape: &str| json!({ "kernel": kernel, "shape": shape, "sides": [side("clang", 1.0), side("orthant", 37.0)] });
        let run = json!({ "rows": [row("correlation", "vla"), row("correlation", "const"), row("gemver", "const")] });
        let speeds = Speeds::parse("5e10 0.1\n6e10 0.002\n9e10 0.001\n").unwrap();
        let text = table(&run, &speeds, 3).unwrap();
        let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(text.contains("60.0 G terms/s") && text.contains("2.00 ms"), "{text}");
        // 1.007 G terms in 16.8 ms.
        let words: Vec<_> = line("correlation").split_whitespace().collect();
        assert_eq!(words[1..6], ["750.00", "44.7", "68.0", "37.0", "-"], "{text}");
        assert!(line("correlation").ends_with("more than the bound"));
        assert!(!line("gemver").contains("more"), "{text}");
    }

    #[test]
    fn what_is_no_run_or_no_figures_is_said() {
        let speeds = Speeds { terms_per_second: 1e9, seconds_of_passes: 1.0 };
        assert!(matches!(table(&json!({ "rows": [] }), &speeds, 1), Err(Failure::Missing(_))));
        assert!(Speeds::parse("").is_none() && Speeds::parse("1.0\n").is_none());
    }
}
