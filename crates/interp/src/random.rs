//! Random scops and random schedules, for property tests of whatever works on the model.
//!
//! A generator takes its choices from a [`fastrand::Rng`], so a seed names a test case for ever (until the generator
//! changes). [`scop_text`] makes a `.scop` text, so that a failing case can be printed, cut down and kept as a file test:
//!
//! ```
//! let text = interp::random::scop_text(&mut fastrand::Rng::with_seed(7), &Default::default());
//! let scop = model::Scop::parse(&isl::Ctx::new(), &text).unwrap();
//! assert!(interp::agree(&scop, &scop.schedule().unwrap(), &[3, 2]).unwrap().is_same());
//! ```
//!
//! # What comes out
//! One to four statements in nests of depth 0 to 3 with bodies of several parts. Bounds are constants, parameters and
//! outer counters (triangles, trapezes); some statements have a guard (stride, diagonal, hole). Arrays have 0
//! to 2 dimensions; scalars and phis occur. Subscripts are affine with strides, shifts, reversal, skewing, quotients
//! and remainders; some accesses touch a range of cells, the whole array, or an unbounded set, some only in a part of
//! the domain. Writes are must- or may-writes; reductions have an array for themselves in their statement. On request
//! there are bodies: operations, copies, constants, and writes of which nothing is told.
//! There are always the two parameters `n` and `m`, both at least 0; with both at most 4, there are at most a
//! few hundred instances.
//!
//! [`schedule`] makes a schedule that is illegal more often than not, but legal often enough; [`order`] permutes,
//! fuses and distributes the program's own loops.

use std::fmt::Write;

use fastrand::Rng;
use isl::{Ctx, UnionMap};
use model::{Order, Scop};

/// What the scops are made of.
#[derive(Clone, Debug)]
pub struct Shape {
    /// The most statements.
    pub statements: usize,
    /// The deepest loop.
    pub depth: usize,
    /// Whether there are may-writes.
    pub may_writes: bool,
    /// Whether there are accesses to ranges of cells, the whole array, or more.
    pub ranges: bool,
    /// Whether there are unbounded accesses.
    pub unbounded: bool,
    /// Whether there are reductions.
    pub reductions: bool,
    /// Whether statements say what they compute, and values go through scalars as often as through arrays.
    pub bodies: bool,
}

impl Default for Shape {
    fn default() -> Self {
        Shape {
            statements: 4,
            depth: 3,
            may_writes: true,
            ranges: true,
            unbounded: true,
            reductions: true,
            bodies: false,
        }
    }
}

/// A random scop from a seed.
pub fn scop(ctx: &Ctx, seed: u64, shape: &Shape) -> Result<Scop, model::text::ParseError> {
    Scop::parse(ctx, &scop_text(&mut Rng::with_seed(seed), shape))
}

/// A random scop as text.
pub fn scop_text(rng: &mut Rng, shape: &Shape) -> String {
    let mut arrays = vec![("A", 1)];
    for name in ["B", "C"] {
        if rng.u8(..5) < 2 {
            arrays.push((name, rng.usize(0..=2)));
        }
    }
    let scalars: &[&str] = match shape.bodies {
        true => rng.choice([&["s"][..], &["s", "p"], &["s", "t", "p"]]).unwrap_or(&[]),
        false => rng.choice([&[][..], &["s"], &["s", "p"]]).unwrap_or(&[]),
    };
    let mut text = String::from("scop random\nparam n [0, *]\nparam m [0, *]\n");
    for (name, dims) in &arrays {
        let size = if rng.u8(..4) == 0 { "n + 1" } else { "*" };
        let _ = writeln!(text, "array {name} [{}] 8", vec![size; *dims].join(", "));
    }
    for name in scalars {
        let fixed = if shape.bodies && rng.u8(..8) == 0 { " fixed" } else { "" };
        let _ = writeln!(text, "{} {name} 8{fixed}", if *name == "p" { "phi" } else { "scalar" });
        arrays.push((name, 0));
    }
    let most = shape.statements.max(1);
    let left = rng.usize(1..=most).max(rng.usize(1..=most));
    let mut maker = Maker { rng, shape, arrays, left, made: 0, stmts: String::new() };
    let mut order = String::new();
    while maker.left > 0 {
        order += &maker.part(&mut Vec::new());
    }
    text + &maker.stmts + "order {" + &order + " }\n"
}

const COUNTERS: [&str; 6] = ["i", "j", "k", "l", "i5", "i6"];

