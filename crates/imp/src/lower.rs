//! From a program to the model, so that it can be scheduled like any other nest.
//!
//! A statement's instances are its rounds ([`crate::reach`]): one dimension per enclosing loop, ascending by one, which is
//! what the model wants. The branches of an `if` follow each other in the order; their domains keep them apart.
//! Reads become reads; a write is a must-write if its cell is exact, otherwise a may-write. What an assignment computes
//! becomes the statement's body, if all its reads are exact.
//!
//! Only programs whose reaches are exact have a model: a domain that is too large would let a schedule run instances that
//! the program does not have.
//!
//! **Scalars that only count.** A scalar that steers the program and whose value is known everywhere is a function of the
//! rounds. It needs no cell, and the statements that move it need no instances: `i := i + 1` of a `while` that counts
//! disappears, as the counter of a `for` does. So do tests and bounds that read nothing else. The scalar's last value is not
//! part of the model.
//!
//! Example: Figure 3 becomes `S1[]` and `S3[t] : 0 <= t < n` with `{ S3[t] -> c[t] }` read and `{ S3[t] -> c[t + 1] }`
//! written.

use crate::affine::safe_name;
use crate::dataflow::{Dataflow, Error};
use crate::diag::line_column;
use crate::flow::{OpAccess, Sink, accesses};
use crate::resolve::*;
use isl::{DimType, Map};
use model::{
    Access, AccessId, AccessKind, Array, ArrayId, ArrayKind, Body, Ledger, Operand, Order, Param, Scop,
    SourceLoc, Stmt, StmtId,
};
use std::collections::HashMap;

/// The model of a program. `file` is the name that messages use.
pub fn lower(dataflow: &Dataflow<'_>, file: &str) -> Result<Scop, Error> {
    let program = dataflow.program;
    if let Some(why) = dataflow.reaches.of.iter().find_map(|reach| reach.why.as_ref()) {
        let line = line_column(&program.source, why.span.start).0;
        return Err(Error::NotRegular { reason: why.reason.clone(), line });
    }
    let all = accesses(&dataflow.reaches, dataflow.reaches.budget)?;
    let kept: Vec<&OpAccess> = all.iter().filter(|access| !dataflow.counting[access.var.index()]).collect();
    let mut builder =
        Builder { dataflow, file, stmts: Vec::new(), of: HashMap::new(), arrays: HashMap::new(), next: 0 };
    let arrays = builder.arrays(&kept);
    builder.statements(&kept)?;
    builder.bodies(&program.body, &kept);
    let order = builder.order(&program.body);
    let layout = &dataflow.reaches.layout;
    let params = layout.all_params().map(|name| Param { name: name.to_string(), range: (None, None) });
    let scop = Scop {
        name: file.to_string(),
        ctx: dataflow.reaches.ctx.clone(),
        params: params.collect(),
        context: dataflow.reaches.context.clone(),
        arrays,
        stmts: builder.stmts,
        order,
        ledger: Ledger::default(),
        repeats: false,
        known: Default::default(),
    };
    scop.verify()?;
    Ok(scop)
}

struct Builder<'a> {
    dataflow: &'a Dataflow<'a>,
    file: &'a str,
    stmts: Vec<Stmt>,
    of: HashMap<OpId, StmtId>,
    arrays: HashMap<VarId, ArrayId>,
    next: u32,
}

