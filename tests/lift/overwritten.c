// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// A store that another one of the same instance overwrites is not in the model, if subscripts tell that nothing reads it between. A load
// that may see a store of its own instance makes a statement of which the model does not say what it computes.
#define MAX(a, b) ((a) >= (b) ? (a) : (b))

// LLVM keeps both stores: with a row of no cells the second load would see the first one.
void two(int n, int t[n][n]) {
  for (int i = n - 2; i >= 0; i--)
    for (int j = 1; j < n; j++) {
      t[i][j] = MAX(t[i][j], t[i][j - 1]);
      t[i][j] = MAX(t[i][j], t[i + 1][j]);
    }
}

// With i = j what is loaded between is what was stored.
void looked_at(int n, int t[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) {
      t[i][j] = MAX(t[i][j], t[i][j - 1]);
      t[i][j] = MAX(t[i][j], t[j][i]);
    }
}

// The second store is elsewhere in some iterations.
void elsewhere(int n, int t[n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 1; j < n; j++) {
      int x = t[i][j] / 3;
      t[i][j - 1] = x;
      t[i][0] = x + t[i][j + 1];
    }
}

// With i = 0 the load sees the store.
void own(long n, double *restrict a, double *restrict b, const double *restrict c) {
  for (long i = 0; i < n; i++) {
    double x = c[i] / 3;
    a[i] = x;
    b[i] = a[2 * i] + x;
  }
}
// output:
// orthant: lift
// scop two
// param p0 [-2147483648, 2147483647]
// context [p0] -> {  : p0 >= 2 }
// array A0 [*, p0] 4
// stmt S0 [p0] -> { S0[i0, i1] : 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
//   reduce max [p0] -> { S0[i0, i1] -> A0[-2 + p0 - i0, 1 + i1] : 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
//   read r1 [p0] -> { S0[i0, i1] -> A0[-2 + p0 - i0, i1] : 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
//   read r2 [p0] -> { S0[i0, i1] -> A0[-1 + p0 - i0, 1 + i1] : 0 <= i0 <= -2 + p0 and 0 <= i1 <= -2 + p0 }
//   let v0 = smax r0 r1 %k0
//   let v1 = smax v0 r2 %k0
// order { for { for { S0 } } }
// # shape %1: int[][%0]
// orthant: lift
// scop looked_at
// param p0 [-2147483648, 2147483647]
// context [p0] -> {  : p0 >= 2 }
// array A0 [*, p0] 4
// stmt S0 [p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   read [p0] -> { S0[i0, i1] -> A0[i0, 1 + i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   read [p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   write [p0] -> { S0[i0, i1] -> A0[i0, 1 + i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   read [p0] -> { S0[i0, i1] -> A0[1 + i1, i0] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   write [p0] -> { S0[i0, i1] -> A0[i0, 1 + i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
// order { for { for { S0 } } }
// # shape %1: int[][%0]
// orthant: lift
// scop elsewhere
// param p0 [-2147483648, 2147483647]
// context [p0] -> {  : p0 >= 2 }
// array A0 [*, p0] 4
// phi phi1 4
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read r0 [p0] -> { S0[i0] -> A0[i0, 1] : 0 <= i0 < p0 }
//   write r0 [p0] -> { S0[i0] -> phi1[] : 0 <= i0 < p0 }
// stmt S1 [p0] -> { S1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   read r0 [p0] -> { S1[i0, i1] -> phi1[] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   write v0 [p0] -> { S1[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   read r2 [p0] -> { S1[i0, i1] -> A0[i0, 2 + i1] : p0 <= 2147483647 and 0 <= i0 < p0 and 0 <= i1 <= -3 + p0; S1[i0, -2 + p0] -> A0[1 + i0, 0] : p0 <= 2147483647 and 0 <= i0 < p0 }
//   write v1 [p0] -> { S1[i0, i1] -> A0[i0, 0] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   write r2 [p0] -> { S1[i0, i1] -> phi1[] : 0 <= i0 < p0 and 0 <= i1 <= -2 + p0 }
//   let v0 = sdiv r0 %k0
//   let v1 = add r2 v0
// order { for { S0 for { S1 } } }
// # shape %1: int[][%0]
// orthant: lift
// scop own
// param p0 [-9223372036854775808, 9223372036854775807]
// context [p0] -> {  : 0 < p0 <= 281474976710656 }
// array A0 [*] 8
// array A1 [*] 8
// array A2 [*] 8
// stmt S0 [p0] -> { S0[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
//   write [p0] -> { S0[i0] -> A1[i0] : 0 <= i0 < p0 }
//   read [p0] -> { S0[i0] -> A1[2i0] : 0 <= i0 < p0 }
//   write [p0] -> { S0[i0] -> A2[i0] : 0 <= i0 < p0 }
// order { for { S0 } }
