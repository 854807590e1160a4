// test: clang -O2 -mllvm -orthant-align-arrays=false -S -emit-llvm %s -o -
static double a[1000];
void step(void) {
  for (int i = 1; i < 999; i++)
    a[i] += 1;
}
double get(int i) { return a[i]; }
// CHECK: @a = {{.*}}, align 16
