//! Bounds checks of Rust that fail, and raw pointers that overlap.
#![no_std]

unsafe extern "C" {
    fn fail(code: i64) -> !;
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    unsafe { fail(1) }
}

/// # Safety
/// The memory is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn copied(n: usize, a: *mut i64, a_len: usize, b: *const i64, b_len: usize) {
    let (a, b) = unsafe { (core::slice::from_raw_parts_mut(a, a_len), core::slice::from_raw_parts(b, b_len)) };
    let mut i = 0;
    while i < n {
        a[i] = 2 * b[i];
        i += 1;
    }
}

/// # Safety
/// The memory is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn square(n: usize, m: usize, a: *mut i64, len: usize) {
    let a = unsafe { core::slice::from_raw_parts_mut(a, len) };
    let mut i = 0;
    while i < n {
        let mut j = 0;
        while j < m {
            a[i * m + j] = (10 * i + j) as i64;
            j += 1;
        }
        i += 1;
    }
}

/// # Safety
/// The memory is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn raw(n: usize, a: *mut i64, b: *const i64) {
    let mut i = 0;
    while i < n {
        unsafe { *a.add(i) = 3 * *b.add(i) };
        i += 1;
    }
}
