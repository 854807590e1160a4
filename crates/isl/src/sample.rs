//! A point of a basic set: the question behind most of isl's time.
//!
//! Whether a set is empty, and with it whether sets are disjoint or one contains the other, isl finds by looking for an integer
//! point. For sets without bounds, and nearly all with parameters are such, it splits off the directions in which they have none,
//! and reduces a basis, before it knows the first thing about them. Most sets are simpler than that: the vertex at which the simplex
//! method ends is an integer point, or there is not even a rational one. So this is asked first, of the [`Table`](crate::simplex::Table)
//! of our own and then of isl's, and the rest is left to isl's own search. `build/bind.rs` makes isl call it.
//!
//! A point that is returned was put into all constraints. That there is none is the simplex method's word, as it is in isl.
//!
//! # Example
//! ```text
//! { [n, i, j] : 0 <= i < n and i <= j < n }    the vertex (1, 0, 0)
//! { [n, i, j] : j < i and i < n and n <= j }   no rational point
//! { [i, j] : 3i - 3j = 1 }                     the vertex (1/3, 0): isl's search says that there is none
//! ```

use crate::numbers::{Number, ONE, ZERO};
use crate::raw::{isl_basic_set, isl_basic_set_dim, isl_basic_set_free};
use crate::stored::{System, vector};
use std::ffi::{c_int, c_uint, c_void};

/// `isl_dim_all`.
const ALL: c_int = 5;
/// `isl_lp_empty`.
const EMPTY: c_int = 2;

// SAFETY: the prototypes of isl's own functions, in `isl_tab.h`, `isl_sample.h`, `isl_map_private.h` of its source, and in its
// public headers.
unsafe extern "C" {
    fn isl_basic_set_get_ctx(set: *mut isl_basic_set) -> *mut c_void;
    fn isl_basic_set_contains(set: *mut isl_basic_set, point: *mut c_void) -> c_int;
    fn isl_vec_alloc(ctx: *mut c_void, size: c_uint) -> *mut c_void;
    fn isl_vec_free(vec: *mut c_void) -> *mut c_void;
    fn isl_tab_from_basic_set(set: *mut isl_basic_set, track: c_int) -> *mut c_void;
    fn isl_tab_sample_is_integer(tableau: *mut c_void) -> c_int;
    fn isl_tab_get_sample_value(tableau: *mut c_void) -> *mut c_void;
    fn isl_tab_min(
        tableau: *mut c_void,
        objective: *const Number,
        denominator: *const Number,
        least: *mut Number,
        least_denominator: *mut Number,
        flags: c_uint,
    ) -> c_int;
    fn isl_tab_free(tableau: *mut c_void);
    fn orthant_original_isl_basic_set_sample_vec(set: *mut isl_basic_set) -> *mut c_void;
}

/// What the simplex method says of a set.
enum Found {
    /// This point, or null if isl failed.
    Point(*mut c_void),
    /// There is none.
    Nothing,
    /// There may be one.
    Unknown,
}

/// `isl_basic_set_sample_vec`: a point of a basic set without unknown divisions, or a vector of size 0 if there is none.
///
/// # Safety
/// As isl's own: it is a basic set, and nobody else's.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_basic_set_sample_vec(set: *mut isl_basic_set) -> *mut c_void {
    // SAFETY: by the caller's promise; each object is freed once.
    unsafe {
        let found = if set.is_null() { Found::Unknown } else { by_table(set) };
        let found = match found {
            Found::Unknown if !set.is_null() => by_simplex(set),
            found => found,
        };
        let point = match found {
            Found::Unknown => return orthant_original_isl_basic_set_sample_vec(set),
            Found::Nothing => isl_vec_alloc(isl_basic_set_get_ctx(set), 0),
            Found::Point(point) => point,
        };
        isl_basic_set_free(set);
        point
    }
}

/// Looks at the vertex at which the table of our own stands.
///
/// # Safety
/// It is a basic set.
unsafe fn by_table(set: *mut isl_basic_set) -> Found {
    // SAFETY: by the caller's promise; the point is ours.
    unsafe {
        let Some(system) = System::read(set.cast()) else { return Found::Unknown };
        let point = match system.open_point() {
            Some(point) => point,
            None => {
                let Some(table) = system.table() else { return Found::Unknown };
                if table.is_empty() {
                    return Found::Nothing;
                }
                let Some(point) = system.point(&table) else { return Found::Unknown };
                point
            }
        };
        let point = vector(isl_basic_set_get_ctx(set), &point);
        if !point.is_null() && isl_basic_set_contains(set, point) == 0 {
            isl_vec_free(point);
            return Found::Unknown;
        }
        Found::Point(point)
    }
}

