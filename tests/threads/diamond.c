// test: orthant explain --parallel --threads=2 %s
// A stencil in time: tiles between the two sides of the cone of cells that a cell depends on all start at once.
double A[4000], B[4000];
void heat(void) {
  for (int t = 0; t < 1000; t++) {
    for (int i = 1; i < 3999; i++)
      B[i] = 0.25 * (A[i - 1] + A[i] + A[i + 1]);
    for (int i = 1; i < 3999; i++)
      A[i] = 0.25 * (B[i - 1] + B[i] + B[i + 1]);
  }
}
// In place each cell waits for the one before it in the same step: parallelograms, one after the other.
double C[2000][2000];
void relax(void) {
  for (int t = 0; t < 100; t++)
    for (int i = 1; i < 1999; i++)
      for (int j = 1; j < 1999; j++)
        C[i][j] = 0.25 * (C[i - 1][j] + C[i][j - 1] + C[i + 1][j] + C[i][j + 1]);
}
// output:
// heat (%s)
//   %s:5:3: 3 loops, 2 deep: optimized, about 2.2 times the speed expected
//       for (int t = 0; t < 1000; t++) {
//     at cache lines: @A, @B
//     new order: T(S0): (i0, 0, 2i0 + i1)
//                T(S1): (i0, 1, 2i0 + i1 + 1)
//                band (i0, 2i0 + i1): permutable, tiled - x 256, innermost loop distributed, innermost loop parallel
//                in threads: diamond tiles 1008 x 1008, all on a diagonal start at once
//     threads: for (c1 = max(-4032, (1008 * -floord(-((1008 * c0) + -8064), 2016))); c1 <= min(1008, floord((1008 * c0), 2)); c1 += 1008), if there is enough to do (120000 instructions)
//     code: 5 blocks, 38 instructions; the new loops add 35 blocks, 438 instructions
//     before:
//       for (c0 = 0; c0 <= 999; c0 += 1) {
//         for (c1 = 0; c1 <= 3997; c1 += 1) {
//           S0(c0, c1);
//         }
//         for (c2 = 0; c2 <= 3997; c2 += 1) {
//           S1(c0, c2);
//         }
//       }
//     after:
//       for (c0 = -1; c0 <= 3; c0 += 1) {
//         // iterations run in threads
//         for (c1 = max(-4032, (1008 * -floord(-((1008 * c0) + -8064), 2016))); c1 <= min(1008, floord((1008 * c0), 2)); c1 += 1008) {
//           { c2 = 1008 * (c0 - (c1 / 1008));
//             if ((max((-c1 - 1008), c1) <= c2) && (c2 <= min((-c1 + 3024), (c1 + 8064)))) {
//               for (c3 = max(max(0, ((c1 / 4) + (c2 / 4))), ((c2 / 2) - 1999)); c3 <= min(min(999, ((c1 / 2) + 2502)), (((c1 / 4) + (c2 / 4)) + 503)); c3 += 1) {
//                 if ((((((-c1 + (4 * c3)) - 1007) <= c2) && ((2 * c3) <= c2)) && ((-c1 + (4 * c3)) >= (c2 + 1007))) && (((2 * c3) + 3997) >= (c2 + 1007))) {
//                   // iterations are independent
//                   for (c4 = c2; c4 <= c2 + 1007; c4 += 1) {
//                     S0(c3, (-2 * c3) + c4);
//                   }
//                 } else {
//                   // iterations are independent
//                   for (c4 = max(max(c2, ((-c1 + (4 * c3)) - 1007)), (2 * c3)); c4 <= min(min((c2 + 1007), (-c1 + (4 * c3))), ((2 * c3) + 3997)); c4 += 1) {
//                     S0(c3, (-2 * c3) + c4);
//                   }
//                 }
//                 if ((((((-c1 + (4 * c3)) - 1005) <= c2) && (((2 * c3) + 1) <= c2)) && (((-c1 + (4 * c3)) + 2) >= (c2 + 1007))) && (((2 * c3) + 3998) >= (c2 + 1007))) {
//                   // iterations are independent
//                   for (c5 = c2; c5 <= c2 + 1007; c5 += 1) {
//                     S1(c3, ((-2 * c3) + c5) - 1);
//                   }
//                 } else {
//                   // iterations are independent
//                   for (c5 = max(max(c2, ((-c1 + (4 * c3)) - 1005)), ((2 * c3) + 1)); c5 <= min(min((c2 + 1007), ((-c1 + (4 * c3)) + 2)), ((2 * c3) + 3998)); c5 += 1) {
//                     S1(c3, ((-2 * c3) + c5) - 1);
//                   }
//                 }
//               }
//             }
//           }
//         }
//       }
// relax (%s)
//   %s:15:3: 3 loops, 3 deep: optimized, about 9.9 times the speed expected
//       for (int t = 0; t < 100; t++)
//     array @C: double[][2000]
//     at cache lines: @C
//     new order: T(S0): (i0, i0 + i1, i0 + i2)
//                band (i0, i0 + i1, i0 + i2): permutable, tiled - x 16 x -, 8 rows written out, each one iteration behind the one before, innermost loop serial
//     code: 5 blocks, 34 instructions; the new loops add 37 blocks, 290 instructions
//     before:
//       for (c0 = 0; c0 <= 99; c0 += 1) {
//         for (c1 = 0; c1 <= 1997; c1 += 1) {
//           for (c2 = 0; c2 <= 1997; c2 += 1) {
//             S0(c0, c1, c2);
//           }
//         }
//       }
//     after:
//       for (c0 = 0; c0 <= 2096; c0 += 16) {
//         for (c1 = max(0, (c0 - 1997)); c1 <= min(99, (c0 + 15)); c1 += 1) {
//           for (c2 = max(c0, (8 * (c1 / 8))); c2 <= min((c0 + 8), (c1 + 1997)); c2 += 8) {
//             for (c3 = max((2 * c1), (c1 + c2)); c3 <= min(min(((2 * c1) + 3994), ((c1 + c2) + 2004)), (max((2 * c1), ((c1 + c2) + 7)) - 1)); c3 += 1) {
//               for (c4 = max(max(c1, c2), ((-c1 + c3) - 1997)); c4 <= min(min((c1 + 1997), (c2 + 7)), (-c1 + c3)); c4 += 1) {
//                 S0(c1, -c1 + c4, (-c1 + c3) - c4);
//               }
//             }
//             if ((c1 <= c2) && ((c1 + 1997) >= (c2 + 7))) {
//               for (c3 = max((2 * c1), ((c1 + c2) + 7)); c3 <= min(((2 * c1) + 3994), ((c2 + c1) + 1997)); c3 += 1) {
//                 // iterations are written out
//                 for (c4 = c2; c4 <= c2 + 7; c4 += 1) {
//                   S0(c1, -c1 + c4, (-c1 + c3) - c4);
//                 }
//               }
//             } else {
//               for (c3 = max((2 * c1), ((c1 + c2) + 7)); c3 <= min(((2 * c1) + 3994), ((c2 + c1) + 1997)); c3 += 1) {
//                 for (c4 = max(c1, c2); c4 <= min((c1 + 1997), (c2 + 7)); c4 += 1) {
//                   S0(c1, -c1 + c4, (-c1 + c3) - c4);
//                 }
//               }
//             }
//             for (c3 = max(max((2 * c1), ((c1 + c2) + 7)), (min(((2 * c1) + 3994), ((c2 + c1) + 1997)) + 1)); c3 <= min(((2 * c1) + 3994), ((c1 + c2) + 2004)); c3 += 1) {
//               for (c4 = max(max(c1, c2), ((-c1 + c3) - 1997)); c4 <= min(min((c1 + 1997), (c2 + 7)), (-c1 + c3)); c4 += 1) {
//                 S0(c1, -c1 + c4, (-c1 + c3) - c4);
//               }
//             }
//           }
//         }
//       }
//
// 2 functions, 2 loop nests: 2 optimized, 0 rejected
