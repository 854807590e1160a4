//! Arithmetic on the numbers of isl's matrices.
//!
//! Nearly all numbers in constraints are small, and isl's time goes into sums of products of them: pivots of tableaux, rows
//! that are combined and divided by what they have in common. The functions of the installed library take 34 instructions for
//! a product of two of them, and look for a common divisor in two passes; here it takes a third, and the first two coprime
//! numbers end the search. Each function here does what is common, numbers that are small and stay so, and leaves the rest
//! to isl's own. `build/bind.rs` makes isl call them.
//!
//! # Representation
//! A number between -2^31 + 1 and 2^31 - 1 is its value in the upper half of a word whose lowest bit is 1 and whose other
//! bits are 0. Any other number is a pointer to memory, which is even. Headers do not tell; [`verify`] asks the
//! library, before anything else is asked of it.

use std::ffi::{c_int, c_uint, c_void};

/// A number as isl stores it.
pub(crate) type Number = u64;

pub(crate) const ZERO: Number = 1;
pub(crate) const ONE: Number = 1 << 32 | SMALL;
/// The bit that only small numbers have.
const SMALL: Number = 1;
/// The largest small number; the least is its negative.
const LARGEST: i64 = i32::MAX as i64;

// SAFETY: the prototypes of isl's own functions, in `isl_int_sioimath.h` and `isl_seq.h` of its source.
unsafe extern "C" {
    fn isl_sioimath_encode_small(value: i32) -> Number;
    fn isl_sioimath_is_small(number: Number) -> i32;
    fn isl_sioimath_set_int64(to: *mut Number, value: i64);
    fn isl_sioimath_get_si(number: Number) -> i64;
    fn orthant_original_isl_sioimath_add(to: *mut Number, first: Number, second: Number);
    fn orthant_original_isl_sioimath_mul(to: *mut Number, first: Number, second: Number);
    fn orthant_original_isl_seq_combine(
        to: *mut Number,
        factor: *const Number,
        row: *const Number,
        other_factor: *const Number,
        other_row: *const Number,
        length: c_uint,
    );
    fn orthant_original_isl_seq_gcd(row: *const Number, length: c_uint, to: *mut Number);
    fn orthant_original_isl_seq_inner_product(
        first: *const Number,
        second: *const Number,
        length: c_uint,
        to: *mut Number,
    );
    fn orthant_original_isl_seq_normalize(ctx: *mut c_void, row: *mut Number, length: c_uint);
    fn orthant_original_isl_seq_clr(row: *mut Number, length: c_uint);
    fn orthant_original_isl_seq_cpy(to: *mut Number, from: *const Number, length: c_uint);
    fn orthant_original_isl_seq_neg(to: *mut Number, from: *const Number, length: c_uint);
    fn orthant_original_isl_seq_eq(first: *const Number, second: *const Number, length: c_uint) -> c_int;
    fn orthant_original_isl_seq_last_non_zero(row: *const Number, length: c_uint) -> c_int;
    fn orthant_original_isl_seq_get_hash_bits(row: *const Number, length: c_uint, bits: c_uint) -> u32;
}

/// Makes sure that the library's numbers are as this module takes them to be.
///
/// # Panics
/// If they are not.
pub(crate) fn verify() {
    let is_as_here = |value: i32| {
        let mut set = ZERO;
        // SAFETY: `set` is a small number, and stays one where it is compared.
        unsafe {
            isl_sioimath_set_int64(&raw mut set, value.into());
            isl_sioimath_encode_small(value) == of(value.into())
                && set == of(value.into())
                && isl_sioimath_is_small(set) != 0
                && isl_sioimath_get_si(set) == value.into()
        }
    };
    let is_known = [0, 1, -1, 7, -i32::MAX, i32::MAX].into_iter().all(is_as_here);
    assert!(is_known, "the numbers of this isl are not what crates/isl was written for");
}

/// A small number.
#[inline(always)]
pub(crate) fn of(value: i64) -> Number {
    (value as u64) << 32 | SMALL
}

