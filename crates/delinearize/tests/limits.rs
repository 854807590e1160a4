//! Limits and wrong inputs: an error or the same result, never another one.

use delinearize::{Access, Error, Options, Poly, Problem, delinearize, text};
use isl::Ctx;

const LISTING_5: &str = include_str!("files/paper/listing5.scop");

#[test]
fn a_spent_budget_is_an_error() {
    let ctx = Ctx::new();
    let problem = text::read(&ctx, LISTING_5).unwrap().problem;
    let whole = delinearize(&problem, &Options::default()).unwrap();
    let (mut spent, mut done) = (0, 0);
    for operations in (1..40_000).step_by(501) {
        match ctx.with_budget(operations, || delinearize(&problem, &Options::default())) {
            Ok(view) => {
                assert_eq!((&view.sizes, &view.valid), (&whole.sizes, &whole.valid), "{operations}");
                done += 1;
            }
            Err(Error::Isl(error)) if error.is_budget() => spent += 1,
            Err(error) => panic!("{operations}: {error}"),
        }
    }
    assert!(spent > 0 && done > 0, "{spent} {done}");
}

#[test]
fn too_many_candidates_are_reported() {
    let source = "S: write 8 at 8*(R*S*i + R*i + S*i + j*j) for [n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }\n\
                  T: write 8 at 8*(R*S*i + 3*R*i + S*i) for [n] -> { T[i] : 0 <= i < n }\n";
    let ctx = Ctx::new();
    let problem = text::read(&ctx, source).unwrap().problem;
    let few = Options { shapes: 1, ..Options::default() };
    assert!(delinearize(&problem, &few).unwrap().exhausted);
    assert!(!delinearize(&problem, &Options { shapes: 1000, ..few }).unwrap().exhausted);
}

#[test]
fn wrong_problems_are_errors() {
    let ctx = Ctx::new();
    let access = |offset: Poly, bytes: u64| Access {
        offset: Some(offset),
        bytes,
        domain: ctx.parse("{ S[i] : 0 <= i < 10 }").unwrap(),
        writes: true,
    };
    let message = |access: Access| {
        let context = ctx.parse("{ : }").unwrap();
        let problem = Problem {
            context,
            accesses: vec![access],
            products: Default::default(),
            units: vec![],
            declared: None,
        };
        delinearize(&problem, &Options::default()).err().map(|error| error.to_string())
    };
    assert_eq!(message(access(Poly::counter(0), 0)).unwrap(), "access 0: it touches no byte");
    assert_eq!(
        message(access(Poly::counter(1), 8)).unwrap(),
        "access 0: its domain has fewer counters than its offset"
    );
    assert_eq!(message(access(Poly::constant(i128::MAX), 8)), None);
    assert_eq!(message(access(Poly::counter(0).scale(i128::MIN).unwrap(), 8)), None);
}

#[test]
fn wrong_texts_are_errors_with_a_line() {
    let message = |source: &str| text::read(&Ctx::new(), source).err().map(|error| error.to_string());
    assert_eq!(message("\nS write").unwrap(), "line 2: expected NAME: ...");
    let form = "line 1: expected NAME: read|write BYTES at OFFSET for DOMAIN";
    for wrong in ["S: write", "S: write 8 at i", "S: erase 8 at 0 for { [] }", "S: read x at 0 for { [] }"] {
        assert_eq!(message(wrong).unwrap(), form, "{wrong}");
    }
    assert!(
        message("S: read 8 at i + for { [i] }").unwrap().starts_with("line 1: expected a number or a name")
    );
    assert!(message("S: read 8 at 0 for { [i").unwrap().starts_with("line 1: "));
    assert_eq!(message("product: nm").unwrap(), "line 1: expected product: NAME = FACTOR*FACTOR");
}
