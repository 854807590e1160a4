/* Shape const: file-scope arrays of constant size. The tables let the driver reach the arrays. */
#define CONST_DIM(name, ...) enum { name = CAT(PICK_, SIZE)(__VA_ARGS__) };
DIMS(CONST_DIM, CONST_DIM)

#define CONST_V(mode, type, A, n) static type A[n];
#define CONST_M(mode, type, A, n, m) static type A[n][m];
#define CONST_T(mode, type, A, n, m, l) static type A[n][m][l];
#define CONST_Q(mode, type, A, n, m, l, k) static type A[n][m][l][k];
ARRAYS(CONST_V, CONST_M, CONST_T, CONST_Q)

#define CONST_VALUE(name, ...) name,
#define CONST_POINTER(mode, type, A, ...) A,
extern const int CAT(NAME, _const_dims)[];
extern void *const CAT(NAME, _const_arrays)[];
const int CAT(NAME, _const_dims)[] = {DIMS(CONST_VALUE, CONST_VALUE)};
void *const CAT(NAME, _const_arrays)[] = {ARRAYS(CONST_POINTER, CONST_POINTER, CONST_POINTER, CONST_POINTER)};

#define KERNEL_PARAMETERS SCALARS_ALONE
#define AT1(A, i) A[i]
#define AT2(A, m, i, j) A[i][j]
#define AT3(A, m, l, i, j, k) A[i][j][k]
#define AT4(A, m, l, q, i, j, k, h) A[i][j][k][h]
