// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-print-after=delicm,schedule -c %s -o /dev/null
// The four variants of a sum of products end as the same statements with the same order.
void one(double *restrict C, const double *restrict A, const double *restrict B) {
  for (long i = 0; i < 2000; i++) {
    C[i] = 0;
    for (long k = 0; k < 2000; k++)
      C[i] += A[i] * B[k];
  }
}
void two(double *restrict C, const double *restrict A, const double *restrict B) {
  for (long i = 0; i < 2000; i++) {
    C[i] = 0;
    double a = A[i];
    for (long k = 0; k < 2000; k++)
      C[i] += a * B[k];
  }
}
void three(double *restrict C, const double *restrict A, const double *restrict B) {
  for (long i = 0; i < 2000; i++) {
    double c = 0;
    for (long k = 0; k < 2000; k++)
      c += A[i] * B[k];
    C[i] = c;
  }
}
void four(double *restrict C, const double *restrict A, const double *restrict B) {
  for (long i = 0; i < 2000; i++) {
    double c = 0;
    for (long k = 0; k < 2000; k++)
      C[i] = (c += A[i] * B[k]);
  }
}
// output:
// orthant: delicm: one
// forwards 0+1, mappings 0+2, removed 5, scalar writes in loops 1+3 -> 0+0
// scop one
// context {  :  }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// scalar s3 8
// phi phi4 8
// phi phi5 8
// stmt S1 { S1[i0] : 0 <= i0 <= 1999 }
//   write %k0 { S1[i0] -> A2[i0] : 0 <= i0 <= 1999 }
// stmt S2 { S2[i0, i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r1 { S2[i0, i1] -> A1[i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   write v0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r3 { S2[i0, i1] -> A0[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   let v0 = fmuladd r3 r1 r0 %k1
// order { for { S1 for { S2 } } }
// orthant: schedule: one
// T(S1): (0, i0)
// T(S2): (1, i1, i0)
// band (i0): coincident i0, innermost loop parallel
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// about 11.1 times the speed
// orthant: delicm: two
// forwards 0+1, mappings 0+2, removed 5, scalar writes in loops 1+3 -> 0+0
// scop two
// context {  :  }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// scalar s3 8
// phi phi4 8
// phi phi5 8
// stmt S1 { S1[i0] : 0 <= i0 <= 1999 }
//   write %k0 { S1[i0] -> A2[i0] : 0 <= i0 <= 1999 }
// stmt S2 { S2[i0, i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r1 { S2[i0, i1] -> A1[i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   write v0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r3 { S2[i0, i1] -> A0[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   let v0 = fmuladd r3 r1 r0 %k1
// order { for { S1 for { S2 } } }
// orthant: schedule: two
// T(S1): (0, i0)
// T(S2): (1, i1, i0)
// band (i0): coincident i0, innermost loop parallel
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// about 11.1 times the speed
// orthant: delicm: three
// forwards 0+1, mappings 0+2, removed 5, scalar writes in loops 1+3 -> 0+0
// scop three
// context {  :  }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// scalar s3 8
// phi phi4 8
// phi phi5 8
// stmt S1 { S1[i0] : 0 <= i0 <= 1999 }
//   write %k0 { S1[i0] -> A2[i0] : 0 <= i0 <= 1999 }
// stmt S2 { S2[i0, i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r1 { S2[i0, i1] -> A1[i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   write v0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r3 { S2[i0, i1] -> A0[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   let v0 = fmuladd r3 r1 r0 %k1
// order { for { S1 for { S2 } } }
// orthant: schedule: three
// T(S1): (0, i0)
// T(S2): (1, i1, i0)
// band (i0): coincident i0, innermost loop parallel
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// about 11.1 times the speed
// orthant: delicm: four
// forwards 0+1, mappings 0+2, removed 5, scalar writes in loops 1+3 -> 0+0
// scop four
// context {  :  }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// scalar s3 8
// phi phi4 8
// phi phi5 8
// stmt S1 { S1[i0] : 0 <= i0 <= 1999 }
//   write %k0 { S1[i0] -> A2[i0] : 0 <= i0 <= 1999 }
// stmt S2 { S2[i0, i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r1 { S2[i0, i1] -> A1[i1] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   write v0 { S2[i0, i1] -> A2[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   read r3 { S2[i0, i1] -> A0[i0] : 0 <= i0 <= 1999 and 0 <= i1 <= 1999 }
//   let v0 = fmuladd r3 r1 r0 %k1
// order { for { S1 for { S2 } } }
// orthant: schedule: four
// T(S1): (0, i0)
// T(S2): (1, i1, i0)
// band (i0): coincident i0, innermost loop parallel
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// about 11.1 times the speed
