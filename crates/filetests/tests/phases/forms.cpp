// Loops whose steps take turns, with what else may be in them: counters of all widths that wrap or do not start at 0, calls that throw, objects on the
// stack, aliases and hints that are declared in the loop, steps within steps. Nobody runs them: what the split makes of each is to be proved.
#include <atomic>
#define FOR(i, from, to) for (int i = from; i < to; i++)
#define INNER FOR(i, 1, n - 1) FOR(j, 1, n - 1)
#define STEP(a, b) INNER b[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[(i - 1) * n + j]
#define SWAP { double *o = a; a = b; b = o; }
#define C extern "C"
typedef unsigned char u8; typedef unsigned short u16; typedef unsigned long u64; typedef signed char s8;
C double *count_u8(u8 steps, int n, double *a, double *b) { for (u8 t = 0; t < steps; t++) { STEP(a, b); SWAP } return a; }
C double *count_u8_wraps(u8 from, u8 to, int n, double *a, double *b) { u8 t = from; do { STEP(a, b); SWAP t++; } while (t != to); return a; }
C double *count_s8_by3(s8 steps, int n, double *a, double *b) { s8 t = 0; do { STEP(a, b); SWAP t += 3; } while (t != steps); return a; }
C double *count_u16_down(u16 steps, int n, double *a, double *b) { for (u16 t = steps; t-- > 0;) { STEP(a, b); SWAP } return a; }
C double *count_u64(u64 steps, int n, double *a, double *b) { for (u64 t = 0; t != steps; t++) { STEP(a, b); SWAP } return a; }
C double *count_u64_wraps(u64 steps, int n, double *a, double *b) { u64 t = 7; do { STEP(a, b); SWAP t -= 1; } while (t != steps); return a; }
C long from_anywhere(long from, long to, int n, double *a, double *b) { long t; for (t = from; t < to; t++) { STEP(a, b); SWAP } return t; }
C double planes_from7(long to, int n, double *a) { double s = 0; for (long t = 7; t < to; t += 5) { INNER a[(t % 2) * n * n + i * n + j] = a[((t + 1) % 2) * n * n + i * n + j]; s += a[t]; } return s; }
C void planes_unsigned3(unsigned to, int n, double *a) { for (unsigned t = 0; t < to; t++) { INNER a[(t % 3) * n * n + i * n + j] = a[((t + 1) % 3) * n * n + i * n + j]; } }
C void planes_unsigned3w(unsigned to, int n, double *a) { unsigned t = 0; do { INNER a[(t % 3) * n * n + i * n + j] = a[((t + 1) % 3) * n * n + i * n + j]; t++; } while (t != to); }
C void planes_u8_3(u8 to, int n, double *a) { u8 t = 0; do { INNER a[(t % 3) * n * n + i * n + j] = a[((t + 1) % 3) * n * n + i * n + j]; t++; } while (t != to); }
C void planes_mask6(unsigned to, int n, double *a) { unsigned t = 0; do { INNER a[(t & 6) * n * n + i * n + j] = a[((t + 2) & 6) * n * n + i * n + j]; t += 2; } while (t != to); }
C void planes_big(unsigned to, int n, double *a) { unsigned t = 0; do { INNER a[(t & 0x30) * n * n + i * n + j] = a[((t + 16) & 0x30) * n * n + i * n + j]; t += 16; } while (t < to); }
C void planes_neg(int from, int to, int n, double *a) { for (int t = -9; t < to; t++) { INNER a[(t % 2 + 1) * n * n + i * n + j] = a[((t + 1) % 2 + 1) * n * n + i * n + j]; } }
C void planes_short(int to, int n, double *a) { for (short t = 0; t < to; t++) { INNER a[(t % 2) * n * n + i * n + j] = a[((t + 1) % 2) * n * n + i * n + j]; } }
C double *is_volatile(int steps, int n, double *a, double *b, volatile int *v) { FOR(t, 0, steps) { STEP(a, b); *v = t; SWAP } return a; }
C double *is_atomic(int steps, int n, double *a, double *b, std::atomic<int> *v) { FOR(t, 0, steps) { STEP(a, b); v->fetch_add(t); SWAP } return a; }
C double *assumes(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { __builtin_assume(((u64)a & 31) == 0); __builtin_assume(a[t] > 2.0); STEP(a, b); SWAP } return a; }
void may_throw(int);
void hook(double *, int) noexcept;
C double *throws(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { may_throw(t); STEP(a, b); SWAP } return a; }
C double *catches(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { try { may_throw(t); } catch (...) { a[0] = t; } STEP(a, b); SWAP } return a; }
struct Guard { int n; ~Guard() { may_throw(n); } };
C double *leaves(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { Guard g{t}; may_throw(t); STEP(a, b); SWAP } return a; }
C double *on_stack(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { double c[64]; hook(c, t); STEP(a, b); a[0] += c[1]; SWAP } return a; }
C double *on_vla(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { double c[n]; hook(c, t); STEP(a, b); a[0] += c[1]; SWAP } return a; }
static inline __attribute__((always_inline)) void one(double *__restrict x, double *__restrict y, int n) { STEP(x, y); }
C double *restricted(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { one(a, b, n); SWAP } return a; }
C double *restricted_twice(int steps, int n, double *a, double *b) { FOR(t, 0, steps) { one(a, b, n); one(b + 1, a + n, n); SWAP } return a; }
C double *parallel(int steps, int n, double *a, double *b) {
#pragma clang loop vectorize(assume_safety)
  FOR(t, 0, steps) { STEP(a, b); SWAP } return a; }
