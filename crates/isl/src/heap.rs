//! The memory that isl's objects lie in.
//!
//! isl allocates hundreds of thousands of small objects in a second, of few sizes, and frees most of them soon. The
//! C library's allocator took a ninth of its instructions. This one keeps a list of free blocks for each thread and
//! each size; what was freed last is given first. `build/bind.rs` binds isl to it, and nothing else.
//!
//! Before each block is a word with its size class, so that freeing finds the list. Blocks above `LARGEST` come from
//! the C library, each by itself; so do all after [`each_by_itself`], for tools that watch every block.
//!
//! [`Quick`] gives Rust's objects the same memory, for a program or a library that wants it: short lists of small numbers come and go as
//! isl's objects do.
//!
//! Whoever frees a block has it, also if another thread allocated it. Memory is not given back: a compiler that needed
//! it for one function needs it for the next. What a thread leaves behind, the next new thread takes over.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::UnsafeCell;
use std::ffi::{CStr, c_char, c_void};
use std::num::NonZeroUsize;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The alignment that C promises for any block; sizes are multiples of it.
const ALIGN: usize = 16;
/// The word before a block.
const HEADER: usize = size_of::<usize>();
/// Up to here (header included) each size has its class; above, each power of two.
const EXACT: usize = 1024;
const EXACT_CLASSES: usize = EXACT / ALIGN;
const DOUBLINGS: usize = 5;
const CLASSES: usize = EXACT_CLASSES + DOUBLINGS;
/// The largest block that has a class, header included.
const LARGEST: usize = EXACT << DOUBLINGS;
/// The class of what the C library holds.
const FOREIGN: usize = usize::MAX;
/// What is taken from the C library at a time.
const CHUNK: usize = 8 * LARGEST;

// SAFETY: the C library's own prototypes.
unsafe extern "C" {
    fn malloc(size: usize) -> *mut c_void;
    fn realloc(pointer: *mut c_void, size: usize) -> *mut c_void;
    fn free(pointer: *mut c_void);
}

static EACH_BY_ITSELF: AtomicBool = AtomicBool::new(false);

/// From now on the C library holds each block by itself: tools then see one that leaks, or is used after its end.
pub fn each_by_itself() {
    EACH_BY_ITSELF.store(true, Ordering::Relaxed);
}

/// A thread's memory.
struct Heap {
    /// The free blocks of each class. The first word of each is the next one.
    free: [*mut Block; CLASSES],
    /// What is left of the last chunk; null before the first.
    rest: *mut u8,
    left: usize,
}

struct Block {
    next: *mut Block,
}

// SAFETY: whoever has the heap is the only one who knows its blocks.
unsafe impl Send for Heap {}

thread_local! {
    static HEAP: UnsafeCell<Heap> = const { UnsafeCell::new(Heap::EMPTY) };
    static BEQUEST: Bequest = const { Bequest };
}

/// The heaps of threads that have ended.
static LEFT_BEHIND: Mutex<Vec<Heap>> = Mutex::new(Vec::new());

/// Leaves the thread's heap to others when the thread ends.
struct Bequest;

impl Drop for Bequest {
    fn drop(&mut self) {
        if let Ok(mut heaps) = LEFT_BEHIND.lock() {
            // The list may itself want memory of the heap before that is given away.
            heaps.push(Heap::EMPTY);
            if let Some(left) = heaps.last_mut() {
                with_heap(|heap| std::mem::swap(heap, left));
            }
        }
    }
}

/// The heap of the first thread that asked for memory. In a library that a program loads, a thread's own variables are found by a call that
/// takes longer than all else here, and a compiler has one thread.
struct First(UnsafeCell<Heap>);

// SAFETY: only the thread `FIRST_THREAD` uses it.
unsafe impl Sync for First {}

static FIRST: First = First(UnsafeCell::new(Heap::EMPTY));
/// Its [`thread`]; 0 before there is one. If it has ended, another of the same number takes its place.
static FIRST_THREAD: AtomicUsize = AtomicUsize::new(0);

/// A number that no other thread has at the same time: where the system keeps what it knows of this one.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn thread() -> Option<NonZeroUsize> {
    let number: usize;
    // SAFETY: the system's conventions have the address of that memory in its first word.
    unsafe {
        std::arch::asm!("mov {}, fs:[0]", out(reg) number, options(pure, readonly, nostack, preserves_flags));
    }
    NonZeroUsize::new(number)
}

