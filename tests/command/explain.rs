// test: orthant explain %s
// The bounds checks are made once, before the loop; what they would be about is unknown where an index comes from memory.
#[unsafe(no_mangle)]
pub fn axpy(n: usize, a: f64, x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += a * x[i];
    }
}
#[unsafe(no_mangle)]
pub fn gather(n: usize, index: &[u32], x: &[f64], y: &mut [f64]) {
    for i in 0..n {
        y[i] += x[index[i] as usize];
    }
}
// CHECK: {{^}}axpy (
// CHECK-NEXT: {{^}}  %s:{{[56]}}:{{[0-9]+}}: 1 loop: kept
// CHECK: {{^}}gather (
// CHECK-NEXT: {{^}}  %s:{{[0-9]+}}:{{[0-9]+}}: 1 loop: rejected
// CHECK: an exit leads to code that does not return, such as a failed bounds check [error-exit]
// CHECK: remedy: check the bounds once before the loops
// CHECK: 2 functions, 2 loop nests: 1 kept, 1 rejected (error-exit 1)
