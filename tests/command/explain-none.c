// test: orthant explain %s
int no_loops(int x) { return x; }
// output:
// no loops found
