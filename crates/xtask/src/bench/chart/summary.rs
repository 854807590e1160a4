//! What a table or a picture shows of a saved run, for one shape.

use serde_json::Value;

/// Kernels in one shape and what each peer made of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Whose speed is compared, without clang.
    pub peers: Vec<String>,
    /// In the order of the run.
    pub kernels: Vec<Kernel>,
    /// The geometric mean of each peer's ratios; `None` if it has none.
    pub means: Vec<Option<f64>>,
    /// What was measured and how: a list for one sentence.
    pub about: Vec<String>,
    /// The command without `cargo xtask bench`, as far as it was recorded.
    pub arguments: Option<String>,
}

/// One kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// clang's median, in seconds.
    pub clang: Option<f64>,
    /// For each peer.
    pub cells: Vec<Cell>,
}

/// One peer's build of one kernel.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// How many times faster than clang.
    Ratio(f64),
    /// Why there is no such number, in a word or two.
    None(String),
}

impl Cell {
    /// The number, if there is one.
    pub fn ratio(&self) -> Option<f64> {
        match self {
            Cell::Ratio(ratio) => Some(*ratio),
            Cell::None(_) => None,
        }
    }
}

impl Summary {
    /// One for each shape, in the order of the run; not empty.
    pub fn all(run: &Value) -> Result<Vec<Summary>, String> {
        if run["benchmark"] != "suite" {
            return Err(
                "this is no run of the suite: make one with `cargo xtask bench --json FILE`".to_owned()
            );
        }
        let rows = run["rows"].as_array().map(Vec::as_slice).unwrap_or_default();
        let mut shapes: Vec<&str> = Vec::new();
        for shape in rows.iter().filter_map(|row| row["shape"].as_str()) {
            if !shapes.contains(&shape) {
                shapes.push(shape);
            }
        }
        match shapes.is_empty() {
            true => Err("the run has no kernels".to_owned()),
            false => shapes.into_iter().map(|shape| Summary::new(run, rows, shape)).collect(),
        }
    }

    fn new(run: &Value, rows: &[Value], shape: &str) -> Result<Summary, String> {
        let rows: Vec<_> = rows.iter().filter(|row| row["shape"] == shape).collect();
        let peers = peers(rows[0])?;
        let is_wall = run["clock"] == "wall time";
        let kernels = rows.iter().map(|row| kernel(row, &peers, is_wall)).collect::<Result<Vec<_>, _>>()?;
        let mean = |peer: usize| {
            let ratios: Vec<f64> = kernels.iter().filter_map(|kernel| kernel.cells[peer].ratio()).collect();
            crate::bench::table::geomean(&ratios)
        };
        Ok(Summary {
            means: (0..peers.len()).map(mean).collect(),
            about: about(run, shape, kernels.len()),
            arguments: run["arguments"].as_str().map(str::to_owned),
            kernels,
            peers,
        })
    }

    /// How a peer's mean is called: of how many kernels, if not of all.
    pub fn mean_text(&self, peer: usize) -> String {
        let counted = self.kernels.iter().filter(|kernel| kernel.cells[peer].ratio().is_some()).count();
        let incomplete = if counted < self.kernels.len() { format!(" ({counted})") } else { String::new() };
        self.means[peer].map_or("-".to_owned(), |mean| format!("{mean:.2}{incomplete}"))
    }
}

