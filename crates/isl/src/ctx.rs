//! The context: the arena that every isl object lives in, its error state, and the conversions of results.
//!
//! A [`Ctx`] is a reference-counted owner of an `isl_ctx`. Every handle holds one, so the `isl_ctx` is freed after
//! the last object in it: isl never sees a context die under an object.
//!
//! The conversions (`give`, `truth`, `size`, ...) turn isl's ways of saying "failed" (null, -1) into `Err`. A call
//! clears the error state first (`begin`), so that what is found afterwards is this call's.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::callback::Hooks;
use crate::error::{Error, ErrorKind, Result};
use crate::handle::{Handle, Read};
use crate::heap::orthant_isl_free;
use crate::numbers;
use crate::raw;
use crate::stored;

/// `ISL_ON_ERROR_CONTINUE`: report errors to the caller, print nothing, never abort.
const ON_ERROR_CONTINUE: c_int = 1;

/// The arena that isl objects live in. Cloning it gives another reference to the same context.
///
/// Objects of different contexts cannot be combined: the attempt is an error of kind
/// [`ErrorKind::MixedContexts`]. A context and its objects stay on one thread.
#[derive(Clone)]
pub struct Ctx(Rc<Inner>);

struct Inner {
    raw: NonNull<raw::isl_ctx>,
    /// How many handles exist.
    live: Cell<usize>,
    /// What a closure failed with, until the call that ran it returns.
    failure: Cell<Option<Failure>>,
    /// The hooks of the calls under way, innermost last.
    active: RefCell<Vec<Hooks>>,
}

/// How a closure failed.
pub(crate) enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: no handle holds the context any more, and `raw` came from `isl_ctx_alloc`.
        unsafe { raw::isl_ctx_free(self.raw.as_ptr()) }
    }
}

thread_local! {
    static OF_THREAD: Ctx = Ctx::new();
}

impl Ctx {
    /// A new context.
    pub fn new() -> Ctx {
        numbers::verify();
        stored::verify();
        // SAFETY: takes no arguments.
        let raw = unsafe { raw::isl_ctx_alloc() };
        let Some(raw) = NonNull::new(raw) else {
            std::alloc::handle_alloc_error(std::alloc::Layout::new::<Inner>());
        };
        // SAFETY: `raw` is a live context.
        unsafe { raw::isl_options_set_on_error(raw.as_ptr(), ON_ERROR_CONTINUE) };
        Ctx(Rc::new(Inner {
            raw,
            live: Cell::new(0),
            failure: Cell::new(None),
            active: RefCell::new(Vec::new()),
        }))
    }

    /// The context that `str::parse` uses on this thread.
    pub fn of_thread() -> Ctx {
        OF_THREAD.try_with(Ctx::clone).unwrap_or_default()
    }

    /// Reads an object in isl's notation.
    ///
    /// ```
    /// let ctx = isl::Ctx::new();
    /// let triangle: isl::Set = ctx.parse("[n] -> { [i, j] : 0 <= i <= j < n }")?;
    /// # Ok::<(), isl::Error>(())
    /// ```
    pub fn parse<T: Read>(&self, text: &str) -> Result<T> {
        T::read(self, text)
    }

    /// How many handles of this context exist. Clones of one object count each.
    pub fn live_objects(&self) -> usize {
        self.0.live.get()
    }

    pub(crate) fn as_raw(&self) -> *mut raw::isl_ctx {
        self.0.raw.as_ptr()
    }

    pub(crate) fn count_up(&self) {
        self.0.live.set(self.0.live.get() + 1);
    }

    pub(crate) fn count_down(&self) {
        self.0.live.set(self.0.live.get() - 1);
    }

    /// How many objects isl itself counts in this context.
    ///
    /// The count is the first member of isl's private `struct isl_ctx`; whether that is so is tested together with it.
    #[cfg(test)]
    fn references(&self) -> c_int {
        // SAFETY: the context is live and larger than an `int`.
        unsafe { *self.as_raw().cast::<c_int>() }
    }

    /// `Ok` when `other` is this context.
    pub(crate) fn same(&self, other: &Ctx) -> Result<()> {
        if Rc::ptr_eq(&self.0, &other.0) {
            return Ok(());
        }
        Err(Error::new(
            ErrorKind::MixedContexts,
            "the objects belong to different contexts; make them in one context",
            None,
        ))
    }

    // ---- the error state ----

