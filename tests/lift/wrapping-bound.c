// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// The counter of the inner loop is an unsigned number that could wrap before it reaches its limit, so LLVM does not know
// how often the loop runs. Under the assumption that it does not wrap it is known.
void tail(unsigned n, unsigned m, double *restrict a, const double *restrict b) {
  for (unsigned i = 0; i < n; i++)
    for (unsigned j = i + 1; j != m; j++)
      a[i] += b[j];
}
// output:
// orthant: lift
// scop tail
// param p0 [-2147483648, 2147483647]
// param p1 [-2147483648, 2147483647]
// context [p1, p0] -> {  : p1 >= 2 and 0 < p0 <= p1 }
// array A0 [*] 8
// array A1 [*] 8
// phi phi2 8
// phi phi3 8
// stmt S0 [p1, p0] -> { S0[i0] : 0 <= i0 < p0 and i0 <= -2 + p1 }
//   read r0 [p1, p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 and i0 <= -2 + p1 }
//   write r0 [p1, p0] -> { S0[i0] -> phi2[] : 0 <= i0 < p0 and i0 <= -2 + p1 }
// stmt S1 [p1, p0] -> { S1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p1 - i0 }
//   read r0 [p1, p0] -> { S1[i0, i1] -> phi2[] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p1 - i0 }
//   read r1 [p1, p0] -> { S1[i0, i1] -> A1[1 + i0 + i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p1 - i0 }
//   write v0 [p1, p0] -> { S1[i0, i1] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p1 - i0 }
//   write v0 [p1, p0] -> { S1[i0, i1] -> phi2[] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p1 - i0 }
//   let v0 = fadd r1 r0
// stmt S2 [p1, p0] -> { S2[i0] : 0 <= i0 < p0 and i0 <= -2 + p1 }
//   read r0 [p1, p0] -> { S2[i0] -> phi3[] : 0 <= i0 < p0 and i0 <= -2 + p1 }
//   write r0 [p1, p0] -> { S2[i0] -> A0[i0] : 0 <= i0 < p0 and i0 <= -2 + p1 }
// order { for { S0 for { S1 } S2 } }