/// Not known in a quick way.
#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn thread() -> Option<NonZeroUsize> {
    None
}

/// `use_it` must not ask for memory of isl.
#[inline(always)]
fn with_heap<T>(use_it: impl FnOnce(&mut Heap) -> T) -> T {
    let me = thread().map_or(0, NonZeroUsize::get);
    if me != 0 && (FIRST_THREAD.load(Ordering::Relaxed) == me || is_first(me)) {
        // SAFETY: the heap is this thread's, and by the promise nobody else refers to it meanwhile.
        return use_it(unsafe { &mut *FIRST.0.get() });
    }
    // SAFETY: as above.
    HEAP.with(|heap| use_it(unsafe { &mut *heap.get() }))
}

/// Whether this thread becomes the first one.
#[cold]
fn is_first(me: usize) -> bool {
    FIRST_THREAD.compare_exchange(0, me, Ordering::Acquire, Ordering::Relaxed).is_ok()
}

impl Heap {
    const EMPTY: Heap = Heap { free: [null_mut(); CLASSES], rest: null_mut(), left: 0 };

    /// A block of a class; null if there is no more memory.
    #[inline]
    fn take(&mut self, class: usize) -> *mut c_void {
        let block = self.free[class];
        if block.is_null() {
            return self.fresh(class);
        }
        // SAFETY: what is in a list is a free block.
        self.free[class] = unsafe { (*block).next };
        block.cast()
    }

    /// A block where no list has one.
    #[cold]
    fn fresh(&mut self, class: usize) -> *mut c_void {
        let size = size_of_class(class);
        if self.left < size {
            return if self.grow() { self.take(class) } else { null_mut() };
        }
        // SAFETY: `left` bytes are there. Each block begins, like the chunk's rest, a header before an aligned place.
        unsafe {
            let block = set_class(self.rest, class);
            self.rest = self.rest.add(size);
            self.left -= size;
            block
        }
    }

    /// Room for a block of any class, from an ended thread or the C library.
    fn grow(&mut self) -> bool {
        if self.rest.is_null()
            && BEQUEST.try_with(|_| ()).is_ok()
            && let Some(heap) = LEFT_BEHIND.lock().ok().and_then(|mut heaps| heaps.pop())
        {
            *self = heap;
            return true;
        }
        // SAFETY: the first header begins a header before an aligned place.
        unsafe {
            let chunk = malloc(CHUNK).cast::<u8>();
            if !chunk.is_null() {
                self.rest = chunk.add(ALIGN - HEADER);
                self.left = CHUNK - (ALIGN - HEADER);
            }
            !chunk.is_null()
        }
    }
}

/// The class of blocks of `size` bytes, header included.
#[inline]
fn class_of(size: usize) -> usize {
    if size <= EXACT {
        size.div_ceil(ALIGN) - 1
    } else {
        EXACT_CLASSES - 1 + ((size - 1) / EXACT).ilog2() as usize + 1
    }
}

/// The size of the blocks of a class, header included.
fn size_of_class(class: usize) -> usize {
    if class < EXACT_CLASSES { (class + 1) * ALIGN } else { EXACT << (class + 1 - EXACT_CLASSES) }
}

/// Writes the header at `start`; the block behind it.
///
/// # Safety
/// A header's room must be there.
unsafe fn set_class(start: *mut u8, class: usize) -> *mut c_void {
    // SAFETY: by the caller's promise.
    unsafe {
        start.cast::<usize>().write(class);
        start.add(HEADER).cast()
    }
}

/// # Safety
/// `block` must be one of this module.
unsafe fn class(block: *mut c_void) -> usize {
    // SAFETY: the header is before it.
    unsafe { block.cast::<usize>().sub(1).read() }
}

/// A block that the C library holds.
#[cold]
fn foreign(size: usize) -> *mut c_void {
    let Some(whole) = size.checked_add(ALIGN) else { return null_mut() };
    // SAFETY: the header is the last word before the aligned place.
    unsafe {
        let start = malloc(whole).cast::<u8>();
        if start.is_null() { null_mut() } else { set_class(start.add(ALIGN - HEADER), FOREIGN) }
    }
}

