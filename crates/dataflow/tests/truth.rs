//! Dependences against brute force on random scops.
//!
//! 300 scops in a normal run; `ORTHANT_SCOPS=10000 cargo test -p dataflow --release --test truth` for more.

use std::collections::BTreeSet;

use dataflow::{Basis, Dependences, Error, Exactness, Inexact, Options};
use fastrand::Rng;
use interp::random::{Shape, scop_text};
use interp::{Ground, Truth};
use isl::{Ctx, UnionMap};
use model::Scop;

type Pairs = BTreeSet<(usize, usize)>;

fn scops() -> u64 {
    std::env::var("ORTHANT_SCOPS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

/// Enough for all but the nastiest few percent.
fn bounded() -> Options {
    Options { operations: Some(200_000), ..Options::default() }
}

/// Calls `check` with random scops on some small parameter values.
fn on_random(seed: u64, shape: &Shape, mut check: impl FnMut(&Scop, &Dependences, &[Ground])) {
    for seed in seed..seed + scops() / 3 {
        let mut rng = Rng::with_seed(seed);
        let text = scop_text(&mut rng, shape);
        // Printed only if the test fails.
        println!("seed {seed}\n{text}");
        let scop = Scop::parse(&Ctx::new(), &text).unwrap();
        let dependences = dataflow::dependences(&scop, &bounded()).unwrap();
        let params = [[rng.i64(0..=4), rng.i64(0..=4)], [3, 2]];
        let grounds: Vec<_> =
            params.iter().map(|params| Ground::new(&scop, params, &Default::default()).unwrap()).collect();
        check(&scop, &dependences, &grounds);
    }
}

#[track_caller]
fn assert_same(what: &str, ground: &Ground, found: &Pairs, truth: &Pairs) {
    let show = |pairs: Vec<&(usize, usize)>| {
        let pair = |(a, b): &&(usize, usize)| format!("{} -> {}", ground.instances[*a], ground.instances[*b]);
        pairs.iter().map(pair).collect::<Vec<_>>().join("; ")
    };
    let extra = show(found.difference(truth).collect());
    let missing = show(truth.difference(found).collect());
    assert!(found == truth, "{what}: too many: {extra}; missing: {missing}");
}

/// Flow, live-in and live-out are what the walk through the instances finds, nothing more and nothing less,
/// unless the budget was spent: then nothing less.
fn equals_truth(scop: &Scop, dependences: &Dependences, ground: &Ground) {
    let truth = Truth::new(scop, ground, true);
    let pairs = |relation: &UnionMap| ground.pairs(scop, relation).unwrap();
    let reduction = pairs(&dependences.reduction);
    assert!(truth.reduction.is_subset(&reduction), "a reduction is missing");
    let live_in = ground.cells_of(scop, &dependences.live_in).unwrap();
    let live_out = ground.cells_of(scop, &dependences.live_out).unwrap();
    // The last writes have a budget of their own.
    match &dependences.exactness {
        Exactness::Over(why) if why.contains(&Inexact::Budget("last writes")) => {
            assert!(truth.live_out.is_subset(&live_out), "live-out");
        }
        _ if dependences.flow_basis == Basis::Value => assert_eq!(live_out, truth.live_out, "live-out"),
        _ => {}
    }
    match dependences.flow_basis {
        Basis::Value => {
            assert_same("flow", ground, &pairs(&dependences.flow), &truth.flow);
            assert_eq!(live_in, truth.live_in, "live-in");
        }
        Basis::Memory => {
            assert!(truth.flow.is_subset(&pairs(&dependences.flow)), "flow is missing");
            assert!(truth.live_in.is_subset(&live_in), "live-in");
            assert!(truth.live_out.is_subset(&live_out), "live-out");
        }
    }
}

/// Each dependence is a conflict of its kind, and all conflicts follow from the dependences.
fn spans_conflicts(scop: &Scop, dependences: &Dependences, ground: &Ground) {
    let truth = Truth::new(scop, ground, true);
    let pairs = |relation: &UnionMap| ground.pairs(scop, relation).unwrap();
    let conflict = |pair: &(usize, usize)| truth.conflicts.get(pair).copied().unwrap_or_default();
    assert!(pairs(&dependences.flow).iter().all(|pair| conflict(pair).flow));
    assert!(pairs(&dependences.anti).iter().all(|pair| conflict(pair).anti));
    assert!(pairs(&dependences.output).iter().all(|pair| conflict(pair).output));
    assert!(pairs(&dependences.reduction).iter().all(|pair| conflict(pair).reduction));
    let relaxed = closure(ground, &pairs(&dependences.relaxed().unwrap()));
    let strict = closure(ground, &pairs(&dependences.strict().unwrap()));
    for (&(a, b), conflict) in &truth.conflicts {
        let (first, second) = (&ground.instances[a], &ground.instances[b]);
        assert!(strict[a][b], "{first} -> {second} does not follow from all dependences");
        if conflict.is_binding() {
            assert!(relaxed[a][b], "{first} -> {second} does not follow without reductions");
        }
    }
}

/// Who comes after whom. All pairs ascend, so one pass from the end does it.
fn closure(ground: &Ground, pairs: &Pairs) -> Vec<Vec<bool>> {
    let count = ground.instances.len();
    let mut after = vec![vec![false; count]; count];
    for &(a, b) in pairs.iter().rev() {
        assert!(a < b, "{} does not run before {}", ground.instances[a], ground.instances[b]);
        let behind = after[b].clone();
        after[a].iter_mut().zip(behind).for_each(|(to, via)| *to |= via);
        after[a][b] = true;
    }
    after
}

#[test]
fn value_based_dependences_are_the_truth() {
    let (mut flows, mut exact, mut by_value) = (0, 0, 0);
    on_random(1, &Shape { unbounded: false, ..Shape::default() }, |scop, dependences, grounds| {
        for ground in grounds {
            equals_truth(scop, dependences, ground);
            spans_conflicts(scop, dependences, ground);
        }
        flows += usize::from(!dependences.flow.is_empty().unwrap());
        exact += usize::from(dependences.exactness.is_exact());
        by_value += usize::from(dependences.flow_basis == Basis::Value);
    });
    let third = scops() as usize / 3;
    assert!(by_value > third * 3 / 4, "{by_value} value-based of {third}");
    assert!(
        flows > third / 3 && exact > third / 6 && exact < third,
        "{flows} with flow, {exact} exact of {third}"
    );
}

#[test]
fn dependences_of_unbounded_accesses_contain_the_truth() {
    let mut clamped = 0;
    on_random(1_000_000, &Shape::default(), |scop, dependences, grounds| {
        for ground in grounds {
            clamped += usize::from(ground.clamped);
            let truth = Truth::new(scop, ground, true);
            let found = ground.pairs(scop, &dependences.flow).unwrap();
            assert!(truth.flow.is_subset(&found), "flow is missing");
            match ground.clamped {
                true => {
                    let strict =
                        closure(ground, &ground.pairs(scop, &dependences.strict().unwrap()).unwrap());
                    assert!(truth.conflicts.keys().all(|&(a, b)| strict[a][b]));
                }
                false => spans_conflicts(scop, dependences, ground),
            }
        }
    });
    assert!(clamped > 0);
}

#[test]
fn memory_based_dependences_are_all_conflicts() {
    on_random(2_000_000, &Shape { unbounded: false, ..Shape::default() }, |scop, value, grounds| {
        let memory = dataflow::memory_based(scop).unwrap();
        let plain = dataflow::dependences(scop, &Options { reductions: false, ..bounded() }).unwrap();
        assert!(value.relaxed().unwrap().is_subset(&memory.relaxed().unwrap()).unwrap());
        assert!(value.reduction.is_subset(&memory.reduction).unwrap());
        for ground in grounds {
            let truth = Truth::new(scop, ground, true);
            let pairs = |relation: &UnionMap| ground.pairs(scop, relation).unwrap();
            let of = |wanted: fn(&interp::Conflict) -> bool| -> Pairs {
                truth
                    .conflicts
                    .iter()
                    .filter(|(_, conflict)| wanted(conflict))
                    .map(|(pair, _)| *pair)
                    .collect()
            };
            assert_same("flow", ground, &pairs(&memory.flow), &of(|c| c.flow));
            assert_same("anti", ground, &pairs(&memory.anti), &of(|c| c.anti));
            assert_same("output", ground, &pairs(&memory.output), &of(|c| c.output));
            assert_same("reduction", ground, &pairs(&memory.reduction), &of(|c| c.reduction));
            // And without reductions, the flow of values in the program's own order.
            let truth = Truth::new(scop, ground, false);
            if plain.flow_basis == Basis::Value {
                assert_same("plain flow", ground, &pairs(&plain.flow), &truth.flow);
            }
            assert!(plain.reduction.is_empty().unwrap());
        }
    });
}

#[test]
fn a_spent_budget_is_more_dependences_or_an_error_but_never_fewer() {
    let shape = Shape::default();
    let (mut fell_back, mut failed) = (0, 0);
    for seed in 3_000_000..3_000_000 + scops() / 15 {
        let ctx = Ctx::new();
        let scop = interp::random::scop(&ctx, seed, &shape).unwrap();
        let exact = dataflow::dependences(&scop, &bounded()).unwrap();
        if exact.flow_basis == Basis::Memory {
            continue;
        }
        for operations in [0, 300, 3_000, 30_000] {
            let options = Options { operations: Some(operations), ..Options::default() };
            let found = dataflow::dependences(&scop, &options).unwrap();
            assert!(exact.flow.is_subset(&found.flow).unwrap());
            assert!(exact.anti.is_subset(&found.anti).unwrap());
            assert!(exact.output.is_subset(&found.output).unwrap());
            assert!(exact.reduction.is_subset(&found.reduction).unwrap());
            assert!(exact.live_in.is_subset(&found.live_in).unwrap());
            assert!(exact.live_out.is_subset(&found.live_out).unwrap());
            if found.flow_basis == Basis::Memory {
                fell_back += 1;
                assert!(!found.exactness.is_exact());
            }
            match ctx.with_budget(operations, || dataflow::dependences(&scop, &Options::default())) {
                Err(Error::Budget { .. }) => failed += 1,
                Err(other) => panic!("{other}"),
                Ok(found) => assert!(exact.flow.is_subset(&found.flow).unwrap()),
            }
        }
    }
    assert!(fell_back > 0 && failed > 0, "{fell_back} fell back, {failed} failed");
}

#[test]
fn a_spent_budget_says_so() {
    let ctx = Ctx::new();
    let text = "param n [1, *]\narray A [n] 8\nstmt S { S[i] : 1 <= i < n }\n  read { S[i] -> A[i - 1] }\n  \
                write { S[i] -> A[i] }\norder { for { S } }";
    let scop = Scop::parse(&ctx, text).unwrap();
    let error = ctx.with_budget(10, || dataflow::dependences(&scop, &Options::default())).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the dependences of scop are not known: the budget of isl operations is spent; raise the budget or split \
         the loop nest"
    );
    let found =
        dataflow::dependences(&scop, &Options { operations: Some(10), ..Options::default() }).unwrap();
    assert!(found.to_string().contains("the budget was spent on the value-based flow"), "{found}");
}
