// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn gemv(n: usize, m: usize, a: &[f64], x: &[f64], y: &mut [f64]) {
    let (x, y) = (&x[..m], &mut y[..n]);
    for (y, row) in y.iter_mut().zip(a.chunks_exact(m)) {
        for (a, x) in row.iter().zip(x) {
            *y += a * x;
        }
    }
}
// output:
// remark: %s:6:21: loop nest of depth 2 can be modelled
// orthant: detect: gemv
//   %s:6:21: candidate, depth 2, 2 loops
