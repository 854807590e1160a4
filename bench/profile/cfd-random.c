/* The solver of cfd.c on a grid whose elements are numbered at random. */
#define RANDOM
#include "cfd.c"
