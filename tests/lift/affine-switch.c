// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// A switch over counters: each case has a domain of its own.
void edges(long n, double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < 100; j++)
      switch (i - j) {
      case 0:
        a[j] = 1;
        break;
      case 3:
        b[j] = 2;
        break;
      case 4:
        b[i] = 3;
        break;
      }
}
// output:
// orthant: lift
// scop edges
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// stmt S0 [p0] -> { S0[i0, -4 + i0] : 4 <= i0 <= 103 and i0 < p0 }
//   write %k0 [p0] -> { S0[i0, -4 + i0] -> A0[i0] : 4 <= i0 <= 103 and i0 < p0 }
// stmt S1 [p0] -> { S1[i0, -3 + i0] : 3 <= i0 <= 102 and i0 < p0 }
//   write %k1 [p0] -> { S1[i0, -3 + i0] -> A0[-3 + i0] : 3 <= i0 <= 102 and i0 < p0 }
// stmt S2 [p0] -> { S2[i0, i0] : 0 <= i0 <= 99 and i0 < p0 }
//   write %k2 [p0] -> { S2[i0, i0] -> A1[i0] : 0 <= i0 <= 99 and i0 < p0 }
// order { for { for { S0 S1 S2 } } }
