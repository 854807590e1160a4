/* The driver of one kernel: tables for the harness, one caller for each shape, and KERNEL itself as the
 * function `reference`, which the harness compares with. C++, flat shape. */
#include "harness.h"
#include "matrix.h"

#define ANY ANY_SIZE
#define NAME_TEXT__(name) #name
#define NAME_TEXT_(name) NAME_TEXT__(name)

#define DIM_ID(name, ...) DIM_##name,
#define ARRAY_ID(mode, type, A, ...) ARRAY_##A,
enum { DIMS(DIM_ID, DIM_ID) DIM_COUNT };
enum { ARRAYS(ARRAY_ID, ARRAY_ID, ARRAY_ID, ARRAY_ID) ARRAY_COUNT };

#define DIM_ROW(name, ...) {#name, {__VA_ARGS__}},
#define MODE_IN true
#define MODE_INOUT false
#define ARRAY_ROW(mode, type, A, ...) {#A, KindOf<type>::kind, MODE_##mode},
static const Dim dim_table[] = {DIMS(DIM_ROW, DIM_ROW)};
static const Array array_table[] = {ARRAYS(ARRAY_ROW, ARRAY_ROW, ARRAY_ROW, ARRAY_ROW)};

/* The sizes under their plain names. */
#define DIM_LOCAL(name, ...) const int name = dims[DIM_##name]; (void)name;

#define LENGTH_V(mode, type, A, n) lengths[ARRAY_##A] = (long)(n);
#define LENGTH_M(mode, type, A, n, m) lengths[ARRAY_##A] = (long)(n) * (m);
#define LENGTH_T(mode, type, A, n, m, l) lengths[ARRAY_##A] = (long)(n) * (m) * (l);
#define LENGTH_Q(mode, type, A, n, m, l, q) lengths[ARRAY_##A] = (long)(n) * (m) * (l) * (q);
static void lengths_of(const int *dims, long *lengths)
{
    DIMS(DIM_LOCAL, DIM_LOCAL)
    ARRAYS(LENGTH_V, LENGTH_M, LENGTH_T, LENGTH_Q)
}

#define DIM_ARGUMENT_FIRST(name, ...) dims[DIM_##name]
#define DIM_ARGUMENT(name, ...) , dims[DIM_##name]
#define SCALAR_ARGUMENT_FIRST(name, value) K(value)
#define SCALAR_ARGUMENT(name, value) , K(value)
#define POINTER_ARGUMENT(mode, type, A, ...) , static_cast<type *>(arrays[ARRAY_##A])
#define FLAT_ARGUMENTS \
    DIMS(DIM_ARGUMENT_FIRST, DIM_ARGUMENT) SCALARS(SCALAR_ARGUMENT, SCALAR_ARGUMENT) \
    ARRAYS(POINTER_ARGUMENT, POINTER_ARGUMENT, POINTER_ARGUMENT, POINTER_ARGUMENT)

#define CPP_PARAMETER_V(mode, type, A, ...) , Vector<type> &
#define CPP_PARAMETER_M(mode, type, A, ...) , Matrix<type> &
#define CPP_PARAMETER_T(mode, type, A, ...) , Tensor3<type> &
#define CPP_PARAMETER_Q(mode, type, A, ...) , Tensor4<type> &
#define CPP_PARAMETERS \
    DIMS(DIM_FIRST, DIM_REST) SCALARS(SCALAR_REST, SCALAR_REST) \
    ARRAYS(CPP_PARAMETER_V, CPP_PARAMETER_M, CPP_PARAMETER_T, CPP_PARAMETER_Q)

#define OBJECT_V(mode, type, A, n) Vector<type> object_##A(static_cast<type *>(arrays[ARRAY_##A]), n);
#define OBJECT_M(mode, type, A, n, m) Matrix<type> object_##A(static_cast<type *>(arrays[ARRAY_##A]), n, m);
#define OBJECT_T(mode, type, A, n, m, l) \
    Tensor3<type> object_##A(static_cast<type *>(arrays[ARRAY_##A]), n, m, l);
#define OBJECT_Q(mode, type, A, n, m, l, q) \
    Tensor4<type> object_##A(static_cast<type *>(arrays[ARRAY_##A]), n, m, l, q);