    /// Forgets earlier errors, so that an error found after the next call is that call's.
    pub(crate) fn begin(&self) {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_reset_error(self.as_raw()) }
    }

    fn has_error(&self) -> bool {
        // SAFETY: the context is live.
        unsafe { raw::isl_ctx_last_error(self.as_raw()) != 0 }
    }

    /// Takes the error that isl recorded.
    pub(crate) fn last_error(&self) -> Error {
        let cx = self.as_raw();
        // SAFETY: the context is live, and isl's message and file are null or strings that outlive this function.
        let (code, message, file, line) = unsafe {
            (
                raw::isl_ctx_last_error(cx),
                c_string(raw::isl_ctx_last_error_msg(cx)),
                c_string(raw::isl_ctx_last_error_file(cx)),
                raw::isl_ctx_last_error_line(cx),
            )
        };
        self.begin();
        // A spent budget can surface as another error, for example a syntax error of a reader that got no token.
        let kind = match self.budget_is_spent() {
            true => ErrorKind::Budget,
            false => kind_of(code),
        };
        let message =
            message.filter(|_| kind == kind_of(code)).unwrap_or_else(|| default_message(kind).to_owned());
        let place = file.zip(u32::try_from(line).ok());
        Error::new(kind, message, place)
    }

    // ---- closures ----

    pub(crate) fn fail(&self, failure: Failure) {
        self.0.failure.set(Some(failure));
    }

    pub(crate) fn has_failed(&self) -> bool {
        let failure = self.0.failure.take();
        let failed = failure.is_some();
        self.0.failure.set(failure);
        failed
    }

    /// Ends a call that may have run closures: what a closure failed with comes out here, after isl has returned.
    pub(crate) fn settle<T>(&self, result: Result<T>) -> Result<T> {
        match self.0.failure.take() {
            None => result,
            Some(failure) => {
                drop(result);
                self.begin();
                match failure {
                    Failure::Error(error) => Err(error),
                    Failure::Panic(payload) => std::panic::resume_unwind(payload),
                }
            }
        }
    }

    /// Makes `hooks` those of the objects that isl hands out until the guard is dropped.
    pub(crate) fn activate(&self, hooks: Hooks) -> Active<'_> {
        self.0.active.borrow_mut().push(hooks);
        Active(self)
    }

    pub(crate) fn active_hooks(&self) -> Hooks {
        self.0.active.borrow().last().cloned().unwrap_or_default()
    }

    // ---- conversions of results ----

    /// `__isl_give`: an object, or the error that kept isl from making one.
    pub(crate) fn give<T: Handle>(&self, raw: *mut T::Raw) -> Result<T> {
        match NonNull::new(raw) {
            // SAFETY: isl gave the object away, and it belongs to the context of the arguments.
            Some(raw) => Ok(unsafe { T::adopt(raw, self) }),
            None => Err(self.last_error()),
        }
    }

    /// An object, nothing, or an error.
    pub(crate) fn give_optional<T: Handle>(&self, raw: *mut T::Raw) -> Result<Option<T>> {
        if raw.is_null() && !self.has_error() {
            return Ok(None);
        }
        self.give(raw).map(Some)
    }

    /// `isl_bool`.
    pub(crate) fn truth(&self, raw: c_int) -> Result<bool> {
        if raw < 0 { Err(self.last_error()) } else { Ok(raw != 0) }
    }

    /// `isl_stat`.
    pub(crate) fn status(&self, raw: c_int) -> Result<()> {
        if raw < 0 { Err(self.last_error()) } else { Ok(()) }
    }

    /// `isl_size`.
    pub(crate) fn size(&self, raw: c_int) -> Result<usize> {
        usize::try_from(raw).map_err(|_| self.last_error())
    }

    /// A position, or -1 for "not found" when there is no error.
    pub(crate) fn found(&self, raw: c_int) -> Result<Option<usize>> {
        self.value(usize::try_from(raw).ok())
    }

    /// A plain value: only the error state tells whether it means something.
    pub(crate) fn value<T>(&self, raw: T) -> Result<T> {
        if self.has_error() { Err(self.last_error()) } else { Ok(raw) }
    }

    /// An enumeration.
    pub(crate) fn variant<T: Variant>(&self, raw: c_int) -> Result<T> {
        T::from_c(raw).ok_or_else(|| self.last_error())
    }

    /// `const char *`: null without an error means that there is no such text.
    pub(crate) fn text(&self, raw: *const c_char) -> Result<Option<String>> {
        // SAFETY: null or a string owned by an object that is still alive.
        let text = unsafe { c_string(raw) };
        if text.is_none() { self.value(None) } else { Ok(text) }
    }

    /// `__isl_give char *`.
    pub(crate) fn owned_text(&self, raw: *mut c_char) -> Result<String> {
        // SAFETY: null or a string that isl allocated and gave away; it is freed once.
        let text = unsafe {
            let text = c_string(raw);
            orthant_isl_free(raw.cast::<c_void>());
            text
        };
        text.ok_or_else(|| self.last_error())
    }
}