/// A block that the C library holds, with another size.
///
/// # Safety
/// As for [`orthant_isl_free`].
unsafe fn foreign_again(block: *mut c_void, size: usize) -> *mut c_void {
    let Some(whole) = size.checked_add(ALIGN) else { return null_mut() };
    // SAFETY: the C library gave what begins before the block, and keeps the header in it.
    unsafe {
        let start = realloc(block.cast::<u8>().sub(ALIGN).cast(), whole).cast::<u8>();
        if start.is_null() { null_mut() } else { start.add(ALIGN).cast() }
    }
}

/// `malloc` for isl.
#[unsafe(no_mangle)]
extern "C" fn orthant_isl_malloc(size: usize) -> *mut c_void {
    if size > LARGEST - HEADER || EACH_BY_ITSELF.load(Ordering::Relaxed) {
        return foreign(size);
    }
    with_heap(|heap| heap.take(class_of(size + HEADER)))
}

/// `free` for isl, and for what isl gave away, such as the text of a `to_str`.
///
/// # Safety
/// `block` must be null or a block from here that nobody uses any more.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn orthant_isl_free(block: *mut c_void) {
    if block.is_null() {
        return;
    }
    // SAFETY: by the caller's promise; a block has room for a pointer, because sizes with header are multiples of 16.
    unsafe {
        match class(block) {
            FOREIGN => free(block.cast::<u8>().sub(ALIGN).cast()),
            class => with_heap(|heap| {
                let block = block.cast::<Block>();
                (*block).next = heap.free[class];
                heap.free[class] = block;
            }),
        }
    }
}

/// `calloc` for isl.
#[unsafe(no_mangle)]
extern "C" fn orthant_isl_calloc(number: usize, size: usize) -> *mut c_void {
    let Some(size) = number.checked_mul(size) else { return null_mut() };
    let block = orthant_isl_malloc(size);
    if !block.is_null() {
        // SAFETY: the block has this size.
        unsafe { block.cast::<u8>().write_bytes(0, size) };
    }
    block
}

/// `realloc` for isl.
///
/// # Safety
/// As for [`orthant_isl_free`].
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return orthant_isl_malloc(size);
    }
    // SAFETY: by the caller's promise; the old block's room is copied only into a larger one.
    unsafe {
        let class = class(block);
        if class == FOREIGN {
            return foreign_again(block, size);
        }
        let room = size_of_class(class) - HEADER;
        if size <= room {
            return block;
        }
        let new = orthant_isl_malloc(size);
        if !new.is_null() {
            new.cast::<u8>().copy_from_nonoverlapping(block.cast(), room);
            orthant_isl_free(block);
        }
        new
    }
}

/// `strdup` for isl.
///
/// # Safety
/// `text` must be a string of C.
#[unsafe(no_mangle)]
unsafe extern "C" fn orthant_isl_strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: by the caller's promise; the copy has room for the final zero too.
    unsafe {
        let bytes = CStr::from_ptr(text).to_bytes_with_nul();
        let copy = orthant_isl_malloc(bytes.len()).cast::<u8>();
        if !copy.is_null() {
            copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
        }
        copy.cast()
    }
}

/// Rust's objects in this memory: `#[global_allocator]`.
pub struct Quick;

/// What the C library's blocks are not aligned for comes from Rust's own allocator.
fn is_usual(layout: Layout) -> bool {
    layout.align() <= ALIGN
}

