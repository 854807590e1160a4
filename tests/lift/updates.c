// test: clang -O3 -mllvm -orthant-stop-after=dependences -mllvm -orthant-print-after=dependences -c %s -o /dev/null
// Which updates of a cell may come in any order: those by one operation on integers, whatever statement they are of.
#define MAX(a, b) ((a) >= (b) ? (a) : (b))
#define MIN(a, b) ((a) < (b) ? (a) : (b))

// The largest of all, in two statements: no flow between the updates, but to those that read a finished cell.
void same(long n, int t[n][n]) {
  for (long j = 1; j < n; j++) {
    t[0][j] = MAX(t[0][j], t[0][j - 1]);
    for (long k = 0; k < j; k++)
      t[0][j] = MAX(t[0][j], t[0][k] + t[k + 1][0]);
  }
}

// Two operations: their order matters.
void two(long n, int t[n][n]) {
  for (long j = 1; j < n; j++) {
    t[0][j] = MIN(t[0][j], 7);
    for (long k = 1; k < n; k++)
      t[0][j] = MAX(t[0][j], t[k][j]);
  }
}

// What is combined with the cell is the cell itself when k = j.
void itself(long n, int t[n]) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < n; k++)
      t[j] += t[k];
}

// Of floating-point numbers, which NaN or zero it is depends on the order.
void floating(long n, double s[n], double t[n][n]) {
  for (long j = 0; j < n; j++)
    for (long k = 0; k < n; k++)
      s[j] = MAX(s[j], t[k][j]);
}
// output:
// orthant: dependences: same
// flow [p0] -> { S0[i0] -> S0[1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -3 + p0 }
// flow [p0] -> { S0[i0] -> S1[o0, 1 + i0] : p0 <= 281474976710656 and i0 >= 0 and i0 < o0 <= -2 + p0 }
// flow [p0] -> { S1[i0, i1] -> S0[1 + i0] : p0 <= 281474976710656 and i0 <= -3 + p0 and 0 <= i1 <= i0 }
// flow [p0] -> { S1[i0, i1] -> S1[o0, 1 + i0] : p0 <= 281474976710656 and 0 <= i1 <= i0 and i0 < o0 <= -2 + p0 }
// reduction [p0] -> { S0[i0] -> S1[i0, o1] : p0 <= 281474976710656 and i0 <= -2 + p0 and 0 <= o1 <= i0 }
// reduction [p0] -> { S1[i0, i1] -> S1[i0, o1] : p0 <= 281474976710656 and i0 <= -2 + p0 and i1 >= 0 and i1 < o1 <= i0 }
// live-in [p0] -> { S0[i0] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0; S0[i0] -> A0[0, i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 }
// live-in [p0] -> { S1[i0, i1] -> A0[0, 1 + i0] : p0 <= 281474976710656 and i0 <= -2 + p0 and 0 <= i1 <= i0; S1[i0, i1] -> A0[0, i1] : p0 <= 281474976710656 and i0 <= -2 + p0 and 0 <= i1 <= i0; S1[i0, i1] -> A0[1 + i1, 0] : p0 <= 281474976710656 and i0 <= -2 + p0 and 0 <= i1 <= i0 }
// live-out [p0] -> { S0[i0] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 }
// live-out [p0] -> { S1[i0, i1] -> A0[0, 1 + i0] : p0 <= 281474976710656 and i0 <= -2 + p0 and 0 <= i1 <= i0 }
// exact
// orthant: dependences: two
// flow [p0] -> { S0[i0] -> S1[i0, o1] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= o1 <= -2 + p0 }
// anti [p0] -> { S0[i0] -> S1[i0, o1] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= o1 <= -2 + p0 }
// output [p0] -> { S0[i0] -> S1[i0, o1] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= o1 <= -2 + p0 }
// reduction [p0] -> { S1[i0, i1] -> S1[i0, o1] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and i1 >= 0 and i1 < o1 <= -2 + p0 }
// live-in [p0] -> { S0[i0] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 }
// live-in [p0] -> { S1[i0, i1] -> A0[1 + i1, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0; S1[i0, i1] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
// live-out [p0] -> { S0[i0] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 }
// live-out [p0] -> { S1[i0, i1] -> A0[0, 1 + i0] : p0 <= 281474976710656 and 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
// exact
// orthant: dependences: itself
// flow [p0] -> { S0[i0, i1] -> S0[i0, 1 + i1] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= -2 + p0; S0[i0, -1 + p0] -> S0[o0, i0] : p0 <= 281474976710656 and i0 >= 0 and i0 < o0 < p0 }
// anti [p0] -> { S0[i0, i1] -> S0[i1, 0] : p0 <= 281474976710656 and i0 >= 0 and i0 < i1 < p0 }
// output [p0] -> { S0[i0, i1] -> S0[i0, 1 + i1] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
// live-in [p0] -> { S0[i0, i1] -> A0[i1] : p0 <= 281474976710656 and i0 >= 0 and i0 < i1 < p0; S0[i0, 0] -> A0[i0] : p0 <= 281474976710656 and 0 <= i0 < p0; S0[0, 0] -> A0[0] : 0 < p0 <= 281474976710656 }
// live-out [p0] -> { S0[i0, -1 + p0] -> A0[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 }
// exact
// orthant: dependences: floating
// flow [p0] -> { S0[i0, i1] -> S0[i0, 1 + i1] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
// output [p0] -> { S0[i0, i1] -> S0[i0, 1 + i1] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
// live-in [p0] -> { S0[i0, 0] -> A0[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 }
// live-in [p0] -> { S0[i0, i1] -> A1[i1, i0] : p0 <= 281474976710656 and 0 <= i0 < p0 and 0 <= i1 < p0 }
// live-out [p0] -> { S0[i0, -1 + p0] -> A0[i0] : p0 <= 281474976710656 and 0 <= i0 < p0 }
// exact