/// The peers of a row; clang, whom they are compared with, must be the first.
fn peers(row: &Value) -> Result<Vec<String>, String> {
    let sides = row["sides"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut names = sides.iter().filter_map(|side| side["peer"].as_str()).map(str::to_owned);
    match (names.next().as_deref(), sides.len()) {
        (Some("clang"), 2..) => Ok(names.collect()),
        _ => Err("the run compares nobody with clang".to_owned()),
    }
}

fn kernel(row: &Value, peers: &[String], is_wall: bool) -> Result<Kernel, String> {
    let name = row["kernel"].as_str().ok_or("a row has no kernel")?.to_owned();
    let side = |peer: &str| -> Result<&Value, String> {
        let sides = row["sides"].as_array().into_iter().flatten();
        sides.clone().find(|side| side["peer"] == peer).ok_or(format!("{name} was not run by {peer}"))
    };
    let times = &side("clang")?[if is_wall { "wall_seconds" } else { "cpu_seconds" }];
    let times: Vec<f64> = times.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
    let cells = peers.iter().map(|peer| side(peer).map(cell)).collect::<Result<_, _>>()?;
    let clang = (!times.is_empty()).then(|| crate::stats::median(&times));
    Ok(Kernel { clang, cells, name })
}

fn cell(side: &Value) -> Cell {
    match (side["ratio"].as_f64(), side["state"].as_str()) {
        (Some(ratio), _) if ratio.is_finite() && ratio > 0.0 => Cell::Ratio(ratio),
        (_, Some(state)) if state != "fine" => Cell::None(state.to_owned()),
        _ => Cell::None("not measured".to_owned()),
    }
}

fn about(run: &Value, shape: &str, kernels: usize) -> Vec<String> {
    let text = |key: &str| run[key].as_str().map(str::to_owned);
    let shape = match shape {
        "const" => "constant sizes".to_owned(),
        "vla" => "arrays with sizes as parameters".to_owned(),
        "flat" => "flat arrays".to_owned(),
        "cpp" => "a C++ matrix class".to_owned(),
        other => other.to_owned(),
    };
    let threads = run["threads"].as_u64().map(|count| match count {
        1 => "one thread".to_owned(),
        count => format!("{count} threads"),
    });
    let runs = run["runs"].as_u64().map(|count| match count {
        1 => "one run of each".to_owned(),
        count => format!("medians of {count} interleaved runs"),
    });
    let all = [
        Some(format!("{kernels} kernel{}", if kernels == 1 { "" } else { "s" })),
        Some(shape),
        text("size").map(|size| format!("size {size}")),
        threads,
        text("clock"),
        runs,
        text("processor"),
        text("commit").map(|commit| format!("commit {commit}")),
    ];
    all.into_iter().flatten().collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// A run of three kernels with two peers, one of which fails once.
    pub fn saved() -> Value {
        let side = |peer: &str, state: &str, ratio: Value, cpu: Value| json!({ "peer": peer, "state": state, "ratio": ratio, "cpu_seconds": cpu, "wall_seconds": [9.0] });
        let row = |kernel: &str, shape: &str, ours: f64, polly: Value, state: &str| {
            json!({ "kernel": kernel, "shape": shape, "sides": [
                side("clang", "fine", json!(1.0), json!([2.0, 3.0, 4.0])),
                side("orthant", "fine", json!(ours), json!([1.0])),
                side("polly", state, polly, json!([1.0])),
            ]})
        };
        json!({ "benchmark": "suite", "clock": "processor time", "size": "large", "threads": 1, "runs": 3,
                "processor": "An <odd> & \"old\" one", "commit": "abc", "arguments": "--runs 3",
                "rows": [
                    row("gemm", "const", 4.0, json!(2.0), "fine"),
                    row("a<b", "const", 100.0, json!(null), "wrong"),
                    row("lu", "const", 0.25, json!(0.5), "fine"),
                    row("gemm", "vla", 8.0, json!(2.0), "fine"),
                ] })
    }

    #[test]
    fn every_shape_has_its_kernels_and_means() {
        let all = Summary::all(&saved()).unwrap();
        assert_eq!(all.len(), 2);
        let names: Vec<_> = all[0].kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(
            (names, &all[0].peers[..]),
            (vec!["gemm", "a<b", "lu"], &["orthant".into(), "polly".into()][..])
        );
        assert_eq!(all[0].kernels[0].clang, Some(3.0));
        assert_eq!(all[0].kernels[1].cells, [Cell::Ratio(100.0), Cell::None("wrong".into())]);
        assert!((all[0].means[0].unwrap() - 100f64.cbrt()).abs() < 1e-9);
        assert_eq!((all[0].mean_text(0), all[0].mean_text(1)), ("4.64".into(), "1.00 (2)".into()));
        assert_eq!(all[1].kernels.len(), 1);
        assert_eq!(all[0].about[..4], ["3 kernels", "constant sizes", "size large", "one thread"]);
    }

    #[test]
    fn what_is_no_run_is_refused_with_a_reason() {
        let why = |value: Value| Summary::all(&value).unwrap_err();
        assert!(why(json!({})).contains("--json"));
        assert!(why(json!({ "benchmark": "suite", "rows": [] })).contains("no kernels"));
        let mut alone = saved();
        alone["rows"][0]["sides"].as_array_mut().unwrap().truncate(1);
        assert!(why(alone).contains("nobody"));
        let mut gap = saved();
        gap["rows"][2]["sides"].as_array_mut().unwrap().truncate(2);
        assert!(why(gap).contains("lu was not run by polly"));
    }
}
