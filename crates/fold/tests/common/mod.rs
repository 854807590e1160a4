//! Random streams and brute-force comparison, shared by the integration tests.
#![allow(dead_code)]

use fold::{Folder, Folding, Options};

/// A small deterministic generator (splitmix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number in `lo..=hi`.
    pub fn range(&mut self, lo: i64, hi: i64) -> i64 {
        lo + (self.next() % (hi - lo + 1) as u64) as i64
    }

    /// True in one of `n` cases.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.next().is_multiple_of(n)
    }
}

/// A point: coordinates and labels.
pub type Point = (Vec<i64>, Vec<i64>);

/// How many streams a test should try: `FOLD_STREAMS`, or the default.
pub fn streams(default: u64) -> u64 {
    std::env::var("FOLD_STREAMS").ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// An affine function of the outer iterators.
#[derive(Debug, Clone)]
pub struct Affine {
    pub constant: i64,
    pub coeffs: Vec<i64>,
}

impl Affine {
    pub fn at(&self, x: &[i64]) -> i64 {
        self.constant + self.coeffs.iter().zip(x).map(|(c, x)| c * x).sum::<i64>()
    }

    fn random(rng: &mut Rng, n: usize, constant: (i64, i64), size: i64, density: u64) -> Affine {
        let coeffs = (0..n).map(|_| if rng.one_in(density) { rng.range(-size, size) } else { 0 }).collect();
        Affine { constant: rng.range(constant.0, constant.1), coeffs }
    }
}

/// A guard around the statement: what makes a nest imperfect.
#[derive(Debug, Clone)]
pub enum Guard {
    None,
    /// The function is non-negative.
    Half(Affine),
    /// The function is divisible.
    Mod(Affine, i64),
}

/// A random loop nest with one statement.
#[derive(Debug, Clone)]
pub struct Nest {
    pub lower: Vec<Affine>,
    pub upper: Vec<Affine>,
    pub step: Vec<i64>,
    pub guard: Guard,
    pub labels: Vec<Affine>,
    /// Labels in the half-space where this is negative come from another function.
    pub second: Option<(Affine, Vec<Affine>)>,
}

impl Nest {
    /// Triangular, strided, with non-unit slopes, imperfect: 1 to 4 dimensions, 0 to 2 labels.
    pub fn random(rng: &mut Rng) -> Nest {
        let dim = rng.range(1, 4) as usize;
        let labels = rng.range(0, 2) as usize;
        let extent = [40, 14, 8, 5][dim - 1];
        let slope = if rng.one_in(3) { 2 } else { 1 };
        let lower = (0..dim).map(|d| Affine::random(rng, d, (-3, 3), slope, 3)).collect();
        let upper = (0..dim).map(|d| Affine::random(rng, d, (1, extent), slope, 3)).collect();
        let step = (0..dim).map(|_| if rng.one_in(4) { rng.range(2, 4) } else { 1 }).collect();
        let guard = match rng.range(0, 5) {
            0 => Guard::Half(Affine::random(rng, dim, (-4, 8), 2, 2)),
            1 => Guard::Mod(Affine::random(rng, dim, (0, 3), 2, 2), rng.range(2, 4)),
            _ => Guard::None,
        };
        let functions =
            |rng: &mut Rng| (0..labels).map(|_| Affine::random(rng, dim, (-100, 100), 9, 1)).collect();
        let second = rng.one_in(4).then(|| (Affine::random(rng, dim, (-4, 4), 1, 2), functions(rng)));
        Nest { lower, upper, step, guard, labels: functions(rng), second }
    }

    /// The points in execution order, at most `max`.
    pub fn points(&self, max: usize) -> Vec<Point> {
        let mut out = Vec::new();
        self.walk(&mut Vec::new(), &mut out, max);
        out
    }

    fn walk(&self, x: &mut Vec<i64>, out: &mut Vec<Point>, max: usize) {
        let d = x.len();
        if out.len() >= max {
            return;
        }
        if d == self.lower.len() {
            let inside = match &self.guard {
                Guard::None => true,
                Guard::Half(f) => f.at(x) >= 0,
                Guard::Mod(f, m) => f.at(x).rem_euclid(*m) == 0,
            };
            if inside {
                let functions = match &self.second {
                    Some((f, labels)) if f.at(x) < 0 => labels,
                    _ => &self.labels,
                };
                out.push((x.clone(), functions.iter().map(|f| f.at(x)).collect()));
            }
            return;
        }
        let (lo, hi) = (self.lower[d].at(x), self.upper[d].at(x));
        let mut v = lo;
        while v <= hi {
            x.push(v);
            self.walk(x, out, max);
            x.pop();
            v += self.step[d];
        }
    }
}

/// Fold points, one by one and in batches of several sizes (all must agree).
pub fn fold(points: &[Point], options: &Options) -> Folding {
    let (dim, labels) = points.first().map_or((1, 1), |(x, l)| (x.len(), l.len()));
    let mut one = Folder::new(dim, labels, options.clone()).unwrap();
    for (x, l) in points {
        one.push(x, l).unwrap();
    }
    let one = one.finish();
    let flat: Vec<i64> = points.iter().flat_map(|(x, l)| x.iter().chain(l).copied()).collect();
    for size in [7, 100, points.len().max(1)].iter().filter(|_| dim + labels > 0) {
        let mut batch = Folder::new(dim, labels, options.clone()).unwrap();
        for chunk in flat.chunks(size * (dim + labels)) {
            batch.push_batch(chunk).unwrap();
        }
        assert_eq!(one, batch.finish(), "points one by one and in batches of {size}");
    }
    one
}

/// All points of an exact folding, sorted.
pub fn enumerate(folding: &Folding) -> Vec<Point> {
    let mut out = Vec::new();
    for p in &folding.pieces {
        let before = out.len();
        p.for_each(&mut |x, l| {
            let narrow = |v: &[i128]| v.iter().map(|&v| i64::try_from(v).unwrap()).collect::<Vec<_>>();
            out.push((narrow(x), narrow(l)));
            true
        });
        assert_eq!(p.points as usize, out.len() - before, "the number of points of a piece");
    }
    out.sort();
    out
}

/// The folding is exact and enumerates exactly the points.
pub fn check_exact(points: &[Point], folding: &Folding, what: &str) {
    assert!(folding.is_exact(), "{what}: not exact\n{}", folding.text());
    let mut expected = points.to_vec();
    expected.sort();
    expected.dedup();
    assert_eq!(enumerate(folding), expected, "{what}\n{}", folding.text());
    for (x, l) in points {
        let holders = folding.pieces.iter().filter(|p| p.contains(x, l)).count();
        assert_eq!(holders, 1, "{what}: {x:?} -> {l:?} is in {holders} pieces\n{}", folding.text());
    }
}

/// The folding contains every point with its labels; whatever it calls exact is exact.
pub fn check_contains(points: &[Point], folding: &Folding, what: &str) {
    for (x, l) in points {
        let inside = folding.pieces.iter().any(|p| p.contains(x, l));
        assert!(inside, "{what}: {x:?} -> {l:?} is missing\n{}", folding.text());
    }
    check_claims(points, folding, what);
}

/// Check each piece's claims: exact domains hold only stream points, exact labels are the stream's.
fn check_claims(points: &[Point], folding: &Folding, what: &str) {
    let known: std::collections::HashMap<&[i64], Vec<&[i64]>> =
        points.iter().fold(Default::default(), |mut m, (x, l)| {
            let m_: &mut std::collections::HashMap<&[i64], Vec<&[i64]>> = &mut m;
            m_.entry(x.as_slice()).or_default().push(l.as_slice());
            m
        });
    for p in folding.pieces.iter().filter(|p| p.exact_domain) {
        p.for_each(&mut |x, labels| {
            let x: Vec<i64> = x.iter().map(|&v| v as i64).collect();
            let Some(real) = known.get(x.as_slice()) else {
                panic!("{what}: {x:?} is in an exact domain but not in the stream\n{}", folding.text())
            };
            for (l, f) in p.labels.iter().enumerate().filter(|(_, f)| f.is_exact()) {
                let ok = real.iter().any(|r| i128::from(r[l]) == labels[l]);
                assert!(ok, "{what}: label {l} at {x:?} is claimed exact ({f:?})\n{}", folding.text());
            }
            true
        });
        check_strides(p, &known, what, folding);
    }
}

/// A known coefficient next to a top is a fact: one step along that level moves the label by exactly that much.
fn check_strides(
    p: &fold::Piece,
    known: &std::collections::HashMap<&[i64], Vec<&[i64]>>,
    what: &str,
    folding: &Folding,
) {
    if folding.stats.multivalued {
        return;
    }
    for (l, f) in p.labels.iter().enumerate().filter(|(_, f)| !f.is_exact()) {
        // The unknown part must be a function of the top coordinates alone.
        let mut unknown: std::collections::HashMap<Vec<i128>, i128> = Default::default();
        p.for_each(&mut |x, labels| {
            let x: Vec<i64> = x.iter().map(|&v| v as i64).collect();
            let q = p.locate(&x).unwrap();
            let key: Vec<i128> =
                q.iter().zip(&f.coeffs).filter(|(_, c)| c.is_none()).map(|(q, _)| *q).collect();
            let u = i128::from(known[x.as_slice()][0][l]) - labels[l];
            let old = *unknown.entry(key).or_insert(u);
            assert_eq!(
                old,
                u,
                "{what}: the unknown part of label {l} at {x:?} is not a function of the top levels\n{}",
                folding.text()
            );
            true
        });
    }
}
