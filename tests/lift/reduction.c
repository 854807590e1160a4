// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// Updates of integers are reductions; those of floating-point numbers are not, unless the user allows another order.
void sums(long n, long m, int *restrict s, const int *restrict x, double *restrict d, const double *restrict y,
          unsigned char *restrict c) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) {
      s[j] = s[j] + x[i] - 3;
      d[j] += y[i];
      c[j] ^= x[j];
    }
}
// output:
// orthant: lift
// scop sums
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// context [p1, p0] -> {  : 0 < p1 <= 281474976710656 and 0 < p0 <= 281474976710656 }
// array A0 [*] 4
// array A1 [*] 8
// array A2 [*] 4
// array A3 [*] 8
// array A4 [*] 1
// scalar s5 4
// scalar s6 8
// stmt S0 [p1, p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read r0 [p1, p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   write v0 [p1, p0] -> { S0[i0] -> s5[] : 0 <= i0 < p0 }
//   let v0 = add r0 %k0
// stmt S1 [p1, p0] -> { S1[i0] : 0 <= i0 < p0 }
//   read r0 [p1, p0] -> { S1[i0] -> A1[i0] : 0 <= i0 < p0 }
//   write r0 [p1, p0] -> { S1[i0] -> s6[] : 0 <= i0 < p0 }
// stmt S2 [p1, p0] -> { S2[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p1, p0] -> { S2[i0, i1] -> s5[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   reduce add [p1, p0] -> { S2[i0, i1] -> A2[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   let v0 = add r1 r0
// stmt S3 [p1, p0] -> { S3[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p1, p0] -> { S3[i0, i1] -> s6[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r1 [p1, p0] -> { S3[i0, i1] -> A3[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   write v0 [p1, p0] -> { S3[i0, i1] -> A3[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   let v0 = fadd r0 r1
// stmt S4 [p1, p0] -> { S4[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p1, p0] -> { S4[i0, i1] -> A0[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   reduce xor [p1, p0] -> { S4[i0, i1] -> A4[i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   let v0 = trunc r0
//   let v1 = xor r1 v0
// order { for { S0 S1 for { S2 S3 S4 } } }
