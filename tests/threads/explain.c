// test: orthant explain --parallel --threads=2 %s
// What is said about threads.
double A[1000][1000], B[1000][1000];
void rows(void) {
  for (int i = 0; i < 1000; i++)
    for (int j = 0; j < 1000; j++)
      A[i][j] = B[i][j] + 1;
}
void prefix(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
// output:
// rows (%s)
//   %s:5:3: 2 loops, 2 deep: optimized, about 1.8 times the speed expected
//       for (int i = 0; i < 1000; i++)
//     array @B: double[][1000]
//     array @A: double[][1000]
//     at cache lines: @B, @A
//     new order: T(S0): (i0, i1)
//                band (i0, i1): permutable, coincident i0 and i1, innermost loop parallel
//     threads: for (c0 = 0; c0 <= 999; c0 += 1), if there is enough to do (120000 instructions)
//     code: 3 blocks, 16 instructions; the new loops add 11 blocks, 43 instructions
//     before:
//       for (c0 = 0; c0 <= 999; c0 += 1) {
//         for (c1 = 0; c1 <= 999; c1 += 1) {
//           S0(c0, c1);
//         }
//       }
//     after:
//       // iterations run in threads
//       for (c0 = 0; c0 <= 999; c0 += 1) {
//         // iterations are independent
//         for (c1 = 0; c1 <= 999; c1 += 1) {
//           S0(c0, c1);
//         }
//       }
// prefix (%s)
//   %s:10:3: 1 loop: kept
//       for (int i = 1; i < n; i++)
//     no other order keeps all dependences and looks better, and it stays in one thread: no outer loop is parallel and has enough to do: with n = 3: S0[0] writes a_0[1], then S0[1] reads it (flow); the schedule runs S0[0] in iteration 0 and S0[1] in iteration 1 of a parallel loop
//
// 2 functions, 2 loop nests: 1 optimized, 1 kept, 0 rejected
