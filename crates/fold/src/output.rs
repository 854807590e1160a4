//! The result of folding a stream, and how it is written (Section 4.2, Tables 3 and 4).
//!
//! A [`Folding`] is a union of pieces. Nothing over-approximated is presented as exact: [`Folding::is_exact`] holds
//! only if every piece is, each piece says for its domain and for each label component which it is, and the text form
//! marks what is not. [`Folding::isl`] contains the stream in any case, and equals it if the folding is exact;
//! [`Folding::isl_exact`] is only the exact pieces.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value, json};

use crate::isl_text::{domain_text, label_text, piece_text};
use crate::piece::Piece;

/// What happened on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Stats {
    /// Points received, duplicates included.
    pub points: u64,
    /// Points equal to their predecessor, dropped.
    pub duplicates: u64,
    /// Polyhedra retired.
    pub retired: u64,
    /// Most intermediate polyhedra at any moment (the paper's `#MP_I`).
    pub max_intermediate: usize,
    /// Whether label widening was on at the end.
    pub widened: bool,
    /// Whether the stream gave up geometrically.
    pub gave_up: bool,
    /// Whether some iteration vector came with more than one label: the result is a relation, not a function.
    pub multivalued: bool,
}

impl Stats {
    /// The statistics of a stream and of the lane with its further labels.
    pub(crate) fn and(&self, lane: &Stats) -> Stats {
        Stats {
            points: self.points + lane.points,
            duplicates: self.duplicates + lane.duplicates,
            retired: self.retired + lane.retired,
            max_intermediate: self.max_intermediate + lane.max_intermediate,
            widened: self.widened || lane.widened,
            gave_up: self.gave_up || lane.gave_up,
            multivalued: true,
        }
    }
}

/// A folded stream: a piecewise affine function (or relation) over a union of polyhedra.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folding {
    /// Name of the stream; the tuple name of its domain in isl notation if it is an identifier.
    pub name: String,
    /// Names of the iteration dimensions, outermost first.
    pub dims: Vec<String>,
    /// Names of the label components.
    pub labels: Vec<String>,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// What happened on the way.
    pub stats: Stats,
}

/// A name that isl does not take for a variable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` cannot be the name of a dimension or label: {1}")]
pub struct NameError(pub String, pub &'static str);

/// Words with a meaning of their own in isl's notation.
const RESERVED: &[&str] = &[
    "and", "or", "not", "implies", "exists", "mod", "floor", "floord", "ceil", "ceild", "min", "max", "rat",
    "true", "false", "infty", "infinity", "NaN", "int", "lex", "lexmin", "lexmax",
];

/// Whether isl reads this as an identifier.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !RESERVED.iter().any(|r| r.eq_ignore_ascii_case(name))
}

/// Check that names can be used together.
pub(crate) fn check_names(dims: &[String], labels: &[String]) -> Result<(), NameError> {
    let mut seen = std::collections::HashSet::new();
    for name in dims.iter().chain(labels) {
        if !is_identifier(name) {
            let why = "letters, digits and underscores only, not starting with a digit, and no word of isl's notation";
            return Err(NameError(name.clone(), why));
        }
        if !seen.insert(name) {
            return Err(NameError(name.clone(), "it is used twice"));
        }
    }
    Ok(())
}

impl Folding {
    pub(crate) fn new(dim: usize, labels: usize, pieces: Vec<Piece>, stats: Stats) -> Folding {
        Folding {
            name: String::new(),
            dims: (0..dim).map(|d| format!("i{d}")).collect(),
            labels: (0..labels).map(|l| format!("l{l}")).collect(),
            pieces,
            stats,
        }
    }

    /// Name the stream, its dimensions and its labels. An error if the names are not usable or not as many.
    pub fn with_names(
        mut self,
        name: &str,
        dims: &[String],
        labels: &[String],
    ) -> Result<Folding, NameError> {
        check_names(dims, labels)?;
        if dims.len() != self.dims.len() || labels.len() != self.labels.len() {
            return Err(NameError(
                name.to_string(),
                "the number of names is not that of the dimensions and labels",
            ));
        }
        self.name = name.to_string();
        self.dims = dims.to_vec();
        self.labels = labels.to_vec();
        Ok(self)
    }

    /// Whether the result is exactly the stream.
    pub fn is_exact(&self) -> bool {
        self.pieces.iter().all(Piece::is_exact)
    }

    /// Whether the domain is exactly the set of iteration vectors of the stream.
    pub fn is_domain_exact(&self) -> bool {
        self.pieces.iter().all(|p| p.exact_domain)
    }

