; test: opt -passes=orthant -orthant-stop-after=lift -orthant-print-after=detect -disable-output %s
; What a masked store writes depends on the mask.
define void @f(i64 %n, ptr noalias %a, <4 x i1> %mask) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds <4 x i32>, ptr %a, i64 %i
  call void @llvm.masked.store.v4i32.p0(<4 x i32> splat (i32 7), ptr %p, <4 x i1> %mask)
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
declare void @llvm.masked.store.v4i32.p0(<4 x i32>, ptr captures(none), <4 x i1>)
; output:
; orthant: detect: f
;   unknown place: rejected, depth 1, 1 loops
;     call-with-side-effects: unknown place: call to llvm.masked.store.v4i32.p0 may have side effects
