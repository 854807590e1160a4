// test: orthant explain %s -- -O1 -DTWICE
// Flags after -- are the compiler's.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
#ifdef TWICE
  for (long i = 0; i < n; i++)
    a[i] *= 2;
#endif
}
// output:
// f (%s)
//   %s:4:3: 2 loops: optimized, about 1.8 times the speed expected
//       for (long i = 0; i < n; i++)
//     new order: T(S0): (i0, 0)
//                T(S1): (i0, 1)
//                band (i0): coincident i0, innermost loop parallel
//     if at run time: n is between -2^48 and 2^48 [moderate size]
//     if at run time: n >= 1 [something to do]
//     code: 8 blocks, 24 instructions; the new loops add 4 blocks, 19 instructions
//     before:
//       for (c0 = 0; c0 <= n - 1; c0 += 1) {
//         S0(c0);
//       }
//       for (c1 = 0; c1 <= n - 1; c1 += 1) {
//         S1(c1);
//       }
//     after:
//       // iterations are independent
//       for (c0 = 0; c0 <= n - 1; c0 += 1) {
//         S0(c0);
//         S1(c0);
//       }
//
// 1 function, 1 loop nest: 1 optimized, 0 rejected
