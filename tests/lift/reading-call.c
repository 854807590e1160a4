// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// The function reads whatever it likes, but of that only what the nest writes matters.
double look(const double *) __attribute__((pure));
double sine(double) __attribute__((const));

void all(long n, double *restrict a, double *restrict b) {
  for (long i = 0; i < n; i++) {
    a[i] = look(b + i);
    b[i] = sine(i);
  }
}
// output:
// orthant: lift
// scop all
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   write [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A1[o0] : 0 <= i0 < p0 and 0 <= o0 < p0 }
// stmt S1 [p0] -> { S1[i0] : 0 <= i0 < p0 }
//   write v2 [p0] -> { S1[i0] -> A1[i0] : 0 <= i0 < p0 }
//   let v0 = counters
//   let v1 = uitofp v0
//   let! v2 = call v1 %k0
// order { for { S0 S1 } }
