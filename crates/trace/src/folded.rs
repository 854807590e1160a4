//! Folded streams as plain data: coefficients per loop instead of per level.
//!
//! A piece of [`fold`] has levels with steps of their own; users think in coefficients of the iteration vector. For
//! a level along dimension `d` with step `t` (and slopes in the dimensions inside), the coefficient `g_d` follows
//! from the level's own coefficient `c`: `c = g_d * t + sum of g_d' * slope_d'`, solved from the innermost dimension
//! outwards. If that has no integer solution, or several levels of one dimension disagree, the coefficient is not given;
//! the isl text still is.

use crate::profile::{Folded, Label, Piece};
use fold::Folding;
use fold::piece::LabelFunction;

/// The plain form; `lost` points are missing from the folding.
pub fn folded(folding: &Folding, lost: u64) -> Folded {
    let json = folding.json();
    let texts = json["pieces"].as_array().cloned().unwrap_or_default();
    let pieces = folding.pieces.iter().zip(&texts).map(|(piece, text)| {
        let (low, high) = bounds(piece);
        Piece {
            isl: text["isl"].as_str().unwrap_or_default().to_owned(),
            exact: piece.is_exact(),
            exact_domain: piece.exact_domain,
            points: piece.points,
            low,
            high,
            labels: piece.labels.iter().map(|label| affine(piece, label)).collect(),
        }
    });
    let (affine, points) = folding.affine_points();
    Folded {
        isl: folding.isl(),
        exact: folding.is_exact() && lost == 0,
        exact_domain: folding.is_domain_exact() && lost == 0,
        points: points + lost,
        points_affine: affine,
        pieces: pieces.collect(),
    }
}

/// Without the dimensions and label components that are not kept; they have the value 0 everywhere.
pub fn projected(mut folding: Folding, dims: &[bool], labels: Option<&[bool]>) -> Folding {
    if dims.iter().chain(labels.unwrap_or_default()).all(|kept| *kept) {
        return folding;
    }
    let before: Vec<usize> =
        (0..=dims.len()).map(|d| dims[..d].iter().filter(|kept| **kept).count()).collect();
    for piece in &mut folding.pieces {
        keep(&mut piece.anchor, dims);
        for level in &mut piece.levels {
            keep(&mut level.step, dims);
            level.dim = before[level.dim];
        }
        if let Some(labels) = labels {
            keep(&mut piece.labels, labels);
        }
    }
    let (dim, count) = (before[dims.len()], labels.map_or(folding.labels.len(), kept));
    folding.dims = (0..dim).map(|d| format!("i{d}")).collect();
    folding.labels = (0..count).map(|l| format!("l{l}")).collect();
    folding
}

fn kept(which: &[bool]) -> usize {
    which.iter().filter(|kept| **kept).count()
}

fn keep<T>(list: &mut Vec<T>, which: &[bool]) {
    let mut which = which.iter();
    list.retain(|_| which.next().copied().unwrap_or(true));
}

/// The map from each point of a domain to itself.
pub fn identity(domain: &Folding) -> Folding {
    let mut identity = domain.clone();
    let dim = identity.dims.len();
    identity.labels = (0..dim).map(|d| format!("l{d}")).collect();
    for piece in &mut identity.pieces {
        piece.labels = (0..dim)
            .map(|d| LabelFunction {
                constant: piece.anchor[d],
                coeffs: piece.levels.iter().map(|level| Some(level.step[d])).collect(),
                unknown: None,
            })
            .collect();
    }
    identity
}

fn affine(piece: &fold::Piece, label: &LabelFunction) -> Label {
    let dim = piece.anchor.len();
    let mut coefficients = vec![Some(0); dim];
    // Levels come innermost first, so the inner coefficients are known when they are needed.
    for (d, levels) in levels_by_dimension(piece, dim).into_iter().rev() {
        coefficients[d] = levels
            .iter()
            .try_fold(None, |found, &s| {
                let g = coefficient(piece, label, s, d, &coefficients)?;
                (found.is_none() || found == Some(g)).then_some(Some(g))
            })
            .flatten();
    }
    let constant = coefficients.iter().zip(&piece.anchor).try_fold(label.constant, |c, (g, a)| {
        let moved = g.map_or((*a == 0).then_some(0), |g| g.checked_mul(*a))?;
        c.checked_sub(moved)
    });
    Label { constant, coefficients, exact: label.is_exact() }
}

