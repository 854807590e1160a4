//! What runs give away, and what cannot be run.

use interp::{Agreement, Error, Ground, Options, agree, agree_map};
use isl::{Ctx, UnionMap};
use model::Scop;

fn scop(text: &str) -> Scop {
    Scop::parse(&Ctx::new(), text).unwrap()
}

fn outcome(scop: &Scop, schedule: &str, params: &[i64]) -> String {
    let schedule: UnionMap = scop.ctx.parse(schedule).unwrap();
    agree_map(scop, &schedule, params, &Options::default()).unwrap().to_string()
}

const TWO: &str = "param n
array A [n] 8
array B [n] 8
scalar t 8
stmt S { S[i] : 0 <= i < n }
  read { S[i] -> A[i] }
  write { S[i] -> t[] }
stmt T { T[i] : 0 <= i < n }
  read { T[i] -> t[] }
  write { T[i] -> B[i] }
order { for { S T } }";

#[test]
fn a_scalar_keeps_its_loops_together() {
    let scop = scop(TWO);
    assert_eq!(outcome(&scop, "{ S[i] -> [i, 0]; T[i] -> [i, 1] }", &[3]), "the same on 6 instances");
    let apart = outcome(&scop, "{ S[i] -> [0, i]; T[i] -> [1, i] }", &[3]);
    assert_eq!(apart, "B[0] differs: T[0] writes it last in both orders, with other values");
    // Of instances at the same time the later one runs first.
    let together = outcome(&scop, "{ S[i] -> [i]; T[i] -> [i] }", &[3]);
    assert_eq!(together, "B[0] differs: T[0] writes it last in both orders, with other values");
}

#[test]
fn final_values_of_scalars_count_unless_they_are_said_not_to() {
    let text = TWO.replace("read { T[i] -> t[] }", "read { T[i] -> A[i] }");
    let scop = scop(&text);
    let reversed: UnionMap = scop.ctx.parse("{ S[i] -> [-i]; T[i] -> [i] }").unwrap();
    let differs = agree_map(&scop, &reversed, &[3], &Options::default()).unwrap();
    assert_eq!(
        differs.to_string(),
        "t[] differs: S[2] writes it last in the program, S[0] under the schedule"
    );
    let memory_only = Options { scalars: false, ..Options::default() };
    assert_eq!(agree_map(&scop, &reversed, &[3], &memory_only).unwrap(), Agreement::Same(6));
}

#[test]
fn a_read_counts_even_if_nothing_comes_of_it() {
    let text = "array A [*] 8\nstmt R { R[] }\n  read { R[] -> A[0] }\nstmt W { W[] }\n  write { W[] -> A[0] }\n\
                order { R W }";
    let scop = scop(text);
    assert_eq!(outcome(&scop, "{ W[] -> [0]; R[] -> [1] }", &[]), "R[] reads other values");
}

#[test]
fn updates_commute_with_each_other_only() {
    for op in ["add", "mul", "min", "max", "and", "or", "xor"] {
        let text = format!(
            "array A [*] 8\nstmt W {{ W[] }}\n  write {{ W[] -> A[0] }}\nstmt U {{ U[i] : 0 <= i < 9 }}\n  \
             reduce {op} {{ U[i] -> A[0] }}\nstmt R {{ R[] }}\n  read {{ R[] -> A[0] }}\n  write {{ R[] -> A[1] }}\n\
             order {{ W for {{ U }} R }}"
        );
        let scop = scop(&text);
        let same = "the same on 11 instances";
        assert_eq!(outcome(&scop, "{ W[] -> [0, 0]; U[i] -> [1, 4 - i]; R[] -> [2, 0] }", &[]), same, "{op}");
        for late in ["{ W[] -> [10]; U[i] -> [i]; R[] -> [11] }", "{ W[] -> [-1]; U[i] -> [i]; R[] -> [0] }"]
        {
            assert_ne!(outcome(&scop, late, &[]), same, "{op}");
        }
    }
}

#[test]
fn may_writes_happen_sometimes() {
    let text =
        "array A [*] 8\nstmt S { S[i] : 0 <= i < 64 }\n  maywrite { S[i] -> A[i] }\norder { for { S } }";
    let scop = scop(text);
    let ground = Ground::new(&scop, &[], &Options::default()).unwrap();
    let outcome = interp::run(&scop, &ground, &interp::original(&ground));
    let written = outcome.writers.iter().flatten().count();
    assert!((16..48).contains(&written), "{written} of 64 written");
}

#[test]
fn every_instance_runs_once() {
    let scop = scop(TWO);
    let missing = outcome(&scop, "{ S[i] -> [i, 0]; T[i] -> [i, 1] : i > 0 }", &[3]);
    assert_eq!(missing, "the schedule runs T[0] 0 times");
    let twice = outcome(&scop, "{ S[i] -> [i, 0]; T[i] -> [i, 1]; T[i] -> [i, 2] : i = 1 }", &[3]);
    assert_eq!(twice, "the schedule runs T[1] 2 times");
}

#[test]
fn unbounded_accesses_are_cut_down_to_what_can_be_seen() {
    let text = "param n
array A [*] 8
array B [n] 8
stmt S { S[i] : 0 <= i < n }
  read { S[i] -> A[x] }
  maywrite { S[i] -> B[x] }
  write { S[i] -> A[i + 1] }
order { for { S } }";
    let scop = scop(text);
    let ground = Ground::new(&scop, &[3], &Options::default()).unwrap();
    assert!(ground.clamped);
    let cells: Vec<_> = ground.cells.iter().map(ToString::to_string).collect();
    assert_eq!(cells, ["A[1]", "A[2]", "A[3]", "B[0]", "B[1]", "B[2]"]);
    assert!(!outcome(&scop, "{ S[i] -> [-i] }", &[3]).starts_with("the same"));
}

#[test]
fn what_cannot_be_run_is_refused_with_a_reason() {
    let scop = scop(&TWO.replace("param n", "param n [1, *]"));
    let own = scop.schedule().unwrap();
    let refusal = |params: &[i64]| agree(&scop, &own, params).unwrap_err().to_string();
    assert_eq!(refusal(&[]), "the model has the parameters [n]; give one value for each, not 0");
    assert!(refusal(&[0]).contains("excludes n = 0"), "{}", refusal(&[0]));
    assert!(
        refusal(&[1_000_000_000]).contains("S has more than 100000 points"),
        "{}",
        refusal(&[1_000_000_000])
    );

    let endless =
        self::scop("array A [*] 8\nstmt S { S[i] : i >= 0 }\n  write { S[i] -> A[i] }\norder { for { S } }");
    let error = agree(&endless, &endless.schedule().unwrap(), &[]).unwrap_err();
    assert!(matches!(error, Error::Unbounded(_)), "{error}");
}

#[test]
fn the_models_own_schedule_tree_is_the_programs_order() {
    for seed in 1..100 {
        let scop = interp::random::scop(&Ctx::new(), seed, &Default::default()).unwrap();
        let agreement = agree(&scop, &scop.schedule().unwrap(), &[3, 4]).unwrap();
        assert!(agreement.is_same(), "seed {seed}: {agreement}\n{scop}");
    }
}
