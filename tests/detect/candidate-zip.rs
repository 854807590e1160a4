// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn axpy(a: f64, x: &[f64], y: &mut [f64]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y += a * x;
    }
}
// output:
// remark: %s:5:19: loop nest of depth 1 can be modelled
// orthant: detect: axpy
//   %s:5:19: candidate, depth 1, 1 loops
