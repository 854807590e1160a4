; test: opt -O3 -pass-remarks-analysis=orthant -disable-output %s
; Without a name the pass is in LLVM's own pipelines.
define void @f(i64 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %p, align 8
  %y = fadd double %x, 1.0
  store double %y, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}

define void @g(i64 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %p, align 8
  %y = fadd double %x, 1.0
  store double %y, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest keeps its order: no other order keeps all dependences and looks better
; remark: <unknown>:0:0: loop nest keeps its order: no other order keeps all dependences and looks better
