//! Small nests written by hand: what must be suggested, what must not, and why not.

use crate::{Advice, Kind, Suggestion, advise};
use model::SourceLoc;
use std::collections::BTreeSet;
use trace::profile::{
    Access, AccessKind, Carrier, Class, Dependence, DependenceKind, Folded, FromNest, Label, Loop, Nest,
    Piece, Profile, Statement, Warning,
};

/// Iterations of each loop.
const TRIPS: i64 = 10;

/// A nest of perfectly nested loops, at lines 1, 2, ...; statements are at 10 and following.
struct Builder(Nest);

fn line(line: u32) -> Option<SourceLoc> {
    Some(SourceLoc { file: "dir/f.c".into(), line, column: 3 })
}

impl Builder {
    fn new(depth: u32) -> Builder {
        let mut nest = Nest { share: 1.0, instructions: 1000, ..Nest::default() };
        for d in 0..depth {
            let entries = (TRIPS as u64).pow(d);
            nest.loops.push(Loop {
                id: d,
                parent: d.checked_sub(1),
                dimension: d,
                loc: line(1 + d),
                entries,
                iterations: entries * TRIPS as u64,
                instructions: 1000,
                ..Loop::default()
            });
        }
        Builder(nest)
    }

    /// A statement inside the `depth` outermost loops, with the strides of its accesses of 4 bytes; returns its number.
    fn statement(&mut self, depth: u32, class: Class, accesses: &[(AccessKind, &[Option<i64>])]) -> u32 {
        let id = self.0.statements.len() as u32;
        let access = |(kind, stride): &(AccessKind, &[Option<i64>])| Access {
            kind: *kind,
            size: 4,
            stride: stride.to_vec(),
            address: Folded { exact: true, ..Folded::default() },
            several: false,
        };
        self.0.statements.push(Statement {
            id,
            loc: line(10 + id),
            class,
            loops: (0..depth).collect(),
            instances: (TRIPS as u64).pow(depth),
            accesses: accesses.iter().map(access).collect(),
            ..Statement::default()
        });
        id
    }

    /// A flow with these distances in the common loops; `None` is the paper's top.
    fn flow(&mut self, source: u32, target: u32, distance: &[Option<i64>]) -> &mut Dependence {
        let [from, to] = [source, target].map(|s| self.0.statements[s as usize].loops.len());
        let label = |d: usize| match distance.get(d) {
            Some(None) => Label { constant: None, coefficients: vec![None; to], exact: false },
            distance => Label {
                constant: Some(-distance.copied().flatten().unwrap_or(0)),
                coefficients: (0..to).map(|k| Some(i64::from(k == d && d < to))).collect(),
                exact: true,
            },
        };
        let labels: Vec<Label> = (0..from).map(label).collect();
        let exact = labels.iter().all(|l| l.exact);
        let (low, high) = (vec![0; to], vec![TRIPS - 1; to]);
        let piece = Piece { exact, exact_domain: true, points: 1, low, high, labels, ..Piece::default() };
        let relation = Folded { exact, points: 1, pieces: vec![piece], ..Folded::default() };
        self.0.dependences.push(Dependence {
            source,
            target,
            relation,
            distance: distance.to_vec(),
            ..Dependence::default()
        });
        self.0.dependences.last_mut().unwrap()
    }

    /// The nest, with a counter for each loop that has no statement of its own yet.
    fn finished(&self) -> Nest {
        let mut nest = self.0.clone();
        for l in &self.0.loops {
            let loops: Vec<u32> = std::iter::successors(Some(l), |l| nest.loops.get(l.parent? as usize))
                .map(|l| l.id)
                .take(self.0.loops.len())
                .collect();
            let loops = loops.into_iter().rev().collect();
            let id = nest.statements.len() as u32;
            if nest.statements.iter().all(|s| s.loops.last() != Some(&l.id)) {
                nest.statements.push(Statement { id, loops, induction: true, ..Statement::default() });
            }
        }
        nest
    }

    fn advise(&self) -> Advice {
        advise(&Profile { nests: vec![self.finished()], ..Profile::default() })
    }
}

const READ: AccessKind = AccessKind::Read;
const WRITE: AccessKind = AccessKind::Write;

/// The first suggestion of a kind that is possible.
#[track_caller]
fn possible(advice: &Advice, id: Kind) -> &Suggestion {
    let found = advice.suggestions.iter().find(|s| s.id == id && s.possible);
    found.unwrap_or_else(|| panic!("{id:?} is not possible: {}", advice.text()))
}

