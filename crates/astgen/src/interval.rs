//! Which values an expression can have: the proof that 64 bits are enough.

use crate::pieces::{Found, Stop, of_params};
use crate::{Error, Expr, Op, Variable};
use isl::simplex::Table;
use isl::{DimType, Id, PwAff, Set};
use model::Scop;
use std::collections::HashMap;

/// The least and the greatest value.
pub type Interval = (i128, i128);

const BITS_64: Interval = (i64::MIN as i128, i64::MAX as i128);
const TRUTH: Interval = (0, 1);

/// The ranges of all parameters within a set of parameter values.
pub fn param_ranges(scop: &Scop, within: &Set) -> isl::Result<Vec<Interval>> {
    match from_inequalities(scop, within) {
        Ok(ranges) => Ok(ranges),
        Err(Stop::Budget(error)) => Err(error),
        Err(Stop::Other) => from_isl(scop, within),
    }
}

/// What follows from the inequalities of each part of the set; that isl takes a hundred times as long for the same is seen in programs
/// whose sizes are parameters.
fn from_inequalities(scop: &Scop, within: &Set) -> Found<Vec<Interval>> {
    let params = scop.params.len();
    let mut ranges: Option<Vec<Interval>> = None;
    for part in within.get_basic_set_list()?.to_vec()? {
        let width = params + part.dim(DimType::Div)?;
        let mut table = Table::of(width, &of_params(scop, &part, width)?)?;
        if table.is_empty() {
            continue;
        }
        let mut least = |param: usize, sign: i64| -> Found<Option<i128>> {
            let mut sum = vec![0; width + 1];
            sum[param] = sign;
            Ok(table.least(&sum)?.map(i128::from))
        };
        let mut here = Vec::new();
        for param in 0..params {
            let high = least(param, -1)?.map(|least| -least);
            here.push((least(param, 1)?.unwrap_or(BITS_64.0), high.unwrap_or(BITS_64.1)));
        }
        let hull = |(one, other): (Interval, Interval)| (one.0.min(other.0), one.1.max(other.1));
        ranges = Some(match ranges {
            Some(ranges) => ranges.into_iter().zip(here).map(hull).collect(),
            None => here,
        });
    }
    Ok(ranges.unwrap_or_else(|| vec![(0, 0); params]))
}

/// As narrow as isl knows them.
fn from_isl(scop: &Scop, within: &Set) -> isl::Result<Vec<Interval>> {
    let range = |name: &str| -> isl::Result<Interval> {
        let id = Id::new(&scop.ctx, name)?;
        let universe = Set::universe(isl::Space::set_alloc(&scop.ctx, 0, 0)?)?;
        let value = PwAff::param_on_domain_id(universe, id)?.intersect_params(within.clone())?;
        if value.is_empty()? {
            return Ok((0, 0));
        }
        let end = |val: isl::Val, otherwise: i128| match val.is_int() {
            Ok(true) => val.to_string().parse().unwrap_or(otherwise),
            _ => otherwise,
        };
        Ok((end(value.clone().min_val()?, BITS_64.0), end(value.max_val()?, BITS_64.1)))
    };
    scop.params.iter().map(|param| range(&param.name)).collect()
}

/// What is known about variables and parameters.
pub(crate) struct Ranges<'a> {
    pub params: &'a [Interval],
    pub variables: HashMap<Variable, Interval>,
}

impl Ranges<'_> {
    /// The interval of an expression whose every part fits 64 bits.
    pub fn of(&self, expr: &Expr) -> Result<Interval, Error> {
        let interval = match expr {
            Expr::Int(value) => (i128::from(*value), i128::from(*value)),
            Expr::Variable(variable) => self.variables.get(variable).copied().unwrap_or(BITS_64),
            Expr::Param(index) => self.params.get(*index).copied().unwrap_or(BITS_64),
            Expr::Op(op, operands) => {
                let parts = operands.iter().map(|operand| self.of(operand)).collect::<Result<Vec<_>, _>>()?;
                combine(*op, &parts)
            }
        };
        match BITS_64.0 <= interval.0 && interval.1 <= BITS_64.1 {
            true => Ok(interval),
            false => Err(Error::Overflow(crate::print::expr(expr, None))),
        }
    }
}

/// Operands are within 64 bits, so 128 bits hold every result.
fn combine(op: Op, parts: &[Interval]) -> Interval {
    let hull = |values: &[i128]| {
        (values.iter().copied().min().unwrap_or(i128::MIN), values.iter().copied().max().unwrap_or(i128::MAX))
    };
    match (op, parts) {
        (Op::Neg, &[(a, b)]) => (-b, -a),
        (Op::Add, &[(a, b), (c, d)]) => (a + c, b + d),
        (Op::Sub, &[(a, b), (c, d)]) => (a - d, b - c),
        (Op::Mul, &[(a, b), (c, d)]) => hull(&[a * c, a * d, b * c, b * d]),
        (Op::FloorDiv, &[(a, b), (c, _)]) if c > 0 => (a.div_euclid(c).min(a), b.div_euclid(c).max(b.min(0))),
        (Op::Div, &[(a, b), (c, _)]) if c > 0 => (a.min(0), b.max(0)),
        (Op::Rem | Op::RemIsZero, &[_, (c, d)]) if c > 0 => (-(d - 1), d - 1),
        (Op::Min, _) => (
            parts.iter().map(|p| p.0).min().unwrap_or(i128::MIN),
            parts.iter().map(|p| p.1).min().unwrap_or(i128::MAX),
        ),
        (Op::Max, _) => (
            parts.iter().map(|p| p.0).max().unwrap_or(i128::MIN),
            parts.iter().map(|p| p.1).max().unwrap_or(i128::MAX),
        ),
        (Op::Select, &[_, (a, b), (c, d)]) => (a.min(c), b.max(d)),
        (Op::And | Op::Or | Op::Eq | Op::Le | Op::Lt | Op::Ge | Op::Gt, _) => TRUTH,
        // Not a form that isl makes: no bound is known.
        _ => (i128::MIN, i128::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    #[test]
    fn ranges_contain_those_that_isl_knows() {
        let text = "param n [*, *]\nparam m [*, *]\nstmt S { S[] : n > m }\norder { S }";
        let scop = Scop::parse(&Ctx::new(), text).unwrap();
        let parsed = |set: &str| -> Set { scop.ctx.parse(&format!("[n, m] -> {{ : {set} }}")).unwrap() };
        let ranges = |set: &str| {
            let (set, found) = (parsed(set), param_ranges(&scop, &parsed(set)).unwrap());
            assert_eq!(found, from_isl(&scop, &set).unwrap(), "{set}");
            found
        };
        assert_eq!(ranges("0 <= n <= 9 and n < m < 2n"), [(2, 9), (3, 17)]);
        assert_eq!(ranges("n = 3 and m >= n or m = 1 and 7 <= n <= 8"), [(3, 8), (1, BITS_64.1)]);
        assert_eq!(ranges("false"), [(0, 0), (0, 0)]);
        assert_eq!(ranges("0 <= n <= 281474976710656 and m = 2n"), [(0, 1 << 48), (0, 1 << 49)]);
        // Not which of the values in a range there are.
        let strided = parsed("exists a : n = 4a and 3 <= n <= 11 and m <= n");
        assert_eq!(from_isl(&scop, &strided).unwrap(), [(4, 8), (BITS_64.0, 8)]);
        assert_eq!(param_ranges(&scop, &strided).unwrap(), [(3, 11), (BITS_64.0, 11)]);
    }
}
