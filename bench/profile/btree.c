/* Point queries in a B+ tree of fixed order, built from sorted keys; nodes are filled up with the greatest key. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { ORDER = 64 };
typedef struct Node { int keys[ORDER]; struct Node *child[ORDER]; int count, leaf; } Node;

static Node *build(int low, int high) {
    Node *node = malloc(sizeof *node);
    int span = high - low;
    node->leaf = span <= ORDER;
    node->count = node->leaf ? span : ORDER;
    for (int k = 0; k < ORDER; k++) node->keys[k] = INT_MAX;
    for (int k = 0; k < node->count; k++) {
        int from = low + (int)((long)span * k / node->count), to = low + (int)((long)span * (k + 1) / node->count);
        node->keys[k] = 2 * from;
        node->child[k] = node->leaf ? 0 : build(from, to);
    }
    return node;
}

static int find(const Node *root, const int *queries, int n) {
    int found = 0;
    for (int q = 0; q < n; q++) {
        const Node *node = root;
        for (;;) {
            int at = 0;
            for (int k = 0; k < ORDER; k++)
                at += node->keys[k] <= queries[q];
            if (node->leaf) {
                found += at > 0 && node->keys[at - 1] == queries[q];
                break;
            }
            node = node->child[at > 0 ? at - 1 : 0];
        }
    }
    return found;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 3000, keys = 50000;
    Node *root = build(0, keys);
    int *queries = malloc(n * sizeof *queries);
    for (int q = 0; q < n; q++) queries[q] = (int)((q * 7919L) % (2 * keys));
    printf("%d\n", find(root, queries, n));
    return 0;
}