struct Maker<'a> {
    rng: &'a mut Rng,
    shape: &'a Shape,
    arrays: Vec<(&'a str, usize)>,
    /// How many statements are still to be made.
    left: usize,
    made: usize,
    stmts: String,
}

impl Maker<'_> {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn pick(&mut self, choices: &[String]) -> String {
        choices[self.rng.usize(..choices.len())].clone()
    }

    /// A statement or a loop, given the bounds of the loops around it.
    fn part(&mut self, bounds: &mut Vec<String>) -> String {
        let depth = bounds.len();
        if depth >= self.shape.depth.min(COUNTERS.len()) || (depth > 0 && self.chance(45)) || self.chance(8) {
            return self.stmt(bounds);
        }
        bounds.push(self.bound(depth));
        let mut body = self.part(bounds);
        while self.left > 0 && self.chance(45) {
            body += &self.part(bounds);
        }
        bounds.pop();
        format!(" for {{{body} }}")
    }

    /// The bounds of the loop at this depth.
    fn bound(&mut self, depth: usize) -> String {
        let own = COUNTERS[depth];
        let mut lows = vec!["0".to_owned(), "0".into(), "1".into(), "-1".into()];
        let mut highs = vec!["n".to_owned(), "n".into(), "m".into(), "3".into(), "n - 1".into()];
        for outer in &COUNTERS[..depth] {
            lows.extend([outer.to_string(), format!("{outer} + 1")]);
            highs.extend([format!("{outer} + 2"), format!("{outer} + 1"), format!("n - {outer}")]);
        }
        format!("{} <= {own} < {}", self.pick(&lows), self.pick(&highs))
    }

    /// A condition on the counters.
    fn guard(&mut self, depth: usize) -> String {
        let any = |rng: &mut Rng| COUNTERS[rng.usize(..depth)];
        let (a, b) = (any(self.rng), any(self.rng));
        self.pick(&[
            format!("{a} mod 2 = 0"),
            format!("({a} + {b}) mod 3 = 1"),
            format!("{a} + {b} < n"),
            format!("{a} != {b}"),
            format!("({a} <= 0 or {a} >= 2)"),
            format!("{a} <= m"),
            format!("2{a} < n + {b}"),
        ])
    }

    fn stmt(&mut self, bounds: &[String]) -> String {
        let name = format!("S{}", self.made);
        (self.made, self.left) = (self.made + 1, self.left.saturating_sub(1));
        let depth = bounds.len();
        let tuple = format!("{name}[{}]", COUNTERS[..depth].join(", "));
        let mut conditions = bounds.to_vec();
        if depth > 0 && self.chance(25) {
            conditions.push(self.guard(depth));
        }
        let condition =
            if conditions.is_empty() { String::new() } else { format!(" : {}", conditions.join(" and ")) };
        let _ = writeln!(self.stmts, "stmt {name} {{ {tuple}{condition} }}");

        let mut usable = self.arrays.clone();
        if self.shape.reductions && self.chance(25) {
            let array = usable.remove(self.rng.usize(..usable.len()));
            let op =
                self.rng.choice(["add", "add", "mul", "min", "max", "and", "or", "xor"]).unwrap_or("add");
            let relation = self.relation(&tuple, depth, array, false);
            let _ = writeln!(self.stmts, "  reduce {op} {relation}");
        }
        if self.shape.bodies {
            self.body(&tuple, depth, &usable);
            return format!(" {name}");
        }
        for _ in 0..self.rng.choice([0, 1, 1, 2]).unwrap_or(1) {
            self.access("read", &tuple, depth, &usable);
        }
        for _ in 0..self.rng.choice([0, 1, 1, 1, 2]).unwrap_or(1) {
            let kind = if self.shape.may_writes && self.chance(20) { "maywrite" } else { "write" };
            self.access(kind, &tuple, depth, &usable);
        }
        format!(" {name}")
    }

    /// Named reads, operations on them, and writes of the results.
    fn body(&mut self, tuple: &str, depth: usize, usable: &[(&str, usize)]) {
        let mut values: Vec<String> = vec!["0".into(), "%a".into()];
        for at in 0..self.rng.choice([0, 1, 1, 2]).unwrap_or(1) {
            let usable = self.of_one_kind(usable);
            self.access(&format!("read x{at}"), tuple, depth, &usable);
            values.extend(vec![format!("x{at}"); 3]);
        }
        for at in 0..self.rng.usize(0..=2) {
            let operands = [self.pick(&values), self.pick(&values)];
            let pure = if self.chance(85) { "let" } else { "let!" };
            let _ = writeln!(self.stmts, "  {pure} v{at} = f{} {}", self.rng.u8(..2), operands.join(" "));
            values.extend(vec![format!("v{at}"); 3]);
        }
        for _ in 0..self.rng.choice([0, 1, 1, 1, 2]).unwrap_or(1) {
            let kind = if self.shape.may_writes && self.chance(5) { "maywrite" } else { "write" };
            let value = if self.chance(90) { self.pick(&values) } else { String::new() };
            let usable = self.of_one_kind(usable);
            self.access(format!("{kind} {value}").trim(), tuple, depth, &usable);
        }
    }

    /// The arrays or the scalars, if there are any.
    fn of_one_kind<'b>(&mut self, usable: &[(&'b str, usize)]) -> Vec<(&'b str, usize)> {
        let is_scalar = |name: &str| ["s", "t", "p"].contains(&name);
        let wanted = self.chance(50);
        let picked: Vec<_> = usable.iter().copied().filter(|(name, _)| is_scalar(name) == wanted).collect();
        if picked.is_empty() { usable.to_vec() } else { picked }
    }

    fn access(&mut self, kind: &str, tuple: &str, depth: usize, usable: &[(&str, usize)]) {
        let Some(&array) = self.rng.choice(usable) else { return };
        let relation = self.relation(tuple, depth, array, self.shape.unbounded && !kind.starts_with("write"));
        let _ = writeln!(self.stmts, "  {kind} {relation}");
    }

    fn relation(
        &mut self,
        tuple: &str,
        depth: usize,
        (array, dims): (&str, usize),
        unbounded: bool,
    ) -> String {
        let (mut subscripts, mut conditions) = (Vec::new(), Vec::new());
        for at in 0..dims {
            let exact = self.subscript(depth);
            let name = format!("x{at}");
            match self.rng.u8(..100) {
                0..3 if unbounded => {}
                3..8 if self.shape.ranges => conditions.push(format!("0 <= {name} <= 3")),
                8..13 if self.shape.ranges => {
                    conditions.push(format!("{exact} - 1 <= {name} <= {exact} + 1"));
                }
                _ => {
                    subscripts.push(exact);
                    continue;
                }
            }
            subscripts.push(name);
        }
        if depth > 0 && self.chance(10) {
            conditions.push(self.guard(depth));
        }
        let condition =
            if conditions.is_empty() { String::new() } else { format!(" : {}", conditions.join(" and ")) };
        format!("{{ {tuple} -> {array}[{}]{condition} }}", subscripts.join(", "))
    }

    fn subscript(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.pick(&["0".into(), "1".into(), "n".into()]);
        }
        let (a, b) = (COUNTERS[self.rng.usize(..depth)], COUNTERS[self.rng.usize(..depth)]);
        if self.chance(55) {
            let shift = self.rng.choice(["", "", " - 1", " + 1", " + 2"]).unwrap_or("");
            return format!("{a}{shift}");
        }
        self.pick(&[
            "0".into(),
            "n - 1".into(),
            format!("2{a}"),
            format!("2{a} + 1"),
            format!("3{a} - {b}"),
            format!("{a} + {b}"),
            format!("n - 1 - {a}"),
            format!("{a} - {b}"),
            format!("floor({a}/2)"),
            format!("({a} mod 2)"),
            format!("(({a} + {b}) mod 3)"),
        ])
    }
}

