/* Shape cpp: references to small classes with operator(). */
#include "matrix.h"
#define CPP_IN(name, type) const name<type>
#define CPP_INOUT(name, type) name<type>
#define CPP_V(mode, type, A, ...) , CPP_##mode(Vector, type) &A
#define CPP_M(mode, type, A, ...) , CPP_##mode(Matrix, type) &A
#define CPP_T(mode, type, A, ...) , CPP_##mode(Tensor3, type) &A
#define CPP_Q(mode, type, A, ...) , CPP_##mode(Tensor4, type) &A
#define KERNEL_PARAMETERS \
    DIMS(DIM_FIRST, DIM_REST) SCALARS(SCALAR_REST, SCALAR_REST) ARRAYS(CPP_V, CPP_M, CPP_T, CPP_Q)

#define AT1(A, i) A(i)
#define AT2(A, m, i, j) A(i, j)
#define AT3(A, m, l, i, j, k) A(i, j, k)
#define AT4(A, m, l, q, i, j, k, h) A(i, j, k, h)
