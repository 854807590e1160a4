; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
define void @scalable(i64 %n, ptr %a) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %p = getelementptr inbounds i8, ptr %a, i64 %i
  %v = load <vscale x 4 x i32>, ptr %p, align 16
  %w = add <vscale x 4 x i32> %v, %v
  store <vscale x 4 x i32> %w, ptr %p, align 16
  %i.next = add nuw nsw i64 %i, 16
  %more = icmp ult i64 %i.next, %n
  br i1 %more, label %loop, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: unsupported type <vscale x 4 x i32>
; remark: <unknown>:0:0: unsupported type <vscale x 4 x i32>; use plain integer and floating-point element types in the loops
; orthant: detect: scalable
;   unknown place: rejected, depth 1, 1 loops
;     unsupported-type: unknown place: unsupported type <vscale x 4 x i32>
