//! Work units: how much a function's analysis may cost, and what it has cost so far.
//!
//! A unit is a small constant amount of work (an instruction looked at, an expression node visited, an isl
//! operation). Counting work instead of time makes a compilation's result the same on every machine. One
//! budget spans the whole pipeline of a function.

use std::cell::Cell;

/// The work left for one function.
#[derive(Debug)]
pub struct Budget {
    left: Cell<Option<u64>>,
}

/// The work is used up. The original code stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the work budget is spent")]
pub struct BudgetSpent;

impl Budget {
    /// `units` of work; 0 is no limit.
    pub fn new(units: u64) -> Self {
        Self { left: Cell::new((units > 0).then_some(units)) }
    }

    /// What is left; `None` without a limit.
    pub fn left(&self) -> Option<u64> {
        self.left.get()
    }

    /// Takes `units`, or says that they are not there; then nothing is left.
    pub fn spend(&self, units: usize) -> Result<(), BudgetSpent> {
        let Some(left) = self.left.get() else { return Ok(()) };
        let rest = left.checked_sub(units as u64);
        self.left.set(Some(rest.unwrap_or(0)));
        rest.map(|_| ()).ok_or(BudgetSpent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spent_budget_stays_spent() {
        let budget = Budget::new(10);
        assert_eq!(budget.spend(10), Ok(()));
        assert_eq!(budget.spend(1), Err(BudgetSpent));
        let budget = Budget::new(10);
        assert_eq!(budget.spend(11), Err(BudgetSpent));
        assert_eq!(budget.spend(1), Err(BudgetSpent));
    }

    #[test]
    fn zero_is_no_limit() {
        let budget = Budget::new(0);
        assert_eq!(budget.spend(usize::MAX), Ok(()));
        assert_eq!(budget.spend(usize::MAX), Ok(()));
    }
}
