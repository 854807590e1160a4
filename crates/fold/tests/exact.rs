//! Exactness by brute force: random affine nests fold to exactly the points that went in.
//!
//! 500 streams in a normal run; `cargo xtask fuzz streams` runs 10,000 (`FOLD_STREAMS` says how many).

mod common;
use common::*;
use fold::{Mode, Options};

fn options() -> Vec<(&'static str, Options)> {
    vec![
        ("exact", Options::with_mode(Mode::Exact)),
        ("exact as in the paper", Options::paper(Mode::Exact)),
        ("exact, strides only", Options { extra_dims: 0, ..Options::with_mode(Mode::Exact) }),
        ("exact, extra dimensions only", Options { strides: false, ..Options::with_mode(Mode::Exact) }),
    ]
}

fn run(count: u64, seed: u64) {
    for n in 0..count {
        let nest = Nest::random(&mut Rng(seed + n));
        let points = nest.points(4000);
        for (name, o) in options() {
            let what = format!("seed {} ({name}): {nest:?}", seed + n);
            check_exact(&points, &fold(&points, &o), &what);
        }
        for mode in [Mode::Widen, Mode::GiveUp, Mode::WidenGiveUp, Mode::Auto] {
            for (kind, o) in [("", Options::with_mode(mode)), (" as in the paper", Options::paper(mode))] {
                let what = format!("seed {} ({}{kind}): {nest:?}", seed + n, mode.name());
                check_contains(&points, &fold(&points, &o), &what);
            }
        }
    }
}

#[test]
fn random_nests_fold_to_themselves() {
    run(streams(500), 1);
}

#[test]
fn plain_nests_fold_to_few_pieces() {
    // Without guards and second functions a nest is one polyhedron; folding should find at most a few.
    let (mut one, mut all, mut most) = (0, 0, 0);
    for n in 0..streams(500) {
        let mut nest = Nest::random(&mut Rng(77_000 + n));
        nest.guard = Guard::None;
        nest.second = None;
        let points = nest.points(4000);
        if points.is_empty() || points.len() >= 4000 {
            continue;
        }
        let pieces = fold(&points, &Options::with_mode(Mode::Exact)).pieces.len();
        all += 1;
        one += usize::from(pieces == 1);
        most = most.max(pieces);
    }
    println!("{one} of {all} nests in one piece, at most {most}");
    assert!(one * 10 >= all * 6, "{one} of {all} nests folded to one piece");
}

/// Labels that are affine along some loops only: a table of one or two iterators plus an affine part, the kind of
/// stream that widening is for. The claims (which coefficient is known, ranges) are checked point by point.
#[test]
fn partly_irregular_labels_are_widened_soundly() {
    for n in 0..streams(500) {
        let mut rng = Rng(40_000 + n);
        let dim = rng.range(1, 3) as usize;
        let mut nest = Nest::random(&mut rng);
        while nest.lower.len() != dim {
            nest = Nest::random(&mut rng);
        }
        nest.second = None;
        nest.labels = (0..2).map(|_| Affine { constant: 0, coeffs: vec![0; dim] }).collect();
        let mut points = nest.points(1500);
        for l in 0..2 {
            let of: Vec<bool> = (0..dim).map(|_| rng.one_in(2)).collect();
            let slope: Vec<i64> = (0..dim).map(|_| rng.range(-5, 5)).collect();
            let (salt, rare) = (rng.next(), rng.range(1, 12) as u64);
            for (x, labels) in &mut points {
                let key = x
                    .iter()
                    .zip(&of)
                    .filter(|(_, of)| **of)
                    .fold(salt, |h, (x, _)| Rng(h ^ *x as u64).next());
                // Sometimes a table with few irregular entries, so that known coefficients die late.
                let table = if key.is_multiple_of(rare) { (key >> 40) as i64 } else { 0 };
                labels[l] = table + x.iter().zip(&slope).map(|(x, s)| x * s).sum::<i64>();
            }
        }
        for mode in [Mode::Widen, Mode::WidenGiveUp, Mode::Auto] {
            for (kind, mut o) in [("", Options::with_mode(mode)), (" as in the paper", Options::paper(mode))]
            {
                if rng.one_in(2) {
                    o.max_intermediate = Some(12);
                    o.max_pieces = 12;
                }
                let what = format!("seed {} ({}{kind})", 40_000 + n, mode.name());
                check_contains(&points, &fold(&points, &o), &what);
            }
        }
    }
}

