//! Stage `emit`: the loop tree of a model as new code, guarded by the model's assumptions.
//!
//! Two steps, because LLVM's analyses hold only until control flow changes: [`prepare`] does for all models of a
//! function what needs them (a block before each region, parameters and invariant values in it), then [`emit`] writes the
//! code of one model at a time. Nothing is changed by a model for which either refuses.

use super::builder::{Builder, Type};
use super::values::{Hoisted, Values};
use crate::front::flow::region_blocks;
use crate::front::lift::{ArraySource, ExitValue, Lifted};
use crate::front::statements::Body;
use crate::pass::{Block, Inst, Pass, Value};
use crate::scev::{Scev, ScevKind, Scevs};
use astgen::{Expr, For, Node, Variable};
use llvm_sys::LLVMIntPredicate::*;
use llvm_sys::LLVMOpcode::*;
use model::StmtId;
use std::collections::{HashMap, HashSet};

/// The run-time check as an abstract expression.
pub struct Check {
    /// Holds if the parameters are as assumed.
    pub params: Expr,
    /// Pairs of arrays that must not overlap.
    pub apart: Vec<Apart>,
}

/// Two arrays that must not overlap, if both are touched at all.
pub struct Apart {
    /// Both are touched.
    pub touched: Expr,
    /// The bytes touched of each: array, first, one past the last.
    pub extents: [(usize, Expr, Expr); 2],
}

/// A region that is ready to be rewritten.
pub struct Prepared<'p> {
    entering: Block<'p>,
    entry: Block<'p>,
    blocks: Vec<Block<'p>>,
    params: Vec<Value<'p>>,
    hoisted: Hoisted<'p>,
}

/// Does what needs LLVM's analyses. `None`: some value cannot be computed before the region.
pub fn prepare<'p>(pass: Pass<'p>, scevs: &Scevs<'p>, lifted: &Lifted<'p>) -> Option<Prepared<'p>> {
    let mut blocks: Vec<_> = region_blocks(lifted.region).into_iter().collect();
    let scope: HashSet<_> = blocks.iter().copied().collect();
    let entering = pass.split_entering(lifted.region.entry, &blocks);
    let entry = entering.successors()[0];
    if entering == lifted.region.entry {
        // The function's first block was split: its instructions are in the new block.
        blocks.retain(|block| *block != entering);
        blocks.push(entry);
    }
    let is_invariant = |scev: &Scev<'p>| is_invariant(scev, &scope);
    let mut hoisted = Hoisted::default();
    for scev in lifted.params.iter().cloned().chain(needed(lifted, scevs)) {
        if !hoisted.prepare(pass, &scev, entering, &is_invariant) {
            return None;
        }
    }
    let builder = Builder::new(pass);
    builder.before(entering.terminator()?);
    let values = Values { builder: &builder, hoisted: &hoisted };
    let param = |scev: &crate::scev::ScevRef<'p>| {
        let value = values.scev(scev, &[], &[], false)?;
        Some(builder.resize(value, builder.int(64), true))
    };
    let params = lifted.params.iter().map(param).collect::<Option<Vec<_>>>()?;
    Some(Prepared { entering, entry, blocks, params, hoisted })
}

fn is_invariant<'p>(scev: &Scev<'p>, scope: &HashSet<Block<'p>>) -> bool {
    let here = match &scev.kind {
        ScevKind::Unknown(value) => value.inst().is_none_or(|inst| !scope.contains(&inst.block())),
        ScevKind::AddRec { over, .. } => !scope.contains(&over.header()),
        ScevKind::CouldNotCompute => false,
        _ => true,
    };
    here && scev.operands().iter().all(|operand| is_invariant(operand, scope))
}

/// The expressions that statements and exits will ask for.
fn needed<'p>(lifted: &Lifted<'p>, scevs: &Scevs<'p>) -> Vec<crate::scev::ScevRef<'p>> {
    let mut found = Vec::new();
    for (body, chain) in lifted.bodies.iter().zip(&lifted.chains) {
        let operands = body.insts.iter().flat_map(|inst| inst.operands());
        let values = operands.chain(body.phi_writes.iter().map(|(_, value)| *value));
        for value in values.filter(|value| value.inst().is_some()) {
            found.extend(lifted.expression(scevs, value, chain));
        }
    }
    for exit in lifted.exit_phis.iter().chain(&lifted.live_out) {
        if let ExitValue::Expression(value) = exit.value {
            found.extend(lifted.expression(scevs, value, &[]));
        }
    }
    found
}

