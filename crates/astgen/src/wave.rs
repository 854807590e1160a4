//! Diagonals of tiles.
//!
//! Under a mark [`model::WAVE`] are two loops over tiles, of sizes `A` and `B`. They become one over diagonals,
//! `w = a / A + b / B`, and one along a diagonal, whose iterations run in threads:
//! ```text
//! for (a = a0; a <= a1; a += A)              for (w = least; w <= greatest; w += 1)
//!   for (b = low(a); b <= high(a); b += B)     for (a = from(w); a <= to(w); a += A)  // in threads
//!     body                                       b = B (w - a / A)
//!                                                if (low(a) <= b && b <= high(a))
//!                                                  body
//! ```
//! The test says exactly which tiles there are. The bounds of `w` and `a` only leave out what the test would: they come from
//! parts of `low` and `high` between which and some `(m a + n) / d` there is at most a constant. From `d b >= m a + n`, for
//! example, follows
//! ```text
//! A B d w = B d a + A d b >= (B d + A m) a + A n
//! ```
//! which is least at one end of the loop over `a`, and for a given `w` is a bound of `a`.
//!
//! isl finds these loops, too, from a schedule with the rows `(w, a)`, if there are few conditions; with those of a stencil
//! tiled in time it takes seconds.

use crate::full::{both, leaves};
use crate::interval::Ranges;
use crate::linear::Linear;
use crate::{Error, Expr, For, Node, Op, Variable};

/// The loops over diagonals of tiles of these sizes, counted by a variable; the loop as it is if it does not have that form.
pub(crate) fn diagonals(
    outer: For,
    sizes: [i64; 2],
    diagonal: Variable,
    ranges: &mut Ranges<'_>,
) -> Result<For, Error> {
    let Some(tiles) = Tiles::of(&outer, sizes) else { return Ok(outer) };
    let (Some(first), Some(last)) = (tiles.first_diagonal(), tiles.last_diagonal()) else { return Ok(outer) };
    let (least, greatest) = (ranges.of(&first)?.0, ranges.of(&last)?.1);
    if greatest >= i128::from(i64::MAX) {
        return Err(Error::Overflow("the number of a diagonal".to_owned()));
    }
    ranges.variables.insert(diagonal, (least, greatest.max(least)));
    let along = tiles.along(diagonal);
    for computed in [&along.first, &along.last, &tiles.inner_start(diagonal)] {
        ranges.of(computed)?;
    }
    Ok(For { variable: diagonal, first, last, step: 1, body: vec![Node::For(along)], ..outer })
}

/// Two loops over tiles.
struct Tiles<'a> {
    outer: &'a For,
    inner: &'a For,
    /// What else must hold for the inner loop to run.
    condition: Option<&'a Expr>,
    sizes: [i64; 2],
    /// Below the inner loop's first value.
    lows: Vec<Edge>,
    /// Above the inner loop's last value.
    highs: Vec<Edge>,
}

/// A line `(m a + n) / d` that tiles do not cross.
struct Edge {
    /// `A B d`.
    whole: i64,
    /// `B d`.
    part: i64,
    /// `B d + A m`.
    slope: i64,
    /// `n`.
    rest: Expr,
}

