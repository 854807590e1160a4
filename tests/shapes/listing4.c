// test: orthant explain --position=late %s
// test: clang -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=multiply -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// test: clang -O3 -g -mllvm -orthant-position=late -mllvm -orthant-only=multiply -mllvm -orthant-count-checks %s -o %t.new
// test: run %t.new
// test: clang -O3 -g -mllvm -orthant-only=multiply -mllvm -orthant-count-checks %s -o %t.early
// test: run %t.early
// test: orthant explain %s
// test: llvm clang -O3 %s -o %t.old
// test: run %t.old
// Paper 000, Listing 4: matrices as structures, late and early. The sizes and addresses are loaded; types tell LLVM that the stores leave
// them alone. New loops run unless rows of B are shorter than those of C, a matrix is empty, or C overlaps A or B.
#include "inputs/sum.h"
#include <stddef.h>
struct matrix {
  size_t size0, size1;
  double *data;
};

__attribute__((noinline)) void multiply(const struct matrix *A, const struct matrix *B, struct matrix *C) {
  for (size_t i = 0; i < C->size0; i++)
    for (size_t j = 0; j < C->size1; j++)
      for (size_t k = 0; k < A->size1; k++)
        C->data[i * C->size1 + j] += A->data[i * A->size1 + k] * B->data[k * B->size1 + j];
}

static void run(const char *what, struct matrix A, struct matrix B, struct matrix C) {
  fill();
  multiply(&A, &B, &C);
  print_sum(what);
}

int main(void) {
  double *a = other, *b = other + 5000, *c = memory;
  run("product", (struct matrix){40, 70, a}, (struct matrix){70, 50, b}, (struct matrix){40, 50, c});
  run("small", (struct matrix){2, 3, a}, (struct matrix){3, 2, b}, (struct matrix){2, 2, c});
  run("one", (struct matrix){1, 1, a}, (struct matrix){1, 1, b}, (struct matrix){1, 1, c});
  run("wide", (struct matrix){20, 30, a}, (struct matrix){30, 90, b}, (struct matrix){20, 40, c});
  run("short", (struct matrix){20, 30, a}, (struct matrix){30, 25, b}, (struct matrix){20, 40, c});
  run("nothing", (struct matrix){20, 0, 0}, (struct matrix){0, 40, 0}, (struct matrix){20, 40, c});
  run("norow", (struct matrix){0, 30, 0}, (struct matrix){30, 40, 0}, (struct matrix){0, 40, 0});
  run("square", (struct matrix){30, 30, a}, (struct matrix){30, 30, c}, (struct matrix){30, 30, c});
  run("shifted", (struct matrix){30, 30, c + 7}, (struct matrix){30, 30, b}, (struct matrix){30, 30, c});
  run("touching", (struct matrix){30, 30, c + 900}, (struct matrix){30, 30, b}, (struct matrix){30, 30, c});
}
// CHECK: {{^}}multiply
// CHECK: optimized
// CHECK: array C: double[][C->size1]{{$}}
// CHECK: array A: double[][A->size1]{{$}}
// CHECK: array B: double[][B->size1], valid when B->size1 >= C->size1{{$}}
// CHECK: if at run time: {{.*}}[shape
// CHECK: // iterations are independent
// CHECK: orthant: lift
// CHECK: array A0 [*, p1] 8
// CHECK: array A1 [*, p2] 8
// CHECK: array A2 [*, p3] 8
// CHECK: S1[i0, i1, i2] -> A1[i0, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2
// CHECK: S1[i0, i1, i2] -> A2[i2, i1] :
// CHECK: write {{.*}} S1[i0, i1, i2] -> A0[i0, i1] :
// CHECK: # shape C: double[][C->size1]{{$}}
// CHECK: # shape A: double[][A->size1]{{$}}
// CHECK: # shape B: double[][B->size1], valid when B->size1 >= C->size1{{$}}
// CHECK: product [[PRODUCT:[0-9a-f]+]]
// CHECK: small [[SMALL:[0-9a-f]+]]
// CHECK: one [[ONE:[0-9a-f]+]]
// CHECK: wide [[WIDE:[0-9a-f]+]]
// CHECK: short [[SHORT:[0-9a-f]+]]
// CHECK: nothing [[NOTHING:[0-9a-f]+]]
// CHECK: norow [[NOROW:[0-9a-f]+]]
// CHECK: square [[SQUARE:[0-9a-f]+]]
// CHECK: shifted [[SHIFTED:[0-9a-f]+]]
// CHECK: touching [[TOUCHING:[0-9a-f]+]]
// CHECK: 7 of 8: {{.*}}[shape
// CHECK: 6 of 7: A0 and A1 do not overlap
// CHECK: 5 of 6: A0 and A2 do not overlap
// CHECK: product [[PRODUCT]]
// CHECK: small [[SMALL]]
// CHECK: one [[ONE]]
// CHECK: wide [[WIDE]]
// CHECK: short [[SHORT]]
// CHECK: nothing [[NOTHING]]
// CHECK: norow [[NOROW]]
// CHECK: square [[SQUARE]]
// CHECK: shifted [[SHIFTED]]
// CHECK: touching [[TOUCHING]]
// CHECK: 7 of 8: {{.*}}[shape
// CHECK: 6 of 7: A0 and A2 do not overlap
// CHECK: 5 of 6: A1 and A2 do not overlap
// CHECK: {{^}}multiply
// CHECK: optimized
// CHECK: array A: double[][A->size1]{{$}}
// CHECK: array B: double[][B->size1], valid when B->size1 >= C->size1{{$}}
// CHECK: array C: double[][C->size1]{{$}}
// CHECK: product [[PRODUCT]]
// CHECK: small [[SMALL]]
// CHECK: one [[ONE]]
// CHECK: wide [[WIDE]]
// CHECK: short [[SHORT]]
// CHECK: nothing [[NOTHING]]
// CHECK: norow [[NOROW]]
// CHECK: square [[SQUARE]]
// CHECK: shifted [[SHIFTED]]
// CHECK: touching [[TOUCHING]]
