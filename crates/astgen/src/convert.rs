//! isl's syntax tree to ours, with the proof that all arithmetic fits 64 bits.

use crate::direct;
use crate::full::separate;
use crate::hoist::hoist;
use crate::idle::skip;
use crate::interval::{Interval, Ranges, param_ranges};
use crate::known::without_known;
use crate::pieces::Stop;
use crate::registers::whole_blocks;
use crate::rows::whole_rows;
use crate::tiles::{self, Sizes};
use crate::together;
use crate::wave::diagonals;
use crate::{Error, Expr, For, Node, Op, Strip, Variable};
use isl::{
    AstBuild, AstExpr, AstExprOpType, AstExprType, AstNode, AstNodeType, DimType, Id, PwAff, Schedule,
    ScheduleNodeType, Set, Val,
};
use model::{ArrayKind, Copied, JAM, REGISTERS, STRIPS, Scop, VECTOR, threads_copies, wave_sizes};
use std::collections::HashMap;

/// The loop tree of a schedule, for parameter values in `context`.
pub fn generate(scop: &Scop, schedule: &Schedule, context: &Set) -> Result<Vec<Node>, Error> {
    let params = param_ranges(scop, context)?;
    let nodes = match direct::nodes(|| Converter::new(scop, context, &params), schedule) {
        Ok(nodes) => nodes,
        Err(Stop::Budget(error)) => return Err(error.into()),
        Err(Stop::Other) => {
            let tree =
                AstBuild::from_context(context.clone())?.node_from_schedule(with_depths(scop, schedule)?)?;
            Converter::new(scop, context, &params).node(&tree)?
        }
    };
    skip(scop, without_known(separate(hoist(nodes))), context)
}

/// The schedule with the depth in the name of each mark about one loop (isl leaves out loops that run once, and what is said
/// about such a loop must not be taken for the next one), and with loops over tiles counted one by one.
fn with_depths(scop: &Scop, schedule: &Schedule) -> isl::Result<Schedule> {
    schedule.clone().map_schedule_node_bottom_up(|node| {
        match node.get_type()? {
            ScheduleNodeType::Mark => {}
            ScheduleNodeType::Band => return tiles::counted(node),
            _ => return Ok(node),
        }
        let name = node.mark_get_id()?.get_name()?.unwrap_or_default();
        if !is_of_one_loop(&name) {
            return Ok(node);
        }
        let name = with_depth(&name, node.get_schedule_depth()?);
        node.delete()?.insert_mark(Id::new(&scop.ctx, &name)?)
    })
}

/// Whether a mark is about one loop.
fn is_of_one_loop(name: &str) -> bool {
    [VECTOR, JAM, STRIPS].contains(&name) || threads_copies(name).is_some() || wave_sizes(name).is_some()
}

/// The name of a mark, with the depth if it is about one loop.
pub(crate) fn with_depth(name: &str, depth: usize) -> String {
    if is_of_one_loop(name) { format!("{name}@{depth}") } else { name.to_owned() }
}

/// A condition that holds exactly for the parameter values of `set`, given that they are in `context`.
pub fn condition(scop: &Scop, set: &Set, context: &Set) -> Result<Expr, Error> {
    let params = param_ranges(scop, context)?;
    let expr = AstBuild::from_context(context.clone())?.expr_from_set(set.clone().gist(context.clone())?)?;
    Converter::new(scop, context, &params).proved(&expr)
}

/// An expression of the parameters, given that they are in `context` and in the domain of `value`.
pub fn expression(scop: &Scop, value: &PwAff, context: &Set) -> Result<Expr, Error> {
    let params = param_ranges(scop, context)?;
    let expr = AstBuild::from_context(context.clone())?.expr_from_pw_aff(value.clone())?;
    Converter::new(scop, context, &params).proved(&expr)
}

/// When all that is used of some arrays has room in copies of them; `None`: always.
fn copies_fit(scop: &Scop, copies: &[Copied], context: &Set) -> Result<Option<Expr>, Error> {
    let mut fit = context.clone();
    for copied in copies {
        fit = match scop.array(copied.array).kind {
            ArrayKind::Scratch => fit.intersect(all_fits(scop, *copied)?)?,
            _ => what_is_touched_fits(scop, *copied, fit)?,
        };
    }
    match context.is_subset(&fit)? {
        true => Ok(None),
        false => condition(scop, &fit.coalesce()?, context).map(Some),
    }
}

