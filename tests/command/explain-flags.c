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
//   %s:4:3: 2 loops: kept
//       for (long i = 0; i < n; i++)
//     the best order found is not clearly better: about 1.5 times the speed
//
// 1 function, 1 loop nest: 1 kept, 0 rejected
