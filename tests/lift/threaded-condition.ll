; test: opt -passes=orthant -orthant-stop-after=lift -orthant-print-after=lift -disable-output %s
; Whether the second loop runs was decided before the first: the truth value comes out of a phi.
define void @f(i64 %n, i64 %m, ptr noalias %a, ptr noalias %b) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %between
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 0.0, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %after
after:
  %large = icmp sgt i64 %m, 7
  br label %between
between:
  %goes.on = phi i1 [ false, %entry ], [ %large, %after ]
  br i1 %goes.on, label %second, label %exit
second:
  %j = phi i64 [ 0, %between ], [ %j.next, %second ]
  %q = getelementptr inbounds double, ptr %b, i64 %j
  store double 1.0, ptr %q, align 8
  %j.next = add nuw nsw i64 %j, 1
  %more.j = icmp slt i64 %j.next, %m
  br i1 %more.j, label %second, label %exit
exit:
  ret void
}
; output:
; orthant: lift
; scop f
; param p0 [-9223372036854775808, 9223372036854775807]
; param p1 [-9223372036854775808, 9223372036854775807]
; context [p1, p0] -> {  : 0 < p1 <= 281474976710656 and 0 < p0 <= 281474976710656 }
; array A0 [*] 8
; array A1 [*] 8
; stmt S0 [p1, p0] -> { S0[i0] : 0 <= i0 < p0 }
;   write %k0 [p1, p0] -> { S0[i0] -> A0[i0] : 0 <= i0 < p0 }
; stmt S1 [p1, p0] -> { S1[i0] : p1 >= 8 and 0 <= i0 < p1 }
;   write %k1 [p1, p0] -> { S1[i0] -> A1[i0] : p1 >= 8 and 0 <= i0 < p1 }
; order { for { S0 } for { S1 } }
