//! Values in the new loops: expressions of scalar evolution at given counters, and expressions of loop trees.
//!
//! What does not change in the region is computed once, before it ([`Hoisted`]); the rest is arithmetic on counters, and
//! copies of instructions that are no expression (a shift, a `freeze`).

use super::builder::Builder;
use crate::ffi::LLVMScev;
use crate::pass::{Block, Loop, Pass, Value};
use crate::scev::{Scev, ScevKind, ScevRef, Scevs};
use astgen::{Expr, Op, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use std::collections::{HashMap, HashSet};

/// Values computed before the region.
#[derive(Default)]
pub struct Hoisted<'p> {
    known: HashMap<*const LLVMScev, Value<'p>>,
}

impl<'p> Hoisted<'p> {
    /// Computes the largest parts of an expression that `is_invariant` accepts, at the end of `block`.
    /// False: that is not safe there.
    pub fn prepare(
        &mut self,
        pass: Pass<'p>,
        scev: &ScevRef<'p>,
        block: Block<'p>,
        is_invariant: &dyn Fn(&Scev<'p>) -> bool,
    ) -> bool {
        if self.known.contains_key(&scev.raw)
            || matches!(scev.kind, ScevKind::Constant(_)) && !scev.is_pointer
        {
            return true;
        }
        if !is_invariant(scev) {
            return scev.operands().iter().all(|operand| self.prepare(pass, operand, block, is_invariant));
        }
        let value = pass.expand(scev, block);
        value.is_some_and(|value| {
            self.known.insert(scev.raw, value);
            true
        })
    }
}

/// Computes values at one place of the new code.
pub struct Values<'a, 'p> {
    /// Writes the instructions.
    pub builder: &'a Builder<'p>,
    /// What was computed before.
    pub hoisted: &'a Hoisted<'p>,
    /// The run's expressions.
    pub scevs: &'a Scevs<'p>,
    /// The innermost loop around the region.
    pub around: Option<Loop<'p>>,
    /// Of the variables of new loops: the step, and the value in the next iteration.
    pub next: HashMap<Value<'p>, (i64, Value<'p>)>,
    /// Of counters that are sums with the variable of the innermost new loop in them: their parts.
    pub sums: HashMap<Value<'p>, Sum<'p>>,
    /// Where rows are begun, if what is written is in a skewed vector loop.
    pub head: Option<Head<'p>>,
}

/// The block before a vector loop.
pub struct Head<'p> {
    /// It has its terminator.
    pub block: Block<'p>,
    /// Counters, and parts of them, that were computed there.
    pub fixed: HashSet<Value<'p>>,
}

/// `variable + constant + others`.
pub struct Sum<'p> {
    /// The variable of the innermost new loop.
    pub variable: Value<'p>,
    /// The constant.
    pub constant: i64,
    /// What that loop does not change.
    pub others: Vec<Value<'p>>,
}

