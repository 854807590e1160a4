//! Flow analysis for one sink at a time, with restrictions.
//!
//! [`UnionAccessInfo`](crate::UnionAccessInfo) analyses a whole program at once. [`AccessInfo`] is isl's older
//! interface, which in return asks the caller for the order of accesses and lets a *restriction* cut down, at each
//! step, the pairs of source and sink that are compared: the way to bring in run-time knowledge such as the value of
//! a data-dependent condition.
//!
//! Accesses are named by numeric tags. `level_before(a, b)` describes how two accesses lie in the program: with `n`
//! loops around both, it is `2 * n + 1` if `a` comes first in the text and `2 * n` otherwise.
//!
//! The C interface passes no user pointer to `level_before`, so the pointer that stands for an access is one to an
//! [`Access`], from which both the tag and the closure are found.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::NonNull;
use std::rc::Rc;

use crate::callback::{Closure, Lent, Reply};
use crate::ctx::{Ctx, position};
use crate::error::Result;
use crate::generated::{Map, Restriction, Set};
use crate::handle::Handle;
use crate::raw;

type LevelBefore = Box<dyn Fn(usize, usize) -> Result<usize>>;
type Restrict = Box<dyn Fn(&Map, &Set, usize) -> Result<Restriction>>;

/// A sink, its possible sources, and how they lie in the program.
pub struct AccessInfo {
    sink: (Map, usize),
    sources: Vec<Source>,
    level_before: Rc<Closure<LevelBefore>>,
    restrict: Option<Rc<Closure<Restrict>>>,
}

struct Source {
    access: Map,
    must: bool,
    tag: usize,
}

/// What isl's opaque access pointers point to.
struct Access {
    tag: usize,
    level_before: Rc<Closure<LevelBefore>>,
}

impl Access {
    fn user(&self) -> *mut c_void {
        std::ptr::from_ref(self).cast_mut().cast::<c_void>()
    }

    /// # Safety
    /// `user` comes from [`Access::user`] on an access that is still alive.
    unsafe fn from_user<'a>(user: *mut c_void) -> &'a Access {
        // SAFETY: by the caller's promise.
        unsafe { &*user.cast::<Access>() }
    }
}

impl AccessInfo {
    /// The analysis of the access relation `sink`, named by `tag`.
    pub fn new<F>(sink: Map, tag: usize, level_before: F) -> AccessInfo
    where
        F: Fn(usize, usize) -> Result<usize> + 'static,
    {
        let level_before: LevelBefore = Box::new(level_before);
        AccessInfo {
            level_before: Closure::stored(sink.ctx(), level_before),
            sink: (sink, tag),
            sources: Vec::new(),
            restrict: None,
        }
    }

    /// Adds a possible source. A `must` source overwrites what it writes; another may.
    pub fn add_source(mut self, access: Map, must: bool, tag: usize) -> Result<AccessInfo> {
        self.sink.0.ctx().same(access.ctx())?;
        self.sources.push(Source { access, must, tag });
        Ok(self)
    }

    /// Calls `restrict` with each relation from sinks to possible sources, the sinks still without a source, and the
    /// source's tag.
    pub fn set_restrict<F>(mut self, restrict: F) -> AccessInfo
    where
        F: Fn(&Map, &Set, usize) -> Result<Restriction> + 'static,
    {
        let restrict: Restrict = Box::new(restrict);
        self.restrict = Some(Closure::stored(self.sink.0.ctx(), restrict));
        self
    }

    /// Finds the last source before each sink.
    pub fn compute_flow(self) -> Result<Flow> {
        let cx = &self.sink.0.ctx().clone();
        let count = position(self.sources.len())?;
        let tags = std::iter::once(self.sink.1).chain(self.sources.iter().map(|source| source.tag));
        let accesses: Box<[Access]> =
            tags.map(|tag| Access { tag, level_before: self.level_before.clone() }).collect();
        cx.begin();
        // SAFETY: the maps are live, of one context and given away; the accesses and closures outlive the call, and
        // `isl_flow`, which keeps the access pointers, is bundled with the accesses. A null on the way is passed on
        // by isl.
        let raw = unsafe {
            let mut info =
                raw::isl_access_info_alloc(self.sink.0.into_raw(), accesses[0].user(), level_before, count);
            for (source, access) in self.sources.into_iter().zip(&accesses[1..]) {
                let must = c_int::from(source.must);
                info = raw::isl_access_info_add_source(info, source.access.into_raw(), must, access.user());
            }
            if let Some(closure) = &self.restrict {
                info = raw::isl_access_info_set_restrict(info, restrict, closure.user());
            }
            raw::isl_access_info_compute_flow(info)
        };
        let flow = match NonNull::new(raw) {
            Some(raw) => Ok(Flow::new(raw, cx, accesses)),
            None => Err(cx.last_error()),
        };
        cx.settle(flow)
    }
}

