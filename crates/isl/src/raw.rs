//! The C side: opaque types and prototypes, generated from the headers, and the C allocator's `free`.
//!
//! An `enum`, `isl_bool`, `isl_stat` or `isl_size` is a `c_int` here; the safe layer gives it its meaning.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

include!(concat!(env!("OUT_DIR"), "/raw.rs"));

// SAFETY: the C library's own prototype.
unsafe extern "C" {
    /// Releases what isl allocated with `malloc` and gave away, such as the text of a `to_str`.
    pub(crate) fn free(pointer: *mut c_void);
}
