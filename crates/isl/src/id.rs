//! Identifiers: a name, and a number that the caller attaches.
//!
//! isl keeps one object per name and tag in a context, so equality of identifiers is identity of objects.

use std::ffi::c_void;
use std::hash::{Hash, Hasher};

use crate::ctx::{Ctx, c_text};
use crate::error::Result;
use crate::generated::Id;
use crate::raw;

impl Id {
    /// The identifier with this name.
    pub fn new(cx: &Ctx, name: &str) -> Result<Id> {
        Id::tagged(cx, name, 0)
    }

    /// The identifier with this name and tag. Identifiers with the same name and different tags differ.
    pub fn tagged(cx: &Ctx, name: &str, tag: usize) -> Result<Id> {
        let name = c_text(name)?;
        cx.begin();
        // SAFETY: isl copies the name and never follows the user pointer, which is a number.
        let raw = unsafe { raw::isl_id_alloc(cx.as_raw(), name.as_ptr(), tag as *mut c_void) };
        cx.give(raw)
    }

    /// The tag, 0 if none was given.
    pub fn tag(&self) -> usize {
        // SAFETY: the identifier is live; the pointer is only looked at as a number.
        unsafe { raw::isl_id_get_user(self.as_raw()) as usize }
    }
}

impl PartialEq for Id {
    fn eq(&self, other: &Id) -> bool {
        self.as_raw() == other.as_raw()
    }
}

impl Eq for Id {}

impl Hash for Id {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_raw().hash(state);
    }
}
