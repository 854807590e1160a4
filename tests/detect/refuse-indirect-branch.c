// test: clang -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
long interpret(const unsigned char *code, long x) {
  static const void *const labels[] = {&&stop, &&add, &&twice};
  goto *labels[*code++];
add:
  x += 1;
  goto *labels[*code++];
twice:
  x *= 2;
  goto *labels[*code++];
stop:
  return x;
}
// output:
// %s:4:3: remark: loop nest not optimized: indirect branch; the number of iterations depends on the data [-Rpass-missed=orthant]
// %s:2:6: remark: indirect branch; use a switch instead of a computed goto [-Rpass-analysis=orthant]
// %s:4:3: remark: the number of iterations depends on the data; split the search for the end from the work, so that the working loop has a bound known on entry [-Rpass-analysis=orthant]
// orthant: detect: interpret
//   %s:4:3: rejected, depth 1, 1 loops
//     indirect-branch: unknown place: indirect branch
//     data-dependent-exit: %s:4:3: the number of iterations depends on the data
