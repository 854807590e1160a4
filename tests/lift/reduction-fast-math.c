// test: clang -O3 -ffast-math -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// With -ffast-math sums of floating-point numbers may be computed in another order.
void sums(long n, long m, double *restrict d, const double *restrict y) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      d[j] += y[i];
}
// output:
// orthant: lift
// scop sums
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// context [p1, p0] -> {  : 0 < p1 <= 281474976710656 and 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// scalar s2 8
// stmt S0 [p1, p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read r0 [p1, p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   write r0 [p1, p0] -> { S0[i0] -> s2[] : 0 <= i0 < p0 }
// stmt S1 [p1, p0] -> { S1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p1, p0] -> { S1[i0, i1] -> s2[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   reduce add [p1, p0] -> { S1[i0, i1] -> A1[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   let v0 = fadd r1 r0
// order { for { S0 for { S1 } } }
