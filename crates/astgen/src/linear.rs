//! Sums of multiples of variables and parameters.

use crate::{Expr, Op, Variable};

/// `sum of times * term + constant`; the terms are variables and parameters.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    /// Each term once, with its factor, which may be 0.
    pub terms: Vec<(Expr, i64)>,
    /// The constant.
    pub constant: i64,
}

impl Linear {
    /// `None`: the expression is of another kind.
    pub fn of(expr: &Expr) -> Option<Self> {
        let mut sum = Linear::default();
        sum.add(expr, 1)?;
        Some(sum)
    }

    /// Adds a multiple of an expression.
    fn add(&mut self, expr: &Expr, times: i64) -> Option<()> {
        match expr {
            Expr::Int(number) => self.constant = self.constant.checked_add(times.checked_mul(*number)?)?,
            Expr::Variable(_) | Expr::Param(_) => self.add_term(expr.clone(), times)?,
            Expr::Op(op, operands) => match (op, &operands[..]) {
                (Op::Neg, [a]) => self.add(a, times.checked_neg()?)?,
                (Op::Add, [a, b]) => self.add(a, times).and_then(|()| self.add(b, times))?,
                (Op::Sub, [a, b]) => self.add(a, times).and_then(|()| self.add(b, times.checked_neg()?))?,
                (Op::Mul, [Expr::Int(by), other] | [other, Expr::Int(by)]) => {
                    self.add(other, times.checked_mul(*by)?)?;
                }
                _ => return None,
            },
        }
        Some(())
    }

    fn add_term(&mut self, term: Expr, times: i64) -> Option<()> {
        match self.terms.iter_mut().find(|(known, _)| *known == term) {
            Some((_, known)) => *known = known.checked_add(times)?,
            None => self.terms.push((term, times)),
        }
        Some(())
    }

    /// The difference.
    pub fn minus(mut self, other: Linear) -> Option<Self> {
        let other = other.negated()?;
        self.constant = self.constant.checked_add(other.constant)?;
        other.terms.into_iter().try_for_each(|(term, times)| self.add_term(term, times))?;
        Some(self)
    }

    /// With the other sign.
    pub fn negated(self) -> Option<Self> {
        self.scaled(-1)
    }

    /// So many times as much.
    pub fn scaled(mut self, by: i64) -> Option<Self> {
        self.constant = self.constant.checked_mul(by)?;
        for (_, times) in &mut self.terms {
            *times = times.checked_mul(by)?;
        }
        Some(self)
    }

    /// How often the variable or parameter is in it.
    pub fn times(&self, term: &Expr) -> i64 {
        self.terms.iter().find(|(known, _)| known == term).map_or(0, |(_, times)| *times)
    }

    /// With sums in place of the parameters from `first` on.
    pub fn with_params_from(self, first: usize, sums: &[Linear]) -> Option<Self> {
        let mut all = Linear { terms: Vec::new(), constant: self.constant };
        for (term, times) in self.terms {
            let sum = match term {
                Expr::Param(at) if at >= first => sums.get(at - first)?.clone().scaled(times)?,
                _ => Linear { terms: vec![(term, times)], constant: 0 },
            };
            all.constant = all.constant.checked_add(sum.constant)?;
            sum.terms.into_iter().try_for_each(|(term, times)| all.add_term(term, times))?;
        }
        Some(all)
    }

    /// The constant, if it is nothing else.
    pub fn number(&self) -> Option<i64> {
        self.terms.iter().all(|(_, times)| *times == 0).then_some(self.constant)
    }

    /// What is left if a variable is 0.
    pub fn without(mut self, variable: Variable) -> Self {
        self.terms.retain(|(term, _)| *term != Expr::Variable(variable));
        self
    }

    /// As an expression.
    pub fn expr(&self) -> Expr {
        let product = |(term, times): &(Expr, i64)| match times {
            1 => term.clone(),
            _ => Expr::Op(Op::Mul, vec![Expr::Int(*times), term.clone()]),
        };
        let terms = self.terms.iter().filter(|(_, times)| *times != 0).map(product);
        let constant = (self.constant != 0).then_some(Expr::Int(self.constant));
        let sum = terms.chain(constant).reduce(|a, b| Expr::Op(Op::Add, vec![a, b]));
        sum.unwrap_or(Expr::Int(0))
    }
}
