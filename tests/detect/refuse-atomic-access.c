// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
void count(long n, const int *a, long *total) {
  for (long i = 0; i < n; i++)
    __atomic_fetch_add(total, a[i], __ATOMIC_RELAXED);
}
// output:
// %s:3:3: remark: loop nest not optimized: atomic access [-Rpass-missed=orthant]
// %s:4:5: remark: atomic access; move the atomic operation out of the loops, or accumulate locally first [-Rpass-analysis=orthant]
// orthant: detect: count
//   %s:3:3: rejected, depth 1, 1 loops
//     atomic-access: %s:4:5: atomic access