/// The value of a small number; of another one, something.
#[inline(always)]
pub(crate) fn value(number: Number) -> i64 {
    number as i64 >> 32
}

/// Whether there is a small number of this value.
#[inline(always)]
fn is_small(value: i64) -> bool {
    (-LARGEST..=LARGEST).contains(&value)
}

/// `isl_sioimath_add`: the sum.
///
/// # Safety
/// As isl's own: all are numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_sioimath_add(to: *mut Number, first: Number, second: Number) {
    let sum = value(first) + value(second);
    // SAFETY: by the caller's promise. What is small owns nothing and can be overwritten.
    unsafe {
        if first & second & *to & SMALL != 0 && is_small(sum) {
            *to = of(sum);
        } else {
            orthant_original_isl_sioimath_add(to, first, second);
        }
    }
}

/// `isl_sioimath_mul`: the product.
///
/// # Safety
/// As isl's own: all are numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_sioimath_mul(to: *mut Number, first: Number, second: Number) {
    let product = value(first) * value(second);
    // SAFETY: by the caller's promise. What is small owns nothing and can be overwritten.
    unsafe {
        if first & second & *to & SMALL != 0 && is_small(product) {
            *to = of(product);
        } else {
            orthant_original_isl_sioimath_mul(to, first, second);
        }
    }
}

/// `isl_seq_combine`: `factor * row + other_factor * other_row`, number by number.
///
/// # Safety
/// As isl's own: rows of `length` numbers of isl; `to` can be one of the others, and factors can be in it.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_combine(
    to: *mut Number,
    factor: *const Number,
    row: *const Number,
    other_factor: *const Number,
    other_row: *const Number,
    length: c_uint,
) {
    for at in 0..length as usize {
        // SAFETY: by the caller's promise.
        unsafe {
            let (factor_now, other_now) = (*factor, *other_factor);
            let (to, row, other_row) = (to.add(at), row.add(at), other_row.add(at));
            // Below 2^62 each.
            let sum = value(factor_now) * value(*row) + value(other_now) * value(*other_row);
            if factor_now & other_now & *row & *other_row & *to & SMALL != 0 && is_small(sum) {
                *to = of(sum);
            } else {
                orthant_original_isl_seq_combine(to, factor, row, other_factor, other_row, 1);
            }
        }
    }
}

/// `isl_seq_inner_product`: the sum of the products.
///
/// # Safety
/// As isl's own: rows of `length` numbers of isl, and `to` is in none of them.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_inner_product(
    first: *const Number,
    second: *const Number,
    length: c_uint,
    to: *mut Number,
) {
    // SAFETY: by the caller's promise.
    unsafe {
        match inner_product(first, second, length) {
            Some(sum) if *to & SMALL != 0 && is_small(sum) => *to = of(sum),
            _ => orthant_original_isl_seq_inner_product(first, second, length, to),
        }
    }
}

/// The sum of the products, if all numbers are small.
///
/// # Safety
/// Both are rows of `length` numbers.
#[inline(always)]
unsafe fn inner_product(first: *const Number, second: *const Number, length: c_uint) -> Option<i64> {
    let mut sum = 0_i64;
    for at in 0..length as usize {
        // SAFETY: by the caller's promise.
        let (first, second) = unsafe { (*first.add(at), *second.add(at)) };
        if first & second & SMALL == 0 {
            return None;
        }
        sum = sum.checked_add(value(first) * value(second))?;
    }
    Some(sum)
}

/// `isl_seq_gcd`: the greatest common divisor, 0 for zeros alone.
///
/// # Safety
/// As isl's own: a row of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_gcd(row: *const Number, length: c_uint, to: *mut Number) {
    // SAFETY: by the caller's promise.
    unsafe {
        match common_divisor(row, length) {
            Some(divisor) if *to & SMALL != 0 => *to = of(divisor.into()),
            _ => orthant_original_isl_seq_gcd(row, length, to),
        }
    }
}

