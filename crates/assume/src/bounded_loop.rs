//! Bounded loops: for which parameters a domain is infinite (paper 002, Section 4.3).
//!
//! A domain is a union of clauses. A clause is bounded if each counter has a least and a greatest value once the counters
//! before it are given: those are assumed to be bounded already (Figure 12). The other clauses are `I_S^inf`, and the
//! parameters for which one of them has a point are the restriction.

use isl::{DimType, Set};

/// `{ : ... }`: parameter values for which a domain, `{ S[i, j] : ... }`, is infinite.
pub fn unbounded(domain: &Set) -> isl::Result<Set> {
    let mut all = Set::empty(domain.clone().params()?.get_space()?)?;
    let clauses = domain.get_basic_set_list()?;
    for position in 0..clauses.size()? {
        let clause = Set::from_basic_set(clauses.get_at(position)?)?;
        if !is_bounded(&clause)? {
            all = all.union(clause.params()?)?;
        }
    }
    all.coalesce()
}

/// Whether each counter of a clause is bounded by parameters and counters before it.
fn is_bounded(clause: &Set) -> isl::Result<bool> {
    let depth = clause.dim(DimType::Set)?;
    for counter in 0..depth {
        // The counters before it are like parameters; those behind it say nothing that the clause does not imply.
        let outer = clause.clone().project_out(DimType::Set, counter + 1, depth - counter - 1)?;
        let outer = outer.reset_tuple_id()?;
        let given = outer.dim(DimType::Param)?;
        let outer = outer.move_dims(DimType::Param, given, DimType::Set, 0, counter)?;
        if !outer.dim_is_bounded(DimType::Set, 0)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    fn check(domain: &str, expected: &str) {
        let ctx = Ctx::new();
        let found = unbounded(&Set::read_from_str(&ctx, domain).unwrap()).unwrap();
        let expected = Set::read_from_str(&ctx, expected).unwrap();
        assert!(found.is_equal(&expected).unwrap(), "{found} is not {expected}");
    }

    #[test]
    fn figure_11() {
        let domain = "[LB, UB] -> { S[i] : LB <= i < UB or UB < LB <= i }";
        check(domain, "[LB, UB] -> { : UB < LB }");
    }

    #[test]
    fn figure_12() {
        check("[N] -> { S[i, j] : 0 <= i < N and 0 <= j < i }", "[N] -> { : false }");
        // The outer loop is the only one to blame.
        check("[N] -> { S[i, j] : 0 <= i and N > 3 and 0 <= j < i }", "[N] -> { : N > 3 }");
    }
}