impl Default for Ctx {
    fn default() -> Ctx {
        Ctx::new()
    }
}

impl fmt::Debug for Ctx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ctx").field("live_objects", &self.live_objects()).finish_non_exhaustive()
    }
}

/// Two references are equal when they are to the same context.
impl PartialEq for Ctx {
    fn eq(&self, other: &Ctx) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Ctx {}

/// Ends the activity of some hooks.
pub(crate) struct Active<'a>(&'a Ctx);

impl Drop for Active<'_> {
    fn drop(&mut self) {
        let ended = self.0.0.active.borrow_mut().pop();
        drop(ended);
    }
}

/// A C enumeration.
pub(crate) trait Variant: Sized {
    /// The variant with this value; none for isl's `_error` constants.
    fn from_c(value: c_int) -> Option<Self>;
}

/// # Safety
/// `raw` is null or a C string that is alive during the call.
unsafe fn c_string(raw: *const c_char) -> Option<String> {
    if raw.is_null() {
        return None;
    }
    // SAFETY: not null, so a C string by the caller's promise.
    Some(unsafe { CStr::from_ptr(raw) }.to_string_lossy().into_owned())
}

/// `text` for isl, which copies it.
pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::new(ErrorKind::Invalid, "the text contains a NUL character", None))
}

/// A count or position for isl, which computes with `int` inside.
pub(crate) fn position<T: TryFrom<c_int>>(position: usize) -> Result<T> {
    c_int::try_from(position)
        .ok()
        .and_then(|small| T::try_from(small).ok())
        .ok_or_else(|| Error::new(ErrorKind::Invalid, format!("position {position} is out of range"), None))
}

/// The values of `enum isl_error`.
fn kind_of(code: c_int) -> ErrorKind {
    match code {
        1 => ErrorKind::Aborted,
        2 => ErrorKind::OutOfMemory,
        4 => ErrorKind::Internal,
        5 => ErrorKind::Invalid,
        6 => ErrorKind::Budget,
        7 => ErrorKind::Unsupported,
        _ => ErrorKind::Unknown,
    }
}

fn default_message(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Budget => "maximal number of operations exceeded",
        ErrorKind::OutOfMemory => "out of memory",
        ErrorKind::Aborted => "the computation was aborted",
        _ => "the call failed without a reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Map, Set};

    #[test]
    fn isl_counts_no_objects_when_the_handles_are_gone() {
        let ctx = Ctx::new();
        assert_eq!(ctx.references(), 0);
        let text = "[n] -> { [i, j] : 0 <= i < n and exists k : 0 <= j < 3k }";
        let set: Set = ctx.parse(text).unwrap();
        assert!(ctx.references() > 0, "the first member of isl_ctx is not its reference count any more");
        let copy = set.clone();
        assert_eq!(ctx.live_objects(), 2);
        let identity = copy.clone().identity();
        assert_eq!(ctx.live_objects(), 2 + usize::from(identity.is_ok()));
        drop((set, copy, identity));
        assert_eq!(ctx.live_objects(), 0);
        assert_eq!(ctx.references(), 0);
    }

    #[test]
    fn failing_calls_free_what_they_take() {
        let ctx = Ctx::new();
        for budget in 0..400 {
            let outcome = ctx.with_budget(budget, || -> Result<Set> {
                let set: Set = ctx.parse("[n] -> { A[i, j] : 0 <= i < n and 0 <= 2j < i }")?;
                let map: Map = ctx.parse("[m] -> { A[i, j] -> B[i + j] : j < m }")?;
                set.apply(map)?.lexmin()
            });
            assert_eq!(ctx.live_objects(), usize::from(outcome.is_ok()));
            drop(outcome);
            assert_eq!(ctx.references(), 0, "budget {budget}");
        }
    }
}
