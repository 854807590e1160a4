// test: orthant explain %s
// test: clang -O3 %s -o %t.new
// test: run %t.new
// test: clang -O3 -mllvm -orthant-schedule=identity %s -o %t.same
// test: run %t.same
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Rows behind tables of pointers are one array, if they are apart from each other, from the tables and from all else. The
// check reads only addresses that the program reads: there may be no table at all if there is nothing to do.
#include "inputs/sum.h"
__attribute__((noinline)) void add(long n, long m, double **a, double **b) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[i][j] = 2 * a[i][j] + b[i][j];
}

__attribute__((noinline)) void multiply(int n, int m, int l, double **a, double **b, double **c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int k = 0; k < l; k++)
        c[i][j] += a[i][k] * b[k][j];
}

__attribute__((noinline)) void smooth(long n, long m, double **a, const double *x) {
  for (long j = 1; j < m - 1; j++)
    for (long i = 1; i < n - 1; i++)
      a[i][j] = 0.25 * (a[i - 1][j] + a[i][j] + a[i + 1][j] + x[j]);
}

// Every second row: the check must not read the others.
__attribute__((noinline)) void gaps(long n, long m, double **a) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[2 * i][j] = 2 * a[2 * i][j] + j;
}

// The type of a cell does not tell a row from its table.
__attribute__((noinline)) void characters(long n, long m, unsigned char **a) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[i][j] = 3 * a[i][j] + j;
}

static double *table[40], *others[40], *third[40];

static void place(double **rows, double *first, long distance) {
  for (long i = 0; i < 40; i++)
    rows[i] = first + i * distance;
}

int main(void) {
  fill();
  place(table, memory, 50);
  place(others, other, 50);
  place(third, other + 5000, 50);
  add(30, 20, table, others);
  print_sum("even");
  place(table, memory + 3000, -60);
  add(30, 20, table, others);
  print_sum("descending");
  for (long i = 0; i < 30; i++)
    table[i] = memory + i * i * 2 + 30 * i;
  add(30, 20, table, others);
  print_sum("uneven");
  for (long i = 0; i < 30; i++)
    table[i] = memory + 50 * (i * 7 % 30);
  add(30, 20, table, others);
  print_sum("shuffled");
  place(table, memory, 50);
  table[7] = table[8];
  add(30, 20, table, others);
  print_sum("twice");
  place(table, memory, 15);
  add(30, 20, table, others);
  print_sum("overlapping");
  place(table, memory, 50);
  add(30, 20, table, table);
  print_sum("itself");
  place(third, memory + 5, 50);
  add(30, 20, table, third);
  print_sum("shifted");
  add(0, 20, 0, 0);
  add(30, 0, 0, 0);
  print_sum("nothing");
  place(third, other + 5000, 50);
  multiply(20, 21, 22, others, third, table);
  print_sum("product");
  multiply(20, 21, 22, others, table, table);
  print_sum("aliased");
  multiply(20, 21, 0, 0, 0, 0);
  multiply(20, 0, 22, 0, 0, 0);
  print_sum("none");
  smooth(30, 40, table, other);
  print_sum("smooth");
  smooth(30, 40, table, memory + 100);
  print_sum("inside");
  for (long i = 1; i < 40; i += 2)
    table[i] = 0;
  gaps(15, 20, table);
  print_sum("gaps");
  for (long i = 0; i < 40; i++)
    ((unsigned char **)table)[i] = (unsigned char *)memory + i * 300;
  characters(30, 200, (unsigned char **)table);
  print_sum("bytes");
}
// CHECK: {{^}}add 
// CHECK: optimized
// CHECK: array a: double*[], rows behind pointers as one array
// CHECK: array b: double*[], rows behind pointers as one array
// CHECK: if at run time: the rows of a_0 follow each other and do not overlap
// By their types, rows do not overlap tables.
// CHECK: if at run time: a_0 and b_1 do not overlap
// CHECK-NEXT: code:
// CHECK: {{^}}multiply 
// CHECK: optimized
// CHECK: array a: double*[], rows behind pointers as one array
// CHECK: array b: double*[], rows behind pointers as one array
// CHECK: array c: double*[], rows behind pointers as one array
// CHECK: {{^}}smooth 
// CHECK: array a: double*[], rows behind pointers as one array
// CHECK: {{^}}gaps 
// CHECK: moving-base
// CHECK: {{^}}characters
// CHECK: array a: char*[], rows behind pointers as one array
// CHECK: even [[EVEN:[0-9a-f]+]]
// CHECK: descending [[DESCENDING:[0-9a-f]+]]
// CHECK: uneven [[UNEVEN:[0-9a-f]+]]
// CHECK: shuffled [[SHUFFLED:[0-9a-f]+]]
// CHECK: twice [[TWICE:[0-9a-f]+]]
// CHECK: overlapping [[OVERLAPPING:[0-9a-f]+]]
// CHECK: itself [[ITSELF:[0-9a-f]+]]
// CHECK: shifted [[SHIFTED:[0-9a-f]+]]
// CHECK: nothing [[NOTHING:[0-9a-f]+]]
// CHECK: product [[PRODUCT:[0-9a-f]+]]
// CHECK: aliased [[ALIASED:[0-9a-f]+]]
// CHECK: none [[NONE:[0-9a-f]+]]
// CHECK: smooth [[SMOOTH:[0-9a-f]+]]
// CHECK: inside [[INSIDE:[0-9a-f]+]]
// CHECK: gaps [[GAPS:[0-9a-f]+]]
// CHECK: bytes [[BYTES:[0-9a-f]+]]
// CHECK: even [[EVEN]]
// CHECK: descending [[DESCENDING]]
// CHECK: uneven [[UNEVEN]]
// CHECK: shuffled [[SHUFFLED]]
// CHECK: twice [[TWICE]]
// CHECK: overlapping [[OVERLAPPING]]
// CHECK: itself [[ITSELF]]
// CHECK: shifted [[SHIFTED]]
// CHECK: nothing [[NOTHING]]
// CHECK: product [[PRODUCT]]
// CHECK: aliased [[ALIASED]]
// CHECK: none [[NONE]]
// CHECK: smooth [[SMOOTH]]
// CHECK: inside [[INSIDE]]
// CHECK: gaps [[GAPS]]
// CHECK: bytes [[BYTES]]
// CHECK: even [[EVEN]]
// CHECK: descending [[DESCENDING]]
// CHECK: uneven [[UNEVEN]]
// CHECK: shuffled [[SHUFFLED]]
// CHECK: twice [[TWICE]]
// CHECK: overlapping [[OVERLAPPING]]
// CHECK: itself [[ITSELF]]
// CHECK: shifted [[SHIFTED]]
// CHECK: nothing [[NOTHING]]
// CHECK: product [[PRODUCT]]
// CHECK: aliased [[ALIASED]]
// CHECK: none [[NONE]]
// CHECK: smooth [[SMOOTH]]
// CHECK: inside [[INSIDE]]
// CHECK: gaps [[GAPS]]
// CHECK: bytes [[BYTES]]
