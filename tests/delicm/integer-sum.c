// test: clang -O3 -march=x86-64-v3 -Rpass=orthant -Rpass-analysis=orthant -c %s -o /dev/null
// LLVM sums up integers in parts, with vectors. Scratch memory for the sums of several rows would be in its way.
signed char in[180][256], weight[200][256], out[180][200];
int bias[200];
void product(void) {
  for (int i = 0; i < 180; i++)
    for (int j = 0; j < 200; j++) {
      int sum = bias[j];
      for (int k = 0; k < 256; k++)
        sum += in[i][k] * weight[j][k];
      out[i][j] = sum >> 16;
    }
}
// output:
// %s:6:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
//     6 |   for (int i = 0; i < 180; i++)
//       |   ^
