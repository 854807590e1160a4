; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
; The callee only reads, and returns, but nothing says that it does not throw.
declare double @look(ptr) memory(read) willreturn

define void @all(i64 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = call double @look(ptr %p)
  store double %x, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: call to look may throw
; remark: <unknown>:0:0: call to look may throw; declare the callee noexcept, or move the call out of the loops
; orthant: detect: all
;   unknown place: rejected, depth 1, 1 loops
;     possible-exception: unknown place: call to look may throw
