//! The paper's worked examples, step by step: Figure 5, Figures 6 and 7, Tables 3 and 4.

use crate::absorb::{Labels, can_merge};
use crate::level::Level;
use crate::mode::{Mode, Options};
use crate::output::Folding;
use crate::polyhedron::Poly;
use crate::run::State;
use crate::stream::Folder;

/// Paper's options with widening: instruction streams are always widened (Section 6).
fn instruction_folder(dim: usize) -> Folder {
    Folder::new(dim, 1, Options::paper(Mode::Widen)).unwrap()
}

/// The current run as a polyhedron.
fn run_poly(f: &Folder) -> Poly {
    let mut p = Poly::new(&f.layout);
    match f.run.state {
        State::Line => f.run.line(&mut p, &f.layout),
        _ => f.run.first_point(&mut p),
    }
    p
}

/// A coefficient in the paper's notation: bottom, an integer, or top.
fn coefficient(p: &Poly, f: &Folder, level: usize) -> String {
    match (p.is_grown(level), p.tops[level] & 1 == 1) {
        (false, _) => "⊥".into(),
        (true, true) => "⊤".into(),
        (true, false) => p.delta(level)[f.layout.dim].to_string(),
    }
}

/// The label function of a polyhedron in the paper's notation.
fn function(p: &Poly, f: &Folder) -> String {
    format!("{}cj + {}ck + {}", coefficient(p, f, 1), coefficient(p, f, 0), p.anchor()[f.layout.dim])
}

fn only(level: &Level) -> &Poly {
    assert_eq!(level.absorbers.len(), 1);
    &level.absorbers[0]
}

#[test]
fn figure_5_step_by_step() {
    let mut f = instruction_folder(2);
    // 1: the 0-dimensional polyhedron P1 is created.
    f.push(&[0, 0], &[67]).unwrap();
    assert_eq!((f.run.state, f.intermediate()), (State::One, 1));
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + ⊥ck + 67");
    // 2: P1 absorbs (0, 1) and becomes a segment.
    f.push(&[0, 1], &[71]).unwrap();
    assert_eq!((f.run.state, f.run.len, f.intermediate()), (State::Line, 2, 1));
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + 4ck + 67");
    // 3: P1 absorbs (0, 2); 77 is not 75, so the coefficient becomes top.
    f.push(&[0, 2], &[77]).unwrap();
    assert_eq!((f.run.len, f.intermediate()), (3, 1));
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + ⊤ck + 67");
    // 4: the loop over ck is complete: P1 waits at cj's level, P4 is created.
    f.push(&[1, 0], &[68]).unwrap();
    assert_eq!((f.run.state, f.intermediate()), (State::One, 2));
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + ⊥ck + 68");
    assert_eq!(function(only(&f.levels[1]), &f), "⊥cj + ⊤ck + 67");
    // P4 absorbs (1, 1) and (1, 2).
    f.push(&[1, 1], &[72]).unwrap();
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + 4ck + 68");
    f.push(&[1, 2], &[78]).unwrap();
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + ⊤ck + 68");
    // 5: P1 absorbs P4 along cj; P7 is created.
    f.push(&[2, 0], &[69]).unwrap();
    assert_eq!(f.intermediate(), 2);
    assert_eq!(function(only(&f.levels[1]), &f), "1cj + ⊤ck + 67");
    assert_eq!(only(&f.levels[1]).points, 6);
    f.push(&[2, 1], &[73]).unwrap();
    f.push(&[2, 2], &[79]).unwrap();
    assert_eq!(function(&run_poly(&f), &f), "⊥cj + ⊤ck + 69");
    // 6: P1 absorbs P7 and becomes the 3 x 3 square.
    let result = f.finish();
    assert_eq!(result.pieces.len(), 1);
    let names = [String::from("cj"), String::from("ck")];
    let result = result.with_names("I2", &names, &["addr".into()]).unwrap();
    assert_eq!(
        result.text(),
        "I2: 9 points, 1 piece, over-approximated\n  0 <= cj <= 2 and 0 <= ck <= 2 -> addr = cj + 67 + T(ck)  \
         [over-approximated: label addr along ck]\n"
    );
    assert!(!result.is_exact() && result.is_domain_exact());
    assert_eq!(result.stats.max_intermediate, 2);
}

