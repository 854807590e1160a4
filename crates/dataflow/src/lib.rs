//! Dependences of a model: which statement instance must stay before which, and why.
//!
//! # Terms
//! Two accesses *conflict* when they touch a common cell and at least one of them writes. Of two conflicting
//! instances the one that the program runs first is the *source*, the other the *sink*:
//!
//! - *flow*: the source writes what the sink reads. *Value-based* flow relates a read only to the writes whose
//!   value it can see: a must-write hides all writes before it (it *kills* them), a may-write hides nothing and is
//!   a source itself.
//! - *anti*: the source reads what the sink overwrites. *Output*: both write. Where that is cheap, these keep only
//!   the nearest sinks: what lies behind a must-write follows from the dependences to and from that write.
//! - *reduction*: source and sink update the same cell with the same associative and commutative operation
//!   ([`model::Reduction`]). A scheduler may drop these, and only these, if it may reassociate. For that freedom an
//!   update counts as a may-write: it does not hide the updates before it, so that every update, not just the last
//!   one, has its own flow dependence to the read that follows and from the write before.
//!
//! *Memory-based* dependences relate all conflicting pairs in the program's order.
//!
//! All reads of an instance happen before its writes (see [`model::scop`]), so no instance depends on itself. Scalars
//! and phis are arrays with one cell and get no special treatment. What holds a value after the nest keeps it: output
//! dependences fix the last write of every cell.
//!
//! # Invariant
//! Let `all` be the transitive closure of `flow`, `anti`, `output` and `reduction`. Every conflicting pair in
//! program order is in `all`; without `reduction`, every conflicting pair that is not two updates of one
//! reduction is. No relation leaves the program's order, and each pair in it really conflicts, up to what
//! [`Dependences::exactness`] admits.
//!
//! # Example
//! ```text
//! S: for i: A[i] = B[i];     flow   { S[i] -> T[i + 1] : 0 <= i < n - 1 }
//! T: for i: B[i] = A[i - 1]; anti   { S[i] -> T[i] : 0 <= i < n }
//! ```
//!
//! # Budget
//! If isl spends its budget on the value-based analysis, memory-based dependences stand in and the result says so.
//! If they fail too, the result is an error: "unknown" is never "no dependence".
//!
//! # References
//! P. Feautrier, "Dataflow analysis of array and scalar references", 1991 (value-based flow, sections 3 and 4);
//! the treatment of reductions follows the idea of J. Doerfert et al., "Polly's polyhedral scheduling in the presence
//! of reductions", 2015, section 3, but lets updates not kill instead of adding privatization dependences afterwards.

mod access;
pub mod content;
mod last;
mod memory;
mod order;
mod overlap;
mod show;
mod value;
pub mod zones;

use std::fmt;

use isl::{Map, UnionMap};
use model::{AccessId, ArrayId, Scop};

use access::Table;
pub use memory::memory_based;
pub use order::{before, shared_loops};
pub use overlap::{share_a_loop, with_overlap};

/// What a dependence comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A write, then a read that may see its value.
    Flow,
    /// A read, then a write.
    Anti,
    /// A write, then another.
    Output,
    /// Two updates of one reduction.
    Reduction,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 4] = [Kind::Flow, Kind::Anti, Kind::Output, Kind::Reduction];

    /// In lower case, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Flow => "flow",
            Kind::Anti => "anti",
            Kind::Output => "output",
            Kind::Reduction => "reduction",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The dependences of a scop. `{ S[i] -> T[j] }` goes from the instance that must run first to the later one.
#[derive(Clone, Debug)]
pub struct Dependences {
    /// `{ S[i] -> T[j] }`: S\[i\] writes a value that T\[j\] may read.
    pub flow: UnionMap,
    /// `{ S[i] -> T[j] }`: S\[i\] reads a cell that T\[j\] overwrites.
    pub anti: UnionMap,
    /// `{ S[i] -> T[j] }`: S\[i\] writes a cell that T\[j\] overwrites.
    pub output: UnionMap,
    /// `{ S[i] -> T[j] }`: both update a cell by the same operation, and no other must-write lies between.
    /// The order of the two may be changed by whoever may reassociate; they still must not run at the same time.
    pub reduction: UnionMap,
    /// `{ S[i] -> A[x] }`: reads that may see what was in the cell before the nest.
    pub live_in: UnionMap,
    /// `{ S[i] -> A[x] }`: writes that no later must-write hides: what may be in the cell after the nest. All writes, if nobody
    /// wanted to know ([`Options::live_out`]).
    pub live_out: UnionMap,
    /// The same dependences by pairs of accesses, for explanations.
    pub by_access: Vec<AccessDependence>,
    /// How `flow` was found.
    pub flow_basis: Basis,
    /// How `anti` and `output` were found.
    pub memory_basis: Basis,
    /// Whether there can be pairs in the relations that no run of the program has.
    pub exactness: Exactness,
}

