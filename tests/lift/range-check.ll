; test: opt -passes=orthant -orthant-stop-after=lift -orthant-print-after=lift -disable-output %s
; lo <= i < lo + 10, as one unsigned comparison that works because i - lo may be negative.
define void @f(i32 %n, i32 %lo, ptr noalias %a) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i.next, %next ]
  %from = sub nsw i32 %i, %lo
  %inside = icmp ult i32 %from, 10
  br i1 %inside, label %body, label %next
body:
  %index = sext i32 %i to i64
  %p = getelementptr inbounds double, ptr %a, i64 %index
  store double 0.0, ptr %p, align 8
  br label %next
next:
  %i.next = add nuw nsw i32 %i, 1
  %more = icmp slt i32 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; orthant: lift
; scop f
; param p0 [-2147483648, 2147483647]
; param p1 [-2147483648, 2147483647]
; context [p1, p0] -> {  : p1 >= -9 }
; array A0 [*] 8
; stmt S0 [p1, p0] -> { S0[i0] : p0 >= 2 and i0 >= p1 and 0 <= i0 < p0 and i0 <= 9 + p1; S0[0] : p1 <= 0 and p0 <= 1 }
;   write %k0 [p1, p0] -> { S0[i0] -> A0[i0] : p0 >= 2 and i0 >= p1 and 0 <= i0 < p0 and i0 <= 9 + p1; S0[0] -> A0[0] : p1 <= 0 and p0 <= 1 }
; order { for { S0 } }
