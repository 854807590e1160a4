//! Whether a loop runs an affine number of times, seen from a region around it.
//!
//! *Scope*: the blocks of the region. A value defined outside the scope is a *parameter*. A recurrence of a
//! loop inside the scope with a constant step is a *counter*. An expression is *affine* if it is a sum of
//! constant multiples of counters and of parameters; casts, minimum, maximum and division by a constant keep
//! that (they are piecewise affine). Anything that does not change inside the scope is itself a parameter,
//! products of parameters included. So `n*m` is fine as a bound and `n*i` is not, unless the scope is
//! inside the loop of `i`.
//!
//! Where LLVM cannot count the iterations, because a counter may wrap or step over its limit, the condition itself is looked
//! at: if both sides are affine, the first iteration in which it holds can be found (`super::domains`).

use super::Obstacle;
use super::flow::Blocks;
use super::headers::value_before;
use crate::pass::{Anchor, Block, Inst, Loop, Pass, Value};
use crate::scev::{Scev, ScevKind, ScevRef, Scevs};
use llvm_sys::LLVMOpcode;
use model::{Budget, BudgetSpent, Reason};
use std::collections::HashMap;

/// How an expression varies inside the scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Constant,
    Parameter,
    Affine,
}

/// Why an expression is not affine.
#[derive(Clone, Copy, Debug)]
enum NotAffine<'p> {
    /// Products of counters, parametric steps, polynomials.
    Polynomial,
    /// It contains a value that is computed in the scope in a way that is no expression.
    Computed(Inst<'p>),
    /// A type without a place in the model.
    Scalable,
    /// LLVM does not know it.
    Unknown,
}

/// Everything that is known of bounds in one run.
pub struct Bounds<'a, 'p> {
    /// The run.
    pub pass: Pass<'p>,
    /// The expressions.
    pub scevs: &'a Scevs<'p>,
    /// Blocks that never return.
    pub errors: &'a Blocks<'p>,
    /// What may be spent.
    pub budget: &'a Budget,
}