impl<'p> Values<'_, 'p> {
    /// The expression where each loop of the chain is in the iteration given for it (as `i64`).
    /// `None`: it has parts that were not prepared.
    pub fn scev(
        &self,
        scev: &Scev<'p>,
        chain: &[Loop<'p>],
        counters: &[Value<'p>],
        is_exact: bool,
    ) -> Option<Value<'p>> {
        if let Some(&value) = self.hoisted.known.get(&scev.raw) {
            return Some(value);
        }
        let b = self.builder;
        let ty = b.int(scev.bits);
        let all = || -> Option<Vec<Value<'p>>> {
            scev.operands().iter().map(|operand| self.scev(operand, chain, counters, is_exact)).collect()
        };
        match &scev.kind {
            ScevKind::Constant(value) if !scev.is_pointer => Some(b.constant(ty, *value)),
            ScevKind::AddRec { operands, over } if operands.len() == 2 => {
                if let Some(row) = Row::of(scev, self.hoisted) {
                    return self.element(&row, chain, counters, is_exact);
                }
                let parts = all()?;
                let counter = *counters.get(chain.iter().position(|l| l == over)?)?;
                // A step of a pointer is as wide as an offset.
                let counter = b.resize(counter, b.type_of(parts[1]), true);
                let way = b.binary(LLVMMul, parts[1], counter);
                Some(self.sum(vec![(parts[0], operands[0].is_pointer), (way, false)], is_exact))
            }
            ScevKind::Add(operands) => {
                let parts = all()?.into_iter().zip(operands.iter().map(|operand| operand.is_pointer));
                Some(self.sum(parts.collect(), is_exact))
            }
            ScevKind::Mul(_) => all()?.into_iter().reduce(|a, c| b.binary(LLVMMul, a, c)),
            ScevKind::UDiv(_) => all()?.into_iter().reduce(|a, c| b.binary(LLVMUDiv, a, c)),
            ScevKind::Truncate(_) | ScevKind::SignExtend(_) => Some(b.resize(all()?[0], ty, true)),
            ScevKind::ZeroExtend(_) => Some(b.resize(all()?[0], ty, false)),
            ScevKind::PtrToInt(_) => Some(b.address(all()?[0], ty)),
            ScevKind::UMax(_) => {
                all()?.into_iter().reduce(|a, c| b.select(b.compare(LLVMIntUGT, a, c), a, c))
            }
            ScevKind::SMax(_) => {
                all()?.into_iter().reduce(|a, c| b.select(b.compare(LLVMIntSGT, a, c), a, c))
            }
            ScevKind::UMin(_) | ScevKind::SequentialUMin(_) => {
                all()?.into_iter().reduce(|a, c| b.select(b.compare(LLVMIntULT, a, c), a, c))
            }
            ScevKind::SMin(_) => {
                all()?.into_iter().reduce(|a, c| b.select(b.compare(LLVMIntSLT, a, c), a, c))
            }
            // An instruction that has no expression is copied.
            ScevKind::Unknown(value) => {
                let (inst, scope) = (value.inst()?, chain.last().copied().or(self.around));
                let operand = |operand| {
                    let scev = self.scevs.of_value_at(operand, scope)?;
                    self.scev(&scev, chain, counters, is_exact)
                };
                let operands = inst.operands().into_iter().map(operand).collect::<Option<Vec<_>>>()?;
                Some(b.copy(inst, &operands).value())
            }
            _ => None,
        }
    }

    /// An element of a row, in the form in which LLVM sees that the next iteration reads what this one did, and which elements
    /// are different ones: the number of the element is the variable of the innermost loop plus a constant, and what
    /// lies apart by constants has one row. Only whole addresses are known not to wrap, not their parts.
    fn element(
        &self,
        row: &Row<'_, 'p>,
        chain: &[Loop<'p>],
        counters: &[Value<'p>],
        is_exact: bool,
    ) -> Option<Value<'p>> {
        if let Some(address) = self.element_of_hidden(row, chain, counters) {
            return Some(address);
        }
        let b = self.builder;
        let counter = |over: Loop<'p>| counters.get(chain.iter().position(|l| *l == over)?).copied();
        let mut address = self.scev(row.start, chain, counters, is_exact)?;
        if row.ahead != 0 {
            address = b.displace(address, b.index(-row.ahead * row.step), false);
        }
        for (step, over) in row.outer.iter().rev() {
            let step = self.scev(step, chain, counters, is_exact)?;
            let way = b.binary(LLVMMul, step, b.resize(counter(*over)?, b.type_of(step), true));
            address = b.displace(address, way, is_exact);
        }
        let (counter, cell) = (counter(row.over)?, b.sized(row.step.unsigned_abs()));
        let Some(sum) = self.sums.get(&counter) else {
            return Some(b.element(address, cell, self.ahead(counter, row.ahead, is_exact), is_exact));
        };
        for other in &sum.others {
            address = b.element(address, cell, *other, false);
        }
        let is_whole = is_exact && sum.others.is_empty();
        let index = self.ahead(sum.variable, row.ahead.checked_add(sum.constant)?, is_whole);
        Some(b.element(address, cell, index, is_whole))
    }

    /// The same in a skewed vector loop. There the start of a row depends on the bounds of all loops around, in each of their
    /// terms, and LLVM's strength reduction would look at all ways to add them up, for each row: longer than all other passes
    /// together (`heat-3d`). So the start is computed before the loop, without constants, which tell rows apart, and LLVM does
    /// not get to know how.
    fn element_of_hidden(
        &self,
        row: &Row<'_, 'p>,
        chain: &[Loop<'p>],
        counters: &[Value<'p>],
    ) -> Option<Value<'p>> {
        let (b, head) = (self.builder, self.head.as_ref()?);
        let counter = |over: Loop<'p>| counters.get(chain.iter().position(|l| *l == over)?).copied();
        let sum = self.sums.get(&counter(row.over)?).filter(|sum| !sum.others.is_empty())?;
        let is_known = |scev: &Scev<'p>| {
            matches!(scev.kind, ScevKind::Constant(_)) || self.hoisted.known.contains_key(&scev.raw)
        };
        let is_fixed = |over: &Loop<'p>| counter(*over).is_some_and(|counter| head.fixed.contains(&counter));
        let all_are = is_known(row.start)
            && row.outer.iter().all(|(step, over)| is_known(step) && is_fixed(over))
            && sum.others.iter().all(|other| head.fixed.contains(other));
        if !all_are {
            return None;
        }
        let constant = constant_part(row.start);
        let cell = b.sized(row.step.unsigned_abs());
        let start = self.in_head(head, || {
            let mut address = self.scev(row.start, chain, counters, false)?;
            if constant != 0 {
                address = b.displace(address, b.index(-constant), false);
            }
            for (step, over) in row.outer.iter().rev() {
                let step = self.scev(step, chain, counters, false)?;
                let way = b.binary(LLVMMul, step, b.resize(counter(*over)?, b.type_of(step), true));
                address = b.displace(address, way, false);
            }
            let others = sum.others.iter();
            Some(b.hidden(others.fold(address, |address, other| b.element(address, cell, *other, false))))
        })?;
        let between = constant - row.ahead * row.step;
        let start = if between == 0 { start } else { b.displace(start, b.index(between), false) };
        let index = self.ahead(sum.variable, row.ahead.checked_add(sum.constant)?, false);
        Some(b.element(start, cell, index, false))
    }

    /// Writes before the loop.
    pub fn in_head<T>(&self, head: &Head<'p>, write: impl FnOnce() -> Option<T>) -> Option<T> {
        let here = self.builder.here();
        self.builder.before(head.block.terminator()?);
        let written = write();
        self.builder.at_end(here);
        written
    }

    /// The counter some steps later.
    fn ahead(&self, counter: Value<'p>, ahead: i64, is_exact: bool) -> Value<'p> {
        let b = self.builder;
        match (ahead, self.next.get(&counter)) {
            (0, _) => counter,
            (ahead, Some(&(step, next))) if step == ahead => next,
            (ahead, _) if is_exact => b.exact(LLVMAdd, counter, b.index(ahead)),
            (ahead, _) => b.binary(LLVMAdd, counter, b.index(ahead)),
        }
    }

    /// A sum with at most one address among its parts.
    fn sum(&self, parts: Vec<(Value<'p>, bool)>, is_exact: bool) -> Value<'p> {
        let (pointers, numbers): (Vec<_>, Vec<_>) =
            parts.into_iter().partition(|(_, is_pointer)| *is_pointer);
        let offset =
            numbers.into_iter().map(|(value, _)| value).reduce(|a, c| self.builder.binary(LLVMAdd, a, c));
        match (pointers.first(), offset) {
            (Some(&(pointer, _)), Some(offset)) => self.builder.displace(pointer, offset, is_exact),
            (Some(&(pointer, _)), None) => pointer,
            (None, offset) => offset.unwrap_or_else(|| self.builder.index(0)),
        }
    }

    /// An expression of a loop tree, as `i64`, or `i1` for conditions.
    pub fn expr(
        &self,
        expr: &Expr,
        variables: &HashMap<Variable, Value<'p>>,
        params: &[Value<'p>],
    ) -> Option<Value<'p>> {
        let b = self.builder;
        let Expr::Op(op, operands) = expr else {
            return match expr {
                Expr::Int(value) => Some(b.index(*value)),
                Expr::Variable(variable) => variables.get(variable).copied(),
                Expr::Param(index) => params.get(*index).copied(),
                Expr::Op(..) => None,
            };
        };
        let parts: Vec<_> =
            operands.iter().map(|operand| self.expr(operand, variables, params)).collect::<Option<_>>()?;
        Some(match (op, &parts[..]) {
            (Op::Neg, &[a]) => b.exact(LLVMSub, b.index(0), a),
            (Op::Add, &[a, c]) => b.exact(LLVMAdd, a, c),
            (Op::Sub, &[a, c]) => b.exact(LLVMSub, a, c),
            (Op::Mul, &[a, c]) => b.exact(LLVMMul, a, c),
            (Op::FloorDiv, &[a, c]) => self.floor_div(a, c),
            (Op::Div, &[a, c]) => b.binary(LLVMSDiv, a, c),
            (Op::Rem | Op::RemIsZero, &[a, c]) => b.binary(LLVMSRem, a, c),
            (Op::Min, &[a, c]) => b.select(b.compare(LLVMIntSLT, a, c), a, c),
            (Op::Max, &[a, c]) => b.select(b.compare(LLVMIntSGT, a, c), a, c),
            (Op::Select, &[a, c, d]) => b.select(self.truth(a), c, d),
            (Op::And, &[a, c]) => b.binary(LLVMAnd, self.truth(a), self.truth(c)),
            (Op::Or, &[a, c]) => b.binary(LLVMOr, self.truth(a), self.truth(c)),
            (Op::Eq, &[a, c]) => b.compare(LLVMIntEQ, a, c),
            (Op::Le, &[a, c]) => b.compare(LLVMIntSLE, a, c),
            (Op::Lt, &[a, c]) => b.compare(LLVMIntSLT, a, c),
            (Op::Ge, &[a, c]) => b.compare(LLVMIntSGE, a, c),
            (Op::Gt, &[a, c]) => b.compare(LLVMIntSGT, a, c),
            _ => return None,
        })
    }

    /// A condition as `i1`; numbers are true if they are not 0.
    pub fn truth(&self, value: Value<'p>) -> Value<'p> {
        let ty = self.builder.type_of(value);
        if ty == self.builder.int(1) {
            return value;
        }
        self.builder.compare(LLVMIntNE, value, self.builder.constant(ty, 0))
    }

    /// The machine rounds towards zero: one less where the rest is negative (the divisor is positive).
    fn floor_div(&self, a: Value<'p>, c: Value<'p>) -> Value<'p> {
        let b = self.builder;
        let (quotient, rest) = (b.binary(LLVMSDiv, a, c), b.binary(LLVMSRem, a, c));
        let less = b.exact(LLVMSub, quotient, b.index(1));
        b.select(b.compare(LLVMIntSLT, rest, b.index(0)), less, quotient)
    }
}

/// An address that goes through a row by a constant step: `start + sum of outer steps + step * counter`.
struct Row<'s, 'p> {
    /// Where everything starts.
    start: &'s Scev<'p>,
    /// The steps from row to row, with their loops, innermost first.
    outer: Vec<(&'s ScevRef<'p>, Loop<'p>)>,
    /// The step in the row, in bytes; greater than 0.
    step: i64,
    over: Loop<'p>,
    /// How many elements of the row `start` is ahead of the row's first one: in `a[i][j + 2]` it is 2.
    ahead: i64,
}

impl<'s, 'p> Row<'s, 'p> {
    fn of(scev: &'s Scev<'p>, hoisted: &Hoisted<'p>) -> Option<Self> {
        let ScevKind::AddRec { operands, over } = &scev.kind else { return None };
        let [start, step] = &operands[..] else { return None };
        let ScevKind::Constant(step) = step.kind else { return None };
        if !scev.is_pointer || !start.is_pointer || step <= 0 {
            return None;
        }
        let (mut start, mut outer): (&Scev<'p>, _) = (start, Vec::new());
        while let ScevKind::AddRec { operands, over } = &start.kind
            && !hoisted.known.contains_key(&start.raw)
        {
            let [inside, step] = &operands[..] else { return None };
            outer.push((step, *over));
            start = inside;
        }
        let mut bytes = constant_part(start);
        for (step, _) in &outer {
            if let ScevKind::Constant(step) = step.kind {
                bytes %= step.checked_abs().filter(|step| *step > 0)?;
            }
        }
        Some(Row { start, outer, step, over: *over, ahead: bytes / step })
    }
}

/// The constant in a sum, if it is positive.
fn constant_part(scev: &Scev<'_>) -> i64 {
    let ScevKind::Add(operands) = &scev.kind else { return 0 };
    let constant = operands.iter().find_map(|operand| match operand.kind {
        ScevKind::Constant(value) => Some(value),
        _ => None,
    });
    constant.filter(|constant| *constant > 0).unwrap_or(0)
}