fn levels_by_dimension(piece: &fold::Piece, dim: usize) -> Vec<(usize, Vec<usize>)> {
    let of = |d: usize| (0..piece.levels.len()).filter(|&s| piece.levels[s].dim == d).collect::<Vec<_>>();
    (0..dim).map(|d| (d, of(d))).filter(|(_, levels)| !levels.is_empty()).collect()
}

/// The coefficient of dimension `d` that level `s` asks for.
fn coefficient(
    piece: &fold::Piece,
    label: &LabelFunction,
    s: usize,
    d: usize,
    known: &[Option<i64>],
) -> Option<i64> {
    let step = &piece.levels[s].step;
    let rest = (d + 1..step.len())
        .filter(|k| step[*k] != 0)
        .try_fold(label.coeffs[s]?, |rest, k| rest.checked_sub(known[k]?.checked_mul(step[k])?))?;
    (step[d] != 0 && rest % step[d] == 0).then(|| rest / step[d])
}

/// A box around a piece.
fn bounds(piece: &fold::Piece) -> (Vec<i64>, Vec<i64>) {
    let mut most = vec![0i64; piece.levels.len()];
    for s in (0..piece.levels.len()).rev() {
        let count = &piece.levels[s].count;
        let outer = (s + 1..piece.levels.len()).map(|k| count.coeffs[k].max(0).saturating_mul(most[k]));
        most[s] = outer.fold(count.constant, i64::saturating_add).max(0);
    }
    let side = |d: usize, pick: fn(i64) -> i64| {
        let moved = (0..most.len()).map(|s| pick(piece.levels[s].step[d]).saturating_mul(most[s]));
        moved.fold(piece.anchor[d], i64::saturating_add)
    };
    let dims = 0..piece.anchor.len();
    (dims.clone().map(|d| side(d, |s| s.min(0))).collect(), dims.map(|d| side(d, |s| s.max(0))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fold::{Folder, Options};

    fn fold(points: &[([i64; 2], i64)]) -> Folded {
        let mut folder = Folder::new(2, 1, Options::default()).unwrap();
        points.iter().for_each(|(x, l)| folder.push(x, &[*l]).unwrap());
        folded(&folder.finish(), 0)
    }

    #[test]
    fn coefficients_of_a_triangle_that_starts_on_the_diagonal() {
        let points: Vec<_> =
            (0..20).flat_map(|i| (i..20).map(move |j| ([i, j], 7 * i + 3 * j + 5))).collect();
        let f = fold(&points);
        assert_eq!(f.pieces.len(), 1);
        assert_eq!(f.pieces[0].labels[0].coefficients, [Some(7), Some(3)]);
        assert_eq!(f.pieces[0].labels[0].constant, Some(5));
        assert!(f.exact && f.points == points.len() as u64);
    }

    #[test]
    fn loops_that_never_repeat_disappear() {
        let mut folder = Folder::new(3, 2, Options::default()).unwrap();
        for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
            folder.push(&[i, 0, j], &[0, i + j]).unwrap();
        }
        let folding = projected(folder.finish(), &[true, false, true], Some(&[false, true]));
        assert_eq!(folding.isl(), "{ [i0, i1] -> [i0 + i1] : 0 <= i0 <= 8 and 0 <= i1 <= 8 }");
    }

    #[test]
    fn half_steps_are_left_to_the_isl_text() {
        let points: Vec<_> = (0..20).flat_map(|i| (0..20).map(move |j| ([i, 2 * j], j))).collect();
        let f = fold(&points);
        assert_eq!(f.pieces[0].labels[0].coefficients, [Some(0), None]);
        assert!(f.exact);
    }
}
