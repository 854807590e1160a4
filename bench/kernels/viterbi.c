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

/* Programs that search have their rows behind tables of pointers, and so has this one. */
KERNEL
{
    int *matches[n + 1], *inserts[n + 1], *skips[n + 1];
    const int *emits[20], *noises[20];
    for (int i = 0; i <= n; i++) {
        matches[i] = &match(i, 0);
        inserts[i] = &insert(i, 0);
        skips[i] = &skip(i, 0);
    }
    for (int letter = 0; letter < 20; letter++) {
        emits[letter] = &emit(letter, 0);
        noises[letter] = &noise(letter, 0);
    }
    const int *mm = &go(0, 0), *im = &go(1, 0), *sm = &go(2, 0), *bm = &go(3, 0);
    const int *ss = &go(4, 0), *ms = &go(5, 0), *mi = &go(6, 0), *ii = &go(7, 0);
    for (int k = 0; k <= m; k++)
        match(0, k) = insert(0, k) = skip(0, k) = LEAST;
    for (int i = 1; i <= n; i++) {
        const int *above = matches[i - 1], *inserted = inserts[i - 1], *skipped = skips[i - 1];
        const int *letter = emits[text(i)], *noisy = noises[text(i)];
        int *here = matches[i], *into = inserts[i], *over = skips[i];
        int start = begin(i - 1), other;
        here[0] = into[0] = over[0] = LEAST;
        for (int k = 1; k <= m; k++) {
            here[k] = above[k - 1] + mm[k - 1];
            if ((other = inserted[k - 1] + im[k - 1]) > here[k])
                here[k] = other;
            if ((other = skipped[k - 1] + sm[k - 1]) > here[k])
                here[k] = other;
            if ((other = start + bm[k]) > here[k])
                here[k] = other;
            here[k] += letter[k];
            if (here[k] < LEAST)
                here[k] = LEAST;
            over[k] = over[k - 1] + ss[k - 1];
            if ((other = here[k - 1] + ms[k - 1]) > over[k])
                over[k] = other;
            if (over[k] < LEAST)
                over[k] = LEAST;
            if (k < m) {
                into[k] = above[k] + mi[k];
                if ((other = inserted[k] + ii[k]) > into[k])
                    into[k] = other;
                into[k] += noisy[k];
                if (into[k] < LEAST)
                    into[k] = LEAST;
            }
        }
        int best = LEAST;
        for (int k = 1; k <= m; k++)
            best = MAX(best, here[k]);
        begin(i) = MAX(start - 10, best - 20);
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
