//! The generated handles, enumerations and methods.

#![allow(
    clippy::should_implement_trait,
    clippy::wrong_self_convention,
    clippy::too_many_arguments,
    clippy::new_ret_no_self,
    clippy::len_without_is_empty,
    reason = "the methods have isl's names and arguments"
)]

use std::cmp::Ordering;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::mem::ManuallyDrop;
use std::ptr::{self, NonNull};
use std::str::FromStr;

use crate::callback::{Closure, Hooks};
use crate::ctx::{Ctx, Variant, c_text, position};
use crate::error::{Error, Result};
use crate::guard;
use crate::handle::{Handle, Read, copied};
use crate::raw;

include!(concat!(env!("OUT_DIR"), "/safe.rs"));
