//! Redundant constraints: mostly there are none, or it is plain which.
//!
//! isl removes inequalities that follow from others whenever it compares sets, which is before it intersects, unites or subtracts
//! them: a sixth of all instructions in some stages. It builds a tableau, looks for inequalities that are equalities in disguise, and
//! for each other one how small its left side could get without it. The [`Table`] of our own answers the same questions faster.
//! `build/bind.rs` makes isl call this.
//!
//! # What comes out
//! The same as from isl. It removes one inequality after the other, which leaves something to choose where two follow from each
//! other. But an inequality that does not follow from all others together stays whatever is removed; and if all the rest follows
//! from those that stay, it goes whatever was removed before. Where that is not so, where inequalities hold as equalities, and where
//! there is no point at all, isl has the word.
//!
//! # Example
//! ```text
//! { [n, i] : 0 <= i < n }               nothing to remove: i may be -1 without the first, n without the second
//! { [n, i] : 0 <= i < n and n >= 1 }    the last goes
//! { [n, i] : 0 <= 2i + 1 and i >= 0 }   each follows from the other: left to isl
//! { [n, i] : i <= n <= i }              an equality: left to isl
//! ```

use crate::raw::isl_basic_set;
use crate::simplex::{Fits, Table};
use crate::stored::{BasicMap, EMPTY, NO_IMPLICIT, NO_REDUNDANT, RATIONAL, System, vector};
use std::ffi::{c_int, c_uint};

// SAFETY: the prototypes of isl's own functions, in `isl_map_private.h` of its source and in its public headers.
unsafe extern "C" {
    fn isl_basic_map_gauss(map: *mut isl_basic_set, progress: *mut c_int) -> *mut isl_basic_set;
    fn isl_basic_map_sort_constraints(map: *mut isl_basic_set) -> *mut isl_basic_set;
    fn isl_basic_map_drop_inequality(map: *mut isl_basic_set, at: c_uint) -> c_int;
    fn orthant_original_isl_basic_map_remove_redundancies(map: *mut isl_basic_set) -> *mut isl_basic_set;
}

/// `isl_basic_map_remove_redundancies`: without inequalities that follow from others, and with equalities as such.
///
/// # Safety
/// As isl's own: it is a basic map, and the caller has a reference to it. As isl's own does, this changes it for all who have one.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_basic_map_remove_redundancies(
    map: *mut isl_basic_set,
) -> *mut isl_basic_set {
    // SAFETY: by the caller's promise; isl returns null for null.
    unsafe {
        let map = isl_basic_map_gauss(map, std::ptr::null_mut());
        if map.is_null() || is_done(map.cast()) {
            return map;
        }
        // What stays is in this order.
        let map = isl_basic_map_sort_constraints(map);
        if map.is_null() {
            return map;
        }
        match redundant(map.cast()) {
            Some(redundant) => without(map, &redundant),
            None => orthant_original_isl_basic_map_remove_redundancies(map),
        }
    }
}

/// Whether there is nothing to do for isl either.
///
/// # Safety
/// It is a basic map.
unsafe fn is_done(map: *mut BasicMap) -> bool {
    // SAFETY: by the caller's promise.
    unsafe { (*map).flags & (EMPTY | NO_REDUNDANT) != 0 || (*map).inequalities <= 1 }
}

/// The inequalities that are redundant, if that is plain. As isl does, it leaves the point that it found with the map.
///
/// # Safety
/// It is a basic map.
unsafe fn redundant(map: *mut BasicMap) -> Option<Vec<usize>> {
    // SAFETY: by the caller's promise; the sample is the map's own.
    unsafe {
        if (*map).flags & RATIONAL != 0 {
            return None;
        }
        let system = System::read(map)?;
        let open = system.open_point();
        let stays: Vec<bool> = system.bounds().collect();
        let (redundant, point) = match open {
            // A third of all.
            Some(point) if !stays.contains(&false) => (Vec::new(), Some(point)),
            open => {
                let mut table = system.table()?;
                if table.is_empty() {
                    return None;
                }
                let point = open.clone().or_else(|| system.point(&table));
                (among(&system, &mut table, &stays, open.is_some()).ok()??, point)
            }
        };
        if let Some(point) = point.filter(|_| (*map).sample.is_null()) {
            (*map).sample = vector((*map).ctx, &point);
        }
        Some(redundant)
    }
}

