// C++: sizes in headers, throwing bounds checks, references that may be to what is written. order: reversed
// flags: -fno-strict-aliasing
// undefined: alignment null pointer-overflow
// new loops: fill axpy checked scaled
// position: late
#include "in_place.h"
#ifdef KERNELS
#include <cstddef>
#include <stdexcept>
namespace {
struct Matrix {
  long rows, columns;
  long *data;
  long &operator()(long i, long j) const { return data[i * columns + j]; }
};
struct Checked {
  long *first;
  std::size_t count;
  long &at(std::size_t i) const {
    if (i >= count)
      throw std::out_of_range("at");
    return first[i];
  }
};
} // namespace
extern "C" void NAME(fill)(const Matrix &to) {
  for (long i = 0; i < to.rows; i++)
    for (long j = 0; j < to.columns; j++)
      to(i, j) = 3 * i + j;
}
extern "C" void NAME(axpy)(const long &n, const long &alpha, long *a, const long *b) {
  for (long i = 0; i < n; i++)
    a[i] = alpha * b[i];
}
// In a function of its own, so that no handler is in the loop.
extern "C" __attribute__((noinline)) void NAME(checked)(long n, Checked a, Checked b) {
  for (long i = 0; i < n; i++)
    a.at(i) = b.at(i) + 1;
}
extern "C" long NAME(caught)(long n, long *a, long a_count, const long *b, long b_count) {
  try {
    NAME(checked)(n, {a, (std::size_t)a_count}, {const_cast<long *>(b), (std::size_t)b_count});
    return 0;
  } catch (const std::out_of_range &) {
    return 1;
  }
}
extern "C" void NAME(scaled)(const Matrix &to, const Matrix &from, const long &by) {
  for (long i = 0; i < to.rows; i++)
    for (long j = 0; j < to.columns; j++)
      to(i, j) = by * from(i, j);
}
#endif
#ifdef MAIN
struct matrix { long rows, columns; long *data; };
extern "C" {
void originalfill(matrix *); void optimizedfill(matrix *);
void originalaxpy(const long *, const long *, long *, const long *); void optimizedaxpy(const long *, const long *, long *, const long *);
long originalcaught(long, long *, long, const long *, long); long optimizedcaught(long, long *, long, const long *, long);
void originalscaled(matrix *, matrix *, const long *); void optimizedscaled(matrix *, matrix *, const long *);
}
static void all_cases(void) {
  long *a = memory + MID;
  matrix *to = (matrix *)a, *from = (matrix *)(a - 3);
  for (long n = -1; n <= 4; n++)
    for (long m = 0; m <= 4; m++)
      for (long data = -20; data <= 8; data++) {
        BOTH(fill, (*to = matrix{n, m, a + data}), n, m, data, to);
        BOTH(scaled, (*to = matrix{n, m, a + data}, *from = matrix{n, m, a + 30}, a[40] = 2), n, m, data, to, from, a + 40);
        BOTH(scaled, (*to = matrix{n, m, a + 30}, *from = matrix{n, m, a + 60}), n, m, data, to, from, a + 20 - data);
        BOTH(axpy, (a[data] = n, a[m] = m), n, m, data, a + data, a + m, a, a + 20);
        BOTH(axpy, (a[20] = n, a[21] = m), n, m, data, a + 20, a + 21, a, a + data);
        BOTH(caught, memory[0] = 0, n, m, data, n, a, m, a + data, 3);
        long thrown[2] = {originalcaught(n, a, m, a + 9, 3), optimizedcaught(n, a, m, a + 9, 3)};
        same(&thrown[0], &thrown[1], sizeof(long), "thrown", n, m, data);
      }
}
#endif