    /// Whether label component `l` is exact in every piece.
    pub fn is_label_exact(&self, l: usize) -> bool {
        self.pieces.iter().all(|p| p.labels[l].is_exact())
    }

    /// The paper's `%A`: points in pieces whose label function has no top, out of all.
    pub fn affine_points(&self) -> (u64, u64) {
        let affine = |p: &&Piece| p.labels.iter().all(|f| f.is_exact());
        let all = self.pieces.iter().map(|p| p.points).sum();
        (self.pieces.iter().filter(affine).map(|p| p.points).sum(), all)
    }

    fn tuple(&self) -> &str {
        if is_identifier(&self.name) { &self.name } else { "" }
    }

    fn isl_of<'a>(&self, pieces: impl Iterator<Item = &'a Piece>) -> String {
        let parts: Vec<String> =
            pieces.map(|p| piece_text(p, self.tuple(), &self.dims, &self.labels)).collect();
        if parts.is_empty() {
            let range = if self.labels.is_empty() {
                String::new()
            } else {
                format!(" -> [{}]", self.labels.join(", "))
            };
            return format!("{{ {}[{}]{range} : false }}", self.tuple(), self.dims.join(", "));
        }
        format!("{{ {} }}", parts.join("; "))
    }

    /// All pieces as a map in isl's notation (a set if there are no labels). It contains the stream, and equals it if
    /// [`Folding::is_exact`].
    pub fn isl(&self) -> String {
        self.isl_of(self.pieces.iter())
    }

    /// The exact pieces only.
    pub fn isl_exact(&self) -> String {
        self.isl_of(self.pieces.iter().filter(|p| p.is_exact()))
    }

    /// The over-approximated pieces only.
    pub fn isl_over(&self) -> String {
        self.isl_of(self.pieces.iter().filter(|p| !p.is_exact()))
    }

    /// A short table for people, one piece a line, with what is over-approximated.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let exactness = if self.is_exact() { "exact" } else { "over-approximated" };
        let name = if self.name.is_empty() { "stream" } else { &self.name };
        let n = self.pieces.len();
        let plural = if n == 1 { "" } else { "s" };
        let _ = writeln!(out, "{name}: {} points, {n} piece{plural}, {exactness}", self.stats.points);
        for p in &self.pieces {
            let domain = domain_text(p, &self.dims);
            let _ = write!(out, "  {}", if domain.is_empty() { "one point" } else { &domain });
            for (l, label) in self.labels.iter().enumerate() {
                let _ = write!(
                    out,
                    "{} {label} = {}",
                    if l == 0 { " ->" } else { "," },
                    label_text(p, l, &self.dims)
                );
            }
            let over = self.approximations(p);
            if !over.is_empty() {
                let _ = write!(out, "  [over-approximated: {}]", over.join("; "));
            }
            out.push('\n');
        }
        out
    }

    /// What is over-approximated in a piece, in words.
    fn approximations(&self, p: &Piece) -> Vec<String> {
        let mut over = Vec::new();
        if !p.exact_domain {
            over.push("domain".to_string());
        }
        for (f, name) in p.labels.iter().zip(&self.labels).filter(|(f, _)| !f.is_exact()) {
            let mut along: Vec<&str> = Vec::new();
            for (level, _) in p.levels.iter().zip(&f.coeffs).rev().filter(|(_, c)| c.is_none()) {
                if !along.contains(&self.dims[level.dim].as_str()) {
                    along.push(&self.dims[level.dim]);
                }
            }
            let along = if along.is_empty() { String::new() } else { format!(" along {}", along.join(", ")) };
            over.push(format!("label {name}{along}"));
        }
        over
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let piece = |p: &Piece| {
            let mut v = json!(p);
            v["exact"] = json!(p.is_exact());
            v["over_approximated"] = json!(self.approximations(p));
            v["isl"] = json!(format!("{{ {} }}", piece_text(p, self.tuple(), &self.dims, &self.labels)));
            v
        };
        json!({
            "name": self.name,
            "dims": self.dims,
            "labels": self.labels,
            "exact": self.is_exact(),
            "exact_domain": self.is_domain_exact(),
            "exact_labels": (0..self.labels.len()).map(|l| self.is_label_exact(l)).collect::<Vec<_>>(),
            "isl": self.isl(),
            "pieces": self.pieces.iter().map(piece).collect::<Vec<_>>(),
            "stats": self.stats,
        })
    }
}
