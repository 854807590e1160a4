//! Names looked up, types checked, iteration vectors laid out: the program as the semantics sees it.
//!
//! **Variables.** A name is a parameter (declared, never assigned), the counter of an enclosing `for`
//! (never assigned, visible in the loop only), an array (used with subscripts, always the same number of
//! them) or a scalar (everything else; a scalar is an array with one cell).
//!
//! **Statements.** What takes part in dependences is an [`Op`]: an assignment, the test of an `if` or a
//! `while`, the evaluation of a `for` loop's bounds, an `assume`. Each has a unique name: its label, or
//! `s1, s2, ...` for assignments and `t1, t2, ...` for the others, counted in text order.
//!
//! **Iteration vectors** (Section 3.2 of the paper). `k0` is the counter of the program, and every `if`,
//! `while` and `for` has a counter of its own, `k1, k2, ...` in text order. The vector of an operation has
//! one component per enclosing construct. The numbering, where the paper's rule and its example disagree:
//!
//! * a statement other than `skip` counts one in its block: `length` is the number of those statements;
//! * the branches of an `if` number from `-length` and from 0 (rules IT and IF);
//! * a loop's counter starts at 0 when the loop is reached, before its first test, and advances by the body's
//!   length each round (by 1 if the body is empty): the *stride*. Rule WHT's further increment at the end of
//!   the body is left out, which gives the paper's worked example (+2 for two statements) and its closed form;
//! * so the test of a `while` carries the loop's own counter, the test of an `if` and the bounds of a `for`
//!   do not.
//!
//! Hence each component is `position + stride * round`, with both numbers known before the program runs
//! ([`Dim`]). Vectors are compared lexicographically, a prefix before what it starts, and equal vectors
//! (the test of a `while` and the first statement of its body) by the order of the text.
//!
//! Example (the paper's Figure 3):
//!
//! ```text
//! c[0] := 0;                 s1  (k0)      = (0)
//! i := 1;                    s2  (k0)      = (1)
//! while i <= n do            t1  (k0, k1)  = (2, 2r)
//!   c[i] := c[i - 1] + 1;    s3  (k0, k1)  = (2, 2r)
//!   i := i + 1               s4  (k0, k1)  = (2, 1 + 2r)
//! done
//! ```

use crate::ast::*;
use crate::diag::{Diagnostic, Span};
use crate::parser::parse;
use std::collections::{HashMap, HashSet};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);
        impl $name {
            /// The position in the table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids! {
    /// A parameter, in [`Program::params`].
    ParamId,
    /// A scalar or an array, in [`Program::vars`].
    VarId,
    /// A `for` loop's counter, in [`Program::counters`].
    CounterId,
    /// A statement that takes part in dependences, in [`Program::ops`].
    OpId,
    /// A loop, in [`Program::loops`].
    LoopId
}

/// An expression with its names looked up. Integer or boolean: the place decides, and was checked.
#[derive(Clone, Debug)]
pub enum RExpr {
    /// A number.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// A parameter.
    Param(ParamId),
    /// A `for` loop's counter.
    Counter(CounterId),
    /// A read of a scalar; `access` is its position in [`Op::reads`].
    Scalar {
        /// Which scalar.
        var: VarId,
        /// Which read of the statement.
        access: u32,
    },
    /// A read of an array cell.
    Cell {
        /// Which array.
        var: VarId,
        /// Which read of the statement.
        access: u32,
        /// Where.
        subscripts: Vec<RExpr>,
    },
    /// `-a`.
    Neg(Box<RExpr>),
    /// `!b`.
    Not(Box<RExpr>),
    /// Any operator with two operands.
    Bin(BinOp, Box<RExpr>, Box<RExpr>),
}

/// One read of a statement.
#[derive(Clone, Debug)]
pub struct Read {
    /// What is read.
    pub var: VarId,
    /// Its subscripts, none for a scalar.
    pub subscripts: Vec<RExpr>,
    /// The conditions under which it is evaluated (`and` and `or` stop early), each with the value it must have.
    pub guards: Vec<(RExpr, bool)>,
    /// Where it stands.
    pub span: Span,
}

