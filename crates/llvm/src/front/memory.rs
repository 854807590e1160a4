//! What the instructions of a region do to memory.
//!
//! A load or store touches some bytes from its address; `memset`, `memcpy` and `memmove` touch a range whose length may
//! depend on counters. An address is a *base*, which does not change in the region, and a byte offset. An offset or
//! length that is not affine means that any cell of the array may be touched: of a declared variable any of its own, of a table that is
//! indexed by a byte any that this can reach. A call
//! that only reads memory reads perhaps all that the region writes; what it reads besides does not matter.

use super::Obstacle;
use super::affine::{Evaluated, Stop};
use super::array_shapes::Shape;
use super::headers::HeaderRead;
use super::lift::{ArraySource, Lifter, obstacle};
use super::rows::{Row, RowRead};
use crate::pass::{Alias, Anchor, Block, Inst, Pass, Value};
use crate::scev::{ScevKind, ScevRef};
use isl::{Map, PwAff, Set, Val};
use model::{Below, Reason, SourceLoc};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// All that touches memory in a region.
#[derive(Default)]
pub struct Memory<'p> {
    /// In the program's order.
    pub accesses: Vec<MemoryAccess<'p>>,
    of: HashMap<Inst<'p>, Range<usize>>,
    /// Calls that read memory.
    pub readers: Vec<Inst<'p>>,
    /// Loads that give one value ([`super::headers`]).
    pub headers: Vec<HeaderRead<'p>>,
    /// Parameters for which the nest writes what one of them reads.
    pub overwritten: Vec<(Set, Inst<'p>)>,
    /// Loads of rows' addresses ([`super::rows`]).
    pub row_reads: Vec<RowRead<'p>>,
    /// Arrays with more than one dimension.
    pub shapes: Vec<Shape<'p>>,
    /// What offsets and lengths need to be what the model says.
    pub wants: Wants<'p>,
    /// What must hold for no test to fail.
    pub tested: Wants<'p>,
}

/// What must hold for parts of the model to be right.
#[derive(Clone, Default)]
pub struct Wants<'p> {
    /// The parameters are in none of these sets: `{ : ... }`. With the instruction that wants it.
    pub fails: Vec<(Set, Inst<'p>)>,
    /// Numbers are below limits.
    pub below: Vec<Below>,
    /// What people should know.
    pub notes: Vec<String>,
}

impl<'p> Wants<'p> {
    /// More of it.
    pub fn extend(&mut self, more: Wants<'p>) {
        self.fails.extend(more.fails);
        self.below.extend(more.below);
        self.notes.extend(more.notes);
    }
}

/// A range of memory that an instruction touches.
#[derive(Clone)]
pub struct MemoryAccess<'p> {
    /// The instruction.
    pub inst: Inst<'p>,
    /// The address it is relative to; for rows behind a table, what stands for all of them ([`super::rows`]).
    pub base: Value<'p>,
    /// Which of them.
    pub row: Option<Row<'p>>,
    /// Whether it is written.
    pub is_write: bool,
    /// The byte offset from there.
    pub offset: ScevRef<'p>,
    /// How many bytes, if that is known.
    pub bytes: Option<Bytes>,
    /// The expression of that number, if it is not always the same.
    pub length: Option<ScevRef<'p>>,
    /// Which bytes; `None`: not known to be affine.
    pub extent: Option<Extent>,
    /// The first byte from the base that it may touch at all, and the end, as far as that is known from types and variables.
    pub reach: Option<(i64, i64)>,
}

impl<'p> MemoryAccess<'p> {
    /// The address of a load or store, and how many bytes it touches.
    fn range(&self) -> Option<(Value<'p>, u64)> {
        self.inst.pointer().map(|pointer| (pointer, self.inst.access_bytes()))
    }

    /// By how many bytes the innermost loop that moves it does so, if that is known.
    fn step(&self) -> Option<u64> {
        let ScevKind::AddRec { operands, .. } = &self.offset.kind else { return None };
        match operands.get(1).map(|step| &step.kind) {
            Some(ScevKind::Constant(step)) if operands.len() == 2 => Some(step.unsigned_abs()),
            _ => None,
        }
    }
}

