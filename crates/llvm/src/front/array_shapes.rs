//! Shapes of arrays whose offsets are not affine: all accesses to one base as polynomials, handed to [`mod@delinearize`].
//!
//! `A[i * m + j]` has the byte offset `{{0,+,8m}<i>,+,8}<j>`. As the polynomial `8*m*i + 8*j` it is `A[i][j]` in rows of `m`,
//! if `j < m` in all iterations. Where all accesses to a base fit one shape, the array has that shape in the model; the
//! condition goes to the ledger. An array whose offsets are affine anyway gets a shape only if no condition is
//! needed for that, which costs nothing and keeps the numbers in the dependences small; or if the program declares rows of
//! these constant sizes.

use super::affine::Stop;
use super::lift::Lifter;
use super::memory::{Bytes, Memory, MemoryAccess, Wants, greatest_divisor};
use super::polynomials::{NarrowProducts, has_narrow_product};
use crate::pass::{Block, Value};
use crate::scev::{Scev, ScevKind};
use delinearize::{Access, Atom, Poly, Problem, View, delinearize};
use isl::{DimType, Id, Map, PwAff, Set, Val};
use model::Layout;
use model::written::Written;
use std::collections::HashMap;
use std::rc::Rc;

/// The shape of an array and the cells that its accesses touch.
pub struct Shape<'p> {
    /// The array's address.
    pub base: Value<'p>,
    /// Bytes per cell.
    pub granule: u64,
    /// As the model has it.
    pub sizes: Vec<Option<String>>,
    /// How rows follow each other.
    pub layout: Layout,
    /// For each access, by its index: `{ [i, j] -> [x, y] }`.
    pub cells: Vec<(usize, Map)>,
    /// When all this is true: `{ : ... }`.
    pub valid: Set,
    /// Whether that is always.
    pub is_proved: bool,
    /// For people: `B: double[][B->size1], valid when B->size1 >= C->size1`.
    pub declaration: String,
    /// Whether sizes are constants: then nothing has to be checked.
    pub is_constant: bool,
}

impl Shape<'_> {
    /// The cells of the access with that index.
    pub fn cells_of(&self, index: usize) -> Option<&Map> {
        self.cells.iter().find(|(of, _)| *of == index).map(|(_, cells)| cells)
    }
}