/// The first suggestion of a kind that is forbidden.
#[track_caller]
fn forbidden(advice: &Advice, id: Kind) -> &Suggestion {
    let found = advice.suggestions.iter().find(|s| s.id == id && !s.possible);
    found.unwrap_or_else(|| panic!("{id:?} is not forbidden: {}", advice.text()))
}

/// The paper's Figure 1, with `sum` in a register.
fn backprop() -> Builder {
    let mut b = Builder::new(2);
    let zero = b.statement(1, Class::Float, &[]);
    let load = b.statement(2, Class::Move, &[(READ, &[Some(4), None])]);
    let multiply = b.statement(2, Class::Float, &[(READ, &[Some(0), Some(4)])]);
    let sum = b.statement(2, Class::Float, &[]);
    b.0.statements[sum as usize].accumulates = true;
    let store = b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    b.flow(zero, sum, &[Some(0)]);
    b.flow(load, multiply, &[Some(0), Some(0)]);
    b.flow(multiply, sum, &[Some(0), Some(0)]);
    b.flow(sum, sum, &[Some(0), Some(1)]).carrier = Carrier::Register;
    b.flow(sum, store, &[Some(0)]);
    b
}

#[test]
fn figure_1() {
    let advice = backprop().advise();
    let interchange = possible(&advice, Kind::Interchange);
    assert_eq!((interchange.loops.as_slice(), interchange.gain), (&[0, 1][..], 0.5));
    assert!(
        interchange.message.contains("100%") && interchange.message.contains("50% now"),
        "{}",
        interchange.message
    );
    assert!(interchange.needs[0].contains("f.c:10, f.c:14"), "{:?}", interchange.needs);
    let vectors = possible(&advice, Kind::Vectorize);
    assert!(vectors.message.contains("f.c:1 ") && vectors.message.contains("stride 1 along it, 4 x 4 bytes"));
    assert_eq!((vectors.loops[0], vectors.gain), (0, 0.75));
    assert_eq!(possible(&advice, Kind::Tile).loops, [0, 1]);
    let parallel = possible(&advice, Kind::Parallel);
    assert_eq!((parallel.loops.as_slice(), parallel.lines[0].line), (&[0][..], 1));
    assert!((parallel.gain - 0.9).abs() < 1e-9);
    assert!(advice.suggestions.iter().all(|s| s.possible && !s.over_approximated), "{}", advice.text());
}

#[test]
fn a_value_that_comes_back_through_the_outer_loop_forbids_interchange() {
    let mut b = backprop();
    // What is stored after the inner loop is the next start of the sum.
    b.flow(4, 0, &[Some(1)]);
    let advice = b.advise();
    let interchange = forbidden(&advice, Kind::Interchange);
    assert_eq!(interchange.obstacles[0].dependence, Some(0));
    forbidden(&advice, Kind::Tile);
    forbidden(&advice, Kind::Vectorize);
    let parallel = forbidden(&advice, Kind::Parallel);
    assert_eq!((parallel.loops.as_slice(), parallel.obstacles[0].dependence), (&[0][..], Some(5)));
    assert_eq!(possible(&advice, Kind::Reduction).loops, [1]);
}

#[test]
fn a_stencil_over_time_is_skewed() {
    let mut b = Builder::new(2);
    let s = b.statement(2, Class::Float, &[(READ, &[Some(0), Some(4)]), (WRITE, &[Some(0), Some(4)])]);
    for distance in [-2, 0, 2] {
        b.flow(s, s, &[Some(1), Some(distance)]);
    }
    let advice = b.advise();
    let skew = possible(&advice, Kind::Skew);
    assert!(skew.message.contains("skewed by 2 times"), "{}", skew.message);
    assert!(advice.suggestions.iter().all(|s| s.id != Kind::Tile));
    let outer = forbidden(&advice, Kind::Parallel);
    assert!(outer.obstacles[0].message.contains("f.c:10 uses what f.c:10 made (1, -2) iterations before"));
    assert!(outer.obstacles[0].exact && !outer.over_approximated);
    // The inner loop is vectorizable: the outer one carries everything.
    assert_eq!(possible(&advice, Kind::Vectorize).loops, [1]);
    // Not by any factor, and not if the distance is only known to be in a range.
    b.flow(s, s, &[Some(1), Some(-9)]);
    assert!(forbidden(&b.advise(), Kind::Tile).obstacles[0].message.contains("(1, -9)"));
    b.0.dependences.pop();
    b.flow(s, s, &[Some(1), None]);
    assert!(forbidden(&b.advise(), Kind::Tile).over_approximated);
}

