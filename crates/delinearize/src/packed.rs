//! Packed storage: rows of growing or shrinking length, one after the other, as in the triangles of LAPACK.
//!
//! Row `x` starts at `R(x) = (a*x^2 + b*x) / 2` and has `L(x) = R(x + 1) - R(x) = a*x + (a + b)/2` cells. The lower
//! triangle by rows has `a = b = 1`, so `L = x + 1`; the upper one by rows has `a = -1`, `b = 2*n + 1`, so `L = n - x`.
//! The cell `[f][g]` is at `R(f) + g`. If `0 <= g < L(f)` for all instances of all accesses, then different cells are at
//! different places: `L` is at least 1 in the rows that are touched, so, being affine, also in the rows between them, and
//! each row ends where the next one starts.
//!
//! An offset shows the row by the sum `x` that it has a square of: `f = x + d`. Usually that is one counter; in a loop
//! `for (i = j; ...)`, whose iterations are counted from 0, it is the sum of two. That leaves `g`, which must be affine; a small
//! `d` is searched for which it is inside.
//!
//! Example: `8*(i*(i + 1)/2 + j)` for `0 <= j <= i` is `[i][j]`.

use crate::dimension::{Dimension, is_wide, small};
use crate::frame::Frame;
use crate::place::{Piece, Placed};
use crate::poly::{Atom, Monomial, Overflow, Poly};
use crate::problem::Problem;
use isl::Set;

/// Rows that grow or shrink by the same number of cells each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rows {
    /// Cells by which a row is longer than the one before.
    pub growth: i128,
    /// `b`: without counters.
    pub slope: Poly,
}

impl Rows {
    /// Twice the place where a row starts.
    pub fn twice_start(&self, row: &Poly) -> Result<Poly, Overflow> {
        row.mul(row)?.scale(self.growth)?.add(&row.mul(&self.slope)?)
    }

    /// The length of a row.
    pub fn length(&self, row: &Poly) -> Result<Poly, Overflow> {
        let constant = half(&self.slope.add(&Poly::constant(self.growth))?)?.ok_or(Overflow)?;
        row.scale(self.growth)?.add(&constant)
    }

    /// The rows that the offset suggests, which is given in half cells.
    fn guess(offset: &Poly) -> Result<Option<Self>, Overflow> {
        let Some(Square { growth, row, lead }) = Square::of(offset)? else { return Ok(None) };
        let mut slope = Poly::constant(growth.abs());
        for (product, times) in offset.sub(&row.mul(&row)?.scale(growth)?)?.terms() {
            // Other parameters times the row; a number times the row may belong to the place in the row.
            if let [(a, 1), (b, 1)] = product.powers()
                && (*a == lead || *b == lead)
            {
                let other = if *a == lead { b } else { a };
                slope = slope.add(&Poly::term(Monomial::product([other.clone()]), times))?;
            }
        }
        let is_whole = half(&slope.add(&Poly::constant(growth))?)?.is_some();
        Ok((is_whole && !slope.has_counter()).then_some(Self { growth, slope }))
    }

    /// Row and place in it, for a row that is `x + d`; `None` if the place is not affine.
    fn subscripts(&self, offset: &Poly, x: &Poly, d: i128) -> Result<Option<[Poly; 2]>, Overflow> {
        let row = x.add(&Poly::constant(d))?;
        let rest = half(&offset.sub(&self.twice_start(&row)?)?)?;
        Ok(rest.filter(|rest| rest.degree() <= 1).map(|rest| [row, rest]))
    }
}

/// `growth * row^2` in an offset.
struct Square {
    growth: i128,
    /// A sum of atoms.
    row: Poly,
    /// One of them that is there once.
    lead: Atom,
}

