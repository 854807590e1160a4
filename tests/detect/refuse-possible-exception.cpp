// test: clang++ -O3 -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -fno-caret-diagnostics -c %s -o /dev/null
double parse(const char *text);

void parse_all(long n, double *out, const char **texts) {
  for (long i = 0; i < n; i++)
    out[i] = parse(texts[i]);
}

void parse_some(long n, double *out, const char **texts) {
  for (long i = 0; i < n; i++) {
    try {
      out[i] = parse(texts[i]);
    } catch (...) {
      out[i] = 0;
    }
  }
}
// output:
// %s:5:3: remark: loop nest not optimized: call to parse(char const*) may have side effects [-Rpass-missed=orthant]
// %s:6:14: remark: call to parse(char const*) may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
// orthant: detect: parse_all(long, double*, char const**)
//   %s:5:3: rejected, depth 1, 1 loops
//     call-with-side-effects: %s:6:14: call to parse(char const*) may have side effects
// %s:10:3: remark: loop nest not optimized: call to parse(char const*) may throw; call to __cxa_begin_catch may have side effects; call to __cxa_end_catch may have side effects; an exception may leave the loops [-Rpass-missed=orthant]
// %s:12:16: remark: call to parse(char const*) may throw; declare the callee noexcept, or move the call out of the loops [-Rpass-analysis=orthant]
// %s:13:5: remark: call to __cxa_begin_catch may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
// %s:15:5: remark: call to __cxa_end_catch may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
// %s:17:1: remark: an exception may leave the loops; declare the callee noexcept, or move the call out of the loops [-Rpass-analysis=orthant]
// orthant: detect: parse_some(long, double*, char const**)
//   %s:10:3: rejected, depth 1, 1 loops
//     possible-exception: %s:12:16: call to parse(char const*) may throw
//     call-with-side-effects: %s:13:5: call to __cxa_begin_catch may have side effects
//     call-with-side-effects: %s:15:5: call to __cxa_end_catch may have side effects
//     possible-exception: %s:17:1: an exception may leave the loops
