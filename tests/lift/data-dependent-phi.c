// test: clang -O3 -fno-discard-value-names -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// What the ways of a branch compute meets in a phi: the statement always writes its cell.
long last(long n, const double *a, long *restrict where) {
  long at = -1;
  for (long i = 0; i < n; i++)
    if (a[i] > 0) {
      at = i;
      where[i] = i;
    }
  return at;
}
// output:
// orthant: lift
// scop last
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// phi phi2 8 fixed
// phi phi3 8 fixed
// phi phi4 8 fixed
// phi phi5 8
// scalar s6 8 fixed
// stmt S0 [p0] -> { S0[] }
//   write %k0 [p0] -> { S0[] -> phi2[] }
// stmt S1 [p0] -> { S1[] }
//   write %k0 [p0] -> { S1[] -> phi3[] }
// stmt S2 [p0] -> { S2[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S2[i0] -> phi3[] : 0 <= i0 < p0 }
//   read [p0] -> { S2[i0] -> A0[i0] : 0 <= i0 < p0 }
//   maywrite [p0] -> { S2[i0] -> A1[i0] : 0 <= i0 < p0 }
//   write [p0] -> { S2[i0] -> phi4[] : 0 <= i0 < p0 }
// stmt S3 [p0] -> { S3[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S3[i0] -> phi4[] : 0 <= i0 < p0 }
//   write r0 [p0] -> { S3[i0] -> phi5[] : 0 <= i0 < p0 }
//   write r0 [p0] -> { S3[i0] -> phi3[] : 0 <= i0 < p0 }
// stmt S4 [p0] -> { S4[] }
//   read r0 [p0] -> { S4[] -> phi5[] }
//   write r0 [p0] -> { S4[] -> s6[] }
//   write r0 [p0] -> { S4[] -> phi2[] }
// order { S0 S1 for { S2 S3 } S4 }
