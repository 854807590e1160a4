//! Scalars in scratch memory: where no array has a free cell, a scalar becomes an array of its own.
//!
//! # Terms
//! A loop around all accesses of a scalar is *private* if each read sees what was written in the same iteration of it. A scalar
//! is *expanded* by giving it one cell for each iteration of some of its private loops:
//! ```text
//! for i                          for i
//!   for j {                        for j {
//!     T: s = 0                       T: x[j] = 0
//!     for k                          for k
//!       S: s += A[i][k] * B[k][j]      S: x[j] += A[i][k] * B[k][j]
//!     U: C[i][j] += s }              U: C[i][j] += x[j] }
//! ```
//! Now j carries nothing and can become the innermost loop. With one cell for each iteration of i and j, i would carry nothing
//! either, for that much more memory; [`Loops`] says which of the two.
//!
//! In the program's own order any such choice is right: between a write and the reads that see it nothing else writes the
//! scalar, so nothing else writes the cell. [`crate::check`] looks at it all the same.
//!
//! What is not expanded: scalars that must stay where they are, that hold something before the nest, or that are written only
//! perhaps; and those with a private loop whose greatest iteration is not one affine expression of the parameters.

use dataflow::content::{Contents, Flows};
use dataflow::shared_loops;
use isl::{DimType, Map, Set};
use model::{Access, AccessKind, Array, ArrayId, ArrayKind, Layout, Scop, StmtId};

use crate::relations::keep_updates;
use crate::written_scalars;

/// For which private loops there is a cell for each iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loops {
    /// The innermost one: little memory.
    Innermost,
    /// All: the most freedom.
    All,
}

/// A model with expanded scalars.
#[derive(Clone, Debug)]
pub struct Expanded {
    /// The new model.
    pub scop: Scop,
    /// The scalars and the arrays that they became.
    pub arrays: Vec<(ArrayId, ArrayId)>,
}

/// Expands all scalars that are written in loops and can be expanded. `None`: there are none.
pub fn expand(scop: &Scop, flows: &Flows, loops: Loops) -> isl::Result<Option<Expanded>> {
    let contents = Contents::with(scop, flows)?;
    let mut result = Expanded { scop: scop.clone(), arrays: Vec::new() };
    let mut scalars = written_scalars(scop);
    scalars.sort();
    scalars.dedup();
    for scalar in scalars {
        let accesses = accesses_of(scop, scalar);
        let private = private_loops(scop, &contents, scalar, &accesses)?;
        let chosen = match loops {
            Loops::Innermost => &private[private.len().saturating_sub(1)..],
            Loops::All => &private[..],
        };
        let mut shape = Vec::new();
        for &at in chosen {
            shape.push(size(scop, &accesses, at)?);
        }
        if !chosen.is_empty() && shape.iter().all(Option::is_some) {
            result.move_scalar(scalar, chosen, shape)?;
        }
    }
    keep_updates(&mut result.scop);
    Ok((!result.arrays.is_empty()).then_some(result))
}

fn accesses_of(scop: &Scop, scalar: ArrayId) -> Vec<(StmtId, &Access)> {
    let accesses = |id| scop.stmt(id).accesses.iter().map(move |access| (id, access));
    scop.stmt_ids().flat_map(accesses).filter(|(_, access)| access.array == scalar).collect()
}

/// The private loops of a scalar that can be expanded, by depth, outermost first.
fn private_loops(
    scop: &Scop,
    contents: &Contents<'_>,
    scalar: ArrayId,
    accesses: &[(StmtId, &Access)],
) -> isl::Result<Vec<usize>> {
    let is_certain = accesses.iter().all(|(_, access)| access.kind != AccessKind::MayWrite);
    let (Some((first, _)), true) = (accesses.first(), is_certain && !scop.array(scalar).is_fixed) else {
        return Ok(Vec::new());
    };
    let shared = accesses.iter().map(|(stmt, _)| shared_loops(scop, *first, *stmt)).min().unwrap_or(0);
    let mut private: Vec<usize> = (0..shared).collect();
    for (_, read) in accesses.iter().filter(|(_, access)| access.kind == AccessKind::Read) {
        if !contents.live_in(read)?.is_empty()? {
            return Ok(Vec::new());
        }
        for (_, source) in contents.sources(read.id) {
            let mut still = Vec::new();
            for at in private {
                let same = Map::universe(source.get_space()?)?.equate(DimType::In, at, DimType::Out, at)?;
                if source.is_subset(&same)? {
                    still.push(at);
                }
            }
            private = still;
        }
    }
    Ok(private)
}

