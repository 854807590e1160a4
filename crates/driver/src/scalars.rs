//! Stage `delicm`: scalars of the lifted model become cells of arrays, or are computed where they are used, and what that
//! means for the code to be written.
//!
//! The run-time check stays that of the lifted model: that scalars can go into cells was concluded from it.

use crate::places::place;
use isl::Set;
use llvm::back::rewrite::{Rewrite, Rewritten, Source};
use model::{Scop, Stmt};
use std::collections::HashMap;

/// The model without scalars that need not be, and what was done; `None` for the model if that is nothing.
/// `valid` are the parameters for which the model describes the program.
pub fn without_scalars(scop: &Scop, valid: &Set) -> (Option<Rewrite>, delicm::Outcome) {
    let outcome = without_scalars_in(scop);
    if outcome.counts.is_nothing() {
        return (None, outcome);
    }
    let rewrite = rewrite(scop, &outcome, valid).ok();
    (rewrite, outcome)
}

/// What was done, and the model that came of it.
pub fn without_scalars_in(scop: &Scop) -> delicm::Outcome {
    // Writing in some instances only takes a branch in the innermost loop.
    let options = delicm::Options { partial_writes: false, ..delicm::Options::default() };
    delicm::delicm(scop, &options)
}

/// What a changed model means for the code to be written.
pub fn rewrite(old: &Scop, outcome: &delicm::Outcome, valid: &Set) -> Result<Rewrite, astgen::Error> {
    let scop = outcome.scop.clone();
    let mut stmts = Vec::new();
    for (stmt, old_id) in scop.stmts.iter().zip(&outcome.kept) {
        let mut new = Rewritten { old: Some(*old_id), ..Rewritten::default() };
        for access in &stmt.accesses {
            let known = old.stmt(*old_id).access(outcome.old_number(access.id));
            let is_old = known.is_some_and(|known| known.array == access.array);
            if !is_old {
                new.places.insert(access.id, place(&scop, stmt, access, valid)?);
            }
        }
        new.replaced = replaced(outcome, stmt);
        new.copies = copies(old, outcome, stmt);
        new.numbers = numbers(old, outcome, stmt);
        stmts.push(new);
    }
    Ok(Rewrite { scop, stmts, scratch: None })
}

fn replaced(outcome: &delicm::Outcome, stmt: &Stmt) -> Vec<(model::AccessId, Source)> {
    let own = outcome.replaced.iter().filter(|replaced| replaced.stmt == stmt.name);
    own.map(|replaced| {
        let by = match &replaced.by {
            delicm::Source::Load(id) => Source::Load(*id),
            delicm::Source::Op(name) => Source::Op(name.clone()),
            delicm::Source::Outside(name) => Source::Outside(name.clone()),
        };
        (replaced.read, by)
    })
    .collect()
}

fn copies(old: &Scop, outcome: &delicm::Outcome, stmt: &Stmt) -> HashMap<String, (model::StmtId, String)> {
    let own = outcome.copies.iter().filter(|copy| copy.stmt == stmt.name);
    let find = |copy: &delicm::Copied| {
        Some((copy.op.clone(), (outcome.origin(old, &copy.from)?, copy.from_op.clone())))
    };
    own.filter_map(find).collect()
}

/// The new numbers of the accesses of a statement's part, by the old ones. Those that are gone have one, too.
fn numbers(old: &Scop, outcome: &delicm::Outcome, stmt: &Stmt) -> HashMap<model::AccessId, model::AccessId> {
    let whole = outcome.parts.as_ref().map_or(old, |parts| &parts.scop);
    let accesses = whole.stmt_named(&stmt.name).map_or(&[][..], |id| &whole.stmt(id).accesses);
    accesses.iter().map(|access| (outcome.old_number(access.id), access.id)).collect()
}
