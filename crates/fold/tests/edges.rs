//! Edges: empty streams, single points, duplicates, wrong order, dimension 0, numbers at the limits of 64 bits.

mod common;
use common::*;
use fold::{Folder, Mode, Options, StreamError};

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;

#[test]
fn the_empty_stream_has_no_piece_and_is_exact() {
    for (_, mode) in Mode::ALL {
        let result = Folder::new(3, 2, Options::with_mode(mode)).unwrap().finish();
        assert!(result.pieces.is_empty() && result.is_exact());
        assert_eq!(result.isl(), "{ [i0, i1, i2] -> [l0, l1] : false }");
        assert_eq!(result.json()["exact"], true);
    }
}

#[test]
fn a_single_point_is_a_piece() {
    for (_, mode) in Mode::ALL {
        let points = vec![(vec![3, -4], vec![5])];
        let result = fold(&points, &Options::with_mode(mode));
        check_exact(&points, &result, "one point");
        assert_eq!(result.isl(), "{ [i0, i1] -> [5] : i0 = 3 and i1 = -4 }");
    }
}

#[test]
fn dimension_zero() {
    for labels in [0, 1] {
        let mut f = Folder::new(0, labels, Options::default()).unwrap();
        for _ in 0..3 {
            f.push(&[], &[9][..labels]).unwrap();
        }
        let result = f.finish();
        assert!(result.is_exact());
        assert_eq!((result.pieces.len(), result.stats.points, result.stats.duplicates), (1, 3, 2));
        assert_eq!(result.isl(), if labels == 0 { "{ [] }" } else { "{ [] -> [9] }" });
    }
}

#[test]
fn duplicates_are_counted_and_dropped() {
    let mut f = Folder::new(1, 1, Options::default()).unwrap();
    for x in [0, 0, 1, 2, 2, 2, 3] {
        f.push(&[x], &[x]).unwrap();
    }
    let result = f.finish();
    assert_eq!(result.isl(), "{ [i0] -> [i0] : 0 <= i0 <= 3 }");
    assert_eq!((result.stats.points, result.stats.duplicates), (7, 3));
    assert!(!result.stats.multivalued);
}

#[test]
fn points_out_of_order_are_an_error_in_every_mode() {
    for (_, mode) in Mode::ALL {
        let mut f = Folder::new(2, 1, Options::with_mode(mode)).unwrap();
        f.push(&[1, 5], &[0]).unwrap();
        let e = f.push(&[1, 4], &[0]).unwrap_err();
        assert_eq!(e, StreamError::OutOfOrder { index: 1, point: vec![1, 4], last: vec![1, 5] });
        assert!(e.to_string().contains("lexicographic order"));
        assert!(f.push(&[0, 9], &[0]).is_err());
        // The stream goes on where it was.
        f.push(&[1, 6], &[0]).unwrap();
        assert_eq!(f.finish().stats.points, 2);
    }
    // Also after give-up.
    let mut f =
        Folder::new(1, 0, Options { max_intermediate: Some(2), ..Options::paper(Mode::GiveUp) }).unwrap();
    let mut f2 =
        Folder::new(2, 0, Options { max_intermediate: Some(2), ..Options::paper(Mode::GiveUp) }).unwrap();
    for x in [0, 10, 11, 30, 50] {
        f.push(&[x], &[]).unwrap();
        f2.push(&[0, x], &[]).unwrap();
    }
    assert!(f.push(&[49], &[]).is_err());
    assert!(f2.push(&[0, 49], &[]).is_err());
    assert!(f2.finish().stats.gave_up);
}

#[test]
fn wrong_sizes_are_errors() {
    let mut f = Folder::new(2, 1, Options::default()).unwrap();
    assert!(matches!(f.push(&[1], &[1]), Err(StreamError::WrongWidth { .. })));
    assert!(matches!(f.push(&[1, 2, 3], &[]), Err(StreamError::WrongWidth { .. })));
    assert!(matches!(f.push_batch(&[1, 2]), Err(StreamError::WrongWidth { .. })));
    f.push_batch(&[]).unwrap();
    assert!(matches!(Folder::new(64, 0, Options::default()), Err(StreamError::TooWide { .. })));
    assert!(matches!(Folder::new(1, 65, Options::default()), Err(StreamError::TooWide { .. })));
    assert!(Folder::new(63, 64, Options::paper(Mode::Exact)).is_ok());
    assert!(Folder::new(21, 64, Options::default()).is_ok());
}