// SAFETY: blocks are apart and have their sizes, and who asks for one with a layout gives it back with that.
unsafe impl GlobalAlloc for Quick {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match is_usual(layout) {
            true => orthant_isl_malloc(layout.size()).cast(),
            // SAFETY: by the caller's promise, here and below.
            false => unsafe { System.alloc(layout) },
        }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match is_usual(layout) {
            // SAFETY: as above.
            true => unsafe { orthant_isl_free(block.cast()) },
            // SAFETY: as above.
            false => unsafe { System.dealloc(block, layout) },
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match is_usual(layout) {
            // SAFETY: as above.
            true => unsafe { orthant_isl_realloc(block.cast(), size).cast() },
            // SAFETY: as above.
            false => unsafe { System.realloc(block, layout, size) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rusts_objects_have_room_at_any_alignment_and_keep_what_is_in_them() {
        for (size, align) in [(1, 1), (24, 8), (40, 16), (100, 64), (3 * LARGEST, 8), (LARGEST, 4096)] {
            let layout = Layout::from_size_align(size, align).unwrap();
            // SAFETY: the block is used within its size, and given back once, with its layout.
            unsafe {
                let block = Quick.alloc(layout);
                assert!(!block.is_null() && block.addr().is_multiple_of(align), "{size} {align}");
                block.write_bytes(7, size);
                let block = Quick.realloc(block, layout, 5 * size);
                assert!(!block.is_null() && block.addr().is_multiple_of(align), "{size} {align}");
                assert!(holds(block, size, 7));
                Quick.dealloc(block, Layout::from_size_align(5 * size, align).unwrap());
            }
        }
    }

    #[test]
    fn each_size_has_room_in_its_class_and_none_to_spare_in_the_one_before() {
        for size in 1..=LARGEST {
            let class = class_of(size);
            assert!(class < CLASSES && size <= size_of_class(class), "{size}");
            assert!(class == 0 || size > size_of_class(class - 1), "{size}");
        }
        assert_eq!(class_of(LARGEST), CLASSES - 1);
    }

    /// Fills a block of `size` bytes with `byte`.
    fn filled(size: usize, byte: u8) -> *mut u8 {
        let block = orthant_isl_malloc(size).cast::<u8>();
        assert!(!block.is_null() && block.addr().is_multiple_of(ALIGN), "{size}");
        // SAFETY: the block has this size.
        unsafe { block.write_bytes(byte, size) };
        block
    }

    fn holds(block: *mut u8, size: usize, byte: u8) -> bool {
        // SAFETY: the block has this size, and `filled` has written it.
        unsafe { std::slice::from_raw_parts(block, size) }.iter().all(|&b| b == byte)
    }

    #[test]
    fn blocks_of_all_sizes_are_apart_and_come_back() {
        let sizes: Vec<usize> = (0..200).chain((200..3 * LARGEST).step_by(997)).collect();
        for _ in 0..2 {
            let blocks: Vec<_> = sizes.iter().map(|&size| (filled(size, size as u8), size)).collect();
            for &(block, size) in &blocks {
                assert!(holds(block, size, size as u8), "{size}");
            }
            for (block, _) in blocks {
                // SAFETY: each once.
                unsafe { orthant_isl_free(block.cast()) };
            }
        }
    }

    #[test]
    fn what_was_freed_last_is_given_first() {
        let block = filled(40, 1);
        // SAFETY: once.
        unsafe { orthant_isl_free(block.cast()) };
        let zeros = orthant_isl_calloc(5, 8).cast::<u8>();
        assert_eq!(zeros, block);
        assert!(holds(zeros, 40, 0), "cleared");
        // SAFETY: once.
        unsafe { orthant_isl_free(zeros.cast()) };
    }

    #[test]
    fn a_block_that_grows_keeps_its_contents() {
        let mut block = filled(8, 7);
        for size in [9, 24, 100, 5000, LARGEST, 4 * LARGEST, 10] {
            // SAFETY: the block is not used under its old address.
            block = unsafe { orthant_isl_realloc(block.cast(), size) }.cast();
            assert!(holds(block, 8, 7), "{size}");
        }
        // SAFETY: once.
        unsafe { orthant_isl_free(block.cast()) };
    }

    #[test]
    fn sizes_that_no_memory_has_are_refused() {
        assert!(orthant_isl_malloc(usize::MAX).is_null());
        assert!(orthant_isl_calloc(usize::MAX / 2, 3).is_null());
    }

    #[test]
    fn an_ended_threads_memory_is_taken_over() {
        // Threads of other tests come and go too, so it may take some until the block is seen again.
        let address = || {
            std::thread::spawn(|| {
                let block = filled(LARGEST / 2, 1);
                // SAFETY: once.
                unsafe { orthant_isl_free(block.cast()) };
                block.addr()
            })
        };
        let seen: Vec<usize> = (0..20).map(|_| address().join().expect("no panic")).collect();
        assert!(seen.iter().any(|address| seen.iter().filter(|other| *other == address).count() > 1));
    }
}