#[test]
fn what_is_not_known_forbids_and_says_so() {
    let mut b = Builder::new(2);
    let s = b.statement(2, Class::Float, &[(WRITE, &[Some(40), Some(4)]), (READ, &[None, None])]);
    b.flow(s, s, &[Some(0), None]);
    let advice = b.advise();
    // (0, top): the outer loop carries nothing, the inner one may.
    let parallel = possible(&advice, Kind::Parallel);
    assert_eq!((parallel.loops.as_slice(), parallel.over_approximated), (&[0][..], true));
    let vectors = forbidden(&advice, Kind::Vectorize);
    assert!(
        vectors.over_approximated && vectors.obstacles.iter().any(|o| o.dependence == Some(0) && !o.exact)
    );
    assert!(advice.text().contains("(over-approximated)"));
}

#[test]
fn inner_loops_in_doubt_are_told() {
    let mut b = Builder::new(2);
    let s = b.statement(2, Class::Float, &[(WRITE, &[Some(40), Some(4)])]);
    b.flow(s, s, &[Some(1), Some(0)]);
    let inner = |advice: &Advice| {
        advice.suggestions.iter().find(|s| s.loops == [1] && s.id == Kind::Parallel).cloned()
    };
    assert!(inner(&b.advise()).is_some_and(|s| s.possible));
    b.flow(s, s, &[Some(0), None]);
    let doubt = inner(&b.advise()).unwrap();
    assert!(!doubt.possible && doubt.message.contains("f.c:2 may depend"), "{}", doubt.message);
    b.flow(s, s, &[Some(0), Some(1)]);
    assert_eq!(inner(&b.advise()), None);
}

#[test]
fn a_prefix_sum_is_no_reduction() {
    let mut b = Builder::new(1);
    let sum = b.statement(1, Class::Float, &[(READ, &[Some(4)])]);
    b.0.statements[0].accumulates = true;
    b.flow(sum, sum, &[Some(1)]);
    let reduction = b.advise();
    assert!(possible(&reduction, Kind::Reduction).needs[0].contains("f.c:10"));
    assert!(possible(&reduction, Kind::Vectorize).needs[0].contains("partial results"));
    let store = b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    b.flow(sum, store, &[Some(0)]);
    let prefix = b.advise();
    forbidden(&prefix, Kind::Parallel);
    forbidden(&prefix, Kind::Vectorize);
}

#[test]
fn a_sum_in_memory_is_a_reduction_if_it_is_added_to() {
    let with = |operation: &str| {
        let mut b = Builder::new(1);
        let load = b.statement(1, Class::Move, &[(READ, &[Some(0)])]);
        let add = b.statement(1, Class::Float, &[]);
        b.0.statements[add as usize].text = operation.to_owned();
        let store = b.statement(1, Class::Move, &[(WRITE, &[Some(0)])]);
        b.flow(load, add, &[Some(0)]);
        b.flow(add, store, &[Some(0)]);
        b.flow(store, load, &[Some(1)]);
        b.advise()
    };
    possible(&with("addss xmm0, xmm1"), Kind::Reduction);
    possible(&with("vaddsd xmm0, xmm0, xmm1"), Kind::Reduction);
    forbidden(&with("divss xmm0, xmm1"), Kind::Parallel);
}

#[test]
fn storage_that_all_iterations_write_is_copied() {
    let mut b = Builder::new(2);
    let write = b.statement(2, Class::Move, &[(WRITE, &[Some(0), Some(4)])]);
    let read = b.statement(2, Class::Float, &[(READ, &[Some(0), Some(4)])]);
    b.flow(write, read, &[Some(0), Some(0)]);
    let advice = b.advise();
    let copies = possible(&advice, Kind::Privatize);
    assert_eq!((copies.loops.as_slice(), copies.needs.len()), (&[0][..], 1));
    assert!(copies.needs[0].ends_with("written at f.c:10"), "{:?}", copies.needs);
    // An anti dependence says so even if the addresses do not.
    b.0.statements[0].accesses[0].stride = vec![None, None];
    possible(&b.advise(), Kind::Parallel);
    b.flow(read, write, &[Some(1), Some(0)]).kind = DependenceKind::Anti;
    possible(&b.advise(), Kind::Privatize);
}

