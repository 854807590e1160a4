//! How much a stream may be over-approximated, and what the folder may look for.
//!
//! The paper evaluates four versions (Section 6): `F`, `F_W` (label widening), `F_GG` (geometric give-up) and
//! `F_GG,W` (both), chosen for the whole run. [`Mode::Auto`] is the adaptive mechanism its Section 7 asks for: a
//! stream starts exact, and when its pieces explode it alone is widened, and if that is not enough it alone gives up.
//!
//! Two things go beyond the paper and keep the result exact, and a third keeps more of it; all can be switched off:
//! - *strides* ([`Options::strides`]): slices a constant distance apart fold into one piece with a divisibility
//!   constraint, and edges may have any integer slope, once three slices agree;
//! - *extra dimensions* ([`Options::extra_dims`]): repetition inside one loop (linearized traversals, tiles) folds
//!   into a level that the program does not have, once three repetitions agree;
//! - *laws* ([`Options::laws`]): a label that one affine function gives everywhere keeps it at give-up.

use serde::{Deserialize, Serialize};

/// Which over-approximations a stream may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// `F`: every result is exact, however many pieces that takes.
    Exact,
    /// `F_W`: label widening (Section 5.2.3) from the start.
    Widen,
    /// `F_GG`: geometric give-up (Section 5.2.4) above the limit on intermediate polyhedra.
    GiveUp,
    /// `F_GG,W`: widening and give-up.
    WidenGiveUp,
    /// Exact at first; widening, then give-up, when this stream's pieces exceed its limits.
    #[default]
    Auto,
}

impl Mode {
    /// All modes with the names used on the command line.
    pub const ALL: [(&'static str, Mode); 5] = [
        ("exact", Mode::Exact),
        ("widen", Mode::Widen),
        ("give-up", Mode::GiveUp),
        ("widen-give-up", Mode::WidenGiveUp),
        ("auto", Mode::Auto),
    ];

    /// The mode with this name, if there is one.
    pub fn parse(name: &str) -> Option<Mode> {
        Mode::ALL.iter().find(|(n, _)| *n == name).map(|(_, m)| *m)
    }

    /// The name used on the command line and in JSON.
    pub fn name(self) -> &'static str {
        Mode::ALL.iter().find(|(_, m)| *m == self).map_or("auto", |(n, _)| n)
    }

    /// Whether labels are widened from the first point on.
    pub(crate) fn widens_at_once(self) -> bool {
        matches!(self, Mode::Widen | Mode::WidenGiveUp)
    }

    /// Whether the limit on intermediate polyhedra leads straight to give-up.
    pub(crate) fn gives_up(self) -> bool {
        matches!(self, Mode::GiveUp | Mode::WidenGiveUp)
    }
}

/// Options of one stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Which over-approximations are allowed.
    pub mode: Mode,
    /// Fold constant strides and non-unit slopes, once three slices agree.
    pub strides: bool,
    /// Extra levels per loop (0 switches them off).
    pub extra_dims: usize,
    /// Keep the coefficients of labels that are affine everywhere when the geometry is given up.
    pub laws: bool,
    /// Most intermediate polyhedra before give-up (or, in [`Mode::Auto`], before the next step). `None`: 64, or the
    /// paper's `4 d + 1` with [`Options::paper`].
    pub max_intermediate: Option<usize>,
    /// Most finished pieces before give-up (or, in [`Mode::Auto`], before the next step), so that the memory of a
    /// stream is bounded. The paper has no such limit.
    pub max_pieces: usize,
    /// [`Mode::Auto`] only: widen as soon as there are more than `8 d + 1` polyhedra, intermediate or finished, enough for eight
    /// pieces; the other limits hold for give-up. For streams of which many pieces say less than their directions: addresses.
    pub widen_early: bool,
    /// [`Mode::Auto`] only: when widening starts and at most this many points have been seen, they are folded again
    /// with widening, so that the fragments found on the way to the limit do not stay in the result.
    pub replay_points: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            mode: Mode::Auto,
            strides: true,
            extra_dims: 2,
            laws: true,
            max_intermediate: None,
            max_pieces: 64,
            widen_early: false,
            replay_points: 1 << 16,
        }
    }
}

impl Options {
    /// The default extensions with the given mode.
    pub fn with_mode(mode: Mode) -> Self {
        Options { mode, ..Options::default() }
    }

    /// The algorithm exactly as in Section 5: unit steps, slopes of -1, 0 or 1, no extra dimensions, no labels after
    /// give-up, the paper's limit of `4 d + 1` intermediate polyhedra, and none on finished pieces.
    pub fn paper(mode: Mode) -> Self {
        Options {
            mode,
            strides: false,
            extra_dims: 0,
            laws: false,
            max_pieces: usize::MAX,
            ..Options::default()
        }
    }

    /// Most intermediate polyhedra and most finished pieces of a stream with `dim` dimensions, widened or not yet.
    pub(crate) fn limits(&self, dim: usize, widened: bool) -> (usize, u64) {
        let early = self.widen_early && self.mode == Mode::Auto && !widened;
        let most = if early { 8 * dim + 1 } else { usize::MAX };
        (self.intermediate_limit(dim).min(most), self.max_pieces.min(most) as u64)
    }

    /// The limit on intermediate polyhedra for a stream with `dim` dimensions.
    fn intermediate_limit(&self, dim: usize) -> usize {
        let default = if self.strides || self.extra_dims > 0 { 64 } else { 4 * dim + 1 };
        self.max_intermediate.unwrap_or(default)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (name, mode) in Mode::ALL {
            assert_eq!(Mode::parse(name), Some(mode));
            assert_eq!(mode.name(), name);
        }
        assert_eq!(Mode::parse("fast"), None);
    }

    #[test]
    fn the_papers_limit_is_four_pieces_per_dimension_and_one() {
        assert_eq!(Options::paper(Mode::GiveUp).intermediate_limit(3), 13);
        assert_eq!(Options::default().intermediate_limit(3), 64);
        let early = Options { widen_early: true, ..Options::default() };
        assert_eq!([early.limits(3, false), early.limits(3, true)], [(25, 25), (64, 64)]);
        assert_eq!(Options { mode: Mode::GiveUp, ..early }.limits(3, false), (64, 64));
    }
}