/// The parameters of a set for which no cell behind the copy is touched.
fn what_is_touched_fits(scop: &Scop, copied: Copied, mut fit: Set) -> Result<Set, Error> {
    let cells = copied.bytes / i64::from(scop.array(copied.array).elem_bytes);
    for stmt in &scop.stmts {
        for access in stmt.accesses.iter().filter(|access| access.array == copied.array) {
            let touched = scop.cells(stmt, access)?.range()?;
            let beyond = Val::int_from_si(&scop.ctx, cells)?;
            fit = fit.subtract(touched.lower_bound_val(DimType::Set, 0, beyond)?.params()?)?;
        }
    }
    Ok(fit)
}

/// The parameters for which the copy has as many cells as the array. At most one of its sizes is no number.
fn all_fits(scop: &Scop, copied: Copied) -> Result<Set, Error> {
    let array = scop.array(copied.array);
    let (mut known, mut unknown) = (1i64, "1");
    for size in array.shape.iter().flatten() {
        match size.parse::<i64>() {
            Ok(size) => known = known.checked_mul(size).ok_or_else(|| Error::Overflow("a size".into()))?,
            Err(_) => unknown = size,
        }
    }
    let cells = copied.bytes / i64::from(array.elem_bytes);
    let params: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let text = format!("[{}] -> {{ : {known} * ({unknown}) <= {cells} }}", params.join(", "));
    Ok(Set::read_from_str(&scop.ctx, &text)?)
}

pub(crate) struct Converter<'a> {
    pub scop: &'a Scop,
    /// The parameters' values.
    pub context: &'a Set,
    pub ranges: Ranges<'a>,
    names: HashMap<String, Variable>,
    opened: u32,
    /// What marks say about the next loop.
    marks: Marks,
    /// The sizes of tiles, by the name of the loop over them.
    tiles: HashMap<String, i64>,
    sizes: Sizes,
}

/// A loop in isl's terms.
pub(crate) struct Head {
    /// The name of its variable.
    pub name: String,
    pub first: Expr,
    /// Its greatest value, and the step; `None` if it runs once.
    pub rest: Option<(Expr, i64)>,
}

/// A loop without its body.
pub(crate) struct Opened {
    name: String,
    variable: Variable,
    first: Expr,
    last: Expr,
    step: i64,
    runs_once: bool,
    /// Of its variable.
    range: Interval,
    marks: Marks,
    /// The variable of diagonals, and the sizes of tiles.
    wave: Option<(Variable, [i64; 2])>,
    /// A variable of the same name.
    hidden: Option<Variable>,
}

/// The marks above a loop.
#[derive(Clone, Default)]
pub(crate) struct Marks {
    /// [`VECTOR`]: the depth of the loop that it is about.
    vector: Option<usize>,
    /// [`JAM`]: likewise.
    jam: Option<usize>,
    /// [`STRIPS`]: likewise.
    strips: Option<usize>,
    /// [`model::THREADS`]: likewise, and the arrays to copy.
    threads: Option<(usize, Vec<Copied>)>,
    /// [`model::WAVE`]: likewise, and the sizes of the tiles.
    wave: Option<(usize, [i64; 2])>,
    /// [`REGISTERS`].
    is_block: bool,
}

impl<'a> Converter<'a> {
    fn new(scop: &'a Scop, context: &'a Set, params: &'a [Interval]) -> Self {
        let ranges = Ranges { params, variables: HashMap::new() };
        Self {
            scop,
            context,
            ranges,
            names: HashMap::new(),
            opened: 0,
            marks: Marks::default(),
            tiles: HashMap::new(),
            sizes: Sizes::default(),
        }
    }

