; test: orthant opt %s -O3 -o %t.o
; test: llvm llvm-nm %t.o
; test: orthant opt %s -O3 -o %t.bc
; test: llvm llvm-nm %t.bc
; test: orthant opt %s -O3 --emit asm
; What is written follows the suffix, or --emit.
target triple = "x86_64-pc-linux-gnu"
define i64 @f(i64 %n) {
  %x = add i64 %n, 1
  ret i64 %x
}
; CHECK: 0000000000000000 T f
; CHECK-NEXT: ---------------- T f
; CHECK: {{^}}f:
; CHECK: leaq 1(%rdi), %rax
