//! From a schedule tree to a loop tree, and a C printer for people.
//!
//! [`generate`] turns a schedule into plain Rust values: loops with
//! inclusive bounds, conditions, and statements with an expression for each counter. A back end walks the
//! tree ([`Node`]), people read it as C ([`print_c`]).
//!
//! Most schedules become sets of linear inequalities (module `pieces`), and these become loops (module `direct`, with what
//! follows from inequalities in [`isl::simplex`]). For all others isl makes an abstract syntax tree, which module `convert` translates; it
//! takes ten times as long.
//!
//! Where a loop runs over a tile, full tiles come apart from partial ones (module `full`). Rows of a strip come apart from its
//! edges (module `rows`). isl works on numbers of tiles instead of where they begin (module `tiles`). Conditions stand before loops that do nothing without them (module `hoist`), and loops that would run around
//! nothing are skipped (module `idle`); what is known already is not tested again (module `known`). Where the schedule says that tiles of one diagonal may run at once, there are loops over
//! diagonals (module `wave`).
//!
//! # Arithmetic
//! Expressions are over mathematical integers; the back ends compute in 64 bits. [`generate`] proves for each expression
//! and each part of it, from the ranges of the parameters and of the loops around, that its value fits; if it cannot,
//! it fails with [`Error::Overflow`]. So generated bounds never wrap.
//!
//! # Example
//! `[n] -> { S[i, j] : 0 <= i < n and 0 <= j <= i }` in its own order prints as
//! ```text
//! for (c0 = 0; c0 <= n - 1; c0 += 1)
//!   for (c1 = 0; c1 <= c0; c1 += 1)
//!     S(c0, c1);
//! ```

mod convert;
mod cut;
mod direct;
mod full;
mod hoist;
mod idle;
mod interval;
mod known;
mod linear;
mod pieces;
mod print;
mod registers;
mod rows;
mod tiles;
mod together;
mod wave;

pub use convert::{condition, expression, generate};
pub use idle::stmts_in;
pub use interval::{Interval, param_ranges};
pub use linear::Linear;
pub use print::{expr as print_expr, head as print_head, print_c};
pub use registers::block_stmts;
pub use rows::stmts_sharing_rows;

use model::{Copied, StmtId};

/// A part of the generated program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// A loop.
    For(For),
    /// Both parts are possibly empty.
    If {
        /// The condition.
        condition: Expr,
        /// Run if it is not 0.
        then: Vec<Node>,
        /// Run otherwise.
        otherwise: Vec<Node>,
    },
    /// One instance of a statement.
    Stmt {
        /// Which.
        id: StmtId,
        /// The value of each counter, outermost first.
        counters: Vec<Expr>,
    },
}

/// How many loops, conditions and statements there are.
pub fn size(nodes: &[Node]) -> usize {
    let inside = |node: &Node| match node {
        Node::For(inner) => size(&inner.body),
        Node::If { then, otherwise, .. } => size(then) + size(otherwise),
        Node::Stmt { .. } => 0,
    };
    nodes.iter().map(|node| 1 + inside(node)).sum()
}

/// The loops that run in threads.
pub fn threads(nodes: &[Node]) -> Vec<&For> {
    let mut found = Vec::new();
    for node in nodes {
        match node {
            Node::For(each) if each.is_threads && !each.runs_once => found.push(each),
            Node::For(each) => found.extend(threads(&each.body)),
            Node::If { then, otherwise, .. } => {
                found.extend(threads(then));
                found.extend(threads(otherwise));
            }
            Node::Stmt { .. } => {}
        }
    }
    found
}

/// A loop from `first` to `last`, both included, by a positive step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct For {
    /// The loop's variable.
    pub variable: Variable,
    /// Its first value.
    pub first: Expr,
    /// Its greatest value; less than `first` if the loop does not run.
    pub last: Expr,
    /// At least 1.
    pub step: i64,
    /// The loop runs exactly once, with the first value.
    pub runs_once: bool,
    /// The schedule marks it as one whose iterations do not depend on each other ([`model::VECTOR`]).
    pub is_vector: bool,
    /// The schedule marks it as one whose iterations may run in several threads ([`model::THREADS`]).
    pub is_threads: bool,
    /// The arrays of which each thread must have a copy then.
    pub copies: Vec<Copied>,
    /// For which values of the parameters all that is used of these arrays has room in the copies; always, if there is none.
    pub copies_fit: Option<Expr>,
    /// It sums up terms for a block of cells that can stay in registers ([`model::REGISTERS`]).
    pub block: Option<Block>,
    /// It runs over the rows of a strip ([`model::JAM`]).
    pub strip: Option<Strip>,
    /// Each thread, or whoever runs the loop, does all of its iterations at once: the body runs once, with the loop's variable at the
    /// first one's value, and this variable at the last one's and `step - 1` more.
    pub together: Option<Variable>,
    /// What is in it.
    pub body: Vec<Node>,
}

impl For {
    /// How many values its variable may have, if that is the same number in each run.
    pub fn extent(&self) -> Option<i64> {
        full::extent(&self.first, &self.last)
    }

    /// Whether it runs over a tile or a part of one.
    pub fn is_over_tile(&self) -> bool {
        full::whole(self).is_some()
    }
}

/// What a loop over the rows of a strip is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strip {
    /// To be written out, if there is a fixed number.
    Whole,
    /// At an edge, where some rows have nothing to do.
    Edge,
}

/// A block of cells. In the loop over the terms is nothing but a loop over rows and in that nothing but one over columns
/// with one statement, and their bounds do not depend on the terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// How many rows there are at most.
    pub height: i64,
    /// How many columns there are at most.
    pub width: i64,
    /// How many terms one run of the loop has at most, if that is known.
    pub depth: Option<i64>,
    /// The first column, where nothing cuts the block.
    pub column: Expr,
    /// Nothing cuts the block: there are as many rows and columns.
    pub is_whole: bool,
}

/// A loop variable: the number of the loop, in the order in which loops are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub u32);

/// An integer expression; a condition is 0 or 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// A number.
    Int(i64),
    /// A loop's variable.
    Variable(Variable),
    /// The parameter of that index in the model.
    Param(usize),
    /// An operation.
    Op(Op, Vec<Expr>),
}

impl Expr {
    /// Whether the loop's variable is in it.
    pub fn mentions(&self, variable: Variable) -> bool {
        match self {
            Expr::Variable(other) => *other == variable,
            Expr::Op(_, operands) => operands.iter().any(|operand| operand.mentions(variable)),
            Expr::Int(_) | Expr::Param(_) => false,
        }
    }
}

/// The operations. Division rounds down unless said otherwise; all divisors are positive constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Op {
    Neg,
    Add,
    Sub,
    Mul,
    /// Rounds down.
    FloorDiv,
    /// The dividend is not negative, or the division has no rest.
    Div,
    /// The dividend is not negative.
    Rem,
    /// Only used to compare with zero; the dividend may be negative.
    RemIsZero,
    Min,
    Max,
    /// Condition, then, otherwise.
    Select,
    And,
    Or,
    Eq,
    Le,
    Lt,
    Ge,
    Gt,
}

/// Why there is no loop tree.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// isl failed; [`isl::Error::is_budget`] tells whether for lack of budget.
    #[error(transparent)]
    Isl(#[from] isl::Error),
    /// A part of an expression may not fit 64 bits.
    #[error("{0} may not fit 64 bits")]
    Overflow(String),
    /// isl produced something that this crate does not know.
    #[error("unexpected syntax tree: {0}")]
    Unexpected(String),
}
