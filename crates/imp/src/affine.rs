//! Expressions and conditions as isl text, with an honest account of what is not affine.
//!
//! The analysis looks at a program through its *state*: the scalars that steer it (see [`crate::reach`]) and
//! the counters of its `for` loops, as the dimensions of a tuple `[v0, v1, ...]`; parameters stay parameters.
//! Affine here means quasi-affine: sums, products with a constant, `/` and `mod` by a constant, `min`, `max`.
//!
//! * [`Layout::integer`] gives the text of an affine expression, or the reason why it is not affine;
//! * [`Layout::condition`] gives a formula that *contains* the condition (or its negation): parts that are not
//!   affine are left out of conjunctions and make disjunctions true. `why` says what was left out; without it the
//!   formula is the condition.
//!
//! Both also say which state variables they look at, as a bit mask, because a formula over a variable whose value
//! is not known is no more exact than one that leaves it out.
//!
//! Example: over the state `[i]`, `i < n and a[i] > 0` becomes `v0 < n`, and its negation becomes a formula that
//! is always true; both with the reason that `a[i]` is data.

use crate::ast::BinOp;
use crate::resolve::*;

/// A dimension of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateVar {
    /// A scalar.
    Scalar(VarId),
    /// A `for` loop's counter; 0 outside its loop.
    Counter(CounterId),
    /// The last value of a `for` loop's counter, where the bound may change after the loop was entered.
    Bound(LoopId),
}

/// The state's dimensions and the names of everything in isl's notation.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The dimensions.
    pub vars: Vec<StateVar>,
    scalars: Vec<Option<usize>>,
    counters: Vec<Option<usize>>,
    bounds: Vec<Option<usize>>,
    /// The names of the program's parameters for isl.
    pub params: Vec<String>,
    /// The scalars whose first value matters, as further parameters: `i_in` for `i`.
    pub inputs: Vec<(VarId, String)>,
    /// What the names of state dimensions start with; no parameter starts so.
    prefix: String,
}

/// The most state variables that are followed; the bit masks are 64 wide.
pub const MAX_STATE: usize = 40;

/// Words that mean something in isl's notation.
const RESERVED: [&str; 22] = [
    "exists", "and", "or", "not", "implies", "mod", "floor", "ceil", "floord", "ceild", "min", "max", "rat",
    "true", "false", "infty", "infinity", "NaN", "card", "sum", "union", "lt",
];

/// A name that isl can read and that is not one of those taken.
pub fn safe_name(name: &str, taken: &[&str]) -> String {
    let mut safe = name.to_string();
    while RESERVED.contains(&safe.as_str()) || (safe != name && taken.contains(&safe.as_str())) {
        safe.push('_');
    }
    safe
}

/// A formula that contains a condition.
#[derive(Clone, Debug)]
pub struct Formula {
    /// isl's notation.
    pub text: String,
    /// The state variables it looks at.
    pub used: u64,
    /// Why it is not the condition itself.
    pub why: Option<String>,
}

/// An affine expression.
#[derive(Clone, Debug)]
pub struct Affine {
    /// isl's notation.
    pub text: String,
    /// The state variables it looks at.
    pub used: u64,
}

impl Layout {
    /// A layout with these dimensions; the scalars in `inputs` get a parameter for their first value.
    pub fn new(program: &Program, vars: Vec<StateVar>, inputs: &[VarId]) -> Layout {
        let mut layout = Layout {
            scalars: vec![None; program.vars.len()],
            counters: vec![None; program.counters.len()],
            bounds: vec![None; program.loops.len()],
            params: Vec::new(),
            inputs: Vec::new(),
            prefix: "v".to_string(),
            vars,
        };
        for (k, var) in layout.vars.iter().enumerate() {
            match var {
                StateVar::Scalar(id) => layout.scalars[id.index()] = Some(k),
                StateVar::Counter(id) => layout.counters[id.index()] = Some(k),
                StateVar::Bound(id) => layout.bounds[id.index()] = Some(k),
            }
        }
        let taken: Vec<&str> = program
            .params
            .iter()
            .map(|p| p.name.as_str())
            .chain(program.vars.iter().map(|v| v.name.as_str()))
            .collect();
        layout.params = program.params.iter().map(|p| safe_name(&p.name, &taken)).collect();
        let first_value = |id: &VarId| {
            let mut name = format!("{}_in", program.vars[id.index()].name);
            while taken.contains(&name.as_str()) {
                name.push('_');
            }
            name
        };
        layout.inputs = inputs.iter().map(|id| (*id, first_value(id))).collect();
        while layout.all_params().any(|name| name.starts_with(&layout.prefix)) {
            layout.prefix.push('_');
        }
        layout
    }

