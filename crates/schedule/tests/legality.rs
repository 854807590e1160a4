//! Legality against the interpreter on random scops and schedules, and by hand.
//!
//! 300 scops in a normal run; `ORTHANT_SCOPS=10000 cargo test -p schedule --release --test legality` for more.

use dataflow::{Dependences, Options, dependences};
use fastrand::Rng;
use interp::random::{self, Shape};
use interp::{Ground, Sequence, Truth};
use isl::{Ctx, MultiUnionPwAff, Schedule, ScheduleNode, ScheduleNodeType, UnionMap};
use model::Scop;
use schedule::legality::*;

fn scops() -> u64 {
    std::env::var("ORTHANT_SCOPS").ok().and_then(|count| count.parse().ok()).unwrap_or(300)
}

fn parse(text: &str) -> (Scop, Dependences) {
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    // Enough for all but the nastiest few percent; those get memory-based dependences.
    let found = dependences(&scop, &Options { operations: Some(200_000), ..Options::default() }).unwrap();
    (scop, found)
}

/// The instances, and the time of each under the schedule.
fn times(scop: &Scop, schedule: &UnionMap, params: &[i64]) -> Option<(Ground, Vec<Vec<i64>>)> {
    let ground = Ground::new(scop, params, &Default::default()).unwrap();
    match interp::scheduled(scop, &ground, schedule).unwrap() {
        Sequence::Complete(_, times) => Some((ground, times)),
        Sequence::NotOnce(..) => None,
    }
}

/// A legal schedule keeps all binding conflicts in order and changes no value.
fn assert_harmless(scop: &Scop, schedule: &UnionMap, reductions: Reductions, rng: &mut Rng) {
    for params in [[3, 2], [rng.i64(0..=4), rng.i64(0..=4)]] {
        let (ground, times) = times(scop, schedule, &params).expect("an instance is not run once");
        let truth = Truth::new(scop, &ground, true);
        for (&(a, b), conflict) in &truth.conflicts {
            let binding = conflict.is_binding() || reductions == Reductions::Kept;
            assert!(
                !binding || times[a] < times[b],
                "called legal, but {} and {} are not kept in order at {params:?}",
                ground.instances[a],
                ground.instances[b]
            );
        }
        let agreement = interp::agree_map(scop, schedule, &params, &Default::default()).unwrap();
        assert!(agreement.is_same(), "called legal, but at {params:?} {agreement}");
    }
}

/// A counter-example is two instances that conflict and that the schedule does not keep in order.
fn assert_wrong(scop: &Scop, schedule: &UnionMap, violation: &Violation) {
    let Rule::Broken(example) = &violation.rule else { panic!("{violation}") };
    let value = |name: &str| violation.params.iter().find(|(param, _)| param == name).unwrap().1;
    let params: Vec<_> = scop.params.iter().map(|param| value(&param.name)).collect();
    let (ground, times) = times(scop, schedule, &params).unwrap();
    let number = |instance: &Instance| ground.number(instance.stmt, &instance.counters).unwrap();
    let (source, sink) = (number(&example.source), number(&example.sink));
    assert!(source < sink, "{violation}: the program has it the other way round");
    assert!(times[source] >= times[sink], "{violation}: it is kept in order");
    let Fate::NotAfter { source: first, sink: second } = &example.fate else { panic!("{violation}") };
    assert_eq!((first, second), (&times[source], &times[sink]), "{violation}: wrong times");

    let conflict = example.conflict.as_ref().expect("no cell is named");
    let touches = |number: usize, id, writes| {
        let instance: &interp::Instance = &ground.instances[number];
        let accesses = &scop.stmt(instance.stmt).accesses;
        let at = accesses.iter().position(|access| access.id == id).unwrap();
        assert_eq!(accesses[at].kind != model::AccessKind::Read, writes);
        let cells = instance.touched[at].iter().map(|&cell| &ground.cells[cell]);
        cells.clone().any(|cell| cell.name == conflict.array && cell.subscripts == conflict.subscripts)
    };
    // An unbounded access is cut down in the ground scop and may miss the cell.
    let found = touches(source, conflict.source, conflict.source_writes)
        && touches(sink, conflict.sink, conflict.sink_writes);
    assert!(found || ground.clamped, "{violation}: they do not touch the cell");
    assert!(conflict.source_writes || conflict.sink_writes, "{violation}: two reads");
}

