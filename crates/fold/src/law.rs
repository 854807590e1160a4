//! Laws: labels that stay affine where the geometry is given up.
//!
//! The paper's give-up sets all coefficients to top (Section 5.2.4). But often only the domain is irregular: `if (data[i]) use(x)` uses
//! what the same iteration made, whenever it runs. A [`Law`] is one affine function that gives a label of every point of a box:
//!
//! ```text
//! label = value + sum over d of slope_d * (x_d - origin_d)
//! ```
//!
//! It is found from the pieces that are given up on, and checked with every point that follows; one that contradicts, and it is gone.
//! The slope of a dimension that has had one value only is not known yet (the paper's bottom): the first point with another value
//! tells it, and changes nothing for the points before.
//!
//! **Invariant**: the law holds for every point it was made from or has accepted ([`Law::takes`]).

use crate::piece::Piece;

/// An affine function of the iteration vector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Law {
    origin: Vec<i64>,
    value: i64,
    /// `None`: all points had the coordinate of the origin.
    slopes: Vec<Option<i64>>,
}

impl Law {
    /// The law for label `l` of these pieces, if there is one.
    pub fn of(pieces: &[Piece], l: usize) -> Option<Law> {
        let first = pieces.first()?;
        let (origin, value) = (first.anchor.clone(), first.labels[l].constant);
        let dim = origin.len();
        let mut system = System::new(dim);
        for piece in pieces {
            let label = &piece.labels[l];
            if !label.is_exact() {
                return None;
            }
            let moved = piece.anchor.iter().zip(&origin).map(|(a, o)| i128::from(*a) - i128::from(*o));
            system.add(moved.collect(), i128::from(label.constant) - i128::from(value))?;
            for (level, coefficient) in piece.levels.iter().zip(&label.coeffs) {
                let step = level.step.iter().map(|s| i128::from(*s)).collect();
                system.add(step, i128::from((*coefficient)?))?;
            }
        }
        Some(Law { slopes: system.solve()?, origin, value })
    }

    /// The label of a point, as far as slopes are known.
    #[inline]
    fn known_at(&self, x: &[i64]) -> i128 {
        let terms = self.slopes.iter().zip(x).zip(&self.origin);
        terms.fold(i128::from(self.value), |sum, ((slope, x), o)| {
            sum + i128::from(slope.unwrap_or(0)) * (i128::from(*x) - i128::from(*o))
        })
    }

    /// Whether it holds for this point, too.
    #[inline]
    pub fn takes(&mut self, x: &[i64], label: i64) -> bool {
        let left = i128::from(label) - self.known_at(x);
        let mut new =
            (0..self.slopes.len()).filter(|d| self.slopes[*d].is_none() && x[*d] != self.origin[*d]);
        match (new.next(), new.next()) {
            (None, _) => left == 0,
            (Some(d), None) => self.learns(d, left, i128::from(x[d]) - i128::from(self.origin[d])),
            _ => false,
        }
    }

    /// Dimension `d` has moved for the first time, and the label by `left` with it.
    fn learns(&mut self, d: usize, left: i128, moved: i128) -> bool {
        self.slopes[d] = (left % moved == 0).then(|| i64::try_from(left / moved).ok()).flatten();
        self.slopes[d].is_some()
    }

    /// Its label at a corner and its slopes along these dimensions.
    pub fn seen_from(&self, corner: &[i64], wide: &[usize]) -> Option<(i64, Vec<Option<i64>>)> {
        let slopes: Option<Vec<i64>> = wide.iter().map(|d| self.slopes[*d]).collect();
        Some((i64::try_from(self.known_at(corner)).ok()?, slopes?.into_iter().map(Some).collect()))
    }
}

/// Equations `sum of row_d * slope_d = right`, in echelon form: the rows by the column they begin in.
struct System {
    rows: Vec<Option<(Vec<i128>, i128)>>,
    /// Whether some equation has the column.
    seen: Vec<bool>,
}

