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
