//! The syntax tree: what the user wrote, with spans.
//!
//! The tree is the paper's Figure 2 with the additions of `docs/imp.md`. Integer and boolean expressions
//! share one type; [`crate::resolve`] checks that each stands where it may. The tree says nothing about
//! iteration vectors: those are fixed when names are resolved.
//!
//! Invariant: no path from the root is longer than [`MAX_DEPTH`] statements plus [`MAX_DEPTH`] expression
//! nodes. The parser refuses deeper programs, so that every walk over the tree may recurse.

use crate::diag::Span;

/// How deep statements, and expressions within one statement, may nest.
pub const MAX_DEPTH: usize = 100;

/// A name and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ident {
    /// The name.
    pub name: String,
    /// Where it stands.
    pub span: Span,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A number.
    Int(i64),
    /// `true` or `false`.
    Bool(bool),
    /// A parameter, a loop counter or a scalar.
    Var(String),
    /// An array cell.
    Index(Ident, Vec<Expr>),
    /// `-a` or `!b`.
    Unary(UnOp, Box<Expr>),
    /// `a + b`, `a <= b`, `b and b`, `min(a, b)`, ...
    Binary(BinOp, Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnOp {
    /// `-a`.
    Neg,
    /// `!b`, `not b`.
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinOp {
    /// `a + b`.
    Add,
    /// `a - b`.
    Sub,
    /// `a * b`.
    Mul,
    /// `a / b`, rounded towards minus infinity.
    Div,
    /// `a mod b`, with the sign of `b`.
    Mod,
    /// `min(a, b)`.
    Min,
    /// `max(a, b)`.
    Max,
    /// `a <= b`.
    Le,
    /// `a < b`.
    Lt,
    /// `a >= b`, also written `=>`.
    Ge,
    /// `a > b`.
    Gt,
    /// `a == b`.
    Eq,
    /// `a <> b`, also written `!=`.
    Ne,
    /// `p and q`; `q` is evaluated only if `p` holds.
    And,
    /// `p or q`; `q` is evaluated only if `p` does not hold.
    Or,
    /// `p = q` between booleans.
    Iff,
}

impl BinOp {
    /// How it is written.
    pub fn text(self) -> &'static str {
        match self {
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Div => "/",
            BinOp::Mod => "mod",
            BinOp::Min => "min",
            BinOp::Max => "max",
            BinOp::Le => "<=",
            BinOp::Lt => "<",
            BinOp::Ge => ">=",
            BinOp::Gt => ">",
            BinOp::Eq => "==",
            BinOp::Ne => "<>",
            BinOp::And => "and",
            BinOp::Or => "or",
            BinOp::Iff => "=",
        }
    }

    /// How tightly it binds; `min` and `max` are written as calls and bind like a number.
    pub fn precedence(self) -> u8 {
        match self {
            BinOp::Or => 1,
            BinOp::And => 2,
            BinOp::Iff => 3,
            BinOp::Le | BinOp::Lt | BinOp::Ge | BinOp::Gt | BinOp::Eq | BinOp::Ne => 5,
            BinOp::Add | BinOp::Sub => 6,
            BinOp::Mul | BinOp::Div | BinOp::Mod => 7,
            BinOp::Min | BinOp::Max => ATOM_PRECEDENCE,
        }
    }

    /// Whether the operands are integers.
    pub fn takes_integers(self) -> bool {
        self.precedence() >= 5
    }

    /// Whether the result is an integer.
    pub fn gives_integer(self) -> bool {
        self.precedence() >= 6
    }
}

/// How tightly `!` binds: looser than comparisons, so that `!a < b` is `!(a < b)`.
pub const NOT_PRECEDENCE: u8 = 4;
/// How tightly unary minus binds.
pub const NEG_PRECEDENCE: u8 = 8;
/// How tightly numbers, names and calls bind.
pub const ATOM_PRECEDENCE: u8 = 9;

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// The name the user gave it.
    pub label: Option<Ident>,
    /// What it does.
    pub kind: StmtKind,
    /// Where it stands, label included.
    pub span: Span,
}

/// A list of statements.
pub type Block = Vec<Stmt>;

/// The kinds of statements.
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `skip`.
    Skip,
    /// `x := e` or `a[i, j] := e`; a scalar has no subscripts.
    Assign {
        /// The variable written.
        target: Ident,
        /// Its subscripts.
        subscripts: Vec<Expr>,
        /// The value.
        value: Expr,
    },
    /// `if c then ... else ... fi`.
    If {
        /// The condition.
        cond: Expr,
        /// The word `then`.
        then_word: Span,
        /// What runs when the condition holds.
        then: Block,
        /// The word `else` and what runs when it does not.
        els: Option<(Span, Block)>,
        /// The word `fi`.
        end: Span,
    },
    /// `while c do ... done`.
    While {
        /// The condition.
        cond: Expr,
        /// The word `do`.
        do_word: Span,
        /// The body.
        body: Block,
        /// The word `done`.
        end: Span,
    },
    /// `for i from a to b by c do ... done`.
    For {
        /// The counter.
        counter: Ident,
        /// Its first value.
        from: Expr,
        /// The last value it may take.
        to: Expr,
        /// The step, not 0.
        by: Option<(i64, Span)>,
        /// The word `do`.
        do_word: Span,
        /// The body.
        body: Block,
        /// The word `done`.
        end: Span,
    },
    /// `assume c`: runs in which `c` does not hold here are not considered further.
    Assume(Expr),
}

/// A declared parameter.
#[derive(Clone, Debug)]
pub struct ParamDecl {
    /// Its name.
    pub name: Ident,
    /// Its assumed range.
    pub range: ParamRange,
}

/// The assumed range of a parameter.
#[derive(Clone, Debug)]
pub enum ParamRange {
    /// Any integer.
    Any,
    /// `n <= e`, `n >= e`, `n == e`, ...
    Compare(BinOp, Expr),
    /// `n in a .. b`, both ends included.
    Between(Expr, Expr),
}

/// A declared array.
#[derive(Clone, Debug)]
pub struct ArrayDecl {
    /// Its name.
    pub name: Ident,
    /// Its extents: subscript `k` runs from 0 to the extent minus 1.
    pub extents: Vec<Expr>,
}

/// One declaration.
#[derive(Clone, Debug)]
pub enum Decl {
    /// `param ...`.
    Params(Vec<ParamDecl>, Span),
    /// `array ...`.
    Arrays(Vec<ArrayDecl>, Span),
}

impl Decl {
    /// Where it stands.
    pub fn span(&self) -> Span {
        match self {
            Decl::Params(_, span) | Decl::Arrays(_, span) => *span,
        }
    }
}

/// A whole program.
#[derive(Clone, Debug)]
pub struct Ast {
    /// The declarations, which come first.
    pub decls: Vec<Decl>,
    /// The statements.
    pub body: Block,
    /// The comments.
    pub comments: Vec<Span>,
}
