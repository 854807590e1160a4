// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Arrays of structures: the fields are places in cells of the common granule, and one more dimension.
#include "inputs/sum.h"
struct particle {
  double x, y;
  float mass;
  int kind;
};
struct color {
  unsigned char red, green, blue;
};

__attribute__((noinline)) void move(long n, long m, struct particle p[n][m], double time) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      p[i][j].x += time * p[i][j].y;
      p[i][j].mass *= 2;
      if (p[i][j].kind % 2)
        p[i][j].y = 0;
    }
}

__attribute__((noinline)) void gray(long n, long m, struct color *p) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) {
      p[i * m + j].red = p[i * m + j].green;
      p[i * m + j].blue = p[i * m + j].green / 2;
    }
}

int main(void) {
  fill();
  move(30, 20, (struct particle(*)[20])memory, 0.5);
  print_sum("move");
  gray(30, 20, (struct color *)memory);
  print_sum("gray");
}
// CHECK: {{^}}move
// CHECK: array p: 4 bytes[][m][6]{{$}}
// CHECK: {{^}}gray
// CHECK: array p: char[][m][3]{{$}}
// CHECK: move [[MOVE:[0-9a-f]+]]
// CHECK: gray [[GRAY:[0-9a-f]+]]
// CHECK: move [[MOVE]]
// CHECK: gray [[GRAY]]
// CHECK: move [[MOVE]]
// CHECK: gray [[GRAY]]
