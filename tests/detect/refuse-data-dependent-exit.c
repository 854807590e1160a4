// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
struct node {
  struct node *next;
  double value;
};

void add(struct node *list, double x) {
  for (; list; list = list->next)
    list->value += x;
}

long length(const char *s, int *histogram) {
  long n = 0;
  for (; s[n]; n++)
    histogram[(unsigned char)s[n]]++;
  return n;
}
// output:
// %s:8:3: remark: loop nest not optimized: the number of iterations depends on the data [-Rpass-missed=orthant]
// %s:8:3: remark: the number of iterations depends on the data; split the search for the end from the work, so that the working loop has a bound known on entry [-Rpass-analysis=orthant]
// orthant: detect: add
//   %s:8:3: rejected, depth 1, 1 loops
//     data-dependent-exit: %s:8:3: the number of iterations depends on the data
// %s:14:3: remark: loop nest not optimized: the number of iterations depends on the data [-Rpass-missed=orthant]
// %s:14:3: remark: the number of iterations depends on the data; split the search for the end from the work, so that the working loop has a bound known on entry [-Rpass-analysis=orthant]
// orthant: detect: length
//   %s:14:3: rejected, depth 1, 1 loops
//     data-dependent-exit: %s:14:3: the number of iterations depends on the data
