/* Between a kernel's driver (driver.h, one object a kernel) and the program (harness.cpp). */
#ifndef HARNESS_H
#define HARNESS_H

enum Kind { DOUBLE, FLOAT, INT, SIGNED_BYTE, BYTE };
enum { MAX_DIMS = 8, MAX_ARRAYS = 24, SIZES = 6, ANY_SIZE = -1 };

template <class T> struct KindOf;
template <> struct KindOf<double> { static const Kind kind = DOUBLE; };
template <> struct KindOf<float> { static const Kind kind = FLOAT; };
template <> struct KindOf<int> { static const Kind kind = INT; };
template <> struct KindOf<signed char> { static const Kind kind = SIGNED_BYTE; };
template <> struct KindOf<unsigned char> { static const Kind kind = BYTE; };

struct Dim {
    const char *name;
    int size[SIZES]; /* mini, small, medium, large, xlarge, any */
};

struct Array {
    const char *name;
    Kind kind;
    bool input; /* only read by the kernel */
};

/* One way to run the kernel. `run` is null if the shape is not linked in. */
struct Shape {
    const char *name;
    void (*run)(const int *dims, void *const *arrays);
    const int *dims;     /* if the shape has them built in */
    void *const *arrays; /* likewise */
};

struct Kernel {
    const char *name; /* as an identifier */
    int dim_count, array_count;
    const Dim *dims;
    const Array *arrays;
    void (*lengths)(const int *dims, long *lengths); /* elements of each array */
    void (*prepare)(const int *dims, void *const *arrays); /* or null */
    void (*reference)(const int *dims, void *const *arrays);
    Shape shapes[4];
    Kernel *next;
};

/* An independent check of a result (check.cpp): the data before and after. Returns an error measure that a
 * right result keeps below 1, or a negative number if there is no check for this kernel. */
double independent_check(const Kernel *kernel, const int *dims, void *const *before, void *const *after);

void add_kernel(Kernel *kernel);

#endif