/// A random schedule `{ S[i] -> [t0, t1, ...] }`: the program's order with one to four changes.
///
/// The program's order has positions in the text at even places and counters at odd ones. A change concerns one
/// statement or all of them: another position, two places exchanged, a place negated, shifted, skewed by another one or
/// cut into blocks of two, or the last place dropped (so that instances coincide).
pub fn schedule(rng: &mut Rng, scop: &Scop) -> isl::Result<UnionMap> {
    let length =
        1 + 2 * scop.stmt_ids().map(|id| crate::order::path(&scop.order, id).len()).max().unwrap_or(0);
    let mut times: Vec<Vec<String>> = Vec::new();
    for id in scop.stmt_ids() {
        let path = crate::order::path(&scop.order, id);
        let mut time: Vec<String> = Vec::new();
        for (depth, position) in path.iter().enumerate() {
            if depth > 0 {
                time.push(format!("c{}", depth - 1));
            }
            time.push(position.to_string());
        }
        time.resize(length, "0".into());
        times.push(time);
    }
    for _ in 0..rng.usize(1..=4) {
        change(rng, &mut times);
    }
    let mut all = UnionMap::empty_ctx(&scop.ctx)?;
    for (id, time) in scop.stmt_ids().zip(times) {
        let stmt = scop.stmt(id);
        let counters: Vec<_> = (0..stmt.domain.dim(isl::DimType::Set)?).map(|at| format!("c{at}")).collect();
        let map = format!("{{ {}[{}] -> [{}] }}", stmt.name, counters.join(", "), time.join(", "));
        all = all.union(scop.ctx.parse(&map)?)?;
    }
    all.intersect_domain_union_set(scop.domain()?)
}

