/* Shape flat: pointers that may alias, subscripts multiplied out by hand in int. With -DRESTRICT the pointers do not alias, to see what
 * the check costs that has to find that out. */
#ifdef RESTRICT
#define FLAT_POINTER *__restrict__
#else
#define FLAT_POINTER *
#endif
#define FLAT_IN(type) const type
#define FLAT_INOUT(type) type
#define FLAT(mode, type, A, ...) , FLAT_##mode(type) FLAT_POINTER A
#define KERNEL_PARAMETERS \
    DIMS(DIM_FIRST, DIM_REST) SCALARS(SCALAR_REST, SCALAR_REST) ARRAYS(FLAT, FLAT, FLAT, FLAT)

#define AT1(A, i) A[i]
#define AT2(A, m, i, j) A[(i) * (m) + (j)]
#define AT3(A, m, l, i, j, k) A[((i) * (m) + (j)) * (l) + (k)]
#define AT4(A, m, l, q, i, j, k, h) A[(((i) * (m) + (j)) * (l) + (k)) * (q) + (h)]