impl Builder<'_> {
    fn arrays(&mut self, kept: &[&OpAccess]) -> Vec<Array> {
        let program = self.dataflow.program;
        let layout = &self.dataflow.reaches.layout;
        let mut arrays = Vec::new();
        for (at, var) in program.vars.iter().enumerate() {
            let id = VarId(at as u32);
            if !kept.iter().any(|access| access.var == id) {
                continue;
            }
            let extent = |k: usize| {
                var.extents.as_ref().and_then(|e| layout.integer(&e[k]).ok()).map(|affine| affine.text)
            };
            let shape = (0..var.arity).map(extent).collect();
            self.arrays.insert(id, ArrayId(arrays.len() as u32));
            // The language's values are 64-bit integers.
            arrays.push(Array {
                name: safe_name(&var.name, &[]),
                elem_bytes: 8,
                shape,
                layout: Default::default(),
                kind: ArrayKind::Memory,
                is_fixed: false,
            });
        }
        arrays
    }

    fn statements(&mut self, kept: &[&OpAccess]) -> isl::Result<()> {
        let program = self.dataflow.program;
        for (id, op) in program.ops_with_ids() {
            let own: Vec<&&OpAccess> = kept.iter().filter(|access| access.op == id).collect();
            if own.is_empty() {
                continue;
            }
            let name = safe_name(&op.name, &[]);
            let domain = self.dataflow.reaches.of[id.index()].map.clone().domain()?;
            let domain = domain.coalesce()?.set_tuple_name(&name)?;
            let mut accesses = Vec::new();
            for access in own {
                accesses.push(self.access(&name, access)?);
            }
            let (line, column) = line_column(&program.source, op.span.start);
            let loc =
                Some(SourceLoc { file: self.file.to_string(), line: line as u32, column: column as u32 });
            self.of.insert(id, StmtId(self.stmts.len() as u32));
            self.stmts.push(Stmt {
                name,
                domain,
                accesses,
                reductions: Vec::new(),
                body: Default::default(),
                loc,
            });
        }
        Ok(())
    }

    fn access(&mut self, name: &str, access: &OpAccess) -> isl::Result<Access> {
        let array = safe_name(&self.dataflow.program.vars[access.var.index()].name, &[]);
        let map: Map = access.map.clone().coalesce()?.set_tuple_name(DimType::In, name)?;
        let relation = map.set_tuple_name(DimType::Out, &array)?;
        let kind = match (access.access, &access.why) {
            (Sink::Read(_), _) => AccessKind::Read,
            (Sink::Write, None) => AccessKind::MustWrite,
            (Sink::Write, Some(_)) => AccessKind::MayWrite,
        };
        self.next += 1;
        Ok(Access { id: AccessId(self.next - 1), kind, array: self.arrays[&access.var], relation })
    }

    /// Gives assignments their bodies.
    fn bodies(&mut self, nodes: &[Node], kept: &[&OpAccess]) {
        for node in nodes {
            match node {
                Node::Assign { op, value, .. } => self.body(*op, value, kept),
                Node::Assume { .. } => {}
                Node::If { then, els, .. } => {
                    self.bodies(then, kept);
                    self.bodies(els, kept);
                }
                Node::While { body, .. } | Node::For { body, .. } => self.bodies(body, kept),
            }
        }
    }

    fn body(&mut self, op: OpId, value: &RExpr, kept: &[&OpAccess]) {
        let Some(id) = self.of.get(&op) else { return };
        let accesses = &self.stmts[id.index()].accesses;
        let own = kept.iter().filter(|access| access.op == op).zip(accesses);
        let (mut reads, mut write) = (HashMap::new(), None);
        for (access, made) in own {
            match access.access {
                _ if access.why.is_some() => return,
                Sink::Read(at) => drop(reads.insert(at, made.id)),
                Sink::Write => write = Some(made.id),
            }
        }
        let mut computed = Computed { program: self.dataflow.program, reads, body: Body::default() };
        if let Some(write) = write {
            let stored = computed.operand(value);
            computed.body.stored.push((write, stored));
            self.stmts[id.index()].body = computed.body;
        }
    }

    fn order(&self, nodes: &[Node]) -> Vec<Order> {
        let mut parts = Vec::new();
        let stmt = |op: &OpId| self.of.get(op).map(|id| Order::Stmt(*id));
        for node in nodes {
            match node {
                Node::Assign { op, .. } | Node::Assume { op, .. } => parts.extend(stmt(op)),
                Node::If { op, then, els, .. } => {
                    parts.extend(stmt(op));
                    parts.extend(self.order(then));
                    parts.extend(self.order(els));
                }
                Node::While { op, body, .. } => {
                    let inner: Vec<Order> = stmt(op).into_iter().chain(self.order(body)).collect();
                    parts.extend((!inner.is_empty()).then_some(Order::Loop(inner)));
                }
                Node::For { op, body, .. } => {
                    parts.extend(stmt(op));
                    let inner = self.order(body);
                    parts.extend((!inner.is_empty()).then_some(Order::Loop(inner)));
                }
            }
        }
        parts
    }
}

/// What a statement computes.
struct Computed<'a> {
    program: &'a Program,
    /// The reads that the model has, by their positions in the statement.
    reads: HashMap<u32, AccessId>,
    body: Body,
}

impl Computed<'_> {
    fn operand(&mut self, value: &RExpr) -> Operand {
        match value {
            RExpr::Int(number) => Operand::Outside(number.to_string()),
            RExpr::Bool(truth) => Operand::Outside(truth.to_string()),
            RExpr::Param(id) => Operand::Outside(format!("%{}", self.program.params[id.index()].name)),
            RExpr::Counter(id) => self.op(&self.program.counters[id.index()].name, Vec::new()),
            RExpr::Scalar { var, access } | RExpr::Cell { var, access, .. } => match self.reads.get(access) {
                Some(read) => Operand::Read(*read),
                // A scalar that only counts is a function of the instance.
                None => self.op(&self.program.vars[var.index()].name, Vec::new()),
            },
            RExpr::Neg(a) => self.apply("neg", &[a]),
            RExpr::Not(a) => self.apply("not", &[a]),
            RExpr::Bin(operator, a, b) => self.apply(&format!("{operator:?}").to_lowercase(), &[a, b]),
        }
    }

    fn apply(&mut self, operator: &str, operands: &[&RExpr]) -> Operand {
        let operands = operands.iter().map(|operand| self.operand(operand)).collect();
        self.op(operator, operands)
    }

    /// Without operands, the value depends on the instance.
    fn op(&mut self, operator: &str, operands: Vec<Operand>) -> Operand {
        let index = self.body.ops.len();
        let operator = operator.to_owned();
        self.body.ops.push(model::Op { name: format!("v{index}"), operator, operands, is_pure: true });
        Operand::Op(index)
    }
}
