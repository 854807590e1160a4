// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
use std::sync::atomic::{AtomicU64, Ordering};

#[unsafe(no_mangle)]
pub fn count(a: &[u64], total: &AtomicU64) {
    for x in a {
        total.fetch_add(*x, Ordering::Relaxed);
    }
}
// CHECK: remark: {{.*}}: loop nest not optimized: atomic access
// CHECK: orthant: detect: count
// CHECK-NEXT: rejected, depth 1, 1 loops
// CHECK-NEXT: atomic-access: {{.*}}: atomic access
