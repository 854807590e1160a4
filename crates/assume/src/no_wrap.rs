//! Expression evaluation: where the machine's arithmetic differs from the integers (paper 002, Section 4.2).
//!
//! The machine computes modulo 2^bits and reads the result as a signed number. `I_W(e)` are the iterations in which that
//! is not the exact value. It must be asked of the expression as it is written and in the iterations in which that is evaluated:
//! two programs with equal domains may differ in what wraps (Figure 10). So the caller brings both.

use isl::{PwAff, Set, Val};

/// `I_W(e)`: `{ [i, j] }`, where an exact value does not fit a signed number of that many bits (1 to 64).
pub fn wraps(value: &PwAff, bits: u32) -> isl::Result<Set> {
    let (low, high) = (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1);
    let above = value.clone().gt_set(constant(value, high)?)?;
    let below = value.clone().lt_set(constant(value, low)?)?;
    above.union(below)
}

/// Where an exact value is negative: read as an unsigned number it would be another.
pub fn is_negative(value: &PwAff) -> isl::Result<Set> {
    value.clone().lt_set(constant(value, 0)?)
}

fn constant(like: &PwAff, number: i128) -> isl::Result<PwAff> {
    let space = like.get_domain_space()?;
    let number = Val::read_from_str(like.ctx(), &number.to_string())?;
    PwAff::val_on_domain(Set::universe(space)?, number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restriction;
    use isl::Ctx;

    fn value(ctx: &Ctx, text: &str) -> PwAff {
        PwAff::read_from_str(ctx, text).unwrap()
    }

    fn set(ctx: &Ctx, text: &str) -> Set {
        Set::read_from_str(ctx, text).unwrap()
    }

    /// Figure 9: with a counter of 8 bits, `i` is not what it is in the integers from 128 on.
    #[test]
    fn figure_9() {
        let ctx = Ctx::new();
        let wrong = wraps(&value(&ctx, "[N] -> { [i] -> [(i)] }"), 8).unwrap();
        let wrong = restriction(wrong, &set(&ctx, "[N] -> { [i] : 0 <= i < N }")).unwrap();
        assert!(wrong.is_equal(&set(&ctx, "[N] -> { : N > 128 }")).unwrap());
    }

    /// Figure 10: `p + 1` before the loop wraps for the greatest `p`; `i + 1` behind `i < 9` never does.
    #[test]
    fn figure_10() {
        let ctx = Ctx::new();
        let context = set(&ctx, "[p] -> { : -2147483648 <= p <= 2147483647 }");
        let before = wraps(&value(&ctx, "[p] -> { [] -> [(p + 1)] }"), 32).unwrap();
        let everywhere = set(&ctx, "[p] -> { [] }");
        let wrong = restriction(before, &everywhere).unwrap().intersect(context.clone()).unwrap();
        assert!(wrong.is_equal(&set(&ctx, "[p] -> { : p = 2147483647 }")).unwrap());
        let inside = wraps(&value(&ctx, "[p] -> { [i] -> [(i + 1)] }"), 32).unwrap();
        let domain = set(&ctx, "[p] -> { [i] : p <= i < 9 }").intersect_params(context).unwrap();
        assert!(restriction(inside, &domain).unwrap().is_empty().unwrap());
    }
}
