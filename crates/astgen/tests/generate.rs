//! Loop trees of small schedules.

mod run;

use astgen::{Error, Node, condition, generate, print_c};
use isl::{Ctx, Set};
use model::Scop;
use run::Run;

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

/// Blocks of 3 x 4 cells of a sum over `k` with these conditions: each cell gets its terms once and in their order, and both
/// kinds of blocks are there if the sizes allow it.
fn blocks_keep_the_order(conditions: &str) {
    let domain = format!("S[i, j, k] : 0 <= i, j < n and 0 <= k < m and {conditions}");
    let text = format!(
        "param n [0, 1000]\nparam m [0, 1000]\nstmt S {{ {domain} }}\norder {{ for {{ for {{ for {{ S }} }} }} }}"
    );
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let blocks = "[{ S[i, j, k] -> [(4*floor(j/4))] }, { S[i, j, k] -> [(3*floor(i/3))] }]";
    let inside = "[{ S[i, j, k] -> [(k)] }, { S[i, j, k] -> [(i)] }]";
    let tree = format!(
        "{{ domain: \"[n, m] -> {{ {domain} }}\", child: {{ schedule: \"[n, m] -> {blocks}\", child: {{ mark: \"registers\", \
         child: {{ schedule: \"[n, m] -> {inside}\", child: {{ mark: \"vector\", \
         child: {{ schedule: \"[n, m] -> [{{ S[i, j, k] -> [(j)] }}]\" }} }} }} }} }} }}"
    );
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    let nodes = generate(&scop, &schedule, &scop.context).unwrap();
    let own = generate(&scop, &scop.schedule().unwrap(), &scop.context).unwrap();
    let mut kinds = Vec::new();
    for params in [[0, 5], [1, 1], [2, 3], [3, 4], [5, 2], [7, 9], [12, 12], [13, 8]] {
        let run = |nodes: &[Node]| {
            let mut run = Run::new(&params);
            run.nodes(nodes, None);
            run.instances
        };
        let (new, old) = (run(&nodes), run(&own));
        kinds.extend(new.iter().map(|(_, kind)| *kind));
        let by_cell = |mut all: Vec<(Vec<i64>, Option<bool>)>| {
            // Stable: terms of a cell stay in their order.
            all.sort_by_key(|(at, _)| (at[0], at[1]));
            all.into_iter().map(|(at, _)| at).collect::<Vec<_>>()
        };
        assert_eq!(by_cell(new), by_cell(old), "{conditions} {params:?}\n{}", print_c(&scop, &nodes));
    }
    for kind in [true, false] {
        assert!(kinds.contains(&Some(kind)), "{conditions}: {}", print_c(&scop, &nodes));
    }
}

#[test]
fn blocks_of_a_rectangle() {
    blocks_keep_the_order("true");
}

/// Strips of four columns of `S[i, j]` with these conditions, in threads: whether they are done at once. The instances are those of the
/// domain, and those of a column come in their order.
fn strips_are_done_at_once(conditions: &str) -> bool {
    let domain = format!("S[i, j] : 0 <= i < n and 0 <= j < m and {conditions}");
    let text = format!(
        "param n [0, 1000]\nparam m [0, 1000]\nstmt S {{ {domain} }}\norder {{ for {{ for {{ S }} }} }}"
    );
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let row = |row: &str| format!("\"[n, m] -> [{{ S[i, j] -> [({row})] }}]\"");
    let tree = format!(
        "{{ domain: \"[n, m] -> {{ {domain} }}\", child: {{ mark: \"threads\", child: {{ schedule: {}, child: {{ schedule: {}, \
         child: {{ schedule: {} }} }} }} }} }}",
        row("4*floor(j/4)"),
        row("i"),
        row("j"),
    );
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    let nodes = generate(&scop, &schedule, &scop.context).unwrap();
    let own = generate(&scop, &scop.schedule().unwrap(), &scop.context).unwrap();
    for params in [[0, 5], [1, 1], [2, 3], [3, 4], [5, 2], [7, 9], [12, 12], [13, 8]] {
        let by_column = |nodes: &[Node]| {
            let mut run = Run::new(&params);
            run.nodes(nodes, None);
            // Stable.
            run.instances.sort_by_key(|(at, _)| at[1]);
            run.instances
        };
        assert_eq!(by_column(&nodes), by_column(&own), "{conditions} {params:?}\n{}", print_c(&scop, &nodes));
    }
    print_c(&scop, &nodes).contains("at once")
}

