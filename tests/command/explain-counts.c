// test: clang -O2 -g -mllvm -orthant-schedule=identity -mllvm -orthant-count-checks %s -o %t
// test: ORTHANT_COUNTS=%t.json run %t
// test: orthant explain --schedule identity --counts %t.json %s -- -O2
// How often each part of the check held, by the program itself and then beside the source.
__attribute__((noinline)) static void scale(int n, double *a, const double *b) {
  for (int i = 0; i < n; i++)
    a[i] = b[i] * 2;
}

int main(void) {
  static double a[100];
  for (int n = 0; n < 10; n++)
    scale(n, a, a + (n < 4 ? 50 : 1));
  return 0;
}
// output:
// orthant: %s:6:3: scale: the check was made 10 times
// orthant:            9 of           10: n >= 1 [something to do]
// orthant:            3 of            9: b_0 and a_1 do not overlap [no overlap, %s:7:10]
// scale (%s)
//   %s:6:3: 1 loop: optimized
//       for (int i = 0; i < n; i++)
//     new order: T(S0): (i0)
//     if at run time: n >= 1 [something to do] held 9 of 10 times
//     if at run time: b_0 and a_1 do not overlap [no overlap, %s:7:10] held 3 of 9 times
//     code: 4 blocks, 14 instructions; the new loops add 5 blocks, 47 instructions
//     before:
//       for (c0 = 0; c0 <= n - 1; c0 += 1) {
//         S0(c0);
//       }
//     after:
//       for (c0 = 0; c0 <= n - 1; c0 += 1) {
//         S0(c0);
//       }
// main (%s)
//   %s:12:3: 1 loop: rejected
//       for (int n = 0; n < 10; n++)
//     %s:13:5: call to scale may have side effects [call-with-side-effects]
//       remedy: move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is
//
// 2 functions, 2 loop nests: 1 optimized, 1 rejected (call-with-side-effects 1)
