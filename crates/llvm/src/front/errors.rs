//! Exits to code that never returns: failed bounds checks, `abort`, `throw`.
//!
//! Such blocks are not part of a region. Where a branch leads to one, the iterations go on along its other edge, and that the
//! error does not happen in any of them is assumed (paper 002, error blocks). The new code then has no tests at all; if
//! the assumption does not hold, the original runs and fails where it always did, after all that it does before.
//!
//! A test that is affine is a condition on the parameters. One that is not has the form `index < limit` with a
//! polynomial `index` (`a[i * m + j]` in Rust): it becomes a [`Test`], and when shapes are known, a
//! [`model::Condition::Below`]: in rows of `m` the last cell that is tested decides. Nothing is read to find out: both sides are
//! made of counters and parameters.

use super::affine::Stop;
use super::domains::Builder;
use super::lift::Lifter;
use super::memory::Wants;
use super::polynomials::NarrowProducts;
use crate::pass::{Block, Inst, Loop, Value};
use delinearize::{Access, Poly, Problem, delinearize};
use isl::{DimType, PwAff, Set, Val};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};
use model::Below;

/// `index < limit` (or `index <= limit`) in all iterations of a block.
#[derive(Clone, Copy, Debug)]
pub struct Test<'p> {
    /// The branch.
    pub at: Inst<'p>,
    index: Value<'p>,
    limit: Value<'p>,
    or_equal: bool,
}

/// Where a truth value is tested.
struct Place<'a, 'p> {
    at: Inst<'p>,
    here: &'a Set,
    chain: &'a [Loop<'p>],
}

impl<'p> Builder<'_, 'p> {
    /// The only successor that returns, if another one does not. That it is taken in all these iterations is assumed.
    pub(super) fn past_errors(
        &mut self,
        last: Inst<'p>,
        here: &Set,
        chain: &[Loop<'p>],
    ) -> Result<Option<Block<'p>>, Stop> {
        let successors = last.block().successors();
        if !successors.iter().any(|next| self.errors.contains(next)) {
            return Ok(None);
        }
        let returns = |next: &&Block<'p>| !self.errors.contains(next);
        let stays = |next: &Block<'p>| chain.last().is_none_or(|l| l.contains(*next));
        let next = successors.iter().find(returns).copied().filter(stays).ok_or(Stop::MayFail)?;
        let condition = last.condition().filter(|_| successors.len() == 2).ok_or(Stop::MayFail)?;
        let place = Place { at: last, here, chain };
        self.expect(condition, successors[0] == next, &place, 0)?;
        Ok(Some(next))
    }

    /// Assumes that a truth value is always the one that is wanted.
    fn expect(
        &mut self,
        value: Value<'p>,
        wanted: bool,
        at: &Place<'_, 'p>,
        depth: usize,
    ) -> Result<(), Stop> {
        use LLVMOpcode::*;
        let inst = value.inst().filter(|_| depth < 16);
        let operands = inst.map(|inst| inst.operands()).unwrap_or_default();
        let is = |value: Value<'p>, number: i64| value.constant() == Some(number);
        let parts = match (inst.map(|inst| inst.opcode()), &operands[..], wanted) {
            (Some(LLVMFreeze), &[a], _) => vec![(a, wanted)],
            (Some(LLVMXor), &[a, b], _) if is(b, -1) => vec![(a, !wanted)],
            (Some(LLVMAnd), &[a, b], true) | (Some(LLVMOr), &[a, b], false) => vec![(a, wanted), (b, wanted)],
            (Some(LLVMSelect), &[a, b, no], true) if is(no, 0) => vec![(a, true), (b, true)],
            (Some(LLVMSelect), &[a, yes, b], false) if is(yes, -1) => vec![(a, false), (b, false)],
            _ => return self.expect_comparison(value, wanted, at),
        };
        parts.into_iter().try_for_each(|(part, wanted)| self.expect(part, wanted, at, depth + 1))
    }

    fn expect_comparison(&mut self, value: Value<'p>, wanted: bool, at: &Place<'_, 'p>) -> Result<(), Stop> {
        let mut fails = Vec::new();
        match self.holds(value, at.chain, &mut fails, 0) {
            Ok(holds) => {
                let bad = if wanted { holds.complement()? } else { holds };
                let bad = bad.intersect(at.here.clone())?.params()?;
                if !bad.is_empty()? {
                    self.domains.errors.push((bad, at.at));
                }
                self.trust(fails, at.here, at.at)
            }
            Err(Stop::NotAffine) => {
                let test = value.inst().and_then(|inst| self.test(inst, wanted, at.at));
                self.domains.tests.push(test.ok_or(Stop::MayFail)?);
                Ok(())
            }
            Err(stop) => Err(stop),
        }
    }

    /// A comparison with a limit that does not change.
    fn test(&self, comparison: Inst<'p>, wanted: bool, at: Inst<'p>) -> Option<Test<'p>> {
        use LLVMIntPredicate::*;
        let &[a, b] = &comparison.operands()[..] else { return None };
        let (index, limit, or_equal) = match (comparison.predicate()?, wanted) {
            (LLVMIntULT | LLVMIntSLT, true) | (LLVMIntUGE | LLVMIntSGE, false) => (a, b, false),
            (LLVMIntULE | LLVMIntSLE, true) | (LLVMIntUGT | LLVMIntSGT, false) => (a, b, true),
            (LLVMIntUGT | LLVMIntSGT, true) | (LLVMIntULE | LLVMIntSLE, false) => (b, a, false),
            (LLVMIntUGE | LLVMIntSGE, true) | (LLVMIntULT | LLVMIntSLT, false) => (b, a, true),
            _ => return None,
        };
        Some(Test { at, index, limit, or_equal })
    }
}