/// `isl_seq_normalize`: divides a row by its greatest common divisor, if that is not 0.
///
/// # Safety
/// As isl's own: a row of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_normalize(ctx: *mut c_void, row: *mut Number, length: c_uint) {
    // SAFETY: by the caller's promise; with a divisor that is not 1 all have been seen to be small.
    unsafe {
        match common_divisor(row, length) {
            Some(0 | 1) => {}
            Some(divisor) => {
                for at in 0..length as usize {
                    let quotient = value(*row.add(at)) as i32 / divisor.cast_signed();
                    *row.add(at) = of(quotient.into());
                }
            }
            None => orthant_original_isl_seq_normalize(ctx, row, length),
        }
    }
}

/// Whether all numbers of a row are small.
///
/// # Safety
/// It is a row of `length` numbers.
#[inline(always)]
unsafe fn are_small(row: *const Number, length: c_uint) -> bool {
    // SAFETY: by the caller's promise.
    (0..length as usize).fold(SMALL, |all, at| all & unsafe { *row.add(at) }) != 0
}

/// `isl_seq_clr`: zeros.
///
/// # Safety
/// As isl's own: a row of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_clr(row: *mut Number, length: c_uint) {
    // SAFETY: by the caller's promise. What is small owns nothing and can be overwritten, here and below.
    unsafe {
        match are_small(row, length) {
            true => (0..length as usize).for_each(|at| *row.add(at) = ZERO),
            false => orthant_original_isl_seq_clr(row, length),
        }
    }
}

/// `isl_seq_cpy`: the same numbers once more.
///
/// # Safety
/// As isl's own: rows of `length` numbers of isl; `to` can be `from`, or begin before it.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_cpy(to: *mut Number, from: *const Number, length: c_uint) {
    // SAFETY: by the caller's promise.
    unsafe {
        match are_small(to, length) && are_small(from, length) {
            true => (0..length as usize).for_each(|at| *to.add(at) = *from.add(at)),
            false => orthant_original_isl_seq_cpy(to, from, length),
        }
    }
}

/// `isl_seq_neg`: the numbers with the other sign.
///
/// # Safety
/// As isl's own: rows of `length` numbers of isl; `to` can be `from`, or begin before it.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_neg(to: *mut Number, from: *const Number, length: c_uint) {
    // SAFETY: by the caller's promise.
    unsafe {
        match are_small(to, length) && are_small(from, length) {
            true => (0..length as usize).for_each(|at| *to.add(at) = (2 * SMALL).wrapping_sub(*from.add(at))),
            false => orthant_original_isl_seq_neg(to, from, length),
        }
    }
}

/// `isl_seq_eq`: whether the rows are equal.
///
/// # Safety
/// As isl's own: rows of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_eq(
    first: *const Number,
    second: *const Number,
    length: c_uint,
) -> c_int {
    for at in 0..length as usize {
        // SAFETY: by the caller's promise.
        unsafe {
            let (one, other) = (*first.add(at), *second.add(at));
            if one & other & SMALL == 0 {
                return orthant_original_isl_seq_eq(first.add(at), second.add(at), length - at as c_uint);
            }
            if one != other {
                return 0;
            }
        }
    }
    1
}

/// `isl_seq_last_non_zero`: where the last number stands that is not 0; -1 if there is none.
///
/// # Safety
/// As isl's own: a row of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_last_non_zero(row: *const Number, length: c_uint) -> c_int {
    for at in (0..length as usize).rev() {
        // SAFETY: by the caller's promise.
        unsafe {
            let number = *row.add(at);
            if number & SMALL == 0 {
                return orthant_original_isl_seq_last_non_zero(row, at as c_uint + 1);
            }
            if number != ZERO {
                return at as c_int;
            }
        }
    }
    -1
}

/// The hash of G. Fowler, L. Noll and P. Vo, as isl has it.
const HASH_FACTOR: u32 = 0x0100_0193;
const HASH_START: u32 = 0x811c_9dc5;

