//! Loops over tiles, which isl counts one by one.
//!
//! A loop over tiles of 48 runs over `48 floor(i / 48)`. For isl that is a set with holes, and it takes two to four times as long with
//! it as with one of `floor(i / 48)`. So isl gets the latter: [`counted`] divides such members of a band by their
//! size, and says so in a mark above the band. [`Sizes`] turns what isl answers back, into expressions of variables that
//! are `size` times isl's:
//! ```text
//! for (c = a; c <= floor((n - 1) / 48); c += 1)      for (t = t_a; t <= n - 1; t += 48)
//!   if (c >= a + 1)                                    if (t >= t_a + 48)
//!     for (i = 48 c; i <= 48 c + 47; i += 1)             for (i = t; i <= t + 47; i += 1)
//! ```
//! Comparisons are multiplied by what makes all factors whole, so a division is left only where isl adds numbers of tiles of
//! different sizes.

use crate::{Expr, Op, Variable};
use isl::{Aff, DimType, Id, MultiVal, ScheduleNode, UnionPwAff, Val};
use std::collections::HashMap;

/// The name of the mark, before the sizes.
const TILES: &str = "tiles ";

/// The band with loops over tiles counted one by one, under a mark that says so if there are such.
pub(crate) fn counted(band: ScheduleNode) -> isl::Result<ScheduleNode> {
    let members = band.band_get_partial_schedule()?;
    let sizes = (0..band.band_n_member()?).map(|at| size(&members.get_at(at)?));
    let sizes = sizes.collect::<isl::Result<Vec<i64>>>()?;
    if sizes.iter().all(|size| *size == 1) {
        return Ok(band);
    }
    let mut divisors = MultiVal::zero(band.band_get_space()?)?;
    for (at, size) in sizes.iter().enumerate() {
        divisors = divisors.set_at(at, Val::int_from_si(band.ctx(), *size)?)?;
    }
    let sizes: Vec<String> = sizes.iter().map(i64::to_string).collect();
    let name = format!("{TILES}{}@{}", sizes.join(" "), band.get_schedule_depth()?);
    let mark = Id::new(band.ctx(), &name)?;
    band.band_scale_down(divisors)?.insert_mark(mark)
}

/// The sizes in a mark's name without the depth.
pub(crate) fn sizes_in(name: &str) -> Option<Vec<i64>> {
    name.strip_prefix(TILES)?.split(' ').map(|size| size.parse().ok()).collect()
}

/// What all values of a member are multiples of, if it rounds; otherwise 1.
fn size(member: &UnionPwAff) -> isl::Result<i64> {
    let (mut common, mut rounds) = (0, false);
    for function in member.get_pw_aff_list()?.to_vec()? {
        function.foreach_piece(|_, value| {
            rounds |= value.dim(DimType::Div)? > 0;
            for factor in factors(&value)? {
                let whole = factor.is_int()?.then(|| factor.get_num_si()).transpose()?;
                common = gcd(common, whole.unwrap_or(1));
            }
            Ok(())
        })?;
    }
    Ok(if rounds { common.max(1) } else { 1 })
}

/// All numbers in a function.
fn factors(value: &Aff) -> isl::Result<Vec<Val>> {
    let mut all = vec![value.get_constant_val()?];
    for kind in [DimType::Param, DimType::In, DimType::Div] {
        for at in 0..value.dim(kind)? {
            all.push(value.get_coefficient_val(kind, at)?);
        }
    }
    Ok(all)
}

/// Not negative.
fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.saturating_abs(), b.saturating_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn lcm(a: i64, b: i64) -> Option<i64> {
    (a / gcd(a, b)).checked_mul(b)
}

/// How many times isl's value a variable is; once if nothing is said. Where an expression is made of isl's, its variables are ours.
/// `None` is always that a number does not fit 64 bits.
#[derive(Default)]
pub(crate) struct Sizes(HashMap<Variable, i64>);

impl Sizes {
    pub fn insert(&mut self, variable: Variable, size: i64) {
        if size != 1 {
            self.0.insert(variable, size);
        }
    }

    /// isl's expression.
    pub fn ours(&self, expr: Expr) -> Option<Expr> {
        self.times(expr, 1)
    }

    /// What a variable of this size must not exceed if isl's must not exceed `last`: its values are multiples of the size, so there is
    /// no need to round.
    pub fn last(&self, last: Expr, size: i64) -> Option<Expr> {
        match last {
            Expr::Op(Op::Min, leaves) if size != 1 => {
                let leaves = leaves.into_iter().map(|leaf| self.last(leaf, size));
                Some(Expr::Op(Op::Min, leaves.collect::<Option<_>>()?))
            }
            Expr::Op(op @ (Op::Add | Op::Sub), mut sides)
                if size != 1 && matches!(sides[1], Expr::Int(_)) =>
            {
                let more = product(size, sides.pop()?)?;
                Some(Expr::Op(op, vec![self.last(sides.pop()?, size)?, more]))
            }
            Expr::Op(op @ (Op::FloorDiv | Op::Div), sides) if size != 1 => match &sides[..] {
                [value, Expr::Int(by)]
                    if *by > 0 && size % by == 0 && (size / by) % self.whole(value)? == 0 =>
                {
                    self.times(value.clone(), size / by)
                }
                _ => self.times(Expr::Op(op, sides), size),
            },
            other => self.times(other, size),
        }
    }

