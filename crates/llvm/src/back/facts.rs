//! What the new loops tell LLVM's own analyses.
//!
//! Inside the new code two things hold that LLVM could not prove: accesses to different arrays of the model touch
//! different bytes (by the run-time check, or by LLVM's own word when the nest was lifted), and the iterations of a
//! loop that the schedule marks as parallel do not depend on each other. The first becomes an alias scope for each array,
//! the second an access group for each such loop. Nothing is said that permits reassociation: no vectorizer
//! hint, whose mere presence does.

use crate::ffi;
use crate::front::lift::{ArraySource, Touched};
use crate::pass::{Block, Pass, Value};
use llvm_sys::prelude::LLVMMetadataRef;
use model::ArrayId;
use std::cell::Cell;
use std::marker::PhantomData;

/// The facts of one model's new loops.
pub struct Facts<'p> {
    pass: Pass<'p>,
    /// For each array of the model its scope; those that are not memory have none.
    scopes: Vec<Option<LLVMMetadataRef>>,
    /// Arrays that may overlap after all.
    overlap: Vec<(ArrayId, ArrayId)>,
    /// The group of the parallel loop that is being written.
    group: Cell<Option<LLVMMetadataRef>>,
}

/// The access group of a parallel loop.
#[derive(Clone, Copy)]
pub struct Group<'p>(LLVMMetadataRef, PhantomData<&'p ()>);

impl<'p> Facts<'p> {
    /// For these arrays, of which some pairs may overlap, and `scratch` more behind them that are memory of the new loops
    /// alone.
    pub fn new(
        pass: Pass<'p>,
        arrays: &[ArraySource<'p>],
        overlap: &[(ArrayId, ArrayId)],
        scratch: usize,
    ) -> Self {
        let mut raw = vec![std::ptr::null_mut(); arrays.len() + scratch];
        // SAFETY: there is room for as many scopes as are asked for; they belong to the run's context.
        unsafe { ffi::orthant_alias_scopes(pass.raw(), raw.as_mut_ptr(), raw.len()) };
        let is_memory =
            |source: &ArraySource<'p>| matches!(source, ArraySource::Base(_) | ArraySource::Rows(_));
        let has_scope = |index: usize| arrays.get(index).is_none_or(is_memory);
        let scopes = raw.into_iter().enumerate().map(|(index, scope)| has_scope(index).then_some(scope));
        Self { pass, scopes: scopes.collect(), overlap: overlap.to_vec(), group: Cell::new(None) }
    }

    /// Opens a parallel loop: what is written until [`Facts::close`] belongs to it.
    pub fn open(&self) -> Group<'p> {
        // SAFETY: the run is live.
        let group = unsafe { ffi::orthant_access_group(self.pass.raw()) };
        self.group.set(Some(group));
        Group(group, PhantomData)
    }

    /// Closes the loop; its latch ends with the branch back. LLVM may unroll it unless it stays rolled.
    pub fn close(&self, group: Group<'p>, latch: Block<'p>, stays_rolled: bool) {
        self.group.set(None);
        // SAFETY: the block is of the run and has a terminator.
        unsafe { ffi::orthant_parallel_loop(latch.raw, group.0, stays_rolled) };
    }

    /// Says of a loop over rows, whose latch ends with the branch back, whether its iterations are to be written out: right away
    /// inside of a parallel loop, which LLVM's vectorizer then sees without it, or else when that has passed.
    pub fn rows(&self, latch: Block<'p>, are_written_out: bool) {
        let when = match (are_written_out, self.group.get()) {
            (false, _) => 2,
            (true, None) => 1,
            (true, Some(_)) => 0,
        };
        // SAFETY: the block is of the run and has a terminator.
        unsafe { ffi::orthant_rows(latch.raw, when) };
    }

    /// Whether two arrays may have a cell in common.
    pub fn may_overlap(&self, a: ArrayId, b: ArrayId) -> bool {
        a == b || self.overlap.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
    }

    /// Says about the copy of an access what is known.
    pub fn annotate(&self, copy: Value<'p>, touched: Touched) {
        let own = self.scopes.get(touched.array.index()).copied().flatten();
        let Some(own) = own else { return };
        let is_apart = |other: &usize| !self.may_overlap(touched.array, ArrayId(*other as u32));
        let others = (0..self.scopes.len()).filter(is_apart).filter_map(|other| self.scopes[other]);
        let others: Vec<_> = others.collect();
        let group = self.group.get().unwrap_or(std::ptr::null_mut());
        // SAFETY: the instruction and all metadata are of the run.
        unsafe { ffi::orthant_annotate(copy.raw, own, others.as_ptr(), others.len(), group) };
    }
}
