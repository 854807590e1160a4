//! Bounded loops: when a loop is left, and for which parameters it never is (paper 002, Section 4.3).
//!
//! A loop runs until its condition leaves it: the iterations are those up to the first in which it does. Where there is no such
//! iteration the domain has no end, `I_S^inf` of the paper, which is assumed away. The counters around the loop are given:
//! they are bounded already (Figure 12).
//!
//! Example: `for (i = LB; i != UB; i++)` is left in iteration `UB - LB`, and never if `UB < LB` (Figure 11).

use isl::{DimType, LocalSpace, PwAff, Set, Val};

/// How a loop ends. Sets and functions are over the counters around the loop and its own, which is the last one.
pub struct Exit {
    /// `{ [i, j] -> [count] }`: the first iteration in which it is left; does not depend on the own counter.
    pub count: PwAff,
    /// `{ [i, j] }`: the iterations up to that one, which are those in which the condition is asked.
    pub runs: Set,
    /// `{ [i, j] }`: where it is never left.
    pub never: Set,
}

/// How a loop ends that is entered in some iterations of those around it, `{ [i, j] }` for all `j`, and whose condition leaves it
/// in others, `{ [i, j] }`.
pub fn exit(entered: &Set, leaves: Set) -> isl::Result<Exit> {
    let own = entered.dim(DimType::Set)? - 1;
    let zero = Val::int_from_si(entered.ctx(), 0)?;
    let counts = entered.clone().lower_bound_val(DimType::Set, own, zero)?;
    // From the counters around to the iterations in which it would leave.
    let exits = counts.clone().intersect(leaves)?.identity()?;
    let exits = exits.project_out(DimType::In, own, 1)?.project_out(DimType::Out, 0, own)?;
    let count = exits.lexmin_pw_multi_aff()?.get_at(0)?.add_dims(DimType::In, 1)?;
    let never = entered.clone().subtract(count.clone().domain()?)?;
    let counter = PwAff::var_on_domain(LocalSpace::from_space(entered.get_space()?)?, DimType::Set, own)?;
    let runs = counts.intersect(counter.le_set(count.clone())?)?;
    Ok(Exit { count, runs, never })
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    /// For which parameters the loop is endless, and its last iteration.
    fn check(entered: &str, leaves: &str, endless: &str, count: &str) {
        let ctx = Ctx::new();
        let set = |text: &str| Set::read_from_str(&ctx, text).unwrap();
        let found = exit(&set(entered), set(leaves)).unwrap();
        let never = found.never.params().unwrap();
        assert!(never.is_equal(&set(endless)).unwrap(), "{never} is not {endless}");
        let expected = PwAff::read_from_str(&ctx, count).unwrap();
        assert!(found.count.is_equal(&expected).unwrap(), "{} is not {count}", found.count);
    }

    #[test]
    fn figure_11() {
        check(
            "[LB, UB] -> { [i] }",
            "[LB, UB] -> { [i] : LB + i = UB }",
            "[LB, UB] -> { : UB < LB }",
            "[LB, UB] -> { [i] -> [(UB - LB)] : LB <= UB }",
        );
    }

    /// The outer counter is given: the inner loop ends whatever the outer one does.
    #[test]
    fn figure_12() {
        check(
            "[N] -> { [i, j] : i >= 0 }",
            "[N] -> { [i, j] : j >= i }",
            "[N] -> { : false }",
            "[N] -> { [i, j] -> [(i)] : i >= 0 }",
        );
    }
}