    /// The number of dimensions.
    pub fn len(&self) -> usize {
        self.vars.len()
    }

    /// Whether the state is empty.
    pub fn is_empty(&self) -> bool {
        self.vars.is_empty()
    }

    /// The names of all parameters, inputs included.
    pub fn all_params(&self) -> impl Iterator<Item = &str> {
        self.params.iter().map(String::as_str).chain(self.inputs.iter().map(|(_, name)| name.as_str()))
    }

    /// `[n, m] -> ` as it stands before every set.
    pub fn param_tuple(&self) -> String {
        format!("[{}] -> ", self.all_params().collect::<Vec<_>>().join(", "))
    }

    /// The name of a state dimension.
    pub fn name(&self, at: usize) -> String {
        format!("{}{at}", self.prefix)
    }

    /// `v0, v1, ...`.
    pub fn tuple(&self) -> String {
        (0..self.len()).map(|k| self.name(k)).collect::<Vec<_>>().join(", ")
    }

    /// A name that is neither a parameter nor a state dimension.
    pub fn fresh(&self, stem: &str) -> String {
        format!("{}_{stem}", self.prefix)
    }

    /// The dimension of a scalar, if it is followed.
    pub fn scalar(&self, var: VarId) -> Option<usize> {
        self.scalars[var.index()]
    }

    /// The dimension of a counter.
    pub fn counter(&self, counter: CounterId) -> Option<usize> {
        self.counters[counter.index()]
    }

    /// The dimension of a loop's bound.
    pub fn bound(&self, of: LoopId) -> Option<usize> {
        self.bounds[of.index()]
    }

    /// The expression in isl's notation, or why it has none.
    pub fn integer(&self, expr: &RExpr) -> Result<Affine, String> {
        if let Some(value) = constant(expr) {
            return Ok(Affine { text: format!("({value})"), used: 0 });
        }
        Ok(match expr {
            RExpr::Param(id) => Affine { text: self.params[id.index()].clone(), used: 0 },
            RExpr::Counter(id) => self.dimension(self.counter(*id), "a counter that is not followed")?,
            RExpr::Scalar { var, .. } => {
                self.dimension(self.scalar(*var), "a scalar that is not followed")?
            }
            RExpr::Cell { .. } => return Err("the value of an array cell".into()),
            RExpr::Neg(operand) => self.integer(operand)?.map(|text| format!("(-{text})")),
            RExpr::Bin(op, left, right) => self.operation(*op, left, right)?,
            RExpr::Int(_) | RExpr::Bool(_) | RExpr::Not(_) => return Err("a number that overflows".into()),
        })
    }

    fn dimension(&self, at: Option<usize>, missing: &str) -> Result<Affine, String> {
        at.map(|k| Affine { text: self.name(k), used: 1 << k }).ok_or_else(|| missing.to_string())
    }

    fn operation(&self, op: BinOp, left: &RExpr, right: &RExpr) -> Result<Affine, String> {
        match op {
            BinOp::Add | BinOp::Sub => self.both(left, right, |a, b| format!("({a} {} {b})", op.text())),
            BinOp::Min | BinOp::Max => self.both(left, right, |a, b| format!("{}({a}, {b})", op.text())),
            BinOp::Mul => match (constant(left), constant(right)) {
                (Some(factor), _) => Ok(self.integer(right)?.map(|text| format!("({factor}*{text})"))),
                (_, Some(factor)) => Ok(self.integer(left)?.map(|text| format!("({factor}*{text})"))),
                _ => Err("a product of two variables".into()),
            },
            BinOp::Div | BinOp::Mod => match constant(right) {
                Some(0) => Err("a division by zero".into()),
                Some(divisor) => Ok(self.integer(left)?.map(|text| quotient(op, &text, divisor))),
                None => Err("a division by a variable".into()),
            },
            _ => Err("a condition".into()),
        }
    }

    fn both(
        &self,
        left: &RExpr,
        right: &RExpr,
        join: impl Fn(&str, &str) -> String,
    ) -> Result<Affine, String> {
        let (left, right) = (self.integer(left)?, self.integer(right)?);
        Ok(Affine { text: join(&left.text, &right.text), used: left.used | right.used })
    }

    /// A formula that contains all states in which the condition has the value `wanted`.
    pub fn condition(&self, cond: &RExpr, wanted: bool) -> Formula {
        self.formula(cond, wanted, 0)
    }