/// `isl_seq_get_hash_bits`: a hash of so many bits. The numbers that are not 0 with their places, byte by byte; the three upper bytes of a
/// number mostly are 0, and then together one product.
///
/// # Safety
/// As isl's own: a row of `length` numbers of isl.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_seq_get_hash_bits(row: *const Number, length: c_uint, bits: c_uint) -> u32 {
    const REST: u32 = HASH_FACTOR.wrapping_mul(HASH_FACTOR).wrapping_mul(HASH_FACTOR);
    let mut hash = HASH_START;
    for at in 0..length as usize {
        // SAFETY: by the caller's promise.
        let number = unsafe { *row.add(at) };
        if number & SMALL == 0 {
            // SAFETY: as above.
            return unsafe { orthant_original_isl_seq_get_hash_bits(row, length, bits) };
        }
        if number == ZERO {
            continue;
        }
        hash = hash.wrapping_mul(HASH_FACTOR) ^ (at as u32 & 0xff);
        let value = value(number) as i32;
        if value < 0 {
            hash = hash.wrapping_mul(HASH_FACTOR) ^ 0xff;
        }
        let size = value.unsigned_abs();
        if size < 0x100 {
            hash = (hash.wrapping_mul(HASH_FACTOR) ^ size).wrapping_mul(REST);
        } else {
            for byte in size.to_le_bytes() {
                hash = hash.wrapping_mul(HASH_FACTOR) ^ u32::from(byte);
            }
        }
    }
    match bits {
        32.. => hash,
        16.. => hash >> bits ^ hash & ((1 << bits) - 1),
        _ => (hash >> bits ^ hash) & ((1 << bits) - 1),
    }
}

