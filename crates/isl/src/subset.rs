//! Whether a relation is a part of another: mostly each piece plainly lies in a piece.
//!
//! isl takes the other relation's constraints one by one and looks whether something of the first is beyond them, with a tableau
//! that goes back and forth. Most questions are simpler: each constraint of the other follows from those of the first (many are
//! among them), or a vertex of the first is an integer point that is not in the other. So the [`Table`](crate::simplex::Table) of our own is
//! asked first, and the rest is left to isl. `build/bind.rs` makes isl call this.
//!
//! # Example
//! ```text
//! { [i] : 2 <= i < 8 }  in  { [i] : 0 <= i < 9 }              follows
//! { [i] : 2 <= i < 8 }  in  { [i] : 3 <= i < 9 }              the point 2
//! { [i] : 2 <= i < 8 }  in  { [i] : i < 5; [i] : i >= 5 }     left to isl
//! { [i] : 2 <= i < 8 }  in  { [i] : i mod 2 = 0 }             left to isl
//! ```

use crate::raw::{isl_map, isl_set};
use crate::stored::{BasicMap, EMPTY, Part, RATIONAL, System, Within, pieces};
use std::ffi::c_int;

// SAFETY: the prototypes of isl's own functions, in its public headers.
unsafe extern "C" {
    fn isl_map_has_equal_space(first: *mut isl_map, second: *mut isl_map) -> c_int;
    fn orthant_original_isl_map_is_subset(first: *mut isl_map, second: *mut isl_map) -> c_int;
}

/// `isl_map_is_subset`: whether all pairs of the first relation are in the second one.
///
/// # Safety
/// As isl's own: both are maps or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_map_is_subset(first: *mut isl_map, second: *mut isl_map) -> c_int {
    // SAFETY: by the caller's promise.
    unsafe {
        match is_plainly_subset(first, second) {
            Some(is_subset) => is_subset.into(),
            None => orthant_original_isl_map_is_subset(first, second),
        }
    }
}

/// `isl_set_is_subset`: the same of sets, which isl stores as maps.
///
/// # Safety
/// As isl's own: both are sets or null.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_set_is_subset(first: *mut isl_set, second: *mut isl_set) -> c_int {
    // SAFETY: by the caller's promise.
    unsafe { orthant_isl_map_is_subset(first.cast(), second.cast()) }
}

/// Whether the first is a part of the second, if that is plain.
///
/// # Safety
/// Both are maps or null.
unsafe fn is_plainly_subset(first: *mut isl_map, second: *mut isl_map) -> Option<bool> {
    // SAFETY: by the caller's promise; nobody changes them meanwhile.
    unsafe {
        if first.is_null() || second.is_null() || isl_map_has_equal_space(first, second) != 1 {
            return None;
        }
        let others = pieces(second);
        for piece in pieces(first) {
            if (**piece).flags & EMPTY != 0 {
                continue;
            }
            match is_in_one(*piece, others) {
                Within::All => {}
                Within::Not => return Some(false),
                Within::Unknown => return None,
            }
        }
        Some(true)
    }
}

