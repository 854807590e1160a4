// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=delicm -mllvm -orthant-print-after=delicm -c %s -o /dev/null
// What is returned stays where it is.
double last(double *restrict C, const double *restrict A, const double *restrict B, long n) {
  double c = 1;
  for (long i = 0; i < n; i++) {
    c = 0;
    for (long k = 0; k < 100; k++)
      c += A[i] * B[k];
    C[i] = c;
  }
  return c;
}
// output:
// orthant: delicm: last
// forwards 0+2, mappings 0+2, removed 7, scalar writes in loops 1+4 -> 0+0
// scop last
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// phi phi3 8 fixed
// scalar s4 8
// phi phi5 8
// phi phi6 8
// phi phi7 8
// scalar s8 8 fixed
// stmt S2 [p0] -> { S2[i0] : 0 <= i0 < p0 }
//   write %k1 [p0] -> { S2[i0] -> A2[i0] : 0 < p0 <= 281474976710656 and 0 <= i0 < p0 }
// stmt S3 [p0] -> { S3[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= 99 }
//   read r0 [p0] -> { S3[i0, i1] -> A2[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= 99 }
//   read r1 [p0] -> { S3[i0, i1] -> A1[i1] : 0 <= i0 < p0 and 0 <= i1 <= 99 }
//   write v0 [p0] -> { S3[i0, i1] -> A2[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= 99 }
//   read r3 [p0] -> { S3[i0, i1] -> A0[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= 99 }
//   let v0 = fmuladd r3 r1 r0 %k2
// stmt S5 [p0] -> { S5[] }
//   write r2 [p0] -> { S5[] -> s8[] }
//   write r2 [p0] -> { S5[] -> phi3[] }
//   read r2 [p0] -> { S5[] -> A2[-1 + p0] : 0 < p0 <= 281474976710656 }
// order { for { S2 for { S3 } } S5 }