    fn formula(&self, cond: &RExpr, wanted: bool, iffs: usize) -> Formula {
        match cond {
            RExpr::Bool(value) => {
                Formula { text: if *value == wanted { "0 = 0" } else { "0 = 1" }.into(), used: 0, why: None }
            }
            RExpr::Not(operand) => self.formula(operand, !wanted, iffs),
            RExpr::Bin(op @ (BinOp::And | BinOp::Or), left, right) => {
                let (left, right) = (self.formula(left, wanted, iffs), self.formula(right, wanted, iffs));
                join(left, right, (*op == BinOp::And) == wanted)
            }
            // Each `=` doubles the formula: a few are enough.
            RExpr::Bin(BinOp::Iff, left, right) if iffs < 3 => {
                let side =
                    |l, r| join(self.formula(left, l, iffs + 1), self.formula(right, r, iffs + 1), true);
                join(side(true, wanted), side(false, !wanted), false)
            }
            RExpr::Bin(op, left, right) if !op.gives_integer() && op.takes_integers() => {
                match self.both(left, right, |a, b| format!("{a} {} {b}", comparison(*op, wanted))) {
                    Ok(Affine { text, used }) => Formula { text, used, why: None },
                    Err(why) => Formula { text: "0 = 0".into(), used: 0, why: Some(why) },
                }
            }
            _ => Formula {
                text: "0 = 0".into(),
                used: 0,
                why: Some("a condition too large to write out".into()),
            },
        }
    }
}

impl Affine {
    fn map(self, text: impl FnOnce(String) -> String) -> Affine {
        Affine { text: text(self.text), used: self.used }
    }
}

fn join(left: Formula, right: Formula, conjunction: bool) -> Formula {
    let word = if conjunction { "and" } else { "or" };
    let text = format!("(({}) {word} ({}))", left.text, right.text);
    Formula { text, used: left.used | right.used, why: left.why.or(right.why) }
}

/// The comparison, or its opposite, in isl's notation.
fn comparison(op: BinOp, wanted: bool) -> &'static str {
    match (op, wanted) {
        (BinOp::Le, true) | (BinOp::Gt, false) => "<=",
        (BinOp::Lt, true) | (BinOp::Ge, false) => "<",
        (BinOp::Ge, true) | (BinOp::Lt, false) => ">=",
        (BinOp::Gt, true) | (BinOp::Le, false) => ">",
        (BinOp::Eq, true) | (BinOp::Ne, false) => "=",
        _ => "!=",
    }
}

/// Floor division and the remainder that goes with it; isl divides by positive constants.
fn quotient(op: BinOp, text: &str, divisor: i64) -> String {
    let size = divisor.unsigned_abs();
    let floor =
        if divisor > 0 { format!("floor(({text})/{size})") } else { format!("floor((-{text})/{size})") };
    let sign = if divisor > 0 { '-' } else { '+' };
    if op == BinOp::Div { floor } else { format!("({text} {sign} {size}*{floor})") }
}

/// The value of an expression without variables.
pub fn constant(expr: &RExpr) -> Option<i64> {
    match expr {
        RExpr::Int(value) => Some(*value),
        RExpr::Neg(operand) => constant(operand)?.checked_neg(),
        RExpr::Bin(op, left, right) if op.gives_integer() => {
            let (a, b) = (constant(left)?, constant(right)?);
            match op {
                BinOp::Add => a.checked_add(b),
                BinOp::Sub => a.checked_sub(b),
                BinOp::Mul => a.checked_mul(b),
                BinOp::Min => Some(a.min(b)),
                BinOp::Max => Some(a.max(b)),
                _ if b == 0 || b == -1 => None,
                BinOp::Div => Some(a.div_euclid(b) - i64::from(b < 0 && a.rem_euclid(b) != 0)),
                _ => Some(a.rem_euclid(b) + if b < 0 && a.rem_euclid(b) != 0 { b } else { 0 }),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Option<i64> {
        let program = Program::parse(&format!("x := {text}")).unwrap();
        let Node::Assign { value, .. } = &program.body[0] else { panic!() };
        constant(value)
    }

    #[test]
    fn constants_agree_with_floor_division() {
        for a in -7..=7i64 {
            for b in [-3i64, -2, 1, 2, 3] {
                let floor = (a as f64 / b as f64).floor() as i64;
                assert_eq!(value(&format!("({a}) / ({b})")), Some(floor), "{a} / {b}");
                assert_eq!(value(&format!("({a}) mod ({b})")), Some(a - b * floor), "{a} mod {b}");
            }
        }
        assert_eq!(value("1 / 0"), None);
    }
}
