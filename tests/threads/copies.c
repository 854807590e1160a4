// test: clang -O2 -g -mllvm -orthant-parallel -mllvm -orthant-threads=4 -mllvm -orthant-print-after=astgen -c %s -o /dev/null
// Arrays of which each thread has a copy.
double line[100], other[100], A[1000][100], B[1000][100];
// Each iteration writes what it reads, and the last one all.
void copied(void) {
  for (int i = 0; i < 1000; i++) {
    for (int p = 0; p < 100; p++)
      line[p] = B[i][p] * 2;
    for (int p = 0; p < 100; p++)
      A[i][p] += line[99 - p];
  }
}
// The last iteration writes one cell of a hundred: the others are what earlier ones left.
void kept(void) {
  for (int i = 0; i < 100; i++) {
    for (int p = 0; p < 100 - i; p++)
      line[p] = B[i][p] * 2;
    for (int p = 0; p < 100 - i; p++)
      A[i][p] += line[p];
  }
}
// One cell is read that was written before.
void before(void) {
  for (int i = 0; i < 1000; i++) {
    for (int p = 1; p < 100; p++)
      line[p] = B[i][p] * 2;
    for (int p = 0; p < 100; p++)
      A[i][p] += line[99 - p];
  }
}
// Of one array a copy would do, but not of the other.
void carried(void) {
  for (int i = 0; i < 1000; i++) {
    for (int p = 0; p < 100; p++)
      line[p] = B[i][p] + other[p];
    for (int p = 0; p < 100; p++)
      other[p] = line[99 - p] * A[i][p];
  }
}
// output:
// orthant: astgen: copied
// // iterations run in threads, each with a copy of A1
// for (c0 = 0; c0 <= 992; c0 += 8) {
//   // iterations are independent
//   for (c1 = 0; c1 <= 99; c1 += 1) {
//     // iterations are written out
//     for (c2 = c0; c2 <= c0 + 7; c2 += 1) {
//       S0(c2, c1);
//       S1(c2, -c1 + 99);
//     }
//   }
// }
// orthant: astgen: kept
// // iterations run in threads
// for (c0 = 0; c0 <= 96; c0 += 8) {
//   for (c1 = 0; c1 <= min((-c0 + 99), (0 - 1)); c1 += 1) {
//     for (c2 = c0; c2 <= min((c0 + 7), (-c1 + 99)); c2 += 1) {
//       S0(c1, c2);
//       S1(c1, c2);
//     }
//   }
//   for (c1 = 0; c1 <= (-1 * c0) + 92; c1 += 1) {
//     // iterations are written out
//     for (c2 = c0; c2 <= c0 + 7; c2 += 1) {
//       S0(c1, c2);
//       S1(c1, c2);
//     }
//   }
//   for (c1 = max(0, (((-1 * c0) + 92) + 1)); c1 <= -c0 + 99; c1 += 1) {
//     for (c2 = c0; c2 <= min((c0 + 7), (-c1 + 99)); c2 += 1) {
//       S0(c1, c2);
//       S1(c1, c2);
//     }
//   }
// }
// orthant: astgen: before
// // iterations run in threads
// for (c0 = -32; c0 <= 96; c0 += 32) {
//   for (c1 = 0; c1 <= 992; c1 += 8) {
//     // iterations are independent
//     for (c2 = max(0, c0); c2 <= min(98, (c0 + 31)); c2 += 1) {
//       // iterations are written out
//       for (c3 = c1; c3 <= c1 + 7; c3 += 1) {
//         S0(c3, c2);
//         S1(c3, -c2 + 98);
//       }
//     }
//     if (c0 == -32) {
//       // iterations are written out
//       for (c4 = c1; c4 <= c1 + 7; c4 += 1) {
//         S1(c4, 99);
//       }
//     }
//   }
// }
