// test: clang -O2 -march=x86-64-v4 -mllvm -orthant-parallel -mllvm -orthant-threads=2 -mllvm -orthant-print-after=astgen -c %s -o /dev/null
// Each thread has its own copy of what the iterations of a strip have copies of, but the one with the last iteration.
double line[160], A[140][150][160], C[160][160];
void times(void) {
  for (int r = 0; r < 140; r++)
    for (int q = 0; q < 150; q++) {
      for (int p = 0; p < 160; p++) {
        line[p] = 0;
        for (int s = 0; s < 160; s++)
          line[p] += A[r][q][s] * C[s][p];
      }
      for (int p = 0; p < 160; p++)
        A[r][q][p] = line[p];
    }
}
// How long the rows are turns out when the program runs; threads are for those of which eight have room.
void times_at_run_time(int n, double *restrict A, const double *restrict C, double *restrict line) {
  for (int r = 0; r < n; r++)
    for (int q = 0; q < n; q++) {
      for (int p = 0; p < n; p++) {
        line[p] = 0;
        for (int s = 0; s < n; s++)
          line[p] += A[(r * n + q) * n + s] * C[s * n + p];
      }
      for (int p = 0; p < n; p++)
        A[(r * n + q) * n + p] = line[p];
    }
}
// output:
// orthant: astgen: times
// // iterations run in threads, each with a copy of A0_x
// for (c0 = 0; c0 <= 139; c0 += 1) {
//   for (c1 = 0; c1 <= 18; c1 += 1) {
//     for (c2 = 0; c2 <= min(7, ((-8 * c1) + 149)); c2 += 1) {
//       // iterations are independent
//       for (c3 = 0; c3 <= 159; c3 += 1) {
//         S0(c0, c1, c2, c3);
//       }
//     }
//     for (c4 = 0; c4 <= 144; c4 += 24) {
//       if ((((-8 * c1) + 142) >= 0) && (((-1 * c4) + 136) >= 0)) {
//         // the cells of the block stay in registers
//         for (c5 = 0; c5 <= 159; c5 += 1) {
//           for (c6 = 0; c6 <= 7; c6 += 1) {
//             // iterations are independent
//             for (c7 = c4; c7 <= c4 + 23; c7 += 1) {
//               S1(c0, c1, c6, c7, c5);
//             }
//           }
//         }
//       } else {
//         // the cells of the block stay in registers
//         for (c5 = 0; c5 <= 159; c5 += 1) {
//           for (c6 = 0; c6 <= min(7, ((-8 * c1) + 149)); c6 += 1) {
//             // iterations are independent
//             for (c7 = c4; c7 <= min(159, (c4 + 23)); c7 += 1) {
//               S1(c0, c1, c6, c7, c5);
//             }
//           }
//         }
//       }
//     }
//     for (c8 = 0; c8 <= min(7, ((-8 * c1) + 149)); c8 += 1) {
//       // iterations are independent
//       for (c9 = 0; c9 <= 159; c9 += 1) {
//         S2(c0, c1, c8, c9);
//       }
//     }
//   }
// }
// // iterations are independent
// for (c10 = 0; c10 <= 159; c10 += 1) {
//   A0_last(c10);
// }
// orthant: astgen: times_at_run_time
// // iterations run in threads, each with a copy of A0_x
// for (c0 = 0; c0 <= p0 - 1; c0 += 1) {
//   for (c1 = 0; c1 <= (p0 - 1) / 8; c1 += 1) {
//     for (c2 = 0; c2 <= min(7, ((p0 - (8 * c1)) - 1)); c2 += 1) {
//       // iterations are independent
//       for (c3 = 0; c3 <= p0 - 1; c3 += 1) {
//         S0(c0, c1, c2, c3);
//       }
//     }
//     for (c4 = 0; c4 <= p0 - 1; c4 += 24) {
//       if ((((p0 + (-8 * c1)) + -8) >= 0) && (((p0 + (-1 * c4)) + -24) >= 0)) {
//         // the cells of the block stay in registers
//         for (c5 = 0; c5 <= p0 - 1; c5 += 1) {
//           for (c6 = 0; c6 <= 7; c6 += 1) {
//             // iterations are independent
//             for (c7 = c4; c7 <= c4 + 23; c7 += 1) {
//               S1(c0, c1, c6, c7, c5);
//             }
//           }
//         }
//       } else {
//         // the cells of the block stay in registers
//         for (c5 = 0; c5 <= p0 - 1; c5 += 1) {
//           for (c6 = 0; c6 <= min(7, ((p0 - (8 * c1)) - 1)); c6 += 1) {
//             // iterations are independent
//             for (c7 = c4; c7 <= min((p0 - 1), (c4 + 23)); c7 += 1) {
//               S1(c0, c1, c6, c7, c5);
//             }
//           }
//         }
//       }
//     }
//     for (c8 = 0; c8 <= min(7, ((p0 - (8 * c1)) - 1)); c8 += 1) {
//       // iterations are independent
//       for (c9 = 0; c9 <= p0 - 1; c9 += 1) {
//         S2(c0, c1, c8, c9);
//       }
//     }
//   }
// }
// // iterations run in threads
// // iterations are independent
// for (c10 = 0; c10 <= p0 - 1; c10 += 1) {
//   A0_last(c10);
// }