impl<'p> Lifter<'_, 'p> {
    /// Gives arrays shapes in which all subscripts are affine.
    pub(super) fn find_shapes(&self, memory: &mut Memory<'p>) -> Result<(), Stop> {
        let mut bases: Vec<Value<'p>> = Vec::new();
        for access in &memory.accesses {
            if !bases.contains(&access.base) {
                bases.push(access.base);
            }
        }
        let mut written = HashMap::new();
        for base in bases {
            if memory.shape(base).is_some() {
                continue;
            }
            if let Some((shape, wants)) = self.best_shape(memory, base, &mut written)? {
                memory.wants.extend(wants);
                memory.shapes.push(shape);
            }
        }
        Ok(())
    }

    /// The first guess that gives a shape without a condition, or else the first that gives one.
    fn best_shape(
        &self,
        memory: &mut Memory<'p>,
        base: Value<'p>,
        written: &mut HashMap<Block<'p>, Written>,
    ) -> Result<Option<(Shape<'p>, Wants<'p>)>, Stop> {
        let mut best: Option<(Shape<'p>, Wants<'p>)> = None;
        for guess in self.guesses(memory, base) {
            if best.is_some() && guess.products == NarrowProducts::Named {
                continue;
            }
            let mut wants = Wants::default();
            match self.shape(memory, base, guess, &mut wants, written)? {
                Some(shape) if shape.is_proved => return Ok(Some((shape, wants))),
                Some(shape) if best.is_none() => best = Some((shape, wants)),
                Some(_) => {}
                None => memory.wants.notes.extend(wants.notes),
            }
        }
        Ok(best)
    }

    fn shape(
        &self,
        memory: &Memory<'p>,
        base: Value<'p>,
        guess: Guess,
        wants: &mut Wants<'p>,
        written: &mut HashMap<Block<'p>, Written>,
    ) -> Result<Option<Shape<'p>>, Stop> {
        let of_base = |(_, access): &(usize, &MemoryAccess<'p>)| access.base == base;
        let (mut indices, mut accesses, mut maps) = (Vec::new(), Vec::new(), Vec::new());
        for (index, access) in memory.accesses.iter().enumerate().filter(of_base) {
            let Some(found) = self.as_polynomial(access, guess, wants)? else { return Ok(None) };
            let (found, map) = as_written(found, access, written)?;
            indices.push(index);
            accesses.push(found);
            maps.push(map);
        }
        let is_affine = indices.iter().all(|index| memory.accesses[*index].extent.is_some());
        let context = self.affine.context()?;
        let of_view = || indices.iter().map(|index| &memory.accesses[*index]);
        let declared = if is_affine { declared(&accesses, of_view()) } else { None };
        let (products, units) = (Default::default(), self.likely_units());
        let problem = Problem { context, accesses, products, units, declared };
        let view = match delinearize(&problem, self.shape_options) {
            Ok(view) => view,
            Err(delinearize::Error::Isl(error)) => return Err(error.into()),
            Err(delinearize::Error::Input { .. }) => return Ok(None),
        };
        let is_proved = view.is_always_valid()? && wants.fails.is_empty();
        let is_worth_it = !is_affine || is_proved || is_declared(&view, of_view());
        if !is_usable(&view) || !is_worth_it || view.valid.is_empty()? {
            if view.exhausted {
                let note = format!("{}: no shape found, {}", base.readable(), self.cut_short());
                wants.notes.push(note);
            }
            return Ok(None);
        }
        let cells = indices.iter().enumerate().map(|(at, index)| {
            let depth = self.domains.chains[&memory.accesses[*index].inst.block()].len();
            let cells = match &maps[at] {
                Some(map) => map.clone().apply_range(view.relation(at)?)?,
                None => view.relation(at)?,
            };
            // The cells of a range have a counter of their own.
            let more = cells.dim(DimType::In)? - depth;
            Ok((*index, cells.project_out(DimType::In, depth, more)?))
        });
        Ok(Some(Shape {
            base,
            granule: view.granule,
            declaration: self.declaration(memory, base, &view)?,
            sizes: view.shape(),
            cells: cells.collect::<isl::Result<_>>()?,
            layout: layout(&view),
            is_constant: view.rows.is_none() && view.sizes.iter().all(|size| size.as_constant().is_some()),
            is_proved: view.is_always_valid()?,
            valid: view.valid,
        }))
    }

    /// The strides of a view are in its header, one after the other. Where rows lie in memory one after the other, that of
    /// the columns comes last and is 1 (the front ends of languages that have it the other way round test for 1 themselves).
    fn likely_units(&self) -> Vec<Rc<str>> {
        let scevs = self.affine.scevs();
        let place = |scev: &Scev<'p>| -> Option<i64> {
            let ScevKind::Unknown(value) = scev.kind else { return None };
            let address = scevs.of_value(value.inst()?.pointer()?)?;
            match scevs.offset(&address).kind {
                ScevKind::Constant(offset) => Some(offset),
                _ => None,
            }
        };
        let params = self.affine.params();
        let mut loaded: Vec<(i64, Rc<str>)> = params
            .iter()
            .filter_map(|(scev, param)| Some((place(scev)?, param.name.as_str().into())))
            .collect();
        loaded.sort_by(|a, b| b.cmp(a));
        loaded.into_iter().map(|(_, name)| name).collect()
    }

    fn as_polynomial(
        &self,
        access: &MemoryAccess<'p>,
        guess: Guess,
        wants: &mut Wants<'p>,
    ) -> Result<Option<Access>, Stop> {
        let block = access.inst.block();
        let (Some(bytes), Some(domain)) = (&access.bytes, self.domains.of.get(&block)) else {
            return Ok(None);
        };
        let offset = match self.polynomial(access.inst, &access.offset, guess.products, wants) {
            Err(Stop::NotAffine | Stop::MayFail) => return Ok(None),
            offset => offset?,
        };
        let (domain, writes) = (domain.clone(), access.is_write);
        match bytes {
            Bytes::Fixed(bytes) => Ok(Some(Access { offset: Some(offset), bytes: *bytes, domain, writes })),
            Bytes::Affine(_) if let Some((cell, sizes)) = self.product(access, guess, wants)? => {
                let (domain, more) = self.with_cells_of_rows(access, domain, &sizes, wants)?;
                let offset = offset.add(&more.scale(cell.into())?)?;
                Ok(Some(Access { offset: Some(offset), bytes: cell, domain, writes }))
            }
            Bytes::Affine(length) => {
                let cell = greatest_divisor(&[length]);
                let (domain, more) = self.with_cells_of_range(domain, length, cell)?;
                let offset = offset.add(&more).map_err(|_| Stop::NotAffine)?;
                Ok(Some(Access { offset: Some(offset), bytes: cell, domain, writes }))
            }
        }
    }

    /// In which ways the lengths of ranges, and products, may be looked at.
    fn guesses(&self, memory: &Memory<'p>, base: Value<'p>) -> Vec<Guess> {
        let of_base = || memory.accesses.iter().filter(|access| access.base == base);
        let is_product = |access: &MemoryAccess<'p>| match access.length.as_ref().map(|length| &length.kind) {
            Some(ScevKind::Mul(factors)) => factors.len() > 2,
            _ => false,
        };
        let rows = match of_base().any(is_product) {
            true => vec![RowGuess::Last, RowGuess::First, RowGuess::Nothing],
            false => vec![RowGuess::Nothing],
        };
        let mut products = vec![NarrowProducts::Named];
        if of_base().any(|access| has_narrow_product(&access.offset)) {
            products.push(NarrowProducts::WrittenOut);
        }
        let both = |products| rows.iter().map(move |rows| Guess { rows: *rows, products });
        products.into_iter().flat_map(both).collect()
    }

    /// A length of whole rows, `8*n*m`: the size of a cell, the number of rows and the size of a row.
    fn product(
        &self,
        access: &MemoryAccess<'p>,
        Guess { rows, products }: Guess,
        wants: &mut Wants<'p>,
    ) -> Result<Option<WholeRows>, Stop> {
        let Some(length) = access.length.as_ref().filter(|_| rows != RowGuess::Nothing) else {
            return Ok(None);
        };
        let poly = match self.polynomial(access.inst, length, products, wants) {
            Err(Stop::NotAffine | Stop::MayFail) => return Ok(None),
            poly => poly?,
        };
        let mut terms = poly.terms();
        let Some((product, cell)) = terms.next().filter(|_| terms.next().is_none()) else { return Ok(None) };
        let [(Atom::Param(a), 1), (Atom::Param(b), 1)] = product.powers() else { return Ok(None) };
        let sizes = if rows == RowGuess::Last { [a.clone(), b.clone()] } else { [b.clone(), a.clone()] };
        Ok([1, 2, 4, 8, 16].into_iter().find(|known| i128::from(*known) == cell).map(|cell| (cell, sizes)))
    }

    /// Two more counters, for the cells of whole rows, and their part of the offset in cells. (That the product of the sizes
    /// does not wrap is a part of [`model::Condition::Near`].)
    fn with_cells_of_rows(
        &self,
        access: &MemoryAccess<'p>,
        domain: Set,
        sizes: &[Rc<str>; 2],
        wants: &mut Wants<'p>,
    ) -> Result<(Set, Poly), Stop> {
        let (depth, ctx) = (domain.dim(DimType::Set)?, domain.ctx().clone());
        let [rows, row] = sizes;
        // Two negative sizes have a positive product.
        let negative =
            Set::read_from_str(&ctx, &format!("[{rows}, {row}] -> {{ : {rows} < 0 or {row} < 0 }}"))?;
        let negative = negative.intersect(domain.clone().params()?)?;
        if !negative.is_empty()? {
            wants.fails.push((negative, access.inst));
        }
        let mut inside = domain.add_dims(DimType::Set, 2)?;
        for (at, size) in sizes.iter().enumerate() {
            let counter = self.affine.counter(depth + at, depth + 2)?;
            let size = PwAff::param_on_domain_id(self.affine.universe(depth + 2)?, Id::new(&ctx, size)?)?;
            let zero = self.affine.constant(0, depth + 2)?;
            inside = inside.intersect(counter.clone().ge_set(zero)?)?.intersect(counter.lt_set(size)?)?;
        }
        let (x, y) = (Poly::counter(depth as u32), Poly::counter(depth as u32 + 1));
        Ok((inside, x.mul(&Poly::param(row))?.add(&y)?))
    }

    /// One more counter, for the cells of a range of bytes, and its part of the offset.
    fn with_cells_of_range(&self, domain: Set, length: &PwAff, cell: u64) -> Result<(Set, Poly), Stop> {
        let depth = domain.dim(DimType::Set)?;
        let counter = self.affine.counter(depth, depth + 1)?;
        let bytes = counter.clone().scale_val(Val::int_from_ui(domain.ctx(), cell)?)?;
        let inside = counter.ge_set(self.affine.constant(0, depth + 1)?)?;
        let inside = inside.intersect(bytes.lt_set(length.clone().add_dims(DimType::In, 1)?)?)?;
        let more = Poly::counter(depth as u32).scale(i128::from(cell)).map_err(|_| Stop::NotAffine)?;
        Ok((domain.add_dims(DimType::Set, 1)?.intersect(inside)?, more))
    }
}

