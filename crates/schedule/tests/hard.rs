//! Adversarial nests: the budget holds, and what comes out within it is legal.

use isl::Ctx;
use model::Scop;
use schedule::{Decision, Options, Reason, legality, optimize};
use std::fmt::Write as _;

/// Optimizes within a budget and says what became of it.
fn decide(text: &str, operations: u64) -> Result<String, Reason> {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, text).unwrap();
    let dependences = match ctx.with_budget(operations, || dataflow::dependences(&scop, &Default::default()))
    {
        Ok(dependences) => dependences,
        Err(dataflow::Error::Budget { .. }) => return Err(Reason::BudgetSpent("the dependences")),
        Err(error) => panic!("{error}"),
    };
    let options = Options { operations, ..Default::default() };
    match optimize(&scop, &dependences, &options).unwrap() {
        Decision::New(new) => {
            let verdict =
                legality::check_with(&scop, &dependences, &new.schedule, options.reductions).unwrap();
            assert!(verdict.is_legal(), "{verdict}");
            Ok(new.description)
        }
        Decision::Original { reason } => {
            assert!(!matches!(reason, Reason::OurBug(_)), "{reason}");
            Err(reason)
        }
    }
}

/// A nest of `depth` loops over a stencil in all of them.
fn deep(depth: usize) -> String {
    let counters: Vec<_> = (0..depth).map(|at| format!("i{at}")).collect();
    let all = counters.join(", ");
    let mut text = format!(
        "param n [2, 1000]\narray A [{}] 8\nstmt S {{ S[{all}] : 1 <= {all} < n }}\n",
        vec!["n"; depth].join(", ")
    );
    for at in 0..depth {
        let mut shifted = counters.clone();
        shifted[at] += " - 1";
        let _ = writeln!(text, "  read {{ S[{all}] -> A[{}] }}", shifted.join(", "));
    }
    let _ = writeln!(text, "  write {{ S[{all}] -> A[{all}] }}");
    text + "order " + &"{ for ".repeat(depth) + "{ S }" + &" }".repeat(depth) + "\n"
}

/// So many statements, each reading what the ones before it wrote.
fn many(statements: usize) -> String {
    let mut text = String::from("param n [2, 1000]\n");
    for at in 0..=statements {
        let _ = writeln!(text, "array A{at} [n, n] 8");
    }
    let mut order = String::new();
    for at in 0..statements {
        let (array, next) = (format!("A{at}"), format!("A{}", at + 1));
        let shift = at % 3;
        let _ = writeln!(
            text,
            "stmt S{at} {{ S{at}[i, j] : 2 <= i, j < n - 2 }}\n  read {{ S{at}[i, j] -> {array}[i - {shift}, j] }}\n  \
             read {{ S{at}[i, j] -> {array}[i, j + {shift}] }}\n  write {{ S{at}[i, j] -> {next}[i, j] }}"
        );
        order += &format!(" for {{ for {{ S{at} }} }}");
    }
    text + "order {" + &order + " }\n"
}

/// Flat subscripts with large coefficients in a nest of large constant domains.
const FLAT: &str = "
array A [*] 8
array B [*] 8
stmt S { S[i, j, k] : 0 <= i < 4000 and 0 <= j < 1000 and 0 <= k < 1000 }
  read { S[i, j, k] -> A[1000i + k] }
  read { S[i, j, k] -> A[1000k + j + 1] }
  read { S[i, j, k] -> B[1000i + j] }
  write { S[i, j, k] -> B[1000i + j] }
stmt T { T[i, j] : 0 <= i < 4000 and 0 <= j < 1000 }
  read { T[i, j] -> B[1000i + j] }
  read { T[i, j] -> B[1000i + 999 - j] }
  write { T[i, j] -> A[1000j + i] }
order { for { for { for { S } T } } }
";

#[test]
fn deep_nests_end() {
    for depth in [5, 8, 12] {
        match decide(&deep(depth), 1_000_000) {
            Ok(_) | Err(Reason::BudgetSpent(_) | Reason::NothingElse | Reason::NothingPays(_)) => {}
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn many_statements_end() {
    match decide(&many(40), 1_000_000) {
        Ok(_) | Err(Reason::BudgetSpent(_) | Reason::NothingElse | Reason::NothingPays(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn flat_subscripts_end() {
    match decide(FLAT, 1_000_000) {
        Ok(_) | Err(Reason::BudgetSpent(_) | Reason::NothingElse | Reason::NothingPays(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn every_budget_is_kept() {
    for budget in [0, 1, 10, 100, 1_000, 3_000, 10_000, 30_000] {
        if let Err(reason) = decide(&deep(3), budget) {
            let words = reason.to_string();
            assert!(budget >= 30_000 || words.contains("budget"), "{budget}: {words}");
        }
    }
}