    fn node(&mut self, node: &AstNode) -> Result<Vec<Node>, Error> {
        match node.get_type()? {
            AstNodeType::For => self.for_loop(node),
            AstNodeType::If => self.branch(node),
            AstNodeType::Block => {
                let children = node.block_get_children()?;
                let mut all = Vec::new();
                for position in 0..children.size()? {
                    all.extend(self.node(&children.get_at(position)?)?);
                }
                Ok(all)
            }
            AstNodeType::Mark => self.marked(node),
            AstNodeType::User => Ok(vec![self.statement(&node.user_get_expr()?)?]),
        }
    }

    fn marked(&mut self, node: &AstNode) -> Result<Vec<Node>, Error> {
        let name = node.mark_get_id()?.get_name()?.unwrap_or_default();
        if let Some((sizes, depth)) = name.split_once('@').filter(|(name, _)| tiles::sizes_in(name).is_some())
        {
            return self.tiles(node, sizes, depth);
        }
        let above = self.mark(&name);
        let nodes = self.node(&node.mark_get_node()?);
        self.restore(above);
        nodes
    }

    /// What a mark says is about the loops that its band becomes, of which there are several if they were separated.
    pub fn mark(&mut self, name: &str) -> Marks {
        let above = self.marks.clone();
        match name.split_once('@') {
            Some((VECTOR, depth)) => self.marks.vector = depth.parse().ok(),
            Some((JAM, depth)) => self.marks.jam = depth.parse().ok(),
            Some((STRIPS, depth)) => self.marks.strips = depth.parse().ok(),
            Some((name, depth)) => {
                let depth = depth.parse().ok();
                self.marks.threads = depth.zip(threads_copies(name)).or(self.marks.threads.take());
                self.marks.wave = depth.zip(wave_sizes(name)).or(self.marks.wave);
            }
            None => self.marks.is_block |= name == REGISTERS,
        }
        above
    }

    /// As it was above a mark.
    pub fn restore(&mut self, above: Marks) {
        self.marks = above;
    }

    /// The loops of a band over tiles; other bands around or in them are of other depths.
    fn tiles(&mut self, node: &AstNode, name: &str, depth: &str) -> Result<Vec<Node>, Error> {
        let first: usize = depth.parse().map_err(|_| Error::Unexpected(format!("the depth {depth}")))?;
        let sizes = tiles::sizes_in(name).unwrap_or_default();
        let around = self.tile(first, &sizes);
        let nodes = self.node(&node.mark_get_node()?);
        self.untile(around);
        nodes
    }

    /// From now on, loops from a depth on are over tiles of these sizes.
    pub fn tile(&mut self, first: usize, sizes: &[i64]) -> HashMap<String, i64> {
        let around = self.tiles.clone();
        for (at, size) in sizes.iter().enumerate() {
            self.tiles.insert(format!("c{}", first + at), *size);
        }
        around
    }

    /// As it was around loops over tiles.
    pub fn untile(&mut self, around: HashMap<String, i64>) {
        self.tiles = around;
    }

    /// Whether the loop of a depth around is over tiles.
    pub fn is_over_tiles(&self, depth: usize) -> bool {
        self.tiles.get(&format!("c{depth}")).is_some_and(|size| *size > 1)
    }

    fn for_loop(&mut self, node: &AstNode) -> Result<Vec<Node>, Error> {
        let name = node.for_get_iterator()?.id_get_id()?.get_name()?.unwrap_or_default();
        let first = self.expr(&node.for_get_init()?)?;
        let rest = match node.for_is_degenerate()? {
            true => None,
            false => Some((self.last(node)?, self.step(node)?)),
        };
        let opened = self.open_loop(Head { name, first, rest })?;
        let body = self.node(&node.for_get_body()?)?;
        self.close_loop(opened, body)
    }

