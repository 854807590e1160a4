//! Dependence graphs: statements, or the operations of one run.
//!
//! An edge goes from the source to the sink of a direct dependence. In the graph of statements it is labelled with what is
//! read and dashed where it is over-approximated; in the graph of operations it is dotted where it is an
//! output dependence. Nodes are in text order, or in the order of the run.
//!
//! [`Graph::to_dot`] writes it for Graphviz, [`crate::svg`] draws it without.

use crate::dataflow::{Dataflow, Error};
use crate::resolve::Program;
use crate::trace::{Kind, Trace};
use std::collections::HashSet;
use std::fmt::Write as _;

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Line {
    /// What is certain.
    Solid,
    /// What may be.
    Dashed,
    /// An output dependence.
    Dotted,
}

impl Line {
    /// Graphviz's name.
    fn name(self) -> &'static str {
        match self {
            Line::Solid => "solid",
            Line::Dashed => "dashed",
            Line::Dotted => "dotted",
        }
    }
}

/// An edge between two nodes, by their positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The source of the dependence.
    pub from: usize,
    /// Its sink.
    pub to: usize,
    /// What is read; may be empty.
    pub label: String,
    /// How it is drawn.
    pub line: Line,
}

/// A graph to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    /// `dataflow` or `operations`.
    pub name: &'static str,
    /// Graphviz's shape of the nodes: `box` or `ellipse`.
    pub shape: &'static str,
    /// By node: its name and its text.
    pub nodes: Vec<(String, String)>,
    /// The dependences.
    pub edges: Vec<Edge>,
}

impl Dataflow<'_> {
    /// The graph of the statements.
    pub fn graph(&self) -> Result<Graph, Error> {
        let report = self.report()?;
        let position = |name: &str| report.statements.iter().position(|s| s.name == name);
        let nodes = report.statements.iter().map(|s| (s.name.clone(), format!("{}: {}", s.name, s.text)));
        let edges = report.dependences.iter().filter(|d| !d.direct_is_empty).filter_map(|d| {
            let line = if d.direct_status.exact { Line::Solid } else { Line::Dashed };
            let line = if d.kind == "output" { Line::Dotted } else { line };
            Some(Edge { from: position(&d.source)?, to: position(&d.sink)?, label: d.access.clone(), line })
        });
        Ok(Graph { name: "dataflow", shape: "box", nodes: nodes.collect(), edges: edges.collect() })
    }
}

/// The graph of the operations of a run; for small runs.
pub fn operations(program: &Program, trace: &Trace) -> Graph {
    let mut nodes = Vec::new();
    let mut edges = Vec::new();
    for k in 0..trace.len() as u32 {
        let vector: Vec<String> = trace.vector(k).iter().map(i64::to_string).collect();
        let label = format!("{}({})", program.ops[trace.op(k).index()].name, vector.join(","));
        nodes.push((format!("o{k}"), label));
        let mut seen = HashSet::new();
        for direct in trace.direct(k).filter(|direct| seen.insert((direct.source, direct.kind))) {
            let line = if direct.kind == Kind::Flow { Line::Solid } else { Line::Dotted };
            edges.push(Edge { from: direct.source as usize, to: k as usize, label: String::new(), line });
        }
    }
    Graph { name: "operations", shape: "ellipse", nodes, edges }
}

impl Graph {
    /// The graph in Graphviz's notation.
    pub fn to_dot(&self) -> String {
        let mut out =
            format!("digraph {} {{\n  node [shape={}, fontname=\"monospace\"];\n", self.name, self.shape);
        for (name, text) in &self.nodes {
            let _ = writeln!(out, "  {} [label={}];", quoted(name), quoted(text));
        }
        for edge in &self.edges {
            let label = if edge.label.is_empty() {
                String::new()
            } else {
                format!("label={}, ", quoted(&edge.label))
            };
            let (from, to) = (quoted(&self.nodes[edge.from].0), quoted(&self.nodes[edge.to].0));
            let _ = writeln!(out, "  {from} -> {to} [{label}style={}];", edge.line.name());
        }
        out.push_str("}\n");
        out
    }
}

/// A string of Graphviz: only quotes and backslashes need care.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
