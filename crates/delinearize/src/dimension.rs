//! One dimension of an access: where its subscript is inside.
//!
//! A subscript is *inside* with `k` if it lies in `[k*size, k*size + size)`, with all granules that are touched. For
//! different `k` these ranges are apart, or empty if the size is not positive.

use crate::frame::Frame;
use crate::poly::Poly;
use isl::{Aff, Set};

/// The subscript and the size of a dimension, for some instances.
pub struct Dimension<'a> {
    frame: &'a Frame,
    /// `{ S[i,j] : ... }`, aligned and within the context.
    all: &'a Set,
    subscript: Aff,
    size: Aff,
    /// How many cells are touched along this dimension.
    granules: i128,
    /// The greatest `k`.
    shifts: i128,
}

impl<'a> Dimension<'a> {
    /// Of one granule, with `k = 0` only. The size may vary with the counters.
    pub fn new(frame: &'a Frame, all: &'a Set, subscript: &Poly, size: &Poly) -> isl::Result<Self> {
        let space = all.get_space()?;
        let (subscript, size) = (frame.aff(&space, subscript)?, frame.aff(&space, size)?);
        Ok(Self { frame, all, subscript, size, granules: 1, shifts: 0 })
    }

    /// With other `k`.
    pub fn shifts(self, shifts: u32) -> Self {
        Self { shifts: shifts.into(), ..self }
    }

    /// With a number of granules.
    pub fn granules(self, granules: i128) -> Self {
        Self { granules, ..self }
    }

    /// The `k` for which the subscript is always inside.
    pub fn proved(&self) -> isl::Result<Option<i128>> {
        let never_below = self.below(0)?.is_empty()?;
        let never_above = self.above(0)?.is_empty()?;
        // A subscript that is sometimes below is so for greater `k`, too.
        let mut ks = match (never_below, never_above) {
            (true, true) => return Ok(Some(0)),
            (false, false) => return Ok(None),
            (true, false) => 1..=self.shifts,
            (false, true) => -self.shifts..=-1,
        };
        let is_inside = |k: i128| Ok(self.below(k)?.is_empty()? && self.above(k)?.is_empty()?);
        ks.find_map(|k| is_inside(k).map(|inside| inside.then_some(k)).transpose()).transpose()
    }

    /// Whether each instance is inside for some `k`.
    pub fn is_covered(&self) -> isl::Result<bool> {
        for gap in self.gaps() {
            if !gap?.is_empty()? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The instances that are inside for a `k`, for each `k`; disjoint.
    pub fn parts(&self) -> isl::Result<Vec<(Set, i128)>> {
        let mut parts = Vec::new();
        for k in self.ks() {
            let from_start = self.subscript.clone().ge_set(self.multiple(k)?)?;
            let to_end = self.after()?.le_set(self.multiple(k + 1)?)?;
            let inside = self.all.clone().intersect(from_start)?.intersect(to_end)?;
            if !inside.is_empty()? {
                parts.push((inside, k));
            }
        }
        Ok(parts)
    }

    /// The parameter values for which an instance is not inside with `k`, simplified for values in `executed`.
    pub fn bad(&self, k: i128, executed: &Set) -> isl::Result<Set> {
        self.params_of(self.below(k)?, executed)?.union(self.params_of(self.above(k)?, executed)?)
    }

    /// The parameter values for which an instance is inside with no `k`, simplified for values in `executed`.
    pub fn bad_for_all(&self, executed: &Set) -> isl::Result<Set> {
        let mut bad = self.frame.nothing()?;
        for gap in self.gaps() {
            bad = bad.union(self.params_of(gap?, executed)?)?;
        }
        Ok(bad)
    }

    /// The parameter values of instances for which something is bad, simplified for values in `executed`.
    fn params_of(&self, instances: Set, executed: &Set) -> isl::Result<Set> {
        self.frame.simplified(instances.params()?, executed)
    }

    /// The instances that are inside with no `k`: below all, above all, or across the end of a row.
    fn gaps(&self) -> impl Iterator<Item = isl::Result<Set>> {
        let ends = [self.below(-self.shifts), self.above(self.shifts)];
        let rows = if self.granules > 1 { -self.shifts..self.shifts } else { 0..0 };
        let across = |k| self.above(k)?.intersect(self.below(k + 1)?);
        ends.into_iter().chain(rows.map(across))
    }

    /// All `k`, the least first.
    pub fn ks(&self) -> impl Iterator<Item = i128> + use<> {
        small(self.shifts)
    }

    /// The instances whose subscript is below `k` times the size.
    fn below(&self, k: i128) -> isl::Result<Set> {
        self.all.clone().intersect(self.subscript.clone().lt_set(self.multiple(k)?)?)
    }

    /// The instances whose last subscript is not below `k + 1` times the size.
    fn above(&self, k: i128) -> isl::Result<Set> {
        self.all.clone().intersect(self.after()?.gt_set(self.multiple(k + 1)?)?)
    }

    fn multiple(&self, k: i128) -> isl::Result<Aff> {
        self.size.clone().scale_val(self.frame.val(k)?)
    }

    /// The subscript after the last one that is touched.
    fn after(&self) -> isl::Result<Aff> {
        self.subscript.clone().add_constant_val(self.frame.val(self.granules)?)
    }
}

/// 0, -1, 1, -2, 2, ...
pub fn small(most: i128) -> impl Iterator<Item = i128> {
    std::iter::once(0).chain((1..=most).flat_map(|k| [-k, k]))
}

/// Whether a part of a set of parameter values leaves all parameters as free as the whole does.
pub fn is_wide(part: &Set, whole: &Set) -> isl::Result<bool> {
    if part.is_empty()? {
        return Ok(false);
    }
    let (part, whole) = (part.clone().affine_hull()?, whole.clone().affine_hull()?);
    whole.is_subset(&part)
}
