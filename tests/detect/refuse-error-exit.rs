// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn axpy(n: usize, a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += a * x[i];
    }
}
// output:
// remark: %s:5:14: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check
// remark: %s:6:9: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first)
// remark: %s:6:21: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first)
// orthant: detect: axpy
//   %s:5:14: rejected, depth 1, 1 loops
//     error-exit: %s:6:9: an exit leads to code that does not return, such as a failed bounds check
//     error-exit: %s:6:21: an exit leads to code that does not return, such as a failed bounds check