#[test]
fn reused_storage_is_a_need_of_a_new_order() {
    let mut b = backprop();
    let need =
        |b: &Builder, id| possible(&b.advise(), id).needs.iter().any(|n| n.contains("overwritten at f.c:13"));
    assert!(!need(&b, Kind::Interchange) && !need(&b, Kind::Tile));
    // In order as they are, (0, 1), an output dependence is no obstacle to anything.
    b.flow(3, 3, &[Some(0), Some(1)]).kind = DependenceKind::Output;
    assert!(!need(&b, Kind::Interchange) && !need(&b, Kind::Tile));
    b.flow(3, 3, &[Some(1), Some(-9)]).kind = DependenceKind::Anti;
    assert!(need(&b, Kind::Interchange) && need(&b, Kind::Tile));
}

/// `for (t) { for (i) b[i] = ...; for (i) c[i] = b[i + shift]; }`
fn two_loops(shift: i64) -> Builder {
    let mut b = Builder::new(2);
    b.0.loops.push(Loop { id: 2, loc: line(3), ..b.0.loops[1].clone() });
    let made = b.statement(2, Class::Float, &[(WRITE, &[Some(0), Some(4)])]);
    let used = b.statement(2, Class::Float, &[(READ, &[Some(0), Some(4)])]);
    b.0.statements[used as usize].loops = vec![0, 2];
    b.flow(made, used, &[Some(0), Some(-shift)]);
    b
}

#[test]
fn loops_that_follow_each_other_are_one_if_nothing_is_read_too_early() {
    for shift in [0, -1] {
        let advice = two_loops(shift).advise();
        let fuse = possible(&advice, Kind::Fuse);
        assert_eq!((fuse.loops.as_slice(), fuse.gain), (&[1, 2][..], 1.0));
        assert_eq!((fuse.before.len(), fuse.after.len()), (4, 3));
    }
    let advice = two_loops(1).advise();
    assert!(forbidden(&advice, Kind::Fuse).obstacles[0].message.contains("later iteration"));
    let mut b = two_loops(0);
    b.0.loops[2].iterations += 1;
    assert!(b.advise().suggestions.iter().all(|s| s.id != Kind::Fuse));
}

#[test]
fn what_a_statement_between_two_loops_makes_of_the_first_keeps_them_apart() {
    let mut b = two_loops(0);
    let between = b.statement(1, Class::Float, &[]);
    b.flow(0, between, &[Some(0)]);
    assert!(possible(&b.advise(), Kind::Fuse).obstacles.is_empty());
    b.flow(between, 1, &[Some(0)]);
    assert!(forbidden(&b.advise(), Kind::Fuse).obstacles[0].message.contains("what comes of it"));
}

/// `for (i) a[i] = ...; for (i) ... = a[i + shift];`, each a nest of its own.
fn two_nests(shift: i64) -> Vec<Nest> {
    let mut first = Builder::new(1);
    let made = first.statement(1, Class::Float, &[(WRITE, &[Some(4)])]);
    let used = first.statement(1, Class::Float, &[(READ, &[Some(4)])]);
    let dependence = first.flow(made, used, &[Some(-shift)]).clone();
    first.0.dependences.clear();
    let mut nests = [first.0.clone(), first.0];
    nests[0].statements.truncate(1);
    nests[1].statements.remove(0);
    nests[1].statements[0].id = 0;
    nests[1].from_nests = vec![(0, 1)];
    nests[1].from_neighbours = vec![FromNest { nest: 0, dependence: Dependence { target: 0, ..dependence } }];
    nests[1].loops[0].loc = line(5);
    nests[1].id = 1;
    nests.to_vec()
}

