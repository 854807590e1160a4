//! An access in a given shape: subscripts by division, multiples of a size moved between neighbours, and for which
//! parameter values all subscripts are inside (paper 000, sections 4.1 and 4.3).
//!
//! Dividing the offset by the sizes, innermost first, gives subscripts that lead to the right place; they are
//! *inside* if all but the outermost are at least 0 and below their size. Adding `k` to a subscript and subtracting
//! `k` times the size from its inner neighbour leads to the same place. From the innermost dimension outwards,
//! `Placing::settle` looks for a small `k` that brings a subscript inside:
//!
//! 1. one `k` for which that is proved;
//! 2. several `k`, each for a part of the instances (a *piece*), which together are proved to cover all;
//! 3. one `k` under a condition on the parameters that leaves them free to vary (`N >= M`, not `N = 3`);
//! 4. several `k` under a condition;
//! 5. one `k` under any condition.
//!
//! Example: `A[M - 1]` in `A[][N][M]` is `[0][1][-1]` by division, and `[0][0][M - 1]` with `k = -1`, for `M >= 1`.

use crate::dimension::{Dimension, is_wide};
use crate::frame::Frame;
use crate::poly::{Atom, Overflow, Poly};
use crate::problem::Products;
use isl::{DimType, Set};
use std::collections::BTreeSet;

/// An access in more pieces costs more than it is worth.
const MAX_PIECES: usize = 4;

/// Why an access has no subscripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its offset is not a polynomial with at most one counter in a term.
    NotPolynomial,
    /// A subscript is not affine.
    NotAffine,
    /// A subscript is outside for all parameter values.
    Outside,
    /// A number is too large.
    Overflow,
}

impl From<Overflow> for Why {
    fn from(_: Overflow) -> Self {
        Why::Overflow
    }
}

/// Some instances of an access and their cell.
#[derive(Clone, Debug)]
pub struct Piece {
    /// `{ S[i,j] : ... }`.
    pub within: Set,
    /// The subscripts of the first granule, outermost first; affine.
    pub subscripts: Vec<Poly>,
}

/// An access in a shape.
#[derive(Clone, Debug)]
pub struct Placed {
    /// Disjoint; they cover all instances for parameter values outside of `bad`.
    pub pieces: Vec<Piece>,
    /// Parameter values for which an instance is not inside; simplified: only those with an instance count. `{ : ... }`.
    pub bad: Set,
}

/// What it takes to place an access.
pub struct Placing<'a> {
    /// The parameters.
    pub frame: &'a Frame,
    /// Names for products.
    pub products: &'a Products,
    /// The inner sizes, outermost first; affine.
    pub sizes: &'a [Poly],
    /// The greatest `k`.
    pub shifts: u32,
}

/// An access, ready to be placed.
pub struct Candidate<'a> {
    /// In granules.
    pub offset: &'a Poly,
    /// How many it touches.
    pub granules: i128,
    /// `{ S[i,j] : ... }`, aligned and within the context.
    pub domain: &'a Set,
    /// The parameters of the domain: `{ : ... }`.
    pub executed: &'a Set,
}

/// How a subscript got inside: each part of the instances with its `k`, and the parameter values that spoil it.
type Settled = (Vec<(Set, i128)>, Option<Set>);