C double *inner_parallel(int steps, int n, double *a, double *b) {
  FOR(t, 0, steps) {
    FOR(i, 1, n - 1)
#pragma clang loop vectorize(assume_safety)
    FOR(j, 1, n - 1) b[i * n + j] = a[i * n + j] + a[i * n + j - 1];
    SWAP } return a; }
C double *nested(int rounds, int steps, int n, double *a, double *b, double *c) {
  FOR(r, 0, rounds) { FOR(t, 0, steps) { STEP(a, b); SWAP } STEP(b, c); { double *o = c; c = b; b = o; } } return a; }
C double *nested_both(int rounds, int steps, int n, double *a, double *b, double *c, double *d) {
  FOR(r, 0, rounds) { double *e = c, *f = d; FOR(t, 0, steps) { STEP(e, f); double *o = e; e = f; f = o; } STEP(a, b); SWAP } return a; }
C double *fast(int steps, int n, double *a, double *b) {
#pragma clang fp reassociate(on) contract(fast)
  double s = 0; FOR(t, 0, steps) { STEP(a, b); s += a[1]; s *= 0.5; SWAP } a[0] = s; return a; }
C double *switches(int steps, int n, double *a, double *b, int *k) { FOR(t, 0, steps) { switch (k[t]) { case 1: a[0] = 1; break; case 2: a[1] = 2; break; case 3: a[2] = 7; } STEP(a, b); SWAP } return a; }
C double *constant_steps(int n, double *a, double *b) { FOR(t, 0, 39) { STEP(a, b); SWAP } return a; }
C double *many_counters(int steps, int n, double *a, double *b, long *out) { int k = 5; long m = -3; u8 w = 250; FOR(t, 0, steps) { STEP(a, b); k += 7; m -= 11; w += 100; a[0] += k + w; SWAP } out[0] = k; out[1] = m; out[2] = w; return b; }
C double *step_flags(int steps, int n, double *a, double *b, double *c) { double *e = c; FOR(t, 0, steps) { STEP(a, b); *e = t; e += 3; SWAP } return e; }
C void four(int steps, int n, double *a, double *b, double *c, double *d, double **out) { FOR(t, 0, steps) { STEP(a, b); double *o = a; a = b; b = c; c = d; d = o; } out[0] = a; out[1] = b; out[2] = c; out[3] = d; }
C void both_ways(int steps, int n, double *a, double *b, double *p) { FOR(t, 0, steps) { INNER b[i * n + j] = a[i * n + j] + p[(t & 3) * n + j]; SWAP } }
C int toggles(int steps, int n, double *p) { int now = 3; FOR(t, 0, steps) { INNER p[now * n * n + i * n + j] += p[(7 - now) * n * n + i * n + j - 1]; now = 7 - now; } return now; }
C int toggles_xor(int steps, int n, double *p) { int now = 3; FOR(t, 0, steps) { INNER p[now * n * n + i * n + j] += p[(now ^ 5) * n * n + i * n + j - 1]; now ^= 5; } return now; }
C bool toggles_bool(int steps, int n, double *p) { bool now = false; FOR(t, 0, steps) { INNER p[now * n * n + i * n + j] += p[!now * n * n + i * n + j - 1]; now = !now; } return now; }
C void wide(__int128 steps, int n, double *p) { __int128 k = 0; FOR(t, 0, (int)steps) { INNER p[(int)(k % 2) * n * n + i * n + j] += p[(int)((k + 1) % 2) * n * n + i * n + j - 1]; k++; } }
C void bits(unsigned _BitInt(2) steps, int n, double *p, double *q) { unsigned _BitInt(2) k = 0; double *a = p, *b = q; for (; k < steps; k++) { STEP(a, b); SWAP } }
C void bits200(int steps, int n, double *p) { unsigned _BitInt(128) k = 5; FOR(t, 0, steps) { INNER p[(int)(k & 1) * n * n + i * n + j] += p[(int)((k + 1) & 1) * n * n + i * n + j - 1]; k++; } }
