; test: orthant opt %s -o %t.bc
; exit: 1
define void @f(i64 %n) {
entry:
  %x = add i64 %n, %nowhere
  ret void
}
; output:
; orthant: error: %s:5:20: error: use of undefined value '%nowhere'
