// test: orthant explain %s -- -march=znver5
// What is done for a nest that keeps its order is said, too.
static double a[1000], b[1000];
void step(void) {
  for (int i = 1; i < 999; i++)
    a[i] = b[i - 1] + b[i] + b[i + 1];
}
double get(int i) { return a[i] + (b[i] += 1); }
// output:
// step (%s)
//   %s:5:3: 1 loop: kept
//       for (int i = 1; i < 999; i++)
//     at cache lines: @b, @a
//     no other order keeps all dependences and looks better
//
// 1 function, 1 loop nest: 1 kept, 0 rejected