fn change(rng: &mut Rng, times: &mut [Vec<String>]) {
    let Some(length) = times.first().map(Vec::len) else { return };
    let only = rng.bool().then(|| rng.usize(..times.len()));
    let (kind, at, other) = (rng.u8(..8), rng.usize(..length), rng.usize(..length));
    // Counters are at odd places; what is meant for them should hit one most of the time.
    let counter = (at | 1).min(length - 1);
    let amount = rng.i32(-2..=2);
    let concerned = times.iter_mut().enumerate().filter(|(index, _)| only.is_none_or(|only| only == *index));
    for (_, time) in concerned {
        match kind {
            0 => time[at & !1] = rng.u8(..3).to_string(),
            1 => time.swap(counter, (other | 1).min(length - 1)),
            2 => time[counter] = format!("(-({}))", time[counter]),
            3 => time[counter] = format!("({} + {amount})", time[counter]),
            4 => time[counter] = format!("({} + {amount}*({}))", time[counter], time[other]),
            5 => {
                let block = format!("floor(({})/2)", time[counter]);
                time.insert(at.min(counter), block);
                time.truncate(length);
            }
            6 => time[length - 1 - other % 2] = "0".into(),
            _ => time.swap(at, other),
        }
    }
}

/// The program's order with its bodies shuffled, and some neighbouring loops fused or loops distributed. Each
/// statement keeps its depth, so the result is an order of the same scop.
pub fn order(rng: &mut Rng, parts: &[Order]) -> Vec<Order> {
    let mut changed: Vec<Order> = Vec::new();
    for part in parts {
        match part {
            Order::Stmt(id) => changed.push(Order::Stmt(*id)),
            Order::Loop(body) => {
                let body = order(rng, body);
                match changed.last_mut() {
                    Some(Order::Loop(before)) if rng.u8(..4) == 0 => before.extend(body),
                    _ if body.len() > 1 && rng.u8(..4) == 0 => {
                        changed.extend(body.into_iter().map(|part| Order::Loop(vec![part])));
                    }
                    _ => changed.push(Order::Loop(body)),
                }
            }
        }
    }
    if rng.u8(..4) == 0 {
        rng.shuffle(&mut changed);
    }
    changed
}

/// A random scop in which values go through scalars as optimizers leave them: set before an inner loop, updated in it,
/// stored behind it; loads and operations hoisted out of the inner loop; and things around that get in the way of putting the
/// scalar back into an array cell, more often than not.
///
/// ```text
/// for i {  T: s = ..; h = ..   for k { S: s = f(s, h, ..); maybe an array }   U: C[..] = s   and some of V, W, X  }
/// ```
pub fn promoted_text(rng: &mut Rng) -> String {
    let mut maker = Promoted { rng, text: String::new() };
    maker.all();
    maker.text
}

struct Promoted<'a> {
    rng: &'a mut Rng,
    text: String,
}

