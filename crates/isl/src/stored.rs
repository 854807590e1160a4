//! The constraints of a basic map as isl stores them, for the [`Table`] of our own.
//!
//! isl's interface gives constraints one number at a time, each as an object, and its tableaux are made for numbers of any size: to find
//! out that none of some inequalities follows from the others takes isl 20,000 instructions, and a [`Table`] of machine words a third of
//! that. So modules `sample` and `redundant` read the numbers where they are.
//!
//! # Representation
//! [`BasicMap`] is `struct isl_basic_map` of isl's `isl_map_private.h`; a constraint is its constant and then the factors of all
//! variables: parameters, both tuples, divisions. Headers do not tell; [`verify`] looks at a set that it knows.
//!
//! # Equalities
//! isl brings them to a form in which each has a last variable that is in no other constraint. Whatever values the others have,
//! that variable has one, too, as a rational number. So an inequality follows from all constraints if it follows from
//! the inequalities, and there is a rational point if there is one for these. Where that form is not found, nothing is said.

use crate::numbers::{Number, ZERO, of, value};
use crate::raw::{
    isl_basic_set_dim, isl_ctx_alloc, isl_ctx_free, isl_map, isl_set_fix_si, isl_set_free,
    isl_set_lower_bound_si, isl_set_universe, isl_space_set_alloc,
};
use crate::simplex::{Inequality, Table};
use std::ffi::{c_int, c_uint, c_void};
use std::sync::OnceLock;

/// `isl_dim_all` and `isl_dim_set`.
const ALL: c_int = 5;
const SET: c_int = 3;

/// `ISL_BASIC_MAP_EMPTY`, `ISL_BASIC_MAP_NO_IMPLICIT`, `ISL_BASIC_MAP_NO_REDUNDANT`, `ISL_BASIC_MAP_RATIONAL`.
pub(crate) const EMPTY: c_uint = 1 << 1;
pub(crate) const NO_IMPLICIT: c_uint = 1 << 2;
pub(crate) const NO_REDUNDANT: c_uint = 1 << 3;
pub(crate) const RATIONAL: c_uint = 1 << 4;

/// `struct isl_basic_map`, up to the last field that somebody looks at.
#[repr(C)]
pub(crate) struct BasicMap {
    references: c_int,
    pub flags: c_uint,
    pub ctx: *mut c_void,
    space: *mut c_void,
    extra: c_uint,
    equalities: c_uint,
    pub inequalities: c_uint,
    size: usize,
    equality: *const *const Number,
    inequality: *const *const Number,
    pub divisions: c_uint,
    division: *const *const Number,
    pub sample: *mut c_void,
}

/// `struct isl_map`: a list of basic maps.
#[repr(C)]
struct Map {
    references: c_int,
    flags: c_uint,
    hulls: [*mut c_void; 2],
    ctx: *mut c_void,
    space: *mut c_void,
    count: c_int,
    size: usize,
    first: [*const BasicMap; 0],
}

/// The basic maps of a map.
///
/// # Safety
/// It is a map, which nobody changes meanwhile.
pub(crate) unsafe fn pieces<'a>(map: *const isl_map) -> &'a [*const BasicMap] {
    let map = map.cast::<Map>();
    // SAFETY: by the caller's promise.
    unsafe { std::slice::from_raw_parts((&raw const (*map).first).cast(), (*map).count as usize) }
}

// SAFETY: the prototypes of isl's own functions, in its public headers.
unsafe extern "C" {
    fn isl_vec_alloc(ctx: *mut c_void, size: c_uint) -> *mut c_void;
    fn isl_vec_set_element_si(vec: *mut c_void, at: c_int, value: c_int) -> *mut c_void;
}

/// The constraints of a basic map, where they are stored.
pub(crate) struct System<'a> {
    equalities: Rows<'a>,
    inequalities: Rows<'a>,
    /// How many variables there are.
    variables: usize,
    /// Those that are in inequalities.
    used: Variables,
    /// Those that are with a positive factor in one inequality alone, and with a negative one.
    alone: [Variables; 2],
}

/// A set of variables.
type Variables = u64;

/// Rows of a constant and a factor for each variable, all of them small numbers.
struct Rows<'a> {
    rows: &'a [*const Number],
    length: usize,
}

