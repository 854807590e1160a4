// test: clang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// Without debug information the names are those of the IR.
struct matrix {
  long size0, size1;
  double *data;
};

void add(const struct matrix *A, struct matrix *C) {
  for (long i = 0; i < C->size0; i++)
    for (long j = 0; j < C->size1; j++)
      C->data[i * C->size1 + j] += A->data[i * A->size1 + j];
}
// output:
// orthant: lift
// scop add
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// context [p2, p1, p0] -> {  : -9223372036854775808 <= p2 <= 281474976710656 and 0 < p1 <= 9223372036854775807 and p1 <= p2 and 0 < p0 <= 281474976710656 }
// array A0 [*, p2] 8
// array A1 [*, p1] 8
// stmt S0 [p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r0 [p2, p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   read r1 [p2, p1, p0] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   write v0 [p2, p1, p0] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
//   let v0 = fadd r0 r1
// order { for { for { S0 } } }
// # shape %13: double[][%14], valid when %14 >= %7
// # shape %15: double[][%7]
