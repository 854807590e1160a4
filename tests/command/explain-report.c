// test: clang -O2 -g -mllvm -orthant-report=%t.jsonl -c %s -o /dev/null
// test: orthant explain %t.jsonl
// What a build recorded is explained afterwards.
void f(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] += 1;
}
// output:
// f (%s)
//   %s:5:3: 1 loop: kept
//       for (long i = 0; i < n; i++)
//     no other order keeps all dependences and looks better
//
// 1 function, 1 loop nest: 1 kept, 0 rejected
