//! The run-time check: whether all assumptions of a model hold, as one value computed before the nest.
//!
//! Parts are evaluated one after the other without branches. Each may be poison where one before it does not hold, so they
//! are joined by choices (`select`), which do not look at what they do not choose.
//!
//! *Bytes.* An extent is a range of rows of an array; in bytes it is `first * size * ... * bytes per cell` from the base. The
//! factors are parameters, so each product is computed in 128 bits from two factors of 64, and must be in
//! [-2^62, 2^62]; otherwise the check fails. Then also two such numbers can be added to an address without doubt.

use super::builder::Builder;
use super::values::Values;
use crate::front::lift::ArraySource;
use crate::pass::Value;
use assume::{Apart, Below, Check, Extent, Rows, Test};
use astgen::Expr;
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use std::collections::HashMap;

/// Writes checks where the builder is.
pub struct Writer<'a, 'p> {
    /// Computes expressions.
    pub values: &'a Values<'a, 'p>,
    /// The values of the parameters.
    pub params: &'a [Value<'p>],
    /// What each array stands for.
    pub arrays: &'a [ArraySource<'p>],
}

/// A number that is right only if `fits`.
struct Checked<'p> {
    value: Value<'p>,
    fits: Value<'p>,
}

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

    /// Whether the first assumption holds, whether the first two do, and so on. `None`: some part cannot be computed.
    pub fn write(&self, check: &Check) -> Option<Vec<Value<'p>>> {
        let mut holds = vec![];
        for conjunct in &check.conjuncts {
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
                let (_, ok) = self.bytes(&near.extent)?;
                self.unless_untouched(&near.touched, ok)
            }
            Test::Below(below) => self.below(below),
            Test::Apart(apart) => self.apart(apart),
        }
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
            let ArraySource::Base(base) = self.arrays[extent.array] else { return None };
            let base = b.address(base, b.int(64));
            let ([first, end], fits) = self.bytes(extent)?;
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
    fn bytes(&self, extent: &Extent) -> Option<([Value<'p>; 2], Value<'p>)> {
        let b = self.builder();
        let start = |row: &Expr| -> Option<Checked<'p>> {
            let cells = self.row_start(&extent.rows, self.expr(row)?)?;
            Some(self.times(&cells, b.index(extent.cell_bytes)))
        };
        let (first, end) = (start(&extent.first)?, start(&extent.end)?);
        Some(([first.value, end.value], b.binary(LLVMAnd, first.fits, end.fits)))
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
