// test: orthant cc -O2 -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o %t.o
// test: orthant cc -O2 -orthant-enable=false -Rpass-analysis=orthant -c %s -o %t.o
// test: orthant cc %t.o -shared -o %t.so
// One remark from the first command; linking is left alone.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// %s:6:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
