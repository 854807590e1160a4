//! From a seed to a program.
//!
//! *No undefined behaviour, by construction.* Every loop variable, parameter and derived counter is a [`Var`]: a
//! text and an interval that contains its mathematical value at run time. A subscript is an affine sum over them
//! whose interval lies inside the array's window, or anything at all behind a mask. Values are computed in unsigned
//! types, floating-point values are kept in [-4, 4] (no infinity, no NaN whose sign could differ), conversions
//! back to signed types are implementation-defined and fixed by the compiler. Sums are computed in one of four types:
//! exactly in `int` and `long`, modulo a power of two in `unsigned` and `size_t`, where wrapping intermediate
//! results are welcome.

use crate::runtime::{COLUMNS, FLOATS, INTS, Type, WINDOW, limits, list};
use crate::tree::{Class, Expr, Function, Node, Program};
use fastrand::Rng;

/// How large the programs are.
#[derive(Clone, Debug)]
pub struct Config {
    /// How many functions a program has.
    pub functions: usize,
    /// How deep loops are nested at most.
    pub depth: usize,
    /// How many statements a body has at most.
    pub statements: usize,
    /// How many functions in a hundred are mostly affine.
    pub plain: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config { functions: 25, depth: 3, statements: 3, plain: 70 }
    }
}

/// The program of a seed.
pub fn program(seed: u64, config: &Config) -> Program {
    let mut rng = Rng::with_seed(seed);
    let functions = (0..config.functions)
        .map(|index| Generator::new(Rng::with_seed(rng.u64(..)), config).function(index))
        .collect();
    Program { functions }
}

/// A text whose value lies in an interval.
#[derive(Clone, Debug)]
struct Var {
    text: String,
    /// The type of the text, after promotion at least `int` wide.
    ty: Type,
    low: i64,
    high: i64,
}

/// How an array is declared and indexed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// `T *a`, elements below the limit.
    Flat(i64),
    /// `T a[][32]`, rows below 31.
    Rows,
    /// `struct S *a`.
    Records,
}

#[derive(Clone, Debug)]
struct Array {
    name: String,
    ty: Type,
    shape: Shape,
}

#[derive(Clone, Debug)]
struct Scalar {
    name: String,
    ty: Type,
}

/// A sum `coefficient * variable + ... + constant` and its interval.
struct Sum {
    terms: Vec<(i64, Var)>,
    constant: i64,
}

impl Sum {
    fn low(&self) -> i64 {
        self.extreme(|c, v| if c > 0 { c * v.low } else { c * v.high })
    }

    fn high(&self) -> i64 {
        self.extreme(|c, v| if c > 0 { c * v.high } else { c * v.low })
    }

    fn extreme(&self, of: impl Fn(i64, &Var) -> i64) -> i64 {
        self.constant + self.terms.iter().map(|(c, v)| of(*c, v)).sum::<i64>()
    }

    /// The text of the sum, computed in `ty`: int, unsigned, long or size_t.
    fn render(&self, ty: Type) -> String {
        let suffix = match ty.short {
            "i32" => "",
            "u32" => "u",
            "i64" => "l",
            _ => "ul",
        };
        let mut out = String::new();
        for (coefficient, var) in &self.terms {
            let narrow = var.ty.bits < 32 || var.ty.short == "i32";
            let text = if var.ty == ty || (narrow && ty.bits == 32 && *coefficient == 1) {
                var.text.clone()
            } else {
                format!("({}){}", ty.c, var.text)
            };
            let sign = if *coefficient < 0 { " - " } else { " + " };
            let sign = if out.is_empty() && *coefficient > 0 { "" } else { sign };
            match coefficient.abs() {
                1 => out += &format!("{sign}{text}"),
                factor => out += &format!("{sign}{factor}{suffix} * {text}"),
            }
        }
        match self.constant {
            0 if !out.is_empty() => {}
            c if out.is_empty() => out = format!("{c}{suffix}"),
            c if c < 0 => out += &format!(" - {}{suffix}", -c),
            c => out += &format!(" + {c}{suffix}"),
        }
        if out.starts_with(" - ") {
            out = format!("0{suffix}{out}");
        }
        out
    }
}

/// The four types that sums are computed in.
const SUM_TYPES: [Type; 4] = [INTS[0], INTS[2], INTS[1], INTS[3]];

struct Generator<'c> {
    rng: Rng,
    config: &'c Config,
    vars: Vec<Var>,
    arrays: Vec<Array>,
    scalars: Vec<Scalar>,
    params: Vec<Var>,
    names: usize,
    /// The iterations of the loops around.
    work: i64,
    loops: usize,
    /// Mostly affine, without possible overlaps: the nests that are rewritten today.
    plain: bool,
}

impl<'c> Generator<'c> {
    fn new(mut rng: Rng, config: &'c Config) -> Self {
        let plain = rng.u32(..100) < config.plain;
        Generator {
            plain,
            rng,
            config,
            vars: Vec::new(),
            arrays: Vec::new(),
            scalars: Vec::new(),
            params: Vec::new(),
            names: 0,
            work: 1,
            loops: 0,
        }
    }

    fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.rng.usize(..items.len())].clone()
    }

    /// True in `percent` of the cases.
    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(..100) < percent
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    // The function around the nests.

    fn function(mut self, index: usize) -> Function {
        let mut params = self.integer_params();
        let restrict = self.chance(if self.plain { 75 } else { 15 });
        let (pointers, pools) = self.pointer_params(restrict);
        params.extend(pointers);
        if !restrict && self.chance(40) {
            self.global_arrays();
        }
        let locals = self.locals();
        let mut body = Vec::new();
        let nests = self.pick(&[1, 1, 1, 2, 3]);
        for _ in 0..nests {
            if self.chance(20) {
                body.push(self.statement());
            }
            body.push(self.nest());
        }
        let calls = (0..5).map(|call| self.call(call, restrict, &pools)).collect();
        Function {
            name: format!("f{index}"),
            params: list(params),
            locals,
            body,
            result: self.result(),
            calls,
        }
    }

    fn integer_params(&mut self) -> Vec<String> {
        let choices = [
            ("n", INTS[0], -2, 24),
            ("m", INTS[0], 0, 14),
            ("p", INTS[0], 1, 20),
            ("u", INTS[1], 0, 14),
            ("l", INTS[2], -3, 12),
            ("z", INTS[3], 0, 16),
            ("h", INTS[4], -4, 12),
            ("c", INTS[7], 0, 12),
        ];
        let mut texts = Vec::new();
        for (index, (name, ty, low, high)) in choices.into_iter().enumerate() {
            if index < 2 || self.chance(35) {
                texts.push(format!("{} {name}", ty.c));
                self.params.push(Var { text: name.into(), ty, low, high });
            }
        }
        self.vars = self.params.clone();
        texts
    }

    /// The parameters' texts, and the types of the buffers that they point into.
    fn pointer_params(&mut self, restrict: bool) -> (Vec<String>, Vec<(Type, Shape)>) {
        let favourite = if self.chance(35) { self.pick(&FLOATS) } else { self.pick(&INTS) };
        let (mut texts, mut pools) = (Vec::new(), Vec::<(Type, Shape)>::new());
        let qualifier = if restrict { "__restrict " } else { "" };
        for _ in 0..self.rng.usize(2..=4) {
            let ty = match self.rng.u32(..10) {
                0..=5 => favourite,
                6 | 7 => self.pick(&FLOATS),
                _ => self.pick(&INTS),
            };
            let shape = match self.rng.u32(..20) {
                0 => Shape::Records,
                1..=4 => Shape::Rows,
                _ => Shape::Flat(WINDOW),
            };
            let same = |pool: &&(Type, Shape)| {
                (pool.1 == Shape::Records) == (shape == Shape::Records)
                    && (pool.0 == ty || shape == Shape::Records)
            };
            if restrict && pools.iter().filter(same).count() == 2 {
                continue;
            }
            let name = self.name("a");
            texts.push(match shape {
                Shape::Flat(_) => format!("{} *{qualifier}{name}", ty.c),
                Shape::Rows => format!("{} (*{qualifier}{name})[{COLUMNS}]", ty.c),
                Shape::Records => format!("struct S *{qualifier}{name}"),
            });
            pools.push((ty, shape));
            self.arrays.push(Array { name, ty, shape });
        }
        (texts, pools)
    }

    /// The buffers and matrices by their own names: they may be what a pointer points to.
    fn global_arrays(&mut self) {
        let used = self.arrays[0].clone();
        if used.shape != Shape::Records {
            let name = format!("b_{}", used.ty.short);
            self.arrays.push(Array { name, ty: used.ty, shape: Shape::Flat(WINDOW) });
        }
        let (name, ty) = self.pick(&[("m_i32", INTS[0]), ("m_f64", FLOATS[1]), ("m_i16", INTS[4])]);
        self.arrays.push(Array { name: name.into(), ty, shape: Shape::Rows });
    }

    fn locals(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        for _ in 0..self.rng.usize(1..=3) {
            let ty = self.pick(&[INTS[0], INTS[1], INTS[2], INTS[3], INTS[4], INTS[7], FLOATS[0], FLOATS[1]]);
            let name = self.name("s");
            let init = if ty.float { "0.25".into() } else { format!("{}", self.rng.u32(..9)) };
            texts.push(format!("{} {name} = {init};", ty.c));
            self.scalars.push(Scalar { name, ty });
        }
        if self.chance(15) {
            let (name, ty) = self.pick(&[("g_i32", INTS[0]), ("g_u32", INTS[1]), ("g_f64", FLOATS[1])]);
            self.scalars.push(Scalar { name: name.into(), ty });
        }
        texts
    }

    fn result(&self) -> String {
        let digest = |s: &Scalar| match s.ty.float {
            true => format!("(unsigned long)(long)({} * 1048576.0)", s.name),
            false => format!("(unsigned long){}", s.name),
        };
        self.scalars.iter().fold("7ul".to_owned(), |sum, s| format!("({sum} * 31ul + {})", digest(s)))
    }

    fn call(&mut self, number: usize, restrict: bool, pools: &[(Type, Shape)]) -> String {
        let mut args = Vec::new();
        for param in self.params.clone() {
            let value = match number {
                0 => param.high,
                1 => param.low,
                _ => self.rng.i64(param.low..=param.high),
            };
            args.push(value.to_string());
        }
        let mut taken: Vec<String> = Vec::new();
        for (ty, shape) in pools {
            let buffer = if *shape == Shape::Records { "b_s".into() } else { format!("b_{}", ty.short) };
            let offset = if restrict {
                WINDOW * taken.iter().filter(|name| **name == buffer).count() as i64
            } else if number == 0 {
                // Apart, as a run-time check wants it: the first call takes the new loops.
                (WINDOW / 2) * taken.iter().filter(|name| **name == buffer).count() as i64 % (WINDOW + 1)
            } else {
                self.pick(&[0, 0, 1, 2, 7, 32, 64, 300, WINDOW - 1, WINDOW, WINDOW])
            };
            args.push(match shape {
                Shape::Rows => format!("({} (*)[{COLUMNS}])({buffer} + {offset})", ty.c),
                _ => format!("{buffer} + {offset}"),
            });
            taken.push(buffer);
        }
        list(args)
    }

    // Subscripts.

    /// A random sum over one to three variables, the innermost loops first.
    fn sum(&mut self) -> Sum {
        let mut terms: Vec<(i64, Var)> = Vec::new();
        for _ in 0..self.pick(&[1, 1, 2, 2, 3]) {
            let var = self.var();
            if terms.iter().all(|(_, other)| other.text != var.text) {
                terms.push((self.pick(&[1, 1, 1, 1, 1, 2, 3, 5, -1, -1, -2, 16]), var));
            }
        }
        Sum { terms, constant: 0 }
    }

    /// A variable; loop variables more often than parameters; sometimes a product of two.
    fn var(&mut self) -> Var {
        let loops = self.vars.len() - self.params.len();
        let one = if loops > 0 && self.chance(85) {
            let back = self.rng.usize(..loops).min(self.rng.usize(..loops));
            self.vars[self.vars.len() - 1 - back].clone()
        } else {
            self.pick(&self.vars.clone())
        };
        if self.chance(if self.plain { 2 } else { 12 }) { self.product(one) } else { one }
    }

    /// `i * p`: a flat array's row.
    fn product(&mut self, one: Var) -> Var {
        let other = self.pick(&self.params.clone());
        let corners =
            [one.low * other.low, one.low * other.high, one.high * other.low, one.high * other.high];
        let low = corners.into_iter().min().unwrap_or(0);
        let high = corners.into_iter().max().unwrap_or(0);
        let ty = self.pick(&[INTS[0], INTS[2]]);
        let text = format!("(({}){} * ({}){})", ty.c, one.text, ty.c, other.text);
        Var { text, ty, low, high }
    }

    /// A subscript in [0, limit).
    fn subscript(&mut self, limit: i64) -> String {
        if self.chance(if self.plain { 93 } else { 78 }) {
            for _ in 0..4 {
                let mut sum = self.sum();
                let slack = self.pick(&[0, 0, 0, 1, 1, 2, 3, 8]);
                sum.constant = if sum.low() >= 0 && self.chance(70) { slack } else { slack - sum.low() };
                if sum.low() >= 0 && sum.high() < limit {
                    let ty = self.pick(&[0, 0, 1, 1, 2, 3]);
                    return sum.render(SUM_TYPES[ty]);
                }
            }
        }
        let mask = self.pick(&[limit - 1, limit - 1, 7, 15, 31]).min(limit - 1);
        self.masked(mask)
    }

    /// A subscript in [0, mask]; the mask is a power of two minus one.
    fn masked(&mut self, mask: i64) -> String {
        let sum = self.sum();
        let text = sum.render(self.sum_type());
        match self.rng.u32(..9) {
            0 => format!("({text}) & {mask}"),
            1 => format!("(size_t)(unsigned char)({text}) & {mask}ul"),
            2 => format!("(unsigned short)({text}) % {}u", mask + 1),
            3 => format!("((unsigned)({text}) / 2u) & {mask}u"),
            4 => format!("((long)({text}) >> 1) & {mask}l"),
            5 => {
                let other = self.sum().render(INTS[0]);
                let sign = self.pick(&["<", ">"]);
                let text = sum.render(INTS[0]);
                format!("({text} {sign} {other} ? {text} : {other}) & {mask}")
            }
            6 | 7 => {
                let load = self.load_int();
                format!("{load} & {mask}u")
            }
            _ => match self.integer_scalar() {
                Some(s) => format!("(unsigned){} & {mask}u", s.name),
                None => format!("({text}) & {mask}"),
            },
        }
    }

    fn sum_type(&mut self) -> Type {
        self.pick(&SUM_TYPES)
    }

    fn integer_scalar(&mut self) -> Option<Scalar> {
        let ints: Vec<_> = self.scalars.iter().filter(|s| !s.ty.float).cloned().collect();
        (!ints.is_empty()).then(|| self.pick(&ints))
    }

    /// A shallow integer load: `(unsigned)a[i + 1]`.
    fn load_int(&mut self) -> String {
        let ints: Vec<_> = self
            .arrays
            .iter()
            .filter(|a| !a.ty.float && matches!(a.shape, Shape::Flat(_)))
            .cloned()
            .collect();
        if ints.is_empty() {
            return format!("pure((unsigned){})", self.var().text);
        }
        let array = self.pick(&ints);
        let Shape::Flat(limit) = array.shape else { return "1u".into() };
        let mut sum = self.sum();
        sum.constant = -sum.low();
        let at = if sum.high() < limit { sum.render(INTS[0]) } else { "3".into() };
        format!("(unsigned){}[{at}]", array.name)
    }

    /// An array element (or field) and its type.
    fn place(&mut self) -> (String, Type) {
        let array = self.pick(&self.arrays.clone());
        let name = &array.name;
        match array.shape {
            Shape::Flat(limit) => (format!("{name}[{}]", self.subscript(limit)), array.ty),
            Shape::Rows => {
                let row = self.subscript(COLUMNS - 1);
                (format!("{name}[{row}][{}]", self.subscript(COLUMNS)), array.ty)
            }
            Shape::Records => {
                let (field, ty) =
                    self.pick(&[("x", INTS[0]), ("y", INTS[4]), ("z", INTS[7]), ("w", FLOATS[1])]);
                (format!("{name}[{}].{field}", self.subscript(WINDOW)), ty)
            }
        }
    }

    fn place_of(&mut self, float: bool) -> Option<(String, Type)> {
        (0..4).map(|_| self.place()).find(|(_, ty)| ty.float == float)
    }

    // Values.

    fn unsigned(&mut self, depth: u32) -> Expr {
        let class = Class::Unsigned;
        if depth == 0 || self.chance(25) {
            return self.unsigned_leaf();
        }
        let pattern = self.pick(&[
            "(@ + @)",
            "(@ + @)",
            "(@ - @)",
            "(@ * @)",
            "(@ ^ @)",
            "(@ & @)",
            "(@ | @)",
            "(@ / (@ | 1u))",
            "mix((unsigned)@, (unsigned)@)",
            "(unsigned)(@ < @)",
        ]);
        match self.rng.u32(..20) {
            0 => Expr::of(class, "(@ >> 3)", [self.unsigned(depth - 1)]),
            1 => Expr::of(class, "(unsigned)((int)@ / 3)", [self.unsigned(depth - 1)]),
            2 => Expr::of(class, "(unsigned)((short)@ >> 2)", [self.unsigned(depth - 1)]),
            3 => Expr::of(class, "(unsigned)((signed char)@ % 5)", [self.unsigned(depth - 1)]),
            4 => {
                let parts = [self.condition(), self.unsigned(depth - 1), self.unsigned(depth - 1)];
                Expr::of(class, "(@ ? @ : @)", parts)
            }
            5 => Expr::of(class, "(unsigned)(int)(@ * 64.0)", [self.float(depth - 1)]),
            6 if !self.plain && self.chance(40) => {
                Expr::of(class, "pure((unsigned)@)", [self.unsigned(depth - 1)])
            }
            7 if !self.plain && self.chance(10) => {
                Expr::of(class, "opaque((unsigned)@)", [self.unsigned(depth - 1)])
            }
            8 if self.chance(20) => Expr::of(class, "peek((unsigned)@)", [self.unsigned(depth - 1)]),
            _ => Expr::of(class, pattern, [self.unsigned(depth - 1), self.unsigned(depth - 1)]),
        }
    }

    fn unsigned_leaf(&mut self) -> Expr {
        let cast = self.pick(&["unsigned", "unsigned", "unsigned long"]);
        let text = match self.rng.u32(..12) {
            0..=5 => match self.place_of(false) {
                Some((place, _)) => format!("({cast}){place}"),
                None => format!("({cast}){}", self.var().text),
            },
            6 | 7 => format!("({cast}){}", self.var().text),
            8 | 9 => match self.integer_scalar() {
                Some(s) => format!("({cast}){}", s.name),
                None => "9u".into(),
            },
            10 => format!("{}u", self.rng.u32(..100)),
            _ if self.plain => "4u".into(),
            _ => self.helper_value(),
        };
        Expr::text(Class::Unsigned, text)
    }

    /// The result of a helper function that is inlined, loops and all.
    fn helper_value(&mut self) -> String {
        let flats: Vec<_> = self.arrays.iter().filter(|a| a.shape == Shape::Flat(WINDOW)).cloned().collect();
        if flats.is_empty() {
            return "2u".into();
        }
        let array = self.pick(&flats);
        let (name, short) = (&array.name, array.ty.short);
        let at = self.subscript(WINDOW / 8);
        match self.rng.u32(..4) {
            0 if !array.ty.float => format!("sum_{short}({name} + ({at}), {})", self.rng.u32(..7)),
            1 if !array.ty.float => {
                let wanted = self.var().text;
                format!("find_{short}({name} + ({at}), {}u, (unsigned){wanted})", self.rng.u32(1..9))
            }
            2 => format!("ld16({name}, {at})"),
            _ => format!("ld32({name}, {at})"),
        }
    }

    fn float(&mut self, depth: u32) -> Expr {
        let class = Class::Float;
        if depth == 0 || self.chance(25) {
            return self.float_leaf();
        }
        let pattern = self.pick(&[
            "(@ * 0.5 + @ * 0.25)",
            "((@ + @) * 0.5)",
            "((@ - @) * 0.5)",
            "(@ * @ * 0.25)",
            "(@ > @ ? 1.5 : -0.5)",
            "(__builtin_fabs(@) - @ * 0.0)",
            "((float)@ * 0.75f - @ * 0.125)",
        ]);
        if self.chance(10) {
            let parts = [self.condition(), self.float(depth - 1), self.float(depth - 1)];
            return Expr::of(class, "(@ ? @ : @)", parts);
        }
        Expr::of(class, pattern, [self.float(depth - 1), self.float(depth - 1)])
    }

    fn float_leaf(&mut self) -> Expr {
        let class = Class::Float;
        match self.rng.u32(..10) {
            0..=5 => match self.place_of(true) {
                Some((place, _)) => Expr::text(class, place),
                None => Expr::text(class, "0.375"),
            },
            6 | 7 => {
                let floats: Vec<_> = self.scalars.iter().filter(|s| s.ty.float).cloned().collect();
                match floats.is_empty() {
                    true => Expr::text(class, "1.25"),
                    false => Expr::text(class, self.pick(&floats).name),
                }
            }
            8 => Expr::of(class, "((double)((int)(@ & 15u) - 8) * 0.25)", [self.unsigned(1)]),
            _ => Expr::text(class, format!("bits((unsigned long){})", self.var().text)),
        }
    }

    fn condition(&mut self) -> Expr {
        let class = Class::Condition;
        match if self.plain { self.rng.u32(..9) } else { self.rng.u32(..14) } {
            0..=4 => {
                let sign = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let (left, right) = (self.var().text, self.pick(&["3", "n", "m", "1", "5"]));
                Expr::text(class, format!("((long){left} {sign} {right})"))
            }
            5 => {
                let sum = self.sum().render(INTS[0]);
                let sign = self.pick(&["<", "<=", ">", "==", "!="]);
                Expr::text(class, format!("({sum} {sign} {})", self.rng.u32(..12)))
            }
            6 => {
                let sum = self.sum().render(INTS[1]);
                Expr::text(class, format!("((unsigned)({sum}) - 3u < {}u)", self.rng.u32(..9)))
            }
            7 => {
                Expr::text(class, format!("((unsigned){} % {}u == 1u)", self.var().text, self.rng.u32(2..5)))
            }
            8 => {
                let ty = self.pick(&INTS).c;
                let sum = self.sum().render(INTS[1]);
                Expr::text(class, format!("(({ty})({sum}) < {})", self.rng.u32(..12)))
            }
            9 => {
                let sign = self.pick(&["&&", "||"]);
                Expr::of(class, &format!("(@ {sign} @)"), [self.condition(), self.condition()])
            }
            10 => Expr::of(class, "(@ < @)", [self.float(1), self.float(1)]),
            11 => Expr::of(class, "((int)@ > (int)@)", [self.unsigned(1), self.unsigned(1)]),
            _ => Expr::of(class, "((@ & 3u) != 0u)", [self.unsigned(1)]),
        }
    }

    // Statements.

    fn statement(&mut self) -> Node {
        let kind = self.rng.u32(..40);
        match if self.plain && kind > 9 && kind < 12 && self.chance(70) { 20 } else { kind } {
            0..=9 => self.assign_scalar(),
            10 => self.bytes(),
            11 => self.block_copy(),
            12 => Node::Line(self.helper_store()),
            13 => self.switch(),
            _ => self.assign_element(),
        }
    }

    fn assign_scalar(&mut self) -> Node {
        let scalar = self.pick(&self.scalars.clone());
        let line = self.assignment(&scalar.name, scalar.ty);
        Node::Line(line)
    }

    fn assign_element(&mut self) -> Node {
        let (place, ty) = self.place();
        let line = self.assignment(&place, ty);
        Node::Line(line)
    }

    fn assignment(&mut self, place: &str, ty: Type) -> Expr {
        let c = ty.c;
        if ty.float {
            let value = self.float(2);
            let pattern = if self.chance(35) {
                format!("{place} = ({c})({place} * 0.5 + @ * 0.25);")
            } else {
                format!("{place} = ({c})@;")
            };
            return Expr::of(Class::Fixed, &pattern, [value]);
        }
        let value = self.unsigned(2);
        let wide = if ty.bits == 64 { "unsigned long" } else { "unsigned" };
        let compound = self.pick(&["+=", "-=", "^=", "|=", "*="]);
        let pattern = match self.rng.u32(..5) {
            0 | 1 => format!("{place} = ({c})(({wide}){place} {} @);", self.pick(&["+", "+", "-", "^", "*"])),
            2 if !ty.signed => format!("{place} {compound} @;"),
            _ => format!("{place} = ({c})@;"),
        };
        Expr::of(Class::Fixed, &pattern, [value])
    }

    /// A choice by data or by counters, one of whose cases goes on into the next.
    fn switch(&mut self) -> Node {
        let value = match self.chance(50) {
            true => Expr::of(Class::Fixed, "(int)(@ & 7u)", [self.unsigned(1)]),
            false => Expr::text(Class::Fixed, format!("(int){}", self.var().text)),
        };
        let mut parts = vec![value];
        for _ in 0..4 {
            let (place, ty) = self.place();
            parts.push(self.assignment(&place, ty));
        }
        let pattern = "switch (@) { case 1: @ break; case 2: @ case 5: @ break; case 3: break; default: @ }";
        Node::Line(Expr::of(Class::Fixed, pattern, parts))
    }

    /// Stores through `unsigned char` and `memcpy` into an integer array.
    fn bytes(&mut self) -> Node {
        let ints: Vec<_> =
            self.arrays.iter().filter(|a| !a.ty.float && a.shape == Shape::Flat(WINDOW)).cloned().collect();
        if ints.is_empty() {
            return self.assign_scalar();
        }
        let (array, at) = (self.pick(&ints).name, self.subscript(WINDOW));
        let pattern = match self.rng.u32(..3) {
            0 => format!("((unsigned char *){array})[{at}] = (unsigned char)@;"),
            1 => format!("st16({array}, {at}, (unsigned)@);"),
            _ => format!("st32({array}, {at}, (unsigned)@);"),
        };
        Node::Line(Expr::of(Class::Fixed, &pattern, [self.unsigned(1)]))
    }

    /// `memset`, `memmove` and structure copies.
    fn block_copy(&mut self) -> Node {
        let array = self.pick(&self.arrays.clone());
        let name = &array.name;
        let (from, to) = (self.subscript(16), self.subscript(16));
        let count = self.rng.u32(..9);
        let size = format!("{count} * sizeof *{name}");
        let text = match (array.shape, self.rng.u32(..2)) {
            (Shape::Records, _) => format!("{name}[{from}] = {name}[{to}];"),
            (Shape::Rows, _) => {
                let columns = format!("{count} * sizeof **{name}");
                format!("memmove({name}[{to}], {name}[{from}], {columns});")
            }
            (_, 0) => format!("memset({name} + ({to}), 0, {size});"),
            _ => format!("memmove({name} + ({to}), {name} + ({from}), {size});"),
        };
        Node::Line(Expr::text(Class::Fixed, text))
    }

    fn helper_store(&mut self) -> Expr {
        let ints: Vec<_> =
            self.arrays.iter().filter(|a| !a.ty.float && a.shape == Shape::Flat(WINDOW)).cloned().collect();
        if ints.is_empty() {
            return Expr::text(Class::Fixed, "counter ^= opaque(3u);");
        }
        let array = self.pick(&ints);
        let at = self.subscript(WINDOW / 8);
        let count = self.rng.u32(..6);
        let pattern = format!("put_{}({} + ({at}), {count}, (unsigned)@);", array.ty.short, array.name);
        Expr::of(Class::Fixed, &pattern, [self.unsigned(1)])
    }

    // Loops.

    fn nest(&mut self) -> Node {
        let (vars, arrays) = (self.vars.len(), self.arrays.len());
        let work = self.work;
        let node = self.any_loop();
        self.vars.truncate(vars);
        self.arrays.truncate(arrays);
        self.work = work;
        node
    }

    fn body(&mut self) -> Vec<Node> {
        self.loops += 1;
        let mut nodes = self.bodies();
        self.loops -= 1;
        if nodes.is_empty() {
            nodes.push(self.assign_element());
        }
        nodes
    }

    fn bodies(&mut self) -> Vec<Node> {
        let deeper = self.loops < self.config.depth && self.work < 4000;
        let mut nodes = Vec::new();
        for _ in 0..self.rng.usize(1..=self.config.statements) {
            let node = match self.rng.u32(..100) {
                0..=37 if deeper => self.nest(),
                38..=53 => self.conditional(),
                54..=56 if !self.plain || self.chance(20) => self.jump(),
                _ => self.statement(),
            };
            nodes.push(node);
        }
        nodes
    }

    fn conditional(&mut self) -> Node {
        let condition = self.condition();
        let loops = self.loops;
        if self.chance(60) {
            self.loops = self.config.depth;
        }
        let then = if self.chance(70) { vec![self.statement()] } else { self.bodies() };
        let otherwise = if self.chance(35) { vec![self.statement()] } else { Vec::new() };
        self.loops = loops;
        Node::If { condition, then, otherwise }
    }

    fn jump(&mut self) -> Node {
        let jump = self.pick(&["break;", "break;", "continue;", "continue;", "goto done;"]);
        let condition = self.condition();
        Node::If { condition, then: vec![Node::Line(Expr::text(Class::Fixed, jump))], otherwise: Vec::new() }
    }

    fn cap(&self) -> i64 {
        [26, 14, 8, 5][self.loops.min(3)]
    }

    /// A loop bound: affine in what is outside.
    fn bound(&mut self) -> Sum {
        let mut terms = Vec::new();
        for _ in 0..self.pick(&[0, 1, 1, 1, 2]) {
            let var = self.var();
            if var.high < 40 && terms.iter().all(|(_, v): &(i64, Var)| v.text != var.text) {
                terms.push((self.pick(&[1, 1, 1, 1, 2, -1]), var));
            }
        }
        let constant = if terms.is_empty() { self.rng.i64(0..=self.cap()) } else { self.rng.i64(-2..=3) };
        Sum { terms, constant }
    }

    /// A lower and an upper bound that are at most `cap` apart.
    fn bounds(&mut self) -> (Sum, Sum) {
        for _ in 0..12 {
            let low = if self.chance(55) {
                Sum { terms: vec![], constant: self.pick(&[0, 0, 0, 1, 2, -3]) }
            } else {
                self.bound()
            };
            let high = self.bound();
            let spread = high.high() - low.low();
            if spread <= self.cap() && spread >= 1 && low.low() > -60 && high.high() < 90 && low.high() < 90 {
                return (low, high);
            }
        }
        let high = self.rng.i64(0..=self.cap());
        (Sum { terms: vec![], constant: 0 }, Sum { terms: vec![], constant: high })
    }

    /// The text of a bound, of a type that holds it exactly.
    fn exact(&mut self, sum: &Sum) -> String {
        let ty = self.pick(&[INTS[0], INTS[0], INTS[2]]);
        sum.render(ty)
    }

    /// The text of a bound that is not negative: a count.
    fn count(&mut self, cap: i64) -> (String, i64) {
        for _ in 0..8 {
            let sum = self.bound();
            if sum.high() > 0 && sum.high() <= cap {
                let text = sum.render(INTS[0]);
                let text = if sum.low() < 0 { format!("({text} > 0 ? {text} : 0)") } else { text };
                return (format!("({text})"), sum.high());
            }
        }
        let count = self.rng.i64(0..=cap.min(9));
        (count.to_string(), count)
    }

    /// An integer type that holds everything between the two values.
    fn type_for(&mut self, low: i64, high: i64) -> Type {
        let fits = |ty: &Type| {
            let bits = if ty.signed { ty.bits - 1 } else { ty.bits };
            let top = if bits >= 62 { i64::MAX } else { (1 << bits) - 1 };
            high <= top && low >= if ty.signed { -top } else { 0 }
        };
        let wide: &[usize] = &[0, 0, 0, 0, 2, 2, 1, 3];
        let weighted: &[usize] =
            if self.plain && self.chance(85) { wide } else { &[0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7] };
        loop {
            let index = self.pick(weighted);
            let ty = INTS[index];
            if fits(&ty) {
                return ty;
            }
        }
    }

    fn any_loop(&mut self) -> Node {
        match if self.plain && self.chance(80) { self.rng.u32(..28) } else { self.rng.u32(..40) } {
            0..=17 => self.up(),
            18..=23 => self.down(),
            24..=26 => self.not_equal(),
            27..=28 => self.near_limit(),
            29..=30 => self.do_while(),
            31 => self.two_exits(),
            32 => self.bound_in_memory(),
            33..=34 => self.data_exit(),
            35 => self.geometric(),
            _ => self.pointer_loop(),
        }
    }

    fn step(&mut self) -> i64 {
        self.pick(&[1, 1, 1, 1, 1, 1, 2, 3, 5, 7])
    }

    /// `for (i = low; i < high; i += step)`, `<=` as well.
    fn up(&mut self) -> Node {
        let (low, high) = self.bounds();
        let step = self.step();
        let inclusive = self.chance(25);
        let last = high.high() - i64::from(!inclusive);
        let ty = self.type_for(low.low(), last.max(low.high()) + step);
        let name = self.name("i");
        let (first, mut end) = (self.exact(&low), self.exact(&high));
        if !ty.signed && ty.bits >= 32 && high.low() < 0 {
            end = format!("({end} > 0 ? {end} : 0)");
            if inclusive {
                return self.finish_up(
                    ty,
                    &name,
                    &first,
                    (&low, last.max(0)),
                    &format!("{name} <= ({}){end}", ty.c),
                    step,
                );
            }
        } else if self.chance(30) {
            end = format!("({})({end})", if ty.bits < 32 { "int" } else { ty.c });
        }
        let sign = if inclusive { "<=" } else { "<" };
        let test = if self.chance(15) {
            format!("({end}) {} {name}", if inclusive { ">=" } else { ">" })
        } else {
            format!("{name} {sign} {end}")
        };
        self.finish_up(ty, &name, &first, (&low, last), &test, step)
    }

    fn finish_up(
        &mut self,
        ty: Type,
        name: &str,
        first: &str,
        range: (&Sum, i64),
        test: &str,
        step: i64,
    ) -> Node {
        let (low, last) = range;
        let trips = ((last - low.low()) / step + 1).max(0);
        let increment = match step {
            1 => self.pick(&[format!("{name}++"), format!("++{name}"), format!("{name} += 1")]),
            _ => format!("{name} += {step}"),
        };
        let var = Var { text: name.into(), ty, low: low.low(), high: last.max(low.high()) };
        self.counted(var, ty, name, &format!("({})({first})", ty.c), test, &increment, trips)
    }

    /// The rest of a `for` loop whose variable is `name`, with all that may surround it.
    #[allow(clippy::too_many_arguments)]
    fn counted(
        &mut self,
        var: Var,
        ty: Type,
        name: &str,
        first: &str,
        test: &str,
        increment: &str,
        trips: i64,
    ) -> Node {
        let c = ty.c;
        let outside = self.chance(25);
        let (mut before, init, once, after);
        if outside {
            before = format!("{c} {name};");
            init = format!("{name} = {first}");
            once = format!("{name} = {first};");
            after = self.use_after(name);
        } else {
            before = String::new();
            init = format!("{c} {name} = {first}");
            once = format!("{c} {name} = {first};");
            after = String::new();
        }
        self.vars.push(var);
        let counter = self.counter(trips, &mut before);
        self.work *= trips.max(1);
        let mut body = self.body();
        self.insert(counter, &mut body);
        // As `while`, where `continue` would skip the increment.
        if self.chance(12) && !contains_continue(&body) {
            let before = format!("{before} {init};");
            let head = Expr::text(Class::Fixed, format!("while ({test})"));
            let tail = format!("{increment};");
            return Node::Loop { before, head, once: " ".into(), body, tail, end: String::new(), after };
        }
        let head = Expr::text(Class::Fixed, format!("for ({init}; {test}; {increment})"));
        Node::Loop { before, head, once, body, tail: String::new(), end: String::new(), after }
    }

    /// The final value of a loop's variable, used after the loop.
    fn use_after(&mut self, name: &str) -> String {
        match self.integer_scalar() {
            Some(s) => {
                format!("{0} = ({1})((unsigned long){0} * 3ul + (unsigned long){name});", s.name, s.ty.c)
            }
            None => String::new(),
        }
    }

    /// Sometimes a counter beside the loop's variable: `k` rises at most once per iteration.
    fn counter(&mut self, trips: i64, before: &mut String) -> Option<Node> {
        if !self.chance(18) || trips > 200 {
            return None;
        }
        let (name, start, step) = (self.name("k"), self.rng.i64(0..5), self.pick(&[1, 1, 2, 3]));
        let ty = self.pick(&[INTS[0], INTS[1], INTS[2], INTS[3]]);
        *before += &format!(" {} {name} = {start};", ty.c);
        self.vars.push(Var { text: name.clone(), ty, low: start, high: start + step * trips });
        Some(Node::Line(Expr::text(Class::Fixed, format!("{name} += {step};"))))
    }

    fn insert(&mut self, counter: Option<Node>, body: &mut Vec<Node>) {
        let Some(line) = counter else { return };
        let node = if self.chance(40) {
            let condition = self.condition();
            Node::If { condition, then: vec![line], otherwise: Vec::new() }
        } else {
            line
        };
        let at = self.rng.usize(..=body.len());
        body.insert(at, node);
    }

    fn down(&mut self) -> Node {
        let (low, high) = self.bounds();
        let step = self.step();
        let name = self.name("i");
        if low.low() >= 0 && self.chance(30) {
            return self.count_down(&name);
        }
        let inclusive = self.chance(50);
        let least = low.low().min(high.low()) - step;
        let mut ty = self.type_for(least, high.high());
        if !ty.signed {
            ty = INTS[0];
        }
        let (first, end) = (self.exact(&high), self.exact(&low));
        let sign = if inclusive { ">=" } else { ">" };
        let test = format!("{name} {sign} {end}");
        let increment = if step == 1 { format!("{name}--") } else { format!("{name} -= {step}") };
        let var = Var { text: name.clone(), ty, low: low.low().min(high.low()), high: high.high() };
        let trips = ((high.high() - low.low()) / step + 1).max(0);
        self.counted(var, ty, &name, &format!("({})({first})", ty.c), &test, &increment, trips)
    }

    /// `for (i = count; i-- > 0;)`, mostly unsigned.
    fn count_down(&mut self, name: &str) -> Node {
        let (count, most) = self.count(self.cap());
        let ty = self.pick(&[INTS[1], INTS[3], INTS[7], INTS[0]]);
        self.vars.push(Var { text: name.into(), ty, low: 0, high: (most - 1).max(0) });
        self.work *= most.max(1);
        let body = self.body();
        let test = self.pick(&["-- > 0", "-- != 0"]);
        let head =
            Expr::text(Class::Fixed, format!("for ({} {name} = ({}){count}; {name}{test};)", ty.c, ty.c));
        let once = format!("{} {name} = 0;", ty.c);
        Node::Loop {
            before: String::new(),
            head,
            once,
            body,
            tail: String::new(),
            end: String::new(),
            after: String::new(),
        }
    }

    /// `for (i = first; i != end; i += step)`; an unsigned variable may wrap around on its way.
    fn not_equal(&mut self) -> Node {
        let (count, most) = self.count(self.cap());
        let step = self.step();
        let name = self.name("i");
        let downward = self.chance(25);
        let index = self.pick(&[0, 1, 2, 3, 5, 7]);
        let ty = INTS[index];
        let c = ty.c;
        let sign = if downward { "-" } else { "+" };
        let (first, var) = if ty.signed {
            let first = self.rng.i64(-3..=3);
            let (low, high) =
                if downward { (first - step * most, first) } else { (first, first + step * most) };
            (first.to_string(), Var { text: name.clone(), ty, low, high })
        } else {
            let first = self.pick(&["0", "3", "7"]);
            let first = if self.chance(50) { format!("({c})(0 - {first})") } else { first.into() };
            let from = if downward {
                format!("({c})(({c}){first} - {name})")
            } else {
                format!("({c})({name} - ({c}){first})")
            };
            (first, Var { text: from, ty, low: 0, high: step * most })
        };
        let end = format!("({c})({first} {sign} {step} * {count})");
        let end = if ty.bits == 64 {
            format!("({c})(({c}){first} {sign} ({c}){step} * ({c}){count})")
        } else {
            end
        };
        let test = format!("{name} != {end}");
        let increment = format!("{name} {sign}= {step}");
        self.counted(var, ty, &name, &format!("({c}){first}"), &test, &increment, most)
    }

    /// Few iterations next to the largest or the smallest value of a type.
    fn near_limit(&mut self) -> Node {
        let (count, most) = self.count(self.cap());
        let name = self.name("i");
        let ty = self.pick(&INTS);
        let (min, max) = limits(ty);
        let c = ty.c;
        let sign = self.pick(&["<", "!="]);
        let (first, test, increment, text) = if ty.signed && self.chance(40) {
            let test = format!("{name} {} {min}", if sign == "<" { ">" } else { sign });
            (format!("({min} + {count})"), test, format!("{name}--"), format!("({name} - {min})"))
        } else {
            let first = format!("({max} - {count})");
            (
                first.clone(),
                format!("{name} {sign} {max}"),
                format!("{name}++"),
                format!("({name} - {first})"),
            )
        };
        let promoted = if ty.bits < 32 { INTS[0] } else { ty };
        let var = Var { text, ty: promoted, low: 0, high: most };
        self.counted(var, ty, &name, &format!("({c}){first}"), &test, &increment, most)
    }

    fn do_while(&mut self) -> Node {
        let (low, high) = self.bounds();
        let step = self.step();
        let name = self.name("i");
        let last = (high.high() - 1).max(low.high());
        let mut ty = self.type_for(low.low(), last + step);
        if high.low() < 0 && !ty.signed {
            ty = INTS[2];
        }
        let (first, end) = (self.exact(&low), self.exact(&high));
        let before = format!("{} {name} = ({})({first});", ty.c, ty.c);
        self.vars.push(Var { text: name.clone(), ty, low: low.low(), high: last });
        self.work *= (last - low.low() + 1).max(1);
        let mut body = self.body();
        if contains_continue(&body) {
            body = vec![self.assign_element()];
        }
        let after = self.use_after(&name);
        Node::Loop {
            before,
            head: Expr::text(Class::Fixed, "do"),
            once: " ".into(),
            body,
            tail: format!("{name} += {step};"),
            end: format!("while ({name} < {end});"),
            after,
        }
    }

    /// `j < n - i` in unsigned arithmetic, which may wrap, and a constant bound as well.
    fn two_exits(&mut self) -> Node {
        let name = self.name("i");
        let ty = self.pick(&[INTS[1], INTS[3]]);
        let (left, right) = (self.var().text, self.var().text);
        let cap = self.rng.i64(1..=self.cap());
        let order = self.chance(50);
        let difference = format!("{name} < ({0}){left} - ({0}){right}", ty.c);
        let constant = format!("{name} < {cap}");
        let test =
            if order { format!("{difference} && {constant}") } else { format!("{constant} && {difference}") };
        let var = Var { text: name.clone(), ty, low: 0, high: cap - 1 };
        self.counted(var, ty, &name, "0", &test, &format!("{name}++"), cap)
    }

    /// The bound is loaded in each iteration, and the body may change it.
    fn bound_in_memory(&mut self) -> Node {
        let name = self.name("i");
        let load = self.load_int();
        let ty = self.pick(&[INTS[0], INTS[1], INTS[2], INTS[4]]);
        let var = Var { text: name.clone(), ty, low: 0, high: 7 };
        self.counted(
            var,
            ty,
            &name,
            "0",
            &format!("{name} < ({})({load} & 7u)", ty.c),
            &format!("{name}++"),
            7,
        )
    }

    /// A counted loop that data may end early.
    fn data_exit(&mut self) -> Node {
        let (low, high) = self.bounds();
        let name = self.name("i");
        let ty = self.pick(&[INTS[0], INTS[2]]);
        let last = (high.high() - 1).max(low.high());
        self.vars.push(Var { text: name.clone(), ty, low: low.low(), high: last });
        let (first, end) = (self.exact(&low), self.exact(&high));
        let condition = self.condition();
        let trips = (high.high() - low.low()).max(0);
        self.work *= trips.max(1);
        let body = self.body();
        let c = ty.c;
        let pattern = format!("for ({c} {name} = ({c})({first}); {name} < {end} && @; {name}++)");
        let head = Expr::of(Class::Fixed, &pattern, [condition]);
        let once = format!("{c} {name} = ({c})({first});");
        Node::Loop {
            before: String::new(),
            head,
            once,
            body,
            tail: String::new(),
            end: String::new(),
            after: String::new(),
        }
    }

    fn geometric(&mut self) -> Node {
        let name = self.name("i");
        let high = self.rng.i64(2..=40);
        let add = self.rng.i64(0..2);
        let var = Var { text: name.clone(), ty: INTS[0], low: 1, high: high - 1 };
        let increment = format!("{name} = {name} * 2 + {add}");
        self.counted(var, INTS[0], &name, "1", &format!("{name} < {high}"), &increment, 6)
    }

    /// `for (p = a + low; p < a + high; p += step)`; in the body `p` is an array of a few elements.
    fn pointer_loop(&mut self) -> Node {
        let flats: Vec<_> = self.arrays.iter().filter(|a| a.shape == Shape::Flat(WINDOW)).cloned().collect();
        if flats.is_empty() {
            return self.up();
        }
        let array = self.pick(&flats);
        let (count, most) = self.count(self.cap());
        let (name, step, low) = (self.name("q"), self.step(), self.rng.i64(0..4));
        let equal = self.chance(40);
        let backward = self.chance(25);
        let (c, a) = (array.ty.c, &array.name);
        let end = if equal { format!("{low} + {step} * {count}") } else { format!("{low} + {count}") };
        let head = if backward {
            format!(
                "for ({c} *{name} = {a} + ({low} + {step} * {count}); {name} != {a} + {low}; {name} -= {step})"
            )
        } else {
            let sign = if equal { "!=" } else { "<" };
            format!("for ({c} *{name} = {a} + {low}; {name} {sign} {a} + ({end}); {name} += {step})")
        };
        let once = format!("{c} *{name} = {a} + {low};");
        self.arrays.push(Array { name, ty: array.ty, shape: Shape::Flat(16) });
        self.work *= most.max(1);
        let body = self.body();
        let head = Expr::text(Class::Fixed, head);
        Node::Loop {
            before: String::new(),
            head,
            once,
            body,
            tail: String::new(),
            end: String::new(),
            after: String::new(),
        }
    }
}

/// Whether a `continue` stands in the body, in an inner loop or not.
fn contains_continue(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::Line(line) => {
            let mut text = String::new();
            line.render(&mut text);
            text.contains("continue")
        }
        Node::Loop { body, .. } => contains_continue(body),
        Node::If { then, otherwise, .. } => contains_continue(then) || contains_continue(otherwise),
    })
}
