//! Loop trees of small schedules.

use astgen::{Error, condition, generate, print_c};
use isl::{Ctx, Set};
use model::Scop;

fn c_of(text: &str) -> String {
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let nodes = generate(&scop, &scop.schedule().unwrap(), &scop.context).unwrap();
    print_c(&scop, &nodes)
}

#[test]
fn a_triangle_in_its_own_order() {
    let text =
        "param n [0, 1000]\nstmt S { S[i, j] : 0 <= i < n and 0 <= j <= i }\norder { for { for { S } } }";
    let expected =
        "for (c0 = 0; c0 <= n - 1; c0 += 1) {\n  for (c1 = 0; c1 <= c0; c1 += 1) {\n    S(c0, c1);\n  }\n}\n";
    assert_eq!(c_of(text), expected);
}

#[test]
fn statements_around_an_inner_loop() {
    let text = "param n [0, 1000]\nstmt S { S[i] : 0 <= i < n }\nstmt T { T[i, j] : 0 <= i, j < n }\n\
                stmt U { U[i] : 0 <= i < n }\norder { for { S for { T } U } }";
    let c = c_of(text);
    let lines: Vec<_> = c.lines().map(str::trim).collect();
    assert_eq!(lines[1], "S(c0);");
    assert_eq!(lines[3], "T(c0, c1);");
    assert_eq!(lines[5], "U(c0);");
}

/// The loops of `S[i, j]` with `i < n` and `j < m`, in an order of isl's own notation.
fn c_in_order(order: &str) -> String {
    let text = "param n [0, 1000]\nparam m [0, 1000]\nstmt S { S[i, j] : 0 <= i < n and 0 <= j < m }\n\
                order { for { for { S } } }";
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let domain = "[n, m] -> { S[i, j] : 0 <= i < n and 0 <= j < m }";
    let tree = format!("{{ domain: \"{domain}\", child: {{ schedule: \"[n, m] -> {order}\" }} }}");
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    print_c(&scop, &generate(&scop, &schedule, &scop.context).unwrap())
}

#[test]
fn loops_around_nothing_are_skipped() {
    let c = c_in_order("[{ S[i, j] -> [(j)] }, { S[i, j] -> [(i)] }]");
    let lines: Vec<_> = c.lines().map(str::trim).collect();
    assert_eq!(lines[..2], ["if ((n >= 1) && (m >= 1)) {", "for (c0 = 0; c0 <= m - 1; c0 += 1) {"], "{c}");
    // Nothing is said twice: neither inside nor around an innermost loop.
    assert_eq!(c.matches("if").count(), 1, "{c}");
}

#[test]
fn bounds_that_say_it_are_enough() {
    let text =
        "param n [0, 1000]\nstmt S { S[i, j] : 0 <= i < n and 0 <= j < n }\norder { for { for { S } } }";
    assert!(c_of(text).starts_with("for (c0 = 0; c0 <= n - 1; c0 += 1)"), "{}", c_of(text));
}

#[test]
fn strides_become_steps() {
    let text = "param n [0, 1000]\nstmt S { S[i] : 0 <= i < n and i mod 3 = 0 }\norder { for { S } }";
    assert!(c_of(text).starts_with("for (c0 = 0; c0 <= n - 1; c0 += 3)"), "{}", c_of(text));
}

#[test]
fn what_may_not_fit_is_refused() {
    let text = "param n [0, 9223372036854775807]\nstmt S { S[i] : 0 <= i <= 2n }\norder { for { S } }";
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let error = generate(&scop, &scop.schedule().unwrap(), &scop.context).unwrap_err();
    assert!(matches!(error, Error::Overflow(_)), "{error}");
    // Under a condition that bounds the parameter it fits.
    let bounded: Set = scop.ctx.parse("[n] -> { : 0 <= n <= 1000000 }").unwrap();
    generate(&scop, &scop.schedule().unwrap(), &bounded).unwrap();
}

#[test]
fn a_set_of_parameters_is_a_condition() {
    let text = "param n [0, 1000]\nparam m [0, 1000]\norder { }";
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let set: Set = scop.ctx.parse("[n, m] -> { : n <= m and m >= 7 }").unwrap();
    let condition = condition(&scop, &set, &scop.context).unwrap();
    assert!(format!("{condition:?}").contains("And"), "{condition:?}");
}
