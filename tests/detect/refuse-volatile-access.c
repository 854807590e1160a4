// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
volatile int device;

void copy(int n, int *a) {
  for (int i = 0; i < n; i++)
    a[i] = device;
}
// output:
// %s:5:3: remark: loop nest not optimized: volatile access [-Rpass-missed=orthant]
// %s:6:12: remark: volatile access; copy the volatile object to a local before the loops [-Rpass-analysis=orthant]
// orthant: detect: copy
//   %s:5:3: rejected, depth 1, 1 loops
//     volatile-access: %s:6:12: volatile access