/// Streams with numbers at the limits.
fn huge() -> Vec<(&'static str, Vec<Point>)> {
    let line =
        |x: &[i64], l: &[i64]| x.iter().zip(l).map(|(&x, &l)| (vec![x], vec![l])).collect::<Vec<Point>>();
    vec![
        ("ends at the top", line(&[MAX - 3, MAX - 2, MAX - 1, MAX], &[1, 2, 3, 4])),
        ("starts at the bottom", line(&[MIN, MIN + 1, MIN + 2], &[MAX, MAX - 1, MAX - 2])),
        ("label wraps around", line(&[0, 1, 2, 3], &[MAX - 1, MAX, MIN, MIN + 1])),
        ("label jumps", line(&[0, 1, 2, 3], &[MIN, MAX, MIN, MAX])),
        ("coordinate jumps", line(&[MIN, -1, 0, MAX], &[0, 0, 0, 0])),
        ("huge stride", line(&[MIN, MIN / 2, 0, MAX / 2 + 1], &[MIN, MIN / 2, 0, MAX / 2 + 1])),
        ("step overflows at the end", line(&[0, MAX / 2, MAX - 1], &[0, 1, 2])),
        (
            "rows",
            (0..4)
                .flat_map(|i| (0..4).map(move |j| (vec![MAX - 3 + i, MIN + j], vec![MAX - 10 * i - j])))
                .collect::<Vec<Point>>(),
        ),
        (
            "rows that leave the range",
            vec![
                (vec![0, MAX - 2], vec![MIN]),
                (vec![0, MAX - 1], vec![0]),
                (vec![1, MAX - 1], vec![MAX]),
                (vec![1, MAX], vec![MAX]),
                (vec![2, MAX], vec![MIN]),
                (vec![MAX, MIN], vec![MIN]),
                (vec![MAX, MAX], vec![MAX]),
            ],
        ),
    ]
}

#[test]
fn numbers_at_the_limits_stay_exact_or_contained() {
    for (name, points) in huge() {
        for options in [Options::with_mode(Mode::Exact), Options::paper(Mode::Exact)] {
            check_exact(&points, &fold(&points, &options), name);
        }
        for (mode_name, mode) in Mode::ALL {
            let result = fold(&points, &Options { max_intermediate: Some(2), ..Options::with_mode(mode) });
            check_contains_only(&points, &result, &format!("{name} ({mode_name})"));
        }
    }
}

/// As [`check_contains`], without enumerating domains that may be astronomically large.
fn check_contains_only(points: &[Point], result: &fold::Folding, what: &str) {
    for (x, l) in points {
        let inside = result.pieces.iter().any(|p| p.contains(x, l));
        assert!(inside, "{what}: {x:?} -> {l:?} is missing\n{}", result.text());
    }
}

#[test]
fn random_streams_at_the_limits() {
    // Coordinates and labels drawn from a few extreme values: every difference is likely to overflow.
    let extremes = [MIN, MIN + 1, MIN + 2, MIN / 2, -1, 0, 1, MAX / 2, MAX - 2, MAX - 1, MAX];
    let mut rng = Rng(31);
    for n in 0..streams(500) {
        let dim = 1 + (n % 3) as usize;
        let mut pick = || extremes[rng.range(0, 10) as usize];
        let mut points: Vec<Point> =
            (0..30).map(|_| ((0..dim).map(|_| pick()).collect(), vec![pick()])).collect();
        points.sort();
        points.dedup_by(|a, b| a.0 == b.0);
        check_exact(&points, &fold(&points, &Options::with_mode(Mode::Exact)), "extremes");
        for mode in [Mode::Widen, Mode::WidenGiveUp, Mode::Auto] {
            let options = Options { max_intermediate: Some(6), max_pieces: 6, ..Options::with_mode(mode) };
            check_contains_only(&points, &fold(&points, &options), mode.name());
        }
    }
}

#[test]
fn random_small_streams_of_every_kind() {
    // Dense random points and labels from tiny ranges: many accidental merges, progressions and repetitions.
    for n in 0..streams(500) {
        let mut rng = Rng(9_000 + n);
        let dim = rng.range(1, 4) as usize;
        let side = [40, 9, 5, 4][dim - 1];
        let labels = rng.range(0, 2) as usize;
        let keep = rng.range(2, 4) as u64;
        let mut points: Vec<Point> = Vec::new();
        let mut x = vec![0i64; dim];
        'all: loop {
            if !rng.one_in(keep) {
                points.push((x.clone(), (0..labels).map(|_| rng.range(0, 1) * x[0]).collect()));
            }
            for d in (0..dim).rev() {
                x[d] += 1;
                if x[d] < side {
                    continue 'all;
                }
                x[d] = 0;
            }
            break;
        }
        for options in [Options::with_mode(Mode::Exact), Options::paper(Mode::Exact)] {
            check_exact(&points, &fold(&points, &options), &format!("small {n}"));
        }
        for mode in [Mode::Widen, Mode::GiveUp, Mode::WidenGiveUp, Mode::Auto] {
            check_contains(
                &points,
                &fold(&points, &Options::with_mode(mode)),
                &format!("small {n} {}", mode.name()),
            );
        }
    }
}

#[test]
fn json_says_what_is_approximate() {
    let points: Vec<Point> = [0, 4, 10].iter().enumerate().map(|(i, &l)| (vec![i as i64], vec![l])).collect();
    let json = fold(&points, &Options::with_mode(Mode::Widen)).json();
    assert_eq!(json["exact"], false);
    assert_eq!(json["exact_domain"], true);
    assert_eq!(json["exact_labels"], serde_json::json!([false]));
    assert_eq!(json["pieces"][0]["over_approximated"], serde_json::json!(["label l0 along i0"]));
    assert_eq!(json["pieces"][0]["labels"][0]["unknown"], serde_json::json!([0, 10]));
    assert_eq!(json["isl"], "{ [i0] -> [l0] : 0 <= i0 <= 2 and 0 <= l0 <= 10 }");
}
