/* Scores of the best ways of a text through a profile (P. Viterbi's algorithm as sequence search uses it): each column of the profile has a
 * state that matches a letter, one that inserts one and one that skips the column. What is skipped waits for the column before it; all else
 * of a row needs the row before only. Which row of scores a letter has comes from the data. */
#define NAME viterbi
#define DIMS(F, R) F(n, 20, 60, 200, 2000, 8000, ANY) R(m, 24, 70, 180, 900, 3000, ANY)
#define ARRAYS(VEC, MAT, TEN3, TEN4) \
    VEC(IN, u8, text, n + 1) MAT(IN, int, emit, 20, m + 1) MAT(IN, int, noise, 20, m + 1) \
    MAT(IN, int, go, 8, m + 1) VEC(INOUT, int, begin, n + 1) \
    MAT(INOUT, int, match, n + 1, m + 1) MAT(INOUT, int, insert, n + 1, m + 1) MAT(INOUT, int, skip, n + 1, m + 1)
#include "include/suite.h"
#define text(i) AT1(text, i)
#define emit(i, k) AT2(emit, m + 1, i, k)
#define noise(i, k) AT2(noise, m + 1, i, k)
#define go(i, k) AT2(go, m + 1, i, k)
#define begin(i) AT1(begin, i)
#define match(i, k) AT2(match, m + 1, i, k)
#define insert(i, k) AT2(insert, m + 1, i, k)
#define skip(i, k) AT2(skip, m + 1, i, k)
#define LEAST (-100000000)
#define MAX(a, b) ((a) > (b) ? (a) : (b))

KERNEL
{
    for (int k = 0; k <= m; k++)
        match(0, k) = insert(0, k) = skip(0, k) = LEAST;
    for (int i = 1; i <= n; i++) {
        int letter = text(i), other;
        match(i, 0) = insert(i, 0) = skip(i, 0) = LEAST;
        for (int k = 1; k <= m; k++) {
            match(i, k) = match(i - 1, k - 1) + go(0, k - 1);
            if ((other = insert(i - 1, k - 1) + go(1, k - 1)) > match(i, k))
                match(i, k) = other;
            if ((other = skip(i - 1, k - 1) + go(2, k - 1)) > match(i, k))
                match(i, k) = other;
            if ((other = begin(i - 1) + go(3, k)) > match(i, k))
                match(i, k) = other;
            match(i, k) += emit(letter, k);
            if (match(i, k) < LEAST)
                match(i, k) = LEAST;
            skip(i, k) = skip(i, k - 1) + go(4, k - 1);
            if ((other = match(i, k - 1) + go(5, k - 1)) > skip(i, k))
                skip(i, k) = other;
            if (skip(i, k) < LEAST)
                skip(i, k) = LEAST;
            if (k < m) {
                insert(i, k) = match(i - 1, k) + go(6, k);
                if ((other = insert(i - 1, k) + go(7, k)) > insert(i, k))
                    insert(i, k) = other;
                insert(i, k) += noise(letter, k);
                if (insert(i, k) < LEAST)
                    insert(i, k) = LEAST;
            }
        }
        int best = LEAST;
        for (int k = 1; k <= m; k++)
            best = MAX(best, match(i, k));
        begin(i) = MAX(begin(i - 1) - 10, best - 20);
    }
}

#ifdef DRIVER
/* Twenty letters; scores of a few hundred, most of them bad. */
PREPARE
{
    for (int i = 0; i <= n; i++)
        text(i) %= 20;
    for (int k = 0; k <= m; k++) {
        for (int letter = 0; letter < 20; letter++) {
            emit(letter, k) = emit(letter, k) % 1024 - 700;
            noise(letter, k) = noise(letter, k) % 512 - 400;
        }
        for (int kind = 0; kind < 8; kind++)
            go(kind, k) = go(kind, k) % 1024 - 900;
    }
    for (int i = 0; i <= n; i++)
        begin(i) = 0;
}
#endif