/// A flat schedule as a tree with one band.
fn band(scop: &Scop, schedule: &UnionMap) -> Schedule {
    let partial = MultiUnionPwAff::from_union_map(schedule.clone()).unwrap();
    Schedule::from_domain(scop.domain().unwrap()).unwrap().insert_partial_schedule(partial).unwrap()
}

#[test]
fn legal_schedules_change_nothing_and_counter_examples_are_real() {
    let (mut legal, mut illegal) = (0, 0);
    for seed in 1..1 + scops() {
        let mut rng = Rng::with_seed(seed);
        let text = random::scop_text(&mut rng, &Shape::default());
        let (scop, found) = parse(&text);
        for _ in 0..2 {
            let schedule = random::schedule(&mut rng, &scop).unwrap();
            // Printed only if the test fails.
            println!("seed {seed}\n{text}{schedule}");
            let reductions = if rng.bool() { Reductions::Relaxed } else { Reductions::Kept };
            let verdict = check_map(&scop, &found, &schedule, reductions).unwrap();
            println!("{verdict}");
            match &verdict {
                Verdict::Legal => assert_harmless(&scop, &schedule, reductions, &mut rng),
                Verdict::Illegal(violation) => assert_wrong(&scop, &schedule, violation),
            }
            legal += usize::from(verdict.is_legal());
            illegal += usize::from(!verdict.is_legal());
        }
        if scop.domain().unwrap().is_empty().unwrap() {
            continue;
        }
        let schedule = random::schedule(&mut rng, &scop).unwrap();
        let flat = check_map(&scop, &found, &schedule, Reductions::Relaxed).unwrap();
        let tree = check(&scop, &found, &band(&scop, &schedule)).unwrap();
        assert_eq!(flat.is_legal(), tree.is_legal(), "{schedule}\n{flat}\n{tree}");
    }
    let all = legal + illegal;
    assert!(legal > all / 5 && illegal > all / 5, "{legal} legal, {illegal} illegal");
}

#[test]
fn trees_with_sequences_are_judged_right() {
    let (mut legal, mut illegal) = (0, 0);
    for seed in 1_000_000..1_000_000 + scops() / 3 {
        let mut rng = Rng::with_seed(seed);
        let text = random::scop_text(&mut rng, &Shape::default());
        let (scop, found) = parse(&text);
        let own = scop.schedule().unwrap();
        assert_eq!(check_with(&scop, &found, &own, Reductions::Kept).unwrap(), Verdict::Legal, "{text}");
        let other = Scop { order: random::order(&mut rng, &scop.order), ..scop.clone() };
        println!("seed {seed}\n{text}{:?}", other.order);
        let schedule = other.schedule().unwrap();
        let flat = schedule.get_map().unwrap();
        match check(&scop, &found, &schedule).unwrap() {
            Verdict::Legal => {
                legal += 1;
                assert_harmless(&scop, &flat, Reductions::Relaxed, &mut rng);
            }
            Verdict::Illegal(violation) => {
                illegal += 1;
                assert_wrong(&scop, &flat, &violation);
            }
        }
    }
    assert!(legal > 10 && illegal > 10, "{legal} legal, {illegal} illegal");
}

/// The band of a schedule in tiles of so many values of each member, in each of which even instances of a statement come first.
fn in_tiles(scop: &Scop, schedule: &UnionMap, size: i32, even_first: bool) -> Schedule {
    let tree = band(scop, schedule);
    let node = tree.get_root().unwrap().get_child(0).unwrap();
    let size = isl::Val::int_from_si(&scop.ctx, size.into()).unwrap();
    let mut tiles = node.band_get_partial_schedule().unwrap();
    for at in 0..node.band_n_member().unwrap() {
        let row = tiles.get_at(at).unwrap().scale_down_val(size.clone()).unwrap().floor().unwrap();
        tiles = tiles.set_at(at, row.scale_val(size.clone()).unwrap()).unwrap();
    }
    let mut node = node.insert_partial_schedule(tiles).unwrap();
    if even_first {
        let (mut even, mut odd) = (Vec::new(), Vec::new());
        for stmt in &scop.stmts {
            let dims: Vec<_> =
                (0..stmt.domain.dim(isl::DimType::Set).unwrap()).map(|at| format!("c{at}")).collect();
            let text = |rest| match dims.first() {
                Some(first) => format!("{}[{}] : {first} mod 2 = {rest}", stmt.name, dims.join(", ")),
                None => format!("{}[] : 0 = {rest}", stmt.name),
            };
            even.push(text(0));
            odd.push(text(1));
        }
        let filter = |parts: &[String]| scop.ctx.parse(&format!("{{ {} }}", parts.join("; "))).unwrap();
        let filters = isl::UnionSetList::from_union_set(filter(&even)).unwrap().add(filter(&odd)).unwrap();
        node = node.child(0).unwrap().insert_sequence(filters).unwrap();
    }
    node.get_schedule().unwrap()
}