#define OBJECT_ARGUMENT(mode, type, A, ...) , object_##A

/* A shape that is not linked in has a null address. In the vla shape `double A[n][m]` is a pointer. */
#define WEAK __attribute__((weak))
extern "C" {
WEAK extern const int CAT(NAME, _const_dims)[];
WEAK extern void *const CAT(NAME, _const_arrays)[];
WEAK void CAT(NAME, _const)(SCALARS_ALONE);
WEAK void CAT(NAME, _vla)(KERNEL_PARAMETERS);
WEAK void CAT(NAME, _flat)(KERNEL_PARAMETERS);
WEAK void CAT(NAME, _cpp)(CPP_PARAMETERS);
}

static void run_const(const int *, void *const *)
{
    CAT(NAME, _const)(SCALARS(SCALAR_ARGUMENT_FIRST, SCALAR_ARGUMENT));
}

static void run_vla(const int *dims, void *const *arrays)
{
    CAT(NAME, _vla)(FLAT_ARGUMENTS);
}

static void run_flat(const int *dims, void *const *arrays)
{
    CAT(NAME, _flat)(FLAT_ARGUMENTS);
}

static void run_cpp(const int *dims, void *const *arrays)
{
    DIMS(DIM_LOCAL, DIM_LOCAL)
    ARRAYS(OBJECT_V, OBJECT_M, OBJECT_T, OBJECT_Q)
    CAT(NAME, _cpp)
    (DIMS(DIM_ARGUMENT_FIRST, DIM_ARGUMENT) SCALARS(SCALAR_ARGUMENT, SCALAR_ARGUMENT)
         ARRAYS(OBJECT_ARGUMENT, OBJECT_ARGUMENT, OBJECT_ARGUMENT, OBJECT_ARGUMENT));
}

static void reference(KERNEL_PARAMETERS);

static void run_reference(const int *dims, void *const *arrays)
{
    reference(FLAT_ARGUMENTS);
}

/* PREPARE may write the inputs too, and may need only some of its parameters. */
#define PREPARE_DIM_FIRST(name, ...) [[maybe_unused]] int name
#define PREPARE_DIM(name, ...) , [[maybe_unused]] int name
#define PREPARE_SCALAR(name, value) , [[maybe_unused]] real name
#define PREPARE_PARAMETER(mode, type, A, ...) , [[maybe_unused]] type *A
#define PREPARE_PARAMETERS \
    DIMS(PREPARE_DIM_FIRST, PREPARE_DIM) SCALARS(PREPARE_SCALAR, PREPARE_SCALAR) \
    ARRAYS(PREPARE_PARAMETER, PREPARE_PARAMETER, PREPARE_PARAMETER, PREPARE_PARAMETER)
WEAK void CAT(NAME, _prepare)(PREPARE_PARAMETERS);

static void run_prepare(const int *dims, void *const *arrays)
{
    CAT(NAME, _prepare)(FLAT_ARGUMENTS);
}

static struct Registration {
    Kernel kernel;
    Registration()
    {
        const int *built_in = CAT(NAME, _const_dims);
        void *const *built_in_arrays = CAT(NAME, _const_arrays);
        Kernel described = {
            NAME_TEXT_(NAME), DIM_COUNT, ARRAY_COUNT, dim_table, array_table, lengths_of,
            CAT(NAME, _prepare) ? run_prepare : nullptr,
            run_reference,
            {{"const", CAT(NAME, _const) ? run_const : nullptr, built_in, built_in_arrays},
             {"vla", CAT(NAME, _vla) ? run_vla : nullptr, nullptr, nullptr},
             {"flat", CAT(NAME, _flat) ? run_flat : nullptr, nullptr, nullptr},
             {"cpp", CAT(NAME, _cpp) ? run_cpp : nullptr, nullptr, nullptr}},
            nullptr};
        kernel = described;
        add_kernel(&kernel);
    }
} registration;

#define KERNEL static void reference(KERNEL_PARAMETERS)
#define PREPARE void CAT(NAME, _prepare)(PREPARE_PARAMETERS)
