// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// The branch depends on data: the load, the branch and the store are one statement, which may write.
void clip(long n, double *restrict a, const double *restrict b) {
  for (long i = 0; i < n; i++)
    if (b[i] > 0)
      a[2 * i] = b[i];
}
// output:
// orthant: lift
// scop clip
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S0[i0] -> A1[2i0] : 0 <= i0 < p0 }
// order { for { S0 } }
