//! Where the numbers of a polyhedron live.
//!
//! A stream has `dim` iteration dimensions, outermost first (`x[0] .. x[dim-1]`), and `labels` label components.
//! Folding walks *levels*, innermost first. Each iteration dimension has one *loop level* (the paper's dimension `d`,
//! Section 5.2.1) followed by `extra` *extra levels* (Section 7: dimensions that are not in the program), so level
//! `s` belongs to dimension `dim - 1 - s / (1 + extra)`.
//!
//! A polyhedron is described by *state vectors* with the fixed layout
//!
//! ```text
//! [ x[0] .. x[dim-1] | label[0] .. label[labels-1] | count[0] .. count[levels-1] ]
//! ```
//!
//! where `count[s]` is the number of steps along level `s` (one less than the number of points). The numbers that can
//! change from one slice to the next along level `s` are a prefix of it: the coordinates, the labels, and the counts
//! of the levels below `s`. That prefix is all that absorption along `s` has to look at.
//!
//! Example: `dim = 2`, `labels = 1`, `extra = 1` gives levels 0 (loop of `x[1]`), 1 (extra of `x[1]`), 2 (loop of
//! `x[0]`), 3 (extra of `x[0]`), and state vectors of 2 + 1 + 4 numbers.

/// The most levels a stream may have (they are kept in a 64-bit set).
pub(crate) const MAX_LEVELS: usize = 64;

/// Sizes and positions for one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Iteration dimensions.
    pub dim: usize,
    /// Label components.
    pub labels: usize,
    /// Extra levels per iteration dimension.
    pub extra: usize,
}

impl Layout {
    /// Numbers in an input point: the iteration vector, then the label vector.
    pub fn width(&self) -> usize {
        self.dim + self.labels
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.dim * (1 + self.extra)
    }

    /// Length of a state vector.
    pub fn len(&self) -> usize {
        self.width() + self.levels()
    }

    /// Length of the prefix that may change along level `s`.
    pub fn prefix(&self, s: usize) -> usize {
        self.width() + s
    }

    /// Position of the count of level `s`.
    pub fn count(&self, s: usize) -> usize {
        self.width() + s
    }

    /// The iteration dimension that level `s` belongs to.
    pub fn dim_of(&self, s: usize) -> usize {
        self.dim - 1 - s / (1 + self.extra)
    }

    /// The loop level of iteration dimension `d`.
    pub fn loop_level(&self, d: usize) -> usize {
        (self.dim - 1 - d) * (1 + self.extra)
    }

    /// Whether `s` is a loop of the program rather than an extra level.
    pub fn is_loop(&self, s: usize) -> bool {
        s.is_multiple_of(1 + self.extra)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_run_from_the_innermost_dimension_outwards() {
        let l = Layout { dim: 2, labels: 1, extra: 1 };
        assert_eq!((l.width(), l.levels(), l.len()), (3, 4, 7));
        assert_eq!((0..4).map(|s| l.dim_of(s)).collect::<Vec<_>>(), [1, 1, 0, 0]);
        assert_eq!((0..4).map(|s| l.is_loop(s)).collect::<Vec<_>>(), [true, false, true, false]);
        assert_eq!((l.loop_level(1), l.loop_level(0)), (0, 2));
    }

    #[test]
    fn dimension_zero_has_no_level() {
        let l = Layout { dim: 0, labels: 2, extra: 2 };
        assert_eq!((l.levels(), l.len()), (0, 2));
    }
}