/// Affine labels in a part of a nest that has no shape: the domain is given up, the labels are not, by points and by lines; in every
/// third stream the last point contradicts.
#[test]
fn laws_hold_where_the_geometry_is_given_up() {
    let mut kept = 0;
    for n in 0..streams(500) {
        let mut rng = Rng(60_000 + n);
        let mut nest = Nest::random(&mut rng);
        nest.second = None;
        let mut points = nest.points(1500);
        let density = rng.range(2, 5) as u64;
        points.retain(|_| !rng.one_in(density));
        let contradicts = n % 3 == 0 && points.last().is_some_and(|(_, labels)| !labels.is_empty());
        if let Some((_, labels)) = points.last_mut().filter(|_| contradicts) {
            labels[0] += 1;
        }
        for mode in [Mode::GiveUp, Mode::WidenGiveUp, Mode::Auto] {
            let o = Options { max_intermediate: Some(12), max_pieces: 12, ..Options::with_mode(mode) };
            for (how, result) in [("points", fold(&points, &o)), ("lines", fold_lines(&points, &o))] {
                let what = format!("seed {} ({}, {how}): {nest:?}", 60_000 + n, mode.name());
                check_contains(&points, &result, &what);
                let whole = (0..result.labels.len()).all(|l| result.is_label_exact(l));
                kept += u64::from(result.stats.gave_up && !contradicts && whole);
            }
        }
    }
    assert!(kept >= streams(500), "{kept} streams kept their labels");
}

/// Points in line inside a row.
struct Line {
    first: Vec<i64>,
    step: Vec<i64>,
    count: u64,
}

/// The points as lines, each as long as it goes.
fn lines_of(points: &[Point]) -> Vec<Line> {
    let flat: Vec<Vec<i64>> = points.iter().map(|(x, l)| [x.as_slice(), l.as_slice()].concat()).collect();
    let dim = points.first().map_or(1, |(x, _)| x.len());
    let mut lines = Vec::new();
    let mut at = 0;
    while at < flat.len() {
        let step: Vec<i64> = match flat.get(at + 1) {
            Some(next) => next.iter().zip(&flat[at]).map(|(n, p)| n - p).collect(),
            None => vec![0; flat[at].len()],
        };
        let along = |n: &usize| flat[*n].iter().zip(&flat[*n - 1]).zip(&step).all(|((b, a), s)| b - a == *s);
        let inner = step[..dim - 1].iter().all(|s| *s == 0);
        let count = if inner { 1 + (at + 1..flat.len()).take_while(along).count() } else { 1 };
        lines.push(Line { first: flat[at].clone(), step, count: count as u64 });
        at += count;
    }
    lines
}

/// Folds points by lines as long as they go: `push_line` where several points are in line, one by one in between.
fn fold_lines(points: &[Point], options: &Options) -> fold::Folding {
    let (dim, labels) = points.first().map_or((1, 1), |(x, l)| (x.len(), l.len()));
    let mut folder = fold::Folder::new(dim, labels, options.clone()).unwrap();
    for line in lines_of(points) {
        folder.push_line(&line.first, &line.step, line.count).unwrap();
    }
    folder.finish()
}

#[test]
fn lines_fold_as_their_points_do() {
    for n in 0..streams(500) {
        let nest = Nest::random(&mut Rng(33_000 + n));
        let points = nest.points(4000);
        for (name, o) in options() {
            check_exact(&points, &fold_lines(&points, &o), &format!("seed {n} ({name}): {nest:?}"));
        }
        for mode in [Mode::WidenGiveUp, Mode::Auto] {
            let o = Options::with_mode(mode);
            check_contains(
                &points,
                &fold_lines(&points, &o),
                &format!("seed {n} ({}): {nest:?}", mode.name()),
            );
        }
    }
}

/// Like [`fold_lines`], with lines one below the other handed over together.
fn fold_rows(points: &[Point], options: &Options) -> fold::Folding {
    let (dim, labels) = points.first().map_or((1, 1), |(x, l)| (x.len(), l.len()));
    let mut folder = fold::Folder::new(dim, labels, options.clone()).unwrap();
    let lines = lines_of(points);
    let mut at = 0;
    while at < lines.len() {
        let Line { first, step, count } = &lines[at];
        let way = |n: usize| -> (Vec<i64>, i64) {
            let (a, b) = (&lines[n - 1], &lines[n]);
            (b.first.iter().zip(&a.first).map(|(b, a)| b - a).collect(), b.count as i64 - a.count as i64)
        };
        let (down, longer) = if at + 1 < lines.len() { way(at + 1) } else { (vec![0; dim + labels], 0) };
        let below = |n: &usize| lines[*n].step == *step && way(*n) == (down.clone(), longer);
        let rows = 1 + (at + 1..lines.len()).take_while(below).count();
        let rows = fold::Rows { first, step, count: *count, down: &down, longer, rows: rows as u64 };
        folder.push_rows(&rows).unwrap();
        at += rows.rows as usize;
    }
    folder.finish()
}

#[test]
fn rows_fold_as_their_points_do() {
    for n in 0..streams(500) {
        let nest = Nest::random(&mut Rng(55_000 + n));
        let points = nest.points(4000);
        for (name, o) in options() {
            check_exact(&points, &fold_rows(&points, &o), &format!("seed {n} ({name}): {nest:?}"));
        }
        for mode in [Mode::WidenGiveUp, Mode::Auto] {
            let o = Options::with_mode(mode);
            let what = format!("seed {n} ({}): {nest:?}", mode.name());
            check_contains(&points, &fold_rows(&points, &o), &what);
        }
    }
}