/// Bytes from a base.
#[derive(Clone)]
pub struct Extent {
    /// `{ [i, j] -> [offset] }`.
    pub offset: PwAff,
    /// How many.
    pub bytes: Bytes,
}

/// How many bytes an instruction touches.
#[derive(Clone)]
pub enum Bytes {
    /// Always the same number.
    Fixed(u64),
    /// `{ [i, j] -> [bytes] }`.
    Affine(PwAff),
}

/// Tables of more bytes are not taken for tables: an index of 32 bits says nothing about what is touched.
const MOST_REACH: i64 = 1 << 20;

/// What an instruction says about a range before it is evaluated.
enum Length<'p> {
    Fixed(u64),
    Value(Value<'p>),
}

/// What moves the cells of an array ([`Memory::movers`]).
pub struct Movers<'p>(Vec<(Inst<'p>, bool)>);

impl<'p> Movers<'p> {
    /// Whether the types of what is moved say that two arrays share no cell that one of them writes.
    pub fn are_apart(&self, other: &Movers<'p>, pass: Pass<'p>) -> bool {
        let (first, second) = (&self.0, &other.0);
        !first.is_empty()
            && !second.is_empty()
            && first.iter().all(|&(x, writes)| {
                second.iter().all(|&(y, also)| !writes && !also || pass.types_are_apart(x, y))
            })
    }
}

impl<'p> Memory<'p> {
    /// Without what is not executed.
    pub fn only(self, executed: &HashSet<Inst<'p>>) -> Self {
        let mut kept = Memory::default();
        for access in self.accesses.into_iter().filter(|access| executed.contains(&access.inst)) {
            let range = kept.of.entry(access.inst).or_insert(kept.accesses.len()..0);
            kept.accesses.push(access);
            range.end = kept.accesses.len();
        }
        kept.headers = self.headers;
        kept.row_reads = self.row_reads;
        kept.readers = self.readers.into_iter().filter(|call| executed.contains(call)).collect();
        kept.wants.fails = self.wants.fails.into_iter().filter(|(_, inst)| executed.contains(inst)).collect();
        kept
    }

    /// Whether the instruction writes memory.
    pub fn writes(&self, inst: Inst<'p>) -> bool {
        self.of(inst).iter().any(|access| access.is_write)
    }

