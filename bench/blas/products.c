/* The two products that are held against a BLAS; sizes are parameters, as they are there. Compiled several times, each time with
 * another NAME in front of the functions. */
#define JOIN(a, b) a##b
#define FUNCTION(name, what) JOIN(name, what)

void FUNCTION(NAME, _add)(long n, double C[n][n], const double A[n][n], const double B[n][n])
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            for (long k = 0; k < n; k++)
                C[i][j] += A[i][k] * B[k][j];
}

void FUNCTION(NAME, _scaled)(long n, double C[n][n], const double A[n][n], const double B[n][n], double alpha, double beta)
{
    for (long i = 0; i < n; i++) {
        for (long j = 0; j < n; j++)
            C[i][j] *= beta;
        for (long k = 0; k < n; k++)
            for (long j = 0; j < n; j++)
                C[i][j] += alpha * A[i][k] * B[k][j];
    }
}
