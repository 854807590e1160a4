//! No loops around nothing.
//!
//! isl leaves it to the innermost loop to find out that there is nothing to do: interchanged,
//! ```text
//! for (i = 0; i <= n - 1; i += 1)        for (j = 0; j <= m - 1; j += 1)
//!   for (j = 0; j <= m - 1; j += 1)        for (i = 0; i <= n - 1; i += 1)
//!     S(i, j);                               S(i, j);
//! ```
//! takes `m` steps where there were none if `n` is 0, and with three loops or with tiles it is products of such numbers: a
//! program that ended at once would not end. So loops that contain loops stand under the condition that one of their
//! statements has an instance, wherever the parameters alone decide that and neither the conditions around nor the loop's
//! own bounds say so already.

use crate::convert::condition;
use crate::linear::Linear;
use crate::{Error, Expr, For, Node};
use isl::Set;
use model::{Scop, StmtId};
use std::collections::BTreeSet;

/// The same program with these conditions, for parameter values in `known`.
pub(crate) fn skip(scop: &Scop, nodes: Vec<Node>, known: &Set) -> Result<Vec<Node>, Error> {
    if scop.params.is_empty() {
        return Ok(nodes);
    }
    let around = Around { known: known.clone(), busy: BTreeSet::new() };
    skip_in(scop, nodes, &around)
}

/// What is around a node.
struct Around {
    /// The parameter values.
    known: Set,
    /// They are such that one of these statements has an instance.
    busy: BTreeSet<StmtId>,
}

fn skip_in(scop: &Scop, nodes: Vec<Node>, around: &Around) -> Result<Vec<Node>, Error> {
    nodes.into_iter().map(|node| skip_node(scop, node, around)).collect()
}

fn skip_node(scop: &Scop, node: Node, around: &Around) -> Result<Node, Error> {
    match node {
        Node::Stmt { .. } => Ok(node),
        Node::If { condition, then, otherwise } => {
            let (then, otherwise) = (skip_in(scop, then, around)?, skip_in(scop, otherwise, around)?);
            Ok(Node::If { condition, then, otherwise })
        }
        Node::For(each) if !has_loop(&each.body) => Ok(Node::For(each)),
        Node::For(mut each) if stmts_in(&each.body) == around.busy => {
            each.body = skip_in(scop, each.body, around)?;
            Ok(Node::For(each))
        }
        Node::For(each) => skip_loop(scop, each, &around.known),
    }
}

fn skip_loop(scop: &Scop, mut each: For, known: &Set) -> Result<Node, Error> {
    let stmts = stmts_in(&each.body);
    let busy = busy(scop, &stmts, known)?;
    let runs = match runs(scop, &each) {
        Some(runs) => known.clone().intersect(Set::read_from_str(&scop.ctx, &runs)?)?,
        None => known.clone(),
    };
    let within = Around { known: known.clone().intersect(busy.clone())?, busy: stmts };
    each.body = skip_in(scop, each.body, &within)?;
    if runs.is_subset(&busy)? {
        return Ok(Node::For(each));
    }
    let test = condition(scop, &busy, known)?;
    Ok(Node::If { condition: test, then: vec![Node::For(each)], otherwise: Vec::new() })
}

/// The parameter values for which the loop has an iteration, in isl's notation, if its bounds are simple enough.
fn runs(scop: &Scop, each: &For) -> Option<String> {
    let sum = Linear::of(&each.last)?.minus(Linear::of(&each.first)?)?;
    let names: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let mut text = sum.constant.to_string();
    for (term, times) in &sum.terms {
        let Expr::Param(param) = term else { return None };
        let sign = if *times < 0 { '-' } else { '+' };
        text += &format!(" {sign} {}{}", times.unsigned_abs(), names.get(*param)?);
    }
    Some(format!("[{}] -> {{ : {text} >= 0 }}", names.join(", ")))
}

/// Whether there is a loop among the nodes or in them.
pub(crate) fn has_loop(nodes: &[Node]) -> bool {
    nodes.iter().any(|node| match node {
        Node::For(_) => true,
        Node::If { then, otherwise, .. } => has_loop(then) || has_loop(otherwise),
        Node::Stmt { .. } => false,
    })
}

/// All parameter values for which one of the statements has an instance, and perhaps more.
fn busy(scop: &Scop, stmts: &BTreeSet<StmtId>, known: &Set) -> isl::Result<Set> {
    let mut busy = Set::empty(known.get_space()?)?;
    for id in stmts {
        let params = scop.stmt(*id).domain.clone().params()?.remove_divs()?;
        busy = busy.union(Set::from_basic_set(params.simple_hull()?)?)?;
    }
    busy.coalesce()
}

/// The statements of the nodes.
pub fn stmts_in(nodes: &[Node]) -> BTreeSet<StmtId> {
    let inside = |node: &Node| match node {
        Node::For(each) => stmts_in(&each.body),
        Node::If { then, otherwise, .. } => &stmts_in(then) | &stmts_in(otherwise),
        Node::Stmt { id, .. } => BTreeSet::from([*id]),
    };
    nodes.iter().flat_map(inside).collect()
}
