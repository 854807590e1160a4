// test: clang -fsave-optimization-record -foptimization-record-file=%t.yaml -foptimization-record-passes=orthant -O2 -c %s -o /dev/null
// test: cat %t.yaml
void log_value(double);

void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    log_value(a[i]);
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// --- !Missed
// Pass:            orthant
// Name:            Rejected
// DebugLoc:        { File: '%s', Line: 6, Column: 3 }
// Function:        f
// Args:
//   - String:          'loop nest not optimized: call to log_value may have side effects'
// ...
// --- !Analysis
// Pass:            orthant
// Name:            call-with-side-effects
// DebugLoc:        { File: '%s', Line: 7, Column: 5 }
// Function:        f
// Args:
//   - String:          'call to log_value may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is'
// ...
// --- !Analysis
// Pass:            orthant
// Name:            Candidate
// DebugLoc:        { File: '%s', Line: 8, Column: 3 }
// Function:        f
// Args:
//   - String:          loop nest of depth 1 can be modelled
// ...
