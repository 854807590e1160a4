//! Handles: owned, non-null isl objects.
//!
//! `handle!` defines one type: the pointer and the context. Dropping it frees the object, `into_raw` gives it away
//! (`__isl_take`), `as_raw` lends it (`__isl_keep`). The other macros add the traits whose functions isl has for the
//! type. All of them are invoked by the generated code.

use std::ptr::NonNull;

use crate::ctx::Ctx;
use crate::error::Result;

/// An owned isl object.
pub(crate) trait Handle: Sized {
    /// The C type.
    type Raw;

    /// Takes ownership of an object.
    ///
    /// # Safety
    /// `raw` is a live object of `cx`, and the caller owns it.
    unsafe fn adopt(raw: NonNull<Self::Raw>, cx: &Ctx) -> Self;

    /// Gives up ownership.
    fn into_raw(self) -> *mut Self::Raw;

    /// The object's context.
    fn ctx(&self) -> &Ctx;
}

/// Types that isl can read from text in its notation.
///
/// `str::parse` works too and uses the thread's own context, [`Ctx::of_thread`].
pub trait Read: Sized {
    /// Reads `text` into `cx`. isl stops at the end of the object: what follows it is not looked at.
    fn read(cx: &Ctx, text: &str) -> Result<Self>;
}

/// Defines the handle `$name` for the C type `$c`.
macro_rules! handle {
    (@define $name:ident, $c:ident, $free:ident, $doc:literal, { $($hooks:ident: $make:expr)? }) => {
        #[doc = $doc]
        pub struct $name {
            raw: NonNull<raw::$c>,
            ctx: Ctx,
            $($hooks: Hooks,)?
        }

        impl $name {
            /// The context that the object lives in.
            pub fn ctx(&self) -> &Ctx {
                &self.ctx
            }

            /// Whether both are one object of isl, as copies are: then they stand for the same, and what was found out of one holds
            /// for the other. False says nothing.
            pub fn is_identical(&self, other: &$name) -> bool {
                self.raw == other.raw
            }

            #[allow(dead_code)]
            pub(crate) fn as_raw(&self) -> *mut raw::$c {
                self.raw.as_ptr()
            }
        }

        impl Handle for $name {
            type Raw = raw::$c;

            unsafe fn adopt(raw: NonNull<raw::$c>, cx: &Ctx) -> $name {
                cx.count_up();
                $(let $hooks = $make(cx);)?
                $name { raw, ctx: cx.clone(), $($hooks,)? }
            }

            fn into_raw(self) -> *mut raw::$c {
                let this = ManuallyDrop::new(self);
                this.ctx.count_down();
                let raw = this.raw.as_ptr();
                // SAFETY: `this` is never dropped or used again, so each field is moved out once.
                unsafe {
                    drop(ptr::read(&this.ctx));
                    $(drop(ptr::read(&this.$hooks));)?
                }
                raw
            }

            fn ctx(&self) -> &Ctx {
                &self.ctx
            }
        }

        impl Drop for $name {
            fn drop(&mut self) {
                self.ctx.count_down();
                // SAFETY: the handle owns the object, and this is its end.
                unsafe { raw::$free(self.raw.as_ptr()) };
            }
        }
    };
    (plain $name:ident, $c:ident, $free:ident, $doc:literal) => {
        handle!(@define $name, $c, $free, $doc, {});
    };
    (hooked $name:ident, $c:ident, $free:ident, $doc:literal) => {
        handle!(@define $name, $c, $free, $doc, { hooks: Ctx::active_hooks });

        impl $name {
            fn hooks(&self) -> &Hooks {
                &self.hooks
            }
        }
    };
}

/// `Clone` is `isl_X_copy`, which counts a reference and cannot fail on a live object.
macro_rules! clone {
    (plain $name:ident, $copy:ident) => {
        impl Clone for $name {
            fn clone(&self) -> $name {
                // SAFETY: the object is live.
                let copy = copied(unsafe { raw::$copy(self.as_raw()) });
                // SAFETY: the copy is ours and of the same context.
                unsafe { $name::adopt(copy, &self.ctx) }
            }
        }
    };
    (hooked $name:ident, $copy:ident) => {
        impl Clone for $name {
            fn clone(&self) -> $name {
                // SAFETY: the object is live.
                let copy = copied(unsafe { raw::$copy(self.as_raw()) });
                let _active = self.ctx.activate(self.hooks.clone());
                // SAFETY: the copy is ours and of the same context.
                unsafe { $name::adopt(copy, &self.ctx) }
            }
        }
    };
}

/// `Display` and `Debug` in isl's notation. A text that cannot be made (the budget is spent) is replaced by the
/// reason, because a failing `Display` makes `to_string` panic; `to_str` returns the error instead.
macro_rules! notation {
    ($name:ident) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self.to_str() {
                    Ok(text) => f.pad(&text),
                    Err(error) => write!(f, "<{error}>"),
                }
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    };
}

/// `Debug` for types without a notation.
macro_rules! opaque {
    ($name:ident) => {
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name)).finish_non_exhaustive()
            }
        }
    };
}

/// `Read` and `FromStr`.
macro_rules! read {
    ($name:ident) => {
        impl Read for $name {
            fn read(cx: &Ctx, text: &str) -> Result<$name> {
                $name::read_from_str(cx, text).map_err(|error| error.reading(text))
            }
        }

        /// Reads isl's notation into the thread's own context, [`Ctx::of_thread`].
        impl FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<$name> {
                $name::read(&Ctx::of_thread(), text)
            }
        }
    };
}

/// `==` by the method that decides it.
macro_rules! equality {
    ($name:ident, $method:ident) => {
        equality_through!($name, |a, b| $name::$method(a, b));
    };
}

/// `==` by an expression of type `Result<bool>`.
macro_rules! equality_through {
    ($name:ident, |$a:ident, $b:ident| $decide:expr) => {
        impl $name {
            /// Whether both mean the same, or the error that keeps isl from deciding it.
            pub fn try_eq(&self, other: &$name) -> Result<bool> {
                let ($a, $b) = (self, other);
                $decide
            }
        }

        /// Both mean the same (not: look the same). `false` when isl cannot decide it, for example because the
        /// budget is spent or the contexts differ; `try_eq` tells these apart.
        impl PartialEq for $name {
            fn eq(&self, other: &$name) -> bool {
                self.try_eq(other).unwrap_or(false)
            }
        }
    };
}

/// Lists from and to `Vec`.
macro_rules! list {
    ($name:ident, $element:ident) => {
        impl $name {
            /// The elements.
            pub fn to_vec(&self) -> Result<Vec<$element>> {
                (0..self.size()?).map(|at| self.get_at(at)).collect()
            }

            /// A list of `elements`.
            pub fn from_vec(cx: &Ctx, elements: Vec<$element>) -> Result<$name> {
                let list = $name::alloc(cx, elements.len())?;
                elements.into_iter().try_fold(list, $name::add)
            }
        }
    };
}

/// The result of an `isl_X_copy`. It counts a reference; null would mean that the object was null.
pub(crate) fn copied<T>(raw: *mut T) -> NonNull<T> {
    match NonNull::new(raw) {
        Some(raw) => raw,
        None => std::alloc::handle_alloc_error(std::alloc::Layout::new::<usize>()),
    }
}
