; test: opt -passes=orthant -orthant-stop-after=assume -orthant-print-after=detect -disable-output %s
; Read as a signed number the limit is always negative, so the model would never describe what happens.
define void @f(i64 %x, ptr noalias %a) {
entry:
  %limit = or i64 %x, -9223372036854775808
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 7, ptr %p
  %i.next = add nuw i64 %i, 1
  %more = icmp ne i64 %i.next, %limit
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; orthant: detect: f
;   unknown place: rejected, depth 1, 1 loops
;     infeasible-assumption: unknown place: an assumption that is needed never holds (bounded loop: the loop ends)
