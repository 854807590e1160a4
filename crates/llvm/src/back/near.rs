//! Cells a few apart as vectors: the parts of complex numbers, of colours, of points.
//!
//! Of the cells `C[0], C[step], ..., C[(lanes - 1) * step]` a vector has the elements, in that order. They are brought in by `step`
//! vectors of what lies there, of which the elements are picked:
//! ```text
//!   memory, step 2:   re im re im | re im re im     two vectors
//!   picked:           re re re re                   one shuffle
//! ```
//! # Invariant
//! - What is loaded without a mask lies between the first and the last of the cells: the last vector ends with the last cell, and
//!   shares what it must with the one before. Under a mask of the columns nothing is loaded but cells that the mask has.
//! - What is stored is the cells, under a mask: others may belong to somebody else.
//!
//! Gathers do the same, but take a step for each element on most processors.

use super::block::Kernel;
use super::builder::{Builder, Type};
use super::emit::Emitter;
use super::rewrite::Place;
use crate::front::lift::Touched;
use crate::pass::Value;
use assume::Rows;
use astgen::Expr;

/// The greatest step: from further apart too little of what is loaded is used.
const FURTHEST: i64 = 4;

/// Vectors of cells a few apart.
#[derive(Clone, Copy)]
pub(super) struct Near<'p> {
    pub(super) step: i64,
    pub(super) lanes: i64,
    /// Which cells take part, if not all.
    pub(super) mask: Option<Value<'p>>,
}

/// How many cells further the one is whose subscripts are greater by these numbers, if it is a few. Each has so many bytes.
pub(super) fn few_apart(place: &Place, steps: &[i64], bytes: i64) -> Option<i64> {
    let Rows::Even(sizes) = &place.rows else { return None };
    let mut steps = steps.iter();
    let mut cells = *steps.next()?;
    for (size, step) in sizes.iter().zip(steps) {
        cells = match size {
            _ if cells == 0 => *step,
            Expr::Int(size) => cells.checked_mul(*size)?.checked_add(*step)?,
            _ => return None,
        };
    }
    (place.cell_bytes == bytes && (2..=FURTHEST).contains(&cells)).then_some(cells)
}

impl<'p> Near<'p> {
    /// Cells of a kernel's block.
    pub(super) fn of(kernel: &Kernel<'_, 'p>, step: i64, mask: Option<Value<'p>>) -> Self {
        Near { step, lanes: kernel.block.lanes, mask }
    }

    /// Where the vectors begin.
    fn starts(self) -> Vec<i64> {
        let last = match self.mask {
            None => (self.lanes - 1) * self.step + 1 - self.lanes,
            Some(_) => (self.step - 1) * self.lanes,
        };
        let mut starts: Vec<_> = (0..self.step).map(|at| (at * self.lanes).min(last)).collect();
        // Of short vectors the last two may be the same.
        starts.dedup();
        starts
    }

    /// For each element of a vector that begins there, the lane that has the same cell.
    fn lanes_at(self, start: i64) -> impl Iterator<Item = Option<i64>> {
        let cells = start..start + self.lanes;
        cells.map(move |cell| (cell % self.step == 0).then_some(cell / self.step))
    }