impl Placing<'_> {
    /// Places an access, or says why it cannot be.
    pub fn place(&self, access: &Candidate<'_>) -> isl::Result<Result<Placed, Why>> {
        let subscripts = match self.divide(access.offset) {
            Ok(subscripts) => subscripts,
            Err(why) => return Ok(Err(why)),
        };
        let mut pieces = vec![Piece { within: access.domain.clone(), subscripts }];
        let mut bad = self.frame.nothing()?;
        for at in (0..self.sizes.len()).rev() {
            let mut next = Vec::new();
            for piece in pieces {
                let Some((parts, spoilt)) = self.settle(&piece, at, access)? else {
                    return Ok(Err(Why::Outside));
                };
                bad = spoilt.map_or(Ok(bad.clone()), |spoilt| bad.union(spoilt))?;
                for (within, k) in parts {
                    match self.shifted(&piece.subscripts, at, k) {
                        Ok(subscripts) => next.push(Piece { within, subscripts }),
                        Err(why) => return Ok(Err(why)),
                    }
                }
            }
            if next.len() > MAX_PIECES {
                return Ok(Err(Why::Outside));
            }
            pieces = next;
        }
        let never = !bad.is_empty()? && access.executed.is_subset(&bad)?;
        Ok(if never { Err(Why::Outside) } else { Ok(Placed { pieces, bad }) })
    }

    /// The subscripts by repeated division, outermost first.
    fn divide(&self, offset: &Poly) -> Result<Vec<Poly>, Why> {
        let mut subscripts = Vec::new();
        let mut rest = offset.clone();
        for size in self.sizes.iter().rev() {
            let size = self.products.expand(size)?;
            let (quotient, remainder) = rest.div_rem(&size)?;
            subscripts.push(remainder);
            rest = quotient;
        }
        subscripts.push(rest);
        subscripts.reverse();
        subscripts.iter().map(|poly| self.products.affine(poly).ok_or(Why::NotAffine)).collect()
    }

    /// Moves `k` times the size at `at` from the dimension after it to the one before.
    fn shifted(&self, subscripts: &[Poly], at: usize, k: i128) -> Result<Vec<Poly>, Why> {
        let mut shifted = subscripts.to_vec();
        shifted[at] = shifted[at].add(&Poly::constant(k))?;
        shifted[at + 1] = shifted[at + 1].sub(&self.sizes[at].scale(k)?)?;
        Ok(shifted)
    }

    /// Brings the subscript of dimension `at + 1` inside; `None` if that cannot be.
    fn settle(&self, piece: &Piece, at: usize, access: &Candidate<'_>) -> isl::Result<Option<Settled>> {
        let granules = if at + 1 == self.sizes.len() { access.granules } else { 1 };
        let (subscript, size) = (&piece.subscripts[at + 1], &self.sizes[at]);
        let dimension = Dimension::new(self.frame, &piece.within, subscript, size)?;
        let dimension = dimension.shifts(self.shifts).granules(granules);
        if let Some(k) = dimension.proved()? {
            return Ok(Some((vec![(piece.within.clone(), k)], None)));
        }
        if dimension.is_covered()? {
            return self.settle_by_pieces(&dimension, access.executed);
        }
        if size.as_constant().is_some() && !is_row(&piece.subscripts, at) {
            return Ok(None);
        }
        let mut thin = None;
        for k in dimension.ks() {
            let bad = dimension.bad(k, access.executed)?;
            if self.is_about_rows(&bad, size)? {
                return Ok(None);
            }
            let valid = access.executed.clone().subtract(bad.clone())?;
            let settled = (vec![(piece.within.clone(), k)], Some(bad));
            if is_wide(&valid, access.executed)? {
                return Ok(Some(settled));
            }
            thin = thin.or((!valid.is_empty()?).then_some(settled));
        }
        Ok(self.settle_under_condition(&dimension, access.executed)?.or(thin))
    }

    /// One part of the instances for each `k`; parameter values that alone need another `k` are bad.
    fn settle_by_pieces(&self, dimension: &Dimension<'_>, executed: &Set) -> isl::Result<Option<Settled>> {
        let (mut parts, mut bad) = (Vec::new(), self.frame.nothing()?);
        for (part, k) in dimension.parts()? {
            let params = part.clone().params()?;
            match is_wide(&params, executed)? {
                true => parts.push((part, k)),
                false => bad = bad.union(self.frame.simplified(params, executed)?)?,
            }
        }
        let is_bad = !bad.is_empty()?;
        Ok((1..=MAX_PIECES).contains(&parts.len()).then_some((parts, is_bad.then_some(bad))))
    }

    /// As many parts as there are, under a condition.
    fn settle_under_condition(
        &self,
        dimension: &Dimension<'_>,
        executed: &Set,
    ) -> isl::Result<Option<Settled>> {
        let bad = dimension.bad_for_all(executed)?;
        if executed.is_subset(&bad)? {
            return Ok(None);
        }
        let Some((parts, more)) = self.settle_by_pieces(dimension, executed)? else { return Ok(None) };
        let bad = more.map_or(Ok(bad.clone()), |more| bad.union(more))?;
        Ok(Some((parts, Some(bad))))
    }

    /// Whether a condition compares a size with a product that has the size as a factor: it holds for a single row only,
    /// so the access walks over all rows.
    fn is_about_rows(&self, bad: &Set, size: &Poly) -> isl::Result<bool> {
        for name in self.products.multiples(size) {
            if let Some(position) = self.frame.position(name)
                && bad.involves_dims(DimType::Param, position, 1)?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether the subscript after `at` has counters of its own, and those before have, too. If not, a constant size is a
/// wrong guess: a walk over the whole array knows no rows, and a diagonal has no width.
fn is_row(subscripts: &[Poly], at: usize) -> bool {
    let counters = |poly: &Poly| poly.atoms().into_iter().filter(Atom::is_counter).collect::<BTreeSet<_>>();
    let outer: BTreeSet<_> = subscripts[..=at].iter().flat_map(counters).collect();
    let own = counters(&subscripts[at + 1]);
    !outer.is_empty() && !own.is_empty() && own.is_disjoint(&outer)
}
