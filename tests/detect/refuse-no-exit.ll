; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
define void @forever(ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double 0.0, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  br label %loop
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: the loop has no exit
; remark: <unknown>:0:0: the loop has no exit; there is no remedy: nothing can be moved across a loop that never ends
; orthant: detect: forever
;   unknown place: rejected, depth 1, 1 loops
;     no-exit: unknown place: the loop has no exit