/// How many cells it takes for the iterations of a loop, in isl's notation. `None`: that is not one expression.
fn size(scop: &Scop, accesses: &[(StmtId, &Access)], at: usize) -> isl::Result<Option<String>> {
    let mut all: Option<Set> = None;
    for (stmt, access) in accesses {
        let instances = scop.cells(scop.stmt(*stmt), access)?.domain()?;
        let dims = instances.dim(DimType::Set)?;
        let counter = instances
            .project_out(DimType::Set, at + 1, dims - at - 1)?
            .project_out(DimType::Set, 0, at)?
            .reset_tuple_id()?;
        all = Some(match all {
            Some(all) => all.union(counter)?,
            None => counter,
        });
    }
    match all {
        Some(all) => end_of(scop, all),
        None => Ok(None),
    }
}

/// One more than the greatest of these numbers, in isl's notation. `None`: that is not one expression, or there are negative ones.
pub(crate) fn end_of(scop: &Scop, all: Set) -> isl::Result<Option<String>> {
    let negative = all.clone().upper_bound_si(DimType::Set, 0, -1)?;
    if !negative.is_empty()? {
        return Ok(None);
    }
    // A few cells more do no harm, and keep it simple.
    let last = Set::from_basic_set(all.coalesce()?.simple_hull()?)?.dim_max(0)?;
    let known = last.clone().domain()?;
    let last = last.gist(known)?.gist_params(scop.context.clone())?;
    if !last.isa_aff()? {
        return Ok(None);
    }
    let text = last.as_aff()?.add_constant_si(1)?.to_str()?;
    let text = text.rsplit_once("[(").and_then(|(_, text)| text.split_once(")]")).map(|(text, _)| text);
    Ok(text.filter(|text| !text.contains("floor")).map(str::to_owned))
}

impl Expanded {
    /// Gives a scalar the cells of a new array, with the counters of these loops as subscripts.
    fn move_scalar(
        &mut self,
        scalar: ArrayId,
        loops: &[usize],
        shape: Vec<Option<String>>,
    ) -> isl::Result<()> {
        let (old, new) = (self.scop.array(scalar).clone(), ArrayId(self.scop.arrays.len() as u32));
        let name = free_name(&self.scop, &old.name);
        for stmt in &mut self.scop.stmts {
            let all = Map::identity(stmt.domain.get_space()?.map_from_set()?)?;
            for access in stmt.accesses.iter_mut().filter(|access| access.array == scalar) {
                let instances = access.relation.clone().domain()?;
                access.relation = subscripts(all.clone(), loops)?
                    .set_tuple_name(DimType::Out, &name)?
                    .intersect_domain(instances)?;
                access.array = new;
            }
        }
        let (layout, kind) = (Layout::Even, ArrayKind::Scratch);
        self.scop.arrays.push(Array { name, shape, layout, kind, ..old });
        self.arrays.push((scalar, new));
        Ok(())
    }
}

/// A name for what an array becomes.
pub(crate) fn free_name(scop: &Scop, old: &str) -> String {
    let is_free = |name: &String| scop.array_named(name).is_none();
    let mut names = std::iter::once(format!("{old}_x")).chain((1..).map(|number| format!("{old}_x{number}")));
    names.find(is_free).unwrap_or_default()
}

/// Of `{ S[i, j, k] -> S[i, j, k] }` the counters of these loops only.
fn subscripts(mut identity: Map, loops: &[usize]) -> isl::Result<Map> {
    for at in (0..identity.dim(DimType::Out)?).rev().filter(|at| !loops.contains(at)) {
        identity = identity.project_out(DimType::Out, at, 1)?;
    }
    Ok(identity)
}

/// How many bytes the scratch arrays of a model have together, each rounded up to a multiple of `align`; `None` if that is
/// not known before the program runs, or too much for a number.
pub fn bytes(scop: &Scop, align: u64) -> Option<u64> {
    let scratch = scop.arrays.iter().filter(|array| array.kind == ArrayKind::Scratch);
    scratch
        .map(|array| array_bytes(array)?.checked_next_multiple_of(align))
        .try_fold(0u64, |sum, bytes| sum.checked_add(bytes?))
}

fn array_bytes(array: &Array) -> Option<u64> {
    let sizes = array.shape.iter().map(|size| size.as_deref()?.parse::<u64>().ok());
    sizes
        .chain([Some(u64::from(array.elem_bytes))])
        .try_fold(1u64, |product, size| product.checked_mul(size?))
}
