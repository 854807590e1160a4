// test: orthant cc -O2 -flto=thin -c %s -o %t.o
// test: orthant cc -O2 -flto=thin -fuse-ld=lld -shared -orthant-position=late -orthant-print-after=detect %t.o -o %t.so
// With thin LTO the late position is in the linker.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// orthant: detect: f
//   unknown place: candidate, depth 1, 1 loops