impl Square {
    /// The square that has the most counters; a parameter's only if it is the only one.
    fn of(offset: &Poly) -> Result<Option<Self>, Overflow> {
        let squares = offset.terms().filter_map(|(product, times)| match product.powers() {
            [(atom, 2)] => Some((atom.clone(), times)),
            _ => None,
        });
        let squares: Vec<(Atom, i128)> = squares.collect();
        let counters = squares.iter().filter(|(atom, _)| atom.is_counter());
        let lead = counters.min_by_key(|(_, times)| times.abs());
        let Some((lead, growth)) = lead.or(squares.first().filter(|_| squares.len() == 1)).cloned() else {
            return Ok(None);
        };
        let mut row = Poly::atom(lead.clone());
        for (atom, times) in squares.iter().filter(|(atom, _)| *atom != lead) {
            // (lead + k*atom)^2 has 2*k times lead*atom and k^2 times atom^2.
            let both = offset.coefficient(&Monomial::product([lead.clone(), atom.clone()]));
            let k = both / growth.checked_mul(2).ok_or(Overflow)?;
            if k.checked_mul(k).and_then(|square| square.checked_mul(growth)) == Some(*times) {
                row = row.add(&Poly::atom(atom.clone()).scale(k)?)?;
            }
        }
        Ok(Some(Self { growth, row, lead }))
    }
}

/// The rows, and the accesses in them; `None` if not all accesses fit.
pub fn place(problem: &Problem, frame: &Frame, offsets: &[Poly]) -> isl::Result<Option<(Rows, Vec<Placed>)>> {
    let Some(halves) = in_half_cells(problem, offsets) else { return Ok(None) };
    let guesses = halves.iter().map(|offset| Rows::guess(offset).ok().flatten());
    let Some(rows) = guesses.flatten().next() else { return Ok(None) };
    let mut all = Vec::new();
    for (access, offset) in problem.accesses.iter().zip(&halves) {
        let domain = frame.align(&access.domain)?.intersect_params(frame.context.clone())?;
        match place_one(frame, &rows, offset, &domain)? {
            Some(placed) => all.push(placed),
            None => return Ok(None),
        }
    }
    Ok(Some((rows, all)))
}

/// The access with the first `d` that is proved, or else the first one that is possible.
fn place_one(frame: &Frame, rows: &Rows, offset: &Poly, domain: &Set) -> isl::Result<Option<Placed>> {
    let executed = domain.clone().params()?;
    let Ok(square) = Square::of(offset) else { return Ok(None) };
    let x = square.map_or_else(Poly::default, |square| square.row);
    let mut best: Option<Placed> = None;
    for d in small(2) {
        let Ok(Some(subscripts)) = rows.subscripts(offset, &x, d) else { continue };
        let Ok(length) = rows.length(&subscripts[0]) else { continue };
        let bad = Dimension::new(frame, domain, &subscripts[1], &length)?.bad(0, &executed)?;
        let is_proved = bad.is_empty()?;
        let is_possible = is_proved || is_wide(&executed.clone().subtract(bad.clone())?, &executed)?;
        if is_proved || is_possible && best.is_none() {
            let piece = Piece { within: domain.clone(), subscripts: subscripts.to_vec() };
            best = Some(Placed { pieces: vec![piece], bad });
        }
        if is_proved {
            break;
        }
    }
    Ok(best)
}

/// The offsets in half cells, if all accesses are to cells of one size.
fn in_half_cells(problem: &Problem, offsets: &[Poly]) -> Option<Vec<Poly>> {
    let bytes = problem.accesses.first()?.bytes;
    let halves = |offset: &Poly| offset.scale(2).ok()?.div_exact(&Poly::constant(bytes.into())).ok()?;
    let is_same = problem.accesses.iter().all(|access| access.bytes == bytes);
    offsets.iter().map(halves).collect::<Option<_>>().filter(|_| is_same)
}

fn half(poly: &Poly) -> Result<Option<Poly>, Overflow> {
    poly.div_exact(&Poly::constant(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `R(x + 1) = R(x) + L(x)`, whatever the numbers.
    #[test]
    fn each_row_ends_where_the_next_one_starts() {
        let x = Poly::counter(0);
        let next = x.add(&Poly::constant(1)).unwrap();
        for growth in [-3, -1, 1, 2] {
            for more in [-5, -1, 1, 3] {
                let slope = Poly::param("n").scale(2).unwrap().add(&Poly::constant(growth * more)).unwrap();
                let rows = Rows { growth, slope };
                let way = rows.twice_start(&next).unwrap().sub(&rows.twice_start(&x).unwrap()).unwrap();
                assert_eq!(rows.length(&x).unwrap().scale(2).unwrap(), way, "{rows:?}");
            }
        }
    }
}
