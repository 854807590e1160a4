//! The run-time check: whether all assumptions of a model hold, as one value computed before the nest.
//!
//! Parts are evaluated one after the other without branches. Each may be poison where one before it does not hold, so they
//! are joined by choices (`select`), which do not look at what they do not choose.
//!
//! *Bytes.* An extent is a range of rows of an array; in bytes it is `first * size * ... * bytes per cell` from the base. The
//! factors are parameters, so each product is computed in 128 bits from two factors of 64, and must be in
//! [-2^62, 2^62]; otherwise the check fails. Then also two such numbers can be added to an address without doubt.
//!
//! *Rows behind a table.* Their addresses are read in a loop ([`Writer::scan`]), if all else that can be told before holds. The
//! rows of an array that is written must be in the order of their addresses, or in the opposite order, so that looking at
//! neighbours suffices. The bytes from the lowest to the highest row are then the array's extent.

use super::builder::Builder;
use super::values::Values;
use crate::front::lift::ArraySource;
use crate::pass::Value;
use assume::{AllRows, Apart, Below, Conjunct, Extent, Rows, Test};
use astgen::Expr;
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

/// Writes checks where the builder is.
pub struct Writer<'a, 'p> {
    /// Computes expressions.
    pub values: &'a Values<'a, 'p>,
    /// The values of the parameters.
    pub params: &'a [Value<'p>],
    /// What each array stands for.
    pub arrays: &'a [ArraySource<'p>],
    /// Where results about rows are kept, by array.
    pub scans: &'a BTreeMap<usize, Scan<'p>>,
    /// What was computed of extents: each array is compared with several others. All parts of a check are where the first ones are
    /// known.
    pub known: RefCell<Vec<(Extent, Range<'p>)>>,
}

/// An extent in bytes from the base of its array, right only if `fits`.
#[derive(Clone, Copy)]
pub struct Range<'p> {
    first: Value<'p>,
    end: Value<'p>,
    fits: Value<'p>,
}

/// What is found out about the rows of an array, each in a stack slot.
#[derive(Clone, Copy)]
pub struct Scan<'p> {
    /// Numbers fit, and rows end after they begin.
    fits: Value<'p>,
    /// Each row begins where the one before it ends, or later.
    ascends: Value<'p>,
    /// Each row ends where the one before it begins, or earlier.
    descends: Value<'p>,
    /// The lowest address.
    low: Value<'p>,
    /// Where the highest row ends.
    high: Value<'p>,
}

impl<'p> Scan<'p> {
    /// Makes the slots; the builder must be in the function's entry block.
    pub fn new(b: &Builder<'p>) -> Self {
        let [fits, ascends, descends] = std::array::from_fn(|_| b.slot(b.int(1)));
        let [low, high] = std::array::from_fn(|_| b.slot(b.int(64)));
        Self { fits, ascends, descends, low, high }
    }

    /// All slots.
    pub fn slots(&self) -> [Value<'p>; 5] {
        [self.fits, self.ascends, self.descends, self.low, self.high]
    }

    /// Sets all of them, as if no row had been looked at; `fits`: whether that is good.
    pub fn clear(&self, b: &Builder<'p>, fits: bool) {
        let truth = |value: bool| b.constant(b.int(1), i64::from(value));
        b.store(truth(fits), self.fits);
        b.store(truth(true), self.ascends);
        b.store(truth(true), self.descends);
        b.store(b.index(-1), self.low);
        b.store(b.index(0), self.high);
    }
}

/// A number that is right only if `fits`.
struct Checked<'p> {
    value: Value<'p>,
    fits: Value<'p>,
}

/// Bytes of an address in a table.
pub const ADDRESS: i64 = 8;

/// How far from a base is near.
const FAR: i64 = 1 << 62;

