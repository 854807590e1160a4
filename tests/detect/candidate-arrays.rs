// test: rustc -O -g --crate-type=lib --emit=llvm-bc -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %t.bc
#[unsafe(no_mangle)]
pub fn add(a: &mut [[f64; 1000]; 1000], b: &[[f64; 1000]; 1000]) {
    for i in 0..1000 {
        for j in 0..1000 {
            a[i][j] += b[j][i];
        }
    }
}
// output:
// remark: %s:5:14: loop nest of depth 2 can be modelled
// orthant: detect: add
//   %s:5:14: candidate, depth 2, 2 loops
