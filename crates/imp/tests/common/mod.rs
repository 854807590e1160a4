//! What the property tests share: a generator of pseudo-random numbers with a fixed seed.
#![allow(dead_code, missing_docs)] // not every test uses all of it

/// SplitMix64: enough randomness for generating programs, and the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T: ?Sized>(&mut self, items: &[&'a T]) -> &'a T {
        items[self.below(items.len())]
    }
}

/// How many cases a property test runs: the default, or what the environment asks for.
pub fn cases(variable: &str, default: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// A program as a tree, to be written with `for` or with `while` loops.
pub enum Piece {
    /// Counter, first value, last value, body.
    Loop(String, String, String, Vec<Piece>),
    /// Condition, both branches.
    If(String, Vec<Piece>, Vec<Piece>),
    /// A labelled assignment.
    Assign(String),
}

impl Piece {
    pub fn write(pieces: &[Piece], whiles: bool, out: &mut String) {
        for piece in pieces {
            match piece {
                Piece::Assign(text) => out.push_str(&format!("{text};\n")),
                Piece::If(cond, then, els) => {
                    out.push_str(&format!("if {cond} then\n"));
                    Piece::write(then, whiles, out);
                    out.push_str("else\n");
                    Piece::write(els, whiles, out);
                    out.push_str("fi;\n");
                }
                Piece::Loop(counter, from, to, body) if whiles => {
                    out.push_str(&format!("{counter} := {from};\nwhile {counter} <= {to} do\n"));
                    Piece::write(body, whiles, out);
                    out.push_str(&format!("{counter} := {counter} + 1\ndone;\n"));
                }
                Piece::Loop(counter, from, to, body) => {
                    out.push_str(&format!("for {counter} from {from} to {to} do\n"));
                    Piece::write(body, whiles, out);
                    out.push_str("done;\n");
                }
            }
        }
    }
}

/// Makes regular programs: affine bounds, conditions and subscripts.
pub struct Regular<'r> {
    pub random: &'r mut Random,
    counters: usize,
    labels: usize,
}

impl Regular<'_> {
    pub fn program(random: &mut Random) -> Vec<Piece> {
        let mut generator = Regular { random, counters: 0, labels: 0 };
        let mut pieces = generator.block(0, &mut Vec::new());
        if generator.counters == 0 {
            let looped = generator.looped(0, &mut Vec::new());
            pieces.push(looped);
        }
        pieces
    }

    fn block(&mut self, depth: usize, scope: &mut Vec<String>) -> Vec<Piece> {
        let count = 1 + self.random.below(2);
        (0..count).map(|_| self.piece(depth, scope)).collect()
    }

    fn piece(&mut self, depth: usize, scope: &mut Vec<String>) -> Piece {
        let room = depth < 3 && self.labels < 5;
        match self.random.below(10) {
            0..=4 if room => self.looped(depth, scope),
            5 if room && !scope.is_empty() => {
                let condition = self.condition(scope);
                Piece::If(condition, self.block(depth + 1, scope), self.block(depth + 1, scope))
            }
            _ => self.assign(scope),
        }
    }

    fn looped(&mut self, depth: usize, scope: &mut Vec<String>) -> Piece {
        self.counters += 1;
        let counter = format!("i{}", self.counters);
        let from =
            if self.random.chance(30) { self.affine(scope) } else { self.random.between(0, 2).to_string() };
        let to = match self.random.below(3) {
            0 => "n".to_string(),
            1 => format!("n - {}", self.random.between(0, 2)),
            _ => self.affine(scope),
        };
        scope.push(counter.clone());
        let body = self.block(depth + 1, scope);
        scope.pop();
        Piece::Loop(counter, from, to, body)
    }

    fn affine(&mut self, scope: &[String]) -> String {
        let names: Vec<&str> = scope.iter().map(String::as_str).chain(["n", "m"]).collect();
        let first = self.random.pick(&names);
        match self.random.below(4) {
            0 => first.to_string(),
            1 => format!("{first} + {}", self.random.between(-2, 2)),
            2 => format!("{first} - {}", self.random.pick(&names)),
            _ => format!("{} * {first} + {}", self.random.between(-1, 2), self.random.between(0, 2)),
        }
    }

    fn condition(&mut self, scope: &[String]) -> String {
        let (left, right) = (self.affine(scope), self.affine(scope));
        match self.random.below(4) {
            0 => format!("{left} <= {right}"),
            1 => format!("{left} < {right}"),
            2 => format!("({left}) mod 2 == 0"),
            _ => format!("{left} <> {right}"),
        }
    }

    fn cell(&mut self, scope: &[String]) -> String {
        if self.random.chance(50) {
            format!("a[{}]", self.affine(scope))
        } else {
            format!("b[{}, {}]", self.affine(scope), self.affine(scope))
        }
    }

    fn assign(&mut self, scope: &[String]) -> Piece {
        self.labels += 1;
        let (target, read) = (self.cell(scope), self.cell(scope));
        let value =
            if self.random.chance(70) { format!("{read} + {}", self.cell(scope)) } else { "1".to_string() };
        Piece::Assign(format!("l{}: {target} := {value}", self.labels))
    }
}