/// Writes the new loops and the check. The function is changed.
pub fn emit<'p>(
    pass: Pass<'p>,
    scevs: &Scevs<'p>,
    lifted: &Lifted<'p>,
    prepared: &Prepared<'p>,
    nodes: &[Node],
    check: &Check,
) -> Result<(), String> {
    let builder = Builder::new(pass);
    let mut emitter = Emitter {
        pass,
        scevs,
        lifted,
        prepared,
        values: Values { builder: &builder, hoisted: &prepared.hoisted },
        slots: HashMap::new(),
        variables: HashMap::new(),
    };
    emitter.run(nodes, check).ok_or_else(|| "a value of the new loops was not prepared".to_owned())?;
    match pass.verify() {
        Some(message) => Err(format!("the new loops are not valid: {message}")),
        None => Ok(()),
    }
}

struct Emitter<'a, 'p> {
    pass: Pass<'p>,
    scevs: &'a Scevs<'p>,
    lifted: &'a Lifted<'p>,
    prepared: &'a Prepared<'p>,
    values: Values<'a, 'p>,
    slots: HashMap<ArraySource<'p>, (Value<'p>, Type<'p>)>,
    variables: HashMap<Variable, Value<'p>>,
}

impl<'p> Emitter<'_, 'p> {
    fn builder(&self) -> &Builder<'p> {
        self.values.builder
    }

    fn run(&mut self, nodes: &[Node], check: &Check) -> Option<()> {
        self.make_slots()?;
        let start = self.builder().block(c"orthant.start");
        self.write_check(check, start)?;
        self.builder().at_end(start);
        self.write_initial_phis();
        self.nodes(nodes)?;
        self.write_exit()?;
        let slots: Vec<_> = self.slots.values().map(|(slot, _)| *slot).collect();
        self.pass.promote(&slots);
        Some(())
    }

    /// One stack slot for each scalar and each phi's cell.
    fn make_slots(&mut self) -> Option<()> {
        let first = self.pass.blocks().first()?.insts().next()?;
        self.builder().before(first);
        for &source in &self.lifted.arrays {
            if let ArraySource::Scalar(inst) | ArraySource::Phi(inst) = source {
                let ty = self.builder().type_of(inst.value());
                self.slots.insert(source, (self.builder().slot(ty), ty));
            }
        }
        Some(())
    }

    /// `entering` goes on to the new loops if all holds, to the region otherwise.
    fn write_check(&mut self, check: &Check, start: Block<'p>) -> Option<()> {
        let old = self.prepared.entering.terminator()?;
        self.builder().before(old);
        let mut holds = self.check_expr(&check.params)?;
        holds = self.values.truth(holds);
        for apart in &check.apart {
            let ok = self.apart(apart)?;
            holds = self.builder().binary(LLVMAnd, holds, ok);
        }
        self.builder().branch(holds, start, self.prepared.entry);
        self.builder().erase(old);
        Some(())
    }

    fn check_expr(&self, expr: &Expr) -> Option<Value<'p>> {
        self.values.expr(expr, &HashMap::new(), &self.prepared.params)
    }

    fn apart(&self, apart: &Apart) -> Option<Value<'p>> {
        let b = self.builder();
        let extent = |(array, first, end): &(usize, Expr, Expr)| {
            let ArraySource::Base(base) = self.lifted.arrays[*array] else { return None };
            let base = b.address(base, b.int(64));
            let first = b.binary(LLVMAdd, base, self.check_expr(first)?);
            Some((first, b.binary(LLVMAdd, base, self.check_expr(end)?)))
        };
        let [(a, a_end), (c, c_end)] = [extent(&apart.extents[0])?, extent(&apart.extents[1])?];
        let before = b.compare(LLVMIntULE, a_end, c);
        let after = b.compare(LLVMIntULE, c_end, a);
        let touched = self.values.truth(self.check_expr(&apart.touched)?);
        let untouched = b.binary(LLVMXor, touched, b.constant(b.int(1), -1));
        Some(b.binary(LLVMOr, untouched, b.binary(LLVMOr, before, after)))
    }

    /// Phis at the region's entry have a first value that no statement writes.
    fn write_initial_phis(&self) {
        let inside: HashSet<_> = self.prepared.blocks.iter().copied().collect();
        for (source, (slot, _)) in &self.slots {
            if let ArraySource::Phi(phi) = source {
                for (value, from) in phi.incoming() {
                    if inside.contains(&phi.block()) && !inside.contains(&from) {
                        self.builder().store(value, *slot);
                    }
                }
            }
        }
    }

    fn nodes(&mut self, nodes: &[Node]) -> Option<()> {
        nodes.iter().try_for_each(|node| match node {
            Node::For(l) if l.runs_once => self.once(l),
            Node::For(l) => self.for_loop(l),
            Node::If { condition, then, otherwise } => self.branch(condition, then, otherwise),
            Node::Stmt { id, counters } => self.stmt(*id, counters),
        })
    }

    fn expr(&self, expr: &Expr) -> Option<Value<'p>> {
        self.values.expr(expr, &self.variables, &self.prepared.params)
    }

    fn once(&mut self, l: &For) -> Option<()> {
        let only = self.expr(&l.first)?;
        self.variables.insert(l.variable, only);
        self.nodes(&l.body)
    }

    /// A loop with its test at the end, behind a test whether it runs at all.
    fn for_loop(&mut self, l: &For) -> Option<()> {
        let (first, last) = (self.expr(&l.first)?, self.expr(&l.last)?);
        let (head, after) = (self.builder().block(c"orthant.loop"), self.builder().block(c"orthant.after"));
        let runs = self.builder().compare(LLVMIntSLE, first, last);
        let preheader = self.builder().block(c"orthant.preheader");
        self.builder().branch(runs, preheader, after);
        self.builder().at_end(preheader);
        self.builder().jump(head);
        self.builder().at_end(head);
        let variable = self.builder().phi(self.builder().int(64));
        self.builder().add_incoming(variable, first, preheader);
        self.variables.insert(l.variable, variable);
        self.nodes(&l.body)?;
        let next = self.builder().exact(LLVMAdd, variable, self.builder().index(l.step));
        let goes_on = self.builder().compare(LLVMIntSLE, next, last);
        let latch = self.builder().here();
        self.builder().branch(goes_on, head, after);
        self.builder().add_incoming(variable, next, latch);
        self.builder().at_end(after);
        Some(())
    }

    fn branch(&mut self, condition: &Expr, then: &[Node], otherwise: &[Node]) -> Option<()> {
        let holds = self.values.truth(self.expr(condition)?);
        let [yes, no, after] =
            [c"orthant.then", c"orthant.else", c"orthant.join"].map(|name| self.builder().block(name));
        self.builder().branch(holds, yes, no);
        for (block, nodes) in [(yes, then), (no, otherwise)] {
            self.builder().at_end(block);
            self.nodes(nodes)?;
            self.builder().jump(after);
        }
        self.builder().at_end(after);
        Some(())
    }

    /// One instance of a statement: its reads, its instructions, then its writes to phis' cells.
    fn stmt(&mut self, id: StmtId, counters: &[Expr]) -> Option<()> {
        let counters = counters.iter().map(|counter| self.expr(counter)).collect::<Option<Vec<_>>>()?;
        let body = &self.lifted.bodies[id.index()];
        let mut copies: HashMap<Inst<'p>, Value<'p>> = HashMap::new();
        for &inst in &body.insts {
            let copy = self.inst(inst, id, &counters, &copies)?;
            copies.insert(inst, copy);
            if let Some((slot, _)) = self.slots.get(&ArraySource::Scalar(inst)) {
                self.builder().store(copy, *slot);
            }
        }
        self.phi_writes(body, id, &counters, &copies)
    }

    fn inst(
        &self,
        inst: Inst<'p>,
        id: StmtId,
        counters: &[Value<'p>],
        copies: &HashMap<Inst<'p>, Value<'p>>,
    ) -> Option<Value<'p>> {
        if inst.opcode() == LLVMPHI {
            let (slot, ty) = self.slots.get(&ArraySource::Phi(inst))?;
            return Some(self.builder().load(*ty, *slot));
        }
        let is_exact = self.lifted.exact_offsets.contains(&inst);
        let operand = |value| self.operand(value, id, counters, copies, is_exact);
        let operands = inst.operands().into_iter().map(operand).collect::<Option<Vec<_>>>()?;
        Some(self.builder().copy(inst, &operands).value())
    }

    fn operand(
        &self,
        value: Value<'p>,
        id: StmtId,
        counters: &[Value<'p>],
        copies: &HashMap<Inst<'p>, Value<'p>>,
        is_exact: bool,
    ) -> Option<Value<'p>> {
        let Some(inst) = value.inst() else { return Some(value) };
        if !self.lifted.scope.contains(&inst.block()) && !self.prepared.blocks.contains(&inst.block()) {
            return Some(value);
        }
        if let Some(&copy) = copies.get(&inst) {
            return Some(copy);
        }
        let chain = &self.lifted.chains[id.index()];
        if let Some(scev) = self.lifted.expression(self.scevs, value, chain) {
            return self.values.scev(&scev, chain, counters, is_exact);
        }
        let (slot, ty) = self.slots.get(&ArraySource::Scalar(inst))?;
        Some(self.builder().load(*ty, *slot))
    }

    /// All values are read before the first is written: phis may exchange theirs.
    fn phi_writes(
        &self,
        body: &Body<'p>,
        id: StmtId,
        counters: &[Value<'p>],
        copies: &HashMap<Inst<'p>, Value<'p>>,
    ) -> Option<()> {
        let read = |(phi, value): &(Inst<'p>, Value<'p>)| {
            Some((*phi, self.operand(*value, id, counters, copies, false)?))
        };
        let values = body.phi_writes.iter().map(read).collect::<Option<Vec<_>>>()?;
        for (phi, value) in values {
            let (slot, _) = self.slots.get(&ArraySource::Phi(phi))?;
            self.builder().store(value, *slot);
        }
        Some(())
    }

    /// The new loops' end joins the region's end.
    fn write_exit(&self) -> Option<()> {
        let exit = self.lifted.region.exit;
        let end = self.builder().here();
        let read = |value: ExitValue<'p>, source: ArraySource<'p>| match value {
            ExitValue::Outside(value) => Some(value),
            ExitValue::Expression(value) => {
                let scev = self.lifted.expression(self.scevs, value, &[])?;
                self.values.scev(&scev, &[], &[], false)
            }
            ExitValue::Cell => {
                let (slot, ty) = self.slots.get(&source)?;
                Some(self.builder().load(*ty, *slot))
            }
        };
        let phis: Vec<_> = self.lifted.exit_phis.iter().collect();
        let phi_values =
            phis.iter().map(|out| read(out.value, ArraySource::Phi(out.inst))).collect::<Option<Vec<_>>>()?;
        let live: Vec<_> = self.lifted.live_out.iter().collect();
        let live_values = live
            .iter()
            .map(|out| read(out.value, ArraySource::Scalar(out.inst)))
            .collect::<Option<Vec<_>>>()?;
        let merge = self.pass.split_exiting(exit, &self.prepared.blocks);
        let merged: Vec<_> = merge.insts().take_while(|inst| inst.opcode() == LLVMPHI).collect();
        let escaped: Vec<_> =
            live.iter().map(|out| self.pass.escape(out.inst, merge, &self.prepared.blocks)).collect();
        self.builder().at_end(end);
        self.builder().jump(merge);
        for (phi, value) in merged
            .into_iter()
            .map(|inst| inst.value())
            .chain(escaped)
            .zip(phi_values.into_iter().chain(live_values))
        {
            self.builder().add_incoming(phi, value, end);
        }
        Some(())
    }
}