impl<'a> Rows<'a> {
    /// # Safety
    /// There are so many rows of such a length.
    unsafe fn of(from: *const *const Number, count: c_uint, length: usize) -> Rows<'a> {
        let rows = match count {
            0 => &[],
            // SAFETY: by the caller's promise.
            _ => unsafe { std::slice::from_raw_parts(from, count as usize) },
        };
        Rows { rows, length }
    }

    /// The rows; the constant comes first.
    fn iter(&self) -> impl Iterator<Item = &'a [Number]> {
        // SAFETY: by the promise to `of`.
        self.rows.iter().map(|row| unsafe { std::slice::from_raw_parts(*row, self.length) })
    }

    fn row(&self, number: usize) -> &'a [Number] {
        // SAFETY: by the promise to `of`.
        unsafe { std::slice::from_raw_parts(self.rows[number], self.length) }
    }

    /// Which variables have a positive factor in each row, and which a negative one; `None` if a number is not small.
    fn signs(&self) -> impl Iterator<Item = Option<[Variables; 2]>> {
        self.iter().map(|row| {
            let (mut positive, mut negative, mut all_small) = (0, 0, ZERO);
            for number in row[1..].iter().rev() {
                all_small &= number;
                positive = positive << 1 | Variables::from(value(*number) > 0);
                negative = negative << 1 | Variables::from(value(*number) < 0);
            }
            (all_small & row[0] & ZERO != 0).then_some([positive, negative])
        })
    }
}