#[test]
fn a_stride_next_to_a_top_is_claimed_only_if_it_holds_everywhere() {
    // The anchors move by 1 per row, as in Figure 5, but the middle of the third row does not.
    let mut f = instruction_folder(2);
    for (j, row) in [[67, 71, 77], [68, 72, 78], [69, 75, 79]].iter().enumerate() {
        for (k, &label) in row.iter().enumerate() {
            f.push(&[j as i64, k as i64], &[label]).unwrap();
        }
    }
    let result = f.finish();
    assert_eq!(result.pieces.len(), 1);
    assert_eq!(result.pieces[0].labels[0].coeffs, [None, None]);
}

/// The rows of `conn`, allocated apart (Figure 2, the first three as in Figure 5).
fn row(k: i64) -> i64 {
    [66, 70, 76].get(k as usize).copied().unwrap_or(80 + 7 * k + (k * k) % 5)
}

fn table(f: impl Fn(i64, i64) -> Vec<i64>, from_k: i64, mode: Mode) -> Folding {
    let labels = f(0, 1).len();
    let mut folder = Folder::new(2, labels, Options::paper(mode)).unwrap();
    for cj in 0..16 {
        for ck in from_k..43 {
            folder.push(&[cj, ck], &f(cj, ck)).unwrap();
        }
    }
    let names: Vec<String> = (0..labels).map(|l| format!("l{l}")).collect();
    folder.finish().with_names("", &["cj".into(), "ck".into()], &names).unwrap()
}

#[test]
fn table_3_instruction_streams_of_backprop() {
    let domain = "0 <= cj <= 15 and 0 <= ck <= 42";
    type Case = (&'static str, fn(i64, i64) -> Vec<i64>, &'static str);
    let cases: [Case; 3] = [
        ("I1", |_, ck| vec![12 + ck], "ck + 12"),
        ("I3", |_, ck| vec![407 + ck], "ck + 407"),
        ("I5", |_, ck| vec![ck + 1], "ck + 1"),
    ];
    for (name, f, label) in cases {
        let result = table(f, 0, Mode::Widen);
        assert!(result.is_exact(), "{name}");
        assert_eq!(result.isl(), format!("{{ [cj, ck] -> [{label}] : {domain} }}"), "{name}");
    }
    let i2 = table(|cj, ck| vec![1 + cj + row(ck)], 0, Mode::Widen);
    assert_eq!(i2.pieces.len(), 1);
    assert!(i2.text().contains(&format!("{domain} -> l0 = cj + 67 + T(ck)")), "{}", i2.text());
    let mut i6 = instruction_folder(1);
    (0..16).for_each(|cj| i6.push(&[cj], &[cj + 2]).unwrap());
    assert_eq!(i6.finish().isl(), "{ [i0] -> [i0 + 2] : 0 <= i0 <= 15 }");
}

#[test]
fn table_4_dependence_streams_of_backprop() {
    let same = table(|cj, ck| vec![cj, ck], 0, Mode::Exact);
    assert_eq!(same.isl(), "{ [cj, ck] -> [cj, ck] : 0 <= cj <= 15 and 0 <= ck <= 42 }");
    let carried = table(|cj, ck| vec![cj, ck - 1], 1, Mode::Exact);
    assert_eq!(carried.isl(), "{ [cj, ck] -> [cj, ck - 1] : 0 <= cj <= 15 and 1 <= ck <= 42 }");
    assert!(same.is_exact() && carried.is_exact());
}

/// The bounds of an elementary polyhedron: for each dimension a lower and an upper edge, affine in the outer ones.
type Edges = Vec<(Vec<i64>, Vec<i64>)>;