/// The dependences between two accesses.
#[derive(Clone, Debug)]
pub struct AccessDependence {
    /// What kind.
    pub kind: Kind,
    /// The access that comes first.
    pub source: AccessId,
    /// The access that comes second.
    pub sink: AccessId,
    /// The array of both.
    pub array: ArrayId,
    /// `{ S[i] -> T[j] }`.
    pub relation: Map,
}

/// Which pairs of conflicting instances are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Those without a must-write of the cell between them.
    Value,
    /// All.
    Memory,
}

/// Whether the flow is what happens, or more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exactness {
    /// Each related pair occurs in every run that executes both instances, if each read reads.
    Exact,
    /// Some pairs may not occur, for these reasons.
    Over(Vec<Inexact>),
}

impl Exactness {
    /// Whether the result is exact.
    pub fn is_exact(&self) -> bool {
        *self == Exactness::Exact
    }
}

/// Why a result is over-approximated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inexact {
    /// A write may not happen.
    MayWrite {
        /// The access.
        access: AccessId,
        /// Its statement's name.
        stmt: String,
        /// Its array's name.
        array: String,
    },
    /// A read has several cells and may read only some of them.
    ManyCells {
        /// The access.
        access: AccessId,
        /// Its statement's name.
        stmt: String,
        /// Its array's name.
        array: String,
    },
    /// The budget was spent on this part: what stands in for it is memory-based.
    Budget(&'static str),
    /// Memory-based flow was asked for.
    MemoryBased,
}

impl fmt::Display for Inexact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inexact::MayWrite { stmt, array, .. } => write!(f, "{stmt} may or may not write {array}"),
            Inexact::ManyCells { stmt, array, .. } => {
                write!(f, "{stmt} may read any of several cells of {array}")
            }
            Inexact::MemoryBased => write!(f, "flow goes past writes that hide it"),
            Inexact::Budget(part) => write!(
                f,
                "the budget was spent on the value-based {part}; all conflicting accesses are related instead"
            ),
        }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Not even the memory-based analysis came to an end.
    #[error(
        "the dependences of {scop} are not known: the budget of isl operations is spent; raise the budget or split \
         the loop nest"
    )]
    Budget {
        /// The name of the scop.
        scop: String,
    },
    /// isl failed otherwise.
    #[error("cannot compute the dependences of {scop}: {error}")]
    Isl {
        /// The name of the scop.
        scop: String,
        /// What isl says.
        #[source]
        error: isl::Error,
    },
}

impl Error {
    fn of(scop: &Scop) -> impl Fn(isl::Error) -> Error + '_ {
        |error| match error.is_budget() {
            true => Error::Budget { scop: scop.name.clone() },
            false => Error::Isl { scop: scop.name.clone(), error },
        }
    }
}

/// How to analyse.
#[derive(Clone, Debug)]
pub struct Options {
    /// How many isl operations the value-based flow may take before memory-based flow stands in. `None`: a third of
    /// what is left of the budget around, or no limit without one. Anti and output dependences are reduced only where
    /// that is cheap, and never with more operations than this.
    pub operations: Option<u64>,
    /// Whether reductions are kept apart. If not, an update is a read and a must-write like any other, and `flow` is
    /// the flow of values in the program's own order.
    pub reductions: bool,
    /// Whether somebody wants to know which writes are the last of their cells. Orders of one thread do not.
    pub live_out: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { operations: None, reductions: true, live_out: true }
    }
}

/// The dependences of a scop: value-based flow, transitively reduced anti and output dependences, reductions apart.
pub fn dependences(scop: &Scop, options: &Options) -> Result<Dependences, Error> {
    let table = Table::new(scop, options.reductions).map_err(Error::of(scop))?;
    if scop.ctx.operations_left().is_some() && table.conflicts() > MOST_CONFLICTS {
        return Err(Error::Budget { scop: scop.name.clone() });
    }
    let (mut reasons, mut pairs) = (Vec::new(), Vec::new());

    let share = share(scop, options);
    let flow = within(scop, share, || value::flow(scop, &table)).map_err(Error::of(scop))?;
    let flow_basis = basis(&flow);
    let live_in = match flow {
        Some((found, live_in)) => {
            pairs.extend(found);
            live_in
        }
        None => {
            reasons.push(Inexact::Budget("flow"));
            pairs.extend(memory::pairs(scop, &table, &[Kind::Flow]).map_err(Error::of(scop))?);
            table.relations(|entry| entry.reads()).map_err(Error::of(scop))?
        }
    };

    let cheap = CHEAP * table.entries.len() as u64;
    let cheap = Some(share.map_or(cheap, |share| share.min(cheap)));
    let memory = within(scop, cheap, || value::anti_and_output(scop, &table)).map_err(Error::of(scop))?;
    let memory_basis = basis(&memory);
    match memory {
        Some(found) => pairs.extend(found),
        // Not inexact: these pairs conflict too, and what they add follows from the others anyway.
        None => {
            pairs.extend(memory::pairs(scop, &table, &[Kind::Anti, Kind::Output]).map_err(Error::of(scop))?)
        }
    }

    let last = match options.live_out {
        true => within(scop, cheap, || memory::live_out(scop, &table)).map_err(Error::of(scop))?,
        false => None,
    };
    let live_out = match last {
        Some(live_out) => live_out,
        None => {
            reasons.extend(options.live_out.then_some(Inexact::Budget("last writes")));
            table.relations(|entry| !entry.reads()).map_err(Error::of(scop))?
        }
    };
    let parts = Parts { pairs, live_in, live_out, flow_basis, memory_basis, reasons };
    parts.finish(scop, &table).map_err(Error::of(scop))
}

