//! The text form, the invariants, and the schedule made from the order.

use isl::{Ctx, Set};
use model::{AccessKind, Scop};

const GEMM: &str = "
# C = A * B
scop gemm
param n [1, 1000]
array A [*, n] 8
array B [n, n] 8
array C [n, n] 8
stmt Init { Init[i, j] : 0 <= i, j < n }
  write { Init[i, j] -> C[i, j] }
stmt Sum { Sum[i, j, k] : 0 <= i, j, k < n }
  read { Sum[i, j, k] -> A[i, k] }
  read { Sum[i, j, k]
         -> B[k, j] }
  reduce add { Sum[i, j, k] -> C[i, j] }
order { for { for { Init for { Sum } } } }
";

fn rejected(text: &str) -> String {
    Scop::parse(&Ctx::new(), text).expect_err("the text should be rejected").to_string()
}

#[test]
fn packed_arrays_print_and_parse_back() {
    let text = "scop t\narray L [*, *] 8 packed -1, 2n + 1\norder { }\n";
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    assert!(scop.to_string().contains("array L [*, *] 8 packed -1, 2n + 1"), "{scop}");
    assert!(
        rejected("array L [*] 8 packed 1, 1\norder { }")
            .contains("L has rows of its own but not 2 dimensions")
    );
    assert!(rejected("array L [*, *] 8 packed 1\norder { }").contains("line 1: expected `array NAME"));
}

#[test]
fn prints_and_parses_back() {
    let ctx = Ctx::new();
    let first = Scop::parse(&ctx, GEMM).unwrap();
    let printed = first.to_string();
    let second = Scop::parse(&ctx, &printed).unwrap();
    assert_eq!(printed, second.to_string());
    assert_eq!(first.arrays, second.arrays);
    assert_eq!(first.order, second.order);
    for (a, b) in first.stmts.iter().zip(&second.stmts) {
        assert_eq!(a.domain, b.domain);
        assert_eq!(a.reductions, b.reductions);
        for (x, y) in a.accesses.iter().zip(&b.accesses) {
            assert_eq!((x.kind, x.array, &x.relation), (y.kind, y.array, &y.relation));
        }
    }
}

const BODY: &str = "
param n
array A [n] 8
array C [n] 8
phi c 8
scalar o 8 fixed
stmt T { T[i] : 0 <= i < n }
  write -1.5 { T[i] -> c[] }
stmt S { S[i, k] : 0 <= i, k < n }
  read c { S[i, k] -> c[] }
  reduce add { S[i, k] -> C[i] }
  read a { S[i, k] -> A[k] }
  let p = mul a %alpha
  let! q = rand c p r1
  write q { S[i, k] -> c[] }
  maywrite c { S[i, k] -> o[] }
order { for { T for { S } } }
";

#[test]
fn bodies_print_and_parse_back() {
    let ctx = Ctx::new();
    let first = Scop::parse(&ctx, BODY).unwrap();
    let printed = first.to_string();
    let second = Scop::parse(&ctx, &printed).unwrap();
    assert_eq!(printed, second.to_string());
    let bodies = |scop: &Scop| scop.stmts.iter().map(|stmt| stmt.body.clone()).collect::<Vec<_>>();
    assert_eq!(bodies(&first), bodies(&second));
    assert_eq!(first.arrays, second.arrays);
    assert!(printed.contains("let! q = rand r0 p r1") && printed.contains("scalar o 8 fixed"), "{printed}");
    assert!(first.stmts[0].is_transparent() && !first.stmts[1].is_transparent());
}

#[test]
fn broken_bodies_are_refused() {
    let body = |text: &str| {
        format!("array A [] 8\nstmt S {{ S[] }}\n read a {{ S[] -> A[] }}\n {text}\norder {{ S }}")
    };
    for (text, expected) in [
        ("let x = f b", "there is no value `b`"),
        ("let x = f y\nlet y = f a", "is not there"),
        ("let x = f a\nlet x = f a", "declared twice"),
        ("let r7 = f a", "reads are called so"),
        ("let x f a", "expected `let NAME"),
        ("write b { S[] -> A[] }", "there is no value `b`"),
        ("let a = f 1\nlet x = f r1\nwrite { S[] -> A[] }", "is not there"),
    ] {
        let message = rejected(&body(text));
        assert!(message.contains(expected), "{text:?}: {message}");
    }
}

#[test]
fn the_range_of_a_parameter_is_in_the_context() {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, GEMM).unwrap();
    assert_eq!(scop.context, ctx.parse("[n] -> { : 1 <= n <= 1000 }").unwrap());
}

#[test]
fn the_order_becomes_a_schedule() {
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, GEMM).unwrap();
    let map = scop.schedule().unwrap().get_map().unwrap();
    let expected: isl::UnionMap = ctx
        .parse(
            "[n] -> { Init[i, j] -> [i, j, 0, 0] : 0 <= i, j < n <= 1000; \
             Sum[i, j, k] -> [i, j, 1, k] : 0 <= i, j, k < n <= 1000 }",
        )
        .unwrap();
    assert_eq!(map.intersect_domain(scop.domain().unwrap()).unwrap(), expected);
}

