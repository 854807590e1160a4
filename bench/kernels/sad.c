/* Block matching for video: for each block of a frame, the displacement in a window of the previous frame
 * with the least sum of absolute differences. */
#define NAME sad
#define DIMS(F, R) \
    F(nby, 2, 4, 8, 17, 34, 4) R(nbx, 3, 5, 10, 30, 60, 5) R(size, 8, 8, 16, 16, 16, ANY) \
    R(window, 5, 9, 16, 16, 24, 8)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    MAT(IN, u8, frame, nby * size, nbx * size) \
    MAT(IN, u8, previous, nby * size + window - 1, nbx * size + window - 1) \
    MAT(INOUT, int, cost, nby, nbx) MAT(INOUT, int, my, nby, nbx) MAT(INOUT, int, mx, nby, nbx)
#include "include/suite.h"
#define frame(i, j) AT2(frame, nbx * size, i, j)
#define previous(i, j) AT2(previous, nbx * size + window - 1, i, j)
#define cost(i, j) AT2(cost, nbx, i, j)
#define my(i, j) AT2(my, nbx, i, j)
#define mx(i, j) AT2(mx, nbx, i, j)

KERNEL
{
    for (int by = 0; by < nby; by++)
        for (int bx = 0; bx < nbx; bx++) {
            int least = 0x7fffffff, least_dy = 0, least_dx = 0;
            for (int dy = 0; dy < window; dy++)
                for (int dx = 0; dx < window; dx++) {
                    int sum = 0;
                    for (int y = 0; y < size; y++)
                        for (int x = 0; x < size; x++) {
                            int d = frame(by * size + y, bx * size + x)
                                    - previous(by * size + y + dy, bx * size + x + dx);
                            sum += d < 0 ? -d : d;
                        }
                    if (sum < least) {
                        least = sum;
                        least_dy = dy;
                        least_dx = dx;
                    }
                }
            cost(by, bx) = least;
            my(by, bx) = least_dy;
            mx(by, bx) = least_dx;
        }
}
