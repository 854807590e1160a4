// test: clang -O1 -g -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
// The data has the type of the sizes: that the stores leave them alone is assumed, and they are read before the nest.
typedef struct {
  long rows, cols;
  long *data;
} matrix;

void add(const matrix *a, matrix *c) {
  for (long i = 0; i < c->rows; i++)
    for (long j = 0; j < c->cols; j++)
      c->data[i * c->cols + j] += a->data[i * a->cols + j];
}
// output:
// orthant: lift
// scop add
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// context [p2, p1, p0] -> {  : -9223372036854775808 <= p2 <= 281474976710656 and 0 < p1 <= 9223372036854775807 and p1 <= p2 and -281474976710656 <= p0 <= 281474976710656 }
// array A0 [*, p2] 8
// array A1 [*, p1] 8
// array c_2 [*] 8
// array a_3 [*] 8
// stmt S0 [p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] : p0 <= 0 and 0 <= i1 < p1 }
//   read r0 [p2, p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] -> A0[0, i1] : p0 <= 0 and 0 <= i1 < p1 }
//   reduce add [p2, p1, p0] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] -> A1[0, i1] : p0 <= 0 and 0 <= i1 < p1 }
//   read [p2, p1, p0] -> { S0[i0, i1] -> c_2[1] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] -> c_2[1] : p0 <= 0 and 0 <= i1 < p1 }
//   read [p2, p1, p0] -> { S0[i0, i1] -> a_3[1] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] -> a_3[1] : p0 <= 0 and 0 <= i1 < p1 }
//   read [p2, p1, p0] -> { S0[i0, i1] -> c_2[0] : 0 <= i0 < p0 and 0 <= i1 < p1; S0[0, i1] -> c_2[0] : p0 <= 0 and 0 <= i1 < p1 }
//   let v0 = add r1 r0
// order { for { for { S0 } } }
// # shape a: long[][a->cols], valid when a->cols >= c->cols
// # shape c: long[][c->cols]
