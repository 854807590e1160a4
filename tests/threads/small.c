// test: clang -O2 -mllvm -orthant-parallel -mllvm -orthant-threads=2 -S -emit-llvm %s -o -
// It is known that there is too little to do.
double A[8][8], B[8][8];
void rows(void) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++)
      A[i][j] = B[j][i] + 1;
}
// CHECK-LABEL: define dso_local void @rows(
// CHECK-NOT: call void @GOMP_
