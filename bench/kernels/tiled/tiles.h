/* Kernels tiled by hand: what a patient programmer, or a source-to-source compiler in Pluto's manner, makes of the
 * loops. Each file here includes the kernel of the same name, whose text becomes a function that nobody calls, and gives the
 * same computation in another order:
 *   - statements of the same loops are distributed or fused and loops change places as Pluto's algorithm would have it;
 *   - loops that may be tiled have square tiles of Pluto's default length;
 *   - inside of a tile the loop over cells that are neighbours, if there is one, is innermost, for the compiler's vectorizer.
 * Terms of a sum stay in their order, so the bits are those of the kernel. */
#ifndef TILES_H
#define TILES_H

#define TILE 32
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
#define MOST(a, b) ((a) > (b) ? (a) : (b))

/* for each tile of [from, to), and for each x of the tile that begins at xt */
#define TILES(xt, from, to) for (int xt = (from) / TILE * TILE; xt < (to); xt += TILE)
#define POINTS(x, xt, from, to) for (int x = MOST(xt, from); x < LEAST(xt + TILE, to); x++)

/* What suite.h makes of the kernel's own text. */
#define TILED
#endif
