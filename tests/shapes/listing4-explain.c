// test: orthant explain --position=late %s
// Paper 000, Listing 4, as `explain` has it: the declarations, and the condition in the program's names.
#include <stddef.h>
struct matrix {
  size_t size0, size1;
  double *data;
};

void multiply(const struct matrix *A, const struct matrix *B, struct matrix *C) {
  for (size_t i = 0; i < C->size0; i++)
    for (size_t j = 0; j < C->size1; j++)
      for (size_t k = 0; k < A->size1; k++)
        C->data[i * C->size1 + j] += A->data[i * A->size1 + k] * B->data[k * B->size1 + j];
}
// CHECK: {{^}}multiply
// CHECK: optimized
// CHECK: array C: double[][C->size1]{{$}}
// CHECK: array A: double[][A->size1]{{$}}
// CHECK: array B: double[][B->size1], valid when B->size1 >= C->size1{{$}}
// CHECK: if at run time: {{.*}}[shape
