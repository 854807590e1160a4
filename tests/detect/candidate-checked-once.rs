// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn scan(n: usize, x: &[f64], y: &mut [f64]) {
    let (x, y) = (&x[..n], &mut y[..n]);
    for i in 1..n {
        y[i] = y[i - 1] + x[i];
    }
}
// output:
// remark: %s:6:14: loop nest of depth 1 can be modelled
// orthant: detect: scan
//   %s:6:14: candidate, depth 1, 1 loops