#[test]
fn strips_of_columns() {
    for even in ["true", "j >= 3", "i >= 2"] {
        assert!(strips_are_done_at_once(even), "{even}");
    }
    for uneven in ["j <= i", "i < j", "j < 2 i and i <= 5"] {
        assert!(!strips_are_done_at_once(uneven), "{uneven}");
    }
}

#[test]
fn the_only_block_is_whole() {
    let domain = "S[i, j, k] : 0 <= i < 3 and 0 <= j < 4 and 0 <= k < 9";
    let text = format!("stmt S {{ {domain} }}\norder {{ for {{ for {{ for {{ S }} }} }} }}");
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let row = |row: &str| format!("{{ S[i, j, k] -> [({row})] }}");
    let tree = format!(
        "{{ domain: \"{{ {domain} }}\", child: {{ schedule: \"[{}, {}]\", child: {{ mark: \"registers\", \
         child: {{ schedule: \"[{}, {}]\", child: {{ mark: \"vector\", child: {{ schedule: \"[{}]\" }} }} }} }} }} }}",
        row("4*floor(j/4)"),
        row("3*floor(i/3)"),
        row("k"),
        row("i"),
        row("j"),
    );
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    let c = print_c(&scop, &generate(&scop, &schedule, &scop.context).unwrap());
    assert_eq!(c.matches("stay in registers").count(), 1, "{c}");
    assert_eq!(c.matches("if").count(), 0, "{c}");
}

#[test]
fn blocks_of_triangles() {
    blocks_keep_the_order("j <= i");
    blocks_keep_the_order("i < j");
}

#[test]
fn blocks_whose_terms_depend_on_the_cell() {
    for conditions in ["k < i", "i <= k", "k <= j", "j < k", "i <= k and k <= j", "j - 2 <= k and k < i + 3"]
    {
        blocks_keep_the_order(conditions);
    }
}

/// Tiles of these sizes of these two rows, in diagonals: the instances are those of the domain, diagonal by diagonal, inside of
/// a tile as without.
fn diagonals_have_all_tiles(conditions: &str, rows: [&str; 2], sizes: [i64; 2]) {
    all_tiles(conditions, rows, sizes, true);
}

/// The same, tile by tile in the order of the rows.
fn tiles_have_all_instances(conditions: &str, rows: [&str; 2], sizes: [i64; 2]) {
    all_tiles(conditions, rows, sizes, false);
}

fn all_tiles(conditions: &str, rows: [&str; 2], sizes: [i64; 2], in_diagonals: bool) {
    let domain = format!("S[t, i] : 0 <= t < n and 0 <= i < m and {conditions}");
    let text = format!(
        "param n [0, 1000]\nparam m [0, 1000]\nstmt S {{ {domain} }}\norder {{ for {{ for {{ S }} }} }}"
    );
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let [a, b] = [0, 1].map(|at| {
        let (row, size) = (rows[at], sizes[at]);
        format!("{{ S[t, i] -> [({size}*floor(({row})/{size}))] }}")
    });
    let points = format!("[{{ S[t, i] -> [({})] }}, {{ S[t, i] -> [({})] }}]", rows[0], rows[1]);
    let tree = format!(
        "{{ domain: \"[n, m] -> {{ {domain} }}\", child: {{ mark: \"{}\", child: {{ schedule: \"[n, m] -> [{a}, {b}]\", \
         options: \"{{ atomic[0]; atomic[1] }}\", child: {{ schedule: \"[n, m] -> {points}\" }} }} }} }}",
        if in_diagonals { model::wave_name(sizes) } else { "any".to_owned() }
    );
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    let nodes = generate(&scop, &schedule, &scop.context).unwrap();
    let c = print_c(&scop, &nodes);
    assert_eq!(astgen::threads(&nodes).len(), usize::from(in_diagonals), "{c}");
    let own = generate(&scop, &scop.schedule().unwrap(), &scop.context).unwrap();
    for params in [[0, 5], [1, 1], [2, 30], [17, 4], [16, 16], [23, 41], [60, 33]] {
        let run = |nodes: &[Node]| {
            let mut run = Run::new(&params);
            run.nodes(nodes, None);
            run.instances.into_iter().map(|(at, _)| (at[0], at[1])).collect::<Vec<_>>()
        };
        let row = |text: &str, (t, i): (i64, i64)| match text {
            "t" => t,
            "i" => i,
            "t + i" => t + i,
            "2t + i" => 2 * t + i,
            "i - t" => i - t,
            other => panic!("{other}"),
        };
        // The order that is meant: by diagonals and along them, or by tiles, then as without.
        let mut expected = run(&own);
        expected.sort_by_key(|at| {
            let (a, b) = (row(rows[0], *at), row(rows[1], *at));
            let (tile, other) = (a.div_euclid(sizes[0]), b.div_euclid(sizes[1]));
            (if in_diagonals { tile + other } else { 0 }, tile, other, a, b)
        });
        assert_eq!(run(&nodes), expected, "{conditions} {rows:?} {sizes:?} {params:?}\n{c}");
    }
}