/// One component of an iteration vector: `position + stride * round`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim {
    /// The number of the counter: `k0` is 0.
    pub kappa: u32,
    /// The value in round 0.
    pub position: i64,
    /// How much the counter advances each round; 0 if this is not a loop's counter.
    pub stride: i64,
    /// The loop whose rounds it counts.
    pub of: Option<LoopId>,
}

/// What kind of statement an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// An assignment.
    Assign,
    /// The test of an `if`.
    IfTest,
    /// The test of a `while`.
    WhileTest,
    /// The bounds of a `for`.
    ForBounds,
    /// An `assume`.
    Assume,
}

/// A statement that takes part in dependences.
#[derive(Clone, Debug)]
pub struct Op {
    /// Its unique name.
    pub name: String,
    /// What it is.
    pub kind: OpKind,
    /// The iteration vector's components.
    pub dims: Vec<Dim>,
    /// What it reads.
    pub reads: Vec<Read>,
    /// What it writes.
    pub write: Option<(VarId, Vec<RExpr>)>,
    /// Where it stands.
    pub span: Span,
}

impl Op {
    /// The enclosing loops, outermost first (a `while`'s own loop for its test).
    pub fn loops(&self) -> impl Iterator<Item = LoopId> + '_ {
        self.dims.iter().filter_map(|dim| dim.of)
    }
}

/// A scalar or an array.
#[derive(Clone, Debug)]
pub struct Var {
    /// Its name.
    pub name: String,
    /// The number of subscripts, 0 for a scalar.
    pub arity: usize,
    /// The declared extents.
    pub extents: Option<Vec<RExpr>>,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// Its name.
    pub name: String,
}

/// A `for` loop's counter.
#[derive(Clone, Debug)]
pub struct Counter {
    /// Its name; several loops may use the same.
    pub name: String,
    /// Its loop.
    pub of: LoopId,
}

/// A loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// The number of its iteration counter.
    pub kappa: u32,
    /// The counter, if it is a `for`.
    pub counter: Option<CounterId>,
    /// Its test or its bounds.
    pub op: OpId,
    /// The enclosing loop.
    pub parent: Option<LoopId>,
}

/// A statement of the resolved tree. `skip` has no step and is left out.
#[derive(Clone, Debug)]
pub enum Node {
    /// An assignment.
    Assign {
        /// The statement.
        op: OpId,
        /// The variable written.
        var: VarId,
        /// Its subscripts.
        subscripts: Vec<RExpr>,
        /// The value.
        value: RExpr,
    },
    /// `assume`.
    Assume {
        /// The statement.
        op: OpId,
        /// The condition.
        cond: RExpr,
    },
    /// `if`.
    If {
        /// The test.
        op: OpId,
        /// The condition.
        cond: RExpr,
        /// When it holds.
        then: Vec<Node>,
        /// When not.
        els: Vec<Node>,
    },
    /// `while`.
    While {
        /// The test.
        op: OpId,
        /// The loop.
        of: LoopId,
        /// The condition.
        cond: RExpr,
        /// The body.
        body: Vec<Node>,
    },
    /// `for`.
    For {
        /// The bounds.
        op: OpId,
        /// The loop.
        of: LoopId,
        /// The counter.
        counter: CounterId,
        /// Its first value.
        from: RExpr,
        /// The last value it may take.
        to: RExpr,
        /// The step, not 0.
        step: i64,
        /// The body.
        body: Vec<Node>,
    },
}

/// A program ready to be run or analysed.
#[derive(Clone, Debug)]
pub struct Program {
    /// The text.
    pub source: String,
    /// The parameters.
    pub params: Vec<Param>,
    /// What is assumed of the parameters.
    pub assumptions: Vec<RExpr>,
    /// The scalars and arrays.
    pub vars: Vec<Var>,
    /// The counters of `for` loops.
    pub counters: Vec<Counter>,
    /// The loops, an outer loop before the inner ones.
    pub loops: Vec<Loop>,
    /// The statements, in text order.
    pub ops: Vec<Op>,
    /// The tree.
    pub body: Vec<Node>,
}

