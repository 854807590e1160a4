// test: clang -O2 -g -mllvm -orthant-parallel -mllvm -orthant-threads=2 -mllvm -orthant-print-after=schedule -c %s -o /dev/null
// Nests that go through the rows of a matrix in batches, each in threads, and others that must not or need not.
#define N 2000
double A[N][N], B[100][100], t[N], u[N], x[N], y[N], z[N];
// The second nest needs of t only the rows that it is at.
void transposed(void) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
    for (int j = 0; j < N; j++)
      y[j] += A[i][j] * t[i];
  }
}
// Rows of the first are columns of the second one's loops as they are written; it begins with another row.
void turned(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
  for (int i = 0; i < N; i++)
    for (int j = 1; j < N; j++)
      y[i] += A[j][i] * z[j];
}
// The second nest needs all of t.
void whole(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[i] += A[j][i] * t[i];
}
// So does this one, of which it is the rows that come last.
void backwards(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[j] += A[i][j] * t[N - 1 - i];
}
// The last rows come first.
void down(void) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      t[i] += A[i][j] * x[j];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      y[j] += A[N - 1 - i][j] * z[i];
}
// All is in the caches anyway.
void small(void) {
  for (int r = 0; r < 100; r++)
    for (int j = 0; j < 100; j++)
      t[r] += B[r][j] * x[j];
  for (int r = 0; r < 100; r++)
    for (int j = 0; j < 100; j++)
      y[j] += B[r][j] * t[r];
}
// output:
// orthant: schedule: transposed
// T(S0): (0, i0, i1)
// T(S1): (1, i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i0, i1): permutable, 8 rows written out, coincident i1, innermost loop parallel
// in threads: 2 nests in turn for each 32 rows of A0
// about 2.7 times the speed
// orthant: schedule: turned
// T(S0): (0, i0, i1)
// T(S1): (1, i1, i0)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// in threads: 2 nests in turn for each 32 rows of A0
// about 6.0 times the speed
// orthant: schedule: whole
// T(S0): (0, i0, i1)
// T(S1): (1, i1, i0)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i1, i0): permutable, 8 rows written out, coincident i0, innermost loop parallel
// about 5.6 times the speed
// orthant: schedule: backwards
// T(S0): (0, i0, i1)
// T(S1): (1, i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i0, i1): permutable, 8 rows written out, coincident i1, innermost loop parallel
// about 3.3 times the speed
// orthant: schedule: down
// T(S0): (0, i0, i1)
// T(S1): (1, i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i0, i1): permutable, 8 rows written out, coincident i1, innermost loop parallel
// about 3.3 times the speed
// orthant: schedule: small
// T(S0): (0, i0, i1)
// T(S1): (1, i0, i1)
// band (i0, i1): permutable, 8 rows written out, coincident i0, innermost loop serial
// band (i0, i1): permutable, 8 rows written out, coincident i1, innermost loop parallel
// about 2.5 times the speed