    /// A loop, of which the body is next.
    pub fn open_loop(&mut self, Head { name, first, rest }: Head) -> Result<Opened, Error> {
        let marks = std::mem::take(&mut self.marks);
        let size = self.tiles.get(&name).copied().unwrap_or(1);
        let first = self.fitting(self.sizes.times(first, size))?;
        let is_meant = |depth: &usize| name == format!("c{depth}");
        let wave = marks.wave.filter(|(depth, _)| is_meant(depth));
        let wave = wave.map(|(_, sizes)| (self.open(), sizes));
        let variable = self.open();
        let runs_once = rest.is_none();
        let (last, step) = match rest {
            None => (first.clone(), 1),
            Some((last, step)) => {
                let step =
                    step.checked_mul(size).ok_or_else(|| Error::Overflow("the size of a tile".into()))?;
                (self.fitting(self.sizes.last(last, size))?, step)
            }
        };
        let (low, high) = (self.ranges.of(&first)?.0, self.ranges.of(&last)?.1);
        // The variable also has its value after the last step.
        let after = high.max(low) + i128::from(step);
        if after > i128::from(i64::MAX) {
            let last = crate::print::expr(&last, Some(self.scop));
            return Err(Error::Overflow(format!("the step beyond {last}")));
        }
        self.sizes.insert(variable, size);
        let hidden = self.names.insert(name.clone(), variable);
        self.ranges.variables.insert(variable, (low, high.max(low)));
        Ok(Opened { name, variable, first, last, step, runs_once, range: (low, high), marks, wave, hidden })
    }

    /// The nodes that a loop with this body becomes.
    pub fn close_loop(&mut self, opened: Opened, body: Vec<Node>) -> Result<Vec<Node>, Error> {
        let Opened { name, variable, first, last, step, runs_once, range: (low, high), marks, wave, hidden } =
            opened;
        match hidden {
            Some(outer) => self.names.insert(name.clone(), outer),
            None => self.names.remove(&name),
        };
        let is_meant = |depth: &usize| name == format!("c{depth}");
        let is_vector = marks.vector.as_ref().is_some_and(is_meant);
        let strip = marks.jam.filter(is_meant).map(|_| Strip::Whole);
        let threads = marks.threads.as_ref().filter(|(depth, _)| is_meant(depth));
        let (is_threads, copies) =
            (threads.is_some(), threads.map_or_else(Vec::new, |(_, copies)| copies.clone()));
        let copies_fit = copies_fit(self.scop, &copies, self.context)?;
        let is_block = marks.is_block;
        let are_apart = marks.strips.as_ref().is_some_and(is_meant);
        self.marks = marks;
        let (block, together) = (None, None);
        let each = For {
            variable,
            first,
            last,
            step,
            runs_once,
            is_vector,
            is_threads,
            copies,
            copies_fit,
            block,
            strip,
            together,
            body,
        };
        if let Some((diagonal, sizes)) = wave {
            return Ok(vec![Node::For(diagonals(each, sizes, diagonal, &mut self.ranges)?)]);
        }
        if let Some(at_once) = together::together(&each, Variable(self.opened)).filter(|_| !are_apart) {
            let end = self.open();
            self.ranges.variables.insert(end, (low, high.max(low) + i128::from(step - 1)));
            return Ok(vec![Node::For(at_once)]);
        }
        Ok(if is_block { whole_blocks(each, &self.ranges) } else { whole_rows(each, &self.ranges) })
    }

    fn open(&mut self) -> Variable {
        self.opened += 1;
        Variable(self.opened - 1)
    }

    /// The condition is `variable <= last` or `variable < end`.
    fn last(&self, node: &AstNode) -> Result<Expr, Error> {
        let condition = node.for_get_cond()?;
        let bound = self.expr(&condition.op_get_arg(1)?)?;
        match condition.op_get_type()? {
            AstExprOpType::Le => Ok(bound),
            AstExprOpType::Lt => Ok(Expr::Op(Op::Sub, vec![bound, Expr::Int(1)])),
            other => Err(Error::Unexpected(format!("a loop condition of type {other:?}"))),
        }
    }

    fn step(&self, node: &AstNode) -> Result<i64, Error> {
        match self.expr(&node.for_get_inc()?)? {
            Expr::Int(step) if step > 0 => Ok(step),
            other => Err(Error::Unexpected(format!("a step {other:?}"))),
        }
    }

    fn branch(&mut self, node: &AstNode) -> Result<Vec<Node>, Error> {
        let condition = self.proved(&node.if_get_cond()?)?;
        let then = self.node(&node.if_get_then_node()?)?;
        let otherwise =
            if node.if_has_else_node()? { self.node(&node.if_get_else_node()?)? } else { Vec::new() };
        Ok(vec![Node::If { condition, then, otherwise }])
    }