/// How many pairs of accesses may conflict where there is a budget: with more it is spent anyway, only later. The most
/// that a kernel of `bench/kernels` has is 400.
const MOST_CONFLICTS: usize = 1_500;

fn basis<T>(found: &Option<T>) -> Basis {
    if found.is_some() { Basis::Value } else { Basis::Memory }
}

/// How many operations for each access the transitive reduction of anti and output dependences may take. Plain nests
/// take up to half of it; where it takes more, its result tends to have more pieces than what it reduces.
const CHEAP: u64 = 8_000;

/// How many operations a value-based part may take.
fn share(scop: &Scop, options: &Options) -> Option<u64> {
    options.operations.or_else(|| scop.ctx.operations_left().map(|left| left / 3))
}

/// Runs `work` within a share of the budget; `None` when the share is spent.
fn within<T>(
    scop: &Scop,
    share: Option<u64>,
    work: impl FnOnce() -> isl::Result<T>,
) -> isl::Result<Option<T>> {
    let result = match share {
        Some(share) => scop.ctx.with_budget(share, work),
        None => work(),
    };
    match result {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_budget() => Ok(None),
        Err(error) => Err(error),
    }
}

/// What the analyses found, before it is put together.
struct Parts {
    pairs: Vec<AccessDependence>,
    live_in: UnionMap,
    live_out: UnionMap,
    flow_basis: Basis,
    memory_basis: Basis,
    reasons: Vec<Inexact>,
}

impl Parts {
    fn finish(mut self, scop: &Scop, table: &Table) -> isl::Result<Dependences> {
        self.pairs = merge(self.pairs)?;
        self.reasons.extend(table.inexact(scop, &self.pairs)?);
        let union = |kind| {
            let relations = self.pairs.iter().filter(|pair| pair.kind == kind).map(|pair| &pair.relation);
            relations
                .cloned()
                .try_fold(UnionMap::empty_ctx(&scop.ctx)?, |all, relation| {
                    all.union(UnionMap::from_map(relation)?)
                })
                .and_then(tidy_union)
        };
        Ok(Dependences {
            flow: union(Kind::Flow)?,
            anti: union(Kind::Anti)?,
            output: union(Kind::Output)?,
            reduction: union(Kind::Reduction)?,
            live_in: self.live_in,
            live_out: self.live_out,
            exactness: match self.reasons.is_empty() {
                true => Exactness::Exact,
                false => Exactness::Over(self.reasons),
            },
            by_access: self.pairs,
            flow_basis: self.flow_basis,
            memory_basis: self.memory_basis,
        })
    }
}

/// Each relation in fewer pieces.
pub(crate) fn tidy_union(relations: UnionMap) -> isl::Result<UnionMap> {
    let tidied = relations.get_map_list()?.to_vec()?.into_iter().map(Map::coalesce);
    tidied.into_iter().try_fold(UnionMap::empty_ctx(relations.ctx())?, |all, relation| {
        all.union(UnionMap::from_map(relation?)?)
    })
}

/// One entry for each kind and pair of accesses, sorted. The pairs of one reduction are found up to three times: as
/// flow, as anti and as output dependence.
fn merge(mut pairs: Vec<AccessDependence>) -> isl::Result<Vec<AccessDependence>> {
    pairs.sort_by_key(|pair| (pair.kind, pair.source, pair.sink));
    let mut merged: Vec<AccessDependence> = Vec::new();
    for pair in pairs {
        match merged.last_mut() {
            Some(last) if (last.kind, last.source, last.sink) == (pair.kind, pair.source, pair.sink) => {
                last.relation = last.relation.clone().union(pair.relation)?.coalesce()?;
            }
            _ => merged.push(pair),
        }
    }
    Ok(merged)
}

impl Dependences {
    /// The dependences of one kind: `{ S[i] -> T[j] }`.
    pub fn of_kind(&self, kind: Kind) -> &UnionMap {
        match kind {
            Kind::Flow => &self.flow,
            Kind::Anti => &self.anti,
            Kind::Output => &self.output,
            Kind::Reduction => &self.reduction,
        }
    }

    /// What every schedule must respect that may reassociate reductions: `{ S[i] -> T[j] }`.
    pub fn relaxed(&self) -> isl::Result<UnionMap> {
        self.flow.clone().union(self.anti.clone())?.union(self.output.clone())
    }

    /// What every schedule must respect that may not: `{ S[i] -> T[j] }`.
    pub fn strict(&self) -> isl::Result<UnionMap> {
        self.relaxed()?.union(self.reduction.clone())
    }
}