/// Also where isl adds numbers of tiles of different sizes.
#[test]
fn tiles_of_several_sizes() {
    for sizes in [[4, 4], [8, 2], [3, 16], [6, 4], [5, 7], [1, 9]] {
        for conditions in ["true", "i <= t", "t < i", "i <= 2t + 5 and 3t <= 2i + 7", "(t + 2i) mod 3 = 1"] {
            tiles_have_all_instances(conditions, ["t", "i"], sizes);
            tiles_have_all_instances(conditions, ["t", "t + i"], sizes);
            tiles_have_all_instances(conditions, ["2t + i", "i - t"], sizes);
        }
    }
}

#[test]
fn diagonals_of_a_rectangle() {
    diagonals_have_all_tiles("true", ["t", "i"], [4, 4]);
    diagonals_have_all_tiles("true", ["t", "i"], [8, 3]);
}

#[test]
fn diagonals_of_tiles_in_time() {
    for sizes in [[4, 4], [8, 2], [3, 16], [5, 7]] {
        diagonals_have_all_tiles("true", ["t", "t + i"], sizes);
        diagonals_have_all_tiles("true", ["t", "2t + i"], sizes);
        diagonals_have_all_tiles("true", ["2t + i", "t"], sizes);
    }
}

#[test]
fn diagonals_of_triangles() {
    for conditions in ["i <= t", "t <= i", "i <= 2t + 5 and t <= i + 7"] {
        diagonals_have_all_tiles(conditions, ["t", "i"], [4, 4]);
        diagonals_have_all_tiles(conditions, ["t", "t + i"], [6, 5]);
    }
}

/// The second row falls faster than the diagonals rise.
#[test]
fn diagonals_that_fall() {
    diagonals_have_all_tiles("true", ["t", "i - t"], [8, 4]);
    diagonals_have_all_tiles("i <= t", ["t", "i - t"], [3, 5]);
}

/// The loops of a schedule tree below the domain of a scop.
fn c_of_tree(text: &str, domain: &str, tree: &str) -> String {
    let scop = Scop::parse(&Ctx::new(), text).unwrap();
    let tree = format!("{{ domain: \"{domain}\", child: {{ {tree} }} }}");
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    print_c(&scop, &generate(&scop, &schedule, &scop.context).unwrap())
}

/// Neither part has all of the loop, and where one ends depends on the loop around.
#[test]
fn parts_side_by_side_share_a_loop() {
    let text = "param n [0, 281474976710656]\nstmt S { S[i, j] : 0 <= i < n and 0 <= j < n }\n\
                order { for { for { S } } }";
    let part = |which: &str| format!("{{ filter: \"{{ S[i, j] : {which} }}\" }}");
    let parts = [part("j > i"), part("j < i"), part("j = i")].join(", ");
    let row = |counter: &str, rest: &str| format!("schedule: \"[{{ S[i, j] -> [({counter})] }}]\", {rest}");
    let inner = row("j", &format!("options: \"{{ atomic[0] }}\", child: {{ sequence: [ {parts} ] }}"));
    let outer = row("i", &format!("child: {{ {inner} }}"));
    let c = c_of_tree(text, "[n] -> { S[i, j] : 0 <= i < n and 0 <= j < n }", &outer);
    let lines: Vec<_> = c.lines().map(str::trim).collect();
    let loops = ["for (c0 = 0; c0 <= n - 1; c0 += 1) {", "for (c1 = 0; c1 <= n - 1; c1 += 1) {"];
    assert_eq!(lines[..2], loops, "{c}");
    assert_eq!((c.matches("for").count(), c.matches("S(").count()), (2, 3), "{c}");
    // isl would say `else`, and take a hundred times as long for many parts.
    assert!(!c.contains("else"), "{c}");
}

