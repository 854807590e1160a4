//! What goes beyond the paper: extra dimensions, strides, Auto, several labels per point.

mod common;
use common::*;
use fold::{Folder, Mode, Options};

fn auto(points: &[Point]) -> fold::Folding {
    fold(points, &Options::default())
}

#[test]
fn a_linearized_traversal_is_one_two_dimensional_piece() {
    for (n, m) in [(10, 7), (3, 100), (50, 2)] {
        let points: Vec<Point> = (0..n * m).map(|t| (vec![t], vec![t / m, t % m])).collect();
        let result = auto(&points);
        check_exact(&points, &result, "A[t/m][t%m]");
        assert_eq!(result.pieces.len(), 1, "{}", result.text());
        assert_eq!(result.pieces[0].levels.len(), 2);
        assert!(result.pieces[0].levels[1].extra);
    }
}

#[test]
fn three_dimensions_in_one_loop() {
    let (n, m, k) = (6, 5, 4);
    let points: Vec<Point> = (0..n * m * k).map(|t| (vec![t], vec![t / (m * k), t / k % m, t % k])).collect();
    let result = auto(&points);
    check_exact(&points, &result, "A[t/mk][t/k%m][t%k]");
    assert_eq!(result.pieces.len(), 1, "{}", result.text());
    assert_eq!(result.pieces[0].levels.len(), 3);
}

#[test]
fn a_linearized_outer_loop_around_a_real_one() {
    let (n, m) = (6, 5);
    let points: Vec<Point> =
        (0..n * m).flat_map(|t| (0..4).map(move |k| (vec![t, k], vec![1000 * (t / m) + t % m, k]))).collect();
    let result = auto(&points);
    check_exact(&points, &result, "outer linearized");
    assert_eq!(result.pieces.len(), 1, "{}", result.text());
}

#[test]
fn a_tiled_traversal_is_one_piece() {
    // One canonical iterator per loop of the source, but each tile's rows are walked by a single counter.
    let points: Vec<Point> = (0..4)
        .flat_map(|tile| {
            (0..64).map(move |t| (vec![tile, t], vec![8 * (tile / 2) + t / 8, 8 * (tile % 2) + t % 8]))
        })
        .collect();
    let result = auto(&points);
    check_exact(&points, &result, "tiles");
    assert!(result.pieces.len() <= 2, "{}", result.text());
}

