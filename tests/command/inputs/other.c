/* Tests refer to this file. */
void other(long n, double *a) {
  for (long i = 0; i < n; i++)
    a[i] *= 2;
}
