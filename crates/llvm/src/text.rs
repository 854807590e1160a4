//! Strings and lists that the shim hands over through callbacks.

use crate::ffi;
use std::ffi::{c_char, c_void};

/// Runs `ask` with a sink and returns the text it was sent.
pub(crate) fn collect(ask: impl FnOnce(ffi::Sink, *mut c_void)) -> String {
    let mut bytes: Vec<u8> = Vec::new();
    ask(append, (&raw mut bytes).cast());
    String::from_utf8_lossy(&bytes).into_owned()
}

extern "C" fn append(data: *mut c_void, text: *const c_char, length: usize) {
    if length == 0 {
        return;
    }
    // SAFETY: `data` is the vector of `collect`, alive and borrowed by nobody else during the call; the shim
    // promises `length` readable bytes.
    unsafe { (*data.cast::<Vec<u8>>()).extend_from_slice(std::slice::from_raw_parts(text.cast(), length)) }
}

/// Runs `ask` with a visitor and returns what it was shown.
pub(crate) fn list<T: Copy>(ask: impl FnOnce(extern "C" fn(*mut c_void, T), *mut c_void)) -> Vec<T> {
    let mut items: Vec<T> = Vec::new();
    ask(push::<T>, (&raw mut items).cast());
    items
}

extern "C" fn push<T: Copy>(data: *mut c_void, item: T) {
    // SAFETY: `data` is the vector of `list`, alive and borrowed by nobody else during the call.
    unsafe { (*data.cast::<Vec<T>>()).push(item) }
}

/// The bytes of a C++ `StringRef`; text that is no UTF-8 is replaced character by character.
///
/// # Safety
/// `text` points to `length` readable bytes, or `length` is 0.
pub(crate) unsafe fn borrow(text: *const c_char, length: usize) -> String {
    if length == 0 {
        return String::new();
    }
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Sends text to a C++ sink.
pub(crate) fn send(text: &str, sink: ffi::Sink, data: *mut c_void) {
    sink(data, text.as_ptr().cast(), text.len());
}
