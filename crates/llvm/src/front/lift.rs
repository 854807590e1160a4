//! Stage `lift`: from a candidate region to a model, and the table that leads back.
//!
//! 1. The region's control becomes a tree of loops and blocks ([`super::shape`]) and each block gets its
//!    domain ([`super::domains`]).
//! 2. Blocks are cut into statements ([`super::statements`]); a branch that is not affine and what it decides about is in
//!    one statement ([`super::hammock`]), and what it writes it may write.
//! 3. What touches memory (module `memory`) becomes accesses to arrays of cells, one array per base address
//!    (module `draft`). The subscript is the byte offset divided by the cell size, the greatest that divides all offsets
//!    and sizes. An offset that is not affine is an access to any cell: a may-write, or a read of all.
//! 4. A value that one statement computes and another uses is a scalar; a phi is a cell that the incoming
//!    blocks write and the phi reads. What is used after the region is live-out.
//! 5. What had to be assumed (module `assumptions`) goes into the ledger.
//!
//! [`Lifted`] keeps the model and, by the same numbers, the LLVM objects behind it.

use super::Obstacle;
use super::affine::{Affine, Stop};
use super::assumptions::{assume_moderate_sizes, assume_never, assume_shapes, assume_tests};
use super::bodies::{Links, Outside, Reader, whole};
use super::domains::{self, Domains};
use super::draft::Draft;
use super::exits::{Exit, ExitValue, Exits, exits};
use super::flow::{Blocks, blocks_without, error_blocks};
use super::headers::{same_values, with_copies};
use super::memory::Memory;
use super::needed::Needed;
use super::overwritten::{Overwritten, may_see_own_store};
use super::reductions::mark_reductions;
use super::rows::Tables;
use super::shape::{Shape, blocks_of, shape};
use super::statements::{Body, Part, Synthesis, statements};
use crate::pass::{Anchor, Block, Inst, Loop, Pass, Region, Value};
use crate::scev::{ScevRef, Scevs};
use assume::invariant_load;
use isl::{Ctx, Map, Set};
use llvm_sys::LLVMOpcode;
use model::{AccessKind, ArrayId, Budget, Kind, Order, Reason, Scop, Stmt, StmtId};
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

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
    /// Arrays that must be apart for the statements to be what they are, in whichever order they run.
    pub relied: Vec<HashSet<ArrayId>>,
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
    /// Operations of reductions, whose updates may come in another order.
    pub reduced: HashSet<Inst<'p>>,
    /// The accesses and operations of each statement.
    pub links: Vec<Links<'p>>,
    /// What the values from outside stand for.
    pub outside: Outside<'p>,
    /// The phis of the exit block, in order, with the value they get from the region.
    pub exit_phis: Vec<Exit<'p>>,
    /// Values of the region that are used after it, other than by those phis.
    pub live_out: Vec<Exit<'p>>,
    /// For people: the arrays with a shape, and when it is valid.
    pub declarations: Vec<String>,
    /// The expressions of the region, in which loads of unchanging values are their copies before it.
    pub scevs: Scevs<'p>,
    /// Those loads and copies.
    same: HashMap<Inst<'p>, Inst<'p>>,
    /// Loads of rows' addresses.
    tables: Tables<'p>,
}

/// What a load or store touches.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    /// The array.
    pub array: ArrayId,
    /// Whether its byte offset is affine and does not wrap.
    pub is_exact: bool,
}

impl<'p> Lifted<'p> {
    /// Forgets what is not executed for these parameters, for which alone new loops run.
    pub fn restrict(&mut self, valid: &Set) -> isl::Result<()> {
        let (scop, kept) = self.scop.within(valid)?;
        let is_kept = |index: usize| kept.contains(&StmtId(index as u32));
        retain(&mut self.bodies, is_kept);
        retain(&mut self.chains, is_kept);
        retain(&mut self.links, is_kept);
        self.scop = scop;
        Ok(())
    }