impl<'a> Tiles<'a> {
    fn of(outer: &'a For, sizes: [i64; 2]) -> Option<Self> {
        let [only] = &outer.body[..] else { return None };
        let (condition, inner) = match only {
            Node::For(inner) => (None, inner),
            Node::If { condition, then, otherwise } if otherwise.is_empty() => match &then[..] {
                [Node::For(inner)] => (Some(condition), inner),
                _ => return None,
            },
            _ => return None,
        };
        let is_loop = |each: &For, size| !each.runs_once && each.step == size;
        if !is_loop(outer, sizes[0]) || !is_loop(inner, sizes[1]) {
            return None;
        }
        let edge = |Line { times, by }: Line| {
            let part = sizes[1].checked_mul(by)?;
            let slope =
                sizes[0].checked_mul(times.times(&Expr::Variable(outer.variable)))?.checked_add(part)?;
            let whole = sizes[0].checked_mul(part)?;
            Some(Edge { whole, part, slope, rest: times.without(outer.variable).expr() })
        };
        let lows = leaves(&inner.first, Op::Max).into_iter().filter_map(|low| edge(near(low, Side::Below)?));
        let highs =
            leaves(&inner.last, Op::Min).into_iter().filter_map(|high| edge(near(high, Side::Above)?));
        let (lows, highs) = (lows.collect(), highs.collect());
        Some(Tiles { outer, inner, condition, sizes, lows, highs })
    }

    fn first_diagonal(&self) -> Option<Expr> {
        let ends = [&self.outer.last, &self.outer.first];
        let each = self.lows.iter().map(|edge| ceil(self.sum(edge, ends), edge.whole));
        each.reduce(|a, b| Expr::Op(Op::Max, vec![a, b]))
    }

    fn last_diagonal(&self) -> Option<Expr> {
        let ends = [&self.outer.first, &self.outer.last];
        let each = self.highs.iter().map(|edge| floor(self.sum(edge, ends), edge.whole));
        each.reduce(|a, b| Expr::Op(Op::Min, vec![a, b]))
    }

    /// `A B d w` on the edge, at the first end if it falls from there, else at the second.
    fn sum(&self, edge: &Edge, [falling, rising]: [&Expr; 2]) -> Expr {
        let end = if edge.slope < 0 { falling } else { rising };
        add(times(edge.slope, end.clone()), times(self.sizes[0], edge.rest.clone()))
    }

    /// The loop along a diagonal.
    fn along(&self, diagonal: Variable) -> For {
        let inner = Expr::Variable(self.inner.variable);
        let at_least = Expr::Op(Op::Le, vec![self.inner.first.clone(), inner.clone()]);
        let at_most = Expr::Op(Op::Le, vec![inner, self.inner.last.clone()]);
        let there =
            self.condition.iter().fold(both(at_least, at_most), |all, more| both((*more).clone(), all));
        let tile = Node::If { condition: there, then: self.inner.body.clone(), otherwise: Vec::new() };
        let start = self.inner_start(diagonal);
        let only = For {
            first: start.clone(),
            last: start,
            step: 1,
            runs_once: true,
            body: vec![tile],
            ..self.inner.clone()
        };
        let (mut first, mut last) = (self.outer.first.clone(), self.outer.last.clone());
        let size = self.sizes[0];
        let lows = self.lows.iter().map(|edge| (edge, edge.slope > 0));
        let highs = self.highs.iter().map(|edge| (edge, edge.slope < 0));
        for (edge, is_last) in lows.chain(highs).filter(|(edge, _)| edge.slope != 0) {
            let (mut distance, slope) = (distance(edge, diagonal), edge.slope.saturating_abs());
            if edge.slope < 0 {
                distance = negated(distance);
            }
            if is_last {
                let common = common(size, slope);
                let end = floor(times(size / common, distance), slope / common);
                last = Expr::Op(Op::Min, vec![last, end]);
            } else {
                first = Expr::Op(Op::Max, vec![first, times(size, ceil(distance, slope))]);
            }
        }
        For { first, last, is_threads: true, body: vec![Node::For(only)], ..self.outer.clone() }
    }

    /// `B (w - a / A)`.
    fn inner_start(&self, diagonal: Variable) -> Expr {
        let outer = Expr::Variable(self.outer.variable);
        let number = match self.sizes[0] {
            1 => outer,
            size => Expr::Op(Op::Div, vec![outer, Expr::Int(size)]),
        };
        times(self.sizes[1], Expr::Op(Op::Sub, vec![Expr::Variable(diagonal), number]))
    }
}