#[test]
fn modulo_conditions_become_divisibility_constraints() {
    type Case = (&'static str, fn(i64, i64) -> bool, usize);
    let cases: [Case; 9] = [
        ("j % 2 == 0", |_, j| j % 2 == 0, 1),
        ("i % 3 == 1", |i, _| i % 3 == 1, 1),
        ("i % 2 == 0 && j % 5 == 3", |i, j| i % 2 == 0 && j % 5 == 3, 1),
        ("j % 3 != 2", |_, j| j % 3 != 2, 1),
        ("j % 4 == 0 || j % 4 == 3", |_, j| j % 4 == 0 || j % 4 == 3, 2),
        ("j % 7 in {0, 1, 3}", |_, j| [0, 1, 3].contains(&(j % 7)), 5),
        ("i % 7 in {0, 1, 3}", |i, _| [0, 1, 3].contains(&(i % 7)), 3),
        ("i % 3 != 2", |i, _| i % 3 != 2, 1),
        ("(i + j) % 2 == 0", |i, j| (i + j) % 2 == 0, 1),
    ];
    for (name, keep, most) in cases {
        let points: Vec<Point> = (0..24)
            .flat_map(|i| (0..30).filter(move |&j| keep(i, j)).map(move |j| (vec![i, j], vec![100 * i + j])))
            .collect();
        let result = fold(&points, &Options::with_mode(Mode::Exact));
        check_exact(&points, &result, name);
        assert!(result.pieces.len() <= most, "{name}: {}", result.text());
    }
}

#[test]
fn a_union_of_residues_in_one_dimension() {
    let points: Vec<Point> =
        (0..700).filter(|t| [0, 1, 3].contains(&(t % 7))).map(|t| (vec![t], vec![3 * t])).collect();
    let result = fold(&points, &Options::with_mode(Mode::Exact));
    check_exact(&points, &result, "t % 7 in {0, 1, 3}");
    assert_eq!(result.pieces.len(), 2, "{}", result.text());
}

#[test]
fn slopes_other_than_one_fold() {
    let points: Vec<Point> =
        (0..12).flat_map(|i| (-i..=3 * i).map(move |j| (vec![i, j], vec![7 * i - 2 * j]))).collect();
    let result = fold(&points, &Options::with_mode(Mode::Exact));
    check_exact(&points, &result, "-i <= j <= 3i");
    assert_eq!(result.pieces.len(), 1, "{}", result.text());
}

#[test]
fn auto_widens_only_the_stream_that_needs_it() {
    let mut rng = Rng(5);
    let wild: Vec<Point> = (0..80)
        .flat_map(|i| (0..80).map(move |j| (i, j)))
        .map(|(i, j)| (vec![i, j], vec![rng.range(0, 1 << 40)]))
        .collect();
    let result = auto(&wild);
    check_contains(&wild, &result, "random labels");
    assert!(result.stats.widened && !result.stats.gave_up && result.is_domain_exact());
    assert_eq!(result.pieces.len(), 1, "{}", result.text());
    let tame: Vec<Point> = (0..80).flat_map(|i| (0..80).map(move |j| (vec![i, j], vec![i - j]))).collect();
    let result = auto(&tame);
    assert!(result.is_exact() && !result.stats.widened);
}

#[test]
fn auto_keeps_the_regular_label_next_to_a_random_one() {
    let mut rng = Rng(6);
    let points: Vec<Point> = (0..60)
        .flat_map(|i| (0..60).map(move |j| (i, j)))
        .map(|(i, j)| (vec![i, j], vec![rng.range(0, 1 << 40), 8 * i + j]))
        .collect();
    let result = auto(&points);
    check_contains(&points, &result, "one random label of two");
    assert!(result.is_domain_exact() && result.is_label_exact(1) && !result.is_label_exact(0));
    assert!(result.text().contains("over-approximated: label l0 along i0, i1"), "{}", result.text());
}

#[test]
fn auto_gives_up_on_random_geometry_and_stays_small() {
    let mut rng = Rng(7);
    let points: Vec<Point> = (0..400)
        .flat_map(|i| (0..400).map(move |j| (i, j)))
        .filter(|_| rng.one_in(2))
        .map(|(i, j)| (vec![i, j], vec![i + j]))
        .collect();
    let result = auto(&points);
    check_contains(&points, &result, "random geometry");
    assert!(result.stats.gave_up && !result.is_domain_exact());
    assert!(result.pieces.len() <= 200 && result.stats.max_intermediate <= 200, "{}", result.text());
}

#[test]
fn auto_bounds_memory_on_a_stream_that_turns_irregular_late() {
    let mut rng = Rng(8);
    let mut f = Folder::new(1, 1, Options { replay_points: 1000, ..Options::default() }).unwrap();
    let mut points: Vec<Point> = Vec::new();
    for t in 0..40_000 {
        let label = if t < 20_000 { 8 * t } else { rng.range(0, 1 << 30) };
        points.push((vec![t], vec![label]));
        f.push(&[t], &[label]).unwrap();
    }
    let result = f.finish();
    check_contains(&points, &result, "late");
    assert!(result.pieces.len() <= 200, "{}", result.pieces.len());
    assert!(result.pieces.iter().any(|p| p.is_exact() && p.points >= 20_000), "the regular part stays");
}

#[test]
fn the_rows_of_backprop_in_auto_and_widened() {
    // conn[k][j] with rows allocated apart: stride 1 along j is a fact, k is unknown.
    let base = |k: i64| 4096 * ((k * 37) % 101) + 64 * ((k * k) % 13);
    let points: Vec<Point> =
        (0..64).flat_map(|j| (0..300).map(move |k| (vec![j, k], vec![base(k) + j]))).collect();
    for mode in [Mode::Widen, Mode::WidenGiveUp, Mode::Auto] {
        let result = fold(&points, &Options::with_mode(mode));
        check_contains(&points, &result, mode.name());
        assert_eq!(result.pieces.len(), 1, "{}", result.text());
        assert_eq!(result.pieces[0].labels[0].coeffs, [None, Some(1)], "{}", result.text());
    }
}

#[test]
fn several_labels_for_a_point_are_a_relation() {
    let mut points: Vec<Point> = Vec::new();
    for i in 0..20 {
        for l in [i, 100 - i, i] {
            points.push((vec![i], vec![l]));
        }
    }
    let result = auto(&points);
    check_exact(&points, &result, "two values each");
    assert!(result.stats.multivalued);
    assert_eq!(result.pieces.len(), 2);
    assert_eq!(result.stats.duplicates, 20);
}

#[test]
fn too_many_labels_for_a_point_are_over_approximated() {
    let points: Vec<Point> = (0..6).flat_map(|i| (0..30).map(move |l| (vec![i], vec![l * l]))).collect();
    let result = auto(&points);
    assert!(!result.is_exact());
    check_contains(&points, &result, "thirty values each");
}

#[test]
fn memory_does_not_grow_with_the_stream() {
    // Intermediate polyhedra and pieces stay where they are while the stream gets a hundred times longer.
    type Case = (&'static str, fn(i64, &mut Rng) -> Option<i64>);
    let cases: [Case; 4] = [
        ("regular", |t, _| Some(8 * t)),
        ("random labels", |_, r| Some(r.range(0, 1 << 40))),
        ("random geometry", |t, r| r.one_in(2).then_some(t)),
        ("both", |_, r| if r.one_in(3) { None } else { Some(r.range(0, 1 << 20)) }),
    ];
    for (name, label) in cases {
        for dim in [1, 2] {
            let sizes: Vec<(usize, usize)> = [3_000, 30_000, 300_000]
                .map(|n| {
                    let mut rng = Rng(11);
                    let mut f = Folder::new(dim, 1, Options::default()).unwrap();
                    for t in 0..n {
                        if let Some(l) = label(t, &mut rng) {
                            let x = if dim == 1 { vec![t] } else { vec![t / 100, t % 100] };
                            f.push(&x, &[l]).unwrap();
                        }
                    }
                    let result = f.finish();
                    (result.stats.max_intermediate, result.pieces.len())
                })
                .into();
            assert!(
                sizes.iter().all(|&(live, pieces)| live <= 80 && pieces <= 80),
                "{name}, {dim}-D: {sizes:?}"
            );
        }
    }
}

#[test]
fn pieces_can_be_taken_as_they_retire() {
    let mut rng = Rng(12);
    let points: Vec<Point> =
        (0..3000).map(|t| (vec![t], vec![if t % 100 == 99 { rng.range(0, 99) } else { t }])).collect();
    let mut f = Folder::new(1, 1, Options::with_mode(Mode::Exact)).unwrap();
    let mut pieces = Vec::new();
    for (x, l) in &points {
        f.push(x, l).unwrap();
        pieces.extend(f.take_retired());
    }
    assert!(!pieces.is_empty());
    let mut result = f.finish();
    result.pieces.extend(pieces);
    check_exact(&points, &result, "taken early");
}

#[test]
fn labels_that_are_affine_everywhere_survive_give_up() {
    // if (data[i][j]) use(x): the same iteration, and the row before, in an irregular part of the nest.
    let mut rng = Rng(21);
    let mut points: Vec<Point> = Vec::new();
    for x in (0..3).flat_map(|t| (0..40).flat_map(move |i| (0..40).map(move |j| vec![t, i, j]))) {
        let label = vec![x[0], x[1] - 1, x[2], x[1] * 160 + 4 * x[2], rng.range(0, 1 << 20)];
        if rng.range(0, 1) == 1 {
            points.push((x, label));
        }
    }
    for mode in [Mode::GiveUp, Mode::WidenGiveUp, Mode::Auto] {
        let result = fold(&points, &Options::with_mode(mode));
        check_contains(&points, &result, mode.name());
        assert!(result.stats.gave_up && result.pieces.len() <= 64, "{}", result.text());
        let known: Vec<bool> = (0..5).map(|l| result.is_label_exact(l)).collect();
        assert_eq!(known, [true, true, true, true, false], "{}: {}", mode.name(), result.text());
        assert!(!result.is_domain_exact() && !result.is_exact());
    }
    let paper = fold(&points, &Options::paper(Mode::GiveUp));
    assert!((0..5).all(|l| !paper.is_label_exact(l)), "the paper's give-up has tops only");
}
