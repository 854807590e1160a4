//! Propositions 3 and 7 of the paper on random programs.
//!
//! Proposition 7 holds whatever the budget, so an ordinary run gives each of its 2,000 programs little work to do; a few
//! have the budget that the command has. The precision in `docs/status.md` is that of all of them with that budget:
//!
//! ```text
//! IMP_PROP7_FULL=2000 cargo test -p imp --test propositions proposition_7 -- --nocapture
//! ```

mod common;

use common::{Irregular, Piece, Random, Regular, cases};
use imp::flow::Sink;
use imp::reach::Budget;
use imp::{Dataflow, Inputs, Options, Program, check, dataflow};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

fn analysed<'p>(program: &'p Program, only: &[&str]) -> Dataflow<'p> {
    let only = only.iter().filter(|name| program.vars.iter().any(|var| var.name == **name));
    let options = Options { only: only.map(|name| name.to_string()).collect(), ..Options::default() };
    dataflow(program, &options).unwrap_or_else(|error| panic!("{error}\n{}", program.source))
}

fn checked(result: &Dataflow<'_>, values: &str, seed: Option<u64>) -> imp::Verdict {
    let mut inputs = Inputs::parse(values).expect("the test's own values");
    inputs.seed = seed;
    let verdict =
        check(result, &inputs, 200).unwrap_or_else(|error| panic!("{error}\n{}", result.program.source));
    assert!(verdict.errors.is_empty(), "{verdict}\nwith {values} in\n{}", result.program.source);
    verdict
}

/// Every relation over arrays, in the program's own variables, as text; the key names its ends.
fn relations(result: &Dataflow<'_>) -> BTreeMap<String, [String; 3]> {
    let program = result.program;
    let mut found = BTreeMap::new();
    for d in &result.flow.dependences {
        let Sink::Read(at) = d.access else { continue };
        let (sink, source) = (&program.ops[d.sink.index()], &program.ops[d.source.index()]);
        // The position among the array reads: the `while` version reads its counters as well.
        let before =
            sink.reads[..at as usize].iter().filter(|read| program.vars[read.var.index()].arity > 0).count();
        let text = |map: &isl::Map| {
            result.translate(d.sink, d.source, map, true).and_then(|map| map.to_str()).unwrap()
        };
        let k = d.k.as_ref().map_or(String::new(), &text);
        found.insert(
            format!("{} read {before} from {}", sink.name, source.name),
            [text(&d.q), k, text(&d.direct)],
        );
    }
    found
}

/// Does the cases on all processors; the first failure is the test's.
fn each<T: Sync>(cases: &[T], one: impl Fn(usize, &T) + Sync) {
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some((at, case)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, cases.get(at)?)))
        {
            one(at, case);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
}

/// Proposition 3: `for` and `while` are the same program, and both are what the trace says.
#[test]
fn proposition_3() {
    let mut random = Random(31);
    let programs: Vec<[String; 2]> = (0..cases("IMP_PROP3_CASES", 300))
        .map(|_| {
            let pieces = Regular::program(&mut random);
            [false, true].map(|whiles| {
                let mut text = String::from("param n in 0 .. 9, m in -2 .. 3;\n");
                Piece::write(&pieces, whiles, &mut text);
                text
            })
        })
        .collect();
    each(&programs, |_, [first, second]| both_are_exact_and_equal(first, second));
}

fn both_are_exact_and_equal(first: &str, second: &str) {
    let (first, second) = (Program::parse(first).expect(first), Program::parse(second).expect(second));
    let one = analysed(&first, &["a", "b"]);
    let other = analysed(&second, &["a", "b"]);
    for result in [&one, &other] {
        assert!(result.is_exact(), "not exact:\n{}\n{}", result.program.source, result.to_text().unwrap());
        checked(result, "n=3,m=2", None);
        checked(result, "n=4,m=-1", None);
    }
    same(&relations(&one), &relations(&other), &first.source);
}

