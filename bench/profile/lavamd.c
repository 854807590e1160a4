/* Particles in boxes: forces between the particles of a box and those of its neighbours, by a list. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PER_BOX = 8 };
typedef struct { float x, y, z, q; } Particle;
typedef struct { int neighbours, list[27]; } Box;

__attribute__((noinline)) static void forces(int boxes, const Box *box, const Particle *p, Particle *f) {
    for (int b = 0; b < boxes; b++)
        for (int k = 0; k < box[b].neighbours; k++) {
            int other = box[b].list[k];
            for (int i = 0; i < PER_BOX; i++)
                for (int j = 0; j < PER_BOX; j++) {
                    const Particle *a = &p[b * PER_BOX + i], *c = &p[other * PER_BOX + j];
                    float dx = a->x - c->x, dy = a->y - c->y, dz = a->z - c->z;
                    float w = c->q / (1.0f + dx * dx + dy * dy + dz * dz);
                    Particle *out = &f[b * PER_BOX + i];
                    out->x += w * dx; out->y += w * dy; out->z += w * dz; out->q += w;
                }
        }
}

int main(int argc, char **argv) {
    int side = argc > 1 ? atoi(argv[1]) : 5, boxes = side * side * side, n = boxes * PER_BOX;
    Box *box = malloc(boxes * sizeof *box);
    Particle *p = malloc(n * sizeof *p), *f = calloc(n, sizeof *f);
    for (int b = 0; b < boxes; b++) {
        int z = b / (side * side), y = b / side % side, x = b % side, count = 0;
        for (int dz = -1; dz <= 1; dz++)
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    if (x + dx >= 0 && x + dx < side && y + dy >= 0 && y + dy < side && z + dz >= 0 && z + dz < side)
                        box[b].list[count++] = x + dx + side * (y + dy + side * (z + dz));
        box[b].neighbours = count;
    }
    for (int i = 0; i < n; i++) p[i] = (Particle){i % 13, i % 7, i % 5, 1.0f + i % 3};
    forces(boxes, box, p, f);
    float total = 0;
    for (int i = 0; i < n; i++) total += f[i].q;
    printf("%.3f\n", total);
    return 0;
}