impl Program {
    /// Parses and resolves a program.
    pub fn parse(source: &str) -> Result<Program, Diagnostic> {
        let ast = parse(source)?;
        let mut resolver = Resolver::new(source, &ast)?;
        resolver.declarations(&ast.decls)?;
        let dims = vec![Dim { kappa: 0, position: 0, stride: 0, of: None }];
        let body = resolver.block(&ast.body, dims)?;
        let Resolver { mut program, .. } = resolver;
        program.body = body;
        Ok(program)
    }

    /// The same from bytes, which may not be text at all.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Program, Diagnostic> {
        match std::str::from_utf8(bytes) {
            Ok(source) => Program::parse(source),
            Err(error) => {
                let at = error.valid_up_to();
                let line = bytes[..at].iter().filter(|&&b| b == b'\n').count() + 1;
                Err(Diagnostic::new(Span::new(at, at), format!("byte {at} (line {line}) is not UTF-8 text"))
                    .help("save the program as UTF-8"))
            }
        }
    }

    /// The statement of this name.
    pub fn op(&self, name: &str) -> Option<OpId> {
        self.ops.iter().position(|op| op.name == name).map(|k| OpId(k as u32))
    }

    /// The statements with their ids.
    pub fn ops_with_ids(&self) -> impl Iterator<Item = (OpId, &Op)> {
        self.ops.iter().enumerate().map(|(k, op)| (OpId(k as u32), op))
    }
}

/// The number of statements that count (rule IT's `length`).
fn length(block: &[Stmt]) -> i64 {
    block.iter().filter(|stmt| !matches!(stmt.kind, StmtKind::Skip)).count() as i64
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Integer,
    Boolean,
}

#[derive(Clone, Copy)]
enum Symbol {
    Param(ParamId),
    Var(VarId),
}

struct Resolver {
    program: Program,
    symbols: HashMap<String, Symbol>,
    /// Counters in scope, innermost last.
    scope: Vec<CounterId>,
    counter_names: HashSet<String>,
    labels: HashSet<String>,
    /// The reads of the statement being resolved, and the conditions they are under.
    reads: Vec<Read>,
    guards: Vec<(RExpr, bool)>,
    next_kappa: u32,
    next_assign: u32,
    next_test: u32,
    /// Only parameters may be used (in declarations).
    only_params: bool,
}

type Resolved<T> = Result<T, Diagnostic>;

impl Resolver {
    fn new(source: &str, ast: &Ast) -> Resolved<Resolver> {
        let mut labels = HashSet::new();
        collect_labels(&ast.body, &mut labels)?;
        let program = Program {
            source: source.to_string(),
            params: Vec::new(),
            assumptions: Vec::new(),
            vars: Vec::new(),
            counters: Vec::new(),
            loops: Vec::new(),
            ops: Vec::new(),
            body: Vec::new(),
        };
        Ok(Resolver {
            program,
            symbols: HashMap::new(),
            scope: Vec::new(),
            counter_names: HashSet::new(),
            labels,
            reads: Vec::new(),
            guards: Vec::new(),
            next_kappa: 1,
            next_assign: 1,
            next_test: 1,
            only_params: false,
        })
    }

    fn declarations(&mut self, decls: &[Decl]) -> Resolved<()> {
        self.only_params = true;
        for decl in decls {
            match decl {
                Decl::Params(params, _) => params.iter().try_for_each(|param| self.param(param))?,
                Decl::Arrays(arrays, _) => arrays.iter().try_for_each(|array| self.array(array))?,
            }
        }
        self.only_params = false;
        Ok(())
    }

    fn declare(&mut self, name: &Ident, symbol: Symbol) -> Resolved<()> {
        match self.symbols.insert(name.name.clone(), symbol) {
            None => Ok(()),
            Some(_) => Err(Diagnostic::new(name.span, format!("`{}` is declared twice", name.name))),
        }
    }