/// Whether a piece lies in one of the others.
///
/// # Safety
/// They are basic maps of one space.
unsafe fn is_in_one(piece: *const BasicMap, others: &[*const BasicMap]) -> Within {
    // SAFETY: by the caller's promise.
    unsafe {
        let system = |piece: *const BasicMap| match (*piece).flags & RATIONAL {
            0 => System::read(piece),
            _ => None,
        };
        let Some(mut part) = system(piece).map(Part::new) else { return Within::Unknown };
        for other in others.iter().filter(|other| (***other).divisions == 0 && (***other).flags & EMPTY == 0)
        {
            let Some(other) = system(*other) else { continue };
            match part.within(&other) {
                Within::All => return Within::All,
                // It may be in another one.
                Within::Not if others.len() == 1 => return Within::Not,
                _ => {}
            }
        }
        Within::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ctx, Map, Result, Set};

    #[test]
    fn parts_of_sets() -> Result<()> {
        let cases = [
            ("{ [i] : 2 <= i < 8 }", "{ [i] : 0 <= i < 9 }", true),
            ("{ [i] : 2 <= i < 8 }", "{ [i] : 3 <= i < 9 }", false),
            ("{ [i] : 2 <= i < 8 }", "{ [i] : i < 5; [i] : i >= 5 }", true),
            ("{ [i] : 2 <= i < 8 }", "{ [i] : i < 5; [i] : i >= 6 }", false),
            ("{ [i] : 2 <= i < 8 }", "{ [i] : i mod 2 = 0 }", false),
            ("{ [i] : 2 <= i < 8 and i mod 2 = 0 }", "{ [i] : 2 <= i <= 6 }", true),
            ("{ [i] : 2 <= i < 8 and i mod 2 = 0 }", "{ [i] : 2 <= i <= 5 }", false),
            ("[n] -> { [i, j] : j = 2i + 1 and 0 <= i < n }", "[n] -> { [i, j] : 1 <= j < 2n }", true),
            ("[n] -> { [i, j] : j = 2i + 1 and 0 <= i < n }", "[n] -> { [i, j] : 1 <= j < 2n - 1 }", false),
            ("[n] -> { [i, j] : 2j = i and 0 <= i < n }", "[n] -> { [i, j] : i = 2j and j >= 0 }", true),
            ("{ [i, j] : 3i - 3j = 1 }", "{ [i, j] : i = 7 }", true),
            ("{ [i] : 1 <= 2i <= 1 }", "{ [i] : i = 7 }", true),
            ("{ [i] : i = 7 }", "{ [i] : 1 = 0 }", false),
            ("[n] -> { [i] : i = n }", "[m] -> { [i] : i = m }", false),
            ("{ A[i] : i = 7 }", "{ B[i] : i = 7 }", false),
        ];
        let ctx = Ctx::new();
        for (first, second, is_subset) in cases {
            let sets = [ctx.parse::<Set>(first)?, ctx.parse(second)?];
            assert_eq!(sets[0].is_subset(&sets[1])?, is_subset, "{first} in {second}");
        }
        Ok(())
    }

    /// The largest numbers that isl stores as small ones: sums of their products hardly fit 64 bits, or do not.
    #[test]
    fn large_factors() -> Result<()> {
        const M: i32 = i32::MAX;
        let far = format!(
            "[a, b, d] -> {{ [c] : a >= {M} and b >= {M} and d <= -{M} and {M}c >= {M}a + {M}b + {M} }}"
        );
        let farther = format!(
            "[a, b, d] -> {{ [c] : a >= {M} and b >= {M} and d <= -{M} and {M}c >= {M}a + {M}b - {M}d + {M} }}"
        );
        let cases = [(&far, &far, true), (&farther, &far, true), (&far, &farther, false)];
        let ctx = Ctx::new();
        for (first, second, is_subset) in cases {
            let sets = [ctx.parse::<Set>(first)?, ctx.parse(second)?];
            assert!(!sets[0].is_empty()?, "{first}");
            assert_eq!(sets[0].is_subset(&sets[1])?, is_subset, "{first} in {second}");
        }
        Ok(())
    }

    /// All relations of a kind, against isl's own.
    #[test]
    fn is_what_isl_says() -> Result<()> {
        let (ctx, mut plain) = (Ctx::new(), [0; 3]);
        for number in 0..6_i32.pow(4) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|place| number / 6_i32.pow(place) % 6 - 2);
            let first =
                format!("[n] -> {{ [i] -> [j] : {a}i + {b}j >= {c} and 0 <= i < n and {d} <= j <= i + 1 }}");
            let second = format!(
                "[n] -> {{ [i] -> [j] : {b}i + {a}j >= {d} and -1 <= i < n + 1 and j >= {c}; [i] -> [{d}] : {a}i >= {b} }}"
            );
            for (first, second) in [(&first, &second), (&second, &first)] {
                let [first, second]: [Map; 2] = [ctx.parse(first)?, ctx.parse(second)?];
                // SAFETY: both are maps.
                let (ours, isls) = unsafe {
                    let ours = is_plainly_subset(first.as_raw(), second.as_raw());
                    (ours, orthant_original_isl_map_is_subset(first.as_raw(), second.as_raw()) == 1)
                };
                assert!(ours.is_none_or(|ours| ours == isls), "{first} in {second}: {isls}");
                plain[ours.map_or(2, usize::from)] += 1;
            }
        }
        assert!(plain.iter().all(|count| *count > 50), "{plain:?}");
        Ok(())
    }
}
