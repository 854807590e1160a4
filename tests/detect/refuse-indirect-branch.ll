; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
define void @threaded(i64 %n, ptr %a, ptr %targets) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %left ], [ %i.next, %right ]
  %i.next = add nuw nsw i64 %i, 1
  %slot = getelementptr inbounds ptr, ptr %targets, i64 %i
  %target = load ptr, ptr %slot, align 8
  indirectbr ptr %target, [label %left, label %right, label %exit]
left:
  store double 1.0, ptr %a, align 8
  br label %head
right:
  store double 2.0, ptr %a, align 8
  br label %head
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: indirect branch; the number of iterations depends on the data
; remark: <unknown>:0:0: indirect branch; use a switch instead of a computed goto
; remark: <unknown>:0:0: the number of iterations depends on the data; split the search for the end from the work, so that the working loop has a bound known on entry
; orthant: detect: threaded
;   unknown place: rejected, depth 1, 1 loops
;     indirect-branch: unknown place: indirect branch
;     data-dependent-exit: unknown place: the number of iterations depends on the data
