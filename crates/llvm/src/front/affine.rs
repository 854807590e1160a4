//! Scalar evolution to affine expressions, with the conditions under which they mean the same.
//!
//! Machine integers wrap; affine expressions do not. [`Evaluated`] is an expression over the counters of a
//! chain of loops (outermost first; counters start at 0 and ascend by one) together with the counter values
//! for which the machine's result, read as a signed number, may be another: `fails`. Nothing else is optimistic. The
//! lift turns `fails` into a condition on the parameters and writes it into the ledger, so that it is
//! checked at run time.
//!
//! Worked example: `zext i32 (n - 1) to i64` with `n` an `i32` of unknown range is `n - 1`, and it fails where
//! `n - 1 < 0` (the extension adds 2^32) or `n - 1 < -2^31` (the subtraction wraps).

use super::flow::Blocks;
use crate::pass::{Loop, Value};
use crate::scev::{Scev, ScevKind, ScevRef, Scevs};
use assume::no_wrap;
use isl::{Ctx, DimType, Id, LocalSpace, PwAff, Set, Space, Val};
use model::{Budget, BudgetSpent, Param};
use std::cell::RefCell;

/// Why there is no affine expression.
#[derive(Debug)]
pub enum Stop {
    /// The expression is not affine.
    NotAffine,
    /// Code that does not return may be reached, and nobody can tell before the nest.
    MayFail,
    /// The budget is spent, Orthant's or isl's.
    Spent,
    /// isl failed.
    Isl(isl::Error),
}

impl From<isl::Error> for Stop {
    fn from(error: isl::Error) -> Self {
        if error.is_budget() { Stop::Spent } else { Stop::Isl(error) }
    }
}

impl From<delinearize::Overflow> for Stop {
    fn from(_: delinearize::Overflow) -> Self {
        Stop::NotAffine
    }
}

impl From<BudgetSpent> for Stop {
    fn from(_: BudgetSpent) -> Self {
        Stop::Spent
    }
}

/// An affine expression and where it is not what the machine computes.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// `{ [i, j] -> [value] }`.
    pub value: PwAff,
    /// `{ [i, j] }`: here the machine may compute something else.
    pub fails: Set,
}

/// Units of the budget for a parameter, times the cube of the number of those before: each one is a column in all of
/// isl's matrices from then on, and there are ever more of those.
const PARAM: usize = 100;

/// What expressions are evaluated in: a region's parameters and counters.
pub struct Affine<'a, 'p> {
    ctx: Ctx,
    scope: &'a Blocks<'p>,
    around: Option<Loop<'p>>,
    scevs: &'a Scevs<'p>,
    budget: &'a Budget,
    params: RefCell<Vec<(ScevRef<'p>, Param)>>,
    /// The context of so many parameters.
    context: RefCell<Option<(usize, Set)>>,
}

impl<'a, 'p> Affine<'a, 'p> {
    /// For a region of these blocks, inside the loop `around` if there is one.
    pub fn new(
        ctx: &Ctx,
        scope: &'a Blocks<'p>,
        around: Option<Loop<'p>>,
        scevs: &'a Scevs<'p>,
        budget: &'a Budget,
    ) -> Self {
        Self {
            ctx: ctx.clone(),
            scope,
            around,
            scevs,
            budget,
            params: RefCell::default(),
            context: RefCell::default(),
        }
    }