impl<'a> System<'a> {
    /// Looks at the constraints; `None` if numbers are large or variables many, or equalities have another form.
    ///
    /// # Safety
    /// It is a basic map, which nobody changes meanwhile.
    pub unsafe fn read(map: *const BasicMap) -> Option<System<'a>> {
        // SAFETY: by the caller's promise.
        let (equalities, inequalities, variables) = unsafe {
            let variables = usize::try_from(isl_basic_set_dim(map.cast_mut().cast(), ALL)).ok()?;
            let rows = |from, count| Rows::of(from, count, 1 + variables);
            let equalities = rows((*map).equality, (*map).equalities);
            (equalities, rows((*map).inequality, (*map).inequalities), variables)
        };
        if variables > Variables::BITS as usize {
            return None;
        }
        let (mut once, mut twice) = ([0; 2], [0; 2]);
        for row in inequalities.signs() {
            for (sign, found) in row?.into_iter().enumerate() {
                twice[sign] |= once[sign] & found;
                once[sign] |= found;
            }
        }
        let used = once[0] | once[1];
        let alone = [once[0] & !twice[0], once[1] & !twice[1]];
        // The last variable of each equality, and variables that are in several.
        let (mut last, mut seen, mut several) = (0, 0, 0);
        for row in equalities.signs() {
            let row = row.map(|[positive, negative]| positive | negative).filter(|row| *row != 0)?;
            last |= 1 << row.ilog2();
            several |= seen & row;
            seen |= row;
        }
        let system = System { equalities, inequalities, variables, used, alone };
        (last & (used | several) == 0).then_some(system)
    }

    /// A table of the inequalities, over the variables that are in one. `None` if numbers become large.
    pub fn table(&self) -> Option<Table> {
        let mut table = Table::new(self.used.count_ones() as usize);
        table.reserve(self.inequalities.rows.len());
        let mut inequality: Inequality = Vec::with_capacity(self.variables + 1);
        for row in self.inequalities.iter() {
            inequality.clear();
            inequality.extend(each(self.used).map(|variable| value(row[1 + variable])));
            inequality.push(value(row[0]));
            table.add(&inequality).ok()?;
        }
        Some(table)
    }

    /// A constraint of another map on the same variables, as an inequality for the table: without the variables that equalities
    /// tell. `None` if it is about variables of which nothing is known, or numbers are large.
    fn reduced(&self, constraint: &[Number]) -> Option<Inequality> {
        let mut row = [0_i64; 1 + Variables::BITS as usize];
        row.iter_mut().zip(constraint).for_each(|(to, number)| *to = value(*number));
        for equality in self.equalities.iter() {
            let own = equality.iter().rposition(|number| *number != ZERO)?;
            if row[own] == 0 {
                continue;
            }
            let (factor, times) = (value(equality[own]), row[own]);
            let (by, times) = (factor.abs(), times.checked_mul(factor.signum())?);
            for (mine, number) in row.iter_mut().zip(equality) {
                *mine = mine.checked_mul(by)?.checked_sub(times.checked_mul(value(*number))?)?;
            }
        }
        let is_known = |variable: usize| self.used >> variable & 1 != 0;
        if (0..self.variables).any(|variable| row[1 + variable] != 0 && !is_known(variable)) {
            return None;
        }
        Some(each(self.used).map(|variable| row[1 + variable]).chain([row[0]]).collect())
    }

    /// Whether it is among the inequalities, as it is or with less room.
    fn has(&self, constraint: &[Number]) -> bool {
        let length = constraint.len();
        let no_more = |row: &[Number]| row[length..].iter().all(|number| *number == ZERO);
        let is_it = |row: &[Number]| row[1..length] == constraint[1..] && no_more(row);
        self.inequalities.iter().any(|row| is_it(row) && value(row[0]) <= value(constraint[0]))
    }

    /// Which inequalities are the only ones that bound some variable from their side: these follow from no others, because
    /// without them the variable could go on in its direction.
    pub fn bounds(&self) -> impl Iterator<Item = bool> {
        self.inequalities.signs().map(|signs| {
            let [positive, negative] = signs.unwrap_or_default();
            (positive & self.alone[0]) | (negative & self.alone[1]) != 0
        })
    }

    /// The name in the table of an inequality.
    pub fn name(&self, inequality: usize) -> usize {
        self.used.count_ones() as usize + inequality
    }

    /// A point, where it takes no search to find one: each inequality has a variable that can go on and on, which none of the
    /// inequalities that are left bounds on that side. Then it can be as far from being an equality as one likes, too.
    ///
    /// `{ [n, i] : 0 <= i < n }`: nothing bounds `n` from above, and without `i < n` nothing bounds `i`. So `i` is at least 0,
    /// and then `n` at least `i + 1`.
    pub fn open_point(&self) -> Option<Vec<i32>> {
        let signs: Vec<[Variables; 2]> = self.inequalities.signs().collect::<Option<_>>()?;
        let mut steps: Vec<(Variables, Vec<usize>)> = Vec::new();
        let mut left: Vec<usize> = (0..signs.len()).collect();
        while !left.is_empty() {
            let [positive, negative] =
                left.iter().fold([0, 0], |all, row| [all[0] | signs[*row][0], all[1] | signs[*row][1]]);
            let open = positive ^ negative;
            let has_open = |row: &usize| (signs[*row][0] | signs[*row][1]) & open != 0;
            let (now, later): (Vec<usize>, Vec<usize>) = left.iter().partition(|row| has_open(row));
            if now.is_empty() {
                return None;
            }
            steps.push((open, now));
            left = later;
        }
        let mut values = vec![0; self.variables];
        let rows = || steps.iter().rev().flat_map(|(open, rows)| rows.iter().map(move |row| (open, *row)));
        for (open, number) in rows() {
            let row = self.inequalities.row(number);
            let missing = left_side(row, &values)?.checked_neg()?;
            if missing > 0 {
                let variable = ((signs[number][0] | signs[number][1]) & open).trailing_zeros() as usize;
                let factor = value(row[1 + variable]);
                let more = missing.checked_add(factor.abs() - 1)? / factor.abs() * factor.signum();
                values[variable] = i32::try_from(i64::from(values[variable]).checked_add(more)?).ok()?;
            }
        }
        self.with_equalities(values)
    }

    /// Whether a point satisfies all constraints.
    fn contains(&self, point: &[i32]) -> bool {
        self.inequalities.iter().all(|row| left_side(row, point).is_some_and(|sum| sum >= 0))
            && self.equalities.iter().all(|row| left_side(row, point) == Some(0))
    }

    /// The integer point at which the table stands, if it stands at one: the values of all variables.
    pub fn point(&self, table: &Table) -> Option<Vec<i32>> {
        let mut values = vec![0; self.variables];
        for (at, variable) in each(self.used).enumerate() {
            values[variable] = i32::try_from(table.value(at)?).ok()?;
        }
        self.with_equalities(values)
    }

    /// A point with the variables that equalities tell, if these are whole then.
    fn with_equalities(&self, mut values: Vec<i32>) -> Option<Vec<i32>> {
        for row in self.equalities.iter() {
            let own = row.iter().rposition(|number| *number != ZERO)?;
            // Its own value is still 0.
            let sum = left_side(row, &values)?;
            let factor = value(row[own]);
            let is_whole = sum.checked_rem(factor)? == 0;
            values[own - 1] = is_whole.then(|| i32::try_from(sum.checked_neg()? / factor).ok())??;
        }
        Some(values)
    }
}

/// How one basic map lies in another.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Within {
    /// All of it does.
    All,
    /// This point of it does not.
    Not,
    /// Nothing is known.
    Unknown,
}

/// A basic map, to ask whether it lies in others.
pub(crate) struct Part<'a> {
    system: System<'a>,
    /// When the first question needs it.
    table: Option<Table>,
}