/// The greatest common divisor of a row; `None` if there are numbers that are not small, unless two before them are coprime.
///
/// # Safety
/// It is a row of `length` numbers.
#[inline(always)]
unsafe fn common_divisor(row: *const Number, length: c_uint) -> Option<u32> {
    let mut divisor = 0_u32;
    for at in 0..length as usize {
        // SAFETY: by the caller's promise.
        let number = unsafe { *row.add(at) };
        if number & SMALL == 0 {
            return None;
        }
        if number == ZERO {
            continue;
        }
        let mut rest = (value(number) as i32).unsigned_abs();
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        if divisor == 1 {
            break;
        }
    }
    Some(divisor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values around the borders of what is small and of what fits into a machine's words.
    const VALUES: [i64; 17] = [
        0,
        1,
        -1,
        2,
        -3,
        6,
        35,
        -36,
        46_341,
        -46_341,
        LARGEST - 1,
        LARGEST,
        -LARGEST,
        LARGEST + 1,
        -LARGEST - 1,
        1 << 40,
        i64::MIN + 1,
    ];

    /// A number of isl that is given back in the end.
    #[repr(transparent)]
    struct Owned(Number);

    impl Owned {
        fn new(value: i64) -> Owned {
            let mut number = ZERO;
            // SAFETY: it is a number.
            unsafe { isl_sioimath_set_int64(&raw mut number, value) };
            Owned(number)
        }

        fn all(values: &[i64]) -> Vec<Owned> {
            values.iter().map(|value| Owned::new(*value)).collect()
        }
    }

    impl Drop for Owned {
        fn drop(&mut self) {
            // SAFETY: setting a small value frees what another one owned.
            unsafe { isl_sioimath_set_int64(&raw mut self.0, 0) };
        }
    }

    /// The first of a row's numbers: an `Owned` is a number and nothing else.
    fn start(row: &mut [Owned]) -> *mut Number {
        row.as_mut_ptr().cast()
    }

    #[track_caller]
    fn same(ours: &[Owned], theirs: &[Owned]) {
        for (ours, theirs) in ours.iter().zip(theirs) {
            // SAFETY: both are numbers.
            let is_same = unsafe { isl_sioimath_cmp(ours.0, theirs.0) == 0 };
            assert!(is_same && ours.0 & SMALL == theirs.0 & SMALL, "{:x} and not {:x}", ours.0, theirs.0);
        }
    }

    // SAFETY: the prototype of isl's own function.
    unsafe extern "C" {
        fn isl_sioimath_cmp(first: Number, second: Number) -> i32;
    }

    type Binary = unsafe extern "C" fn(*mut Number, Number, Number);

    #[test]
    fn sums_and_products_are_isls_own() {
        let pairs: [(Binary, Binary); 2] = [
            (orthant_isl_sioimath_add, orthant_original_isl_sioimath_add),
            (orthant_isl_sioimath_mul, orthant_original_isl_sioimath_mul),
        ];
        for (ours, theirs) in pairs {
            for (first, second) in VALUES.iter().flat_map(|first| VALUES.map(|second| (*first, second))) {
                // What was there before may be anything.
                for before in [5, 1 << 50] {
                    let (first, second) = (Owned::new(first), Owned::new(second));
                    let (mut our, mut their) = (Owned::new(before), Owned::new(before));
                    // SAFETY: all are numbers.
                    unsafe {
                        ours(&raw mut our.0, first.0, second.0);
                        theirs(&raw mut their.0, first.0, second.0);
                    }
                    same(&[our], &[their]);
                }
            }
        }
    }

    /// Rows with small numbers only, and some with others.
    fn rows() -> Vec<Vec<i64>> {
        let mut rows = vec![
            vec![],
            vec![0, 0],
            vec![6, -9, 0, 15],
            vec![0, -LARGEST, 0],
            vec![4, 6, LARGEST + 1],
            vec![2, 3, 1 << 40],
            vec![1 << 40, 1 << 41],
            vec![-LARGEST, LARGEST, 8, 12],
            vec![LARGEST; 9],
        ];
        rows.extend(VALUES.windows(4).map(<[i64]>::to_vec));
        rows
    }

    #[test]
    fn divisors_and_quotients_are_isls_own() {
        let ctx = crate::Ctx::new();
        for row in rows() {
            for before in [0, 1 << 50] {
                let (mut our, mut their) = ([Owned::new(before)], [Owned::new(before)]);
                let mut numbers = Owned::all(&row);
                // SAFETY: all are numbers.
                unsafe {
                    orthant_isl_seq_gcd(start(&mut numbers), row.len() as c_uint, start(&mut our));
                    orthant_original_isl_seq_gcd(start(&mut numbers), row.len() as c_uint, start(&mut their));
                }
                same(&our, &their);
            }
            let (mut our, mut their) = (Owned::all(&row), Owned::all(&row));
            // SAFETY: all are numbers.
            unsafe {
                let raw = ctx.as_raw().cast::<c_void>();
                orthant_isl_seq_normalize(raw, start(&mut our), row.len() as c_uint);
                orthant_original_isl_seq_normalize(raw, start(&mut their), row.len() as c_uint);
            }
            same(&our, &their);
        }
    }

    #[test]
    fn rows_are_combined_and_multiplied_as_by_isl() {
        for (first, second) in rows().iter().flat_map(|first| rows().into_iter().map(move |row| (first, row)))
        {
            let length = first.len().min(second.len());
            for factor in VALUES {
                let (mut our, mut their) = (Owned::all(first), Owned::all(first));
                let (mut other, mut factors) = (Owned::all(&second), Owned::all(&[factor, 3]));
                let [one, another] = [0, 1].map(|at| start(&mut factors).wrapping_add(at).cast_const());
                let other = start(&mut other);
                // SAFETY: all are rows of numbers.
                unsafe {
                    let (ours, theirs) = (start(&mut our), start(&mut their));
                    orthant_isl_seq_combine(ours, one, ours, another, other, length as c_uint);
                    orthant_original_isl_seq_combine(theirs, one, theirs, another, other, length as c_uint);
                }
                same(&our, &their);
            }
            let (mut first, mut second) = (Owned::all(first), Owned::all(&second));
            let (mut our, mut their) = ([Owned::new(1 << 50)], [Owned::new(0)]);
            let (first, second) = (start(&mut first), start(&mut second));
            // SAFETY: all are rows of numbers.
            unsafe {
                orthant_isl_seq_inner_product(first, second, length as c_uint, start(&mut our));
                orthant_original_isl_seq_inner_product(first, second, length as c_uint, start(&mut their));
            }
            same(&our, &their);
        }
    }

    #[test]
    fn rows_are_copied_negated_cleared_and_compared_as_by_isl() {
        for (first, second) in rows().iter().flat_map(|first| rows().into_iter().map(move |row| (first, row)))
        {
            let length = first.len().min(second.len()) as c_uint;
            let (mut from, mut equal) = (Owned::all(&second), Owned::all(&second));
            let (from, equal) = (start(&mut from), start(&mut equal));
            type Change = unsafe extern "C" fn(*mut Number, *const Number, c_uint);
            let changes: [[Change; 2]; 2] = [
                [orthant_isl_seq_cpy, orthant_original_isl_seq_cpy],
                [orthant_isl_seq_neg, orthant_original_isl_seq_neg],
            ];
            for [ours, theirs] in changes {
                let (mut our, mut their) = (Owned::all(first), Owned::all(first));
                // SAFETY: all are rows of numbers.
                unsafe {
                    ours(start(&mut our), from, length);
                    theirs(start(&mut their), from, length);
                    same(&our, &their);
                    // In place.
                    ours(start(&mut our), start(&mut our), length);
                    theirs(start(&mut their), start(&mut their), length);
                }
                same(&our, &their);
                // SAFETY: as above.
                unsafe { orthant_isl_seq_clr(start(&mut our), length) };
                same(&our[..length as usize], &Owned::all(&vec![0; length as usize]));
            }
            let mut first = Owned::all(first);
            let first = start(&mut first);
            // SAFETY: all are rows of numbers.
            unsafe {
                for other in [from, first] {
                    let is_equal = orthant_original_isl_seq_eq(first, other, length);
                    assert_eq!(orthant_isl_seq_eq(first, other, length), is_equal);
                }
                assert_eq!(orthant_isl_seq_eq(from, equal, length), 1);
            }
        }
    }

    #[test]
    fn last_numbers_and_hashes_are_isls_own() {
        let mut all = rows();
        all.extend([vec![0, 300, 0, -1, 0, 0], vec![255, -256, 1, 0], vec![0; 300], vec![1; 300]]);
        for row in all {
            let mut numbers = Owned::all(&row);
            let (numbers, length) = (start(&mut numbers).cast_const(), row.len() as c_uint);
            // SAFETY: it is a row of numbers.
            unsafe {
                let last = orthant_original_isl_seq_last_non_zero(numbers, length);
                assert_eq!(orthant_isl_seq_last_non_zero(numbers, length), last, "{row:?}");
                for bits in [1, 5, 10, 15, 16, 17, 31, 32] {
                    let hash = orthant_original_isl_seq_get_hash_bits(numbers, length, bits);
                    assert_eq!(orthant_isl_seq_get_hash_bits(numbers, length, bits), hash, "{row:?}");
                }
            }
        }
    }

    /// A factor that is one of the row's own numbers is taken as it is at each time.
    #[test]
    fn factors_can_be_in_the_row() {
        let (mut our, mut their) = (Owned::all(&[2, 3, 4]), Owned::all(&[2, 3, 4]));
        let mut other = Owned::all(&[1, 1, 5]);
        // SAFETY: all are rows of numbers.
        unsafe {
            let (ours, theirs, other) = (start(&mut our), start(&mut their), start(&mut other));
            orthant_isl_seq_combine(ours, ours.add(1), ours, other, other, 3);
            orthant_original_isl_seq_combine(theirs, theirs.add(1), theirs, other, other, 3);
        }
        same(&our, &their);
    }
}