    fn param(&mut self, decl: &ParamDecl) -> Resolved<()> {
        let id = ParamId(self.program.params.len() as u32);
        self.declare(&decl.name, Symbol::Param(id))?;
        self.program.params.push(Param { name: decl.name.name.clone() });
        let assume = |this: &mut Resolver, op, bound: &Expr| {
            let bound = this.expr(bound, Type::Integer)?;
            this.program.assumptions.push(RExpr::Bin(op, Box::new(RExpr::Param(id)), Box::new(bound)));
            Ok(())
        };
        match &decl.range {
            ParamRange::Any => Ok(()),
            ParamRange::Compare(op, bound) => assume(self, *op, bound),
            ParamRange::Between(low, high) => {
                assume(self, BinOp::Ge, low)?;
                assume(self, BinOp::Le, high)
            }
        }
    }

    fn array(&mut self, decl: &ArrayDecl) -> Resolved<()> {
        let extents =
            decl.extents.iter().map(|e| self.expr(e, Type::Integer)).collect::<Resolved<Vec<_>>>()?;
        let id = VarId(self.program.vars.len() as u32);
        self.declare(&decl.name, Symbol::Var(id))?;
        let name = decl.name.name.clone();
        self.program.vars.push(Var { name, arity: extents.len(), extents: Some(extents) });
        Ok(())
    }

    /// The scalar (`arity` 0) or array of this name, made on first use.
    fn var(&mut self, name: &str, arity: usize, span: Span) -> Resolved<VarId> {
        match self.symbols.get(name) {
            Some(Symbol::Var(id)) => {
                let known = self.program.vars[id.index()].arity;
                if known == arity {
                    return Ok(*id);
                }
                let message =
                    format!("`{name}` has {} elsewhere, and {} here", subscripts(known), subscripts(arity));
                Err(Diagnostic::new(span, message)
                    .help("use another name, or the same number of subscripts everywhere"))
            }
            Some(Symbol::Param(_)) => {
                Err(Diagnostic::new(span, format!("`{name}` is a parameter, not an array")))
            }
            None if self.counter_names.contains(name) => {
                let message =
                    format!("`{name}` is the counter of a `for` loop and is visible inside that loop only");
                Err(Diagnostic::new(span, message)
                    .help("copy it to a scalar inside the loop, or use another name"))
            }
            None => {
                let id = VarId(self.program.vars.len() as u32);
                self.symbols.insert(name.to_string(), Symbol::Var(id));
                self.program.vars.push(Var { name: name.to_string(), arity, extents: None });
                Ok(id)
            }
        }
    }

    fn counter_in_scope(&self, name: &str) -> Option<CounterId> {
        self.scope.iter().rev().copied().find(|id| self.program.counters[id.index()].name == name)
    }

    fn expr(&mut self, expr: &Expr, wanted: Type) -> Resolved<RExpr> {
        let (resolved, found) = self.any_expr(expr)?;
        match (wanted, found) {
            (Type::Integer, Type::Boolean) => {
                Err(Diagnostic::new(expr.span, "expected an integer, found a condition"))
            }
            (Type::Boolean, Type::Integer) => {
                Err(Diagnostic::new(expr.span, "expected a condition, found an integer")
                    .help("compare it with something, as in `x <> 0`"))
            }
            _ => Ok(resolved),
        }
    }

    fn any_expr(&mut self, expr: &Expr) -> Resolved<(RExpr, Type)> {
        Ok(match &expr.kind {
            ExprKind::Int(value) => (RExpr::Int(*value), Type::Integer),
            ExprKind::Bool(value) => (RExpr::Bool(*value), Type::Boolean),
            ExprKind::Var(name) => (self.name(name, expr.span)?, Type::Integer),
            ExprKind::Index(name, subscripts) => {
                self.must_be_statement(expr.span)?;
                let var = self.var(&name.name, subscripts.len(), expr.span)?;
                let subscripts = self.integers(subscripts)?;
                let access = self.read(var, subscripts.clone(), expr.span);
                (RExpr::Cell { var, access, subscripts }, Type::Integer)
            }
            ExprKind::Unary(UnOp::Neg, operand) => {
                (RExpr::Neg(Box::new(self.expr(operand, Type::Integer)?)), Type::Integer)
            }
            ExprKind::Unary(UnOp::Not, operand) => {
                (RExpr::Not(Box::new(self.expr(operand, Type::Boolean)?)), Type::Boolean)
            }
            ExprKind::Binary(op, left, right) => self.binary(*op, left, right, expr.span)?,
        })
    }