impl Promoted<'_> {
    fn chance(&mut self, percent: u8) -> bool {
        self.rng.u8(..100) < percent
    }

    fn one_of(&mut self, choices: &[&'static str]) -> &'static str {
        choices[self.rng.usize(..choices.len())]
    }

    fn line(&mut self, line: &str) {
        self.text += line;
        self.text.push('\n');
    }

    /// A cell of `C`, mostly the one of the iteration.
    fn outer(&mut self) -> &'static str {
        self.one_of(&[
            "C[i]",
            "C[i]",
            "C[i]",
            "C[i]",
            "C[i + 1]",
            "C[n - 1 - i]",
            "C[2i]",
            "C[0]",
            "D[i]",
            "A[i]",
        ])
    }

    fn inner(&mut self) -> &'static str {
        self.one_of(&["A[i]", "B[k]", "B[k + 1]", "C[i]", "C[k]", "A[k]", "D[i]", "C[i + 1]"])
    }

    fn all(&mut self) {
        let least = self.one_of(&["0", "0", "1"]);
        self.line(&format!("scop promoted\nparam n [0, *]\nparam m [{least}, *]"));
        self.line("array A [n + 3] 8\narray B [m + 3] 8\narray C [*] 8\narray D [n + 3] 8");
        let phi = self.one_of(&["scalar s 8", "phi s 8", "phi s 8", "phi s 4", "phi s 8 fixed"]);
        let phi = if self.chance(85) { "phi s 8" } else { phi };
        self.line(&format!("{phi}\nscalar h 8\nphi e 8"));
        self.before();
        self.update();
        self.behind();
        let others: Vec<_> = ["V", "W", "X"].into_iter().filter(|_| self.chance(20)).collect();
        others.iter().for_each(|name| self.other(name));
        // Each name once: the later places take what the earlier ones left.
        let mut left = others;
        let mut take = |rng: &mut Rng| -> String {
            let taken: Vec<_> = left.iter().copied().filter(|_| rng.bool()).collect();
            left.retain(|name| !taken.contains(name));
            taken.join(" ")
        };
        let (first, second) = (take(self.rng), take(self.rng));
        let rest = left.join(" ");
        self.line(&format!("order {{ for {{ {first} T for {{ S }} {second} U {rest} }} }}"));
    }

    fn before(&mut self) {
        self.line("stmt T { T[i] : 0 <= i < n }");
        let cell = self.outer();
        self.line(&format!("  read x {{ T[i] -> {cell} }}"));
        let cell = self.one_of(&["A[i]", "A[i]", "D[i + 1]", "C[i]"]);
        self.line(&format!("  read y {{ T[i] -> {cell} }}\n  let u = f x %a\n  let! z = g y"));
        let value = self.one_of(&["0", "x", "u", "z"]);
        self.line(&format!("  write {value} {{ T[i] -> s[] }}"));
        let value = self.one_of(&["y", "y", "u", "z"]);
        self.line(&format!("  write {value} {{ T[i] -> h[] }}"));
        if self.chance(15) {
            let (value, cell) = (self.one_of(&["0", "x", "u"]), self.outer());
            self.line(&format!("  write {value} {{ T[i] -> {cell} }}"));
        }
    }

    fn update(&mut self) {
        let domain =
            self.one_of(&["0 <= k < m", "0 <= k < m", "0 <= k <= i", "0 <= k < 3", "0 <= k < m and k != i"]);
        self.line(&format!("stmt S {{ S[i, k] : 0 <= i < n and {domain} }}"));
        let cell = self.inner();
        self.line(&format!(
            "  read s {{ S[i, k] -> s[] }}\n  read h {{ S[i, k] -> h[] }}\n  read b {{ S[i, k] -> {cell} }}"
        ));
        self.line("  let p = f h b\n  let q = f s p");
        self.line("  write q { S[i, k] -> e[] }");
        if self.chance(80) {
            self.line("  write q { S[i, k] -> s[] }");
        }
        if self.chance(25) {
            let (value, cell) = (self.one_of(&["q", "q", "p", "s"]), self.inner());
            let kind = self.one_of(&["write", "write", "write", "maywrite"]);
            self.line(&format!("  {kind} {value} {{ S[i, k] -> {cell} }}"));
        }
    }

    fn behind(&mut self) {
        let guard = self.one_of(&["", "", "", "", " and i != 1", " and i < m"]);
        self.line(&format!("stmt U {{ U[i] : 0 <= i < n{guard} }}"));
        let scalar = self.one_of(&["s", "e"]);
        self.line(&format!("  read s {{ U[i] -> {scalar}[] }}\n  read h {{ U[i] -> h[] }}\n  let g = f s h"));
        let (value, cell) = (self.one_of(&["s", "s", "s", "g", "h"]), self.outer());
        self.line(&format!("  write {value} {{ U[i] -> {cell} }}"));
    }

    /// Something that may be in the way.
    fn other(&mut self, name: &str) {
        let (first, second) = (self.outer(), self.outer());
        let value = self.one_of(&["x", "0", "v", "y"]);
        let kind = self.one_of(&["write", "write", "maywrite"]);
        let scalar = self.one_of(&["s", "h", "e", "h"]);
        self.line(&format!(
            "stmt {name} {{ {name}[i] : 0 <= i < n }}\n  read x {{ {name}[i] -> {first} }}\n  read y {{ {name}[i] -> {scalar}[] }}\n  \
             let v = f x y\n  {kind} {value} {{ {name}[i] -> {second} }}"
        ));
    }
}
