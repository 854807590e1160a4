//! Removes what is not needed: overwritten and redundant writes, unused reads and operations, empty statements.
//!
//! - A write is *redundant* if each instance stores what the cell holds already, or if another write of the statement
//!   stores the same value into the same cell.
//! - It is *dead* if nothing reads what it writes and it is overwritten before the nest ends. Nothing reads what is in a
//!   scalar at the end, unless it is fixed.
//! - Only writes of which the body tells the value are removed: whoever executes the statement may not be able to leave out
//!   the others.
//! - An operation is *unused* if it is pure and neither a write nor another operation needs it; a read, if the body
//!   tells what all writes store and none of it needs the read.
//! - A statement is *empty* if it writes nothing and all its operations are pure.
//!
//! All dead writes can go at once: no read sees any of them. So can all redundant ones: none changes what is in a cell. But not
//! both at once: what makes a write redundant may be a dead one.

use std::collections::HashSet;

use dataflow::content::{Contents, Flows};
use dataflow::zones::last_instances;
use isl::{DimType, UnionMap};
use model::scop::ordered;
use model::{AccessId, AccessKind, ArrayId, ArrayKind, Operand, Scop, Stmt, StmtId};

use crate::relations::content_of;

/// What simplifying did.
#[derive(Clone, Debug)]
pub struct Simplified {
    /// The new model.
    pub scop: Scop,
    /// How many accesses are gone.
    pub removed: usize,
}

/// Removes what is not needed. Redundant writes are looked for in the arrays `changed` only.
pub fn simplify(scop: &Scop, flows: &Flows, changed: &HashSet<ArrayId>) -> isl::Result<Simplified> {
    let mut result = scop.clone();
    let mut needed: HashSet<_> = accesses_outside(scop, changed).collect();
    let mut flows = flows.clone();
    loop {
        result.stmts.iter_mut().for_each(remove_unused);
        let contents = Contents::with(&result, &flows)?;
        let dead = dead(&result, &contents)?;
        let gone = match dead.is_empty() {
            true => redundant(&result, &contents, &mut needed)?,
            false => dead.clone(),
        };
        if gone.is_empty() {
            break;
        }
        let changed: HashSet<_> =
            gone.iter().filter_map(|id| result.access(*id)).map(|(_, access)| access.array).collect();
        for stmt in &mut result.stmts {
            stmt.accesses.retain(|access| !gone.contains(&access.id));
            stmt.body.stored.retain(|(id, _)| !gone.contains(id));
        }
        // Whoever came after a dead write saw a later one: it does not see an earlier one now.
        if dead.is_empty() {
            flows.update(&result, &changed.into_iter().collect::<Vec<_>>())?;
        }
    }
    remove_empty(&mut result);
    let count = |scop: &Scop| scop.stmts.iter().map(|stmt| stmt.accesses.len()).sum::<usize>();
    Ok(Simplified { removed: count(scop).saturating_sub(count(&result)), scop: result })
}

/// The accesses of other arrays than these.
fn accesses_outside(scop: &Scop, arrays: &HashSet<ArrayId>) -> impl Iterator<Item = AccessId> {
    let accesses = scop.stmts.iter().flat_map(|stmt| &stmt.accesses);
    accesses.filter(|access| !arrays.contains(&access.array)).map(|access| access.id)
}

/// Writes of which the body tells the value, with their statements. Updates are left to their reductions.
fn writes(scop: &Scop) -> impl Iterator<Item = (&Stmt, AccessId)> {
    let is_update = |stmt: &Stmt, id| stmt.reductions.iter().any(|reduction| reduction.write == id);
    let writes = scop.stmts.iter().flat_map(|stmt| stmt.accesses.iter().map(move |access| (stmt, access.id)));
    writes.filter(move |(stmt, id)| stmt.body.stored(*id).is_some() && !is_update(stmt, *id))
}

/// The dead writes.
fn dead(scop: &Scop, contents: &Contents<'_>) -> isl::Result<HashSet<AccessId>> {
    let mut dead = HashSet::new();
    for (stmt, write) in writes(scop) {
        if is_dead(scop, contents, stmt, write)? {
            dead.insert(write);
        }
    }
    Ok(dead)
}

/// The redundant writes. `needed` are those whose redundance is not asked for, or was not found before.
fn redundant(
    scop: &Scop,
    contents: &Contents<'_>,
    needed: &mut HashSet<AccessId>,
) -> isl::Result<HashSet<AccessId>> {
    let mut gone = HashSet::new();
    for (stmt, write) in writes(scop) {
        if stores_what_it_reads(stmt, write)? {
            gone.insert(write);
        }
        if gone.contains(&write) || needed.contains(&write) {
            continue;
        }
        let is_redundant = is_doubled(stmt, write, &gone)? || is_redundant(scop, contents, stmt, write)?;
        if is_redundant { &mut gone } else { &mut *needed }.insert(write);
    }
    Ok(gone)
}

/// Whether a write puts back what the same instance reads in the cell, and no other of its writes is to the array.
fn stores_what_it_reads(stmt: &Stmt, write: AccessId) -> isl::Result<bool> {
    let (Some(access), Some(Operand::Read(read))) = (stmt.access(write), stmt.body.stored(write)) else {
        return Ok(false);
    };
    let is_other = |other: &&model::Access| other.kind != AccessKind::Read && other.id != write;
    if stmt.accesses.iter().filter(is_other).any(|other| other.array == access.array) {
        return Ok(false);
    }
    match stmt.access(*read).filter(|read| read.array == access.array) {
        Some(read) => Ok(access.relation.is_single_valued()? && access.relation.is_equal(&read.relation)?),
        None => Ok(false),
    }
}

