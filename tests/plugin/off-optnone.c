// test: clang -Rpass-missed=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -O2 -c %s -o /dev/null
__attribute__((optnone)) void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// %s:3:3: remark: loop nest not optimized: the function is marked optnone [-Rpass-missed=orthant]
// %s:3:3: remark: the function is marked optnone; remove optnone, or compile with -O1 or higher [-Rpass-analysis=orthant]
