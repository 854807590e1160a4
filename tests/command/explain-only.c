// test: orthant explain --only=^g$ %s
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
void g(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
// output:
// g (%s)
//   %s:7:3: 1 loop: kept
//       for (long i = 0; i < n; i++)
//     no other order keeps all dependences and looks better
//
// 1 function, 1 loop nest: 1 kept, 0 rejected
