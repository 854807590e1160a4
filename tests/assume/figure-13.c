// test: clang -O2 -g -mllvm -orthant-stop-after=assume -mllvm -orthant-print-after=lift,assume -c %s -o /dev/null
// Figure 13 of paper 002: a part of arrays of constant size. Beyond the end of a row is the next row.
void f(int start, int num, double (*restrict A)[1024], double (*restrict B)[1024]) {
  for (int i = start; i < start + num; i++)
    for (int j = start; j < start + num; j++)
      A[i][j] = B[i][j];
}
// output:
// orthant: lift
// scop f
// param start [-2147483648, 2147483647]
// param num [-2147483648, 2147483647]
// context [num, start] -> {  : num > 0 and 0 <= start <= 1024 - num }
// array B_0 [*] 8
// array A_1 [*, 1024] 8
// stmt S0 [num, start] -> { S0[i0, i1] : 0 <= i0 < num and 0 <= i1 < num }
//   read r0 [num, start] -> { S0[i0, i1] -> B_0[1025start + 1024i0 + i1] : 0 <= i0 < num and 0 <= i1 < num }
//   write r0 [num, start] -> { S0[i0, i1] -> A_1[start + i0, start + i1] : 0 <= i0 < num and 0 <= i1 < num }
// order { for { for { S0 } } }
// # shape A: double[][1024], valid when start >= 0 and num + start <= 1024
// orthant: assume: f
// in bounds: the subscripts of A stay inside their dimensions
//   assumed never [num, start] -> {  : num > 0 and (start >= 1025 - num or start < 0) }
//   left    [num, start] -> {  : 0 <= start <= 1024 - num }
// check:
//   num >= 1
//   && (start >= 0) && ((num + start) <= 1024)
