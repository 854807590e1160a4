// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// What does not depend on the branch stays a statement of its own.
void two(long n, double *restrict a, double *restrict b, const double *restrict c) {
  for (long i = 0; i < n; i++) {
    a[i] += 2;
    if (c[i] > 0)
      b[i] = 1;
  }
}
// output:
// orthant: lift
// scop two
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   write v0 [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   let v0 = fadd r0 %k0
// stmt S1 [p0] -> { S1[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S1[i0] -> A1[i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S1[i0] -> A2[i0] : 0 <= i0 < p0 }
// order { for { S0 S1 } }