fn same(one: &BTreeMap<String, [String; 3]>, other: &BTreeMap<String, [String; 3]>, source: &str) {
    let keys: Vec<_> = one.keys().collect();
    assert_eq!(keys, other.keys().collect::<Vec<_>>(), "{source}");
    let ctx = isl::Ctx::new();
    for (key, left) in one {
        for (left, right) in
            left.iter().zip(&other[key]).filter(|(left, right)| !left.is_empty() || !right.is_empty())
        {
            let (a, b): (isl::Map, isl::Map) = (ctx.parse(left).unwrap(), ctx.parse(right).unwrap());
            assert!(a.is_equal(&b).unwrap(), "{key}: {left}\nbut with while: {right}\n{source}");
        }
    }
}

/// Found by proposition 7: inside a branch under a condition on data, an over-approximation may be coarse; after
/// the branch the rounds are again those from before it, exactly.
#[test]
fn a_doubtful_branch_does_not_widen_the_rounds() {
    let source = "param n in 0 .. 6; i := 0; j := n; while j mod 3 <> 1 or j < 3 do
        if j < n and a[(x * x) mod 4] <= 2 then a[y * i] := a[y] else
          if !(y > n) and y <= 4 then a[y] := (j * x) mod 5; a[y] := -1 else y := 2; b[i, x] := i + y fi
        fi;
        y := x + j; a[j + 2] := n; j := j + 1 done; z := a[0] + x";
    let program = Program::parse(source).unwrap();
    let result = analysed(&program, &[]);
    for n in 0..4 {
        checked(&result, &format!("n={n}"), Some(1));
    }
}

/// What was measured over all programs.
#[derive(Default)]
struct Precision {
    real: AtomicUsize,
    extra: AtomicUsize,
    exact: AtomicUsize,
    ended: AtomicUsize,
}

/// Proposition 7: whatever the program, the relations contain what the trace shows.
#[test]
fn proposition_7() {
    let little = Budget {
        closure: 5_000,
        reach: 50_000,
        dependence: 5_000,
        flow: 50_000,
        words: 50_000,
        disjuncts: 4,
    };
    contain_the_trace("little work", cases("IMP_PROP7_CASES", 2_000), little);
}

/// The same with the command's own budget.
#[test]
fn proposition_7_in_full() {
    contain_the_trace("the command's budget", cases("IMP_PROP7_FULL", 40), Budget::default());
}

fn contain_the_trace(what: &str, count: usize, budget: Budget) {
    let mut random = Random(71);
    let programs: Vec<String> = (0..count).map(|_| Irregular::program(&mut random)).collect();
    let measured = Precision::default();
    each(&programs, |case, source| contains_the_trace(case, source, budget, &measured));
    let Precision { real, extra, exact, ended } = measured;
    let (real, extra) = (real.into_inner(), extra.into_inner());
    println!(
        "{count} irregular programs with {what}: {} exact, {} of {} runs ended, {real} real pairs, {extra} extra, ratio {:.2}",
        exact.into_inner(),
        ended.into_inner(),
        2 * count,
        extra as f64 / real.max(1) as f64
    );
}

fn contains_the_trace(case: usize, source: &str, budget: Budget, measured: &Precision) {
    let program = Program::parse(source).unwrap_or_else(|error| panic!("{}", error.render("p", source)));
    let options = Options { budget, ..Options::default() };
    let result = dataflow(&program, &options).unwrap_or_else(|error| panic!("{error}\n{source}"));
    measured.exact.fetch_add(usize::from(result.is_exact()), Ordering::Relaxed);
    for n in [1, 4] {
        let verdict = checked(&result, &format!("n={n}"), Some(case as u64));
        measured.real.fetch_add(verdict.real, Ordering::Relaxed);
        measured.extra.fetch_add(verdict.extra, Ordering::Relaxed);
        measured.ended.fetch_add(usize::from(!verdict.prefix), Ordering::Relaxed);
    }
}