impl<'p> Bounds<'_, 'p> {
    /// What keeps the loop's number of iterations from being affine in this scope.
    pub fn obstacles(&self, l: Loop<'p>, scope: &Blocks<'p>) -> Result<Vec<Obstacle<'p>>, BudgetSpent> {
        let exiting = l.exiting_blocks();
        if exiting.is_empty() {
            return Ok(vec![Obstacle { reason: Reason::NoExit, at: Anchor::Loop(l) }]);
        }
        let mut found = Vec::new();
        for block in exiting {
            if let Some(reason) = self.exit(l, block, scope)? {
                found.push(Obstacle { reason, at: anchor(l, block) });
            }
        }
        Ok(found)
    }

    fn exit(
        &self,
        l: Loop<'p>,
        exiting: Block<'p>,
        scope: &Blocks<'p>,
    ) -> Result<Option<Reason>, BudgetSpent> {
        let mut targets = exiting.successors().into_iter().filter(|&next| !l.contains(next));
        if targets.all(|next| self.errors.contains(&next)) {
            let condition = exiting.terminator().and_then(|last| last.condition());
            let can_be_assumed = match condition {
                Some(condition) => self.is_bounds_check(condition, scope, 0)?,
                None => false,
            };
            return Ok((!can_be_assumed).then_some(Reason::ErrorExit));
        }
        let count = self.scevs.exit_count(l, exiting);
        Ok(match Classifier::new(self, scope).form(&count)? {
            Ok(_) => None,
            Err(NotAffine::Unknown) => self.unknown_count(l, exiting, scope)?,
            Err(why) => Some(self.reason(why, scope, || self.scevs.text_of_exit_count(l, exiting))),
        })
    }

    /// Whether a truth value compares counters and parameters only, so that it may be known before the nest. Products are
    /// fine: `i * m + j < n`.
    fn is_bounds_check(
        &self,
        condition: Value<'p>,
        scope: &Blocks<'p>,
        depth: usize,
    ) -> Result<bool, BudgetSpent> {
        let Some(inst) = condition.inst().filter(|inst| scope.contains(&inst.block()) && depth < 16) else {
            return Ok(true);
        };
        match inst.opcode() {
            LLVMOpcode::LLVMAnd
            | LLVMOpcode::LLVMOr
            | LLVMOpcode::LLVMXor
            | LLVMOpcode::LLVMSelect
            | LLVMOpcode::LLVMFreeze => {
                for operand in inst.operands() {
                    if !self.is_bounds_check(operand, scope, depth + 1)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            LLVMOpcode::LLVMICmp => {
                for operand in inst.operands() {
                    let Some(scev) = self.scevs.of_value(operand) else { return Ok(false) };
                    let form = Classifier::new(self, scope).form(&scev)?;
                    if !matches!(form, Ok(_) | Err(NotAffine::Polynomial)) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// LLVM cannot count the iterations: the condition's operands say whether we can, or why not.
    fn unknown_count(
        &self,
        l: Loop<'p>,
        exiting: Block<'p>,
        scope: &Blocks<'p>,
    ) -> Result<Option<Reason>, BudgetSpent> {
        let condition = exiting.terminator().and_then(|last| last.condition()).and_then(|value| value.inst());
        let comparison = condition.filter(|inst| inst.opcode() == LLVMOpcode::LLVMICmp);
        let Some(comparison) = comparison else { return Ok(Some(Reason::DataDependentExit)) };
        let mut varies = false;
        for operand in comparison.operands() {
            let Some(scev) = self.scevs.of_value(operand) else { return Ok(Some(Reason::DataDependentExit)) };
            match Classifier::new(self, scope).form(&scev)? {
                Ok(_) => varies |= scev.varies_in(l),
                Err(why) => return Ok(Some(self.reason(why, scope, || self.scevs.text_of_value(operand)))),
            }
        }
        let is_asked_each_time = l.latch().is_some_and(|latch| self.pass.dominates(exiting, latch));
        Ok(match (varies, is_asked_each_time) {
            (true, true) => None,
            // It leaves at once or never.
            (false, true) => Some(Reason::NoExit),
            (_, false) => {
                let sides = comparison.operands().into_iter().map(|side| self.scevs.text_of_value(side));
                let expression = sides.collect::<Vec<_>>().join(" against ");
                Some(Reason::NonAffineBound { expression })
            }
        })
    }

    fn reason(&self, why: NotAffine<'p>, scope: &Blocks<'p>, text: impl FnOnce() -> String) -> Reason {
        match why {
            NotAffine::Polynomial => Reason::NonAffineBound { expression: text() },
            NotAffine::Computed(inst) if self.is_invariant_load(inst, scope) => {
                Reason::BoundFromMemory { variable: inst.value().source_name() }
            }
            NotAffine::Computed(inst) if is_arithmetic(inst) => Reason::NonAffineBound { expression: text() },
            NotAffine::Computed(_) | NotAffine::Unknown => Reason::DataDependentExit,
            NotAffine::Scalable => Reason::UnsupportedType { ty: "vscale".into() },
        }
    }

    /// Whether the load reads the same address each time: then it is the memory that might change.
    fn is_invariant_load(&self, inst: Inst<'p>, scope: &Blocks<'p>) -> bool {
        let fixed = |address: Value<'p>| {
            let scev = self.scevs.of_value(address);
            let form = scev.map(|scev| Classifier::new(self, scope).form(&scev));
            matches!(form, Some(Ok(Ok(Form::Constant | Form::Parameter))))
        };
        inst.opcode() == LLVMOpcode::LLVMLoad
            && inst.operands().first().is_some_and(|&address| fixed(address))
    }
}

/// The terminator has the location of the condition; without one, the loop's start has to do.
fn anchor<'p>(l: Loop<'p>, exiting: Block<'p>) -> Anchor<'p> {
    match exiting.terminator() {
        Some(last) if last.loc().is_some() => Anchor::Inst(last),
        _ => Anchor::Loop(l),
    }
}

/// Integer arithmetic that is no expression for LLVM: shifts, bit operations, signed division.
fn is_arithmetic(inst: Inst<'_>) -> bool {
    use LLVMOpcode::*;
    matches!(
        inst.opcode(),
        LLVMAdd
            | LLVMSub
            | LLVMMul
            | LLVMUDiv
            | LLVMSDiv
            | LLVMURem
            | LLVMSRem
            | LLVMShl
            | LLVMLShr
            | LLVMAShr
            | LLVMAnd
            | LLVMOr
            | LLVMXor
            | LLVMFPToSI
            | LLVMFPToUI
            | LLVMPHI
            | LLVMSelect
    ) && !inst.operands().iter().any(|operand| operand.inst().is_some_and(|op| op.opcode() == LLVMLoad))
}

/// Forms of the nodes of one expression graph, each computed once.
struct Classifier<'a, 'p> {
    bounds: &'a Bounds<'a, 'p>,
    scope: &'a Blocks<'p>,
    known: HashMap<*const Scev<'p>, Result<Form, NotAffine<'p>>>,
}

type Classified<'p> = Result<Result<Form, NotAffine<'p>>, BudgetSpent>;

impl<'a, 'p> Classifier<'a, 'p> {
    fn new(bounds: &'a Bounds<'a, 'p>, scope: &'a Blocks<'p>) -> Self {
        Self { bounds, scope, known: HashMap::new() }
    }

    fn form(&mut self, scev: &ScevRef<'p>) -> Classified<'p> {
        let key: *const Scev<'p> = &**scev;
        if let Some(&known) = self.known.get(&key) {
            return Ok(known);
        }
        self.bounds.budget.spend(1)?;
        if let Some(frozen) = frozen(scev, self.scope)
            && let Some(operand) = self.bounds.scevs.of_value(frozen)
        {
            return self.form(&operand);
        }
        let mut forms = Vec::with_capacity(scev.operands().len());
        for operand in scev.operands() {
            match self.form(operand)? {
                Ok(form) => forms.push(form),
                Err(why) => return Ok(Err(why)),
            }
        }
        let form = self.combine(scev, &forms);
        self.known.insert(key, form);
        Ok(form)
    }

    fn combine(&self, scev: &Scev<'p>, forms: &[Form]) -> Result<Form, NotAffine<'p>> {
        let widest = forms.iter().copied().max().unwrap_or(Form::Constant);
        match &scev.kind {
            ScevKind::Constant(_) | ScevKind::WideConstant => Ok(Form::Constant),
            ScevKind::VScale => Err(NotAffine::Scalable),
            ScevKind::CouldNotCompute => Err(NotAffine::Unknown),
            ScevKind::Unknown(value) => self.unknown(*value),
            ScevKind::AddRec { over, .. } if !self.scope.contains(&over.header()) => Ok(Form::Parameter),
            ScevKind::AddRec { .. } => match forms {
                [_, Form::Constant] => Ok(Form::Affine),
                _ => Err(NotAffine::Polynomial),
            },
            ScevKind::Mul(_) => product(forms, widest),
            ScevKind::UDiv(_) => quotient(forms, widest),
            ScevKind::Truncate(_)
            | ScevKind::ZeroExtend(_)
            | ScevKind::SignExtend(_)
            | ScevKind::PtrToInt(_)
            | ScevKind::Add(_)
            | ScevKind::UMax(_)
            | ScevKind::SMax(_)
            | ScevKind::UMin(_)
            | ScevKind::SMin(_)
            | ScevKind::SequentialUMin(_) => Ok(widest),
        }
    }

    fn unknown(&self, value: Value<'p>) -> Result<Form, NotAffine<'p>> {
        match value.inst() {
            Some(inst)
                if self.scope.contains(&inst.block())
                    && value_before(self.bounds.pass, inst, self.scope).is_none() =>
            {
                Err(NotAffine::Computed(inst))
            }
            _ => Ok(Form::Parameter),
        }
    }
}

/// The value that an expression of the scope takes over as it is.
fn frozen<'p>(scev: &Scev<'p>, scope: &Blocks<'p>) -> Option<Value<'p>> {
    let ScevKind::Unknown(value) = scev.kind else { return None };
    value.inst().filter(|inst| scope.contains(&inst.block())).and_then(|inst| inst.frozen())
}

fn product<'p>(forms: &[Form], widest: Form) -> Result<Form, NotAffine<'p>> {
    let varying = forms.iter().filter(|&&form| form == Form::Affine).count();
    let constant = forms.iter().filter(|&&form| form == Form::Constant).count();
    match varying {
        0 => Ok(widest),
        1 if constant + 1 == forms.len() => Ok(Form::Affine),
        _ => Err(NotAffine::Polynomial),
    }
}

fn quotient<'p>(forms: &[Form], widest: Form) -> Result<Form, NotAffine<'p>> {
    match forms {
        [_, Form::Constant] => Ok(widest),
        _ if widest < Form::Affine => Ok(widest),
        _ => Err(NotAffine::Polynomial),
    }
}
