// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// The bound is in the object that is written: that they are apart is not even assumed.
struct row {
  int n, a[100];
};

void clear(struct row *r, int from) {
  for (int i = 0; i < r->n; i++)
    r->a[from + i] = 0;
}
// output:
// %s:8:3: remark: loop nest not optimized: the loop bound is loaded from memory inside the nest [-Rpass-missed=orthant]
// %s:8:3: remark: the loop bound is loaded from memory inside the nest; copy the bound to a local variable before the loops [-Rpass-analysis=orthant]
// orthant: detect: clear
//   %s:8:3: rejected, depth 1, 1 loops
//     bound-from-memory: %s:8:3: the loop bound is loaded from memory inside the nest
