//! The arrays and accesses of a model under construction.
//!
//! There is one array for each base address: with the shape that was found for it ([`super::array_shapes`]), or with one dimension
//! and the greatest cell size that divides all its offsets and lengths. And there is one for each scalar and each phi,
//! with one cell.

use super::affine::Stop;
use super::bodies::{Links, Outside};
use super::headers::HeaderRead;
use super::lift::{ArraySource, Touched};
use super::memory::{Bytes, Extent, Memory, MemoryAccess};
use super::rows::Row;
use crate::pass::Value;
use isl::{DimType, Map, Set, Space, Val};
use model::{Access, AccessId, AccessKind, Array, ArrayId, ArrayKind, Layout};
use std::collections::HashMap;

/// The size of what is not plain bits ([`Value::plain_bytes`]): no cell of memory has it, so none is taken for its value.
const NO_CELL: u32 = 255;

/// The model under construction.
#[derive(Default)]
pub struct Draft<'p> {
    /// The arrays.
    pub arrays: Vec<Array>,
    /// What each of them stands for.
    pub sources: Vec<ArraySource<'p>>,
    /// Values from outside of the region that statements use.
    pub outside: Outside<'p>,
    /// The accesses and operations of each statement.
    pub links: Vec<Links<'p>>,
    cells: HashMap<Value<'p>, (ArrayId, u64)>,
    next_access: u32,
}

impl<'p> Draft<'p> {
    /// A model with the arrays that these accesses touch.
    pub fn new(memory: &Memory<'p>) -> Self {
        let mut draft = Draft::default();
        for (base, mut bytes) in cell_sizes(memory) {
            let mut shape = (vec![None], Layout::Even);
            if let Some(found) = memory.shape(base) {
                bytes = found.granule;
                shape = (found.sizes.clone(), found.layout.clone());
            }
            let table = memory.row_table(base);
            let name = table.unwrap_or(base).source_name().filter(|name| {
                model::verify::is_identifier(name) && !draft.arrays.iter().any(|array| array.name == *name)
            });
            let number = draft.arrays.len();
            let name = name.map_or(format!("A{number}"), |name| format!("{name}_{number}"));
            let source = table.map_or(ArraySource::Base(base), ArraySource::Rows);
            let id = draft.declare(name, bytes as u32, shape, ArrayKind::Memory, source, false);
            draft.cells.insert(base, (id, bytes));
        }
        draft
    }

    fn declare(
        &mut self,
        name: String,
        elem_bytes: u32,
        (shape, layout): (Vec<Option<String>>, Layout),
        kind: ArrayKind,
        source: ArraySource<'p>,
        is_fixed: bool,
    ) -> ArrayId {
        self.arrays.push(Array { name, elem_bytes, shape, layout, kind, is_fixed });
        self.sources.push(source);
        ArrayId(self.arrays.len() as u32 - 1)
    }

    /// The array at a base address.
    pub fn at(&self, base: Value<'p>) -> ArrayId {
        self.cells[&base].0
    }

    /// What a load or store touches.
    pub fn touched(&self, access: &MemoryAccess<'p>) -> Touched {
        Touched { array: self.cells[&access.base].0, is_exact: access.extent.is_some() }
    }

    /// Another access.
    pub fn access(&mut self, kind: AccessKind, array: ArrayId, relation: Map) -> Access {
        self.next_access += 1;
        Access { id: AccessId(self.next_access - 1), kind, array, relation }
    }

    /// An access to a scalar or a phi's cell. `stays`: the cell must be where it is.
    pub fn scalar(
        &mut self,
        kind: AccessKind,
        source: ArraySource<'p>,
        domain: &Set,
        stays: bool,
    ) -> Result<Access, Stop> {
        let known = self.sources.iter().position(|known| *known == source);
        let number = self.arrays.len();
        let value = match source {
            ArraySource::Base(value) | ArraySource::Rows(value) => value,
            ArraySource::Scalar(inst) | ArraySource::Phi(inst) => inst.value(),
        };
        let bytes = value.plain_bytes();
        let stays = stays || bytes.is_none();
        let (name, what) = match source {
            ArraySource::Phi(_) => (format!("phi{number}"), ArrayKind::Phi),
            _ => (format!("s{number}"), ArrayKind::Scalar),
        };
        let array = match known {
            Some(index) => ArrayId(index as u32),
            None => self.declare(name, bytes.unwrap_or(NO_CELL), Default::default(), what, source, false),
        };
        self.arrays[array.index()].is_fixed |= stays;
        let relation = Map::from_domain(domain.clone())?
            .set_tuple_name(DimType::Out, &self.arrays[array.index()].name)?;
        Ok(self.access(kind, array, relation))
    }

