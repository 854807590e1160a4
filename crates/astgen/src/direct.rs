//! Loops from inequalities, without isl.
//!
//! isl's generator of loops is for any schedule, and takes its time. Most of ours are simple enough to need little of that: see
//! module `pieces`. Such schedule trees are walked here, with the pieces that are at each node and what is known there:
//! - A member of a band becomes a loop over all values that its dimension has in one of the pieces, and perhaps more: its bounds
//!   are those inequalities of a piece's projection that hold in all of them, if need be with another constant. Not if that makes
//!   much more of them than one of the pieces has (`is_tight`), unless there is a piece at each of them (`is_covered`): then isl makes
//!   the loops.
//! - Pieces that need not run by turns, because all of one can run before all of another, get loops of their own, as from isl.
//! - Inequalities without the dimension that neither follow from what is known nor from the loop having an iteration
//!   become a condition around it.
//! - A dimension that has one value is no loop.
//! - At a leaf, all inequalities of the piece follow from what is known, or are in a condition there.
//!
//! So each instance runs once, by what a piece is, and in the order of the tree: bounds and conditions never leave out
//! a point of a piece (they follow from its inequalities), and the leaf lets no other pass.

use crate::convert::{Converter, Head, with_depth};
use crate::full::both;
use crate::pieces::{
    self, Band, Found, Piece, Pieces, Stop, Tree, combined, irredundant, negated, tightened,
};
use crate::{Expr, Node, Op};
use isl::simplex::{Inequality, Table, TooBig};
use isl::{AstLoopType, Schedule};
use std::collections::BTreeSet;

/// The nodes of a schedule. If they cannot be had with pieces that seem to run by turns in one loop, a closer look may tell those apart.
pub(crate) fn nodes<'a>(converter: impl Fn() -> Converter<'a>, schedule: &Schedule) -> Found<Vec<Node>> {
    let Converter { scop, context, .. } = converter();
    let Pieces { tree, all, width, context } = pieces::read(scop, schedule, context)?;
    let params = scop.params.len();
    let known = Table::of(width, &context)?;
    let pieces: Vec<&Piece> = all.iter().collect();
    let nodes = |is_close| {
        let (converter, context, fixed) = (converter(), context.clone(), vec![None; width]);
        let mut direct = Direct { converter, params, width, context, fixed, is_close };
        direct.node(&tree, At { depth: 0, sequence: 0 }, &pieces, &known)
    };
    match nodes(false) {
        Err(Stop::Other) => nodes(true),
        found => found,
    }
}

/// A place in the tree.
#[derive(Clone, Copy)]
struct At {
    /// How many members are around.
    depth: usize,
    /// How many sequences.
    sequence: usize,
}

struct Direct<'a> {
    converter: Converter<'a>,
    params: usize,
    width: usize,
    context: Vec<Inequality>,
    /// The values of dimensions that have only one, by unknown.
    fixed: Vec<Option<Inequality>>,
    /// Whether all is used that is known of pieces to tell them apart.
    is_close: bool,
}

/// How many iterations in vain are few, at either end of a loop over several pieces.
const SLACK: i64 = 1024;

/// How many cases are looked at to find a piece at each iteration of a loop.
const MOST_CASES: usize = 500;