    /// The expression of a value where the loops of the chain run. With an empty chain that is still inside the loops
    /// around the region, whose counters have their current, not their final values.
    pub fn expression(&self, value: Value<'p>, chain: &[Loop<'p>]) -> Option<ScevRef<'p>> {
        self.scevs.of_value_at(value, chain.last().copied().or(self.around))
    }

    /// The parameters met so far, with what each stands for.
    pub fn params(&self) -> Vec<(ScevRef<'p>, Param)> {
        self.params.borrow().clone()
    }

    /// What is known of the parameters: their types and LLVM's value ranges.
    pub fn context(&self) -> Result<Set, Stop> {
        let count = self.params.borrow().len();
        if let Some((known, context)) = &*self.context.borrow()
            && *known == count
        {
            return Ok(context.clone());
        }
        let context = self.ranges()?;
        self.context.replace(Some((count, context.clone())));
        Ok(context)
    }

    fn ranges(&self) -> Result<Set, Stop> {
        let mut context = self.universe(0)?.params()?;
        for (_, Param { name, range }) in self.params() {
            for (bound, relation) in [(range.0, ">="), (range.1, "<=")] {
                if let Some(bound) = bound {
                    let text = format!("[{name}] -> {{ : {name} {relation} {bound} }}");
                    let bounded = Set::read_from_str(context.ctx(), &text)?;
                    context = context.intersect(bounded)?;
                }
            }
        }
        Ok(context)
    }

    /// All counter values of a chain of that length: `{ [i, j] }`.
    pub fn universe(&self, depth: usize) -> Result<Set, Stop> {
        Ok(Set::universe(Space::set_alloc(&self.ctx, 0, depth)?)?)
    }

    fn nothing(&self, depth: usize) -> Result<Set, Stop> {
        Ok(Set::empty(Space::set_alloc(&self.ctx, 0, depth)?)?)
    }

    /// A constant over the counters of a chain of that length.
    pub fn constant(&self, value: i64, depth: usize) -> Result<PwAff, Stop> {
        let value = Val::int_from_si(&self.ctx, value)?;
        Ok(PwAff::val_on_domain(self.universe(depth)?, value)?)
    }

    /// The counter at a position of a chain of length `depth`.
    pub fn counter(&self, position: usize, depth: usize) -> Result<PwAff, Stop> {
        let space = LocalSpace::from_space(Space::set_alloc(&self.ctx, 0, depth)?)?;
        Ok(PwAff::var_on_domain(space, DimType::Set, position)?)
    }

    /// The expression's signed value in iterations of the chain.
    pub fn signed(&self, scev: &ScevRef<'p>, chain: &[Loop<'p>]) -> Result<Evaluated, Stop> {
        self.budget.spend(1)?;
        if scev.bits > 64 {
            return Err(Stop::NotAffine);
        }
        let depth = chain.len();
        match &scev.kind {
            ScevKind::Constant(value) => self.exactly(self.constant(*value, depth)?, depth),
            ScevKind::Unknown(value) => match value.inst() {
                Some(inst) if self.scope.contains(&inst.block()) => {
                    let frozen = inst.frozen().and_then(|frozen| self.expression(frozen, chain));
                    self.signed(&frozen.ok_or(Stop::NotAffine)?, chain)
                }
                _ => self.param(scev, depth),
            },
            ScevKind::AddRec { over, .. } if !self.scope.contains(&over.header()) => self.param(scev, depth),
            ScevKind::AddRec { operands, over } => self.recurrence(scev, operands, *over, chain),
            ScevKind::Add(operands) => self.sum(scev, operands, chain),
            ScevKind::Mul(operands) => self.product(scev, operands, chain),
            ScevKind::SignExtend(operand) => self.signed(operand, chain),
            ScevKind::ZeroExtend(operand) => self.unsigned(operand, chain),
            ScevKind::Truncate(operand) => {
                let operand = self.signed(operand, chain)?;
                self.checked(scev, operand, None)
            }
            ScevKind::UDiv([dividend, divisor]) => self.quotient(scev, dividend, divisor, chain),
            ScevKind::SMax(operands) => self.extremum(operands, chain, PwAff::max, Self::signed),
            ScevKind::SMin(operands) => self.extremum(operands, chain, PwAff::min, Self::signed),
            ScevKind::UMax(operands) => self.extremum(operands, chain, PwAff::max, Self::unsigned),
            ScevKind::UMin(operands) | ScevKind::SequentialUMin(operands) => {
                self.extremum(operands, chain, PwAff::min, Self::unsigned)
            }
            ScevKind::PtrToInt(_) if self.is_invariant(scev) => self.param(scev, depth),
            ScevKind::PtrToInt(_) | ScevKind::VScale | ScevKind::WideConstant | ScevKind::CouldNotCompute => {
                Err(Stop::NotAffine)
            }
        }
    }

    /// The expression's unsigned value. Where the sign bit is set it fails: such values are assumed away.
    pub fn unsigned(&self, scev: &ScevRef<'p>, chain: &[Loop<'p>]) -> Result<Evaluated, Stop> {
        let Evaluated { value, fails } = self.signed(scev, chain)?;
        let fails = match self.negative(scev, &value)? {
            Some(negative) => fails.union(negative)?,
            None => fails,
        };
        Ok(Evaluated { value, fails })
    }

    /// Where an expression of that value is negative; `None`: LLVM knows that it is not.
    pub fn negative(&self, scev: &Scev<'p>, value: &PwAff) -> Result<Option<Set>, Stop> {
        let is_known = scev.range.is_some_and(|range| range.signed.0 >= 0);
        Ok(if is_known { None } else { Some(no_wrap::is_negative(value)?) })
    }

    /// Whether nothing in the expression changes inside the scope.
    pub fn is_invariant(&self, scev: &Scev<'p>) -> bool {
        is_invariant(scev, self.scope)
    }

    fn exactly(&self, value: PwAff, depth: usize) -> Result<Evaluated, Stop> {
        Ok(Evaluated { value, fails: self.nothing(depth)? })
    }

    /// Adds the points where the exact value does not fit the expression's width, unless that cannot happen:
    /// by LLVM's flag, or because the interval of exact values fits.
    fn checked(
        &self,
        scev: &Scev<'p>,
        Evaluated { value, fails }: Evaluated,
        interval: Option<(i128, i128)>,
    ) -> Result<Evaluated, Stop> {
        let (low, high) = (-(1i128 << (scev.bits - 1)), (1i128 << (scev.bits - 1)) - 1);
        let fits = interval.is_some_and(|(least, greatest)| low <= least && greatest <= high);
        if scev.flags.nsw || fits {
            return Ok(Evaluated { value, fails });
        }
        let wraps = no_wrap::wraps(&value, scev.bits)?;
        Ok(Evaluated { value, fails: fails.union(wraps)? })
    }

    fn sum(&self, scev: &Scev<'p>, operands: &[ScevRef<'p>], chain: &[Loop<'p>]) -> Result<Evaluated, Stop> {
        let mut total = self.exactly(self.constant(0, chain.len())?, chain.len())?;
        let mut interval = Some((0, 0));
        for operand in operands {
            let next = self.signed(operand, chain)?;
            total = Evaluated { value: total.value.add(next.value)?, fails: total.fails.union(next.fails)? };
            interval = interval.zip(bounds(operand)).map(|((a, b), (c, d))| (a + c, b + d));
        }
        self.checked(scev, total, interval)
    }

    /// A product with at most one factor that is not constant; products of parameters are a parameter.
    fn product(
        &self,
        scev: &ScevRef<'p>,
        operands: &[ScevRef<'p>],
        chain: &[Loop<'p>],
    ) -> Result<Evaluated, Stop> {
        let constant = |operand: &&ScevRef<'p>| matches!(operand.kind, ScevKind::Constant(_));
        let varying: Vec<_> = operands.iter().filter(|operand| !constant(operand)).collect();
        let [factor] = varying[..] else {
            return if self.is_invariant(scev) {
                self.param(scev, chain.len())
            } else {
                Err(Stop::NotAffine)
            };
        };
        let mut product = self.signed(factor, chain)?;
        let mut interval = bounds(factor);
        for operand in operands {
            if let ScevKind::Constant(by) = operand.kind {
                product.value = product.value.scale_val(Val::int_from_si(&self.ctx, by)?)?;
                interval = interval.and_then(|interval| scaled(interval, i128::from(by)));
            }
        }
        self.checked(scev, product, interval)
    }

    fn recurrence(
        &self,
        scev: &Scev<'p>,
        operands: &[ScevRef<'p>],
        over: Loop<'p>,
        chain: &[Loop<'p>],
    ) -> Result<Evaluated, Stop> {
        let [start, step] = operands else { return Err(Stop::NotAffine) };
        let ScevKind::Constant(step) = step.kind else { return Err(Stop::NotAffine) };
        let position = chain.iter().position(|&l| l == over).ok_or(Stop::NotAffine)?;
        let start = self.signed(start, chain)?;
        let way = self.counter(position, chain.len())?.scale_val(Val::int_from_si(&self.ctx, step)?)?;
        self.checked(scev, Evaluated { value: start.value.add(way)?, fails: start.fails }, None)
    }

    /// An unsigned division by a positive constant rounds down.
    fn quotient(
        &self,
        scev: &ScevRef<'p>,
        dividend: &ScevRef<'p>,
        divisor: &ScevRef<'p>,
        chain: &[Loop<'p>],
    ) -> Result<Evaluated, Stop> {
        match divisor.kind {
            ScevKind::Constant(by) if by > 0 => {
                let Evaluated { value, fails } = self.unsigned(dividend, chain)?;
                let value = value.scale_down_val(Val::int_from_si(&self.ctx, by)?)?.floor()?;
                Ok(Evaluated { value, fails })
            }
            _ if self.is_invariant(scev) => self.param(scev, chain.len()),
            _ => Err(Stop::NotAffine),
        }
    }

    fn extremum(
        &self,
        operands: &[ScevRef<'p>],
        chain: &[Loop<'p>],
        combine: impl Fn(PwAff, PwAff) -> isl::Result<PwAff>,
        read: impl Fn(&Self, &ScevRef<'p>, &[Loop<'p>]) -> Result<Evaluated, Stop>,
    ) -> Result<Evaluated, Stop> {
        let mut best: Option<Evaluated> = None;
        for operand in operands {
            let next = read(self, operand, chain)?;
            best = Some(match best {
                None => next,
                Some(Evaluated { value, fails }) => {
                    Evaluated { value: combine(value, next.value)?, fails: fails.union(next.fails)? }
                }
            });
        }
        best.ok_or(Stop::NotAffine)
    }

    /// A parameter for an expression that does not change in the scope.
    fn param(&self, scev: &ScevRef<'p>, depth: usize) -> Result<Evaluated, Stop> {
        if scev.is_pointer {
            return Err(Stop::NotAffine);
        }
        let name = self.param_name(scev)?;
        let value = PwAff::param_on_domain_id(self.universe(depth)?, Id::new(&self.ctx, &name)?)?;
        self.exactly(value, depth)
    }

    fn param_name(&self, scev: &ScevRef<'p>) -> Result<String, Stop> {
        let mut params = self.params.borrow_mut();
        if let Some((_, param)) = params.iter().find(|(known, _)| known.raw == scev.raw) {
            return Ok(param.name.clone());
        }
        self.budget.spend(PARAM * params.len().pow(3))?;
        let source = match scev.kind {
            ScevKind::Unknown(value) => value.source_name(),
            _ => None,
        };
        let is_free = |name: &str| {
            model::verify::is_identifier(name) && !params.iter().any(|(_, param)| param.name == name)
        };
        let name = source.filter(|name| is_free(name)).unwrap_or_else(|| format!("p{}", params.len()));
        let name = if is_free(&name) { name } else { format!("p{}_", params.len()) };
        let range = scev.range.map_or((None, None), |range| (Some(range.signed.0), Some(range.signed.1)));
        params.push((scev.clone(), Param { name: name.clone(), range }));
        Ok(name)
    }

    /// The scalar evolution of the run.
    pub fn scevs(&self) -> &'a Scevs<'p> {
        self.scevs
    }

    /// The blocks of the region.
    pub fn scope(&self) -> &'a Blocks<'p> {
        self.scope
    }
}

/// Whether nothing in the expression changes inside these blocks.
pub fn is_invariant<'p>(scev: &Scev<'p>, scope: &Blocks<'p>) -> bool {
    let here = match &scev.kind {
        ScevKind::Unknown(value) => value.inst().is_none_or(|inst| !scope.contains(&inst.block())),
        ScevKind::AddRec { over, .. } => !scope.contains(&over.header()),
        ScevKind::CouldNotCompute => false,
        _ => true,
    };
    here && scev.operands().iter().all(|operand| is_invariant(operand, scope))
}

fn bounds(scev: &Scev<'_>) -> Option<(i128, i128)> {
    scev.range.map(|range| (i128::from(range.signed.0), i128::from(range.signed.1)))
}

fn scaled((low, high): (i128, i128), by: i128) -> Option<(i128, i128)> {
    let (a, b) = (low.checked_mul(by)?, high.checked_mul(by)?);
    Some((a.min(b), a.max(b)))
}
