// test: clang -O3 -march=x86-64-v3 -Rpass=orthant -Rpass-analysis=orthant -c %s -o /dev/null
// LLVM unrolls sums of nine terms, and makes vectors of the loop around. Scratch memory for the sums would be in its way.
unsigned char out[1080][1920];
int rows[1088][1920], weight[9];
void columns(void) {
  for (int y = 0; y < 1080; y++)
    for (int x = 0; x < 1920; x++) {
      int sum = 1 << 15;
      for (int t = 0; t < 9; t++)
        sum += weight[t] * rows[y + t][x];
      out[y][x] = sum >> 16;
    }
}
// output:
// %s:6:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
//     6 |   for (int y = 0; y < 1080; y++)
//       |   ^