/// Whether another write of the statement, which stays, does the same.
fn is_doubled(stmt: &Stmt, write: AccessId, gone: &HashSet<AccessId>) -> isl::Result<bool> {
    let (Some(write), Some(value)) = (stmt.access(write), stmt.body.stored(write)) else { return Ok(false) };
    for other in stmt.accesses.iter().filter(|other| other.id != write.id && !gone.contains(&other.id)) {
        let is_same = (other.array, other.kind) == (write.array, write.kind)
            && stmt.body.stored(other.id) == Some(value);
        if is_same && write.kind == AccessKind::MustWrite && write.relation.is_subset(&other.relation)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_dead(scop: &Scop, contents: &Contents<'_>, stmt: &Stmt, write: AccessId) -> isl::Result<bool> {
    let Some(write) = stmt.access(write) else { return Ok(false) };
    for read in scop.stmts.iter().flat_map(|stmt| &stmt.accesses) {
        if contents.sources(read.id).iter().any(|(source, _)| *source == write.id) {
            return Ok(false);
        }
    }
    let array = scop.array(write.array);
    let is_seen = array.kind == ArrayKind::Memory || array.is_fixed;
    Ok(!is_seen || last_instances(scop, write.id)?.is_empty()?)
}

fn is_redundant(scop: &Scop, contents: &Contents<'_>, stmt: &Stmt, write: AccessId) -> isl::Result<bool> {
    let (Some(access), Some(value)) = (stmt.access(write), contents.written(write)?) else {
        return Ok(false);
    };
    // If another write of the same instance may hit the cell, this one does not decide what is there.
    let writes = |other: &&model::Access| other.kind != AccessKind::Read && other.id != write;
    for other in stmt.accesses.iter().filter(writes).filter(|other| other.array == access.array) {
        if !other.relation.is_disjoint(&access.relation)? {
            return Ok(false);
        }
    }
    if !is_known_before(scop, contents, access, &value)? {
        return Ok(false);
    }
    let probes = UnionMap::from_map(scop.cells(stmt, access)?)?;
    match content_of(scop, contents, &probes)? {
        Some(content) => content.is_equal(&value),
        None => Ok(false),
    }
}

/// Whether the value `{ W[j] -> value }` of a write may be in its array without it, which is quickly said: some cell held it
/// before the nest, or another instance writes it.
fn is_known_before(
    scop: &Scop,
    contents: &Contents<'_>,
    write: &model::Access,
    value: &UnionMap,
) -> isl::Result<bool> {
    for map in value.get_map_list()?.to_vec()? {
        if map.get_tuple_name(DimType::Out)?.as_deref() == Some(scop.array(write.array).name.as_str()) {
            return Ok(true);
        }
    }
    let identity = value.clone().domain()?.identity()?;
    for other in scop.stmts.iter().flat_map(|stmt| &stmt.accesses) {
        if other.array != write.array || other.kind != AccessKind::MustWrite {
            continue;
        }
        let Some(same) = contents.storing(value, other.id)? else { continue };
        let others = if other.id == write.id { same.subtract(identity.clone())? } else { same };
        if !others.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes pure operations and reads that nothing uses.
fn remove_unused(stmt: &mut Stmt) {
    if !stmt.is_transparent() {
        return;
    }
    let body = &stmt.body;
    let mut used: HashSet<usize> = (0..body.ops.len()).filter(|index| !body.ops[*index].is_pure).collect();
    let op = |operand: &Operand| match operand {
        Operand::Op(index) => Some(*index),
        _ => None,
    };
    used.extend(body.stored.iter().filter_map(|(_, value)| op(value)));
    // An operation stands behind those it uses.
    for index in (0..body.ops.len()).rev().filter(|index| used.contains(index)).collect::<Vec<_>>() {
        mark_operands(stmt, index, &mut used);
    }
    keep_ops(stmt, &used);
    let operands: HashSet<_> = stmt.body.operands().cloned().collect();
    let reduced: HashSet<_> = stmt.reductions.iter().map(|reduction| reduction.read).collect();
    stmt.accesses.retain(|access| {
        let is_used = operands.contains(&Operand::Read(access.id)) || reduced.contains(&access.id);
        access.kind != AccessKind::Read || is_used
    });
}

fn mark_operands(stmt: &Stmt, index: usize, used: &mut HashSet<usize>) {
    for operand in &stmt.body.ops[index].operands {
        if let Operand::Op(operand) = operand
            && used.insert(*operand)
        {
            mark_operands(stmt, *operand, used);
        }
    }
}

fn keep_ops(stmt: &mut Stmt, used: &HashSet<usize>) {
    let place: Vec<usize> =
        (0..stmt.body.ops.len()).map(|old| (0..old).filter(|at| used.contains(at)).count()).collect();
    let renumber = |operand: &mut Operand| {
        if let Operand::Op(index) = operand {
            *index = place[*index];
        }
    };
    let mut index = 0..;
    stmt.body.ops.retain(|_| index.next().is_some_and(|index| used.contains(&index)));
    stmt.body.ops.iter_mut().flat_map(|op| &mut op.operands).for_each(renumber);
    stmt.body.stored.iter_mut().for_each(|(_, value)| renumber(value));
}

/// Removes statements that do nothing, and loops that are empty then.
fn remove_empty(scop: &mut Scop) {
    let does_nothing = |stmt: &Stmt| {
        let writes = stmt.accesses.iter().any(|access| access.kind != AccessKind::Read);
        !writes && stmt.body.ops.iter().all(|op| op.is_pure)
    };
    let kept: Vec<StmtId> = scop.stmt_ids().filter(|id| !does_nothing(scop.stmt(*id))).collect();
    scop.order = ordered(&scop.order, &kept);
    scop.stmts.retain(|stmt| !does_nothing(stmt));
}
