/* What a kernel file needs: its one text becomes four programs.
 *
 * A kernel file defines, before it includes this header,
 *   NAME                 a C identifier, the file's name with - as _
 *   DIMS(F, R)           its sizes: F(first, ...) R(other, ...) ..., each with six columns:
 *                        mini, small, medium, large, xlarge, and what a chosen size n means (ANY or a number)
 *   SCALARS(F, R)        (if any) its scalar arguments: F(first, value) R(other, value) ...
 *   ARRAYS(VEC, MAT, TEN3, TEN4)
 *                        its arrays of one to four dimensions: MAT(IN or INOUT, type, name, rows, columns) ...
 * and after it
 *   #define A(i, j) AT2(A, columns, i, j)      how elements are written in the text, one line an array
 *   KERNEL { ... }                             the algorithm; every size, scalar and array has its plain name
 *   #ifdef DRIVER / PREPARE { ... } / #endif   (if needed) changes to the default data
 *
 * Compiled with -DSHAPE=s, KERNEL is the natural code of that shape and nothing else is in the object:
 *   const   static double A[20][30];    A[i][j]     no arguments but the scalars; -DSIZE=mini and so on
 *   vla     double A[n][m]              A[i][j]     sizes are arguments
 *   flat    double *A                   A[i*m+j]    sizes are arguments; const where only read; no restrict
 *   cpp     Matrix<double> &A           A(i, j)     C++; the class is in matrix.h
 * In tiled/ some have the same computation in another order, by hand (tiled/tiles.h).
 * Compiled as C++ with -DDRIVER it is the driver of all four: data, sizes, and a copy of the kernel to
 * compare with (harness.h). */
#ifndef SUITE_H
#define SUITE_H

#ifndef ELEM
#define ELEM double
#endif

typedef ELEM real;
typedef signed char i8;
typedef unsigned char u8;

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* A literal of the element type, and the functions of that type. No header: only the kernel is compiled. */
#define K(literal) ((real)(literal))
#define FUNCTION_float(name) __builtin_##name##f
#define FUNCTION_double(name) __builtin_##name
#define SQRT CAT(FUNCTION_, ELEM)(sqrt)
#define EXP CAT(FUNCTION_, ELEM)(exp)

/* The column of a size class: -DSIZE=mini, or -DSIZE=any -DANY=1021. */
#define PICK_mini(a, b, c, d, e, any) (a)
#define PICK_small(a, b, c, d, e, any) (b)
#define PICK_medium(a, b, c, d, e, any) (c)
#define PICK_large(a, b, c, d, e, any) (d)
#define PICK_xlarge(a, b, c, d, e, any) (e)
#define PICK_any(a, b, c, d, e, any) (any)

#ifdef __cplusplus
#define EXPORT extern "C"
#else
#define EXPORT
#endif

/* Lists of parameters: the first without a comma before it. */
#define DIM_FIRST(name, ...) int name
#define DIM_REST(name, ...) , int name
#define SCALAR_FIRST(name, value) real name
#define SCALAR_REST(name, value) , real name
#ifdef SCALARS
#define SCALARS_ALONE SCALARS(SCALAR_FIRST, SCALAR_REST)
#else
#define SCALARS(F, R)
#define SCALARS_ALONE void
#endif

#ifdef DRIVER
#include "shape_flat.h"
#include "driver.h"
#else
#define SHAPE_const 1
#define SHAPE_vla 2
#define SHAPE_flat 3
#define SHAPE_cpp 4
#if CAT(SHAPE_, SHAPE) == SHAPE_const
#include "shape_const.h"
#elif CAT(SHAPE_, SHAPE) == SHAPE_vla
#include "shape_vla.h"
#elif CAT(SHAPE_, SHAPE) == SHAPE_flat
#include "shape_flat.h"
#elif CAT(SHAPE_, SHAPE) == SHAPE_cpp
#include "shape_cpp.h"
#else
#error "compile with -DSHAPE=const, vla, flat or cpp, or with -DDRIVER"
#endif
#define KERNEL_FUNCTION EXPORT void CAT(NAME, CAT(_, SHAPE))(KERNEL_PARAMETERS)
#ifdef TILED
#define KERNEL __attribute__((unused)) static void as_written(KERNEL_PARAMETERS)
#define TILED_KERNEL KERNEL_FUNCTION
#else
#define KERNEL KERNEL_FUNCTION
#endif
#endif

#endif
