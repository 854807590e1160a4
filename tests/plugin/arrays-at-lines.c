// test: clang -O2 -march=znver5 -fPIC -S -emit-llvm %s -o -
// Variables that a nest walks over begin where cache lines do, also where the nest keeps its code if vectors are as wide as lines; but not those that are short, that
// nobody walks over, whose place another module may choose, that each thread has for itself, or whose rows are not whole lines.
static double kept[1000], from[1000], few[10], alone[1000], lines[100][80], parts[100][81];
double preempted[1000];
__attribute__((visibility("hidden"))) double hidden[1000];
static _Thread_local double own[1000];
void step(void) {
  for (int i = 1; i < 999; i++)
    kept[i] = from[i - 1] + from[i] + from[i + 1];
  for (int i = 1; i < 10; i++)
    few[i] += few[i - 1];
  for (int i = 0; i < 1000; i++)
    preempted[i] += hidden[i];
  for (int i = 0; i < 1000; i++)
    own[i] += 1;
  for (int i = 0; i < 100; i++)
    for (int j = 1; j < 80; j++) {
      lines[i][j] += lines[i][j - 1];
      parts[i][j] += parts[i][j - 1];
    }
}
double *some(int i) {
  from[i] = i;
  lines[i][i] = parts[i][i] = i;
  return i > 1 ? &alone[i] : i ? &few[i] : &own[i] + (long)&kept[i];
}
// CHECK-DAG: @kept = {{.*}}, align 64
// CHECK-DAG: @from = {{.*}}, align 64
// CHECK-DAG: @hidden = {{.*}}, align 64
// CHECK-DAG: @lines = {{.*}}, align 64
// CHECK-DAG: @parts = {{.*}}, align 16
// CHECK-DAG: @few = {{.*}}, align 16
// CHECK-DAG: @alone = {{.*}}, align 16
// CHECK-DAG: @preempted = {{.*}}, align 16
// CHECK-DAG: @own = {{.*}}, align 16
