// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=delicm -mllvm -orthant-print-after=delicm -c %s -o /dev/null
// LLVM carries the cell from one update to the next in a scalar and stores it each time. The last store of an instance tells what is in the
// cell, so that the others read it there, and all of them are updates.
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

void fold(int n, const unsigned char *base, int *t) {
  for (int i = n - 2; i >= 0; i--)
    for (int j = i + 1; j < n; j++) {
      t[i * n + j] = MAX(t[i * n + j], t[i * n + j - 1]);
      t[i * n + j] = MAX(t[i * n + j], t[(i + 1) * n + j]);
      if (i < j - 1)
        t[i * n + j] = MAX(t[i * n + j], t[(i + 1) * n + j - 1] + base[j]);
      for (int k = i + 1; k < j; k++)
        t[i * n + j] = MAX(t[i * n + j], t[i * n + k] + t[(k + 1) * n + j]);
    }
}
// output:
// orthant: delicm: fold
// forwards 0+4, mappings 0+0, removed 8, scalar writes in loops 2+4 -> 0+0
// scop fold
// param p0 [-2147483648, 2147483647]
// context [p0] -> {  : p0 >= 3 }
// array A0 [*, p0] 4
// array A1 [*] 1
// scalar s2 4
// phi phi3 4
// scalar s4 4
// phi phi5 4
// stmt S0 [p0] -> { S0[i0, i1] : i0 <= -2 + p0 and 0 <= i1 <= i0 }
//   read r0 [p0] -> { S0[i0, i1] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 <= i1 <= i0 }
//   read r1 [p0] -> { S0[i0, i1] -> A0[-2 + p0 - i0, -2 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 <= i1 <= i0 }
//   read r2 [p0] -> { S0[i0, i1] -> A0[-1 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 <= i1 <= i0 }
//   write v1 [p0] -> { S0[i0, i1] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 <= i1 <= i0 }
//   let v0 = smax r0 r1 %k0
//   let v1 = smax v0 r2 %k0
// stmt S1 [p0] -> { S1[i0, i1] : i0 <= -2 + p0 and 0 < i1 <= i0 }
//   read r0 [p0] -> { S1[i0, i1] -> A0[-1 + p0 - i0, -2 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 < i1 <= i0 }
//   read r1 [p0] -> { S1[i0, i1] -> A1[-1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 < i1 <= i0 }
//   write v2 [p0] -> { S1[i0, i1] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 < i1 <= i0 }
//   read r3 [p0] -> { S1[i0, i1] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and 0 < i1 <= i0 }
//   let v0 = zext r1
//   let v1 = add r0 v0
//   let v2 = smax r3 v1 %k0
// stmt S4 [p0] -> { S4[i0, i1, i2] : i0 <= -2 + p0 and i1 <= i0 and 0 <= i2 < i1 }
//   read r0 [p0] -> { S4[i0, i1, i2] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i2] : i0 <= -2 + p0 and i1 <= i0 and 0 <= i2 < i1 }
//   read r1 [p0] -> { S4[i0, i1, i2] -> A0[p0 - i0 + i2, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and i1 <= i0 and 0 <= i2 < i1 }
//   write v1 [p0] -> { S4[i0, i1, i2] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and i1 <= i0 and 0 <= i2 < i1 }
//   read r3 [p0] -> { S4[i0, i1, i2] -> A0[-2 + p0 - i0, -1 + p0 - i0 + i1] : i0 <= -2 + p0 and i1 <= i0 and 0 <= i2 < i1 }
//   let v0 = add r1 r0
//   let v1 = smax r3 v0 %k0
// order { for { for { S0 S1 for { S4 } } } }
