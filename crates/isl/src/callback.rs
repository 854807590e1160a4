//! Rust closures as isl callbacks.
//!
//! isl takes a C function and a user pointer. The generated C function (a *trampoline*) gets the user pointer back,
//! finds the [`Closure`] behind it and runs it. A closure lives in one of two places:
//!
//! - *scoped*: on the stack of the method that passes it to isl, for callbacks that run during that call only;
//! - *stored*: in an `Rc`, for hooks that isl keeps in an object (`isl_ast_build`, `isl_ast_print_options`). The
//!   handle of the object holds [`Hooks`], the list of all closures that the object may call. A handle that isl makes
//!   during a call on such an object (a copy handed to a hook, the result) gets the hooks of that call, so every
//!   handle through which isl can reach a closure keeps it alive.
//!
//! A closure that returns an error or panics leaves that in the context and makes isl stop by returning isl's error
//! value; until isl has returned, no other closure of that context runs. The method then returns the error or resumes
//! the panic (`Ctx::settle`). Nothing unwinds through C.

use std::any::Any;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::ffi::{c_int, c_void};
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::rc::Rc;

use crate::ctx::{Ctx, Failure, Variant};
use crate::error::{Error, ErrorKind, Result};
use crate::handle::Handle;

/// A closure with the context of the call that runs it.
pub(crate) struct Closure<F> {
    cx: Ctx,
    f: F,
}

impl<F> Closure<F> {
    /// A closure for one call. The cell turns a re-entrant call, which isl never makes, into an error.
    pub(crate) fn scoped(cx: &Ctx, f: F) -> Closure<RefCell<F>> {
        Closure { cx: cx.clone(), f: RefCell::new(f) }
    }

    /// A closure that isl may call as long as the object it is stored in lives.
    pub(crate) fn stored(cx: &Ctx, f: F) -> Rc<Closure<F>> {
        Rc::new(Closure { cx: cx.clone(), f })
    }

    /// The user pointer for isl.
    pub(crate) fn user(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast::<c_void>()
    }

    /// # Safety
    /// `user` comes from [`Closure::user`] on a scoped closure of type `F` that is still alive.
    pub(crate) unsafe fn scoped_from<'a>(user: *mut c_void) -> &'a Closure<RefCell<F>> {
        // SAFETY: by the caller's promise.
        unsafe { &*user.cast::<Closure<RefCell<F>>>() }
    }

    /// # Safety
    /// `user` comes from [`Closure::user`] on a stored closure of type `F` that is still alive.
    pub(crate) unsafe fn stored_from<'a>(user: *mut c_void) -> &'a Closure<F> {
        // SAFETY: by the caller's promise.
        unsafe { &*user.cast::<Closure<F>>() }
    }

    /// A callback argument that isl gives away.
    ///
    /// # Safety
    /// `raw` is null or a live object of the closure's context, given away by isl.
    pub(crate) unsafe fn own<T: Handle>(&self, raw: *mut T::Raw) -> Result<T> {
        match NonNull::new(raw) {
            // SAFETY: by the caller's promise.
            Some(raw) => Ok(unsafe { T::adopt(raw, &self.cx) }),
            None => Err(missing()),
        }
    }

    /// A callback argument that isl keeps.
    ///
    /// # Safety
    /// `raw` is null or an object of the closure's context that lives as long as the result.
    pub(crate) unsafe fn lend<T: Handle>(&self, raw: *mut T::Raw) -> Result<Lent<T>> {
        // SAFETY: by the caller's promise; `Lent` gives the object back instead of freeing it.
        unsafe { self.own(raw) }.map(|object| Lent(Some(object)))
    }

    /// An enumeration argument.
    pub(crate) fn variant<T: Variant>(&self, raw: c_int) -> Result<T> {
        T::from_c(raw).ok_or_else(missing)
    }

    /// Runs a stored closure.
    pub(crate) fn run<R: Reply>(&self, call: impl FnOnce(&F) -> Result<R>) -> R::C {
        guarded(&self.cx, || call(&self.f))
    }
}

impl<F> Closure<RefCell<F>> {
    /// Runs a scoped closure.
    pub(crate) fn run_mut<R: Reply>(&self, call: impl FnOnce(&mut F) -> Result<R>) -> R::C {
        guarded(&self.cx, || match self.f.try_borrow_mut() {
            Ok(mut f) => call(&mut f),
            Err(_) => Err(Error::new(ErrorKind::Internal, "isl called a closure while it was running", None)),
        })
    }
}

fn missing() -> Error {
    Error::new(ErrorKind::Internal, "isl called a closure without its argument", None)
}

/// Runs `body` so that neither an error nor a panic escapes into isl.
fn guarded<R: Reply>(cx: &Ctx, body: impl FnOnce() -> Result<R>) -> R::C {
    if cx.has_failed() {
        return R::FAILED;
    }
    let failure = match catch_unwind(AssertUnwindSafe(|| body()?.reply(cx))) {
        Ok(Ok(reply)) => return reply,
        Ok(Err(error)) => Failure::Error(error),
        Err(payload) => Failure::Panic(payload),
    };
    cx.fail(failure);
    R::FAILED
}

/// What a closure may return to isl.
pub(crate) trait Reply {
    /// The C type.
    type C;
    /// The value that makes isl stop.
    const FAILED: Self::C;
    /// The value for isl.
    fn reply(self, cx: &Ctx) -> Result<Self::C>;
}

impl Reply for () {
    type C = c_int;
    const FAILED: c_int = -1;
    fn reply(self, _: &Ctx) -> Result<c_int> {
        Ok(0)
    }
}

impl Reply for bool {
    type C = c_int;
    const FAILED: c_int = -1;
    fn reply(self, _: &Ctx) -> Result<c_int> {
        Ok(self.into())
    }
}

/// A comparison cannot fail in C; the error comes out when the call returns.
impl Reply for Ordering {
    type C = c_int;
    const FAILED: c_int = 0;
    fn reply(self, _: &Ctx) -> Result<c_int> {
        Ok(self as c_int)
    }
}

impl<T: Handle> Reply for T {
    type C = *mut T::Raw;
    const FAILED: *mut T::Raw = std::ptr::null_mut();
    fn reply(self, cx: &Ctx) -> Result<*mut T::Raw> {
        cx.same(Handle::ctx(&self))?;
        Ok(self.into_raw())
    }
}

/// An object that isl still owns.
pub(crate) struct Lent<T: Handle>(Option<T>);

impl<T: Handle> Deref for Lent<T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.0 {
            Some(object) => object,
            None => unreachable!("emptied by drop only"),
        }
    }
}

impl<T: Handle> Drop for Lent<T> {
    fn drop(&mut self) {
        if let Some(object) = self.0.take() {
            object.into_raw();
        }
    }
}

/// The closures that an object may call: a list that shares its tail with the object it was made from.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    _latest: Option<Rc<Hook>>,
}

struct Hook {
    /// Only held, never looked at: isl has the pointer.
    _closure: Rc<dyn Any>,
    _earlier: Hooks,
}

impl Hooks {
    /// These hooks and one more.
    pub(crate) fn with(&self, closure: Rc<dyn Any>) -> Hooks {
        let hook = Hook { _closure: closure, _earlier: self.clone() };
        Hooks { _latest: Some(Rc::new(hook)) }
    }
}
