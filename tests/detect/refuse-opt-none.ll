; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
define void @untouched(i64 %n, ptr %a) noinline optnone {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 0.0, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: the function is marked optnone
; remark: <unknown>:0:0: the function is marked optnone; remove optnone, or compile with -O1 or higher
; orthant: detect: untouched
;   unknown place: rejected, depth 1, 1 loops
;     opt-none: unknown place: the function is marked optnone