#[test]
fn trees_with_tiles_are_judged_as_their_times() {
    let (mut legal, mut illegal) = (0, 0);
    for seed in 4_000_000..4_000_000 + scops() / 3 {
        let mut rng = Rng::with_seed(seed);
        let text = random::scop_text(&mut rng, &Shape::default());
        let (scop, found) = parse(&text);
        if scop.domain().unwrap().is_empty().unwrap() {
            continue;
        }
        let schedule = random::schedule(&mut rng, &scop).unwrap();
        let tree = in_tiles(&scop, &schedule, rng.i32(2..4), rng.bool());
        println!("seed {seed}\n{text}{tree}");
        let verdict = check(&scop, &found, &tree).unwrap();
        let flat = check_map(&scop, &found, &tree.get_map().unwrap(), Reductions::Relaxed).unwrap();
        assert_eq!(verdict.is_legal(), flat.is_legal(), "{verdict}\n{flat}");
        legal += usize::from(verdict.is_legal());
        illegal += usize::from(!verdict.is_legal());
    }
    assert!(legal > 5 && illegal > 5, "{legal} legal, {illegal} illegal");
}

#[test]
fn a_memory_based_check_is_at_least_as_strict() {
    for seed in 2_000_000..2_000_000 + scops() / 6 {
        let mut rng = Rng::with_seed(seed);
        let (scop, found) = parse(&random::scop_text(&mut rng, &Shape::default()));
        let all = dataflow::memory_based(&scop).unwrap();
        for _ in 0..3 {
            let schedule = random::schedule(&mut rng, &scop).unwrap();
            let check = |found| check_map(&scop, found, &schedule, Reductions::Relaxed).unwrap().is_legal();
            // The same, because what the value-based dependences leave out follows from the rest.
            assert_eq!(check(&found), check(&all), "{scop}{schedule}");
        }
    }
}

// ---- by hand ----

const PREFIX_SUM: &str = "scop prefix_sum
param n [1, *]
array A [n] 8
stmt S { S[i] : 1 <= i < n }
  read { S[i] -> A[i - 1] }
  read { S[i] -> A[i] }
  write { S[i] -> A[i] }
order { for { S } }";

const GEMM: &str = "scop gemm
param n [1, *]
array A [n, n] 8
array B [n, n] 8
array C [n, n] 8
stmt Init { Init[i, j] : 0 <= i, j < n }
  write { Init[i, j] -> C[i, j] }
stmt Sum { Sum[i, j, k] : 0 <= i, j, k < n }
  read { Sum[i, j, k] -> A[i, k] }
  read { Sum[i, j, k] -> B[k, j] }
  reduce add { Sum[i, j, k] -> C[i, j] }
order { for { for { Init for { Sum } } } }";

fn judge(text: &str, schedule: &str, reductions: Reductions) -> String {
    let (scop, found) = parse(text);
    let schedule = scop.ctx.parse(schedule).unwrap();
    check_map(&scop, &found, &schedule, reductions).unwrap().to_string()
}

