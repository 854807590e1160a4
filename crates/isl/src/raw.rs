//! The C side: opaque types and prototypes, generated from the headers.
//!
//! An `enum`, `isl_bool`, `isl_stat` or `isl_size` is a `c_int` here; the safe layer gives it its meaning.

use std::ffi::{c_char, c_int, c_long, c_uint, c_ulong, c_void};

include!(concat!(env!("OUT_DIR"), "/raw.rs"));
