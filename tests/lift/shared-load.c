// test: clang -O3 -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// Both stores use x[i]: each statement loads it for itself. What y[i] was before is used by both and written by one.
void split(long n, const double *restrict x, double *restrict a, double *restrict b, double *restrict y,
           double *restrict c) {
  for (long i = 0; i < n; i++) {
    a[i] = x[i] * 2;
    b[n - i] += x[i];
  }
  for (long i = 0; i < n; i++) {
    c[i] = y[i];
    y[i] += 1;
  }
}
// output:
// orthant: lift
// scop split
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// array A3 [*] 8
// array A4 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   write v0 [p0] -> { S0[i0] -> A1[i0] : 0 <= i0 < p0 }
//   let v0 = fmul r0 %k0
// stmt S1 [p0] -> { S1[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S1[i0] -> A0[i0] : 0 <= i0 < p0 }
//   read r1 [p0] -> { S1[i0] -> A2[p0 - i0] : 0 <= i0 < p0 }
//   write v0 [p0] -> { S1[i0] -> A2[p0 - i0] : 0 <= i0 < p0 }
//   let v0 = fadd r1 r0
// stmt S2 [p0] -> { S2[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S2[i0] -> A3[i0] : 0 <= i0 < p0 }
//   write r0 [p0] -> { S2[i0] -> A4[i0] : 0 <= i0 < p0 }
//   write v0 [p0] -> { S2[i0] -> A3[i0] : 0 <= i0 < p0 }
//   let v0 = fadd r0 %k1
// order { for { S0 S1 } for { S2 } }
