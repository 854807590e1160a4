// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
// Where the stores go is known only in the loop, so no test before it can tell whether they meet b.
void scatter(long n, const long *restrict index, double *a, double *b) {
  for (long i = 0; i < n; i++)
    a[index[i]] += b[i];
}
// CHECK: %s:4:3: remark: loop nest not optimized: {{.+}} and {{.+}} may overlap
// CHECK: remark: {{.+}} and {{.+}} may overlap; declare the pointers restrict
// CHECK: possible-overlap: %s:4:3: {{.+}} and {{.+}} may overlap