    /// The shape of the array at that address, if it has more than one dimension.
    pub fn shape(&self, base: Value<'p>) -> Option<&Shape<'p>> {
        self.shapes.iter().find(|shape| shape.base == base)
    }

    /// The table that the rows are behind, if the base stands for such rows.
    pub fn row_table(&self, base: Value<'p>) -> Option<Value<'p>> {
        let mut rows = self.accesses.iter().filter(|access| access.base == base);
        rows.find_map(|access| access.row.as_ref()).map(|row| row.table)
    }

    /// Where the array at that address is first touched.
    pub fn first_loc(&self, base: Value<'p>) -> Option<SourceLoc> {
        self.accesses.iter().find(|access| access.base == base).and_then(|access| access.inst.loc())
    }

    /// What moves cells of an array: of each type an instruction that reads and one that writes, and whether it does.
    pub fn movers(&self, source: ArraySource<'p>) -> Movers<'p> {
        let is_touched = |access: &&MemoryAccess<'p>| match (source, &access.row) {
            (ArraySource::Rows(table), Some(row)) => row.table == table,
            (ArraySource::Base(base), None) => access.base == base,
            _ => false,
        };
        let accesses = self.accesses.iter().filter(is_touched).map(|access| (access.inst, access.is_write));
        let is_base = |at: Value<'p>| source == ArraySource::Base(at);
        let headers = self.headers.iter().filter(|header| is_base(header.base)).map(|header| header.inst);
        let tables = self.row_reads.iter().filter(|read| is_base(read.table)).map(|read| read.inst);
        let mut seen = HashSet::new();
        let all = accesses.chain(headers.chain(tables).map(|inst| (inst, false)));
        Movers(all.filter(|&(inst, writes)| seen.insert((inst.type_tag(), writes))).collect())
    }

    /// The load that gives one value from that address ([`super::headers`]).
    pub fn load_of(&self, base: Value<'p>) -> Option<Inst<'p>> {
        self.headers.iter().find(|header| header.base == base).map(|header| header.inst)
    }

    /// What people should know about the arrays: their declarations, with the conditions.
    pub fn declarations(&self) -> Vec<String> {
        let shapes = self.shapes.iter().map(|shape| shape.declaration.clone());
        shapes.chain(self.wants.notes.iter().cloned()).collect()
    }

    /// What the instruction touches, with the cells of arrays that have a shape: `{ [i, j] -> [x, y] }`.
    pub fn with_cells(&self, inst: Inst<'p>) -> impl Iterator<Item = (&MemoryAccess<'p>, Option<&Map>)> {
        let range = self.of.get(&inst).cloned().unwrap_or(0..0);
        range.map(|index| {
            let access = &self.accesses[index];
            let cells = self.shape(access.base).and_then(|shape| shape.cells_of(index));
            (access, cells)
        })
    }

    /// What the instruction touches.
    pub fn of(&self, inst: Inst<'p>) -> &[MemoryAccess<'p>] {
        self.of.get(&inst).map_or(&[], |all| &self.accesses[all.clone()])
    }
}

impl<'p> Lifter<'_, 'p> {
    /// What the blocks that run do to memory.
    pub(super) fn memory(&self, blocks: &[Block<'p>]) -> Result<Memory<'p>, Obstacle<'p>> {
        let mut memory = Memory::default();
        for inst in blocks.iter().filter(|block| self.runs(**block).is_some()).flat_map(|block| block.insts())
        {
            if inst.pointer().is_some() && self.synthesis.same.contains_key(&inst) {
                let header = self.header_read(inst)?;
                if !memory.headers.iter().any(|known| known.is_same(&header)) {
                    memory.headers.push(header);
                }
                continue;
            }
            if self.synthesis.tables.has(inst) {
                let read = self.row_read(inst, &mut memory.wants.fails);
                memory.row_reads.extend(read.map_err(|stop| obstacle(stop, inst))?);
                continue;
            }
            if let Some(effects) = inst.call_effects() {
                if effects.is_harmless || inst.touches_no_memory() {
                    continue;
                }
                if !effects.may_write {
                    memory.readers.push(inst);
                    continue;
                }
            }
            let ranges = ranges(inst)
                .ok_or_else(|| Obstacle { reason: not_modelled(inst), at: Anchor::Inst(inst) })?;
            let first = memory.accesses.len();
            for (pointer, is_write, length) in ranges {
                let access = self.memory_access(inst, pointer, is_write, length, &mut memory.wants.fails)?;
                memory.accesses.push(access);
            }
            memory.of.insert(inst, first..memory.accesses.len());
        }
        Ok(memory)
    }

    fn memory_access(
        &self,
        inst: Inst<'p>,
        pointer: Value<'p>,
        is_write: bool,
        length: Length<'p>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<MemoryAccess<'p>, Obstacle<'p>> {
        let refuse = |reason| Obstacle { reason, at: Anchor::Inst(inst) };
        let chain = &self.domains.chains[&inst.block()];
        let scevs = self.affine.scevs();
        let pointer = self.affine.expression(pointer, chain).ok_or_else(|| refuse(Reason::MovingBase))?;
        let base = scevs.base(&pointer);
        let (base, row) = match base.kind {
            ScevKind::Unknown(value) if self.affine.is_invariant(&base) => (value, None),
            ScevKind::Unknown(value) => {
                let row = self.row_of(inst, value, fails)?;
                (row.base, Some(row))
            }
            _ => return Err(refuse(Reason::MovingBase)),
        };
        let offset = scevs.offset(&pointer);
        let expression = match length {
            Length::Value(value) => self.affine.expression(value, chain),
            Length::Fixed(_) => None,
        };
        let bytes = match length {
            Length::Fixed(0) => {
                return Err(refuse(Reason::UnsupportedType { ty: "of unknown size".into() }));
            }
            Length::Fixed(bytes) => Some(Bytes::Fixed(bytes)),
            Length::Value(value) => {
                let length = self.length(inst, value, fails).map_err(|stop| obstacle(stop, inst))?;
                length.map(Bytes::Affine)
            }
        };
        let exact = self.exact(inst, self.affine.signed(&offset, chain), fails);
        let exact = exact.map_err(|stop| obstacle(stop, inst))?;
        let extent = exact.zip(bytes.clone()).map(|(offset, bytes)| Extent { offset, bytes });
        let reach = if row.is_none() { self.reach(base, &offset, &bytes) } else { None };
        Ok(MemoryAccess { inst, base, row, is_write, offset, bytes, length: expression, extent, reach })
    }

    /// What can be touched at all: the variable at the base, or a table that is no longer than its indices can be.
    fn reach(&self, base: Value<'p>, offset: &ScevRef<'p>, bytes: &Option<Bytes>) -> Option<(i64, i64)> {
        let variable = self.pass.object_bytes(base).and_then(|bytes| Some((0, i64::try_from(bytes).ok()?)));
        let table = offset.range.zip(bytes.as_ref()).and_then(|(range, bytes)| {
            let Bytes::Fixed(bytes) = bytes else { return None };
            let (first, last) = range.signed;
            let end = last.checked_add(i64::try_from(*bytes).ok()?)?;
            (end.checked_sub(first)? <= MOST_REACH).then_some((first, end))
        });
        match (variable, table) {
            (Some(a), Some(b)) => Some((a.0.max(b.0), a.1.min(b.1))).filter(|(first, end)| first < end),
            (a, b) => a.or(b),
        }
    }

    fn length(
        &self,
        inst: Inst<'p>,
        value: Value<'p>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<Option<PwAff>, Stop> {
        let chain = &self.domains.chains[&inst.block()];
        let length: Option<ScevRef<'p>> = self.affine.expression(value, chain);
        match length {
            Some(length) => self.exact(inst, self.affine.unsigned(&length, chain), fails),
            None => Ok(None),
        }
    }

    /// The value of an affine expression. Where the machine computes another in an iteration of the instruction, that is
    /// noted, to be assumed away; if the machine always does, there is no value.
    pub(super) fn exact(
        &self,
        inst: Inst<'p>,
        evaluated: Result<Evaluated, Stop>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<Option<PwAff>, Stop> {
        let Evaluated { value, fails: wrong } = match evaluated {
            Err(Stop::NotAffine) => return Ok(None),
            evaluated => evaluated?,
        };
        let Some(within) = self.domains.of.get(&inst.block()).cloned() else { return Ok(None) };
        if wrong.plain_is_empty()? {
            return Ok(Some(value));
        }
        let context = self.affine.context()?;
        let within = self.known.instances(&within, &context)?;
        let wrong = wrong.intersect(within.clone())?.params()?;
        if wrong.is_empty()? {
            return Ok(Some(value));
        }
        if within.params()?.is_subset(&wrong)? {
            return Ok(None);
        }
        fails.push((wrong, inst));
        Ok(Some(value))
    }

    /// Whether the order of two memory instructions of an iteration matters. `are_apart`: arrays whose bases LLVM cannot tell
    /// apart do not overlap.
    pub(super) fn may_conflict(
        &self,
        a: Inst<'p>,
        b: Inst<'p>,
        memory: &Memory<'p>,
        are_apart: bool,
    ) -> bool {
        let meets = |call: Inst<'p>, other: Inst<'p>| {
            let reads = |access: &MemoryAccess<'p>| access.is_write && self.pass.may_read(call, access.base);
            memory.readers.contains(&call) && memory.of(other).iter().any(reads)
        };
        let are_parts =
            |x: &MemoryAccess<'p>, y: &MemoryAccess<'p>| a.block() == b.block() && self.are_parts(x, y);
        let overlap = |x: &MemoryAccess<'p>, y: &MemoryAccess<'p>| {
            (x.is_write || y.is_write)
                && match x.base == y.base {
                    true => !are_parts(x, y),
                    false => !are_apart && self.pass.alias(x.base, 0, y.base, 0) != Alias::No,
                }
        };
        meets(a, b) || meets(b, a) || memory.of(a).iter().any(|x| memory.of(b).iter().any(|y| overlap(x, y)))
    }

    /// Whether two accesses of an iteration are to different parts of one number, point or colour, of which the next iterations
    /// have the next one.
    fn are_parts(&self, x: &MemoryAccess<'p>, y: &MemoryAccess<'p>) -> bool {
        let (Some((first, bytes)), Some((second, others))) = (x.range(), y.range()) else { return false };
        let meet = |a, a_bytes, b, b_bytes| self.pass.alias(a, a_bytes, b, b_bytes) != Alias::No;
        match (x.step(), y.step()) {
            (Some(step), Some(other)) if step == other => {
                !meet(first, bytes, second, others)
                    && (meet(first, step, second, others) || meet(second, step, first, bytes))
            }
            _ => false,
        }
    }
}

/// The ranges that an instruction touches: the address, whether it is written, and how far. `None`: that is not known.
fn ranges(inst: Inst<'_>) -> Option<Vec<(Value<'_>, bool, Length<'_>)>> {
    if let Some(pointer) = inst.pointer() {
        let is_write = inst.opcode() == llvm_sys::LLVMOpcode::LLVMStore;
        return Some(vec![(pointer, is_write, Length::Fixed(inst.access_bytes()))]);
    }
    if !inst.is_call() {
        return Some(Vec::new());
    }
    let (callee, operands) = (inst.callee()?, inst.operands());
    let is = |name: &str| callee.strip_prefix(name).is_some_and(|rest| rest.starts_with('.'));
    let &[first, second, length, ..] = &operands[..] else { return None };
    if is("llvm.memset") {
        return Some(vec![(first, true, Length::Value(length))]);
    }
    (is("llvm.memcpy") || is("llvm.memmove"))
        .then(|| vec![(second, false, Length::Value(length)), (first, true, Length::Value(length))])
}

fn not_modelled(inst: Inst<'_>) -> Reason {
    let callee = inst.callee().unwrap_or_else(|| "a function".into());
    Reason::NotModelled { what: format!("a call to {callee}") }
}

impl Extent {
    /// `{ [i, j] -> [cell] }`: the cells of that size that are touched; the size divides all offsets and lengths.
    pub fn cells(&self, size: u64) -> Result<Map, Stop> {
        let first = in_units(&self.offset, size)?;
        match &self.bytes {
            Bytes::Fixed(bytes) => some_cells(&first, bytes.div_ceil(size)),
            Bytes::Affine(bytes) => {
                let end = first.clone().add(in_units(bytes, size)?)?;
                let (first, end) = (Map::from_pw_aff(first)?, Map::from_pw_aff(end)?);
                let line = first.get_space()?.range()?;
                let from = first.apply_range(Map::lex_le(line.clone())?)?;
                Ok(from.intersect(end.apply_range(Map::lex_gt(line)?)?)?)
            }
        }
    }

    /// The greatest number of bytes that divides the access size and every value of the offset; 1 if in doubt.
    pub fn granule(&self) -> u64 {
        let divides = |size: u64, value: &PwAff| divides(size, value).unwrap_or(false);
        match &self.bytes {
            Bytes::Fixed(bytes) => {
                let smaller = (1..=*bytes).rev().filter(|size| bytes.is_multiple_of(*size));
                smaller.into_iter().find(|&size| divides(size, &self.offset)).unwrap_or(1)
            }
            Bytes::Affine(bytes) => greatest_divisor(&[&self.offset, bytes]),
        }
    }
}

/// The greatest of some usual cell sizes that divides all values of all these; 1 if in doubt.
pub fn greatest_divisor(values: &[&PwAff]) -> u64 {
    let divides = |size: u64| values.iter().all(|value| divides(size, value).unwrap_or(false));
    [16, 8, 4, 2].into_iter().find(|&size| divides(size)).unwrap_or(1)
}

fn some_cells(first: &PwAff, count: u64) -> Result<Map, Stop> {
    let mut all = Map::from_pw_aff(first.clone())?;
    for more in 1..count {
        let next = first.clone().add_constant_val(Val::int_from_ui(first.ctx(), more)?)?;
        all = all.union(Map::from_pw_aff(next)?)?;
    }
    Ok(all)
}

/// A number of bytes as a number of cells.
pub fn in_units(bytes: &PwAff, size: u64) -> Result<PwAff, Stop> {
    let size = Val::int_from_ui(bytes.ctx(), size)?;
    Ok(bytes.clone().scale_down_val(size)?.floor()?)
}

/// Whether all values are multiples of a number.
pub fn divides(size: u64, value: &PwAff) -> isl::Result<bool> {
    let rest = value.clone().mod_val(Val::int_from_ui(value.ctx(), size)?)?;
    rest.non_zero_set()?.is_empty()
}
