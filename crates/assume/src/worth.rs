//! Parameters for which new loops are worth running.
//!
//! Where nothing is executed, the original code runs. Nor are new loops worth it where one of the loops has no iteration:
//! `n <= 0` is rare, and LLVM writes code of its own for it (a product over nothing is a `memset`), which would make every
//! set of the model a union and every bound a case. So where the loops of a nest can run together, the new loops run when
//! they do; statements for the other cases, which have fewer loops around them, are then left to the original code.
//!
//! Only a loop's own bounds count, `i < n`, not a condition around it (`if (flag > 0)`), and only if they exclude just a
//! few numbers: what is wanted is `n >= 1`, not `n >= 1000`.
//!
//! # Example
//! `if (n > 0) for (i < m) for (j < n) S; else memset(...)`: something is executed for `m >= 1` or `n <= 0`; the new loops run
//! for `m >= 1 and n >= 1`, where the `memset` is not.

use isl::{BasicSet, DimType, Set};
use model::scop::stmts_below;
use model::{Order, Scop, StmtId};

/// Parameter values for which the loops run, if there are any; otherwise those for which a statement is executed; all, if
/// there are no statements.
pub(crate) fn worth_running(scop: &Scop) -> isl::Result<Set> {
    let executed = executed(scop)?;
    let run = all_loops_run(scop, &scop.order, 0, executed.clone())?.coalesce()?;
    Ok(if excludes_deepest(scop, &run)? { executed } else { run })
}

