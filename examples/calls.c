/* Two nests over one image. The second calls a function that Orthant cannot see into, and is refused. */
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 4096, HEIGHT = 3072 };

static unsigned char image[HEIGHT][WIDTH];
static unsigned histogram[256];

static void draw(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image[y][x] = (unsigned char)((x * 7 + y * 13) >> 3);
}

__attribute__((noinline)) static void brighten(int by)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            int v = image[y][x] + by;
            image[y][x] = (unsigned char)(v > 255 ? 255 : v);
        }
}

__attribute__((noinline)) static void add_noise(void)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            image[y][x] ^= (unsigned char)(rand() & 1); /* rand() changes its own state: the order matters */
}

int main(void)
{
    draw();
    srand(1);
    brighten(40);
    add_noise();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            histogram[image[y][x]]++;
    for (int v = 0; v < 256; v++)
        printf("%d %u\n", v, histogram[v]);
    return 0;
}