impl fmt::Debug for AccessInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessInfo")
            .field("sink", &self.sink)
            .field("sources", &self.sources.len())
            .finish_non_exhaustive()
    }
}

unsafe extern "C" fn level_before(first: *mut c_void, second: *mut c_void) -> c_int {
    // SAFETY: isl passes on the pointers of two accesses, which outlive the flow computation.
    let (first, second) = unsafe { (Access::from_user(first), Access::from_user(second)) };
    first.level_before.run(|f| f(first.tag, second.tag).map(Level))
}

unsafe extern "C" fn restrict(
    source_map: *mut raw::isl_map,
    sink: *mut raw::isl_set,
    source: *mut c_void,
    user: *mut c_void,
) -> *mut raw::isl_restriction {
    // SAFETY: `user` is the stored closure, `source` an access, and isl keeps the map and the set during the call.
    unsafe {
        let closure = Closure::<Restrict>::stored_from(user);
        let tag = Access::from_user(source).tag;
        let source_map: Result<Lent<Map>> = closure.lend(source_map);
        let sink: Result<Lent<Set>> = closure.lend(sink);
        closure.run(move |f| f(&*source_map?, &*sink?, tag))
    }
}

/// A level as isl wants it. isl has no error value for it; the error comes out when the call returns.
struct Level(usize);

impl Reply for Level {
    type C = c_int;
    const FAILED: c_int = 0;
    fn reply(self, _: &Ctx) -> Result<c_int> {
        position(self.0)
    }
}

/// The dependences of one sink.
pub struct Flow {
    raw: NonNull<raw::isl_flow>,
    ctx: Ctx,
    /// Only held: isl has pointers to them.
    _accesses: Box<[Access]>,
}

impl Flow {
    fn new(raw: NonNull<raw::isl_flow>, cx: &Ctx, accesses: Box<[Access]>) -> Flow {
        cx.count_up();
        Flow { raw, ctx: cx.clone(), _accesses: accesses }
    }

    /// Calls `f` with each dependence (a relation from sources to sinks), whether it certainly holds, and the
    /// source's tag.
    pub fn foreach<F: FnMut(Map, bool, usize) -> Result<()>>(&self, f: F) -> Result<()> {
        unsafe extern "C" fn call<F: FnMut(Map, bool, usize) -> Result<()>>(
            dependence: *mut raw::isl_map,
            must: c_int,
            source: *mut c_void,
            user: *mut c_void,
        ) -> c_int {
            // SAFETY: `user` is the scoped closure below, `source` an access, and isl gives the map away.
            unsafe {
                let closure = Closure::<F>::scoped_from(user);
                let tag = Access::from_user(source).tag;
                let dependence = closure.own::<Map>(dependence);
                closure.run_mut(move |f| f(dependence?, must != 0, tag))
            }
        }
        let closure = Closure::scoped(&self.ctx, f);
        self.ctx.begin();
        // SAFETY: the flow is live, and the closure outlives the call.
        let raw = unsafe { raw::isl_flow_foreach(self.raw.as_ptr(), call::<F>, closure.user()) };
        self.ctx.settle(self.ctx.status(raw))
    }

    /// The sinks that certainly (`must`) or possibly have no source.
    pub fn no_source(&self, must: bool) -> Result<Map> {
        self.ctx.begin();
        // SAFETY: the flow is live.
        let raw = unsafe { raw::isl_flow_get_no_source(self.raw.as_ptr(), must.into()) };
        self.ctx.give(raw)
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.ctx.count_down();
        // SAFETY: the handle owns the flow, and this is its end.
        unsafe { raw::isl_flow_free(self.raw.as_ptr()) };
    }
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow").finish_non_exhaustive()
    }
}
