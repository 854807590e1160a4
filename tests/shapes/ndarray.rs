// test: cargo rustc --quiet --locked --release --lib --manifest-path %S/inputs/ndarray/Cargo.toml -- -g --emit=llvm-bc=%t.bc -C no-prepopulate-passes
// test: opt -passes='default<O3>' -orthant-position=late -orthant-stop-after=lift -orthant-print-after=lift -orthant-only=nd_ -disable-output %t.bc
// The crate `ndarray`: two strides for each array, of which the last is assumed to be 1, and a test of each subscript. The
// functions are in inputs/ndarray/src/lib.rs.
// output:
// orthant: lift
// scop nd_add
// param n [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param m [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// param p4 [-9223372036854775808, 9223372036854775807]
// param p5 [-9223372036854775808, 9223372036854775807]
// param p6 [-9223372036854775808, 9223372036854775807]
// param p7 [-9223372036854775808, 9223372036854775807]
// context [p7, p6, p5, p4, p3, m, p1, n] -> {  : p7 = 1 and p5 = 1 and -9223372036854775808 <= p6 <= 281474976710656 and -9223372036854775808 <= p4 <= 281474976710656 and -281474976710656 <= p3 <= 281474976710656 and 0 < m <= 9223372036854775807 and m <= p4 and m <= p6 and -9223372036854775808 <= p1 <= 281474976710656 and 0 < n <= 9223372036854775807 and n <= p1 }
// array A0 [*, p4] 8
// array A1 [*, p6] 8
// stmt S0 [p7, p6, p5, p4, p3, m, p1, n] -> { S0[i0, i1] : 0 <= i0 < n and 0 <= i1 < m }
//   read r0 [p7, p6, p5, p4, p3, m, p1, n] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < n and 0 <= i1 < m }
//   read r1 [p7, p6, p5, p4, p3, m, p1, n] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < n and 0 <= i1 < m }
//   write v0 [p7, p6, p5, p4, p3, m, p1, n] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < n and 0 <= i1 < m }
//   let v0 = fadd r0 r1
// order { for { for { S0 } } }
// # shape self->ptr.pointer: double[][self->strides.index[0]], valid when self->strides.index[1] = 1 and self->strides.index[0] >= m
// # shape self->ptr.pointer: double[][self->strides.index[0]], valid when self->strides.index[1] = 1 and self->strides.index[0] >= m
// orthant: lift
// scop nd_multiply
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// param p4 [-9223372036854775808, 9223372036854775807]
// param p5 [-9223372036854775808, 9223372036854775807]
// param p6 [-9223372036854775808, 9223372036854775807]
// param p7 [-9223372036854775808, 9223372036854775807]
// param p8 [-9223372036854775808, 9223372036854775807]
// param p9 [-9223372036854775808, 9223372036854775807]
// param p10 [-9223372036854775808, 9223372036854775807]
// param p11 [-9223372036854775808, 9223372036854775807]
// context [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> {  : p11 = 1 and p8 = 1 and p7 = 1 and -9223372036854775808 <= p10 <= 281474976710656 and -9223372036854775808 <= p9 <= 281474976710656 and -9223372036854775808 <= p6 <= 281474976710656 and -281474976710656 <= p5 <= 281474976710656 and 0 < p4 <= 9223372036854775807 and p4 <= p6 and p3 >= p4 and -9223372036854775808 <= p3 <= 281474976710656 and 0 < p2 <= 9223372036854775807 and p2 <= p9 and p2 <= p10 and -9223372036854775808 <= p1 <= 281474976710656 and 0 < p0 <= 9223372036854775807 and p0 <= p1 }
// array A0 [*, p6] 8
// array A1 [*, p9] 8
// array A2 [*, p10] 8
// phi phi3 8
// phi phi4 8
// scalar s5 8
// stmt S0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   write %k0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p2 }
// stmt S1 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   read r0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   read r1 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A0[i0, i2] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   read r2 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A1[i2, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   write v1 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi4[] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   write v1 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p2 and 0 <= i2 < p4 }
//   let v0 = fmul r1 r2
//   let v1 = fadd r0 v0
// stmt S2 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   read r0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> phi4[] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   write r0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> s5[] : 0 <= i0 < p0 and 0 <= i1 < p2 }
// stmt S3 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S3[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   read r0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S3[i0, i1] -> s5[] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   write r0 [p11, p10, p9, p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S3[i0, i1] -> A2[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
// order { for { for { S0 for { S1 } S2 S3 } } }
// # shape a: double[][a->strides.index[0]], valid when a->strides.index[1] = 1 and a->strides.index[0] >= %_16.fr
// # shape b: double[][b->strides.index[0]], valid when b->strides.index[1] = 1 and b->strides.index[0] >= iter.end
// # shape c: double[][c->strides.index[0]], valid when c->strides.index[1] = 1 and c->strides.index[0] >= iter.end
// orthant: lift
// scop nd_multiply
// param p0 [-9223372036854775808, 9223372036854775807]
// param p1 [-9223372036854775808, 9223372036854775807]
// param p2 [-9223372036854775808, 9223372036854775807]
// param p3 [-9223372036854775808, 9223372036854775807]
// param p4 [-9223372036854775808, 9223372036854775807]
// param p5 [-9223372036854775808, 9223372036854775807]
// context [p5, p4, p3, p2, p1, p0] -> {  : p5 = 1 and -9223372036854775808 <= p4 <= 281474976710656 and -281474976710656 <= p3 <= 281474976710656 and 0 < p2 <= 9223372036854775807 and p2 <= p4 and -9223372036854775808 <= p1 <= 281474976710656 and 0 < p0 <= 9223372036854775807 and p0 <= p1 }
// array A0 [*, p4] 8
// stmt S0 [p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
//   write %k0 [p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p2 }
// order { for { for { S0 } } }
// # shape c: double[][c->strides.index[0]], valid when c->strides.index[1] = 1 and c->strides.index[0] >= iter.end