#[test]
fn counter_examples_are_told_in_the_words_of_the_source() {
    let relaxed = |text, schedule| judge(text, schedule, Reductions::Relaxed);
    assert_eq!(relaxed(PREFIX_SUM, "{ S[i] -> [2i] }"), "legal");
    assert_eq!(
        relaxed(PREFIX_SUM, "{ S[i] -> [-i] }"),
        "illegal: with n = 3: S[1] writes A[1], then S[2] reads it (flow); the schedule runs S[2] at [-2] before \
         S[1] at [-1]"
    );
    assert_eq!(
        relaxed(PREFIX_SUM, "{ S[i] -> [0] }"),
        "illegal: with n = 3: S[1] writes A[1], then S[2] reads it (flow); the schedule runs both at [0]"
    );
    assert_eq!(
        relaxed(PREFIX_SUM, "{ S[i] -> [i] : i != 1 }"),
        "illegal: with n = 2: the schedule never runs S[1]"
    );
    assert_eq!(
        relaxed(PREFIX_SUM, "{ S[i] -> [i]; S[i] -> [i + 1] : i = 2 }"),
        "illegal: with n = 3: the schedule runs S[2] more than once"
    );
}

#[test]
fn reductions_may_be_reordered_unless_they_may_not() {
    let interchanged = "{ Init[i, j] -> [0, 0, i, j]; Sum[i, j, k] -> [1, -k, i, j] }";
    assert_eq!(judge(GEMM, interchanged, Reductions::Relaxed), "legal");
    assert_eq!(
        judge(GEMM, interchanged, Reductions::Kept),
        "illegal: with n = 2: Sum[0, 0, 0] and then Sum[0, 0, 1] update C[0, 0] (reduction); the schedule runs \
         Sum[0, 0, 1] at [1, -1, 0, 0] before Sum[0, 0, 0] at [1, 0, 0, 0]"
    );
    let late = "{ Init[i, j] -> [1, 0, i, j]; Sum[i, j, k] -> [k, 0, i, j] }";
    assert!(
        judge(GEMM, late, Reductions::Relaxed)
            .contains("Init[0, 0] writes C[0, 0], then Sum[0, 0, 0] reads it")
    );
}

#[test]
fn what_is_not_in_the_scop_must_not_be_run() {
    let (scop, found) = parse(PREFIX_SUM);
    for (domain, what) in [("S[i] : 0 <= i < n", "S[0]"), ("S[i] : 1 <= i < n; T[]", "T[]")] {
        let domain = scop.ctx.parse(&format!("[n] -> {{ {domain} }}")).unwrap();
        let counters = scop.ctx.parse("[n] -> { S[i] -> [i]; T[] -> [0] }").unwrap();
        let partial = MultiUnionPwAff::from_union_map(counters).unwrap();
        let schedule = Schedule::from_domain(domain).unwrap().insert_partial_schedule(partial).unwrap();
        let verdict = check(&scop, &found, &schedule).unwrap().to_string();
        assert!(verdict.contains(&format!("runs {what}, which the program does not")), "{verdict}");
    }
}

#[test]
fn the_children_of_a_set_are_not_ordered() {
    let text = "array A [*] 8
stmt S { S[] }
  write { S[] -> A[0] }
stmt T { T[] }
  WHAT { T[] -> A[0] }
order { S T }";
    let tree =
        r#"{ domain: "{ S[]; T[] }", child: { KIND: [ { filter: "{ S[] }" }, { filter: "{ T[] }" } ] } }"#;
    for (kind, what, expected) in [
        ("sequence", "read", "legal"),
        (
            "set",
            "write",
            "illegal: S[] writes A[0], then T[] writes it (output); the schedule leaves their order open",
        ),
    ] {
        let (scop, found) = parse(&text.replace("WHAT", what));
        let schedule: Schedule = scop.ctx.parse(&tree.replace("KIND", kind)).unwrap();
        assert_eq!(check(&scop, &found, &schedule).unwrap().to_string(), expected);
    }
    let (scop, found) = parse(&text.replace("WHAT { T[] -> A[0]", "write { T[] -> A[1]"));
    let schedule: Schedule = scop.ctx.parse(&tree.replace("KIND", "set")).unwrap();
    assert_eq!(check(&scop, &found, &schedule).unwrap(), Verdict::Legal);
}

/// The bands of a schedule, outermost first.
fn bands(schedule: &Schedule) -> Vec<ScheduleNode> {
    let mut bands = Vec::new();
    schedule
        .foreach_schedule_node_top_down(|node| {
            if node.get_type()? == ScheduleNodeType::Band {
                bands.push(node.clone());
            }
            Ok(true)
        })
        .unwrap();
    bands
}

