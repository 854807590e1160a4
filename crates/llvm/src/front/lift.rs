//! Stage `lift`: from a candidate region to a model, and the table that leads back.
//!
//! 1. The region's control becomes a tree of loops and blocks ([`super::statements::shape`]) and each block gets its
//!    domain ([`super::domains`]).
//! 2. Blocks are cut into statements ([`super::statements`]).
//! 3. Loads and stores become accesses to arrays of cells, one array per base address. The subscript is the byte
//!    offset divided by the cell size, the greatest that divides all offsets and sizes. An offset that is not affine
//!    is an access to any cell: a may-write, or a read of all.
//! 4. A value that one statement computes and another uses is a scalar; a phi is a cell that the incoming
//!    blocks write and the phi reads. What is used after the region is live-out.
//! 5. What had to be assumed (no wrapping, no overlap) goes into the ledger.
//!
//! [`Lifted`] keeps the model and, by the same numbers, the LLVM objects behind it.

use super::Obstacle;
use super::affine::{Affine, Evaluated, Stop};
use super::domains::{self, Domains};
use super::flow::{Blocks, region_blocks};
use super::statements::{Body, Shape, Synthesis, blocks_of, shape, statements};
use crate::pass::{Alias, Anchor, Block, Inst, Loop, Pass, Region, Value};
use crate::scev::{ScevKind, ScevRef, Scevs};
use isl::{Ctx, DimType, Map, PwAff, Set, Val};
use llvm_sys::LLVMOpcode;
use model::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayKind, Assumption, Budget, Condition, Order, Param,
    Reason, Scop, Stmt, StmtId,
};
use std::collections::{HashMap, HashSet};

/// A model and what it stands for.
pub struct Lifted<'p> {
    /// The model.
    pub scop: Scop,
    /// The region it describes.
    pub region: Region<'p>,
    /// What each parameter stands for.
    pub params: Vec<ScevRef<'p>>,
    /// What each array stands for.
    pub arrays: Vec<ArraySource<'p>>,
    /// The body of each statement.
    pub bodies: Vec<Body<'p>>,
    /// The loops around each statement, outermost first.
    pub chains: Vec<Vec<Loop<'p>>>,
    /// The region's blocks when it was lifted.
    pub scope: Blocks<'p>,
    /// The innermost loop around the region.
    pub around: Option<Loop<'p>>,
    /// The loads and stores, with what they touch.
    pub memory: HashMap<Inst<'p>, Touched>,
    /// The phis of the exit block, in order, with the value they get from the region.
    pub exit_phis: Vec<Exit<'p>>,
    /// Values of the region that are used after it, other than by those phis.
    pub live_out: Vec<Exit<'p>>,
}

/// What a load or store touches.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    /// The array.
    pub array: ArrayId,
    /// Whether its byte offset is affine and does not wrap.
    pub is_exact: bool,
}

/// A value that leaves the region.
#[derive(Clone, Copy, Debug)]
pub struct Exit<'p> {
    /// The phi of the exit block, or the instruction whose value is used.
    pub inst: Inst<'p>,
    /// Where the new code finds it.
    pub value: ExitValue<'p>,
}