/// `B d w - n`.
fn distance(edge: &Edge, diagonal: Variable) -> Expr {
    add(times(edge.part, Expr::Variable(diagonal)), negated(edge.rest.clone()))
}

/// `times / by`.
struct Line {
    times: Linear,
    by: i64,
}

impl Line {
    fn minus(self, other: Line) -> Option<Line> {
        let times = self.times.scaled(other.by)?.minus(other.times.scaled(self.by)?)?;
        Some(Line { times, by: self.by.checked_mul(other.by)? })
    }

    fn scaled(self, by: i64) -> Option<Line> {
        Some(Line { times: self.times.scaled(by)?, ..self })
    }

    fn constant(constant: i64) -> Line {
        Line { times: Linear { constant, ..Linear::default() }, by: 1 }
    }
}

/// Where a line is of what it is near to.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Below,
    Above,
}

impl Side {
    fn other(self) -> Side {
        if self == Side::Below { Side::Above } else { Side::Below }
    }
}

/// A line that is nowhere on the other side of an expression, nor more than a constant away from it.
fn near(expr: &Expr, side: Side) -> Option<Line> {
    let Expr::Op(op, operands) = expr else { return Some(Line { times: Linear::of(expr)?, by: 1 }) };
    match (op, &operands[..]) {
        (Op::Neg, [a]) => near(a, side.other())?.scaled(-1),
        (Op::Add, [a, b]) => near(a, side)?.minus(near(b, side)?.scaled(-1)?),
        (Op::Sub, [a, b]) => near(a, side)?.minus(near(b, side.other())?),
        (Op::Mul, [Expr::Int(by), other] | [other, Expr::Int(by)]) => {
            near(other, if *by < 0 { side.other() } else { side })?.scaled(*by)
        }
        // From 0 to m - 1: the dividend is not negative.
        (Op::Rem, [_, Expr::Int(m)]) if *m > 0 => {
            Some(Line::constant(if side == Side::Below { 0 } else { m - 1 }))
        }
        // Between (x - d + 1) / d and x / d.
        (Op::FloorDiv | Op::Div, [x, Expr::Int(d)]) if *d > 0 => {
            let line = near(x, side)?.minus(Line::constant(if side == Side::Below { d - 1 } else { 0 }))?;
            Some(Line { by: line.by.checked_mul(*d)?, ..line })
        }
        _ => None,
    }
}

/// The greatest common divisor of positive numbers.
fn common(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { common(b, a % b) }
}

fn times(by: i64, expr: Expr) -> Expr {
    match (by, expr) {
        (0, _) => Expr::Int(0),
        (1, expr) => expr,
        (by, Expr::Int(value)) if by.checked_mul(value).is_some() => Expr::Int(by * value),
        (by, expr) => Expr::Op(Op::Mul, vec![Expr::Int(by), expr]),
    }
}

fn add(a: Expr, b: Expr) -> Expr {
    match (a, b) {
        (Expr::Int(0), only) | (only, Expr::Int(0)) => only,
        (Expr::Int(a), Expr::Int(b)) if a.checked_add(b).is_some() => Expr::Int(a + b),
        (a, b) => Expr::Op(Op::Add, vec![a, b]),
    }
}

fn negated(expr: Expr) -> Expr {
    match expr {
        Expr::Int(value) if value != i64::MIN => Expr::Int(-value),
        expr => Expr::Op(Op::Neg, vec![expr]),
    }
}

fn floor(expr: Expr, by: i64) -> Expr {
    match (expr, by) {
        (expr, 1) => expr,
        (Expr::Int(value), by) => Expr::Int(value.div_euclid(by)),
        (expr, by) => Expr::Op(Op::FloorDiv, vec![expr, Expr::Int(by)]),
    }
}

fn ceil(expr: Expr, by: i64) -> Expr {
    if by == 1 { expr } else { negated(floor(negated(expr), by)) }
}
