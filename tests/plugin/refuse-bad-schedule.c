// test: clang -O2 -Rpass-missed=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -mllvm -orthant-print-after=detect -mllvm -orthant-schedule-in=%S/inputs/schedules -c %s -o /dev/null
// The file for f reverses a loop that carries a dependence; the file for g is no JSON; h has none.
void f(double *a) {
  for (long i = 1; i < 100; i++)
    a[i] = a[i - 1] * 0.5;
}

void g(double *a) {
  for (long i = 0; i < 100; i++)
    a[i] *= 2;
}

void h(double *a) {
  for (long i = 0; i < 100; i++)
    a[i] *= 2;
}
// output:
// %s:4:3: remark: loop nest not optimized: the order given for this nest cannot be used: %S/inputs/schedules/f.json: the schedule is not legal: S0[0] writes A0[1], then S0[1] reads it (flow); the schedule runs S0[1] at [-1] before S0[0] at [0] [-Rpass-missed=orthant]
// %s:4:3: remark: the order given for this nest cannot be used: %S/inputs/schedules/f.json: the schedule is not legal: S0[0] writes A0[1], then S0[1] reads it (flow); the schedule runs S0[1] at [-1] before S0[0] at [0]; write the file anew with -orthant-schedule-out and edit that, or take -orthant-schedule-in away [-Rpass-analysis=orthant]
// orthant: detect: f
//   %s:4:3: rejected, depth 1, 1 loops
//     bad-schedule: %s:4:3: the order given for this nest cannot be used: %S/inputs/schedules/f.json: the schedule is not legal: S0[0] writes A0[1], then S0[1] reads it (flow); the schedule runs S0[1] at [-1] before S0[0] at [0]
// %s:9:3: remark: loop nest not optimized: the order given for this nest cannot be used: %S/inputs/schedules/g.json: this is no schedule in JSON: expected ident at line 1 column 2; `orthant-schedule-1` is written by --schedule-out [-Rpass-missed=orthant]
// %s:9:3: remark: the order given for this nest cannot be used: %S/inputs/schedules/g.json: this is no schedule in JSON: expected ident at line 1 column 2; `orthant-schedule-1` is written by --schedule-out; write the file anew with -orthant-schedule-out and edit that, or take -orthant-schedule-in away [-Rpass-analysis=orthant]
// orthant: detect: g
//   %s:9:3: rejected, depth 1, 1 loops
//     bad-schedule: %s:9:3: the order given for this nest cannot be used: %S/inputs/schedules/g.json: this is no schedule in JSON: expected ident at line 1 column 2; `orthant-schedule-1` is written by --schedule-out
// %s:14:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
// orthant: detect: h
//   %s:14:3: candidate, depth 1, 1 loops
