// test: rustc -g --crate-type=lib --emit=llvm-bc -C opt-level=3 -C no-prepopulate-passes -o %t.bc %s
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=lift -orthant-print-after=lift -disable-output %t.bc
// Rust's slices: the bounds checks, which are not affine, are assumed to succeed.
#[unsafe(no_mangle)]
pub fn multiply(n: usize, m: usize, l: usize, a: &[f64], b: &[f64], c: &mut [f64]) {
    for i in 0..n {
        for j in 0..m {
            for k in 0..l {
                c[i * m + j] += a[i * l + k] * b[k * m + j];
            }
        }
    }
}
// output:
// orthant: lift
// scop multiply
// param n [-9223372036854775808, 9223372036854775807]
// param m [-9223372036854775808, 9223372036854775807]
// param l [-9223372036854775808, 9223372036854775807]
// param p3 [0, 1152921504606846975]
// param p4 [0, 1152921504606846975]
// param p5 [0, 1152921504606846975]
// context [p5, p4, p3, l, m, n] -> {  : 0 <= p5 <= 281474976710656 and 0 <= p4 <= 281474976710656 and 0 <= p3 <= 281474976710656 and 0 < l <= 281474976710656 and 0 < m <= 281474976710656 and 0 < n <= 281474976710656 }
// array A0 [*, l] 8
// array A1 [*, m] 8
// array A2 [*, m] 8
// stmt S0 [p5, p4, p3, l, m, n] -> { S0[i0, i1, i2] : 0 <= i0 < n and 0 <= i1 < m and 0 <= i2 < l }
//   read r0 [p5, p4, p3, l, m, n] -> { S0[i0, i1, i2] -> A0[i0, i2] : 0 <= i0 < n and 0 <= i1 < m and 0 <= i2 < l }
//   read r1 [p5, p4, p3, l, m, n] -> { S0[i0, i1, i2] -> A1[i2, i1] : 0 <= i0 < n and 0 <= i1 < m and 0 <= i2 < l }
//   read r2 [p5, p4, p3, l, m, n] -> { S0[i0, i1, i2] -> A2[i0, i1] : 0 <= i0 < n and 0 <= i1 < m and 0 <= i2 < l }
//   write v1 [p5, p4, p3, l, m, n] -> { S0[i0, i1, i2] -> A2[i0, i1] : 0 <= i0 < n and 0 <= i1 < m and 0 <= i2 < l }
//   let v0 = fmul r0 r1
//   let v1 = fadd r2 v0
// order { for { for { for { S0 } } } }
// # shape a: double[][l]
// # shape b: double[][m]
// # shape c: double[][m]