    /// The value's expression, if it can be computed in iterations of the chain without executing instructions of the
    /// region.
    pub fn expression(&self, value: Value<'p>, chain: &[Loop<'p>]) -> Option<ScevRef<'p>> {
        let synthesis = Synthesis {
            scevs: &self.scevs,
            scope: &self.scope,
            around: self.around,
            same: &self.same,
            tables: &self.tables,
        };
        match value.inst() {
            Some(inst) if synthesis.is_memory(inst) => None,
            _ => synthesis.expression(value, chain),
        }
    }
}

/// What an array stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArraySource<'p> {
    /// Memory that starts at this address.
    Base(Value<'p>),
    /// Rows whose addresses are in the table at this address.
    Rows(Value<'p>),
    /// The value of an instruction.
    Scalar(Inst<'p>),
    /// The cell that carries a phi's next value.
    Phi(Inst<'p>),
}

/// Lifts a candidate.
pub fn lift<'p>(
    pass: Pass<'p>,
    region: Region<'p>,
    ctx: &Ctx,
    budget: &Budget,
    shape_options: &delinearize::Options,
) -> Result<Lifted<'p>, Obstacle<'p>> {
    let errors = error_blocks(pass);
    let scope = blocks_without(region, &errors);
    let shape = shape(pass, &scope, region);
    let around = around(pass, region, &scope);
    let same = same_values(pass, &scope);
    let tables = Tables::of(&with_copies(pass, &same, &[]), pass, &scope, &same);
    let scevs = with_copies(pass, &same, &tables.phis);
    let affine = Affine::new(ctx, &scope, around, &scevs, budget);
    let order = blocks_of(&shape);
    let domains =
        domains::domains(pass, &affine, region, &order, &errors).map_err(|no| obstacle(no.stop, no.at))?;
    let synthesis = Synthesis { scevs: &scevs, scope: &scope, around, same: &same, tables: &tables };
    let lifter = Lifter {
        pass,
        affine: &affine,
        synthesis: &synthesis,
        domains: &domains,
        region,
        errors: &errors,
        shape_options,
        known: Default::default(),
    };
    let parts = lifter.lift(&shape)?;
    let relied = parts.program.relied.iter();
    let relied = relied.map(|bases| bases.iter().map(|base| parts.draft.at(*base)).collect()).collect();
    Ok(Lifted {
        scop: parts.scop,
        region,
        params: affine.params().into_iter().map(|(scev, _)| scev).collect(),
        arrays: parts.draft.sources,
        relied,
        bodies: parts.program.bodies,
        chains: parts.program.chains,
        around,
        memory: parts.touched,
        reduced: parts.reduced,
        links: parts.draft.links,
        outside: parts.draft.outside,
        exit_phis: parts.exits.phis,
        live_out: parts.exits.live_out,
        declarations: parts.declarations,
        scope: scope.clone(),
        scevs: with_copies(pass, &same, &tables.phis),
        same,
        tables: tables.clone(),
    })
}

/// Keeps what has these numbers.
fn retain<T>(all: &mut Vec<T>, is_kept: impl Fn(usize) -> bool) {
    let mut indices = 0..;
    all.retain(|_| indices.next().is_some_and(&is_kept));
}

/// What lifting makes of a region.
struct Parts<'p> {
    scop: Scop,
    reduced: HashSet<Inst<'p>>,
    draft: Draft<'p>,
    program: Program<'p>,
    exits: Exits<'p>,
    touched: HashMap<Inst<'p>, Touched>,
    declarations: Vec<String>,
}

/// The innermost loop that the region is a part of.
fn around<'p>(pass: Pass<'p>, region: Region<'p>, scope: &Blocks<'p>) -> Option<Loop<'p>> {
    let mut outwards = std::iter::successors(pass.loop_of(region.entry), |l| l.parent());
    outwards.find(|l| !scope.contains(&l.header()))
}