/// Where the value at the end is found.
#[derive(Clone, Copy, Debug)]
pub enum ExitValue<'p> {
    /// It comes from outside the region.
    Outside(Value<'p>),
    /// It follows from parameters: the final value of a counter.
    Expression(Value<'p>),
    /// In the scalar or in the phi's cell.
    Cell,
}

impl<'p> Lifted<'p> {
    /// The value's expression, if it can be computed in iterations of the chain without executing instructions of the
    /// region.
    pub fn expression(&self, scevs: &Scevs<'p>, value: Value<'p>, chain: &[Loop<'p>]) -> Option<ScevRef<'p>> {
        let is_memory = value.inst().is_some_and(|inst| inst.is_call() || inst.pointer().is_some());
        let synthesis = Synthesis { scevs, scope: &self.scope, around: self.around };
        if is_memory { None } else { synthesis.expression(value, chain) }
    }
}

/// What an array stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySource<'p> {
    /// Memory that starts at this address.
    Base(Value<'p>),
    /// The value of an instruction.
    Scalar(Inst<'p>),
    /// The cell that carries a phi's next value.
    Phi(Inst<'p>),
}

/// Lifts a candidate.
pub fn lift<'p>(
    pass: Pass<'p>,
    scevs: &Scevs<'p>,
    region: Region<'p>,
    ctx: &Ctx,
    budget: &Budget,
) -> Result<Lifted<'p>, Obstacle<'p>> {
    let scope = region_blocks(region);
    let shape = shape(pass, &scope, region);
    let around = around(pass, region, &scope);
    let affine = Affine::new(ctx, &scope, around, scevs, budget);
    let order = blocks_of(&shape);
    let domains = domains::domains(pass, &affine, region, &order).map_err(|no| obstacle(no.stop, no.at))?;
    let synthesis = Synthesis { scevs, scope: &scope, around };
    let lifter = Lifter { pass, affine: &affine, synthesis: &synthesis, domains: &domains, region };
    lifter.lift(&shape)
}

/// The innermost loop that the region is a part of.
fn around<'p>(pass: Pass<'p>, region: Region<'p>, scope: &Blocks<'p>) -> Option<Loop<'p>> {
    let mut outwards = std::iter::successors(pass.loop_of(region.entry), |l| l.parent());
    outwards.find(|l| !scope.contains(&l.header()))
}

fn obstacle<'p>(stop: Stop, at: Inst<'p>) -> Obstacle<'p> {
    Obstacle { reason: obstacle_reason(stop), at: Anchor::Inst(at) }
}

struct Lifter<'a, 'p> {
    pass: Pass<'p>,
    affine: &'a Affine<'a, 'p>,
    synthesis: &'a Synthesis<'a, 'p>,
    domains: &'a Domains<'p>,
    region: Region<'p>,
}

/// A load or store, before the cells of its array are known.
struct MemoryAccess<'p> {
    inst: Inst<'p>,
    base: Value<'p>,
    /// In bytes from the base; `None`: not affine.
    offset: Option<PwAff>,
    bytes: u64,
}

/// What leaves the region.
struct Exits<'p> {
    phis: Vec<Exit<'p>>,
    live_out: Vec<Exit<'p>>,
}

/// The model under construction.
struct Draft<'p> {
    arrays: Vec<Array>,
    sources: Vec<ArraySource<'p>>,
    next_access: u32,
    fails: Vec<(Set, Inst<'p>)>,
}