#[test]
fn outermost_loops_are_one_if_nothing_is_in_between() {
    let of = |nests: Vec<Nest>| advise(&Profile { nests, ..Profile::default() });
    for shift in [0, -1] {
        let advice = of(two_nests(shift));
        let fuse = possible(&advice, Kind::Fuse);
        assert_eq!((fuse.nest, fuse.with_nest, fuse.gain), (1, Some(0), 1.0));
        assert!(fuse.needs[0].contains("code between"), "{fuse:?}");
        assert_eq!((fuse.lines.len(), fuse.before.len(), fuse.after.len()), (2, 4, 3));
    }
    let advice = of(two_nests(1));
    assert!(forbidden(&advice, Kind::Fuse).obstacles[0].message.contains("later iteration"));
    let mut nests = two_nests(0);
    nests[1].loops[0].iterations += 1;
    assert!(of(nests).suggestions.iter().all(|s| s.id != Kind::Fuse));
    let mut nests = two_nests(0);
    let between = Nest { id: 2, from_nests: vec![(0, 1)], ..Builder::new(1).0 };
    nests[1].from_nests.push((2, 1));
    nests.push(between);
    assert!(forbidden(&of(nests), Kind::Fuse).obstacles[0].message.contains("what comes of it"));
}

#[test]
fn a_loop_with_a_free_part_is_split() {
    let mut b = Builder::new(1);
    let tied = b.statement(1, Class::Float, &[(READ, &[Some(4)])]);
    let stored = b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    b.flow(tied, tied, &[Some(1)]);
    b.flow(tied, stored, &[Some(0)]);
    // Only what is computed from the tied value: a store of it can be apart, with an array.
    assert!(possible(&b.advise(), Kind::Distribute).needs[0].contains("made at f.c:10"));
    let load = b.statement(1, Class::Move, &[(READ, &[Some(4)])]);
    let store = b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    b.flow(load, store, &[Some(0)]);
    let advice = b.advise();
    let split = possible(&advice, Kind::Distribute);
    assert!(split.message.contains("only f.c:10 ties") && split.gain == 0.75, "{split:?}");
    // All on the cycle: nothing to split off.
    b.flow(stored, tied, &[Some(1)]);
    b.flow(tied, load, &[Some(0)]);
    b.flow(store, tied, &[Some(1)]);
    assert!(b.advise().suggestions.iter().all(|s| s.id != Kind::Distribute));
}

#[test]
fn scalars_between_loops_are_expanded() {
    let advice = backprop().advise();
    let expand = possible(&advice, Kind::Expand);
    assert!(
        expand.message.contains("f.c:10") && expand.message.contains("array over the loop at f.c:1"),
        "{expand:?}"
    );
}

#[test]
fn fields_and_columns() {
    let with = |strides: &[&[Option<i64>]], starts: &[i64]| {
        let mut b = Builder::new(2);
        let accesses: Vec<_> = strides.iter().map(|s| (READ, *s)).collect();
        let s = b.statement(2, Class::Float, &accesses);
        for (access, start) in b.0.statements[s as usize].accesses.iter_mut().zip(starts) {
            let label = Label { constant: Some(*start), coefficients: vec![None; 2], exact: true };
            access.address.pieces = vec![Piece { labels: vec![label], ..Piece::default() }];
        }
        b
    };
    // Two fields of 4 bytes in structures of 40.
    let fields = with(&[&[Some(400), Some(40)][..]; 2], &[1000, 1008]);
    let advice = fields.advise();
    let layout = possible(&advice, Kind::Layout);
    assert!(layout.message.contains("uses 8 of every 40 bytes"), "{}", layout.message);
    assert!((layout.gain - 0.8).abs() < 1e-9);
    // All ten fields: nothing to gain.
    let starts: Vec<i64> = (0..10).map(|n| 1000 + 4 * n).collect();
    let all = with(&[&[Some(400), Some(40)][..]; 10], &starts).advise();
    assert!(all.suggestions.iter().all(|s| s.id != Kind::Layout));
    // Columns, and a flow that forbids the interchange.
    let mut columns = with(&[&[Some(4), Some(40)][..]], &[1000]);
    assert!(columns.advise().suggestions.iter().all(|s| s.id != Kind::Layout));
    columns.flow(0, 0, &[Some(1), Some(-1)]);
    let advice = columns.advise();
    assert!(possible(&advice, Kind::Layout).message.contains("store it transposed"));
}