pub(super) fn obstacle<'p>(stop: Stop, at: Inst<'p>) -> Obstacle<'p> {
    Obstacle { reason: reason(stop), at: Anchor::Inst(at) }
}

/// What lifting a region rests on.
pub(super) struct Lifter<'a, 'p> {
    pub(super) pass: Pass<'p>,
    pub(super) affine: &'a Affine<'a, 'p>,
    pub(super) synthesis: &'a Synthesis<'a, 'p>,
    pub(super) domains: &'a Domains<'p>,
    pub(super) shape_options: &'a delinearize::Options,
    region: Region<'p>,
    /// The blocks that do not return.
    errors: &'a Blocks<'p>,
    /// The instances of blocks, as far as they were asked for.
    pub(super) known: model::Known,
}

/// The statements in order.
#[derive(Default)]
struct Program<'p> {
    bodies: Vec<Body<'p>>,
    /// The loops around each of them.
    chains: Vec<Vec<Loop<'p>>>,
    /// The statement that each instruction is in.
    home: HashMap<Inst<'p>, usize>,
    /// The bases of arrays that the statements of a block take to be apart.
    relied: Vec<HashSet<Value<'p>>>,
}

impl<'p> Program<'p> {
    fn push(&mut self, body: Body<'p>, chain: &[Loop<'p>]) -> StmtId {
        let index = self.bodies.len();
        self.home.extend(body.insts().map(|inst| (inst, index)));
        self.bodies.push(body);
        self.chains.push(chain.to_vec());
        StmtId(index as u32)
    }

    /// Values of other statements that a statement uses.
    fn scalar_reads(&self, index: usize, synthesis: &Synthesis<'_, 'p>) -> Vec<Inst<'p>> {
        let own: HashSet<_> = self.bodies[index].insts().collect();
        let elsewhere = |inst: &Inst<'p>| self.home.contains_key(inst) && !own.contains(inst);
        let is_read =
            |inst: &Inst<'p>| elsewhere(inst) && !synthesis.is_synthesizable(*inst, &self.chains[index]);
        each_once(self.bodies[index].uses().filter_map(|value| value.inst()).filter(is_read))
    }
}

/// What statements are cut out of.
struct Material<'a, 'p> {
    memory: &'a Memory<'p>,
    exits: &'a Exits<'p>,
    needed: HashSet<Inst<'p>>,
}