impl<'p> Lifter<'_, 'p> {
    fn lift(&self, shape: &[Shape<'p>]) -> Result<Lifted<'p>, Obstacle<'p>> {
        let memory = self.memory(&blocks_of(shape))?;
        let (bodies, chains, order) = self.bodies(shape, &memory);
        let mut draft =
            Draft { arrays: vec![], sources: vec![], next_access: 0, fails: self.domains.fails.clone() };
        let cells = draft.declare_memory(&memory);
        let home: HashMap<Inst<'p>, usize> = bodies
            .iter()
            .enumerate()
            .flat_map(|(index, body)| body.insts.iter().map(move |&inst| (inst, index)))
            .collect();
        let exits = Exits { phis: self.exit_phis(), live_out: self.live_out() };
        let touched = |access: &MemoryAccess<'p>| {
            (access.inst, Touched { array: cells[&access.base].0, is_exact: access.offset.is_some() })
        };
        let touched = memory.values().map(touched).collect();
        let mut stmts = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let stmt = self.stmt(index, body, &chains[index], &home, &memory, &cells, &mut draft);
            let at = body.insts.first().copied().or(body.block.terminator());
            stmts.push(match (stmt, at) {
                (Ok(stmt), _) => stmt,
                (Err(stop), Some(at)) => return Err(obstacle(stop, at)),
                (Err(_), None) => continue,
            });
        }
        self.finish(draft, stmts, bodies, chains, order, exits, touched)
    }

    /// The loads and stores of the region.
    fn memory(&self, blocks: &[Block<'p>]) -> Result<HashMap<Inst<'p>, MemoryAccess<'p>>, Obstacle<'p>> {
        let mut all = HashMap::new();
        for &block in blocks {
            for inst in block.insts() {
                if let Some(effects) = inst.call_effects()
                    && !effects.is_harmless
                    && !inst.touches_no_memory()
                {
                    let what = format!("a call to {}", inst.callee().unwrap_or_else(|| "a function".into()));
                    return Err(Obstacle { reason: Reason::NotModelled { what }, at: Anchor::Inst(inst) });
                }
                if inst.pointer().is_some() {
                    all.insert(inst, self.memory_access(inst)?);
                }
            }
        }
        Ok(all)
    }

    fn memory_access(&self, inst: Inst<'p>) -> Result<MemoryAccess<'p>, Obstacle<'p>> {
        let refuse = |reason| Obstacle { reason, at: Anchor::Inst(inst) };
        let chain = &self.domains.chains[&inst.block()];
        let scevs = self.affine.scevs();
        let pointer = inst.pointer().and_then(|pointer| self.affine.expression(pointer, chain));
        let pointer = pointer.ok_or_else(|| refuse(Reason::MovingBase))?;
        let base = scevs.base(&pointer);
        let base = match base.kind {
            ScevKind::Unknown(value) if self.affine.is_invariant(&base) => value,
            _ => return Err(refuse(Reason::MovingBase)),
        };
        let bytes = inst.access_bytes();
        if bytes == 0 {
            return Err(refuse(Reason::UnsupportedType { ty: "of unknown size".into() }));
        }
        let offset = match self.affine.signed(&scevs.offset(&pointer), chain) {
            // Where the offset wraps, the access is to another place: that must be checked.
            Ok(Evaluated { value, fails }) => match self.wraps(fails, inst) {
                Ok(true) => None,
                Ok(false) => Some(value),
                Err(stop) => return Err(obstacle(stop, inst)),
            },
            Err(Stop::NotAffine) => None,
            Err(stop) => return Err(obstacle(stop, inst)),
        };
        Ok(MemoryAccess { inst, base, offset, bytes })
    }

    /// Whether an offset may wrap in the iterations of its block, for parameters in their ranges.
    fn wraps(&self, fails: Set, inst: Inst<'p>) -> Result<bool, Stop> {
        let within = self.domains.of.get(&inst.block()).cloned();
        let Some(within) = within else { return Ok(false) };
        let fails = fails.intersect(within)?.intersect_params(self.context()?)?;
        Ok(!fails.is_empty()?)
    }

    /// What is known of the parameters: their types and LLVM's value ranges.
    fn context(&self) -> Result<Set, Stop> {
        let mut context = self.affine.universe(0)?.params()?;
        for (_, Param { name, range }) in self.affine.params() {
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

    /// The statements in order, with their loops, and the order itself.
    #[allow(clippy::type_complexity)]
    fn bodies(
        &self,
        shape: &[Shape<'p>],
        memory: &HashMap<Inst<'p>, MemoryAccess<'p>>,
    ) -> (Vec<Body<'p>>, Vec<Vec<Loop<'p>>>, Vec<Order>) {
        let (mut bodies, mut chains) = (Vec::new(), Vec::new());
        let order = self.order(shape, memory, &mut bodies, &mut chains);
        (bodies, chains, order)
    }

    fn order(
        &self,
        shape: &[Shape<'p>],
        memory: &HashMap<Inst<'p>, MemoryAccess<'p>>,
        bodies: &mut Vec<Body<'p>>,
        chains: &mut Vec<Vec<Loop<'p>>>,
    ) -> Vec<Order> {
        let mut order = Vec::new();
        for part in shape {
            match part {
                Shape::Loop(_, inner) => {
                    let body = self.order(inner, memory, bodies, chains);
                    if !body.is_empty() {
                        order.push(Order::Loop(body));
                    }
                }
                Shape::Block(block) => {
                    let Some(chain) = self.runs(*block) else { continue };
                    for body in self.statements(*block, chain, memory) {
                        order.push(Order::Stmt(StmtId(bodies.len() as u32)));
                        bodies.push(body);
                        chains.push(chain.clone());
                    }
                }
            }
        }
        order
    }

    /// The loops around a block that runs at all.
    fn runs(&self, block: Block<'p>) -> Option<&Vec<Loop<'p>>> {
        self.domains.of.get(&block)?;
        self.domains.chains.get(&block)
    }

    fn statements(
        &self,
        block: Block<'p>,
        chain: &[Loop<'p>],
        memory: &HashMap<Inst<'p>, MemoryAccess<'p>>,
    ) -> Vec<Body<'p>> {
        let mut phi_writes = Vec::new();
        for next in block.successors() {
            for phi in next.insts().take_while(|inst| inst.opcode() == LLVMOpcode::LLVMPHI) {
                let inside = self.affine.scope().contains(&next);
                let next_chain = self.domains.chains.get(&next).cloned().unwrap_or_default();
                let leaves = next == self.region.exit && matches!(self.exit_phi(phi), ExitValue::Cell);
                if leaves || inside && !self.synthesis.is_synthesizable(phi, &next_chain) {
                    let from_here = phi.incoming().into_iter().filter(|(_, from)| *from == block);
                    phi_writes.extend(from_here.map(|(value, _)| (phi, value)));
                }
            }
        }
        phi_writes.dedup();
        statements(block, self.synthesis, chain, &phi_writes, |a, b| self.may_conflict(a, b, memory))
    }

    /// Whether the order of two memory instructions of a block matters.
    fn may_conflict(&self, a: Inst<'p>, b: Inst<'p>, memory: &HashMap<Inst<'p>, MemoryAccess<'p>>) -> bool {
        let is_store = |inst: Inst<'p>| inst.opcode() == LLVMOpcode::LLVMStore;
        match (memory.get(&a), memory.get(&b)) {
            (Some(x), Some(y)) => {
                (is_store(a) || is_store(b))
                    && (x.base == y.base || self.pass.alias(x.base, 0, y.base, 0) != Alias::No)
            }
            _ => false,
        }
    }

    fn exit_phis(&self) -> Vec<Exit<'p>> {
        let phis = self.region.exit.insts().take_while(|inst| inst.opcode() == LLVMOpcode::LLVMPHI);
        phis.map(|inst| Exit { inst, value: self.exit_phi(inst) }).collect()
    }

    /// The value that a phi of the exit block gets from the region.
    fn exit_phi(&self, phi: Inst<'p>) -> ExitValue<'p> {
        let scope = self.affine.scope();
        let mut values: Vec<_> =
            phi.incoming().into_iter().filter(|(_, from)| scope.contains(from)).collect();
        values.dedup_by_key(|(value, _)| *value);
        match values[..] {
            [(value, _)] => self.exit_value(value),
            _ => ExitValue::Cell,
        }
    }

    fn exit_value(&self, value: Value<'p>) -> ExitValue<'p> {
        match value.inst() {
            Some(inst) if self.affine.scope().contains(&inst.block()) => {
                match self.synthesis.is_synthesizable(inst, &[]) {
                    true => ExitValue::Expression(value),
                    false => ExitValue::Cell,
                }
            }
            _ => ExitValue::Outside(value),
        }
    }

    /// The region's values that are used after it, other than by phis of the exit block.
    fn live_out(&self) -> Vec<Exit<'p>> {
        let scope = self.affine.scope();
        let is_exit_phi =
            |user: &Inst<'p>| user.opcode() == LLVMOpcode::LLVMPHI && user.block() == self.region.exit;
        let escapes = |inst: &Inst<'p>| {
            inst.users().iter().any(|user| !scope.contains(&user.block()) && !is_exit_phi(user))
        };
        let mut blocks: Vec<_> = scope.iter().copied().collect();
        blocks.sort();
        let found = blocks.into_iter().flat_map(|block| block.insts().filter(escapes).collect::<Vec<_>>());
        found.map(|inst| Exit { inst, value: self.exit_value(inst.value()) }).collect()
    }

    #[allow(clippy::too_many_arguments)]
    fn stmt(
        &self,
        index: usize,
        body: &Body<'p>,
        chain: &[Loop<'p>],
        home: &HashMap<Inst<'p>, usize>,
        memory: &HashMap<Inst<'p>, MemoryAccess<'p>>,
        cells: &HashMap<Value<'p>, (ArrayId, u64)>,
        draft: &mut Draft<'p>,
    ) -> Result<Stmt, Stop> {
        let name = format!("S{index}");
        let domain = self.domains.of[&body.block].clone().set_tuple_name(&name)?;
        let mut accesses = Vec::new();
        let scalar_reads = self.scalar_reads(index, body, chain, home);
        for inst in scalar_reads {
            accesses.push(draft.scalar(AccessKind::Read, ArraySource::Scalar(inst), &domain)?);
        }
        for &inst in &body.insts {
            if let Some(access) = memory.get(&inst) {
                accesses.push(draft.memory(access, &name, &domain, cells)?);
            }
            if inst.opcode() == LLVMOpcode::LLVMPHI {
                accesses.push(draft.scalar(AccessKind::Read, ArraySource::Phi(inst), &domain)?);
            }
            if self.is_used_elsewhere(inst, index, home) {
                accesses.push(draft.scalar(AccessKind::MustWrite, ArraySource::Scalar(inst), &domain)?);
            }
        }
        for &(phi, _) in &body.phi_writes {
            accesses.push(draft.scalar(AccessKind::MustWrite, ArraySource::Phi(phi), &domain)?);
        }
        let loc = body.insts.iter().find_map(|inst| inst.loc());
        Ok(Stmt { name, domain, accesses, reductions: Vec::new(), loc })
    }

    /// Values of other statements that this one uses.
    fn scalar_reads(
        &self,
        index: usize,
        body: &Body<'p>,
        chain: &[Loop<'p>],
        home: &HashMap<Inst<'p>, usize>,
    ) -> Vec<Inst<'p>> {
        // A phi gets its value from its cell, not from its operands.
        let insts = body.insts.iter().filter(|inst| inst.opcode() != LLVMOpcode::LLVMPHI);
        let operands = insts.flat_map(|inst| inst.operands());
        let values = operands.chain(body.phi_writes.iter().map(|(_, value)| *value));
        let mut found = Vec::new();
        for inst in values.filter_map(|value| value.inst()) {
            let elsewhere = home.get(&inst).is_some_and(|&at| at != index);
            if elsewhere && !found.contains(&inst) && !self.synthesis.is_synthesizable(inst, chain) {
                found.push(inst);
            }
        }
        found
    }

    fn is_used_elsewhere(&self, inst: Inst<'p>, index: usize, home: &HashMap<Inst<'p>, usize>) -> bool {
        inst.users().iter().any(|user| match user.opcode() {
            // The incoming block's statement reads it; that may be another one.
            LLVMOpcode::LLVMPHI => true,
            _ => home.get(user).is_none_or(|&at| at != index),
        })
    }

    #[allow(clippy::too_many_arguments)]
    fn finish(
        &self,
        mut draft: Draft<'p>,
        stmts: Vec<Stmt>,
        bodies: Vec<Body<'p>>,
        chains: Vec<Vec<Loop<'p>>>,
        order: Vec<Order>,
        exits: Exits<'p>,
        memory: HashMap<Inst<'p>, Touched>,
    ) -> Result<Lifted<'p>, Obstacle<'p>> {
        let refuse = |reason| Obstacle::of_region(self.region, reason);
        let failed = |stop: Stop| refuse(obstacle_reason(stop));
        let context = self.context().map_err(failed)?;
        let params: (Vec<_>, Vec<_>) = self.affine.params().into_iter().unzip();
        let mut scop = Scop {
            name: self.pass.symbol(),
            ctx: context.ctx().clone(),
            params: params.1,
            context,
            arrays: std::mem::take(&mut draft.arrays),
            stmts,
            order,
            ledger: Default::default(),
        };
        if let Some((set, at)) = self.no_wrapping(&draft, &scop).map_err(failed)? {
            scop.ledger.assume(Assumption {
                holds: Condition::Params(set),
                why: "bounds and conditions do not wrap".into(),
                loc: at.loc(),
            });
        }
        if let Some(set) = moderate(&scop).map_err(|error| failed(error.into()))? {
            let why = "sizes are moderate, so that bounds fit 64 bits".into();
            scop.ledger.assume(Assumption { holds: Condition::Params(set), why, loc: None });
        }
        self.assume_no_overlap(&mut scop, &draft.sources).map_err(refuse)?;
        scop.verify().map_err(|error| refuse(Reason::Internal { message: error.to_string() }))?;
        Ok(Lifted {
            scop,
            region: self.region,
            params: params.0,
            arrays: draft.sources,
            bodies,
            chains,
            scope: self.affine.scope().clone(),
            around: self.synthesis.around,
            memory,
            exit_phis: exits.phis,
            live_out: exits.live_out,
        })
    }

    fn no_wrapping(&self, draft: &Draft<'p>, scop: &Scop) -> Result<Option<(Set, Inst<'p>)>, Stop> {
        let mut valid = scop.context.clone();
        let mut first = None;
        for (fails, at) in &draft.fails {
            let fails = fails.clone().intersect(scop.context.clone())?;
            if !fails.is_empty()? {
                valid = valid.subtract(fails)?;
                first = first.or(Some(*at));
            }
        }
        let valid = valid.coalesce()?;
        Ok(first.map(|at| (valid, at)))
    }

    /// Pairs of arrays of which one is written must be apart; what LLVM cannot tell is assumed, if it can be checked.
    fn assume_no_overlap(&self, scop: &mut Scop, sources: &[ArraySource<'p>]) -> Result<(), Reason> {
        let mut written = HashSet::new();
        let mut unbounded = HashSet::new();
        for access in scop.stmts.iter().flat_map(|stmt| &stmt.accesses) {
            if access.kind != AccessKind::Read {
                written.insert(access.array);
            }
            if access.relation.range_is_unbounded() {
                unbounded.insert(access.array);
            }
        }
        let bases: Vec<_> = sources
            .iter()
            .enumerate()
            .filter_map(|(index, source)| match source {
                ArraySource::Base(value) => Some((ArrayId(index as u32), *value)),
                _ => None,
            })
            .collect();
        for (index, &(a, first)) in bases.iter().enumerate() {
            for &(b, second) in &bases[..index] {
                let matters = written.contains(&a) || written.contains(&b);
                if !matters || self.pass.alias(first, 0, second, 0) == Alias::No {
                    continue;
                }
                let (x, y) = (second.readable(), first.readable());
                if unbounded.contains(&a) || unbounded.contains(&b) {
                    return Err(Reason::PossibleOverlap { first: x, second: y });
                }
                scop.ledger.assume(Assumption {
                    holds: Condition::NoOverlap(b, a),
                    why: format!("{x} and {y} do not overlap"),
                    loc: None,
                });
            }
        }
        Ok(())
    }
}

/// Parameters of 64 bits are assumed to be far from the ends of their range: no array is that large.
const MODERATE: i64 = 1 << 48;

fn moderate(scop: &Scop) -> isl::Result<Option<Set>> {
    let is_wide = |param: &&Param| {
        param.range.0.is_none_or(|low| low < -MODERATE) || param.range.1.is_none_or(|high| high > MODERATE)
    };
    let wide: Vec<_> = scop.params.iter().filter(is_wide).map(|param| param.name.as_str()).collect();
    if wide.is_empty() {
        return Ok(None);
    }
    let bounds: Vec<_> = wide.iter().map(|name| format!("-{MODERATE} <= {name} <= {MODERATE}")).collect();
    let text = format!("[{}] -> {{ : {} }}", wide.join(", "), bounds.join(" and "));
    Set::read_from_str(&scop.ctx, &text).map(Some)
}

fn obstacle_reason(stop: Stop) -> Reason {
    match stop {
        Stop::NotAffine => Reason::NonAffineCondition,
        Stop::Spent => Reason::Budget { stage: "lift".into() },
        Stop::Isl(error) => Reason::Internal { message: error.to_string() },
    }
}

/// Whether an access may touch any cell.
trait Unbounded {
    fn range_is_unbounded(&self) -> bool;
}

impl Unbounded for Map {
    fn range_is_unbounded(&self) -> bool {
        !matches!(self.clone().range().and_then(|range| range.params_bounded()), Ok(true))
    }
}

trait ParamsBounded {
    fn params_bounded(self) -> isl::Result<bool>;
}

impl ParamsBounded for Set {
    /// Whether each dimension has a bound on both sides, given the parameters.
    fn params_bounded(self) -> isl::Result<bool> {
        for position in 0..self.dim(DimType::Set)? {
            if !self.dim_has_lower_bound(DimType::Set, position)?
                || !self.dim_has_upper_bound(DimType::Set, position)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl<'p> Draft<'p> {
    /// One array per base, with the cell size that fits all its accesses.
    fn declare_memory(
        &mut self,
        memory: &HashMap<Inst<'p>, MemoryAccess<'p>>,
    ) -> HashMap<Value<'p>, (ArrayId, u64)> {
        let mut sizes: Vec<(Value<'p>, u64)> = Vec::new();
        let mut accesses: Vec<_> = memory.values().collect();
        accesses.sort_by_key(|access| access.inst);
        for access in accesses {
            let granule = access.offset.as_ref().map_or(access.bytes, |offset| granule(offset, access.bytes));
            match sizes.iter_mut().find(|(base, _)| *base == access.base) {
                Some((_, size)) => *size = gcd(*size, granule),
                None => sizes.push((access.base, granule)),
            }
        }
        let mut cells = HashMap::new();
        for (base, bytes) in sizes {
            let source = base.source_name().filter(|name| {
                model::verify::is_identifier(name) && !self.arrays.iter().any(|array| array.name == *name)
            });
            let name = source
                .map_or(format!("A{}", self.arrays.len()), |name| format!("{name}_{}", self.arrays.len()));
            let id = self.declare(name, bytes as u32, vec![None], ArrayKind::Memory, ArraySource::Base(base));
            cells.insert(base, (id, bytes));
        }
        cells
    }

    fn declare(
        &mut self,
        name: String,
        elem_bytes: u32,
        shape: Vec<Option<String>>,
        kind: ArrayKind,
        source: ArraySource<'p>,
    ) -> ArrayId {
        self.arrays.push(Array { name, elem_bytes, shape, kind });
        self.sources.push(source);
        ArrayId(self.arrays.len() as u32 - 1)
    }

    fn access(&mut self, kind: AccessKind, array: ArrayId, relation: Map) -> Access {
        self.next_access += 1;
        Access { id: AccessId(self.next_access - 1), kind, array, relation }
    }

    /// An access to a scalar or a phi's cell.
    fn scalar(&mut self, kind: AccessKind, source: ArraySource<'p>, domain: &Set) -> Result<Access, Stop> {
        let known = self.sources.iter().position(|known| *known == source);
        let array = match (known, source) {
            (Some(index), _) => ArrayId(index as u32),
            (None, ArraySource::Phi(_)) => {
                self.declare(format!("phi{}", self.arrays.len()), 8, vec![], ArrayKind::Phi, source)
            }
            (None, _) => {
                self.declare(format!("s{}", self.arrays.len()), 8, vec![], ArrayKind::Scalar, source)
            }
        };
        let relation = Map::from_domain(domain.clone())?
            .set_tuple_name(DimType::Out, &self.arrays[array.index()].name)?;
        Ok(self.access(kind, array, relation))
    }

    fn memory(
        &mut self,
        access: &MemoryAccess<'p>,
        stmt: &str,
        domain: &Set,
        cells: &HashMap<Value<'p>, (ArrayId, u64)>,
    ) -> Result<Access, Stop> {
        let (array, cell) = cells[&access.base];
        let is_store = access.inst.opcode() == LLVMOpcode::LLVMStore;
        let name = self.arrays[array.index()].name.clone();
        let (kind, relation) = match &access.offset {
            Some(offset) => {
                let relation = touched(offset, cell, access.bytes)?.set_tuple_name(DimType::In, stmt)?;
                (if is_store { AccessKind::MustWrite } else { AccessKind::Read }, relation)
            }
            None => {
                let anywhere = Map::from_domain(domain.clone())?.add_dims(DimType::Out, 1)?;
                (if is_store { AccessKind::MayWrite } else { AccessKind::Read }, anywhere)
            }
        };
        let relation = relation.set_tuple_name(DimType::Out, &name)?.intersect_domain(domain.clone())?;
        Ok(self.access(kind, array, relation))
    }
}

/// `{ [i, j] -> [cell] }`: the cells of `bytes` bytes from a byte offset that the cell size divides.
fn touched(offset: &PwAff, cell: u64, bytes: u64) -> Result<Map, Stop> {
    let ctx = offset.ctx().clone();
    let first = offset.clone().scale_down_val(Val::int_from_ui(&ctx, cell)?)?.floor()?;
    let mut all = Map::from_pw_aff(first.clone())?;
    for more in 1..bytes.div_ceil(cell) {
        let next = first.clone().add_constant_val(Val::int_from_ui(&ctx, more)?)?;
        all = all.union(Map::from_pw_aff(next)?)?;
    }
    Ok(all)
}

/// The greatest number of bytes that divides the access size and every value of the offset; 1 if in doubt.
fn granule(offset: &PwAff, bytes: u64) -> u64 {
    let mut size = bytes;
    while size > 1 {
        if divides(size, offset).unwrap_or(false) {
            return size;
        }
        // The next smaller divisor of the access size.
        size = (1..size).rev().find(|smaller| bytes.is_multiple_of(*smaller)).unwrap_or(1);
    }
    1
}

fn divides(size: u64, offset: &PwAff) -> isl::Result<bool> {
    let ctx = offset.ctx().clone();
    let rest = offset.clone().mod_val(Val::int_from_ui(&ctx, size)?)?;
    rest.non_zero_set()?.is_empty()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
