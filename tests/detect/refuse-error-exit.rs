// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn axpy(n: usize, a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += a * x[i];
    }
}
// CHECK: remark: %s:{{.*}}: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check
// CHECK: orthant: detect: axpy
// CHECK-NEXT: %s:{{.*}}: rejected, depth 1, 1 loops
// CHECK-NEXT: error-exit: %s:6:9: an exit leads to code that does not return
// CHECK-NEXT: error-exit: %s:6:21: an exit leads to code that does not return
