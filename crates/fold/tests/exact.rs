//! Exactness by brute force: random affine nests fold to exactly the points that went in.
//!
//! 500 streams in a normal run; `FOLD_STREAMS=10000 cargo test -p fold --release --test exact` for more, or the
//! ignored test.

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
#[ignore = "ten thousand streams: cargo test -p fold --release -- --ignored"]
fn ten_thousand_random_nests() {
    run(10_000, 1_000_000);
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
