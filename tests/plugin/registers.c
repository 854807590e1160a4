// test: clang -O3 -mavx2 -mfma -ffp-contract=on -fno-discard-value-names -S -emit-llvm %s -o -
// A block of the product stays in registers while the terms are added: vectors that go round the loop, one load for all
// columns and one for all rows, and no store before its end.
void product(int n, double c[restrict n][n], double a[restrict n][n], double b[restrict n][n]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
}
// CHECK: define {{.*}}@product.orthant.loops
// Before the first whole block of a loop over rows, what it shares with the others is kept.
// CHECK: orthant.ahead{{.*}}:
// CHECK-NOT: = phi <4 x double>
// CHECK-COUNT-2: store <4 x double>
// CHECK-NOT: {{masked.store|store <}}
// Where the block is whole:
// CHECK: orthant.terms{{.*}}:
// CHECK-COUNT-12: = phi <4 x double>
// CHECK-NOT: {{masked.store|store <}}
// CHECK: fmuladd.v4f64
// CHECK-NOT: {{masked.store|store <}}
// CHECK: orthant.added{{.*}}:
// CHECK-COUNT-12: store <4 x double>
// Where it is cut, what is not part of it is not touched.
// CHECK: orthant.terms{{.*}}:
// CHECK-COUNT-12: = phi <4 x double>
// CHECK-NOT: {{masked.store|store <}}
// CHECK: fmuladd.v4f64
// CHECK-NOT: {{masked.store|store <}}
// CHECK: orthant.added{{.*}}:
// CHECK-COUNT-12: @llvm.masked.store.v4f64.p0