impl Direct<'_> {
    fn node(&mut self, tree: &Tree, at: At, pieces: &[&Piece], known: &Table) -> Found<Vec<Node>> {
        if pieces.is_empty() {
            return Ok(Vec::new());
        }
        match tree {
            Tree::Leaf => {
                let nodes = pieces.iter().map(|piece| self.leaf(piece, at, known));
                Ok(merged(nodes.collect::<Found<Vec<Vec<Node>>>>()?))
            }
            Tree::Mark(name, inside) => {
                let name = with_depth(name, at.depth);
                let marks = self.converter.mark(&name);
                let nodes = self.node(inside, at, pieces, known);
                self.converter.restore(marks);
                nodes
            }
            Tree::Sequence(children) => {
                let mut all = Vec::new();
                for (number, child) in children.iter().enumerate() {
                    let here: Vec<&Piece> =
                        pieces.iter().filter(|piece| piece.path[at.sequence] == number).copied().collect();
                    all.push(self.node(child, At { sequence: at.sequence + 1, ..at }, &here, known)?);
                }
                Ok(merged(all))
            }
            Tree::Band(band) => {
                let sizes: Vec<i64> = band.members.iter().map(|member| member.size).collect();
                let around = self.converter.tile(band.first, &sizes);
                let nodes = self.member(band, 0, at, pieces, known);
                self.converter.untile(around);
                nodes
            }
        }
    }

    fn leaf(&mut self, piece: &Piece, at: At, known: &Table) -> Found<Vec<Node>> {
        let mut known = known.clone();
        let mut needed = self.tiles(&[piece], at, &mut known)?;
        needed.extend(self.conditions(&piece.levels[at.depth], &[], &mut known)?);
        if known.is_empty() {
            return Ok(Vec::new());
        }
        let counters = piece.counters.iter().map(|sum| {
            let sum = self.with_fixed(sum.clone())?;
            Ok(self.converter.ours(self.sum(&sum)?)?)
        });
        let stmt = Node::Stmt { id: piece.id, counters: counters.collect::<Found<_>>()? };
        self.under(needed, vec![stmt])
    }

    /// A member of a band, and those in it.
    fn member(
        &mut self,
        band: &Band,
        number: usize,
        at: At,
        pieces: &[&Piece],
        known: &Table,
    ) -> Found<Vec<Node>> {
        let Some(member) = band.members.get(number) else {
            return self.node(&band.inside, at, pieces, known);
        };
        let mut all = Vec::new();
        for part in self.components(band, number, at, pieces)? {
            if member.kind == AstLoopType::Separate && !are_alike(&part, at.depth + 1, self.width)? {
                return Err(Stop::Other);
            }
            all.push(self.looped(band, number, at, &part, known)?);
        }
        Ok(merged(all))
    }

    /// The loop over a member for pieces that run by turns.
    fn looped(
        &mut self,
        band: &Band,
        number: usize,
        at: At,
        pieces: &[&Piece],
        known: &Table,
    ) -> Found<Vec<Node>> {
        let unknown = self.params + at.depth;
        let rows = self.hull(pieces, at.depth + 1, Some(unknown))?;
        let is_tight = self.is_tight(&rows, pieces, at.depth + 1, unknown);
        let (mut bounds, mut others): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row[unknown] != 0);
        // Whether there is an iteration for some values of the parameters is the matter of module `idle`.
        let is_meant = |row: &Inequality| pieces.iter().any(|piece| piece.last().contains(row));
        others.retain(|row| row[self.params..self.width].iter().any(|factor| *factor != 0) || is_meant(row));
        let mut around = known.clone();
        let mut conditions = self.tiles(pieces, at, &mut around)?;
        let mut known = around.clone();
        let others = self.conditions(&others, &combined(&bounds, unknown)?, &mut known)?;
        // Those that are shorter, or about a tile, stay.
        bounds.sort_by_key(|row| std::cmp::Reverse(self.keeping(row, unknown)));
        let mut inside = known.clone();
        let bounds = irredundant(bounds, &mut inside)?;
        if inside.is_empty() {
            return Ok(Vec::new());
        }
        let mut cases = MOST_CASES;
        if !is_tight && !is_covered(&inside, pieces, at.depth + 1, &mut cases)? {
            return Err(Stop::Other);
        }
        let within = At { depth: at.depth + 1, ..at };
        if let Some(value) = only_value(&bounds, unknown, &mut inside)? {
            // No loop; other conditions are looked at again where there is one, or at the leaf.
            conditions.extend(self.fix(unknown, &value, &bounds, &mut around)?);
            let nodes = self.member(band, number + 1, within, pieces, &around);
            self.fixed[unknown] = None;
            return self.under(conditions, nodes?);
        }
        conditions.extend(others);
        let head = self.head(bounds, at.depth, &mut known)?;
        let opened = self.converter.open_loop(head)?;
        let body = self.member(band, number + 1, within, pieces, &inside)?;
        let nodes = self.converter.close_loop(opened, body)?;
        self.under(conditions, nodes)
    }

    /// Gives an unknown its value, which is known then, and says when that is within the bounds.
    fn fix(
        &mut self,
        unknown: usize,
        value: &Inequality,
        bounds: &[Inequality],
        known: &mut Table,
    ) -> Found<Vec<Inequality>> {
        let mut within = bounds.to_vec();
        for row in &mut within {
            put(row, unknown, value)?;
        }
        let conditions = self.conditions(&within, &[], known)?;
        let mut equation = value.clone();
        equation[unknown] = -1;
        known.add(&equation)?;
        known.add(&negated(&equation).ok_or(TooBig)?)?;
        self.fixed[unknown] = Some(value.clone());
        Ok(conditions)
    }

    /// The equations of loops over tiles around that hold where one of the pieces is; they are known then. Bounds of loops inside say the
    /// same, but this is worth a condition further out.
    fn tiles(&self, pieces: &[&Piece], at: At, known: &mut Table) -> Found<Vec<Inequality>> {
        let mut needed = Vec::new();
        let innermost = (0..at.depth).rev().find(|depth| self.converter.is_over_tiles(*depth));
        let Some(depth) = innermost else { return Ok(needed) };
        for row in self.hull(pieces, depth + 1, None)? {
            let opposite = negated(&row).ok_or(TooBig)?;
            if !known.implies(&row)? && known.implies(&opposite)? {
                known.add(&row)?;
                needed.extend([row, opposite]);
            }
        }
        Ok(needed)
    }

    /// Those of some inequalities that do not follow from what is known, nor from it with more; they are known then.
    fn conditions(
        &self,
        rows: &[Inequality],
        more: &[Inequality],
        known: &mut Table,
    ) -> Found<Vec<Inequality>> {
        let mut with_more = known.clone();
        for row in more {
            with_more.add(row)?;
        }
        let mut needed = Vec::new();
        for row in rows {
            if !with_more.implies(row)? {
                with_more.add(row)?;
                known.add(row)?;
                needed.push(row.clone());
            }
        }
        Ok(needed)
    }

    /// Inequalities that hold for all of the pieces; all of them if there is one. Those with the unknown in them may have another
    /// constant.
    fn hull(&self, pieces: &[&Piece], level: usize, unknown: Option<usize>) -> Found<Vec<Inequality>> {
        if let [only] = pieces {
            return Ok(only.levels[level].clone());
        }
        let is_bound = |row: &Inequality| unknown.is_some_and(|unknown| row[unknown] != 0);
        let mut tables: Vec<Option<Table>> = vec![None; pieces.len()];
        let mut rows: Vec<Inequality> = Vec::new();
        for row in pieces.iter().flat_map(|piece| &piece.levels[level]) {
            let sum = &row[..self.width];
            if rows.iter().any(|other| other[..self.width] == *sum) {
                continue;
            }
            if let Some(constant) = self.constant(row, pieces, level, &mut tables)?
                && (is_bound(row) || constant == row[self.width])
            {
                let mut row = row.clone();
                row[self.width] = constant;
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// Whether the bounds of a loop over several pieces are about those of one of them, which runs wherever the parameters let another
    /// one run. A bound that has to hold for a piece of `p` iterations and for one of `q` would be `p + 2^48` with parameters that can
    /// be so large: a loop that is right and never comes to its end.
    fn is_tight(&self, rows: &[Inequality], pieces: &[&Piece], level: usize, unknown: usize) -> bool {
        let is_of_params = |row: &Inequality| row[self.params..self.width].iter().all(|factor| *factor == 0);
        let runs_with_all = |piece: &Piece| {
            let mut conditions = piece.last().iter().filter(|row| is_of_params(row));
            conditions.all(|row| pieces.iter().all(|other| other.last().contains(row)))
        };
        let is_about = |row: &Inequality| {
            let slack = SLACK.saturating_mul(row[unknown].saturating_abs());
            let mut same = rows.iter().filter(|other| other[..self.width] == row[..self.width]);
            same.any(|other| other[self.width].saturating_sub(row[self.width]) <= slack)
        };
        let is_widest =
            |piece: &Piece| piece.levels[level].iter().filter(|row| row[unknown] != 0).all(is_about);
        pieces.len() == 1 || pieces.iter().any(|piece| is_widest(piece) && runs_with_all(piece))
    }

    /// The constant with which the inequality holds in all pieces.
    fn constant(
        &self,
        row: &Inequality,
        pieces: &[&Piece],
        level: usize,
        tables: &mut [Option<Table>],
    ) -> Found<Option<i64>> {
        let mut sum = row.clone();
        sum[self.width] = 0;
        let mut constant = row[self.width];
        for (at, piece) in pieces.iter().enumerate() {
            let same = piece.levels[level].iter().find(|other| other[..self.width] == row[..self.width]);
            let least = match same {
                Some(same) => Some(-same[self.width]),
                None => {
                    if tables[at].is_none() {
                        let mut table = Table::of(self.width, &self.context)?;
                        for row in &piece.levels[level] {
                            table.add(row)?;
                        }
                        tables[at] = Some(table);
                    }
                    tables[at].as_mut().ok_or(Stop::Other)?.least(&sum)?
                }
            };
            let Some(least) = least else { return Ok(None) };
            constant = constant.max(least.checked_neg().ok_or(TooBig)?);
        }
        Ok(Some(constant))
    }

    /// The greater, the rather an inequality may go.
    fn keeping(&self, row: &Inequality, unknown: usize) -> usize {
        let others = (0..self.width).filter(|at| *at != unknown && row[*at] != 0);
        let (dimensions, params): (Vec<usize>, Vec<usize>) = others.partition(|at| *at >= self.params);
        match (dimensions.len(), params.len()) {
            (1, 0) => 0,
            (0, _) => 1,
            (dimensions, params) => dimensions + params,
        }
    }

    /// The pieces that need not run by turns apart, in their order. Loops over tiles keep all of a statement together.
    fn components<'p>(
        &self,
        band: &Band,
        number: usize,
        at: At,
        pieces: &[&'p Piece],
    ) -> Found<Vec<Vec<&'p Piece>>> {
        let count = pieces.len();
        if count == 1 {
            return Ok(vec![pieces.to_vec()]);
        }
        let is_atomic = band.members[number].kind == AstLoopType::Atomic;
        let mut after = vec![vec![false; count]; count];
        for one in 0..count {
            for other in (0..count).filter(|other| *other != one) {
                let together = is_atomic && pieces[one].id == pieces[other].id;
                after[one][other] =
                    together || self.follows(band, number, at, [pieces[one], pieces[other]])?;
            }
        }
        for through in 0..count {
            for one in 0..count {
                for other in 0..count {
                    after[one][other] |= after[one][through] && after[through][other];
                }
            }
        }
        let mut rest: Vec<usize> = (0..count).collect();
        let mut parts = Vec::new();
        while let Some(&first) =
            rest.iter().find(|one| rest.iter().all(|other| !after[**one][*other] || after[*other][**one]))
        {
            let (part, others): (Vec<usize>, Vec<usize>) = rest
                .iter()
                .partition(|other| **other == first || after[first][**other] && after[**other][first]);
            parts.push(part.into_iter().map(|at| pieces[at]).collect());
            rest = others;
        }
        Ok(parts)
    }

    /// Whether an instance of the first piece may come after one of the second, both in the same iteration of the loops around.
    fn follows(&self, band: &Band, number: usize, mut at: At, pieces: [&Piece; 2]) -> Found<bool> {
        for _ in &band.members[number..] {
            let unknown = self.params + at.depth;
            let wide = |row: &Inequality, place: usize| {
                let mut wide = row.clone();
                wide.insert(self.width, 0);
                wide.swap(unknown, place);
                wide
            };
            let mut table = Table::new(self.width + 1);
            for (piece, place) in pieces.iter().zip([unknown, self.width]) {
                for row in &piece.levels[at.depth + 1] {
                    table.add(&wide(row, place))?;
                }
            }
            let mut greater = vec![0; self.width + 2];
            (greater[unknown], greater[self.width], greater[self.width + 1]) = (1, -1, -1);
            table.add(&greater)?;
            if self.is_close && !table.is_empty() {
                pieces[0].add_outer(pieces[1], at.depth + 1, &mut table, |row| wide(row, unknown))?;
            }
            if !table.is_empty() {
                return Ok(true);
            }
            at.depth += 1;
        }
        self.follows_in(&band.inside, at, pieces)
    }

    fn follows_in(&self, tree: &Tree, at: At, pieces: [&Piece; 2]) -> Found<bool> {
        match tree {
            Tree::Leaf => Ok(false),
            Tree::Mark(_, inside) => self.follows_in(inside, at, pieces),
            Tree::Band(band) => self.follows(band, 0, at, pieces),
            Tree::Sequence(children) => {
                let [one, other] = pieces.map(|piece| piece.path[at.sequence]);
                if one != other {
                    let rows = pieces.iter().flat_map(|piece| &piece.levels[at.depth]);
                    let rows: Vec<Inequality> = rows.cloned().collect();
                    return Ok(one > other && !Table::of(self.width, &rows)?.is_empty());
                }
                self.follows_in(&children[one], At { sequence: at.sequence + 1, ..at }, pieces)
            }
        }
    }

    /// Nodes under the condition that these inequalities hold.
    fn under(&self, mut rows: Vec<Inequality>, nodes: Vec<Node>) -> Found<Vec<Node>> {
        if rows.is_empty() || nodes.is_empty() {
            return Ok(nodes);
        }
        let mut all = Vec::new();
        while !rows.is_empty() {
            let row = self.with_fixed(rows.remove(0))?;
            let opposite = negated(&row).ok_or(TooBig)?;
            let mut is_equation = false;
            let mut others = Vec::new();
            for other in rows {
                match self.with_fixed(other.clone())? == opposite {
                    true => is_equation = true,
                    false => others.push(other),
                }
            }
            rows = others;
            all.push(self.converter.ours(self.compared(row, is_equation)?)?);
        }
        let Some(condition) = all.into_iter().reduce(both) else { return Ok(nodes) };
        Ok(vec![Node::If { condition, then: nodes, otherwise: Vec::new() }])
    }

    /// An inequality with positive factors on both sides.
    fn compared(&self, mut row: Inequality, is_equation: bool) -> Found<Expr> {
        let last = row[..self.width].iter().rev().find(|factor| **factor != 0);
        if is_equation && last.is_some_and(|last| *last < 0) {
            row = negated(&row).ok_or(TooBig)?;
        }
        let left: Inequality = row.iter().map(|factor| (*factor).max(0)).collect();
        let right = row.iter().map(|factor| factor.min(&0).checked_neg()).collect::<Option<Inequality>>();
        let sides = vec![self.sum(&left)?, self.sum(&right.ok_or(TooBig)?)?];
        Ok(Expr::Op(if is_equation { Op::Eq } else { Op::Ge }, sides))
    }

    /// A loop with these bounds.
    fn head(&self, bounds: Vec<Inequality>, depth: usize, known: &mut Table) -> Found<Head> {
        let unknown = self.params + depth;
        let mut rows = Vec::new();
        for row in bounds {
            let row = tightened(self.with_fixed(row)?).ok_or(Stop::Other)?;
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let highest = |row: &Inequality| (0..self.width).rev().find(|at| *at != unknown && row[*at] != 0);
        rows.sort_by_key(|row| {
            (highest(row).map_or(0, |at| at + 1), std::cmp::Reverse(self.keeping(row, unknown)))
        });
        let (mut firsts, mut lasts) = (Vec::new(), Vec::new());
        for row in rows {
            match row[unknown] > 0 {
                true => firsts.push(self.bound(row, unknown, known)?),
                false => lasts.push(self.bound(row, unknown, known)?),
            }
        }
        let folded = |all: Vec<Expr>, op: Op| all.into_iter().reduce(|a, b| Expr::Op(op, vec![a, b]));
        let first = folded(firsts, Op::Max).ok_or(Stop::Other)?;
        let last = folded(lasts, Op::Min).ok_or(Stop::Other)?;
        Ok(Head { name: format!("c{depth}"), first, rest: Some((last, 1)) })
    }

    /// The least or the greatest value that an inequality allows.
    fn bound(&self, mut row: Inequality, unknown: usize, known: &mut Table) -> Found<Expr> {
        let factor = std::mem::take(&mut row[unknown]);
        if factor > 0 {
            row = negated(&row).ok_or(TooBig)?;
            row[self.width] = row[self.width].checked_add(factor - 1).ok_or(TooBig)?;
        }
        let sum = self.sum(&row)?;
        match factor.abs() {
            1 => Ok(sum),
            by => {
                let op = if known.implies(&row)? { Op::Div } else { Op::FloorDiv };
                Ok(Expr::Op(op, vec![sum, Expr::Int(by)]))
            }
        }
    }

    /// Dimensions with one value replaced by it.
    fn with_fixed(&self, mut row: Inequality) -> Found<Inequality> {
        for at in (self.params..self.width).rev() {
            if let (Some(value), true) = (&self.fixed[at], row[at] != 0) {
                put(&mut row, at, value)?;
            }
        }
        Ok(row)
    }

    /// A sum of unknowns and a constant as isl would write it.
    fn sum(&self, row: &Inequality) -> Found<Expr> {
        let mut all: Option<Expr> = None;
        for (at, &factor) in row[..self.width].iter().enumerate().filter(|(_, factor)| **factor != 0) {
            let value = match at.checked_sub(self.params) {
                Some(dimension) => self.converter.name(&format!("c{dimension}"))?,
                None => Expr::Param(at),
            };
            let times = |by: i64, value: Expr| match by {
                1 => value,
                by => Expr::Op(Op::Mul, vec![Expr::Int(by), value]),
            };
            all = Some(match all {
                None if factor == -1 => Expr::Op(Op::Neg, vec![value]),
                None => times(factor, value),
                Some(sum) if factor > 0 => Expr::Op(Op::Add, vec![sum, times(factor, value)]),
                Some(sum) => Expr::Op(Op::Sub, vec![sum, times(factor.checked_neg().ok_or(TooBig)?, value)]),
            });
        }
        let constant = row[self.width];
        Ok(match all {
            None => Expr::Int(constant),
            Some(sum) if constant == 0 => sum,
            Some(sum) if constant > 0 => Expr::Op(Op::Add, vec![sum, Expr::Int(constant)]),
            Some(sum) => {
                let less = constant.checked_neg().ok_or(TooBig)?;
                Expr::Op(Op::Sub, vec![sum, Expr::Int(less)])
            }
        })
    }
}

/// Whether all values within the region are in the projection of one of the pieces, as far as that is found in so many cases: those
/// that are not in the first piece break one of its inequalities, and must be in one of the others.
fn is_covered(region: &Table, pieces: &[&Piece], level: usize, cases: &mut usize) -> Found<bool> {
    let Some((piece, others)) = pieces.split_first() else { return Ok(region.is_empty()) };
    let mut region = region.clone();
    for row in &piece.levels[level] {
        if region.implies(row)? {
            continue;
        }
        let mut beyond = region.clone();
        beyond.add(&broken(row)?)?;
        *cases = cases.saturating_sub(1);
        if *cases == 0 || !beyond.is_empty() && !is_covered(&beyond, others, level, cases)? {
            return Ok(false);
        }
        region.add(row)?;
    }
    Ok(true)
}

/// What holds where an inequality does not.
fn broken(row: &Inequality) -> Found<Inequality> {
    let mut broken = negated(row).ok_or(TooBig)?;
    let constant = broken.last_mut().ok_or(Stop::Other)?;
    *constant = constant.checked_sub(1).ok_or(TooBig)?;
    Ok(broken)
}

/// Whether the dimensions have the same values in all of the pieces.
fn are_alike(pieces: &[&Piece], level: usize, width: usize) -> Found<bool> {
    let of = |piece: &Piece| piece.levels[level].iter().cloned().collect::<BTreeSet<Inequality>>();
    for two in pieces.windows(2) {
        let [one, other] = [two[0], two[1]];
        let are_same = of(one) == of(other)
            || is_within(one, other, level, width)? && is_within(other, one, level, width)?;
        if !are_same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether the dimensions have no values in a piece that they have not in another one, as far as inequalities say.
fn is_within(piece: &Piece, other: &Piece, level: usize, width: usize) -> Found<bool> {
    let mut table = Table::of(width, &piece.levels[level])?;
    piece.add_outer(piece, level, &mut table, Clone::clone)?;
    for row in &other.levels[level] {
        if !table.implies(row)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Puts a value in the place of an unknown.
fn put(row: &mut Inequality, unknown: usize, value: &Inequality) -> Found<()> {
    let times = std::mem::take(&mut row[unknown]);
    for (factor, more) in row.iter_mut().zip(value) {
        let more = times.checked_mul(*more).and_then(|more| more.checked_add(*factor));
        *factor = more.ok_or(TooBig)?;
    }
    Ok(())
}

/// The value of an unknown if it has only one where it has any.
fn only_value(bounds: &[Inequality], unknown: usize, known: &mut Table) -> Found<Option<Inequality>> {
    for low in bounds.iter().filter(|row| row[unknown] == 1) {
        for high in bounds.iter().filter(|row| row[unknown] < 0) {
            let distance = combined(&[low.clone(), high.clone()], unknown)?;
            let Some(mut distance) = distance.first().and_then(|row| negated(row)) else { continue };
            // Less than to the next one.
            let constant = distance.last_mut().ok_or(Stop::Other)?;
            *constant = constant.checked_sub(high[unknown] + 1).ok_or(TooBig)?;
            if known.implies(&distance)? {
                let mut value = negated(low).ok_or(TooBig)?;
                value[unknown] = 0;
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}

/// Nodes one after the other, those under the same condition together.
fn merged(parts: Vec<Vec<Node>>) -> Vec<Node> {
    let mut all: Vec<Node> = Vec::new();
    for node in parts.into_iter().flatten() {
        match (all.last_mut(), node) {
            (
                Some(Node::If { condition, then, otherwise }),
                Node::If { condition: same, then: more, otherwise: none },
            ) if *condition == same && otherwise.is_empty() && none.is_empty() => then.extend(more),
            (_, node) => all.push(node),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::StmtId;

    /// Numbers that look random, the same each time.
    fn numbers(seed: u64) -> impl FnMut(i64) -> i64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.unsigned_abs()) as i64
        }
    }

    fn piece(rows: Vec<Inequality>) -> Piece {
        Piece { id: StmtId(0), path: Vec::new(), counters: Vec::new(), levels: vec![rows] }
    }

    fn has(rows: &[Inequality], [x, y]: [i64; 2]) -> bool {
        rows.iter().all(|row| row[0] * x + row[1] * y + row[2] >= 0)
    }

    /// Pieces between random lines in a square.
    #[test]
    fn what_is_covered_is_in_a_piece() {
        let square = vec![vec![1, 0, 6], vec![-1, 0, 6], vec![0, 1, 6], vec![0, -1, 6]];
        let (mut covered, mut others, mut missed) = (0, 0, 0);
        for seed in 1..3000 {
            let mut next = numbers(seed);
            let mut line = || -> Inequality { vec![next(5) - 2, next(5) - 2, next(13) - 6] };
            let (one, other) = (line(), line());
            let [not_one, not_other] = [&one, &other].map(|row| broken(row).ok().unwrap());
            let parts = [vec![one], vec![not_one.clone(), other], vec![not_one, not_other], vec![line()]];
            let mut pieces = Vec::from(parts.map(piece));
            pieces.remove(next(4) as usize);
            let region = Table::of(2, &square).unwrap();
            let all: Vec<&Piece> = pieces.iter().collect();
            let found = is_covered(&region, &all, 0, &mut MOST_CASES.clone()).ok().unwrap();
            let mut points = (-6..=6).flat_map(|x| (-6..=6).map(move |y| [x, y]));
            let is_true = points.all(|at| pieces.iter().any(|piece| has(piece.last(), at)));
            assert!(!found || is_true, "{seed}");
            match (found, is_true) {
                (true, _) => covered += 1,
                (false, true) => missed += 1,
                (false, false) => others += 1,
            }
        }
        assert!(covered > 500 && others > 500 && missed < 100, "{covered} {others} {missed}");
    }

    /// Random lines in a square, with what is known of the first dimension one level further out.
    #[test]
    fn pieces_that_are_alike_have_the_same_points() {
        let square = [vec![1, 0, 6], vec![-1, 0, 6], vec![0, 1, 6], vec![0, -1, 6]];
        let (mut alike, mut others, mut missed) = (0, 0, 0);
        for seed in 1..3000 {
            let mut next = numbers(seed);
            let mut row = |second: i64| vec![next(3) - 1, second * (next(3) - 1), next(7) - 3];
            let common = vec![row(1), row(0)];
            let with = |rows: Vec<Inequality>| {
                let all = square.iter().chain(&common).chain(&rows[..1]).cloned().collect();
                Piece { levels: vec![rows[1..].to_vec(), all], ..piece(Vec::new()) }
            };
            let pieces = [with(vec![row(1), row(0)]), with(vec![row(1), row(0)])];
            let found = are_alike(&[&pieces[0], &pieces[1]], 1, 2).ok().unwrap();
            let points = |piece: &Piece| -> Vec<[i64; 2]> {
                let all = (-6..=6).flat_map(|x| (-6..=6).map(move |y| [x, y]));
                all.filter(|at| piece.levels.iter().all(|rows| has(rows, *at))).collect()
            };
            let last = |each: &Piece| points(&piece(each.last().to_vec()));
            // What is further out follows from what is said exactly.
            if pieces.iter().any(|piece| points(piece) != last(piece)) {
                continue;
            }
            let is_true = points(&pieces[0]) == points(&pieces[1]);
            assert!(!found || is_true, "{seed}");
            match (found, is_true) {
                (true, _) => alike += 1,
                (false, true) => missed += 1,
                (false, false) => others += 1,
            }
        }
        assert!(alike > 100 && others > 100 && missed < 100, "{alike} {others} {missed}");
    }

    #[test]
    fn too_many_cases_cover_nothing() {
        let row = vec![1, 0];
        let halves = [piece(vec![row.clone()]), piece(vec![broken(&row).ok().unwrap()])];
        let halves: Vec<&Piece> = halves.iter().collect();
        let found = |cases: usize| is_covered(&Table::new(1), &halves, 0, &mut cases.clone()).ok().unwrap();
        assert_eq!([1, MOST_CASES].map(found), [false, true]);
    }
}
