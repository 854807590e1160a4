// test: clang -O3 -mllvm -orthant-tuned=%S/inputs/tuned-bad.json -c %s -o /dev/null
// exit: 1
// What is no option for a nest is said, and nothing is compiled.
void f(double *a) {
  for (int i = 0; i < 500; i++)
    a[i] += 1;
}
// output:
// error: orthant: cannot use %S/inputs/tuned-bad.json: option 'only' cannot be given for a nest; these can: schedule, tiles, least-gain, registers, rows, l1-bytes, l1-ways, l2-bytes, l2-ways, line-bytes; name a file with -orthant-tuned that `orthant tune` wrote
// 1 error generated.