impl System {
    fn new(dim: usize) -> System {
        System { rows: vec![None; dim], seen: vec![false; dim] }
    }

    /// Adds an equation; `None` if it contradicts the others, or numbers are too large.
    fn add(&mut self, mut row: Vec<i128>, mut right: i128) -> Option<()> {
        for (seen, v) in self.seen.iter_mut().zip(&row) {
            *seen |= *v != 0;
        }
        for column in 0..row.len() {
            if row[column] == 0 {
                continue;
            }
            let Some((known, known_right)) = &self.rows[column] else {
                self.rows[column] = Some((row, right));
                return Some(());
            };
            let (a, b) = (row[column], known[column]);
            for (v, k) in row.iter_mut().zip(known) {
                *v = v.checked_mul(b)?.checked_sub(k.checked_mul(a)?)?;
            }
            right = right.checked_mul(b)?.checked_sub(known_right.checked_mul(a)?)?;
        }
        (right == 0).then_some(())
    }

    /// Slopes that fulfil all equations, if they are integers. Those of columns that no equation has are not known; others that are
    /// left open are 0.
    fn solve(&self) -> Option<Vec<Option<i64>>> {
        let mut slopes = vec![None; self.rows.len()];
        for column in (0..slopes.len()).rev() {
            slopes[column] = match &self.rows[column] {
                None => self.seen[column].then_some(0),
                Some((row, right)) => {
                    let mut inner = row.iter().zip(&slopes).skip(column + 1);
                    let share = |left: i128, (v, slope): (&i128, &Option<i64>)| {
                        left.checked_sub(v.checked_mul(i128::from(slope.unwrap_or(0)))?)
                    };
                    let left = inner.try_fold(*right, share)?;
                    Some((left % row[column] == 0).then(|| i64::try_from(left / row[column]).ok())??)
                }
            };
        }
        Some(slopes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Folder, Mode, Options};

    /// The pieces of points in an irregular part of a loop nest, of which only row 3 has been seen.
    fn pieces(label: impl Fn(&[i64; 3]) -> i64) -> Vec<Piece> {
        let mut folder = Folder::new(3, 1, Options::with_mode(Mode::Exact)).unwrap();
        for (i, j) in (0..30)
            .flat_map(|i| (0..30).map(move |j| (i, j)))
            .filter(|(i, j)| (i * i * i + j * j * j + i * j) % 11 < 4)
        {
            folder.push(&[3, i, j], &[label(&[3, i, j])]).unwrap();
        }
        folder.finish().pieces
    }

    #[test]
    fn one_function_for_many_pieces() {
        let pieces = pieces(|[_, i, j]| 40 * i - 3 * j + 9);
        assert!(pieces.len() > 5);
        let mut law = Law::of(&pieces, 0).expect("a law");
        assert_eq!(law.slopes, [None, Some(40), Some(-3)]);
        assert!(law.takes(&[3, 100, 1], 4006) && !law.clone().takes(&[3, 100, 1], 4007));
        // The outermost dimension moves, and tells its slope.
        assert!(law.takes(&[5, 0, 0], 29));
        assert_eq!(law.slopes[0], Some(10));
        assert!(!law.takes(&[6, 0, 0], 40) && law.takes(&[6, 1, 1], 76));
        assert_eq!(law.seen_from(&[0, 0, 0], &[2, 0]), Some((-21, vec![Some(-3), Some(10)])));
    }

    #[test]
    fn no_law() {
        assert_eq!(Law::of(&pieces(|[_, i, j]| i * i + j), 0), None);
        let mut law = Law::of(&pieces(|_| 7), 0).expect("a constant");
        // Half a step is none, and of two dimensions that move at once nobody knows which did it.
        assert!(!law.clone().takes(&[5, 0, 0], 8));
        law.slopes[2] = None;
        assert!(!law.takes(&[5, 0, 1 << 40], 7));
    }
}