impl<'p> Lifter<'_, 'p> {
    /// All tests succeed.
    pub(super) fn expect_success(&self, wants: &mut Wants<'p>) -> Result<(), (Stop, Inst<'p>)> {
        let mut tests = self.domains.tests.iter();
        tests.try_for_each(|test| self.want_success(test, wants).map_err(|stop| (stop, test.at)))
    }

    /// A test succeeds in all iterations.
    fn want_success(&self, test: &Test<'p>, wants: &mut Wants<'p>) -> Result<(), Stop> {
        let block = test.at.block();
        let chain = &self.domains.chains[&block];
        let expression = |value| self.affine.expression(value, chain).ok_or(Stop::MayFail);
        let (index, limit) = (expression(test.index)?, expression(test.limit)?);
        if !self.affine.is_invariant(&limit) {
            return Err(Stop::MayFail);
        }
        let evaluated = self.affine.unsigned(&limit, chain);
        let limit_here = self.exact(test.at, evaluated, &mut wants.fails)?.ok_or(Stop::MayFail)?;
        let mut limit = limit_here.project_domain_on_params()?;
        if test.or_equal {
            let one = Val::one(limit.ctx())?;
            limit = limit.add_constant_val(one)?;
        }
        let index =
            self.polynomial(test.at, &index, NarrowProducts::Named, wants).map_err(|stop| match stop {
                Stop::NotAffine => Stop::MayFail,
                stop => stop,
            })?;
        self.want_below(test.at, index, limit, wants)
    }

    /// A polynomial is at least 0 and below the limit in all iterations of an instruction.
    pub(super) fn want_below(
        &self,
        at: Inst<'p>,
        value: Poly,
        limit: PwAff,
        wants: &mut Wants<'p>,
    ) -> Result<(), Stop> {
        let Some(domain) = self.domains.of.get(&at.block()) else { return Ok(()) };
        let access = Access { offset: Some(value), bytes: 1, domain: domain.clone(), writes: false };
        let context = self.affine.context()?;
        let problem = Problem {
            context,
            accesses: vec![access],
            products: Default::default(),
            units: vec![],
            declared: None,
        };
        let view = delinearize(&problem, self.shape_options).map_err(|error| match error {
            delinearize::Error::Isl(error) => error.into(),
            delinearize::Error::Input { .. } => Stop::MayFail,
        })?;
        let is_known = view.rows.is_none() && view.accesses.iter().all(|cells| cells.is_exact());
        if !is_known || view.valid.is_empty()? {
            return Err(Stop::MayFail);
        }
        let cells = view.relation(0)?.range()?;
        let negative = cells.clone().upper_bound_val(DimType::Set, 0, Val::int_from_si(cells.ctx(), -1)?)?;
        for wrong in [view.valid.complement()?, negative.params()?] {
            if !wrong.is_empty()? {
                wants.fails.push((wrong, at));
            }
        }
        let sizes = view.sizes.iter().map(|size| size.to_string()).collect();
        wants.below.push(Below { cells, sizes, limit });
        Ok(())
    }
}