/// Looks at the vertex at which isl's simplex method ends.
///
/// # Safety
/// It is a basic set.
unsafe fn by_simplex(set: *mut isl_basic_set) -> Found {
    // SAFETY: by the caller's promise; the tableau is ours.
    unsafe {
        let tableau = isl_tab_from_basic_set(set, 0);
        if tableau.is_null() {
            return Found::Point(std::ptr::null_mut());
        }
        let mut found = at_vertex(set, tableau);
        if matches!(found, Found::Unknown) && is_empty(set, tableau) {
            found = Found::Nothing;
        }
        isl_tab_free(tableau);
        found
    }
}

/// The vertex, if it is an integer point of the set. Of a set without points a tableau has a vertex that is none.
///
/// # Safety
/// It is a basic set, and its tableau.
unsafe fn at_vertex(set: *mut isl_basic_set, tableau: *mut c_void) -> Found {
    // SAFETY: by the caller's promise.
    unsafe {
        if isl_tab_sample_is_integer(tableau) != 1 {
            return Found::Unknown;
        }
        let point = isl_tab_get_sample_value(tableau);
        if !point.is_null() && isl_basic_set_contains(set, point) == 0 {
            isl_vec_free(point);
            return Found::Unknown;
        }
        Found::Point(point)
    }
}

/// Whether there is no rational point: then nothing has a minimum, not even 0.
///
/// # Safety
/// It is a basic set, and its tableau.
unsafe fn is_empty(set: *mut isl_basic_set, tableau: *mut c_void) -> bool {
    // SAFETY: by the caller's promise; all numbers are small.
    unsafe {
        let Ok(variables) = usize::try_from(isl_basic_set_dim(set, ALL)) else { return false };
        let (objective, one, mut least) = (vec![ZERO; 1 + variables], ONE, ZERO);
        let nobody = std::ptr::null_mut();
        isl_tab_min(tableau, objective.as_ptr(), &raw const one, &raw mut least, nobody, 0) == EMPTY
    }
}

#[cfg(test)]
mod tests {
    use crate::{Ctx, Result, Set};

    /// Sets whose first vertex is a point, is none, and does not exist; and such that only a search tells.
    #[test]
    fn emptiness() -> Result<()> {
        let cases = [
            ("{ [n, i, j] : 0 <= i < n and i <= j < n }", false),
            ("{ [n, i, j] : j < i and i < n and n <= j }", true),
            ("{ [i, j] : 3i - 3j = 1 }", true),
            ("{ [i, j] : 3i - 2j = 1 }", false),
            ("{ [i] : 1 <= 2i <= 1 }", true),
            ("{ [i] : 1 <= 3i <= 4 }", false),
            ("{ [i, j] : 4 <= 3i + 6j <= 5 }", true),
            ("{ [i, j] : 4 <= 3i + 5j <= 5 }", false),
            ("{ [i, j] : 5i <= 7j and 7j <= 5i + 1 and 100 < i < 102 }", true),
            ("{ [i, j] : 5i <= 7j and 7j <= 5i + 1 and 100 < i < 106 }", false),
            ("[n] -> { [i] : n <= 2i <= n and n = 7 }", true),
            ("{ [i, j] : i >= 1000000000000 and j > 3i and 7j = 2i + 1 and i <= 4000000000000 }", true),
            ("{ [i, j] : i >= 1000000000000 and 7j = 2i + 1 }", false),
            ("{ [] : }", false),
            ("{ [] : 1 = 0 }", true),
        ];
        let ctx = Ctx::new();
        for (text, is_empty) in cases {
            let set: Set = ctx.parse(text)?;
            assert_eq!(set.is_empty()?, is_empty, "{text}");
            // A point that is found is one.
            let point = set.clone().sample_point()?;
            assert_eq!(point.is_void()?, is_empty, "{text}");
            assert!(is_empty || Set::from_point(point)?.is_subset(&set)?, "{text}");
        }
        Ok(())
    }

    /// All sets of a kind, against counting.
    #[test]
    fn small_sets() -> Result<()> {
        let ctx = Ctx::new();
        for (a, b, c) in (0..7 * 7 * 9).map(|at| (at % 7 - 3, at / 7 % 7 - 3, at / 49 - 4)) {
            let is_point =
                |x: i32, y: i32| a * x + b * y >= c && 2 * a * x - 3 * y <= c + 1 && b * x + 2 * y == 1;
            let points = (-40..=40).flat_map(|x| (-40..=40).map(move |y| (x, y)));
            let is_empty = !points.into_iter().any(|(x, y)| is_point(x, y));
            let text = format!(
                "{{ [x, y] : {a}x + {b}y >= {c} and 2*{a}x - 3y <= {c} + 1 and {b}x + 2y = 1 \
                 and -40 <= x <= 40 and -40 <= y <= 40 }}"
            );
            assert_eq!(ctx.parse::<Set>(&text)?.is_empty()?, is_empty, "{text}");
        }
        Ok(())
    }
}