    /// The mask of a vector that begins there.
    fn mask_at(self, b: &Builder<'p>, start: i64) -> Value<'p> {
        let Some(mask) = self.mask else {
            return b.mask(self.lanes_at(start).map(|lane| lane.is_some()));
        };
        let none = b.mask((0..self.lanes).map(|_| false));
        let lanes: Vec<_> = self.lanes_at(start).map(|lane| lane.or(Some(self.lanes))).collect();
        b.shuffled(mask, none, &lanes)
    }
}

impl<'p> Emitter<'_, 'p> {
    /// The vector of the cells from an address on.
    pub(super) fn load_near(
        &self,
        place: &Place,
        ty: Type<'p>,
        address: Value<'p>,
        near: Near<'p>,
    ) -> Value<'p> {
        let (b, lanes) = (self.builder(), near.lanes);
        let load = |start: i64| {
            let address = b.displace(address, b.index(start * place.cell_bytes), false);
            let mask = near.mask.map(|_| near.mask_at(b, start));
            self.load_cells(place, ty, address, (lanes, mask))
        };
        let starts = near.starts();
        let mut picked = load(starts[0]);
        for (at, start) in starts.iter().enumerate().skip(1) {
            let from = |lane: i64| match lane * near.step - start {
                inside if inside >= 0 && inside < lanes => Some(lanes + inside),
                // The first vector is as it was loaded.
                before if before < 0 => Some(if at == 1 { lane * near.step } else { lane }),
                _ => None,
            };
            let elements: Vec<_> = (0..lanes).map(from).collect();
            picked = b.shuffled(picked, load(*start), &elements);
        }
        picked
    }

    /// Stores a vector to the cells from an address on.
    pub(super) fn store_near(&self, place: &Place, value: Value<'p>, address: Value<'p>, near: Near<'p>) {
        let (b, ((is_exact, alignment), none)) =
            (self.builder(), (self.facts_of(place), self.builder().poison(self.builder().type_of(value))));
        for start in (0..near.step).map(|at| at * near.lanes) {
            let elements: Vec<_> = near.lanes_at(start).collect();
            let here = b.displace(address, b.index(start * place.cell_bytes), false);
            let spread = b.shuffled(value, none, &elements);
            let store = b.store_masked(spread, here, alignment, near.mask_at(b, start));
            self.facts.annotate(store, Touched { array: place.array, is_exact });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ArrayId;

    fn place(sizes: Vec<Expr>, cell_bytes: i64) -> Place {
        let rows = Rows::Even(sizes);
        Place { array: ArrayId(0), subscripts: Vec::new(), rows, cell_bytes, twin: None }
    }

    #[test]
    fn a_step_is_a_number_of_cells() {
        let complex = place(vec![Expr::Variable(astgen::Variable(0)), Expr::Int(2)], 8);
        assert_eq!(few_apart(&complex, &[0, 1, 0], 8), Some(2));
        assert_eq!(few_apart(&complex, &[0, 2, 0], 8), Some(4));
        assert_eq!(few_apart(&complex, &[0, 0, 1], 8), None, "the next cell");
        assert_eq!(few_apart(&complex, &[0, 4, 0], 8), None, "far");
        assert_eq!(few_apart(&complex, &[1, 0, 0], 8), None, "not known");
        assert_eq!(few_apart(&complex, &[0, -1, 0], 8), None, "backwards");
        assert_eq!(few_apart(&complex, &[0, 1, 0], 4), None, "cells of another size");
        assert_eq!(few_apart(&place(Vec::new(), 4), &[3], 4), Some(3));
    }

    #[test]
    fn whole_vectors_have_all_cells_and_end_with_the_last_one() {
        let near = |step, lanes| Near { step, lanes, mask: None };
        assert_eq!(near(2, 8).starts(), [0, 7]);
        assert_eq!(near(3, 8).starts(), [0, 8, 14]);
        assert_eq!(near(4, 8).starts(), [0, 8, 16, 21]);
        assert_eq!(near(4, 2).starts(), [0, 2, 3]);
        for (step, lanes) in (2..=FURTHEST).flat_map(|step| [2, 4, 8, 16].map(|lanes| (step, lanes))) {
            let (starts, last) = (near(step, lanes).starts(), (lanes - 1) * step);
            assert_eq!(starts.iter().map(|start| start + lanes - 1).max(), Some(last), "{step} {lanes}");
            let has = |cell: i64| starts.iter().any(|start| (*start..start + lanes).contains(&cell));
            assert!((0..lanes).all(|lane| has(lane * step)), "{step} {lanes}");
        }
    }
}