impl<'p> Lifter<'_, 'p> {
    fn lift(&self, shape: &[Shape<'p>]) -> Result<Parts<'p>, Obstacle<'p>> {
        let blocks = blocks_of(shape);
        let exits = exits(self.synthesis, self.region, self.errors);
        let memory = self.memory(&blocks)?;
        let needed = self.needed(&blocks, &memory, &exits);
        let mut memory = memory.only(&needed);
        self.find_rows(&mut memory)?;
        self.find_shapes(&mut memory).map_err(|stop| Obstacle::of_region(self.region, reason(stop)))?;
        self.expect_success(&mut memory.tested).map_err(|(stop, at)| obstacle(stop, at))?;
        let material = Material { memory: &memory, exits: &exits, needed };
        let mut program = Program::default();
        let order = self.order(shape, &material, &mut program);
        let mut draft = Draft::new(&memory);
        self.drop_overwritten(&mut program, &memory, &draft)?;
        let mut stmts = self.stmts(&program, &memory, &mut draft)?;
        self.add_call_reads(&program, &memory, &mut draft, &mut stmts)
            .map_err(|stop| Obstacle::of_region(self.region, reason(stop)))?;
        memory.overwritten = self.add_header_reads(&memory, &mut draft, &mut stmts)?;
        let touched = memory.accesses.iter().filter(|access| access.inst.pointer().is_some());
        let touched = touched.map(|access| (access.inst, draft.touched(access))).collect();
        let mut scop = self.scop(&mut draft, stmts, order, &memory)?;
        let op = |stmt: StmtId, name: &str| draft.links[stmt.index()].ops.get(name).copied();
        let reduced = mark_reductions(&mut scop, op)
            .map_err(|error| Obstacle::of_region(self.region, reason(error.into())))?;
        Ok(Parts { scop, reduced, draft, program, exits, touched, declarations: memory.declarations() })
    }

    /// The loops around a block that runs at all.
    pub(super) fn runs(&self, block: Block<'p>) -> Option<&Vec<Loop<'p>>> {
        self.domains.of.get(&block)?;
        self.domains.chains.get(&block)
    }

    /// The instructions that have to be executed.
    fn needed(&self, blocks: &[Block<'p>], memory: &Memory<'p>, exits: &Exits<'p>) -> HashSet<Inst<'p>> {
        let mut needed = Needed::new(self.synthesis, &self.domains.chains);
        for inst in blocks.iter().flat_map(|block| block.insts()).filter(|inst| memory.writes(*inst)) {
            needed.execute(inst);
        }
        for hammock in self.domains.hammocks.values() {
            for block in hammock.inner.iter().chain([&hammock.head]) {
                let condition = block.terminator().and_then(|last| last.condition());
                condition.into_iter().for_each(|condition| needed.use_at(condition, *block));
            }
        }
        for exit in exits.phis.iter().filter(|exit| matches!(exit.value, ExitValue::Cell)) {
            let inside = |from: &Block<'p>| self.affine.scope().contains(from);
            let values = exit.inst.incoming().into_iter().filter(|(_, from)| inside(from));
            values.for_each(|(value, from)| needed.use_at(value, from));
        }
        for exit in exits.live_out.iter().filter(|exit| matches!(exit.value, ExitValue::Cell)) {
            needed.execute(exit.inst);
        }
        needed.all()
    }

    fn order(
        &self,
        shape: &[Shape<'p>],
        material: &Material<'_, 'p>,
        program: &mut Program<'p>,
    ) -> Vec<Order> {
        let mut order = Vec::new();
        for part in shape {
            match part {
                Shape::Loop(_, inner) => {
                    let body = self.order(inner, material, program);
                    if !body.is_empty() {
                        order.push(Order::Loop(body));
                    }
                }
                Shape::Block(block) if self.domains.inside.contains(block) => {}
                Shape::Block(block) => {
                    let Some(chain) = self.runs(*block) else { continue };
                    let bodies = self.cut(*block, material, program);
                    order.extend(bodies.into_iter().map(|body| Order::Stmt(program.push(body, chain))));
                }
            }
        }
        order
    }

    /// The statements of a block, as fine as they are if arrays do not overlap: what LLVM does not know of that is
    /// checked before new loops run. Where that makes a difference, the program says so.
    fn cut(&self, block: Block<'p>, material: &Material<'_, 'p>, program: &mut Program<'p>) -> Vec<Body<'p>> {
        let whole = self.whole(block, material);
        let cut = |are_apart| statements(&whole, |a, b| self.may_conflict(a, b, material.memory, are_apart));
        let (fine, safe) = (cut(true), cut(false));
        if fine != safe {
            let touched = whole.insts().flat_map(|inst| material.memory.of(inst));
            program.relied.push(touched.map(|access| access.base).collect());
        }
        fine
    }

    /// All that is executed of a block, or of the hammock that it is the head of.
    fn whole(&self, block: Block<'p>, material: &Material<'_, 'p>) -> Body<'p> {
        let hammock = self.domains.hammocks.get(&block);
        let inner = hammock.into_iter().flat_map(|hammock| &hammock.inner);
        let parts = [&block].into_iter().chain(inner).map(|block| self.part(*block, material)).collect();
        Body { parts, join: hammock.map(|hammock| hammock.join) }
    }

    fn part(&self, block: Block<'p>, material: &Material<'_, 'p>) -> Part<'p> {
        let insts = block.insts().filter(|inst| material.needed.contains(inst)).collect();
        let mut phi_writes = Vec::new();
        for next in block.successors() {
            let phis = next.insts().take_while(|inst| inst.opcode() == LLVMOpcode::LLVMPHI);
            for phi in phis.filter(|phi| self.has_cell(*phi, material)) {
                let from_here = phi.incoming().into_iter().filter(|(_, from)| *from == block);
                phi_writes.extend(from_here.map(|(value, _)| (phi, value)));
            }
        }
        Part { block, insts, phi_writes: each_once(phi_writes) }
    }

    /// Whether a phi of the region or of its exit gets its value through a cell.
    fn has_cell(&self, phi: Inst<'p>, material: &Material<'_, 'p>) -> bool {
        let is_exit = |exit: &&Exit<'p>| exit.inst == phi && matches!(exit.value, ExitValue::Cell);
        material.needed.contains(&phi) || material.exits.phis.iter().find(is_exit).is_some()
    }

    /// Without stores of which nobody sees anything.
    fn drop_overwritten(
        &self,
        program: &mut Program<'p>,
        memory: &Memory<'p>,
        draft: &Draft<'p>,
    ) -> Result<(), Obstacle<'p>> {
        for body in &mut program.bodies {
            let domain = &self.domains.of[&body.block()];
            let search = Overwritten { pass: self.pass, memory, draft, domain };
            let idle = search.all(body).map_err(|stop| Obstacle::of_region(self.region, reason(stop)))?;
            let part = &mut body.parts[0];
            part.insts.retain(|inst| !idle.iter().any(|idle| idle.store == *inst));
            let relied = idle.into_iter().map(|idle| idle.relied);
            program.relied.extend(relied.filter(|bases| !bases.is_empty()));
        }
        Ok(())
    }

    fn stmts(
        &self,
        program: &Program<'p>,
        memory: &Memory<'p>,
        draft: &mut Draft<'p>,
    ) -> Result<Vec<Stmt>, Obstacle<'p>> {
        let escapes = |inst: &Inst<'p>| self.leaves(ArraySource::Scalar(*inst));
        let mut scalars: HashSet<Inst<'p>> = program.home.keys().copied().filter(escapes).collect();
        for index in 0..program.bodies.len() {
            scalars.extend(program.scalar_reads(index, self.synthesis));
        }
        let stmt = |index| self.stmt(index, program, memory, &scalars, draft);
        (0..program.bodies.len()).map(stmt).collect()
    }

    fn stmt(
        &self,
        index: usize,
        program: &Program<'p>,
        memory: &Memory<'p>,
        scalars: &HashSet<Inst<'p>>,
        draft: &mut Draft<'p>,
    ) -> Result<Stmt, Obstacle<'p>> {
        let body = &program.bodies[index];
        let mut try_stmt = || -> Result<Stmt, Stop> {
            let name = format!("S{index}");
            let domain = self.domains.of[&body.block()].clone().set_tuple_name(&name)?;
            let (mut accesses, mut links) = (Vec::new(), Links::default());
            // What branches do to cells in between is not modelled.
            let has_branches = body.join.is_some();
            let (mut sees_own_store, mut knows_cells) = (false, true);
            let scalar = |draft: &mut Draft<'p>, kind, source| {
                let stays = has_branches || self.leaves(source);
                let access = draft.scalar(kind, source, &domain, stays)?;
                let id = access.id;
                Ok::<_, Stop>((access, id))
            };
            for inst in program.scalar_reads(index, self.synthesis) {
                let (access, id) = scalar(draft, AccessKind::Read, ArraySource::Scalar(inst))?;
                links.scalar_reads.insert(inst, id);
                accesses.push(access);
            }
            for inst in body.insts() {
                for (access, shaped) in memory.with_cells(inst) {
                    let row = draft.row_address(access, &name, &domain)?;
                    knows_cells &= shaped.is_some() || access.extent.is_some();
                    let access = draft.memory(access, shaped, &name, &domain, body.is_inner(inst))?;
                    links.memory.insert(inst, access.id);
                    sees_own_store |= may_see_own_store(&access, &accesses)?;
                    accesses.push(access);
                    accesses.extend(row.filter(|row| !accesses.iter().any(|known| is_same(known, row))));
                }
                if body.is_inner(inst) {
                    // Outside, its value is known only through phis of the join.
                    continue;
                }
                if inst.opcode() == LLVMOpcode::LLVMPHI {
                    let (access, id) = scalar(draft, AccessKind::Read, ArraySource::Phi(inst))?;
                    links.phi_reads.insert(inst, id);
                    accesses.push(access);
                }
                if scalars.contains(&inst) {
                    let (access, id) = scalar(draft, AccessKind::MustWrite, ArraySource::Scalar(inst))?;
                    links.scalar_writes.insert(inst, id);
                    accesses.push(access);
                }
            }
            for phi in written_phis(body) {
                let (access, id) = scalar(draft, AccessKind::MustWrite, ArraySource::Phi(phi))?;
                links.phi_writes.insert(phi, id);
                accesses.push(access);
            }
            let reader = Reader {
                synthesis: self.synthesis,
                scope: self.affine.scope(),
                chain: &program.chains[index],
                links: &mut links,
                outside: &mut draft.outside,
            };
            let computed = match whole(body).filter(|_| knows_cells) {
                Some(moved) => model::Body { whole: Some(moved), ..model::Body::default() },
                None if sees_own_store => model::Body::default(),
                None => reader.read(body),
            };
            draft.links.push(links);
            let loc = body.insts().find_map(|inst| inst.loc());
            Ok(Stmt { name, domain, accesses, reductions: Vec::new(), body: computed, loc })
        };
        try_stmt().map_err(|stop| match body.insts().next().or(body.block().terminator()) {
            Some(at) => obstacle(stop, at),
            None => Obstacle::of_region(self.region, reason(stop)),
        })
    }

    /// Whether a scalar's value is used after the region.
    fn leaves(&self, source: ArraySource<'p>) -> bool {
        let scope = self.affine.scope();
        // What blocks that do not return use, nobody needs.
        let is_outside = |block: Block<'p>| !scope.contains(&block) && !self.errors.contains(&block);
        match source {
            ArraySource::Base(_) | ArraySource::Rows(_) => true,
            ArraySource::Scalar(inst) => inst.users().iter().any(|user| is_outside(user.block())),
            ArraySource::Phi(phi) => is_outside(phi.block()),
        }
    }

    /// A call that reads memory perhaps reads all that the region writes.
    fn add_call_reads(
        &self,
        program: &Program<'p>,
        memory: &Memory<'p>,
        draft: &mut Draft<'p>,
        stmts: &mut [Stmt],
    ) -> Result<(), Stop> {
        let calls = memory.readers.iter().filter_map(|call| Some((*call, *program.home.get(call)?)));
        let calls: Vec<_> = calls.collect();
        if calls.is_empty() {
            return Ok(());
        }
        for index in 0..draft.arrays.len() {
            let ArraySource::Base(base) = draft.sources[index] else { continue };
            let array = ArrayId(index as u32);
            let Some(written) = invariant_load::written(stmts, array)? else { continue };
            for &(call, at) in &calls {
                if self.pass.may_read(call, base) {
                    let relation = Map::from_domain_and_range(stmts[at].domain.clone(), written.clone())?;
                    stmts[at].accesses.push(draft.access(AccessKind::Read, array, relation));
                }
            }
        }
        Ok(())
    }

    fn scop(
        &self,
        draft: &mut Draft<'p>,
        stmts: Vec<Stmt>,
        order: Vec<Order>,
        memory: &Memory<'p>,
    ) -> Result<Scop, Obstacle<'p>> {
        let refuse = |reason| Obstacle::of_region(self.region, reason);
        let failed = |stop: Stop| refuse(reason(stop));
        let context = self.affine.context().map_err(failed)?;
        let stmts = with_all_params(stmts, &context).map_err(|error| failed(error.into()))?;
        let mut scop = Scop {
            name: self.pass.symbol(),
            ctx: context.ctx().clone(),
            params: self.affine.params().into_iter().map(|(_, param)| param).collect(),
            context,
            arrays: std::mem::take(&mut draft.arrays),
            stmts,
            order,
            ledger: Default::default(),
            repeats: self.synthesis.around.is_some(),
            known: Default::default(),
        };
        self.assume_params(&mut scop, memory).map_err(|error| failed(error.into()))?;
        assume_shapes(&mut scop, draft, memory).map_err(|error| failed(error.into()))?;
        self.assume_no_overlap(&mut scop, &draft.sources, memory).map_err(refuse)?;
        scop.verify().map_err(|error| refuse(Reason::Internal { message: error.to_string() }))?;
        Ok(scop)
    }
}

