//! The isl text, read by isl and compared as relations: with the stream for exact results, as a superset otherwise.

mod common;
use common::*;
use fold::{Folding, Mode, Options};
use isl::{Ctx, Map, Set};

fn list(v: &[i64]) -> String {
    v.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// The stream itself as a map.
fn graph(ctx: &Ctx, points: &[Point]) -> Map {
    let parts: Vec<String> = points.iter().map(|(x, l)| format!("[{}] -> [{}]", list(x), list(l))).collect();
    ctx.parse(&format!("{{ {} }}", parts.join("; "))).unwrap()
}

fn parse(ctx: &Ctx, folding: &Folding) -> Map {
    let text = folding.isl();
    ctx.parse(&text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

#[test]
fn isl_reads_the_stream_back() {
    let ctx = Ctx::new();
    let mut done = 0;
    for n in 0.. {
        let mut nest = Nest::random(&mut Rng(500_000 + n));
        if nest.labels.is_empty() {
            nest.labels.push(Affine { constant: 3, coeffs: vec![1; nest.lower.len()] });
            nest.second = None;
        }
        let points = nest.points(60);
        if points.is_empty() {
            continue;
        }
        let stream = graph(&ctx, &points);
        for (mode, exact) in
            [(Mode::Exact, true), (Mode::Widen, false), (Mode::WidenGiveUp, false), (Mode::Auto, false)]
        {
            let result = fold(&points, &Options::with_mode(mode));
            let map = parse(&ctx, &result);
            assert!(!exact || result.is_exact());
            if result.is_exact() {
                assert_eq!(map, stream, "seed {n}: {}", result.isl());
            } else {
                assert!(stream.is_subset(&map).unwrap(), "seed {n} {}: {}", mode.name(), result.isl());
            }
        }
        done += 1;
        if done >= streams(100) {
            break;
        }
    }
}

#[test]
fn no_labels_make_a_set() {
    let ctx = Ctx::new();
    let points: Vec<Point> =
        (2..10).flat_map(|i| (0..=i).map(move |j| (vec![2 * i, 3 * j], vec![]))).collect();
    let result = fold(&points, &Options::default());
    assert_eq!(
        result.isl(),
        "{ [i0, i1] : 4 <= i0 <= 18 and (i0) mod 2 = 0 and 0 <= 2*i1 <= 3*i0 and (i1) mod 3 = 0 }"
    );
    let set: Set = ctx.parse(&result.isl()).unwrap();
    let expected: Set =
        ctx.parse("{ [a, b] : exists (i, j : a = 2i and b = 3j and 0 <= j <= i and 2 <= i < 10) }").unwrap();
    assert_eq!(set, expected);
}

#[test]
fn huge_numbers_are_written_exactly() {
    let ctx = Ctx::new();
    let top = i64::MAX;
    let points: Vec<Point> = [
        (vec![i64::MIN, top - 4], vec![i64::MIN]),
        (vec![i64::MIN, top - 2], vec![0]),
        (vec![i64::MIN, top], vec![top]),
        (vec![0, 0], vec![5]),
        (vec![top - 1, 3], vec![top]),
        (vec![top, 3], vec![top - 1]),
    ]
    .into();
    let result = fold(&points, &Options::with_mode(Mode::Exact));
    check_exact(&points, &result, "huge");
    assert_eq!(parse(&ctx, &result), graph(&ctx, &points), "{}", result.isl());
    let over = fold(&points, &Options { max_intermediate: Some(1), ..Options::with_mode(Mode::GiveUp) });
    assert!(over.stats.gave_up);
    check_contains(&points, &over, "huge, given up");
    assert!(graph(&ctx, &points).is_subset(&parse(&ctx, &over)).unwrap(), "{}", over.isl());
}

#[test]
fn empty_and_zero_dimensional_results_are_read_too() {
    let ctx = Ctx::new();
    let empty = fold::Folder::new(2, 1, Options::default()).unwrap().finish();
    assert!(parse(&ctx, &empty).is_empty().unwrap());
    let mut f = fold::Folder::new(0, 2, Options::default()).unwrap();
    f.push(&[], &[4, -5]).unwrap();
    let result = f.finish();
    assert_eq!(parse(&ctx, &result), ctx.parse("{ [] -> [4, -5] }").unwrap());
    let names = ["i".to_string(), "e0".to_string()];
    let points: Vec<Point> = (0..40).map(|t| (vec![7, t], vec![t / 8, t % 8])).collect();
    let named =
        fold(&points, &Options::default()).with_names("S 1", &names, &["e1".into(), "e2".into()]).unwrap();
    assert_eq!(parse(&ctx, &named), graph(&ctx, &points), "{}", named.isl());
}