    /// The read of a value that does not change, by a statement.
    pub fn header(&mut self, header: &HeaderRead<'p>, domain: &Set) -> Result<Access, Stop> {
        let relation = Map::from_domain_and_range(domain.clone(), self.header_cells(header)?)?;
        Ok(self.access(AccessKind::Read, self.at(header.base), relation))
    }

    /// `{ A[x] }`: the cells of a value that does not change.
    pub fn header_cells(&self, header: &HeaderRead<'p>) -> Result<Set, Stop> {
        let (array, cell) = self.cells[&header.base];
        Ok(header.extent.cells(cell)?.range()?.set_tuple_name(&self.arrays[array.index()].name)?)
    }

    /// The read of the address of the row that an access is to; `None` if it is to no row.
    pub fn row_address(
        &mut self,
        access: &MemoryAccess<'p>,
        stmt: &str,
        domain: &Set,
    ) -> Result<Option<Access>, Stop> {
        let Some(Row { table, offset, bytes, .. }) = &access.row else { return Ok(None) };
        let (array, cell) = self.cells[table];
        let extent = Extent { offset: offset.clone(), bytes: Bytes::Fixed(*bytes) };
        let cells = extent.cells(cell)?.set_tuple_name(DimType::In, stmt)?;
        let cells = cells.set_tuple_name(DimType::Out, &self.arrays[array.index()].name)?;
        Ok(Some(self.access(AccessKind::Read, array, cells.intersect_domain(domain.clone())?)))
    }

    /// `{ [i, j] -> [x] }`: the cells that an access to memory touches, if that is known.
    pub fn known_cells(&self, access: &MemoryAccess<'p>, shaped: Option<&Map>) -> Result<Option<Map>, Stop> {
        let (_, cell) = self.cells[&access.base];
        match (shaped, &access.extent) {
            (Some(cells), _) => Ok(Some(cells.clone())),
            (None, Some(extent)) => extent.cells(cell).map(Some),
            (None, None) => Ok(None),
        }
    }

    /// An access to memory by a statement, with its cells if the array has a shape; `perhaps`: it may not happen.
    pub fn memory(
        &mut self,
        access: &MemoryAccess<'p>,
        shaped: Option<&Map>,
        stmt: &str,
        domain: &Set,
        perhaps: bool,
    ) -> Result<Access, Stop> {
        let (array, cell) = self.cells[&access.base];
        let name = self.arrays[array.index()].name.clone();
        let known = self.known_cells(access, shaped)?;
        let is_known = known.is_some();
        let relation = match known {
            Some(cells) => cells.set_tuple_name(DimType::In, stmt)?,
            None => Map::from_domain_and_range(domain.clone(), all_cells(access, cell, domain)?)?,
        };
        let kind = match (access.is_write, perhaps || !is_known) {
            (false, _) => AccessKind::Read,
            (true, false) => AccessKind::MustWrite,
            (true, true) => AccessKind::MayWrite,
        };
        let relation = relation.set_tuple_name(DimType::Out, &name)?.intersect_domain(domain.clone())?;
        Ok(self.access(kind, array, relation))
    }
}

/// `{ [x] }`: the cells that may be touched if it is not known which.
fn all_cells(access: &MemoryAccess<'_>, cell: u64, domain: &Set) -> isl::Result<Set> {
    let ctx = domain.ctx();
    let all = Set::universe(Space::set_alloc(ctx, 0, 1)?)?;
    let (Some((first, end)), Ok(cell)) = (access.reach, i64::try_from(cell)) else { return Ok(all) };
    let (low, high) = (first.div_euclid(cell), (end - 1).div_euclid(cell));
    let all = all.lower_bound_val(DimType::Set, 0, Val::int_from_si(ctx, low)?)?;
    all.upper_bound_val(DimType::Set, 0, Val::int_from_si(ctx, high)?)
}

/// The bases in the order of their first instruction, with the cell size that fits all accesses.
fn cell_sizes<'p>(memory: &Memory<'p>) -> Vec<(Value<'p>, u64)> {
    let mut sizes: Vec<(Value<'p>, u64)> = Vec::new();
    let accesses = memory
        .accesses
        .iter()
        .map(|access| (access.base, access.extent.as_ref().map_or(0, |extent| extent.granule())));
    let headers = memory.headers.iter().map(|header| (header.base, header.extent.granule()));
    let tables = memory.row_reads.iter().map(|read| (read.table, read.inst.access_bytes()));
    for (at, granule) in accesses.chain(headers).chain(tables) {
        match sizes.iter_mut().find(|(base, _)| *base == at) {
            Some((_, size)) => *size = gcd(*size, granule),
            None => sizes.push((at, granule)),
        }
    }
    // An array of which any cell may be touched has cells of any size.
    sizes.iter_mut().for_each(|(_, size)| *size = (*size).max(1));
    sizes
}

/// The greatest number that divides both.
pub fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