impl<'p> Writer<'_, 'p> {
    fn builder(&self) -> &Builder<'p> {
        self.values.builder
    }

    /// A constant.
    pub fn truth(&self, value: bool) -> Value<'p> {
        self.builder().constant(self.builder().int(1), i64::from(value))
    }

    /// Whether the first of these assumptions holds, whether the first two do, and so on. `None`: some part cannot be computed.
    pub fn write(&self, conjuncts: &[Conjunct]) -> Option<Vec<Value<'p>>> {
        let mut holds = vec![];
        for conjunct in conjuncts {
            let ok = self.test(&conjunct.test)?;
            let before = holds.last().copied().unwrap_or_else(|| self.truth(true));
            holds.push(self.builder().select(before, ok, self.truth(false)));
        }
        Some(holds)
    }

    fn test(&self, test: &Test) -> Option<Value<'p>> {
        match test {
            Test::Holds(expr) => Some(self.values.truth(self.expr(expr)?)),
            Test::Fails(expr) => {
                let fails = self.values.truth(self.expr(expr)?);
                Some(self.builder().select(fails, self.truth(false), self.truth(true)))
            }
            Test::Near(near) => {
                let Range { fits, .. } = self.bytes(&near.extent)?;
                self.unless_untouched(&near.touched, fits)
            }
            Test::Below(below) => self.below(below),
            Test::Apart(apart) => self.apart(apart),
            Test::Rows(rows) => self.rows(rows),
        }
    }

    /// Whether rows are apart, after they were looked at.
    fn rows(&self, rows: &AllRows) -> Option<Value<'p>> {
        let (b, scan) = (self.builder(), self.scans.get(&rows.array)?);
        let flag = |slot| b.load(b.int(1), slot);
        let is_sorted = b.binary(LLVMOr, flag(scan.ascends), flag(scan.descends));
        let fits = flag(scan.fits);
        Some(if rows.are_written { b.binary(LLVMAnd, fits, is_sorted) } else { fits })
    }

    /// Looks at all rows of an array, in blocks of its own.
    pub fn scan(&self, all: &AllRows) -> Option<()> {
        let b = self.builder();
        let (scan, ArraySource::Rows(table)) = (self.scans.get(&all.array)?, self.arrays[all.array]) else {
            return None;
        };
        scan.clear(b, true);
        let [pre, head, after] =
            [c"orthant.rows", c"orthant.row", c"orthant.scanned"].map(|name| b.block(name));
        b.branch(self.values.truth(self.expr(&all.touched)?), pre, after);
        b.at_end(pre);
        let unit = Checked { value: b.index(all.cell_bytes), fits: self.truth(true) };
        let [first, end] = [self.expr(&all.rows[0])?, self.expr(&all.rows[1])?];
        let [from, to] =
            [self.times(&unit, self.expr(&all.cells[0])?), self.times(&unit, self.expr(&all.cells[1])?)];
        b.store(b.binary(LLVMAnd, from.fits, to.fits), scan.fits);
        b.branch(b.compare(LLVMIntSLT, first, end), head, after);
        b.at_end(head);
        let row = b.phi(b.int(64));
        b.add_incoming(row, first, pre);
        let place = b.displace(table, b.binary(LLVMMul, row, b.index(ADDRESS)), false);
        let address = b.address(b.load_at(b.type_of(table), place, 1), b.int(64));
        self.look(scan, b.binary(LLVMAdd, address, from.value), b.binary(LLVMAdd, address, to.value));
        let next = b.binary(LLVMAdd, row, b.index(1));
        b.add_incoming(row, next, head);
        b.branch(b.compare(LLVMIntSLT, next, end), head, after);
        b.at_end(after);
        Some(())
    }

    /// One more row, from one address to another.
    fn look(&self, scan: &Scan<'p>, start: Value<'p>, stop: Value<'p>) {
        let b = self.builder();
        let and = |slot: Value<'p>, holds: Value<'p>| {
            b.store(b.binary(LLVMAnd, b.load(b.int(1), slot), holds), slot);
        };
        let (low, high) = (b.load(b.int(64), scan.low), b.load(b.int(64), scan.high));
        and(scan.fits, b.compare(LLVMIntULE, start, stop));
        and(scan.ascends, b.compare(LLVMIntULE, high, start));
        and(scan.descends, b.compare(LLVMIntULE, stop, low));
        b.store(b.select(b.compare(LLVMIntULT, start, low), start, low), scan.low);
        b.store(b.select(b.compare(LLVMIntUGT, stop, high), stop, high), scan.high);
    }

    fn expr(&self, expr: &Expr) -> Option<Value<'p>> {
        self.values.expr(expr, &HashMap::new(), self.params)
    }

    fn unless_untouched(&self, touched: &Expr, ok: Value<'p>) -> Option<Value<'p>> {
        let touched = self.values.truth(self.expr(touched)?);
        Some(self.builder().select(touched, ok, self.truth(true)))
    }

    fn apart(&self, apart: &Apart) -> Option<Value<'p>> {
        let b = self.builder();
        let place = |extent: &Extent| {
            let base = match self.arrays[extent.array] {
                ArraySource::Base(base) => base,
                ArraySource::Rows(_) => {
                    let scan = self.scans.get(&extent.array)?;
                    let (low, high) = (b.load(b.int(64), scan.low), b.load(b.int(64), scan.high));
                    return Some((low, high, b.load(b.int(1), scan.fits)));
                }
                _ => return None,
            };
            let base = b.address(base, b.int(64));
            let Range { first, end, fits } = self.bytes(extent)?;
            Some((b.binary(LLVMAdd, base, first), b.binary(LLVMAdd, base, end), fits))
        };
        let [(a, a_end, a_fits), (c, c_end, c_fits)] = [place(&apart.extents[0])?, place(&apart.extents[1])?];
        let before = b.compare(LLVMIntULE, a_end, c);
        let after = b.compare(LLVMIntULE, c_end, a);
        // What is perhaps touched may reach beyond the address space; then nothing can be told.
        let ordered = b.binary(LLVMAnd, b.compare(LLVMIntULE, a, a_end), b.compare(LLVMIntULE, c, c_end));
        let fits = b.binary(LLVMAnd, ordered, b.binary(LLVMAnd, a_fits, c_fits));
        let is_apart = b.binary(LLVMAnd, fits, b.binary(LLVMOr, before, after));
        self.unless_untouched(&apart.touched, is_apart)
    }

    fn below(&self, test: &Below) -> Option<Value<'p>> {
        let b = self.builder();
        let mut subscripts = test.last.iter();
        let mut number = Checked { value: self.expr(subscripts.next()?)?, fits: self.truth(true) };
        for (size, subscript) in test.sizes.iter().zip(subscripts) {
            let row = self.times(&number, self.expr(size)?);
            let subscript = self.expr(subscript)?;
            number = self.near(row.fits, |wide| b.binary(LLVMAdd, wide(row.value), wide(subscript)));
        }
        let is_below = b.compare(LLVMIntSLT, number.value, self.expr(&test.limit)?);
        self.unless_untouched(&test.tested, b.binary(LLVMAnd, number.fits, is_below))
    }

    /// Where an extent begins and ends, in bytes from the base, and whether that is near.
    fn bytes(&self, extent: &Extent) -> Option<Range<'p>> {
        let known = self.known.borrow().iter().find(|(known, _)| known == extent).map(|(_, range)| *range);
        if known.is_some() {
            return known;
        }
        let b = self.builder();
        let start = |row: &Expr| -> Option<Checked<'p>> {
            let cells = self.row_start(&extent.rows, self.expr(row)?)?;
            Some(self.times(&cells, b.index(extent.cell_bytes)))
        };
        let (first, end) = (start(&extent.first)?, start(&extent.end)?);
        let fits = b.binary(LLVMAnd, first.fits, end.fits);
        let range = Range { first: first.value, end: end.value, fits };
        self.known.borrow_mut().push((extent.clone(), range));
        Some(range)
    }

    /// The first cell of a row.
    fn row_start(&self, rows: &Rows, row: Value<'p>) -> Option<Checked<'p>> {
        let b = self.builder();
        let mut start = Checked { value: row, fits: self.truth(true) };
        match rows {
            Rows::Even(sizes) => {
                for size in sizes {
                    start = self.times(&start, self.expr(size)?);
                }
                Some(start)
            }
            Rows::Packed { growth, slope } => {
                let grown = self.times(&start, b.index(*growth));
                let slope = self.expr(slope)?;
                let length = self.near(grown.fits, |wide| b.binary(LLVMAdd, wide(grown.value), wide(slope)));
                let twice = self.times(&length, row);
                Some(Checked { value: b.binary(LLVMAShr, twice.value, b.index(1)), fits: twice.fits })
            }
            Rows::Anywhere => None,
        }
    }

    fn times(&self, a: &Checked<'p>, factor: Value<'p>) -> Checked<'p> {
        let b = self.builder();
        self.near(a.fits, |wide| b.binary(LLVMMul, wide(a.value), wide(factor)))
    }

    /// A number computed in 128 bits, which is right if it is near and its parts are.
    fn near(
        &self,
        parts_fit: Value<'p>,
        compute: impl FnOnce(&dyn Fn(Value<'p>) -> Value<'p>) -> Value<'p>,
    ) -> Checked<'p> {
        let b = self.builder();
        let wide = |value| b.resize(value, b.int(128), true);
        let number = compute(&wide);
        let (low, high) = (wide(b.index(-FAR)), wide(b.index(FAR)));
        let is_near =
            b.binary(LLVMAnd, b.compare(LLVMIntSGE, number, low), b.compare(LLVMIntSLE, number, high));
        Checked { value: b.resize(number, b.int(64), true), fits: b.binary(LLVMAnd, parts_fit, is_near) }
    }
}
