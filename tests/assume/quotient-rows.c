// test: clang -O3 -mllvm -orthant-time -c %s -o /dev/null
// A pass of a Fourier transform. Its rows are as long as quotients, and what it takes for subscripts to be inside of them has many
// divisions. Bringing that into few pieces took 4 million units, and ten seconds; now each attempt has a budget of its own.
void pass(const double in[], unsigned long istride, double out[], unsigned long ostride, unsigned long product, unsigned long n) {
  unsigned long m = n / 3, q = n / product, rows = product / 3;
  for (unsigned long k = 1; k < (q + 1) / 2; k++)
    for (unsigned long row = 0; row < rows; row++) {
      unsigned long from = 3 * row * q + 2 * k - 1, back = from + 2 * q - 2 * k - 2 * k;
      unsigned long to = row * q + k, turned = row * q - k + q;
      double a = in[istride * from], b = in[istride * (from + 1)], c = in[istride * (from + 2 * q)],
             d = in[istride * (from + 2 * q + 1)], e = in[istride * (back + 1)], f = in[istride * (back + 2)];
      out[ostride * to] = a + c + e;
      out[ostride * turned] = b + d - f;
      out[ostride * (to + m)] = a - c;
      out[ostride * (turned + m)] = b - d + e;
      out[ostride * (to + m + m)] = c - e + d;
      out[ostride * (turned + m + m)] = f + a * b;
    }
}
// CHECK: assume
// CHECK: lift {{.*}} ms {{ *[12]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]?[0-9]}} units