#[test]
fn sketches_show_the_order() {
    let advice = backprop().advise();
    let interchange = possible(&advice, Kind::Interchange);
    assert_eq!(
        interchange.before,
        [
            "for (i = 0; i < 10; i++)  // f.c:1",
            "  A(i);",
            "  for (j = 0; j < 10; j++)  // f.c:2",
            "    S(i, j);",
            "  B(i);"
        ]
    );
    assert_eq!(
        interchange.after[2..5],
        ["for (j = 0; j < 10; j++)  // f.c:2", "  for (i = 0; i < 10; i++)  // f.c:1", "    S(i, j);"]
    );
    assert!(possible(&advice, Kind::Parallel).after[0].contains("omp parallel for"));
    assert!(possible(&advice, Kind::Vectorize).after.iter().any(|l| l == "  #pragma omp simd"));
    let mut b = Builder::new(2);
    let s = b.statement(2, Class::Float, &[(READ, &[Some(0), Some(4)]), (WRITE, &[Some(0), Some(4)])]);
    b.flow(s, s, &[Some(1), Some(-2)]);
    let advice = b.advise();
    assert_eq!(possible(&advice, Kind::Skew).after.last().unwrap().trim(), "S(i, j - 2*i);");
}

#[test]
fn loops_of_code_that_was_not_recorded_are_left_alone() {
    let mut b = Builder::new(2);
    b.statement(2, Class::Move, &[(WRITE, &[Some(40), Some(4)])]);
    let lines = |nest: Nest| -> BTreeSet<u32> {
        let advice = advise(&Profile { nests: vec![nest], ..Profile::default() });
        advice.suggestions.iter().flat_map(|s| s.loops.clone()).collect()
    };
    assert_eq!(lines(b.finished()), BTreeSet::from([0, 1]));
    assert_eq!(lines(b.0), BTreeSet::from([1]));
}

#[test]
fn long_lists_are_cut() {
    let mut b = Builder::new(1);
    (0..7).for_each(|_| {
        b.statement(1, Class::Move, &[(WRITE, &[Some(0)])]);
    });
    let advice = b.advise();
    assert!(possible(&advice, Kind::Privatize).needs[0].ends_with("f.c:13, f.c:14, 2 more"));
}

#[test]
fn calls_are_named() {
    let mut b = Builder::new(1);
    let call = b.statement(1, Class::Call, &[]);
    b.0.statements[call as usize].text = "call exp".to_owned();
    b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    let advice = b.advise();
    assert!(possible(&advice, Kind::Parallel).needs[0].ends_with("exp"));
    assert!(forbidden(&advice, Kind::Vectorize).obstacles[0].message.contains("call exp"));
}

#[test]
fn gains_are_ranked_and_small_nests_left_out() {
    let mut b = Builder::new(1);
    b.statement(1, Class::Move, &[(WRITE, &[Some(4)])]);
    let [mut hot, mut warm, mut cold] = [b.0.clone(), b.0.clone(), b.0];
    (hot.id, hot.share) = (2, 0.7);
    (warm.id, warm.share) = (1, 0.2);
    (cold.id, cold.share) = (0, 0.001);
    let advice = advise(&Profile { nests: vec![cold, warm, hot], ..Profile::default() });
    let order: Vec<u32> = advice.suggestions.iter().map(|s| s.nest).collect();
    assert_eq!(order, [2, 2, 1, 1]);
}

#[test]
fn nothing_is_presented_as_proved() {
    let mut profile = Profile { nests: vec![backprop().0], ..Profile::default() };
    profile.warnings.push(Warning { id: "memory-limit".into(), message: String::new() });
    let text = advise(&profile).text();
    assert!(text.contains("not proved") && text.contains("--memory-dependences"), "{text}");
    assert!(text.contains("dependences can be missing (memory-limit)"), "{text}");
    profile.collection.survey = true;
    profile.nests.clear();
    assert!(advise(&profile).text().contains("run without --survey"));
    assert_eq!(advise(&Profile::default()), Advice::default());
}

#[test]
fn damaged_profiles_and_names_do_no_harm() {
    let mut b = backprop();
    b.0.dependences[0].target = 99;
    b.0.dependences[1].relation.pieces[0].labels.clear();
    b.0.dependences[2].relation.pieces.clear();
    b.0.loops[1].dimension = 7;
    b.0.loops[0].loc.as_mut().unwrap().file = "\u{1b}[2J".into();
    b.0.loops[0].parent = Some(0);
    assert!(!b.advise().text().contains('\u{1b}'));
}

#[test]
fn every_id_has_a_section() {
    let page = include_str!("../../../docs/advice.md");
    let sections: BTreeSet<&str> = page.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    for kind in Kind::ALL {
        assert!(sections.contains(kind.id()), "docs/advice.md has no section `## {}`", kind.id());
        let json = format!("{:?}", kind).to_lowercase();
        assert_eq!(json, kind.id());
    }
}
