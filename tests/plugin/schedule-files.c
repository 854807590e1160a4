// test: clang -O2 -mllvm -orthant-schedule=identity -mllvm -orthant-schedule-out=%T/orders -c %s -o %T/out.o
// test: cat %T/orders/f.json %T/orders/f.2.json
// test: clang -O2 -mllvm -orthant-schedule-in=%T/orders -Rpass=orthant -fno-caret-diagnostics -c %s -o %T/in.o
// test: cmp %T/out.o %T/in.o
// Each nest of a function has its own file, and what was written is read back.
void use(double *);

void f(double *a, double *b) {
  for (long i = 0; i < 100; i++)
    a[i] *= 2;
  use(a);
  for (long i = 0; i < 100; i++)
    for (long j = 0; j < 50; j++)
      b[i * 50 + j] += 1;
}
// output:
// {
//   "format": "orthant-schedule-1",
//   "scop": "f",
//   "statements": [
//     {
//       "name": "S0",
//       "counters": [
//         "i0"
//       ],
//       "time": "(i0)"
//     }
//   ],
//   "bands": [
//     {
//       "statements": [
//         "S0"
//       ],
//       "members": [
//         "i0"
//       ],
//       "permutable": false,
//       "coincident": [
//         false
//       ]
//     }
//   ],
//   "schedule": "{ domain: \"{ S0[i0] : 0 <= i0 <= 99 }\", child: { schedule: \"[{ S0[i0] -> [(i0)] }]\" } }"
// }
// {
//   "format": "orthant-schedule-1",
//   "scop": "f",
//   "statements": [
//     {
//       "name": "S0",
//       "counters": [
//         "i0",
//         "i1"
//       ],
//       "time": "(i0, i1)"
//     }
//   ],
//   "bands": [
//     {
//       "statements": [
//         "S0"
//       ],
//       "members": [
//         "i0"
//       ],
//       "permutable": false,
//       "coincident": [
//         false
//       ]
//     },
//     {
//       "statements": [
//         "S0"
//       ],
//       "members": [
//         "i1"
//       ],
//       "permutable": false,
//       "coincident": [
//         false
//       ]
//     }
//   ],
//   "schedule": "{ domain: \"{ S0[i0, i1] : 0 <= i0 <= 99 and 0 <= i1 <= 49 }\", child: { schedule: \"[{ S0[i0, i1] -> [(i0)] }]\", child: { schedule: \"[{ S0[i0, i1] -> [(i1)] }]\" } } }"
// }
// %s:9:3: remark: loop nest optimized: T(S0): (i0) [-Rpass=orthant]
// %s:12:3: remark: loop nest optimized: T(S0): (i0, i1) [-Rpass=orthant]
