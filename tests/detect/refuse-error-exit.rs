// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
// Whether the index is inside depends on data.
#[unsafe(no_mangle)]
pub fn gather(n: usize, index: &[u32], x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += x[index[i] as usize];
    }
}
// output:
// remark: %s:6:14: loop nest not optimized: an exit leads to code that does not return, such as a failed bounds check
// remark: %s:7:17: an exit leads to code that does not return, such as a failed bounds check; check the bounds once before the loops (in Rust: take a slice of the needed length first)
// orthant: detect: gather
//   %s:6:14: rejected, depth 1, 1 loops
//     error-exit: %s:7:17: an exit leads to code that does not return, such as a failed bounds check
