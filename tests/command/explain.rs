// test: orthant explain %s
// The bounds check in each iteration is what stands in the way.
#[unsafe(no_mangle)]
pub fn axpy(n: usize, a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += a * x[i];
    }
}
// CHECK: {{^}}axpy (
// CHECK-NEXT: {{^}}  %s:{{[56]}}:{{[0-9]+}}: 1 loop: rejected
// CHECK: an exit leads to code that does not return, such as a failed bounds check [error-exit]
// CHECK: remedy: check the bounds once before the loops
// CHECK: 1 function, 1 loop nest: 1 rejected (error-exit 1)
