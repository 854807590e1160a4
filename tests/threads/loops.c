// test: clang -O2 -g -mllvm -orthant-parallel -mllvm -orthant-threads=4 -mllvm -orthant-print-after=astgen -c %s -o /dev/null
// Which loops run in threads: the outermost one that is parallel.
void rows(int n, double A[n][n], double B[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      A[i][j] = B[i][j] + 1;
}
// i carries the sums; strips of j do not depend on each other.
void columns(int n, double A[n][n], double *restrict x, double *restrict y) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      y[j] += A[i][j] * x[i];
}
// Each step waits for the one before, but only at the same place: steps go inside, and threads start once.
void steps(int t, int n, double A[n][n], double B[n][n]) {
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n; i++)
      for (int j = 1; j < n; j++)
        A[i][j] = A[i][j] * B[s][j] + B[i - 1][j - 1];
}
// No loop is parallel: diagonals of tiles are.
void wavefront(int n, double A[n][n]) {
  for (int i = 1; i < n; i++)
    for (int j = 1; j < n; j++)
      A[i][j] = A[i - 1][j] + A[i][j - 1];
}
// With k fixed, rows depend on each other through row k only, cells of a row through that of column k.
void pivot(int n, int A[n][n]) {
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        A[i][j] = A[i][j] < A[i][k] + A[k][j] ? A[i][j] : A[i][k] + A[k][j];
}
// Diagonals of tiles in time.
void in_time(int t, int n, double A[n]) {
  for (int s = 0; s < t; s++)
    for (int i = 1; i < n - 1; i++)
      A[i] = A[i - 1] + A[i] + A[i + 1];
}
// Nothing is.
void prefix(int n, double *a) {
  for (int i = 1; i < n; i++)
    a[i] += a[i - 1];
}
// output:
// orthant: astgen: rows
// // iterations run in threads
// for (c0 = 0; c0 <= n - 1; c0 += 1) {
//   // iterations are independent
//   for (c1 = 0; c1 <= n - 1; c1 += 1) {
//     S0(c0, c1);
//   }
// }
// orthant: astgen: columns
// // iterations run in threads
// // each thread does its iterations at once, to the end c4 of the last
// for (c0 = 0; c0 <= n - 1; c0 += 32) {
//   for (c1 = 0; c1 <= n - 1; c1 += 8) {
//     if ((n - 1) >= (c1 + 7)) {
//       // iterations are independent
//       for (c2 = c0; c2 <= min((n - 1), c4); c2 += 1) {
//         // iterations are written out
//         for (c3 = c1; c3 <= c1 + 7; c3 += 1) {
//           S0(c3, c2);
//         }
//       }
//     } else {
//       // iterations are independent
//       for (c2 = c0; c2 <= min((n - 1), c4); c2 += 1) {
//         for (c3 = c1; c3 <= min((n - 1), (c1 + 7)); c3 += 1) {
//           S0(c3, c2);
//         }
//       }
//     }
//   }
// }
// orthant: astgen: steps
// // iterations run in threads
// for (c0 = 0; c0 <= n - 2; c0 += 66) {
//   for (c1 = 0; c1 <= t - 1; c1 += 256) {
//     for (c2 = 0; c2 <= n - 2; c2 += 4) {
//       for (c3 = c0; c3 <= min((n - 2), (c0 + 60)); c3 += 6) {
//         if ((((n + (-1 * c3)) + -7) >= 0) && (((n + (-1 * c2)) + -5) >= 0)) {
//           // the cells of the block stay in registers
//           for (c4 = c1; c4 <= min((t - 1), (c1 + 255)); c4 += 1) {
//             for (c5 = c3; c5 <= c3 + 5; c5 += 1) {
//               // iterations are independent
//               for (c6 = c2; c6 <= c2 + 3; c6 += 1) {
//                 S0(c4, c5, c6);
//               }
//             }
//           }
//         } else {
//           // the cells of the block stay in registers
//           for (c4 = c1; c4 <= min((t - 1), (c1 + 255)); c4 += 1) {
//             for (c5 = c3; c5 <= min((n - 2), (c3 + 5)); c5 += 1) {
//               // iterations are independent
//               for (c6 = c2; c6 <= min((n - 2), (c2 + 3)); c6 += 1) {
//                 S0(c4, c5, c6);
//               }
//             }
//           }
//         }
//       }
//     }
//   }
// }
// orthant: astgen: wavefront
// for (c0 = 0; c0 <= min(floord(((112 * (n - 2)) + (56 * ((2 * n) + -4))), 6272), floord(((168 * (n - 2)) + (56 * (n + 53))), 6272)); c0 += 1) {
//   // iterations run in threads
//   for (c1 = max(max(0, (56 * -floord(-((112 * c0) + -((2 * n) + -4)), 112))), (56 * -floord(-((112 * c0) + -(n + 53)), 168))); c1 <= min((n - 2), floord(((12544 * c0) + 12432), 336)); c1 += 56) {
//     { c2 = 112 * (c0 - (c1 / 56));
//       if (((112 * (c1 / 112)) <= c2) && (c2 <= min(((2 * n) - 4), ((n + c1) + 53)))) {
//         for (c3 = max(c1, (8 * floord(((-n + c2) + 2), 8))); c3 <= min((n - 2), (c1 + 48)); c3 += 8) {
//           for (c4 = max(c2, c3); c4 <= min(min(min(((2 * n) - 4), (c2 + 111)), ((n + c3) + 5)), (max(c2, (c3 + 7)) - 1)); c4 += 1) {
//             for (c5 = max(c3, ((-n + c4) + 2)); c5 <= min(min((n - 2), (c3 + 7)), c4); c5 += 1) {
//               S0(c5, c4 - c5);
//             }
//           }
//           if ((n - 2) >= (c3 + 7)) {
//             for (c4 = max(c2, (c3 + 7)); c4 <= min(min(((2 * n) - 4), (c2 + 111)), ((c3 + n) + -2)); c4 += 1) {
//               // iterations are written out
//               for (c5 = c3; c5 <= c3 + 7; c5 += 1) {
//                 S0(c5, c4 - c5);
//               }
//             }
//           } else {
//             for (c4 = max(c2, (c3 + 7)); c4 <= min(min(((2 * n) - 4), (c2 + 111)), ((c3 + n) + -2)); c4 += 1) {
//               for (c5 = c3; c5 <= min((n - 2), (c3 + 7)); c5 += 1) {
//                 S0(c5, c4 - c5);
//               }
//             }
//           }
//           for (c4 = max(max(c2, (c3 + 7)), (min(min(((2 * n) - 4), (c2 + 111)), ((c3 + n) + -2)) + 1)); c4 <= min(min(((2 * n) - 4), (c2 + 111)), ((n + c3) + 5)); c4 += 1) {
//             for (c5 = max(c3, ((-n + c4) + 2)); c5 <= min(min((n - 2), (c3 + 7)), c4); c5 += 1) {
//               S0(c5, c4 - c5);
//             }
//           }
//         }
//       }
//     }
//   }
// }
// orthant: astgen: pivot
// for (c0 = 0; c0 <= n - 1; c0 += 1) {
//   // iterations run in threads
//   for (c1 = 0; c1 <= c0 - 1; c1 += 1) {
//     // iterations are independent
//     for (c2 = 0; c2 <= c0 - 1; c2 += 1) {
//       S0(c0, c1, c2);
//     }
//     S0(c0, c1, c0);
//     // iterations are independent
//     for (c3 = c0 + 1; c3 <= n - 1; c3 += 1) {
//       S0(c0, c1, c3);
//     }
//   }
//   // iterations are independent
//   for (c4 = 0; c4 <= c0 - 1; c4 += 1) {
//     S0(c0, c0, c4);
//   }
//   S0(c0, c0, c0);
//   // iterations are independent
//   for (c5 = c0 + 1; c5 <= n - 1; c5 += 1) {
//     S0(c0, c0, c5);
//   }
//   // iterations run in threads
//   for (c6 = c0 + 1; c6 <= n - 1; c6 += 1) {
//     // iterations are independent
//     for (c7 = 0; c7 <= c0 - 1; c7 += 1) {
//       S0(c0, c6, c7);
//     }
//     S0(c0, c6, c0);
//     // iterations are independent
//     for (c8 = c0 + 1; c8 <= n - 1; c8 += 1) {
//       S0(c0, c6, c8);
//     }
//   }
// }
// orthant: astgen: in_time
// for (c0 = 0; c0 <= min(floord(((112 * (t - 1)) + (56 * (((2 * t) + n) + -5))), 6272), floord(((224 * (t - 1)) + (56 * (n + 107))), 6272)); c0 += 1) {
//   // iterations run in threads
//   for (c1 = max(max(0, (56 * -floord(-((112 * c0) + -(((2 * t) + n) + -5)), 112))), (56 * -floord(-((112 * c0) + -(n + 107)), 224))); c1 <= min((t - 1), floord((112 * c0), 4)); c1 += 56) {
//     { c2 = 112 * (c0 - (c1 / 56));
//       if (((2 * c1) <= c2) && (c2 <= min((((2 * t) + n) - 5), ((n + (2 * c1)) + 107)))) {
//         for (c3 = max(c1, (8 * floord(((-n + c2) + 4), 16))); c3 <= min((t - 1), (c1 + 48)); c3 += 8) {
//           for (c4 = max(c2, (2 * c3)); c4 <= min(min(min((((2 * t) + n) - 5), (c2 + 111)), ((n + (2 * c3)) + 11)), (max(c2, ((2 * c3) + 14)) - 1)); c4 += 1) {
//             for (c5 = max(c3, floord(((-n + c4) + 4), 2)); c5 <= min(min((t - 1), (c3 + 7)), (c4 / 2)); c5 += 1) {
//               S0(c5, c4 - (2 * c5));
//             }
//           }
//           if ((t - 1) >= (c3 + 7)) {
//             for (c4 = max(c2, ((2 * c3) + 14)); c4 <= min(min((((2 * t) + n) - 5), (c2 + 111)), (((2 * c3) + n) + -3)); c4 += 1) {
//               // iterations are written out
//               for (c5 = c3; c5 <= c3 + 7; c5 += 1) {
//                 S0(c5, c4 - (2 * c5));
//               }
//             }
//           } else {
//             for (c4 = max(c2, ((2 * c3) + 14)); c4 <= min(min((((2 * t) + n) - 5), (c2 + 111)), (((2 * c3) + n) + -3)); c4 += 1) {
//               for (c5 = c3; c5 <= min((t - 1), (c3 + 7)); c5 += 1) {
//                 S0(c5, c4 - (2 * c5));
//               }
//             }
//           }
//           for (c4 = max(max(c2, ((2 * c3) + 14)), (min(min((((2 * t) + n) - 5), (c2 + 111)), (((2 * c3) + n) + -3)) + 1)); c4 <= min(min((((2 * t) + n) - 5), (c2 + 111)), ((n + (2 * c3)) + 11)); c4 += 1) {
//             for (c5 = max(c3, floord(((-n + c4) + 4), 2)); c5 <= min(min((t - 1), (c3 + 7)), (c4 / 2)); c5 += 1) {
//               S0(c5, c4 - (2 * c5));
//             }
//           }
//         }
//       }
//     }
//   }
// }
