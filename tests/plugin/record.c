// test: clang -fsave-optimization-record -foptimization-record-file=%t.yaml -foptimization-record-passes=orthant -O2 -c %s -o /dev/null
// test: cat %t.yaml
void log_value(double);

void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    log_value(a[i]);
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// The record's lines are broken by length, so the place of a line break depends on the path.
// CHECK: --- !Missed
// CHECK-NEXT: Pass: orthant
// CHECK-NEXT: Name: Rejected
// CHECK: Line: 6,
// CHECK: Function: f
// CHECK: loop nest not optimized: call to log_value may have side effects
// CHECK: --- !Analysis
// CHECK-NEXT: Pass: orthant
// CHECK-NEXT: Name: call-with-side-effects
// CHECK: Line: 7,
// CHECK: call to log_value may have side effects; move the call out of the loops
// CHECK: --- !Analysis
// CHECK-NEXT: Pass: orthant
// CHECK-NEXT: Name: Kept
// CHECK: Line: 8,
// CHECK: loop nest keeps its order