/// Which inequalities follow from the others, if none holds as an equality, which may be known, and there is no choice.
fn among(
    system: &System<'_>,
    table: &mut Table,
    stays: &[bool],
    has_no_equality: bool,
) -> Fits<Option<Vec<usize>>> {
    for number in (0..stays.len()).filter(|_| !has_no_equality) {
        if !table.can_be_one(system.name(number))? {
            return Ok(None);
        }
    }
    let (mut numbers, mut follow) = (Vec::new(), Vec::new());
    for (number, stays) in stays.iter().enumerate() {
        let name = system.name(number);
        if !stays && !table.could_be_below(name)? {
            numbers.push(number);
            follow.push(name);
        }
    }
    let is_plain = follow.is_empty() || table.without_all(&follow)?;
    Ok(is_plain.then_some(numbers))
}

/// Removes these inequalities, and remembers that there are no others.
///
/// # Safety
/// It is a basic map, which has them.
unsafe fn without(map: *mut isl_basic_set, redundant: &[usize]) -> *mut isl_basic_set {
    // SAFETY: by the caller's promise. From the last one on, as isl does: another one takes the place of one that goes.
    unsafe {
        for at in redundant.iter().rev() {
            isl_basic_map_drop_inequality(map, *at as c_uint);
        }
        (*map.cast::<BasicMap>()).flags |= NO_IMPLICIT | NO_REDUNDANT;
    }
    map
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::Handle;
    use crate::{BasicSet, Ctx, Result};
    use std::ptr::NonNull;

    type Removes = unsafe extern "C" fn(*mut isl_basic_set) -> *mut isl_basic_set;

    /// What is left of a set.
    fn left(ctx: &Ctx, text: &str, removes: Removes) -> Result<BasicSet> {
        let set: BasicSet = ctx.parse(text)?;
        // SAFETY: the set is given away, and what comes out is ours.
        let left = unsafe { NonNull::new(removes(set.into_raw())).map(|raw| BasicSet::adopt(raw, ctx)) };
        Ok(left.expect("isl does not fail"))
    }

    /// Numbers that look random, the same each time.
    fn numbers(mut state: u64) -> impl FnMut(i64) -> i64 {
        move |below| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as i64 % below
        }
    }

    /// Some inequalities, and sometimes an equality, with small factors.
    fn text(next: &mut impl FnMut(i64) -> i64) -> String {
        let mut row = |relation: &str| {
            let [a, b, c] = [0; 3].map(|_| next(5) - 2);
            format!("{a}i + {b}j + {c}n + {} {relation} 0", next(9) - 3)
        };
        let mut all: Vec<String> = (0..6).map(|_| row(">=")).collect();
        all.push(row(">="));
        if next(3) == 0 {
            all[0] = all[0].replace(">=", "=");
        }
        all.truncate(2 + next(6) as usize);
        format!("[n] -> {{ [i, j] : {} }}", all.join(" and "))
    }

    #[test]
    fn what_is_left_is_what_isl_leaves() -> Result<()> {
        let (ctx, mut next, mut removed) = (Ctx::new(), numbers(7), 0);
        for _ in 0..4000 {
            let text = text(&mut next);
            let ours = left(&ctx, &text, orthant_isl_basic_map_remove_redundancies)?;
            let isls = left(&ctx, &text, orthant_original_isl_basic_map_remove_redundancies)?;
            // Constraint by constraint, in their order.
            assert_eq!(ours.to_string(), isls.to_string(), "{text}");
            let count = |set: &BasicSet| set.get_constraint_list().and_then(|list| list.n_constraint());
            assert_eq!(count(&ours)?, count(&isls)?, "{text}");
            removed += usize::from(count(&ours)? < text.matches('=').count());
        }
        assert!(removed > 400, "{removed}");
        Ok(())
    }
}
