// test: orthant explain %s %S/inputs/other.c %S/inputs/broken.c
// exit: 1
// The broken one is said; the others are explained.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// orthant: error: %S/inputs/broken.c:1:14: error: expected parameter declarator
// f (%s)
//   %s:5:3: 1 loop: kept
//       for (long i = 0; i < n; i++)
//     no other order keeps all dependences and looks better
// other (%S/inputs/other.c)
//   %S/inputs/other.c:3:3: 1 loop: kept
//       for (long i = 0; i < n; i++)
//     no other order keeps all dependences and looks better
//
// 2 functions, 2 loop nests: 2 kept, 0 rejected