    fn statement(&self, call: &AstExpr) -> Result<Node, Error> {
        let name = call.op_get_arg(0)?.id_get_id()?.get_name()?.unwrap_or_default();
        let id = self.scop.stmt_named(&name).ok_or(Error::Unexpected(format!("a statement {name}")))?;
        let counters = (1..call.op_get_n_arg()?).map(|position| self.proved(&call.op_get_arg(position)?));
        Ok(Node::Stmt { id, counters: counters.collect::<Result<_, Error>>()? })
    }

    fn proved(&self, expr: &AstExpr) -> Result<Expr, Error> {
        self.ours(self.expr(expr)?)
    }

    /// An expression in isl's terms in ours.
    pub fn ours(&self, expr: Expr) -> Result<Expr, Error> {
        self.fitting(self.sizes.ours(expr))
    }

    /// An expression of our variables.
    fn fitting(&self, expr: Option<Expr>) -> Result<Expr, Error> {
        let expr = expr.ok_or_else(|| Error::Overflow("a multiple of a tile's size".into()))?;
        self.ranges.of(&expr)?;
        Ok(expr)
    }

    /// As isl says it, see [`Sizes`].
    fn expr(&self, expr: &AstExpr) -> Result<Expr, Error> {
        match expr.get_type()? {
            AstExprType::Int => {
                let text = expr.int_get_val()?.to_string();
                text.parse().map(Expr::Int).map_err(|_| Error::Overflow(text))
            }
            AstExprType::Id => {
                let name = expr.id_get_id()?.get_name()?.unwrap_or_default();
                self.name(&name)
            }
            AstExprType::Op => self.operation(expr),
        }
    }

    pub fn name(&self, name: &str) -> Result<Expr, Error> {
        if let Some(variable) = self.names.get(name) {
            return Ok(Expr::Variable(*variable));
        }
        let param = self.scop.params.iter().position(|param| param.name == name);
        param.map(Expr::Param).ok_or(Error::Unexpected(format!("the name {name}")))
    }

    fn operation(&self, expr: &AstExpr) -> Result<Expr, Error> {
        let count = expr.op_get_n_arg()?;
        let operands = (0..count).map(|position| self.expr(&expr.op_get_arg(position)?));
        let operands = operands.collect::<Result<Vec<_>, Error>>()?;
        let op = match expr.op_get_type()? {
            AstExprOpType::Minus => Op::Neg,
            AstExprOpType::Add => Op::Add,
            AstExprOpType::Sub => Op::Sub,
            AstExprOpType::Mul => Op::Mul,
            AstExprOpType::Div | AstExprOpType::PdivQ => Op::Div,
            AstExprOpType::FdivQ => Op::FloorDiv,
            AstExprOpType::PdivR => Op::Rem,
            AstExprOpType::ZdivR => Op::RemIsZero,
            AstExprOpType::Min => Op::Min,
            AstExprOpType::Max => Op::Max,
            AstExprOpType::Cond | AstExprOpType::Select => Op::Select,
            AstExprOpType::And | AstExprOpType::AndThen => Op::And,
            AstExprOpType::Or | AstExprOpType::OrElse => Op::Or,
            AstExprOpType::Eq => Op::Eq,
            AstExprOpType::Le => Op::Le,
            AstExprOpType::Lt => Op::Lt,
            AstExprOpType::Ge => Op::Ge,
            AstExprOpType::Gt => Op::Gt,
            other => return Err(Error::Unexpected(format!("an operation {other:?}"))),
        };
        Ok(fold_left(op, operands))
    }
}

/// isl's minimum and maximum have any number of operands; nested, all operations but one have two at most.
fn fold_left(op: Op, operands: Vec<Expr>) -> Expr {
    if !matches!(op, Op::Min | Op::Max) || operands.len() <= 2 {
        return Expr::Op(op, operands);
    }
    let mut rest = operands.into_iter();
    let first = rest.next().unwrap_or(Expr::Int(0));
    rest.fold(first, |all, next| Expr::Op(op, vec![all, next]))
}