/// The access in the counters that were written, and the map to these from the model's, unless they are the same.
/// Strides tell more there: `A[j][i]` in a loop over `j` that starts at `i` has strides of a row and of a cell, where
/// the model's counters have those of a row and a cell, and of a row.
fn as_written<'p>(
    found: Access,
    access: &MemoryAccess<'p>,
    known: &mut HashMap<Block<'p>, Written>,
) -> Result<(Access, Option<Map>), Stop> {
    let (block, is_cell) = (access.inst.block(), matches!(access.bytes, Some(Bytes::Fixed(_))));
    let written = match known.get(&block) {
        Some(written) if is_cell => written.clone(),
        _ => Written::of(&found.domain)?,
    };
    if is_cell {
        known.insert(block, written.clone());
    }
    let Some(offset) = found.offset.as_ref().filter(|_| !written.is_plain()) else {
        return Ok((found, None));
    };
    let map = written.map(&found.domain.get_space()?)?;
    let offset = Some(in_written_counters(offset, &written).map_err(|_| Stop::NotAffine)?);
    let domain = found.domain.clone().apply(map.clone())?;
    Ok((Access { offset, domain, ..found }, Some(map)))
}

/// The polynomial with each counter replaced by the one that was written, without its start.
fn in_written_counters(offset: &Poly, written: &Written) -> Result<Poly, delinearize::Overflow> {
    let mut counters: Vec<Poly> = Vec::new();
    for (depth, start) in written.starts().iter().enumerate() {
        let mut counter = Poly::counter(depth as u32);
        for (outer, times) in counters.iter().zip(start) {
            counter = counter.sub(&outer.scale(i128::from(*times))?)?;
        }
        counters.push(counter);
    }
    offset.substitute(|atom| match atom {
        Atom::Counter(position) => counters.get(*position as usize).cloned(),
        _ => None,
    })
}

