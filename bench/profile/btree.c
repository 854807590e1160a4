/* Point queries in a B+ tree of fixed order, its nodes in one array and linked by number: on each level all keys of the node are compared. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORDER = 64 };
typedef struct { int next[ORDER], keys[ORDER + 1]; } Node;

typedef struct { Node *nodes; int count, height; } Tree;

/* Fills a node for the records from low to high, and what is below it; the number of the node. */
static int build(Tree *tree, int low, int high, int height) {
    int number = tree->count++, width = 1;
    for (int level = 1; level < height; level++) width *= ORDER;
    for (int k = 0; k < ORDER; k++) {
        int from = low + k * width, to = from + width < high ? from + width : high;
        tree->nodes[number].keys[k] = from < high ? 2 * from : INT_MAX;
        tree->nodes[number].next[k] = from >= high ? 0 : height > 1 ? build(tree, from, to, height - 1) : from;
    }
    tree->nodes[number].keys[ORDER] = INT_MAX;
    return number;
}

__attribute__((noinline)) static void find(const Tree *tree, const int *records, const int *queries, int *at, int *below, int *answers, int n) {
    const Node *nodes = tree->nodes;
    for (int q = 0; q < n; q++) {
        for (int level = 1; level < tree->height; level++) {
            for (int k = 0; k < ORDER; k++)
                if (nodes[at[q]].keys[k] <= queries[q] && queries[q] < nodes[at[q]].keys[k + 1])
                    below[q] = nodes[at[q]].next[k];
            at[q] = below[q];
        }
        for (int k = 0; k < ORDER; k++)
            if (nodes[at[q]].keys[k] == queries[q])
                answers[q] = records[nodes[at[q]].next[k]];
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3000, keys = 50000;
    Tree tree = {malloc((keys / ORDER + keys / ORDER / ORDER + 3) * sizeof(Node)), 0, 3};
    build(&tree, 0, keys, tree.height);
    int *records = malloc(keys * sizeof *records), *queries = malloc(n * sizeof *queries);
    int *at = calloc(n, sizeof *at), *below = calloc(n, sizeof *below), *answers = calloc(n, sizeof *answers);
    for (int r = 0; r < keys; r++) records[r] = r % 100;
    for (int q = 0; q < n; q++) queries[q] = (int)((q * 7919L) % (2 * keys));
    find(&tree, records, queries, at, below, answers, n);
    long sum = 0;
    for (int q = 0; q < n; q++) sum += answers[q];
    printf("%ld\n", sum);
    return 0;
}