    fn binary(&mut self, op: BinOp, left: &Expr, right: &Expr, span: Span) -> Resolved<(RExpr, Type)> {
        let operands = if op.takes_integers() { Type::Integer } else { Type::Boolean };
        let result = if op.gives_integer() { Type::Integer } else { Type::Boolean };
        if op == BinOp::Iff && self.any_expr_is_integer(left) {
            return Err(Diagnostic::new(span, "`=` compares conditions").help("compare integers with `==`"));
        }
        let left = self.expr(left, operands)?;
        let guarded = matches!(op, BinOp::And | BinOp::Or);
        if guarded {
            self.guards.push((left.clone(), op == BinOp::And));
        }
        let right = self.expr(right, operands)?;
        if guarded {
            self.guards.pop();
        }
        Ok((RExpr::Bin(op, Box::new(left), Box::new(right)), result))
    }

    /// By the look of it, so that the message about `=` comes before one about its operands.
    fn any_expr_is_integer(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Int(_) | ExprKind::Var(_) | ExprKind::Index(..) => true,
            ExprKind::Bool(_) => false,
            ExprKind::Unary(op, _) => *op == UnOp::Neg,
            ExprKind::Binary(op, ..) => op.gives_integer(),
        }
    }

    fn must_be_statement(&self, span: Span) -> Resolved<()> {
        if !self.only_params {
            return Ok(());
        }
        Err(Diagnostic::new(span, "a declaration may use numbers and parameters only")
            .help("declare the parameter before it is used"))
    }

    fn name(&mut self, name: &str, span: Span) -> Resolved<RExpr> {
        if let Some(counter) = self.counter_in_scope(name) {
            return Ok(RExpr::Counter(counter));
        }
        if let Some(Symbol::Param(id)) = self.symbols.get(name) {
            return Ok(RExpr::Param(*id));
        }
        self.must_be_statement(span)?;
        let var = self.var(name, 0, span)?;
        let access = self.read(var, Vec::new(), span);
        Ok(RExpr::Scalar { var, access })
    }

    fn integers(&mut self, exprs: &[Expr]) -> Resolved<Vec<RExpr>> {
        exprs.iter().map(|e| self.expr(e, Type::Integer)).collect()
    }

    fn read(&mut self, var: VarId, subscripts: Vec<RExpr>, span: Span) -> u32 {
        self.reads.push(Read { var, subscripts, guards: self.guards.clone(), span });
        self.reads.len() as u32 - 1
    }

    fn fresh_kappa(&mut self) -> u32 {
        self.next_kappa += 1;
        self.next_kappa - 1
    }

    /// Enters the statement in the table, with the reads collected since the last one.
    fn enter(&mut self, stmt: &Stmt, kind: OpKind, dims: &[Dim], write: Option<(VarId, Vec<RExpr>)>) -> OpId {
        let name = match &stmt.label {
            Some(label) => label.name.clone(),
            None => self.fresh_name(kind),
        };
        let id = OpId(self.program.ops.len() as u32);
        let reads = std::mem::take(&mut self.reads);
        let span = stmt.span;
        self.program.ops.push(Op { name, kind, dims: dims.to_vec(), reads, write, span });
        id
    }

    fn fresh_name(&mut self, kind: OpKind) -> String {
        let (letter, next) = match kind {
            OpKind::Assign => ('s', &mut self.next_assign),
            _ => ('t', &mut self.next_test),
        };
        loop {
            let name = format!("{letter}{next}");
            *next += 1;
            if !self.labels.contains(&name) {
                return name;
            }
        }
    }

    fn block(&mut self, block: &[Stmt], mut dims: Vec<Dim>) -> Resolved<Vec<Node>> {
        let mut nodes = Vec::new();
        for stmt in block {
            if let Some(node) = self.statement(stmt, &dims)? {
                nodes.push(node);
                if let Some(last) = dims.last_mut() {
                    last.position += 1;
                }
            }
        }
        Ok(nodes)
    }

    fn statement(&mut self, stmt: &Stmt, dims: &[Dim]) -> Resolved<Option<Node>> {
        Ok(Some(match &stmt.kind {
            StmtKind::Skip => {
                if let Some(label) = &stmt.label {
                    return Err(Diagnostic::new(label.span, "`skip` does nothing and cannot have a label"));
                }
                return Ok(None);
            }
            StmtKind::Assign { target, subscripts, value } => {
                self.assignment(stmt, dims, target, subscripts, value)?
            }
            StmtKind::Assume(cond) => {
                let cond = self.expr(cond, Type::Boolean)?;
                Node::Assume { op: self.enter(stmt, OpKind::Assume, dims, None), cond }
            }
            StmtKind::If { cond, then, els, .. } => {
                let cond = self.expr(cond, Type::Boolean)?;
                let op = self.enter(stmt, OpKind::IfTest, dims, None);
                let kappa = self.fresh_kappa();
                let branch = |position| with(dims, Dim { kappa, position, stride: 0, of: None });
                let then = self.block(then, branch(-length(then)))?;
                let els = els.as_ref().map_or(Ok(Vec::new()), |(_, els)| self.block(els, branch(0)))?;
                Node::If { op, cond, then, els }
            }
            StmtKind::While { cond, body, .. } => {
                let cond = self.expr(cond, Type::Boolean)?;
                let (of, inner) = self.enter_loop(dims, body, None);
                let op = self.enter(stmt, OpKind::WhileTest, &inner, None);
                self.program.loops[of.index()].op = op;
                Node::While { op, of, cond, body: self.block(body, inner)? }
            }
            StmtKind::For { counter, from, to, by, body, .. } => {
                self.for_loop(stmt, dims, counter, (from, to), *by, body)?
            }
        }))
    }

    fn assignment(
        &mut self,
        stmt: &Stmt,
        dims: &[Dim],
        target: &Ident,
        subscripts: &[Expr],
        value: &Expr,
    ) -> Resolved<Node> {
        if subscripts.is_empty() && self.counter_in_scope(&target.name).is_some() {
            let message = format!("`{}` is the counter of a `for` loop and cannot be assigned", target.name);
            return Err(
                Diagnostic::new(target.span, message).help("use a `while` loop to move the counter yourself")
            );
        }
        if subscripts.is_empty() && matches!(self.symbols.get(&target.name), Some(Symbol::Param(_))) {
            let message = format!("`{}` is a parameter and cannot be assigned", target.name);
            return Err(Diagnostic::new(target.span, message).help("copy it to a scalar"));
        }
        let var = self.var(&target.name, subscripts.len(), target.span)?;
        let subscripts = self.integers(subscripts)?;
        let value = self.expr(value, Type::Integer)?;
        let op = self.enter(stmt, OpKind::Assign, dims, Some((var, subscripts.clone())));
        Ok(Node::Assign { op, var, subscripts, value })
    }

    fn enter_loop(&mut self, dims: &[Dim], body: &[Stmt], counter: Option<CounterId>) -> (LoopId, Vec<Dim>) {
        let of = LoopId(self.program.loops.len() as u32);
        let kappa = self.fresh_kappa();
        let parent = dims.iter().rev().find_map(|dim| dim.of);
        self.program.loops.push(Loop { kappa, counter, op: OpId(0), parent });
        (of, with(dims, Dim { kappa, position: 0, stride: length(body).max(1), of: Some(of) }))
    }

    fn for_loop(
        &mut self,
        stmt: &Stmt,
        dims: &[Dim],
        name: &Ident,
        (from, to): (&Expr, &Expr),
        by: Option<(i64, Span)>,
        body: &[Stmt],
    ) -> Resolved<Node> {
        if self.symbols.contains_key(&name.name) || self.counter_in_scope(&name.name).is_some() {
            let message = format!("the counter `{}` is already the name of something else here", name.name);
            return Err(Diagnostic::new(name.span, message).help("give the counter a name of its own"));
        }
        let from = self.expr(from, Type::Integer)?;
        let to = self.expr(to, Type::Integer)?;
        let op = self.enter(stmt, OpKind::ForBounds, dims, None);
        let counter = CounterId(self.program.counters.len() as u32);
        let (of, inner) = self.enter_loop(dims, body, Some(counter));
        self.program.loops[of.index()].op = op;
        self.program.counters.push(Counter { name: name.name.clone(), of });
        self.counter_names.insert(name.name.clone());
        self.scope.push(counter);
        let body = self.block(body, inner);
        self.scope.pop();
        Ok(Node::For { op, of, counter, from, to, step: by.map_or(1, |(step, _)| step), body: body? })
    }
}

