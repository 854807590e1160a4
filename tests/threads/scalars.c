// test: clang -O3 -mllvm -orthant-parallel -mllvm -orthant-threads=4 -Rpass=orthant -Rpass-missed=orthant -Rpass-analysis=orthant -fno-caret-diagnostics -c %s -o /dev/null
// The least of 5 x 5 bytes, which LLVM keeps in vectors of 32 and more: in an order for four threads it would be in a cell of `to` all the time,
// and each thread slower than all of it was.
void least(int n, int m, unsigned char to[n][m], const unsigned char from[n + 4][m + 4]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      unsigned char least = 255;
      for (int u = 0; u < 5; u++)
        for (int v = 0; v < 5; v++)
          least = from[i + u][j + v] < least ? from[i + u][j + v] : least;
      to[i][j] = least;
    }
}
// output:
// %s:5:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better, and it stays in one thread: its scalars would be in memory, which takes longer than threads save [-Rpass-analysis=orthant]