/// The bytes of a cell; the number of rows and the size of a row.
type WholeRows = (u64, [Rc<str>; 2]);

/// How to look at what has several readings.
#[derive(Clone, Copy, Debug)]
struct Guess {
    rows: RowGuess,
    products: NarrowProducts,
}

/// Which factor in the length of a range of whole rows is the size of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowGuess {
    /// The last parameter.
    Last,
    /// The first one.
    First,
    /// It is just a number of bytes.
    Nothing,
}

/// Whether the program itself has rows of these constant sizes. Then that subscripts stay inside is worth being assumed (paper
/// 002, Section 4.4).
fn is_declared<'a, 'p: 'a>(view: &View, accesses: impl Iterator<Item = &'a MemoryAccess<'p>>) -> bool {
    let sizes = view.sizes.iter().map(|size| size.as_constant()).collect::<Option<Vec<_>>>();
    sizes.is_some_and(|sizes| step_over_rows(view.granule, &sizes, accesses))
}

/// Whether all addresses but those in the first row are computed by steps over arrays of these sizes, of cells of so many bytes.
fn step_over_rows<'a, 'p: 'a>(
    cell: u64,
    sizes: &[i128],
    mut accesses: impl Iterator<Item = &'a MemoryAccess<'p>>,
) -> bool {
    let mut bytes = i128::from(cell);
    let mut rows = Vec::new();
    for size in sizes.iter().rev() {
        bytes = bytes.saturating_mul(*size);
        rows.push(u64::try_from(bytes).unwrap_or(0));
    }
    let steps = |pointer: Value<'p>| rows.iter().all(|bytes| pointer.steps_over_rows(*bytes));
    accesses.all(|access| access.inst.pointer().is_some_and(steps))
}

/// The inner sizes of an array of constant sizes, if all strides of its accesses are those of its rows.
fn declared<'a, 'p: 'a>(
    offsets: &[Access],
    accesses: impl Iterator<Item = &'a MemoryAccess<'p>>,
) -> Option<Vec<i128>> {
    let mut strides: Vec<i128> = Vec::new();
    for Access { offset, bytes, .. } in offsets {
        let linear = offset.as_ref()?.linear()?;
        strides.push(i128::from(*bytes));
        for stride in linear.strides.values() {
            strides.push(stride.as_constant()?.checked_abs()?);
        }
    }
    strides.sort_unstable_by(|a, b| b.cmp(a));
    strides.dedup();
    let cell = u64::try_from(*strides.last()?).ok().filter(|cell| *cell > 0)?;
    let sizes = strides.windows(2).map(|pair| (pair[0] % pair[1] == 0).then_some(pair[0] / pair[1]));
    let sizes = sizes.collect::<Option<Vec<_>>>()?;
    (sizes.len() > 1 && step_over_rows(cell, &sizes, accesses)).then_some(sizes)
}

/// Whether the model and the check have words for it: all accesses in rows of a size that is a sum of parameters, or that
/// grow from row to row.
fn is_usable(view: &View) -> bool {
    let is_plain = |atom: &Atom| matches!(atom, Atom::Param(_) | Atom::Share(..));
    let plain = |size: &Poly| size.degree() <= 1 && size.atoms().iter().all(is_plain);
    view.dims() > 1
        && view.rows.iter().all(|rows| plain(&rows.slope) && i64::try_from(rows.growth).is_ok())
        && view.accesses.iter().all(|cells| cells.is_exact())
        && view.sizes.iter().all(plain)
}

fn layout(view: &View) -> Layout {
    match &view.rows {
        Some(rows) => Layout::Packed { growth: rows.growth as i64, slope: rows.slope.to_string() },
        None => Layout::Even,
    }
}
