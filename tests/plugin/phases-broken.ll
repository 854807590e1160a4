; test: clang -O3 -w -c %s -o %T/with.o
; test: llvm clang -O3 -w -c %s -o %T/without.o
; test: cmp %T/with.o %T/without.o
; test: clang -O3 -w -mllvm -orthant-position=late -c %s -o %T/late.o
; test: cmp %T/late.o %T/without.o
; test: clang -O3 -w -mllvm -orthant-only=g -c %s -o %T/only.o
; test: clang -O3 -w -Rpass-missed=orthant -c %s -o /dev/null
; A split into phases that is not proved is taken back, the function stays as it was, and the report says so, if the function was to be looked at at all.
; CHECK: {{^}}orthant: internal error in function f, which is left as it was: the split into phases is not proved: asked to be{{.*}}report it{{.*$}}
; CHECK: {{^}}orthant: internal error in function f, which is left as it was: the split into phases is not proved: asked to be{{.*}}report it{{.*$}}
; CHECK: {{^}}orthant: internal error in function f, which is left as it was: the split into phases is not proved: asked to be{{.*}}report it{{.*$}}
; CHECK: loop nest not optimized: internal error: the split into phases is not proved: asked to be
; CHECK-NOT: internal error
define void @f(ptr %a, ptr %b, i64 %n, i64 %count) "orthant-break-phases" {
entry:
  br label %step
step:
  %t = phi i64 [ 0, %entry ], [ %t.next, %end ]
  %from = phi ptr [ %a, %entry ], [ %to, %end ]
  %to = phi ptr [ %b, %entry ], [ %from, %end ]
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %y = fmul double %x, 5.000000e-01
  %q = getelementptr inbounds double, ptr %to, i64 %i
  store double %y, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add nuw nsw i64 %t, 1
  %goes.on = icmp slt i64 %t.next, %count
  br i1 %goes.on, label %step, label %exit
exit:
  ret void
}
