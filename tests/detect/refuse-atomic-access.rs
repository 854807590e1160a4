// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
use std::sync::atomic::{AtomicU64, Ordering};

#[unsafe(no_mangle)]
pub fn count(a: &[u64], total: &AtomicU64) {
    for x in a {
        total.fetch_add(*x, Ordering::Relaxed);
    }
}
// output:
// remark: %s:7:14: loop nest not optimized: atomic access
// remark: %s:8:15: atomic access; move the atomic operation out of the loops, or accumulate locally first
// orthant: detect: count
//   %s:7:14: rejected, depth 1, 1 loops
//     atomic-access: %s:8:15: atomic access
