// test: clang -O3 -g -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// Paper 000, Listing 4: matrices as structures. The sizes and addresses are loaded; types tell LLVM that the stores leave
// them alone.
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
// output:
// orthant: lift
// scop multiply
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// context [p3, p2, p1, p0] -> {  : -9223372036854775808 <= p3 <= 9223372036854775807 and -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= p1 <= 9223372036854775807 and -9223372036854775808 <= p0 <= 9223372036854775807 }
// array A0 [*, p1] 8
// array A1 [*, p2] 8
// array A2 [*, p3] 8
// phi phi3 8
// stmt S0 [p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p3, p2, p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   write r0 [p3, p2, p1, p0] -> { S0[i0, i1] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
// stmt S1 [p3, p2, p1, p0] -> { S1[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r1 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A1[i0, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   read r2 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A2[i2, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   write v0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   write v0 [p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
//   let v0 = call r1 r2 r0 %k0
// order { for { for { S0 for { S1 } } } }
// shape C: double[][C->size1]
// shape A: double[][A->size1]
// shape B: double[][B->size1], valid when B->size1 >= C->size1
