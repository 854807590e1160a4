// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=delicm -mllvm -orthant-print-after=delicm -c %s -o /dev/null
// C[i] is read in the inner loop: it cannot hold the sum.
void f(double *restrict C, const double *restrict B) {
  for (long i = 0; i < 1000; i++) {
    double c = 0;
    for (long k = 0; k < 1000; k++)
      c += C[k] * B[k];
    C[i] = c;
  }
}
// output:
// orthant: delicm: f
// forwards 0+0, mappings 0+0, removed 0, scalar writes in loops 0+3 -> 0+3
// phi2 stays: it only goes into scalars that have no cell either
// phi3 stays: all cells that it could have are in use at that time
// scop f
// context {  :  }
// array A0 [*] 8
// array A1 [*] 8
// phi phi2 8
// phi phi3 8
// stmt S0 { S0[i0] : 0 <= i0 <= 999 }
//   write %k0 { S0[i0] -> phi2[] : 0 <= i0 <= 999 }
// stmt S1 { S1[i0, i1] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   read r0 { S1[i0, i1] -> phi2[] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   read r1 { S1[i0, i1] -> A0[i1] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   read r2 { S1[i0, i1] -> A1[i1] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   write v0 { S1[i0, i1] -> phi3[] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   write v0 { S1[i0, i1] -> phi2[] : 0 <= i0 <= 999 and 0 <= i1 <= 999 }
//   let v0 = fmuladd r1 r2 r0 %k1
// stmt S2 { S2[i0] : 0 <= i0 <= 999 }
//   read r0 { S2[i0] -> phi3[] : 0 <= i0 <= 999 }
//   write r0 { S2[i0] -> A0[i0] : 0 <= i0 <= 999 }
// order { for { S0 for { S1 } S2 } }
