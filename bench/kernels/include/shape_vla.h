/* Shape vla: C99 array parameters whose sizes are parameters. */
#define VLA_V(mode, type, A, n) , type A[n]
#define VLA_M(mode, type, A, n, m) , type A[n][m]
#define VLA_T(mode, type, A, n, m, l) , type A[n][m][l]
#define VLA_Q(mode, type, A, n, m, l, k) , type A[n][m][l][k]
#define KERNEL_PARAMETERS \
    DIMS(DIM_FIRST, DIM_REST) SCALARS(SCALAR_REST, SCALAR_REST) ARRAYS(VLA_V, VLA_M, VLA_T, VLA_Q)

#define AT1(A, i) A[i]
#define AT2(A, m, i, j) A[i][j]
#define AT3(A, m, l, i, j, k) A[i][j][k]
#define AT4(A, m, l, q, i, j, k, h) A[i][j][k][h]
