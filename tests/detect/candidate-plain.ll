; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
; A rotated nest of two loops, written by hand and without debug information.
define void @add(i64 %n, i64 %m, ptr noalias %a, ptr noalias %b) {
entry:
  %some.rows = icmp sgt i64 %n, 0
  %some.columns = icmp sgt i64 %m, 0
  %some = and i1 %some.rows, %some.columns
  br i1 %some, label %rows, label %exit
rows:
  %i = phi i64 [ 0, %entry ], [ %i.next, %rows.latch ]
  %row = mul nuw nsw i64 %i, %m
  br label %columns
columns:
  %j = phi i64 [ 0, %rows ], [ %j.next, %columns ]
  %k = add nuw nsw i64 %row, %j
  %p = getelementptr inbounds double, ptr %a, i64 %k
  %q = getelementptr inbounds double, ptr %b, i64 %k
  %x = load double, ptr %p, align 8
  %y = load double, ptr %q, align 8
  %z = fadd double %x, %y
  store double %z, ptr %p, align 8
  %j.next = add nuw nsw i64 %j, 1
  %more.columns = icmp slt i64 %j.next, %m
  br i1 %more.columns, label %columns, label %rows.latch
rows.latch:
  %i.next = add nuw nsw i64 %i, 1
  %more.rows = icmp slt i64 %i.next, %n
  br i1 %more.rows, label %rows, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest of depth 2 can be modelled
; orthant: detect: add
;   unknown place: candidate, depth 2, 2 loops