impl<'p> Lifter<'_, 'p> {
    /// What parameters and products of them decide.
    fn assume_params(&self, scop: &mut Scop, memory: &Memory<'p>) -> isl::Result<()> {
        assume_moderate_sizes(scop)?;
        assume_never(scop, Kind::BoundedLoop, &self.domains.endless, "the loop ends")?;
        assume_never(scop, Kind::NoWrap, &self.domains.fails, "bounds and conditions do not wrap")?;
        assume_never(scop, Kind::NoWrap, &memory.wants.fails, "subscripts do not wrap")?;
        assume_never(
            scop,
            Kind::InvariantLoad,
            &memory.overwritten,
            "what is loaded here is not overwritten",
        )?;
        assume_never(scop, Kind::NoError, &self.domains.errors, "no check fails")?;
        assume_never(scop, Kind::NoError, &memory.tested.fails, "no check fails")?;
        assume_tests(scop, Kind::NoWrap, &memory.wants.below, None);
        let at = self.domains.tests.first().and_then(|test| test.at.loc());
        assume_tests(scop, Kind::NoError, &memory.tested.below, at);
        Ok(())
    }
}

/// The phis that a statement gives a value to, each once; those of inner blocks are its own affair.
fn written_phis<'p>(body: &Body<'p>) -> Vec<Inst<'p>> {
    let is_inner = |phi: &Inst<'p>| body.parts[1..].iter().any(|part| part.block == phi.block());
    each_once(body.phi_writes().map(|(phi, _)| phi).filter(|phi| !is_inner(phi)))
}

/// Whether two accesses do the same.
fn is_same(a: &model::Access, b: &model::Access) -> bool {
    a.array == b.array && a.kind == b.kind && a.relation.is_equal(&b.relation).unwrap_or(false)
}

/// The items in order, without repetitions.
fn each_once<T: Copy + Eq + Hash>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = HashSet::new();
    items.into_iter().filter(|item| seen.insert(*item)).collect()
}

/// The statements with the same parameters everywhere.
fn with_all_params(stmts: Vec<Stmt>, context: &Set) -> isl::Result<Vec<Stmt>> {
    let mut stmts = stmts;
    for stmt in &mut stmts {
        stmt.domain = stmt.domain.clone().align_params(context.get_space()?)?;
        for access in &mut stmt.accesses {
            access.relation = access.relation.clone().align_params(context.get_space()?)?;
        }
    }
    Ok(stmts)
}

/// Why lifting stopped, in the words of refusals.
pub(super) fn reason(stop: Stop) -> Reason {
    match stop {
        Stop::NotAffine => Reason::NonAffineCondition,
        Stop::MayFail => Reason::ErrorExit,
        Stop::Spent => Reason::Budget { stage: "lift".into() },
        Stop::Isl(error) => Reason::Internal { message: error.to_string() },
    }
}