impl<'a> Part<'a> {
    pub fn new(system: System<'a>) -> Part<'a> {
        Part { system, table: None }
    }

    /// Whether it lies in another basic map, which has no divisions. What is said to follow does, for all points of rational
    /// numbers; that a point does not, is seen.
    pub fn within(&mut self, other: &System<'_>) -> Within {
        let mut all = Within::All;
        for row in other.inequalities.iter() {
            match self.follows(row) {
                Within::All => {}
                Within::Not => return Within::Not,
                Within::Unknown => all = Within::Unknown,
            }
        }
        for row in other.equalities.iter() {
            let opposite: Vec<Number> = row.iter().map(|number| of(-value(*number))).collect();
            match [self.follows(row), self.follows(&opposite)] {
                [Within::All, Within::All] => {}
                both if both.contains(&Within::Not) => return Within::Not,
                _ => all = Within::Unknown,
            }
        }
        all
    }

    fn follows(&mut self, row: &[Number]) -> Within {
        match self.system.has(row) {
            true => Within::All,
            false => self.by_table(row).unwrap_or(Within::Unknown),
        }
    }

    /// Whether an inequality follows; `None`: not known.
    fn by_table(&mut self, row: &[Number]) -> Option<Within> {
        let inequality = self.system.reduced(row)?;
        let (constant, factors) = inequality.split_last()?;
        if *constant >= 0 && factors.iter().all(|factor| *factor == 0) {
            return Some(Within::All);
        }
        if self.table.is_none() {
            self.table = Some(self.system.table()?);
        }
        let table = self.table.as_mut()?;
        let follows = match table.implies(&inequality) {
            Ok(follows) => follows,
            Err(_) => {
                // Of no more use.
                self.table = None;
                return None;
            }
        };
        if follows {
            return Some(Within::All);
        }
        let point = self.system.point(table)?;
        let is_outside = |row: &[Number]| left_side(row, &point).is_some_and(|sum| sum < 0);
        (is_outside(row) && self.system.contains(&point)).then_some(Within::Not)
    }
}

/// The left side of a constraint at a point, which may have more variables.
fn left_side(row: &[Number], point: &[i32]) -> Option<i64> {
    let sum = |sum: i64, (factor, at): (&Number, &i32)| {
        sum.checked_add(value(*factor).checked_mul(i64::from(*at))?)
    };
    row[1..].iter().zip(point).try_fold(value(row[0]), sum)
}

/// The variables of a set, from the first to the last.
fn each(mut set: Variables) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        first
    })
}

/// A vector of isl: a one and then these values; null if isl failed.
///
/// # Safety
/// It is a context.
pub(crate) unsafe fn vector(ctx: *mut c_void, values: &[i32]) -> *mut c_void {
    // SAFETY: by the caller's promise; isl takes null for null.
    unsafe {
        let mut vector = isl_vec_alloc(ctx, 1 + values.len() as c_uint);
        for (at, value) in [1].iter().chain(values).enumerate() {
            vector = isl_vec_set_element_si(vector, at as c_int, *value);
        }
        vector
    }
}

/// Makes sure that basic maps are stored as this module takes them to be.
///
/// # Panics
/// If they are not.
pub(crate) fn verify() {
    static IS_KNOWN: OnceLock<bool> = OnceLock::new();
    // SAFETY: objects of a context of their own; a pointer is followed only where the counts before it are as expected.
    let is_known = IS_KNOWN.get_or_init(|| unsafe {
        let ctx = isl_ctx_alloc();
        // [n] -> { [i, j] : i >= 3 and j = 7 }
        let all = isl_set_universe(isl_space_set_alloc(ctx, 1, 2));
        let set = isl_set_fix_si(isl_set_lower_bound_si(all, SET, 0, 3), SET, 1, 7);
        let known = !set.is_null() && is_as_here(set.cast());
        isl_set_free(set);
        isl_ctx_free(ctx);
        known
    });
    assert!(is_known, "the basic maps of this isl are not what crates/isl was written for");
}

/// # Safety
/// It is the set of [`verify`].
unsafe fn is_as_here(set: *const isl_map) -> bool {
    // SAFETY: by the caller's promise.
    unsafe {
        if (*set.cast::<Map>()).count != 1 {
            return false;
        }
        let map = pieces(set)[0];
        let counts = ((*map).references, (*map).equalities, (*map).inequalities, (*map).divisions);
        if counts != (1, 1, 1, 0) || (*map).flags & (EMPTY | RATIONAL) != 0 {
            return false;
        }
        let only = |from| Rows::of(from, 1, 4).iter().next().map(<[Number]>::to_vec);
        let is = |row: Option<Vec<Number>>, numbers: [i64; 4]| row.is_some_and(|row| row == numbers.map(of));
        let (equality, inequality) = ((*map).equality, (*map).inequality);
        let is_equality = is(only(equality), [7, 0, 0, -1]) || is(only(equality), [-7, 0, 0, 1]);
        is_equality && is(only(inequality), [-3, 0, 1, 0])
    }
}