fn at(f: &[i64], x: &[i64]) -> i64 {
    f[0] + f[1..].iter().zip(x).map(|(c, x)| c * x).sum::<i64>()
}

fn scan(edges: &Edges, x: &mut Vec<i64>, visit: &mut impl FnMut(&[i64])) {
    let d = x.len();
    if d == edges.len() {
        return visit(x);
    }
    for v in at(&edges[d].0, x)..=at(&edges[d].1, x) {
        x.push(v);
        scan(edges, x, visit);
        x.pop();
    }
}

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    *state >> 33
}

/// Figure 6: a random elementary polyhedron, that is one whose corresponding vertices on both faces of every
/// dimension move by -1, 0 or 1 per step, and whose every row is non-empty.
fn elementary(dim: usize, seed: &mut u64) -> Edges {
    loop {
        let mut pick = |lo: i64, hi: i64| lo + (random(seed) % (hi - lo + 1) as u64) as i64;
        let mut edges: Edges = Vec::new();
        for d in 0..dim {
            let mut lower = vec![pick(-3, 3)];
            let mut upper = vec![lower[0] + pick(1, 4)];
            for _ in 0..d {
                lower.push(if pick(0, 2) == 0 { pick(-1, 1) } else { 0 });
                upper.push(if pick(0, 2) == 0 { pick(-1, 1) } else { 0 });
            }
            edges.push((lower, upper));
        }
        if unit_vertices(&edges) && rows_not_empty(&edges, &mut Vec::new()) {
            return edges;
        }
    }
}

/// Whether every row at every depth has a point.
fn rows_not_empty(edges: &Edges, x: &mut Vec<i64>) -> bool {
    let d = x.len();
    if d == edges.len() {
        return true;
    }
    let (lo, hi) = (at(&edges[d].0, x), at(&edges[d].1, x));
    lo <= hi
        && (lo..=hi).all(|v| {
            x.push(v);
            let ok = rows_not_empty(edges, x);
            x.pop();
            ok
        })
}

/// Whether along every dimension all vertices of a slice move by at most 1 in each inner dimension.
fn unit_vertices(edges: &Edges) -> bool {
    let dim = edges.len();
    (0..dim).all(|d| {
        (0..1u32 << (dim - 1 - d)).all(|corner| {
            // How each inner coordinate of this vertex moves when dimension d moves by 1.
            let mut moved = vec![0i64; dim];
            moved[d] = 1;
            (d + 1..dim).all(|k| {
                let edge = if corner >> (k - d - 1) & 1 == 0 { &edges[k].0 } else { &edges[k].1 };
                moved[k] = (d..k).map(|j| edge[1 + j] * moved[j]).sum();
                moved[k].abs() <= 1
            })
        })
    })
}

#[test]
fn figure_6_elementary_polyhedra_fold_to_one_piece() {
    let mut seed = 6;
    for n in 0..500 {
        let dim = 1 + n % 4;
        let edges = elementary(dim, &mut seed);
        let mut f = Folder::new(dim, 1, Options::paper(Mode::Exact)).unwrap();
        let mut points = 0;
        scan(&edges, &mut Vec::new(), &mut |x| {
            points += 1;
            f.push(x, &[x.iter().zip([7, -3, 100, 1]).map(|(x, c)| x * c).sum()]).unwrap();
        });
        let result = f.finish();
        assert!(result.is_exact());
        assert_eq!(result.pieces.len(), 1, "{edges:?}\n{}", result.text());
        assert_eq!(result.pieces[0].points, points);
    }
}