    /// So many times isl's expression, at least once.
    pub fn times(&self, expr: Expr, times: i64) -> Option<Expr> {
        if !self.is_in(&expr) {
            return product(times, expr);
        }
        let Expr::Op(op, mut operands) = expr else { return self.variable(expr, times) };
        match (op, &operands[..]) {
            (Op::Mul, [Expr::Int(by), _] | [_, Expr::Int(by)]) => {
                let by = *by;
                let at = usize::from(matches!(operands[0], Expr::Int(_)));
                let value = self.times(operands.swap_remove(at), times.checked_mul(by.checked_abs()?)?)?;
                Some(if by < 0 { Expr::Op(Op::Neg, vec![value]) } else { value })
            }
            (Op::Neg | Op::Add | Op::Sub | Op::Min | Op::Max, _) => {
                Some(Expr::Op(op, self.each(operands, times)?))
            }
            (Op::FloorDiv | Op::Div, [value, Expr::Int(by)]) => {
                let whole = self.whole(value)?;
                let divisor = Expr::Int(by.checked_mul(whole)?);
                let value = self.times(operands.swap_remove(0), whole)?;
                product(times, Expr::Op(op, vec![value, divisor]))
            }
            // The rest of a multiple is a multiple of the rest.
            (Op::Rem | Op::RemIsZero, [value, Expr::Int(by)]) => {
                let whole = self.whole(value)?;
                let divisor = Expr::Int(by.checked_mul(whole)?);
                let value = self.times(operands.swap_remove(0), whole)?;
                let rest = Expr::Op(op, vec![value, divisor]);
                match op {
                    Op::RemIsZero => Some(rest),
                    _ => part(rest, times, whole),
                }
            }
            (Op::Eq | Op::Le | Op::Lt | Op::Ge | Op::Gt, [a, b]) => {
                let whole = lcm(self.whole(a)?, self.whole(b)?)?;
                Some(Expr::Op(op, self.each(operands, whole)?))
            }
            (Op::Select, [_, _, _]) => {
                let condition = self.times(operands.remove(0), 1)?;
                let mut values = self.each(operands, times)?;
                values.insert(0, condition);
                Some(Expr::Op(op, values))
            }
            _ => product(times, Expr::Op(op, self.each(operands, 1)?)),
        }
    }

    fn each(&self, operands: Vec<Expr>, times: i64) -> Option<Vec<Expr>> {
        operands.into_iter().map(|operand| self.times(operand, times)).collect()
    }

    fn variable(&self, expr: Expr, times: i64) -> Option<Expr> {
        let size = self.size_of(&expr);
        part(expr, times, size)
    }

    fn size_of(&self, expr: &Expr) -> i64 {
        match expr {
            Expr::Variable(variable) => self.0.get(variable).copied().unwrap_or(1),
            _ => 1,
        }
    }

    fn is_in(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Op(_, operands) => operands.iter().any(|operand| self.is_in(operand)),
            other => self.size_of(other) != 1,
        }
    }

    /// The least number of times that [`Self::times`] can take without a division.
    fn whole(&self, expr: &Expr) -> Option<i64> {
        let all =
            |operands: &[Expr]| operands.iter().try_fold(1, |all, operand| lcm(all, self.whole(operand)?));
        let Expr::Op(op, operands) = expr else { return Some(self.size_of(expr)) };
        match (op, &operands[..]) {
            (Op::Mul, [Expr::Int(by), value] | [value, Expr::Int(by)]) if *by != 0 => {
                let whole = self.whole(value)?;
                Some(whole / gcd(whole, *by))
            }
            (Op::Neg | Op::Add | Op::Sub | Op::Min | Op::Max, all_of_them) => all(all_of_them),
            (Op::Rem, [value, _]) => self.whole(value),
            (Op::Select, [_, then, otherwise]) => lcm(self.whole(then)?, self.whole(otherwise)?),
            _ => Some(1),
        }
    }
}

fn product(times: i64, expr: Expr) -> Option<Expr> {
    Some(match expr {
        expr if times == 1 => expr,
        Expr::Int(number) => Expr::Int(number.checked_mul(times)?),
        Expr::Op(op @ (Op::Neg | Op::Add | Op::Sub | Op::Min | Op::Max), operands) => {
            let each = operands.into_iter().map(|operand| product(times, operand));
            Expr::Op(op, each.collect::<Option<_>>()?)
        }
        expr => Expr::Op(Op::Mul, vec![Expr::Int(times), expr]),
    })
}

/// `times * expr / size`, where `expr` is a multiple of `size`.
fn part(expr: Expr, times: i64, size: i64) -> Option<Expr> {
    let common = gcd(times, size);
    match size / common {
        1 => product(times / common, expr),
        size => product(times / common, Expr::Op(Op::Div, vec![expr, Expr::Int(size)])),
    }
}