#[test]
fn parallel_members_are_told_from_others() {
    let (scop, found) = parse(GEMM);
    let bands_of_gemm = bands(&scop.schedule().unwrap());
    let verdicts: Vec<_> = bands_of_gemm
        .iter()
        .map(|band| parallel_is_legal(&scop, &found, band, 0).unwrap().to_string())
        .collect();
    assert_eq!(
        verdicts,
        [
            "legal",
            "legal",
            "illegal: with n = 2: Sum[0, 0, 0] and then Sum[0, 0, 1] update C[0, 0] (reduction); the schedule runs \
             Sum[0, 0, 0] in iteration 0 and Sum[0, 0, 1] in iteration 1 of a parallel loop"
        ]
    );
    assert!(parallel_is_legal(&scop, &found, &bands_of_gemm[0], 1).is_err());
    assert!(parallel_is_legal(&scop, &found, &scop.schedule().unwrap().get_root().unwrap(), 0).is_err());

    let (scop, found) = parse(PREFIX_SUM);
    let band = &bands(&scop.schedule().unwrap())[0];
    assert!(!parallel_is_legal(&scop, &found, band, 0).unwrap().is_legal());
}

#[test]
fn parallel_members_by_brute_force() {
    let (mut parallel, mut serial) = (0, 0);
    for seed in 3_000_000..3_000_000 + scops() / 3 {
        let mut rng = Rng::with_seed(seed);
        let text = random::scop_text(&mut rng, &Shape { unbounded: false, ..Shape::default() });
        let (scop, found) = parse(&text);
        if scop.domain().unwrap().is_empty().unwrap() {
            continue;
        }
        let flat = random::schedule(&mut rng, &scop).unwrap();
        if !check_map(&scop, &found, &flat, Reductions::Relaxed).unwrap().is_legal() {
            continue;
        }
        let tree = band(&scop, &flat);
        let node = &bands(&tree)[0];
        let member = rng.usize(..node.band_n_member().unwrap());
        println!("seed {seed}\n{text}{flat}\nmember {member}");
        match parallel_is_legal(&scop, &found, node, member).unwrap() {
            Verdict::Illegal(violation) => {
                serial += 1;
                let Rule::Broken(example) = &violation.rule else { panic!("{violation}") };
                let params: Vec<_> = violation.params.iter().map(|(_, value)| *value).collect();
                let (ground, times) = times(&scop, &flat, &params).unwrap();
                let number = |instance: &Instance| ground.number(instance.stmt, &instance.counters).unwrap();
                let (a, b) = (number(&example.source), number(&example.sink));
                assert!(Truth::new(&scop, &ground, true).conflicts.contains_key(&(a, b)), "{violation}");
                assert_eq!(times[a][..member], times[b][..member], "{violation}");
                let apart = Fate::SideBySide { source: times[a][member], sink: times[b][member] };
                assert_eq!(example.fate, apart, "{violation}");
                assert_ne!(times[a][member], times[b][member], "{violation}");
            }
            Verdict::Legal => {
                parallel += 1;
                for params in [[3, 2], [4, 4]] {
                    let (ground, times) = times(&scop, &flat, &params).unwrap();
                    for &(a, b) in Truth::new(&scop, &ground, true).conflicts.keys() {
                        let outside = times[a][..member] == times[b][..member];
                        assert!(
                            !outside || times[a][member] == times[b][member],
                            "not parallel at {params:?}"
                        );
                    }
                }
            }
        }
    }
    assert!(parallel > 5 && serial > 5, "{parallel} parallel, {serial} serial");
}

#[test]
fn a_spent_budget_is_no_verdict() {
    let (scop, found) = parse(GEMM);
    let schedule = scop.schedule().unwrap();
    for operations in [0, 50, 100] {
        let error = scop.ctx.with_budget(operations, || check(&scop, &found, &schedule)).unwrap_err();
        assert!(error.is_budget(), "{error}");
    }
}

// ---- tiles ----

/// Both bands of time and space, tiled by 4, after the given change of coordinates.
fn tiled(scop: &Scop, coordinates: &str) -> Schedule {
    let schedule = band(scop, &scop.ctx.parse(coordinates).unwrap());
    let node = schedule.get_root().unwrap().get_child(0).unwrap();
    let sizes = node.band_get_space().unwrap();
    let sizes =
        isl::MultiVal::zero(sizes).unwrap().add_val(isl::Val::int_from_si(&scop.ctx, 4).unwrap()).unwrap();
    node.band_tile(sizes).unwrap().get_schedule().unwrap()
}

