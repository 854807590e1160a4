//! Problems as text, for tests and experiments.
//!
//! ```text
//! context: [N, M] -> { : N >= 0 and M >= 0 }            optional
//! product: NM = N*M                                      a parameter that is a product; any number
//! S1: write 4 at 4*(i*M + j) for [N, M] -> { S1[i, j] : 0 <= i < N and 0 <= j < M }
//! S2: read 8 anywhere for { S2[] }
//! ```
//!
//! An access has a name, the number of its bytes, its offset in bytes and its domain. Names in an offset are the domain's
//! counters, and else parameters. Lines that start with `#` are comments.

use crate::Names;
use crate::parse::{ParseError, parse};
use crate::poly::Poly;
use crate::problem::{Access, Problem, Products};
use crate::view::View;
use isl::{Ctx, DimType, Set};

/// A problem whose accesses have names.
pub struct Text {
    /// The problem.
    pub problem: Problem,
    /// In the order of the problem.
    pub names: Vec<String>,
}

/// Why a text is not a problem.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {why}")]
pub struct Error {
    /// Counted from 1.
    pub line: usize,
    /// What is wrong.
    pub why: Why,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
pub enum Why {
    /// It has another form.
    #[error("expected {0}")]
    Form(&'static str),
    /// Its offset is wrong.
    #[error(transparent)]
    Offset(#[from] ParseError),
    /// Its set is wrong.
    #[error(transparent)]
    Isl(#[from] isl::Error),
}

/// Reads a problem.
pub fn read(ctx: &Ctx, text: &str) -> Result<Text, Error> {
    let context = Set::read_from_str(ctx, "{ : }").map_err(|error| Error { line: 0, why: error.into() })?;
    let problem = Problem {
        context,
        accesses: Vec::new(),
        products: Products::default(),
        units: vec![],
        declared: None,
    };
    let mut read = Text { problem, names: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            read.line(ctx, line).map_err(|why| Error { line: index + 1, why })?;
        }
    }
    Ok(read)
}

impl Text {
    fn line(&mut self, ctx: &Ctx, line: &str) -> Result<(), Why> {
        let (name, rest) = line.split_once(':').ok_or(Why::Form("NAME: ..."))?;
        match name {
            "context" => self.problem.context = Set::read_from_str(ctx, rest)?,
            "product" => {
                let form = Why::Form("product: NAME = FACTOR*FACTOR");
                let (name, factors) = rest.split_once('=').ok_or(form)?;
                let factors: Vec<_> = factors.split('*').map(str::trim).collect();
                self.problem.products.insert(name.trim(), &factors);
            }
            _ => {
                self.problem.accesses.push(access(ctx, rest.trim())?);
                self.names.push(name.to_owned());
            }
        }
        Ok(())
    }

    /// The view, one line for the array and one for each access.
    pub fn show(&self, view: &View) -> isl::Result<String> {
        let element = format!("{} bytes ", view.granule);
        let names = Names { array: "A", element: &element, param: &str::to_owned };
        let mut text = view.explain(&names)?;
        for (index, name) in self.names.iter().enumerate() {
            text.push_str(&format!("\n{name}: {}", view.explain_access(index, &names)?));
        }
        if view.exhausted {
            text.push_str("\nthere were more candidates than allowed");
        }
        Ok(text)
    }
}

fn access(ctx: &Ctx, text: &str) -> Result<Access, Why> {
    const FORM: Why = Why::Form("NAME: read|write BYTES at OFFSET for DOMAIN");
    let (kind, rest) = text.split_once(' ').ok_or(FORM)?;
    let (bytes, rest) = rest.trim().split_once(' ').ok_or(FORM)?;
    let (place, domain) = rest.rsplit_once(" for ").ok_or(FORM)?;
    let domain = Set::read_from_str(ctx, domain)?;
    let mut counters = Vec::new();
    for position in 0..domain.dim(DimType::Set)? {
        counters.push(domain.get_dim_name(DimType::Set, position)?.unwrap_or_default());
    }
    let atom = |name: &str| match counters.iter().position(|counter| counter == name) {
        Some(position) => Poly::counter(position as u32),
        None => Poly::param(name),
    };
    let offset = match place.trim().strip_prefix("at ") {
        Some(offset) => Some(parse(offset, atom)?),
        None if place.trim() == "anywhere" => None,
        None => return Err(FORM),
    };
    let writes = match kind {
        "write" => true,
        "read" => false,
        _ => return Err(FORM),
    };
    Ok(Access { offset, bytes: bytes.parse().map_err(|_| FORM)?, domain, writes })
}
