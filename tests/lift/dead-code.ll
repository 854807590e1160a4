; test: opt -passes=orthant -orthant-stop-after=lift -orthant-print-after=lift -disable-output %s
; What only an assumption needs is not executed.
define void @f(i64 %n, ptr noalias %a, ptr noalias %b) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %q = getelementptr inbounds i64, ptr %b, i64 %i
  %x = load i64, ptr %q, align 8
  %positive = icmp sgt i64 %x, 0
  call void @llvm.assume(i1 %positive)
  store double 0.0, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; orthant: lift
; scop f
; param p0 [-9223372036854775808, 9223372036854775807]
; context [p0] -> {  : -281474976710656 <= p0 <= 281474976710656 }
; array A0 [*] 8
; stmt S0 [p0] -> { S0[i0] : p0 >= 2 and 0 <= i0 < p0; S0[0] : p0 <= 1 }
;   write %k0 [p0] -> { S0[i0] -> A0[i0] : p0 >= 2 and 0 <= i0 < p0; S0[0] -> A0[0] : p0 <= 1 }
; order { for { S0 } }
