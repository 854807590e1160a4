// test: orthant explain %s
void log_value(double);

void gemm(int n, double a[n][n], double b[n][n], double c[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}

void show(int n, double *a) {
  for (int i = 0; i < n; i++)
    log_value(a[i]);
  for (int i = 0; i < n; i++)
    log_value(-a[i]);
}

double no_loops(double x) { return x; }
// output:
// gemm (%s)
//   %s:5:3: 3 loops, 3 deep: optimized, about 14.5 times the speed expected
//       for (int i = 0; i < n; i++)
//     array a: double[][n]
//     array b: double[][n]
//     array c: double[][n]
//     new order: T(S0): (i2, i0, i1)
//                band (i2, i0, i1): permutable, tiled 256 x 168 x -, 6 x 4 in registers, coincident i0 and i1, innermost loop parallel
//     if at run time: n >= 1 [something to do]
//     if at run time: a_0 is of moderate size [moderate size, %s:8:20]
//     if at run time: b_1 is of moderate size [moderate size, %s:8:30]
//     if at run time: c_2 is of moderate size [moderate size, %s:8:17]
//     code: 12 blocks, 41 instructions; the new loops add 34 blocks, 379 instructions
//     before:
//       for (c0 = 0; c0 <= n - 1; c0 += 1) {
//         for (c1 = 0; c1 <= n - 1; c1 += 1) {
//           for (c2 = 0; c2 <= n - 1; c2 += 1) {
//             S0(c0, c1, c2);
//           }
//         }
//       }
//     after:
//       for (c0 = 0; c0 <= n - 1; c0 += 256) {
//         for (c1 = 0; c1 <= n - 1; c1 += 168) {
//           for (c2 = 0; c2 <= n - 1; c2 += 4) {
//             for (c3 = c1; c3 <= min((n - 1), (c1 + 162)); c3 += 6) {
//               if ((((n + (-1 * c3)) + -6) >= 0) && (((n + (-1 * c2)) + -4) >= 0)) {
//                 // the cells of the block stay in registers
//                 for (c4 = c0; c4 <= min((n - 1), (c0 + 255)); c4 += 1) {
//                   for (c5 = c3; c5 <= c3 + 5; c5 += 1) {
//                     // iterations are independent
//                     for (c6 = c2; c6 <= c2 + 3; c6 += 1) {
//                       S0(c5, c6, c4);
//                     }
//                   }
//                 }
//               } else {
//                 // the cells of the block stay in registers
//                 for (c4 = c0; c4 <= min((n - 1), (c0 + 255)); c4 += 1) {
//                   for (c5 = c3; c5 <= min((n - 1), (c3 + 5)); c5 += 1) {
//                     // iterations are independent
//                     for (c6 = c2; c6 <= min((n - 1), (c2 + 3)); c6 += 1) {
//                       S0(c5, c6, c4);
//                     }
//                   }
//                 }
//               }
//             }
//           }
//         }
//       }
// show (%s)
//   %s:12:3: 1 loop: rejected
//       for (int i = 0; i < n; i++)
//     %s:13:5: call to log_value may have side effects [call-with-side-effects]
//       remedy: move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is
//   %s:14:3: 1 loop: rejected
//       for (int i = 0; i < n; i++)
//     %s:15:5: call to log_value may have side effects [call-with-side-effects]
//
// 2 functions, 3 loop nests: 1 optimized, 2 rejected (call-with-side-effects 2)