#[test]
fn malformed_texts_name_their_line() {
    for (text, expected) in [
        ("scop a\nfoo b\norder { }", "line 2: `foo` is none of"),
        ("scop a\nstmt S { S[i : }\norder { }", "line 2: `{ S[i : }` is not in isl's notation"),
        ("scop a\nstmt S { S[] }\n", "there is no `order`"),
        ("scop a\norder { for S }", "line 2: expected `{` after `for`"),
        ("scop a\norder { S }", "line 2: there is no statement `S`"),
        ("scop a\norder { for {", "line 2: `{` is never closed"),
        ("scop a\n}\norder { }", "line 2: `}` without `{`"),
        (
            "array A [2 8\norder { }",
            "line 1: expected `array NAME [SIZES] BYTES [packed GROWTH, SLOPE | anywhere]`",
        ),
        ("param n (1)\norder { }", "line 1: expected a range"),
        ("read { S[] -> A[] }\norder { }", "line 1: there is no array `A`"),
    ] {
        let message = rejected(text);
        assert!(message.contains(expected), "{text:?}: {message}");
    }
}

#[test]
fn broken_models_are_refused() {
    let model =
        |stmt: &str, order: &str| format!("param n\narray A [n] 8\nscalar s 8\n{stmt}\norder {{ {order} }}");
    for (text, expected) in [
        (model("stmt S { S[i] : 0 <= i < n }", "S"), "S has 1 dimensions but stands in 0 loops"),
        (model("stmt S { S[i] : 0 <= i < n }", ""), "every statement exactly once"),
        (model("stmt S { S[i] : 0 <= i < n }", "for { S S }"), "every statement exactly once"),
        (model("stmt S { T[i] : 0 <= i < n }", "for { S }"), "tuples named"),
        (model("stmt S { S[i] : }\n read { S[i] -> A[i, i] }", "for { S }"), "with 1 subscripts"),
        (model("stmt S { S[i] : }\n read { S[i] -> s[i] }", "for { S }"), "with 0 subscripts"),
        (model("stmt S { S[i] : }\n read { T[i] -> A[i] }", "for { S }"), "does not start from S's tuples"),
        (model("stmt S [m] -> { S[i] : i < m }", "for { S }"), "undeclared parameter m"),
        ("array A [] 0\norder { }".into(), "have no bytes"),
        ("array A [] 1\narray A [] 1\norder { }".into(), "declared twice"),
        ("array 1A [] 1\norder { }".into(), "not an identifier"),
    ] {
        let message = rejected(&text);
        assert!(message.contains(expected), "{text:?}: {message}");
    }
}

#[test]
fn an_empty_model_is_a_model() {
    let scop = Scop::parse(&Ctx::new(), "order { }").unwrap();
    assert!(scop.schedule().unwrap().get_domain().unwrap().is_empty().unwrap());
}

#[test]
fn messages_do_not_repeat_control_characters() {
    assert!(rejected("scop s\nparam\x1fn").starts_with("line 2: `param\u{fffd}n` is none of"));
    for text in [GEMM.replace("param n", "param n\x1b[1m"), GEMM.replace("Init[i, j] -> C", "Init[\x07 -> C")]
    {
        let message = rejected(&text);
        assert!(!message.contains(char::is_control), "{message:?}");
    }
}

/// Statements that do not run are gone, what the context says is said once, and bounds that no loop reaches are forgotten.
#[test]
fn a_model_within_parameters() {
    let text = "param n [-2147483648, 2147483647]\nparam m [0, 1000]\narray A [n] 8\n\
                stmt S { S[i] : n > 0 and 0 <= i < n and i < 2000 + m }\n  write { S[i] -> A[i] : i < n }\n\
                stmt T { T[i] : n > 0 and 0 <= i < n and i < 2000 + m }\n  read { T[i] -> A[i] : i >= m }\n\
                stmt U { U[i] : 0 <= i < -n }\n  read { U[i] -> A[i] }\norder { for { S T } for { U } }";
    let ctx = Ctx::new();
    let scop = Scop::parse(&ctx, text).unwrap();
    let valid: Set = ctx.parse("[n, m] -> { : 3 <= n <= 2000 + m and n <= 1073741824 }").unwrap();
    let (within, kept) = scop.within(&valid).unwrap();
    assert_eq!(kept.iter().map(|id| id.0).collect::<Vec<_>>(), [0, 1]);
    let context: Set = ctx.parse("[n, m] -> { : 3 <= n <= 2000 + m and 0 <= m <= 1000 }").unwrap();
    assert_eq!(within.context, context);
    for stmt in &within.stmts {
        let name = &stmt.name;
        let domain: Set = ctx.parse(&format!("[n, m] -> {{ {name}[i] : 0 <= i < n }}")).unwrap();
        assert_eq!(stmt.domain, domain);
        let constraints = stmt.domain.get_basic_set_list().unwrap().get_at(0).unwrap();
        assert_eq!(constraints.get_constraint_list().unwrap().to_vec().unwrap().len(), 2, "{}", stmt.domain);
    }
    let before = scop.accesses_of(AccessKind::Read).unwrap().intersect_params(context.clone()).unwrap();
    let after = within.accesses_of(AccessKind::Read).unwrap();
    assert_eq!(after.intersect_params(context).unwrap(), before);
}
