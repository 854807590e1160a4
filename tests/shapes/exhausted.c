// test: orthant explain %s
// test: orthant explain --shape-candidates=1 %s
// test: orthant explain --shape-alphas=1 %s
// test: orthant explain --shape-shifts=0 %s
// The limits of the search for shapes: the number of candidates, which the report mentions where it ended the search, the
// constants in sizes, and the multiples of a size that are moved between subscripts.
void product(long n, long m, long p, double *a) {
  for (long j = 0; j < p; j++)
    for (long i = 0; i < n; i++)
      a[i * (m + 2) * (p + 3) + j] *= 2;
}

void last(long n, long m, double *a) {
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++)
      a[i * m + m - 1 - j] = a[i * m + m - 1] + j;
}
// CHECK: {{^}}product
// CHECK: array a: double[][p + 3][m + 2], valid when m + 2 >= p{{$}}
// CHECK: {{^}}last
// CHECK: array a: double[][m]{{$}}
//
// CHECK: {{^}}product
// CHECK: array a: double[][p + 3][m + 2], valid when m + 2 >= p; the search ended after 1 of the possible shapes (option shape-candidates)
// CHECK: {{^}}last
// CHECK: array a: double[][m]{{$}}
//
// CHECK: {{^}}product
// CHECK: array a: double[][m][p + 3], valid when m + 1 >= 2*n{{$}}
//
// CHECK: {{^}}last
// CHECK: {{^}}product
// CHECK: {{^}}last
// CHECK-NOT: array a
