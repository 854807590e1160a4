//! Optimistic assumptions: derived, simplified, and checked once before the nest (paper 002).
//!
//! A model describes a program only under *assumptions*: nothing wraps, loops end, subscripts stay inside their
//! dimensions, arrays do not overlap, loads give one value. Each is derived from the element that it protects, by the file
//! of its kind:
//!
//! | module | paper | |
//! |---|---|---|
//! | [`invariant_load`] | 4.1, RT | what a load reads is not written |
//! | [`no_wrap`] | 4.2, EE | machine arithmetic is arithmetic |
//! | [`bounded_loop`] | 4.3, BL | loops end |
//! | [`in_bounds`] | 4.4, IB | subscripts stay inside constant sizes |
//! | [`no_overlap`] | 4.6, AA | what is touched of two arrays |
//!
//! The conditions of arrays with parametric sizes (4.5) come from `delinearize`; errors that do not happen are
//! [`restriction`]s like those of `no_wrap`.
//!
//! # What is never assumed
//! - *Alignment.* A copied access keeps the alignment that the program's own has, and a vector of cells gets no more than its
//!   cells have: there is nothing to be checked (`tests/assume/alignment.c` runs at odd addresses).
//! - *Non-null.* A pointer is compared before the nest, not followed: the check computes addresses as numbers. What it does load, it loads
//!   under the condition under which the program would have (`tests/assume/nested-loads.c`; with pages that must not be touched `guards.c`).
//! - *Division by non-zero.* A quotient in a bound is computed before the nest where the program would have computed it, and
//!   is not looked at elsewhere; where the divisor is 0 the program does not look at it, or is undefined
//!   (`tests/assume/division.c`; with divisors of 0 `guards.c`).
//!
//! # Forms
//! An assumption about parameters is a *positive assumption* (a set of good values) or a *restriction* (a set of bad ones);
//! each is kept in the form in which it was derived, because that is the small one: a restriction is a union of what
//! can go wrong, and its complement would be an intersection of unions. All are collected in [`model::Ledger`] and simplified
//! last, by [`simplify()`], because what one of them excludes makes others smaller. [`check()`] makes expressions of what is
//! left: the run-time check, conjunct by conjunct, the cheap ones first, and of those the ones that are likely to fail
//! ([`odds`]).
//!
//! # Example
//! `for (i = 0; i < n; i++) a[i] = b[i];` with `unsigned` numbers and `a[i]` an access of 4 bytes:
//! ```text
//! no wrap:    never { : n < 0 }      n as a signed number is negative if it is 2^31 or more
//! no overlap: a and b
//! check:      n >= 1 && (&a[n] <= &b[0] || &b[n] <= &a[0])
//! ```

pub mod bounded_loop;
mod check;
mod enough;
pub mod in_bounds;
pub mod invariant_load;
pub mod no_overlap;
pub mod no_wrap;
pub mod odds;
mod print;
mod simplify;
mod worth;

pub use check::{AllRows, Apart, Below, Check, Conjunct, Extent, Near, Rows, Test, apart_text, check, rows};
pub use enough::{Enough, Least, enough, enough_in_rows, has_enough_values};
pub use no_overlap::{Gain, gain_from_check};
pub use odds::Odds;
pub use print::{print, print_assumed};
pub use simplify::{Assumed, Fate, Infeasible, Taken, simplify};

use isl::Set;

/// `{ : ... }`: parameter values for which one of these points, `{ [i, j] : ... }`, is in the domain.
pub fn restriction(points: Set, domain: &Set) -> isl::Result<Set> {
    points.intersect(domain.clone())?.params()
}
