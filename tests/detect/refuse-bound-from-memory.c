// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// The loop itself changes its bound.
void shrink(int *n, int *a) {
  for (int i = 0; i < *n; i++) {
    a[i] = 0;
    *n -= 1;
  }
}
// output:
// %s:4:3: remark: loop nest not optimized: the loop bound is loaded from memory inside the nest [-Rpass-missed=orthant]
// %s:4:3: remark: the loop bound is loaded from memory inside the nest; copy the bound to a local variable before the loops [-Rpass-analysis=orthant]
// orthant: detect: shrink
//   %s:4:3: rejected, depth 1, 1 loops
//     bound-from-memory: %s:4:3: the loop bound is loaded from memory inside the nest
