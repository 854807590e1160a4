// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// A switch over data, one of whose cases runs into the next.
void step(long n, const int *restrict op, double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++)
    switch (op[i]) {
    case 0:
      a[i] += 1;
      break;
    case 7:
      b[i] = 2;
    case 9:
      a[n - i] *= b[i + 1];
      break;
    }
}
// output:
// orthant: lift
// scop step
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 4
// array A1 [*] 8
// array A2 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S0[i0] -> A1[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A1[1 + i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A2[p0 - i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S0[i0] -> A2[p0 - i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A2[i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S0[i0] -> A2[i0] : 0 <= i0 < p0 }
// order { for { S0 } }
