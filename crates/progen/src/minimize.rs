//! Makes a failing program small: cuts as long as it still fails in the same way.

use crate::check::Failure;
use crate::tree::{Cut, Program, cut, exprs, nodes};

/// The smallest program found that still fails; `fails` is asked at most `attempts` times.
pub fn minimize(
    program: &Program,
    failure: &Failure,
    attempts: usize,
    mut fails: impl FnMut(&Program) -> Option<Failure>,
) -> Program {
    let mut left = attempts;
    let mut still = |candidate: &Program| {
        left = left.checked_sub(1)?;
        fails(candidate).filter(|found| found.same_kind(failure))
    };
    let mut best = alone(program, failure, &mut still);
    loop {
        let before = best.render().len();
        best = pass(best, &mut still);
        if best.render().len() == before {
            return best;
        }
    }
}

/// One function alone, the one that differs if that is known.
fn alone(
    program: &Program,
    failure: &Failure,
    still: &mut dyn FnMut(&Program) -> Option<Failure>,
) -> Program {
    let mut best = program.clone();
    if let Failure::Differs(names, _) = failure {
        for name in names {
            let functions: Vec<_> = program.functions.iter().filter(|f| f.name == *name).cloned().collect();
            let candidate = Program { functions };
            if still(&candidate).is_some() {
                return candidate;
            }
        }
    }
    let mut size = best.functions.len() / 2;
    while size > 0 {
        let mut start = 0;
        while start < best.functions.len() && best.functions.len() > 1 {
            let mut candidate = best.clone();
            let end = (start + size).min(candidate.functions.len());
            candidate.functions.drain(start..end);
            if !candidate.functions.is_empty() && still(&candidate).is_some() {
                best = candidate;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
    best
}

/// Tries every cut once, the large ones first.
fn pass(mut best: Program, still: &mut dyn FnMut(&Program) -> Option<Failure>) -> Program {
    let mut attempt = |best: &mut Program, place: Cut| -> bool {
        let Some(candidate) = cut(best, place) else { return false };
        let fails = still(&candidate).is_some();
        if fails {
            *best = candidate;
        }
        fails
    };
    for function in 0..best.functions.len() {
        let mut call = 0;
        while call < best.functions[function].calls.len() {
            if !attempt(&mut best, Cut::Call(function, call)) {
                call += 1;
            }
        }
        let mut node = 0;
        while node < nodes(&best.functions[function]) {
            let cuts =
                [Cut::Node(function, node), Cut::Unwrap(function, node), Cut::Otherwise(function, node)];
            if !cuts.into_iter().any(|place| attempt(&mut best, place)) {
                node += 1;
            }
        }
        let mut expr = 0;
        while expr < exprs(&best.functions[function]) {
            if !(0..3).any(|form| attempt(&mut best, Cut::Expr(function, expr, form))) {
                expr += 1;
            }
        }
    }
    best
}
