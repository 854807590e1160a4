//! Label functions and what is left of them under widening (Sections 4.2, 5.1.2, 5.2.3).
//!
//! The life cycle of a coefficient is bottom (its level is degenerate), then an integer (an entry of `delta_s`, see
//! [`crate::polyhedron`]), then possibly top (a bit in `tops[s]`). Each component of a label vector has its own.
//!
//! **What a top means here.** For a label with the set `T` of levels whose coefficient is top,
//!
//! ```text
//! label = value at the anchor + sum over s not in T of c_s * q_s + U(q_t : t in T),     min <= U <= max
//! ```
//!
//! with *one* unknown function `U` of all top coordinates together, `U(0) = 0`. So an integer coefficient next to a
//! top is a fact: the label moves by exactly `c_s` per step along `s`, everywhere. The paper's text compares only the
//! labels at the anchors of the two polyhedra when a coefficient is top and may claim such a stride for rows whose
//! other labels move differently. We keep a 64-bit *fingerprint* of `U` and let a coefficient stay an integer only if
//! the slices have the same `U`, up to a fingerprint collision (about 2^-64 per comparison); otherwise it is top too.
//!
//! Example (Figure 5): rows with labels (67, 71, 77), (68, 72, 78), (69, 73, 79). Each row has `U = (0, 4, 10)`, the
//! fingerprints agree, and the result is `1 cj + T ck + 67`. With a third row (69, 75, 79) it is `T cj + T ck + 67`.

/// What is known of the unknown function of a widened label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Residual {
    /// Least value of `U` seen (or a lower bound of it).
    pub min: i128,
    /// Greatest value of `U` seen (or an upper bound of it).
    pub max: i128,
    /// Fingerprint of `U` over the polyhedron.
    pub hash: u64,
    /// Fingerprint of `U` over each slice along the level being grown, while they all agree.
    pub slice: u64,
}

impl Residual {
    /// Widen the range so that it holds `c * q` more, for `0 <= q <= count`.
    pub fn spread(&mut self, c: i64, count: i128) {
        let reach = i128::from(c).saturating_mul(count);
        self.min = self.min.saturating_add(reach.min(0));
        self.max = self.max.saturating_add(reach.max(0));
    }

    /// Widen the range to hold that of `other` moved by `by`.
    pub fn unite(&mut self, other: &Residual, by: i128) {
        self.min = self.min.min(other.min.saturating_add(by));
        self.max = self.max.max(other.max.saturating_add(by));
    }
}

/// A well-mixed function of three words: the building block of fingerprints, which are sums of these.
#[inline(always)]
pub(crate) fn mix(position: u64, value: u64, salt: u64) -> u64 {
    let mut z = value
        .wrapping_add(position.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .wrapping_add(salt.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ 0x2545_f491_4f6c_dd1d);
    z = (z ^ (z >> 32)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 32)
}

/// The fingerprint that a sequence starts with when its first `rows` slices were affine with coefficient `c` and each
/// had the fingerprint `slice`.
pub(crate) fn affine_prefix(rows: u64, c: i64, slice: u64) -> u64 {
    mix(rows, c as u64, slice.wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_values_and_salts_all_matter() {
        let all = [mix(0, 0, 0), mix(1, 0, 0), mix(0, 1, 0), mix(0, 0, 1), mix(1, 1, 0)];
        for (i, a) in all.iter().enumerate() {
            for b in &all[i + 1..] {
                assert_ne!(a, b);
            }
        }
    }

    #[test]
    fn ranges_spread_and_unite() {
        let mut r = Residual::default();
        r.spread(-3, 4);
        assert_eq!((r.min, r.max), (-12, 0));
        r.unite(&Residual { min: -1, max: 2, ..Residual::default() }, 10);
        assert_eq!((r.min, r.max), (-12, 12));
        r.spread(i64::MIN, i128::MAX);
        assert_eq!(r.min, i128::MIN);
    }
}
