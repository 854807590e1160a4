//! Scoped operation budgets.
//!
//! isl counts *operations*: one per allocation, which is a good and deterministic measure of work. A context has one
//! counter and one limit (0 for none); reaching the limit makes every further operation fail with a quota error.
//!
//! A budget of `n` sets the limit to "counter now, plus `n`", but never beyond the limit of an enclosing budget, and
//! restores that limit at the end. The counter itself is only reset by an outermost budget, so nested budgets are
//! charged to the enclosing ones. isl does not reveal the counter; it is found by bisection: an operation under a
//! trial limit fails exactly when the counter has reached that limit.

use std::ffi::{c_ulong, c_void};

use crate::ctx::Ctx;
use crate::heap::orthant_isl_free;
use crate::raw;

/// The counter's value when an outermost budget begins. Not 0, so that a budget of 0 is a limit (0 means none).
const START: c_ulong = 1;

impl Ctx {
    /// Runs `work` with at most `operations` isl operations.
    ///
    /// When they are spent, every isl call in `work` fails with an error for which
    /// [`Error::is_budget`](crate::Error::is_budget) holds. Afterwards, also when `work` panics, the context is as
    /// usable as before. Budgets nest: an inner one never allows more than what is left of the outer one, and what
    /// it uses is taken from it.
    ///
    /// ```
    /// # use isl::{Ctx, Set};
    /// let ctx = Ctx::new();
    /// let spent = ctx.with_budget(3, || ctx.parse::<Set>("{ [i] : 0 <= i < 10 }")).unwrap_err();
    /// assert!(spent.is_budget());
    /// assert!(ctx.parse::<Set>("{ [i] : 0 <= i < 10 }").is_ok());
    /// ```
    pub fn with_budget<T>(&self, operations: u64, work: impl FnOnce() -> T) -> T {
        let (outer, counter) = match self.limit() {
            0 => (0, self.restart_counter()),
            limit => self.measure(limit),
        };
        let wanted = counter.saturating_add(operations);
        let limit = if outer == 0 { wanted } else { wanted.min(outer) };
        let _restored = Restore { cx: self, limit: outer };
        self.set_limit(limit);
        work()
    }

    /// How many operations are left of the current budget; `None` outside a budget.
    pub fn operations_left(&self) -> Option<u64> {
        match self.limit() {
            0 => None,
            limit => {
                let (limit, counter) = self.measure(limit);
                self.set_limit(limit);
                Some(limit - counter)
            }
        }
    }

    /// Whether the next operation would fail. Costs one operation if not.
    pub(crate) fn budget_is_spent(&self) -> bool {
        if self.limit() == 0 {
            return false;
        }
        let spent = !self.operation_succeeds();
        self.begin();
        spent
    }

    fn limit(&self) -> c_ulong {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_get_max_operations(self.as_raw()) }
    }

    fn set_limit(&self, limit: c_ulong) {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_set_max_operations(self.as_raw(), limit) }
    }

    /// Sets the counter to [`START`].
    fn restart_counter(&self) -> c_ulong {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_reset_operations(self.as_raw()) };
        for _ in 0..START {
            self.operation_succeeds();
        }
        START
    }

    /// Performs one operation.
    fn operation_succeeds(&self) -> bool {
        // SAFETY: the context is live; the memory is freed at once.
        unsafe {
            let memory: *mut c_void = raw::isl_malloc_or_die(self.as_raw(), 1);
            orthant_isl_free(memory);
            !memory.is_null()
        }
    }

    /// The counter, by bisection below `limit`. Also the limit, moved by the operations that the search itself
    /// performed, so that they are not charged.
    fn measure(&self, limit: c_ulong) -> (c_ulong, c_ulong) {
        let (mut low, mut high, mut performed) = (START, limit, 0);
        while low < high {
            let trial = low + (high - low).div_ceil(2);
            self.set_limit(trial);
            if self.operation_succeeds() {
                // The counter was below `trial` and is now one more.
                performed += 1;
                low += 1;
                high = trial;
            } else {
                low = trial;
            }
        }
        self.begin();
        (limit.saturating_add(performed), low)
    }
}

/// Puts the limit back, also on unwinding.
struct Restore<'a> {
    cx: &'a Ctx,
    limit: c_ulong,
}

impl Drop for Restore<'_> {
    fn drop(&mut self) {
        self.cx.set_limit(self.limit);
    }
}