#[test]
fn figure_7_a_square_and_a_triangle_do_not_merge() {
    // Lower face: a square; upper face: a triangle whose vertices all touch the square's.
    let slice = |x: i64, triangle: bool| {
        let mut f = Folder::new(3, 0, Options::paper(Mode::Exact)).unwrap();
        for j in 0..=1 {
            for k in 0..=(if triangle { 1 - j } else { 1 }) {
                f.push(&[x, j, k], &[]).unwrap();
            }
        }
        f.close_run(1);
        f.flush_level(1);
        f.levels[2].absorbers.pop().unwrap()
    };
    let layout = Folder::new(3, 0, Options::paper(Mode::Exact)).unwrap().layout;
    let merges = |a: bool, b: bool| can_merge(&slice(0, a), &slice(1, b), 2, &layout, Labels::Compatible);
    assert!(merges(false, false) && merges(true, true));
    assert!(!merges(false, true) && !merges(true, false));
}

#[test]
fn figure_7_slices_with_edges_that_are_not_parallel_stay_apart() {
    // Property: two slices whose inner edges have different slopes never become one piece.
    let mut seed = 7;
    let mut tried = 0;
    while tried < 200 {
        let (a, b) = (elementary(2, &mut seed), elementary(2, &mut seed));
        let tall = |e: &Edges| at(&e[0].1, &[]) > at(&e[0].0, &[]);
        // Equal up to a translation, slice by slice: the same slopes. Slopes of a slice of one row mean nothing.
        if a[1].0[1] == b[1].0[1] && a[1].1[1] == b[1].1[1] || !tall(&a) || !tall(&b) {
            continue;
        }
        tried += 1;
        let mut f = Folder::new(3, 0, Options::paper(Mode::Exact)).unwrap();
        for (x, edges) in [(0, &a), (1, &b)] {
            scan(edges, &mut Vec::new(), &mut |p| f.push(&[x, p[0], p[1]], &[]).unwrap());
        }
        let result = f.finish();
        assert!(result.is_exact() && result.pieces.len() > 1, "{a:?} {b:?}\n{}", result.text());
    }
}

#[test]
fn the_general_compatibility_check_adopts_unknown_coefficients() {
    // Section 5.2.3, "general case": rows of length 1 leave the inner coefficient at bottom until a longer row comes.
    let mut f = Folder::new(2, 1, Options::paper(Mode::Exact)).unwrap();
    for i in 0..6 {
        for j in 0..=i {
            f.push(&[i, j], &[10 * i + 3 * j + 5]).unwrap();
        }
    }
    assert_eq!(f.finish().isl(), "{ [i0, i1] -> [10*i0 + 3*i1 + 5] : 0 <= i0 <= 5 and 0 <= i1 <= i0 }");
}

#[test]
fn retirement_comes_as_soon_as_a_polyhedron_cannot_grow() {
    let mut f = Folder::new(1, 1, Options::paper(Mode::Exact)).unwrap();
    for (x, label) in [(0, 0), (1, 1), (2, 2), (3, 50), (4, 51)] {
        f.push(&[x], &[label]).unwrap();
    }
    assert_eq!(f.take_retired().len(), 1);
    f.push(&[9], &[0]).unwrap();
    assert_eq!(f.take_retired().len(), 1);
    assert_eq!(f.finish().pieces.len(), 1);
}

#[test]
fn the_papers_give_up_keeps_what_was_retired() {
    // Rows of scattered points: more than 4 d + 1 = 9 intermediate polyhedra.
    let mut f = Folder::new(2, 0, Options::paper(Mode::GiveUp)).unwrap();
    for j in 0..5 {
        f.push(&[0, j], &[]).unwrap();
    }
    f.push(&[7, 0], &[]).unwrap();
    f.push(&[8, 20], &[]).unwrap();
    f.push(&[9, 0], &[]).unwrap();
    for j in 0..12 {
        f.push(&[20, 3 * j], &[]).unwrap();
    }
    let result = f.finish();
    assert!(result.stats.gave_up && !result.is_domain_exact());
    assert!(result.pieces.iter().filter(|p| p.exact_domain).any(|p| p.points == 5));
    assert_eq!(result.pieces.iter().filter(|p| !p.exact_domain).count(), 1);
}
