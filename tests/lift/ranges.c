// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// memset, memcpy and memmove touch ranges.
#include <string.h>
void fill(long n, double (*restrict a)[100], double (*restrict b)[100]) {
  for (long i = 0; i < n; i++) {
    memset(a[i], 0, sizeof a[i]);
    memcpy(b[i], a[i], 8 * i);
    memmove(b[i] + 1, b[i], 80);
  }
}
// output:
// orthant: lift
// scop fill
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   write [p0] -> { S0[i0] -> A0[o0] : 0 <= i0 < p0 and 100i0 <= o0 <= 99 + 100i0 }
//   whole fill 0
// stmt S1 [p0] -> { S1[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S1[i0] -> A0[o0] : i0 < p0 and 100i0 <= o0 < 101i0 }
//   write [p0] -> { S1[i0] -> A1[o0] : i0 < p0 and 100i0 <= o0 < 101i0 }
//   whole copy
// stmt S2 [p0] -> { S2[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S2[i0] -> A1[o0] : 0 <= i0 < p0 and 100i0 <= o0 <= 9 + 100i0 }
//   write [p0] -> { S2[i0] -> A1[o0] : 0 <= i0 < p0 and 100i0 < o0 <= 10 + 100i0 }
//   whole copy
// order { for { S0 S1 S2 } }
