// test: clang -O2 -g -fno-strict-aliasing -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=assume -c %s -o /dev/null
// Section 4.1 of paper 002, nested: sizes behind a pointer that is loaded itself.
struct matrix {
  long rows, columns;
  long *data;
};
struct holder {
  struct matrix *matrix;
};

void fill(struct holder *to) {
  for (long i = 0; i < to->matrix->rows; i++)
    for (long j = 0; j < to->matrix->columns; j++)
      to->matrix->data[i * to->matrix->columns + j] = 3;
}
// output:
// orthant: assume: fill
// moderate size: p0, p1 are between -2^48 and 2^48
//   assumed [p1, p0] -> {  : -281474976710656 <= p1 <= 281474976710656 and -281474976710656 <= p0 <= 281474976710656 }
//   left    [p1, p0] -> {  : -281474976710656 <= p1 <= 281474976710656 and -281474976710656 <= p0 <= 281474976710656 }
// moderate size: the size of to->matrix->data is moderate
//   assumed A0 within 2^62 bytes
// invariant load: what is loaded here does not change: to->matrix->data and to do not overlap
//   assumed A0 apart from to_1
// invariant load: what is loaded here does not change: to->matrix->data and to->matrix do not overlap
//   assumed A0 apart from A2
// check:
//   (((p1 <= 281474976710656) && (p1 >= -281474976710656)) && (p0 <= 281474976710656)) && (p0 >= -281474976710656)
//   && p1 >= 1
//   && is_near(&A0[((p0 <= 0) ? 1 : p0)][0])
//   && (&A0[((p0 <= 0) ? 1 : p0)][0] <= &to_1[0] || &to_1[1] <= &A0[0][0])
//   && (&A0[((p0 <= 0) ? 1 : p0)][0] <= &A2[0] || &A2[3] <= &A0[0][0])
