//! Rows behind a table of pointers: `double **a`, where `a[i][j]` loads the address of row `i` first.
//!
//! In general such a nest says nothing about where it writes. Mostly, though, nobody writes the table while the nest runs and
//! the rows do not overlap: then all rows together are one array with two dimensions, the row's number in the table and
//! the place in the row ([`model::Layout::Anywhere`]). Both is assumed ([`model::Condition::Rows`], and no overlap with the table).
//!
//! The check reads the addresses of all rows that the nest touches, before the nest. That is allowed if the program itself
//! reads them: the loads must be executed under affine conditions only, and the numbers of the rows that they read must have
//! no gaps. In the new code a load of a row's address belongs to no statement; each statement that needs it has its own
//! copy, like an index.
//!
//! Example: with `a[i - 1]`, `a[i]` and `a[i + 1]` for `1 <= i < n - 1`, the check reads rows 0 to n - 1.

use super::Obstacle;
use super::affine::Stop;
use super::array_shapes::Shape;
use super::draft::gcd;
use super::flow::Blocks;
use super::lift::{Lifter, obstacle};
use super::memory::{Bytes, Memory, MemoryAccess, divides, in_units};
use super::names::element;
use crate::pass::{Anchor, Inst, Pass, Value};
use crate::scev::{ScevKind, Scevs};
use isl::{Map, PwAff, Set};
use llvm_sys::LLVMOpcode;
use model::{Layout, Reason};
use std::collections::HashMap;

/// The loads of rows' addresses in a region.
#[derive(Clone, Debug, Default)]
pub struct Tables<'p> {
    /// With the address of the table.
    loads: HashMap<Inst<'p>, Value<'p>>,
    /// Phis that stand for such loads where these are executed.
    pub phis: Vec<(Inst<'p>, Inst<'p>)>,
    /// For each table one of the loads, which stands for all its rows.
    first: HashMap<Value<'p>, Inst<'p>>,
}

/// A row that an access is to.
#[derive(Clone)]
pub struct Row<'p> {
    /// What stands for all rows of the table.
    pub base: Value<'p>,
    /// The address of the table.
    pub table: Value<'p>,
    /// `{ [i, j] -> [offset] }`: where in the table the row's address is.
    pub offset: PwAff,
    /// The bytes of an address.
    pub bytes: u64,
}

impl Row<'_> {
    /// `{ [i, j] -> [x] }`: the number of the row.
    fn number(&self) -> Result<Map, Stop> {
        Ok(Map::from_pw_aff(in_units(&self.offset, self.bytes)?)?)
    }
}

/// What a load of a row's address reads.
pub struct RowRead<'p> {
    /// The load.
    pub inst: Inst<'p>,
    /// The address of the table.
    pub table: Value<'p>,
    /// `{ [x] }`: the numbers of all rows that it reads.
    pub rows: Set,
}

impl<'p> Tables<'p> {
    /// The loads that give addresses of others, from tables that are somewhere before the region.
    pub fn of(
        scevs: &Scevs<'p>,
        pass: Pass<'p>,
        scope: &Blocks<'p>,
        same: &HashMap<Inst<'p>, Inst<'p>>,
    ) -> Self {
        let mut tables = Tables::default();
        let base = |inst: Inst<'p>| {
            let pointer = scevs.of_value_at(inst.pointer()?, scevs.loop_of(inst.block()))?;
            match scevs.base(&pointer).kind {
                ScevKind::Unknown(value) => Some(value),
                _ => None,
            }
        };
        let is_inside = |inst: &Inst<'p>| scope.contains(&inst.block());
        let is_in_loop =
            |inst: &Inst<'p>| scevs.loop_of(inst.block()).is_some_and(|l| scope.contains(&l.header()));
        // In the program's order, so that names do not change from run to run.
        for inst in pass.blocks().into_iter().flat_map(|block| block.insts()).filter(is_inside) {
            let Some(from) = base(inst).and_then(|base| base.inst()).filter(is_inside) else { continue };
            let guarded = from.guarded_load();
            let load = guarded.or(Some(from)).filter(is_inside);
            let is_load = |load: &Inst<'p>| load.opcode() == LLVMOpcode::LLVMLoad && !same.contains_key(load);
            let Some(load) = load.filter(is_load).filter(is_in_loop) else { continue };
            let table = base(load).filter(|table| !table.inst().is_some_and(|inst| is_inside(&inst)));
            if let Some(table) = table {
                tables.first.entry(table).or_insert(load);
                tables.loads.insert(load, table);
                if guarded.is_some() && !tables.phis.contains(&(from, load)) {
                    tables.phis.push((from, load));
                }
            }
        }
        tables
    }

    /// Whether an instruction loads the address of a row.
    pub fn has(&self, inst: Inst<'p>) -> bool {
        self.loads.contains_key(&inst)
    }
}