#[test]
fn a_stencil_must_be_skewed_before_it_is_tiled() {
    let (scop, found) = parse(
        "param n [3, *]
param t [1, *]
array A [n] 8
stmt S { S[s, i] : 0 <= s < t and 1 <= i < n - 1 }
  read { S[s, i] -> A[i - 1] }
  read { S[s, i] -> A[i] }
  read { S[s, i] -> A[i + 1] }
  write { S[s, i] -> A[i] }
order { for { for { S } } }",
    );
    let skewed = tiled(&scop, "{ S[s, i] -> [s, s + i] }");
    assert_eq!(check(&scop, &found, &skewed).unwrap(), Verdict::Legal);
    let straight = tiled(&scop, "{ S[s, i] -> [s, i] }");
    let verdict = check(&scop, &found, &straight).unwrap();
    assert!(!verdict.is_legal());
    assert_wrong(&scop, &straight.get_map().unwrap(), verdict.violation().unwrap());
    // No loop of the skewed tiles is parallel: it takes a wavefront, a skew of the tiles themselves.
    for band in bands(&skewed) {
        assert!((0..2).all(|member| !parallel_is_legal(&scop, &found, &band, member).unwrap().is_legal()));
    }
}

#[test]
fn tiles_of_a_matrix_product_are_legal_and_two_of_their_loops_parallel() {
    let (scop, found) = parse(
        &GEMM
            .replace("stmt Init { Init[i, j] : 0 <= i, j < n }\n  write { Init[i, j] -> C[i, j] }\n", "")
            .replace("Init ", ""),
    );
    let schedule = tiled(&scop, "{ Sum[i, j, k] -> [k, j, i] }");
    assert_eq!(check_with(&scop, &found, &schedule, Reductions::Kept).unwrap(), Verdict::Legal);
    for band in bands(&schedule) {
        let parallel =
            [0, 1, 2].map(|member| parallel_is_legal(&scop, &found, &band, member).unwrap().is_legal());
        assert_eq!(parallel, [false, true, true]);
    }
    for params in [[1], [6]] {
        assert!(interp::agree(&scop, &schedule, &params).unwrap().is_same());
    }
}

/// Whether blocks of 4 x 4 sums `B[i, j]` of at most 4 terms can stay in registers, if these are the terms and each reads this.
fn may_stay_in_registers(terms: &str, read: &str) -> bool {
    let (scop, found) = parse(&format!(
        "param n [1, *]
array B [n, n] 8
stmt S {{ S[i, j, k] : 0 <= i, j, k < n and {terms} }}
  read {{ S[i, j, k] -> B[{read}] }}
  read {{ S[i, j, k] -> B[i, j] }}
  write {{ S[i, j, k] -> B[i, j] }}
order {{ for {{ for {{ for {{ S }} }} }} }}"
    ));
    let [_, points] = &bands(&tiled(&scop, "{ S[i, j, k] -> [k, i, j] }"))[..] else { panic!() };
    registers_are_legal(&scop, &found, points).unwrap()
}

#[test]
fn sums_stay_in_registers_for_terms_that_read_others() {
    for (terms, read) in [("k < i", "k, j"), ("k > i", "k, j"), ("k < j", "i, k"), ("k < i - 1", "k + 1, j")]
    {
        assert!(may_stay_in_registers(terms, read), "{terms}: {read}");
    }
    // Both factors of a product of triangles, each with the terms of both.
    for read in ["i, k", "k, j"] {
        assert!(may_stay_in_registers("k < i and k < j", read), "{read}");
    }
}

#[test]
fn sums_that_are_read_meanwhile_do_not_stay_in_registers() {
    let wrong = [
        // The cell itself, and another one of the block that still grows.
        ("k <= i", "k, j"),
        ("k < i", "k + 1, j"),
        ("true", "k, j"),
        ("k < i", "i - 1, j"),
        ("k < j", "k, j"),
    ];
    for (terms, read) in wrong {
        assert!(!may_stay_in_registers(terms, read), "{terms}: {read}");
    }
}
