//! `cargo xtask bench suite --coverage`: what Orthant makes of each kernel in each shape, nothing left out.
//!
//! The figures are those of the plugin's own report (one JSON line a function, see the crate `report`): how many
//! nests had which outcome, and of the rejected ones why. Outcomes are taken as they are named there.

use super::peers::Peer;
use super::suite_kernels::{Kernel, Shape, Size, kernel_arguments};
use crate::{Failure, Outcome, command};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The outcome that needs a reason.
const REJECTED: &str = "rejected";

/// A kernel in one shape: nests by outcome, and the reasons of the rejected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Cell {
    outcomes: BTreeMap<String, usize>,
    /// By id, and what the refusal says of itself.
    reasons: BTreeMap<(String, String), usize>,
}

impl Cell {
    fn shown(&self) -> String {
        let parts: Vec<_> =
            self.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        if parts.is_empty() { "no loops".to_owned() } else { parts.join(", ") }
    }
}

/// Compiles every kernel in every shape with the plugin and prints what it reported.
pub fn run(orthant: &Peer, kernels: &[Kernel], shapes: &[Shape], size: &Size, scratch: &Path) -> Outcome {
    let header: String = shapes.iter().map(|shape| format!(" {:<28}", shape.name())).collect();
    println!("loop nests by outcome, as Orthant reports them\n{:<18}{}", "kernel", header.trim_end());
    let mut table: Vec<(&Kernel, Vec<Cell>)> = Vec::new();
    for kernel in kernels {
        let cells = shapes
            .iter()
            .map(|shape| cell(orthant, kernel, *shape, size, scratch))
            .collect::<Outcome<Vec<_>>>()?;
        let shown: String = cells.iter().map(|cell| format!(" {:<28}", cell.shown())).collect();
        println!("{:<18}{}", kernel.name, shown.trim_end());
        table.push((kernel, cells));
    }
    print!("{}", summary(&table, shapes));
    Ok(())
}

fn cell(orthant: &Peer, kernel: &Kernel, shape: Shape, size: &Size, scratch: &Path) -> Outcome<Cell> {
    let report = scratch.join("coverage.jsonl");
    // The plugin appends.
    if report.exists() {
        fs::remove_file(&report).map_err(|e| Failure::failed(format!("{}: {e}", report.display())))?;
    }
    let mut compile = orthant.command();
    compile.args(kernel_arguments(kernel, shape, size, &scratch.join("coverage.o")));
    compile.args(["-mllvm", &format!("-orthant-report={}", report.display())]);
    command::output(&mut compile)?;
    // A file without loops has no report.
    let text = if report.exists() { fs::read_to_string(&report) } else { Ok(String::new()) };
    let text = text.map_err(|e| Failure::failed(format!("{}: {e}", report.display())))?;
    read(&text).map_err(|why| Failure::failed(format!("{}: {why}", report.display())))
}

fn read(text: &str) -> Result<Cell, String> {
    let mut cell = Cell::default();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let function: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
        let nests = function["nests"].as_array().ok_or("a function without nests")?;
        for nest in nests {
            let outcome = nest["outcome"]["outcome"].as_str().ok_or("a nest without outcome")?;
            *cell.outcomes.entry(outcome.to_owned()).or_default() += 1;
            for refusal in nest["outcome"]["refusals"].as_array().into_iter().flatten() {
                *cell.reasons.entry(reason(refusal)?).or_default() += 1;
            }
        }
    }
    Ok(cell)
}

/// The refusal's id, and what it says of itself: `call-with-side-effects` and `: printf`.
fn reason(refusal: &Value) -> Result<(String, String), String> {
    let fields = refusal.as_object().ok_or("a refusal that is no object")?;
    let id = fields.get("id").and_then(Value::as_str).ok_or("a refusal without id")?;
    let details = fields.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "loc"));
    let details: Vec<_> = details.filter_map(|(_, value)| value.as_str()).collect();
    let details = if details.is_empty() { String::new() } else { format!(": {}", details.join(", ")) };
    Ok((id.to_owned(), details))
}

fn summary(table: &[(&Kernel, Vec<Cell>)], shapes: &[Shape]) -> String {
    let mut out = String::from("\n");
    for (index, shape) in shapes.iter().enumerate() {
        let cells: Vec<_> = table.iter().map(|(_, cells)| &cells[index]).collect();
        let mut sums: BTreeMap<&str, usize> = BTreeMap::new();
        for (outcome, count) in cells.iter().flat_map(|cell| &cell.outcomes) {
            *sums.entry(outcome).or_default() += count;
        }
        let sums: Vec<_> = sums.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
        let whole = |cell: &&&Cell| !cell.outcomes.is_empty() && !cell.outcomes.contains_key(REJECTED);
        out += &format!(
            "{}: {} of {} kernels without a rejected nest; nests: {}\n",
            shape.name(),
            cells.iter().filter(whole).count(),
            cells.len(),
            sums.join(", ")
        );
    }
    out + &reasons(table, shapes)
}

/// By reason, then where; what a reason says of itself differs from place to place.
fn reasons(table: &[(&Kernel, Vec<Cell>)], shapes: &[Shape]) -> String {
    let mut places: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (kernel, cells) in table {
        for (shape, cell) in shapes.iter().zip(cells) {
            for ((id, details), count) in &cell.reasons {
                let place = format!("{} {}{}{details}", kernel.name, shape.name(), times(*count));
                places.entry(id).or_default().push(place);
            }
        }
    }
    let heading = if places.is_empty() { "" } else { "\nreasons of the rejected:\n" };
    let lines = places.iter().map(|(id, places)| format!("{id}\n  {}\n", places.join("\n  ")));
    heading.to_owned() + &lines.collect::<String>()
}

fn times(count: usize) -> String {
    if count > 1 { format!(" x{count}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"{"format":1,"symbol":"f","nests":[{"loc":null,"outcome":{"outcome":"candidate"}},
{"loc":null,"outcome":{"outcome":"rejected","refusals":[{"id":"sets-errno","callee":"sqrt","loc":{"line":3}},{"id":"no-exit","loc":null}]}}]}"#;

    #[test]
    fn outcomes_and_reasons_are_counted() {
        let cell = read(&REPORT.replace('\n', "")).unwrap();
        assert_eq!(cell.shown(), "1 candidate, 1 rejected");
        let reasons: Vec<_> = cell.reasons.keys().map(|(id, details)| format!("{id}{details}")).collect();
        assert_eq!(reasons, ["no-exit", "sets-errno: sqrt"]);
        assert_eq!(read("").unwrap().shown(), "no loops");
        assert!(read("{}").is_err() && read("nonsense").is_err());
    }

    #[test]
    fn the_summary_names_every_rejected_nest() {
        let kernel = Kernel { name: "lu".into(), file: "lu.c".into() };
        let bad = read(&REPORT.replace('\n', "")).unwrap();
        let good = Cell { outcomes: BTreeMap::from([("candidate".to_owned(), 2)]), reasons: BTreeMap::new() };
        let text = summary(&[(&kernel, vec![bad, good])], &[Shape::Flat, Shape::Cpp]);
        assert!(
            text.contains("flat: 0 of 1 kernels without a rejected nest; nests: 1 candidate, 1 rejected"),
            "{text}"
        );
        assert!(text.contains("cpp: 1 of 1 kernels"), "{text}");
        assert!(text.contains("\nsets-errno\n  lu flat: sqrt\n"), "{text}");
    }
}
