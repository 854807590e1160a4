//! Work that is shared out: many small budgets out of a large one.
//!
//! The analysis asks isl thousands of questions. Each may take a limited number of operations, and all of one kind together
//! as well, so that a program with many hard questions costs no more than one with a few. When the whole is spent,
//! every further question fails at once with an error for which [`isl::Error::is_budget`] holds.

use isl::{Ctx, Result};
use std::cell::Cell;

/// Operations for questions of one kind.
#[derive(Debug)]
pub struct Allowance {
    left: Cell<u64>,
}

impl Allowance {
    /// So many operations for all questions together.
    pub fn new(operations: u64) -> Allowance {
        Allowance { left: Cell::new(operations) }
    }

    /// As many operations as that again, so that the same questions get the same answers.
    pub fn renew(&self, operations: u64) {
        self.left.set(operations);
    }

    /// Asks one question, which may take at most `most` operations.
    pub fn within<T>(&self, ctx: &Ctx, most: u64, question: impl FnOnce() -> Result<T>) -> Result<T> {
        let allowed = most.min(self.left.get());
        let (answer, unused) = ctx.with_budget(allowed, || {
            let answer = question();
            (answer, ctx.operations_left().unwrap_or(0))
        });
        self.left.set(self.left.get().saturating_sub(allowed.saturating_sub(unused)));
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Set;

    #[test]
    fn many_questions_spend_the_whole() {
        let ctx = Ctx::new();
        let allowance = Allowance::new(5_000);
        let ask = || allowance.within(&ctx, 1_000, || ctx.parse::<Set>("{ [i] : 0 <= i < 10 }"));
        let answered = (0..1_000).take_while(|_| ask().is_ok()).count();
        assert!((2..1_000).contains(&answered), "{answered}");
        assert!(ask().unwrap_err().is_budget());
        assert!(ctx.parse::<Set>("{ [i] : 0 <= i < 10 }").is_ok());
    }
}
