/* Breadth-first search on a random graph: the frontier as masks, edges by indirection. */
#include <stdio.h>
#include <stdlib.h>

typedef struct { int first, count; } Node;

__attribute__((noinline)) static void search(const Node *nodes, const int *edges, char *mask, char *next, char *seen, int *cost, int n) {
    int more;
    do {
        more = 0;
        for (int v = 0; v < n; v++)
            if (mask[v]) {
                mask[v] = 0;
                for (int e = nodes[v].first; e < nodes[v].first + nodes[v].count; e++) {
                    int to = edges[e];
                    if (!seen[to]) {
                        cost[to] = cost[v] + 1;
                        next[to] = 1;
                    }
                }
            }
        for (int v = 0; v < n; v++)
            if (next[v]) {
                mask[v] = seen[v] = 1;
                next[v] = 0;
                more = 1;
            }
    } while (more);
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4000;
    Node *nodes = malloc(n * sizeof *nodes);
    int *edges = malloc(12 * n * sizeof *edges), *cost = malloc(n * sizeof *cost);
    char *mask = calloc(n, 1), *next = calloc(n, 1), *seen = calloc(n, 1);
    unsigned state = 7;
    int used = 0;
    for (int v = 0; v < n; v++) {
        state = state * 1664525u + 1013904223u;
        nodes[v].first = used;
        nodes[v].count = 2 + (state >> 24) % 9;
        for (int e = 0; e < nodes[v].count; e++) {
            state = state * 1664525u + 1013904223u;
            edges[used++] = (state >> 8) % n;
        }
        cost[v] = -1;
    }
    mask[0] = seen[0] = 1;
    cost[0] = 0;
    search(nodes, edges, mask, next, seen, cost, n);
    long sum = 0;
    for (int v = 0; v < n; v++) sum += cost[v];
    printf("%ld\n", sum);
    return 0;
}