/// Makes programs with data-dependent branches, nested `while` loops and subscripts that are not affine.
pub struct Irregular<'r> {
    pub random: &'r mut Random,
    statements: usize,
}

const SCALARS: [&str; 4] = ["i", "j", "x", "y"];

impl Irregular<'_> {
    pub fn program(random: &mut Random) -> String {
        let mut generator = Irregular { random, statements: 0 };
        let mut out = String::from("param n in 0 .. 6;\n");
        if generator.random.chance(70) {
            out.push_str("i := 0; j := n;\n");
        }
        generator.block(0, &mut out);
        out.push_str("z := a[0] + x\n");
        out
    }

    fn block(&mut self, depth: usize, out: &mut String) {
        for _ in 0..1 + self.random.below(3) {
            self.statement(depth, out);
        }
    }

    fn statement(&mut self, depth: usize, out: &mut String) {
        self.statements += 1;
        let room = depth < 3 && self.statements < 9;
        match self.random.below(12) {
            0..=2 if room => {
                // Most loops move a variable of their condition, so that many runs end.
                let scalar = self.random.pick(&SCALARS);
                let condition = self.condition(scalar);
                out.push_str(&format!("while {condition} do\n"));
                self.block(depth + 1, out);
                if self.random.chance(85) {
                    out.push_str(&format!("{scalar} := {scalar} + {};\n", self.random.between(1, 2)));
                }
                out.push_str("done;\n");
            }
            3 if room => {
                let from = self.value();
                out.push_str(&format!("for k{} from {from} to n do\n", self.statements));
                self.block(depth + 1, out);
                out.push_str("done;\n");
            }
            4 | 5 if room => {
                let scalar = self.random.pick(&SCALARS);
                let condition = self.condition(scalar);
                out.push_str(&format!("if {condition} then\n"));
                self.block(depth + 1, out);
                if self.random.chance(60) {
                    out.push_str("else\n");
                    self.block(depth + 1, out);
                }
                out.push_str("fi;\n");
            }
            6 if self.random.chance(15) => {
                let scalar = self.random.pick(&SCALARS);
                let condition = self.condition(scalar);
                out.push_str(&format!("assume {condition};\n"));
            }
            6..=8 => {
                let scalar = self.random.pick(&SCALARS);
                let value = self.value();
                out.push_str(&format!("{scalar} := {value};\n"));
            }
            _ => {
                let (cell, value) = (self.cell(), self.value());
                out.push_str(&format!("{cell} := {value};\n"));
            }
        }
    }

    fn condition(&mut self, scalar: &str) -> String {
        match self.random.below(7) {
            0 => format!("{scalar} < n"),
            1 => format!("{scalar} < n and {} <= 2", self.cell()),
            2 => format!("{} > 1", self.cell()),
            3 => format!("{scalar} <= {}", self.random.pick(&SCALARS)),
            4 => format!("{scalar} * {scalar} < 20"),
            5 => format!("{scalar} mod 3 <> 1 or {scalar} < 3"),
            _ => format!("!({scalar} > n) and {scalar} <= 4"),
        }
    }

    fn value(&mut self) -> String {
        let (one, other) = (self.random.pick(&SCALARS), self.random.pick(&SCALARS));
        match self.random.below(9) {
            0 => self.cell(),
            1 => format!("{one} + {other}"),
            2 => format!("{one} + 1"),
            3 => self.random.between(-1, 3).to_string(),
            4 => format!("{one} / 2"),
            5 => format!("({one} * {other}) mod 5"),
            6 => "n".to_string(),
            7 => format!("min({one}, {other})"),
            _ => format!("{} + {one}", self.cell()),
        }
    }

    fn cell(&mut self) -> String {
        let one = self.random.pick(&SCALARS);
        match self.random.below(8) {
            0..=2 => format!("a[{one}]"),
            3 => format!("a[{one} + {}]", self.random.between(-2, 2)),
            4 => format!("b[{one}, {}]", self.random.pick(&SCALARS)),
            5 => format!("a[{one} * {}]", self.random.pick(&SCALARS)),
            6 => format!("a[b[{one}, 0]]"),
            _ => format!("a[({one} * {one}) mod 4]"),
        }
    }
}