/// With `p = 3` and `q = 5` a bound that is right for both would be `p + 2^48`.
#[test]
fn parts_of_different_length_end_where_the_last_one_does() {
    let text = "param p [0, 281474976710656]\nparam q [0, 281474976710656]\nstmt A { A[i] : 0 <= i < p }\n\
                stmt B { B[i] : 0 <= i < q }\norder { for { A } for { B } }";
    let parts = "sequence: [ { filter: \"{ A[i] }\" }, { filter: \"{ B[i] }\" } ]";
    let tree = format!("schedule: \"[{{ A[i] -> [(i)]; B[i] -> [(i)] }}]\", child: {{ {parts} }}");
    let c = c_of_tree(text, "[p, q] -> { A[i] : 0 <= i < p; B[i] : 0 <= i < q }", &tree);
    let lines: Vec<_> = c.lines().filter(|line| line.starts_with("for")).collect();
    let [first, second] = lines[..] else { panic!("{c}") };
    assert_eq!(first, "for (c0 = 0; c0 <= p - 1; c0 += 1) {");
    assert!(second.contains("<= q - 1;") && !c.contains("28147497671065"), "{c}");
}

/// Behind the tile of `k`, a row is in its tile of `j` or `j` is in the tile of `k`; never both, because numbers of tiles are whole.
#[test]
fn tiles_that_only_whole_numbers_tell_apart_share_no_loop() {
    let domain = "{ S[i, j, k] : 0 <= k < j and j < i < 60 }";
    let text = format!(
        "stmt S {{ {} }}\norder {{ for {{ for {{ for {{ S }} }} }} }}",
        domain.trim_matches(['{', '}', ' '])
    );
    let members = |each: fn(&str) -> String| {
        let member = |counter: &str| format!("{{ S[i, j, k] -> [({})] }}", each(counter));
        format!("schedule: \"[{}]\"", ["i", "j", "k"].map(member).join(", "))
    };
    let which = "8*floor((k)/8) <= -8 + i and (8*floor((i)/8) <= j or j <= 7 + 8*floor((k)/8))";
    let options = "options: \"{ separate[2] }\"";
    let points = format!("{}, {options}", members(str::to_owned));
    let part = format!("sequence: [ {{ filter: \"{{ S[i, j, k] : {which} }}\", child: {{ {points} }} }} ]");
    let tiles = members(|counter| format!("8*floor(({counter})/8)"));
    let scop = Scop::parse(&Ctx::new(), &text).unwrap();
    let tree = format!("{{ domain: \"{domain}\", child: {{ {tiles}, child: {{ {part} }} }} }}");
    let schedule: isl::Schedule = scop.ctx.parse(&tree).unwrap();
    let nodes = generate(&scop, &schedule, &scop.context).unwrap();
    let c = print_c(&scop, &nodes);
    assert_eq!(c.matches("S(").count(), 2, "{c}");
    assert!(!c.contains("else"), "{c}");
    let mut run = Run::new(&[]);
    run.nodes(&nodes, None);
    let mut ran: Vec<_> = run.instances.into_iter().map(|(at, _)| at).collect();
    let tile = |at: &Vec<i64>| (at.iter().map(|counter| counter / 8).collect::<Vec<_>>(), at.clone());
    assert!(ran.is_sorted_by_key(tile), "{c}");
    let is_there = |i: i64, j: i64, k: i64| k / 8 * 8 <= i - 8 && (i / 8 * 8 <= j || j <= 7 + k / 8 * 8);
    let all = (0..60).flat_map(|i| (0..i).flat_map(move |j| (0..j).map(move |k| (i, j, k))));
    let all: Vec<_> = all.filter(|(i, j, k)| is_there(*i, *j, *k)).map(|(i, j, k)| vec![i, j, k]).collect();
    ran.sort();
    assert_eq!(ran, all, "{c}");
}