fn with(dims: &[Dim], dim: Dim) -> Vec<Dim> {
    let mut dims = dims.to_vec();
    dims.push(dim);
    dims
}

fn subscripts(count: usize) -> String {
    match count {
        0 => "no subscripts".to_string(),
        1 => "1 subscript".to_string(),
        _ => format!("{count} subscripts"),
    }
}

fn collect_labels(block: &[Stmt], labels: &mut HashSet<String>) -> Resolved<()> {
    for stmt in block {
        if let Some(label) = stmt.label.as_ref().filter(|label| !labels.insert(label.name.clone())) {
            return Err(Diagnostic::new(label.span, format!("the label `{}` is used twice", label.name)));
        }
        match &stmt.kind {
            StmtKind::If { then, els, .. } => {
                collect_labels(then, labels)?;
                if let Some((_, els)) = els {
                    collect_labels(els, labels)?;
                }
            }
            StmtKind::While { body, .. } | StmtKind::For { body, .. } => collect_labels(body, labels)?,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(source: &str) -> String {
        Program::parse(source).expect_err(source).message
    }

    #[test]
    fn names_are_checked() {
        assert_eq!(error("param n; n := 1"), "`n` is a parameter and cannot be assigned");
        assert_eq!(
            error("for i from 1 to 2 do i := 1 done"),
            "`i` is the counter of a `for` loop and cannot be assigned"
        );
        assert!(error("for i from 1 to 2 do skip done; x := i").contains("inside that loop only"));
        assert_eq!(error("a[1] := 2; a[1, 2] := 3"), "`a` has 1 subscript elsewhere, and 2 subscripts here");
        assert_eq!(error("if 1 then skip fi"), "expected a condition, found an integer");
        assert_eq!(error("x := 1 < 2"), "expected an integer, found a condition");
        assert_eq!(error("if x = 1 then skip fi"), "`=` compares conditions");
        assert_eq!(error("l: x := 1; l: y := 1"), "the label `l` is used twice");
        assert_eq!(error("param n <= m, m"), "a declaration may use numbers and parameters only");
    }

    #[test]
    fn vectors_are_laid_out_as_in_figure_4() {
        let program = Program::parse(
            "i := 5; while i <> 1 do if i mod 2 == 0 then i := i / 2 else i := 3 * i + 1 fi done",
        )
        .unwrap();
        let shape = |name: &str| -> Vec<(u32, i64, i64)> {
            let op = &program.ops[program.op(name).unwrap().index()];
            op.dims.iter().map(|d| (d.kappa, d.position, d.stride)).collect()
        };
        assert_eq!(shape("s1"), [(0, 0, 0)]);
        assert_eq!(shape("t1"), [(0, 1, 0), (1, 0, 1)]);
        assert_eq!(shape("t2"), [(0, 1, 0), (1, 0, 1)]);
        assert_eq!(shape("s2"), [(0, 1, 0), (1, 0, 1), (2, -1, 0)]);
        assert_eq!(shape("s3"), [(0, 1, 0), (1, 0, 1), (2, 0, 0)]);
    }

    #[test]
    fn reads_know_their_guards() {
        let program = Program::parse("if i < n and a[i] > 0 or j < 0 then skip fi").unwrap();
        let guards: Vec<usize> = program.ops[0].reads.iter().map(|read| read.guards.len()).collect();
        assert_eq!(guards, [0, 0, 1, 1, 1]);
    }
}