fn refuse(inst: Inst<'_>) -> Obstacle<'_> {
    Obstacle { reason: Reason::MovingBase, at: Anchor::Inst(inst) }
}

impl<'p> Lifter<'_, 'p> {
    /// What a load of a row's address reads; `None` if it may not be executed, or if that cannot be told.
    pub(super) fn row_read(
        &self,
        inst: Inst<'p>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<Option<RowRead<'p>>, Stop> {
        let block = inst.block();
        let domain = self.domains.of.get(&block).filter(|_| !self.domains.inside.contains(&block));
        let (Some(domain), Ok(row)) = (domain, self.row(inst, inst, fails)) else { return Ok(None) };
        let rows = row.number()?.intersect_domain(domain.clone())?.range()?;
        Ok(Some(RowRead { inst, table: row.table, rows }))
    }

    /// The row that an access is to, whose address is `base`.
    pub(super) fn row_of(
        &self,
        inst: Inst<'p>,
        base: Value<'p>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<Row<'p>, Obstacle<'p>> {
        self.row(inst, base.inst().ok_or_else(|| refuse(inst))?, fails)
    }

    /// The row whose address a load gives, in iterations of an instruction.
    fn row(
        &self,
        at: Inst<'p>,
        load: Inst<'p>,
        fails: &mut Vec<(Set, Inst<'p>)>,
    ) -> Result<Row<'p>, Obstacle<'p>> {
        let tables = self.synthesis.tables;
        let table = tables.loads.get(&load).copied().ok_or_else(|| refuse(at))?;
        let base = tables.first.get(&table).ok_or_else(|| refuse(at))?.value();
        let chain = &self.domains.chains[&at.block()];
        let pointer = load.pointer().and_then(|pointer| self.affine.expression(pointer, chain));
        let pointer = pointer.ok_or_else(|| refuse(at))?;
        let offset = self.affine.signed(&self.affine.scevs().offset(&pointer), chain);
        let offset = self.exact(at, offset, fails).map_err(|stop| obstacle(stop, at))?;
        let (offset, bytes) = (offset.ok_or_else(|| refuse(at))?, load.access_bytes());
        match divides(bytes, &offset) {
            Ok(true) => Ok(Row { base, table, offset, bytes }),
            _ => Err(refuse(at)),
        }
    }

    /// Makes arrays of rows.
    pub(super) fn find_rows(&self, memory: &mut Memory<'p>) -> Result<(), Obstacle<'p>> {
        let mut found: Vec<Shape<'p>> = Vec::new();
        for access in &memory.accesses {
            let Some(row) =
                access.row.as_ref().filter(|row| found.iter().all(|shape| shape.base != row.base))
            else {
                continue;
            };
            let is_written = memory.accesses.iter().any(|other| other.is_write && other.base == row.table);
            let shape =
                self.rows_shape(memory, row.base, row.table).map_err(|stop| obstacle(stop, access.inst))?;
            found.push(shape.filter(|_| !is_written).ok_or_else(|| refuse(access.inst))?);
        }
        memory.shapes.extend(found);
        Ok(())
    }

    /// The rows behind a table as one array. `None`: a place in a row is not affine, or there are rows that the check must
    /// not read.
    fn rows_shape(
        &self,
        memory: &Memory<'p>,
        base: Value<'p>,
        table: Value<'p>,
    ) -> Result<Option<Shape<'p>>, Stop> {
        let accesses = || memory.accesses.iter().enumerate().filter(|(_, access)| access.base == base);
        let granules = accesses().map(|(_, access)| match &access.extent {
            // The check takes addresses to have 8 bytes.
            Some(extent) if matches!(extent.bytes, Bytes::Fixed(_)) && has_usual_size(access) => {
                Some(extent.granule())
            }
            _ => None,
        });
        let granule = granules.reduce(|a, b| Some(gcd(a?, b?))).flatten();
        let Some(granule) = granule.filter(|_| memory.readers.is_empty()) else { return Ok(None) };
        let (mut cells, mut touched) = (Vec::new(), None);
        for (index, access) in accesses() {
            let (Some(row), Some(extent)) = (&access.row, &access.extent) else { return Ok(None) };
            let Some(domain) = self.domains.of.get(&access.inst.block()) else { return Ok(None) };
            touched = union(touched, row.number()?.intersect_domain(domain.clone())?.range()?)?;
            cells.push((index, row.number()?.flat_range_product(extent.cells(granule)?)?));
        }
        let read = memory.row_reads.iter().filter(|read| read.table == table);
        let read = read.map(|read| read.rows.clone()).try_fold(None, union)?;
        let (Some(touched), Some(read)) = (touched, read) else { return Ok(None) };
        if !between(&touched)?.is_subset(&read)? {
            return Ok(None);
        }
        let element = element(memory, base, granule);
        Ok(Some(Shape {
            base,
            granule,
            sizes: vec![None, None],
            layout: Layout::Anywhere,
            cells,
            valid: self.affine.universe(0)?.params()?,
            declaration: format!("{}: {element}*[], rows behind pointers as one array", table.readable()),
            is_proved: true,
            is_constant: true,
        }))
    }
}

fn has_usual_size(access: &MemoryAccess<'_>) -> bool {
    access.row.as_ref().is_some_and(|row| row.bytes == 8)
}

fn union(all: Option<Set>, more: Set) -> isl::Result<Option<Set>> {
    Ok(Some(match all {
        Some(all) => all.union(more)?,
        None => more,
    }))
}

/// With all numbers between any two.
fn between(rows: &Set) -> isl::Result<Set> {
    let space = rows.get_space()?;
    let (up, down) = (Map::lex_le(space.clone())?, Map::lex_ge(space)?);
    rows.clone().apply(up)?.intersect(rows.clone().apply(down)?)
}