/// Whether a statement with as many loops around it as any is not executed for such parameters: its loops and others exclude each
/// other. What stands for an empty loop has fewer loops around it.
fn excludes_deepest(scop: &Scop, run: &Set) -> isl::Result<bool> {
    let mut depths = Vec::new();
    for stmt in &scop.stmts {
        depths.push(stmt.domain.dim(DimType::Set)?);
    }
    let deepest = depths.iter().max().copied().unwrap_or(0);
    for (stmt, depth) in scop.stmts.iter().zip(depths) {
        if depth == deepest && stmt.domain.clone().intersect_params(run.clone())?.is_empty()? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Parameter values for which a statement is executed.
fn executed(scop: &Scop) -> isl::Result<Set> {
    let mut all: Option<Set> = None;
    for stmt in &scop.stmts {
        let here = stmt.domain.clone().params()?.intersect(scop.context.clone())?;
        all = Some(match all {
            Some(before) => before.union(here)?,
            None => here,
        });
    }
    match all {
        Some(all) => all.remove_divs()?.coalesce(),
        None => Ok(scop.context.clone()),
    }
}

/// Of these parameter values those for which the loops in the order, which are so deep, have iterations.
fn all_loops_run(scop: &Scop, order: &[Order], depth: usize, mut run: Set) -> isl::Result<Set> {
    for part in order {
        let Order::Loop(body) = part else { continue };
        if let Some(has_iterations) = iterates(scop, &stmts_below(body), depth)? {
            run = run.intersect(Set::from_basic_set(has_iterations)?)?;
        }
        run = all_loops_run(scop, body, depth + 1, run)?;
    }
    Ok(run)
}

/// Parameter values for which the loop around these statements has an iteration by its bounds and those of the loops around it,
/// if that is a simple matter.
fn iterates(scop: &Scop, stmts: &[StmtId], depth: usize) -> isl::Result<Option<BasicSet>> {
    let mut all = Set::empty(scop.context.get_space()?)?;
    for id in stmts {
        let domain = scop.stmt(*id).domain.clone();
        let inner = domain.dim(DimType::Set)?.saturating_sub(depth + 1);
        let outer = domain.project_out(DimType::Set, depth + 1, inner)?;
        let bounds = outer.drop_constraints_not_involving_dims(DimType::Set, 0, depth + 1)?;
        all = all.union(bounds.params()?.remove_divs()?)?;
    }
    let clauses = all.coalesce()?.get_basic_set_list()?;
    if clauses.size()? != 1 {
        return Ok(None);
    }
    let clause = clauses.get_at(0)?;
    Ok(excludes_few(&clause)?.then_some(clause))
}

/// Whether all constraints are like `n >= 1`.
fn excludes_few(clause: &BasicSet) -> isl::Result<bool> {
    let constraints = clause.get_constraint_list()?;
    for position in 0..constraints.size()? {
        let constraint = constraints.get_at(position)?;
        // It may be beyond 64 bits.
        if constraint.is_equality()? || constraint.get_constant_val()?.abs()?.gt_si(FEW)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// A loop with fewer iterations is not worth a thought.
const FEW: i64 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(stmts: &str, order: &str) -> Set {
        let text = format!("scop f\nparam n [-9, 9999]\nparam m [-9, 9999]\n{stmts}order {order}\n");
        worth_running(&Scop::parse(&isl::Ctx::new(), &text).unwrap()).unwrap()
    }

    fn is(found: &Set, text: &str) {
        let context = "-9 <= n <= 9999 and -9 <= m <= 9999";
        let wanted =
            Set::read_from_str(found.ctx(), &format!("[n, m] -> {{ : {context} and ({text}) }}")).unwrap();
        assert!(found.is_equal(&wanted).unwrap(), "{found} is not {text}");
    }

    #[test]
    fn a_special_case_for_empty_loops() {
        let stmts =
            "stmt S [n, m] -> { S[i, j] : 0 <= i < m and 0 <= j < n }\nstmt T [n, m] -> { T[] : n <= 0 }\n";
        is(&worth(stmts, "{ for { for { S } } T }"), "n >= 1 and m >= 1");
    }

    /// An iteration without inner iterations does something, too.
    #[test]
    fn loops_with_something_around_inner_loops() {
        let stmts = "stmt S [n, m] -> { S[i] : 0 <= i < m }\nstmt T [n, m] -> { T[i, j] : 0 <= i < m and 0 <= j < i }\n";
        is(&worth(stmts, "{ for { S for { T } } }"), "m >= 2");
        is(&worth("stmt S [n, m] -> { S[i] : 0 <= i < m }\n", "{ for { S } }"), "m >= 1");
    }

    /// A condition is not a bound: both ways are to be fast.
    #[test]
    fn conditions_around_loops() {
        let stmts =
            "stmt S [n, m] -> { S[i] : 0 <= i < m and n > 3 }\nstmt T [n, m] -> { T[i] : 0 <= i < m }\n";
        is(&worth(stmts, "{ for { S } for { T } }"), "m >= 1");
    }

    #[test]
    fn loops_that_exclude_each_other() {
        let stmts = "stmt S [n, m] -> { S[i] : 0 <= i < n }\nstmt T [n, m] -> { T[i] : 0 <= i < -n }\n";
        is(&worth(stmts, "{ for { S } for { T } }"), "n >= 1 or n <= -1");
    }

    /// As LLVM writes `for (i < m) { S; for (j < n) T; }`.
    #[test]
    fn loops_for_empty_inner_loops() {
        let stmts = "stmt R [n, m] -> { R[i] : n <= 0 and 0 <= i < m }\n\
            stmt S [n, m] -> { S[i] : n > 0 and 0 <= i < m }\n\
            stmt T [n, m] -> { T[i, j] : 0 <= i < m and 0 <= j < n }\n";
        is(&worth(stmts, "{ for { R } for { S for { T } } }"), "n >= 1 and m >= 1");
    }

    #[test]
    fn late_starts() {
        let stmts = "stmt S [n, m] -> { S[i] : 1000 <= i < n }\nstmt T [n, m] -> { T[i] : 0 <= i < m }\n";
        is(&worth(stmts, "{ for { S } for { T } }"), "m >= 1");
        is(
            &worth(&stmts.replace("1000 <= i", "99999999999999999999 <= i"), "{ for { S } for { T } }"),
            "m >= 1",
        );
    }
}
