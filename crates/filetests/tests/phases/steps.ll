; Steps of all kinds that take turns, for mutations of what the split makes of them: buffers that change places, a plane by parity, a number
; that is 0 and 1 in turn; beside them a sum and a counter from one step to the next, and scopes of aliases that each step declares.
define ptr @steps(i64 %count, i64 %n, ptr %first, ptr %second, ptr %planes, ptr %left) {
entry:
  %some = icmp sgt i64 %count, 0
  br i1 %some, label %before, label %exit

before:
  br label %step

step:
  %t = phi i64 [ 0, %before ], [ %t.next, %end ]
  %sum = phi double [ 0.000000e+00, %before ], [ %sum.next, %end ]
  %a = phi ptr [ %first, %before ], [ %b, %end ]
  %b = phi ptr [ %second, %before ], [ %a, %end ]
  %now = phi i64 [ 0, %before ], [ %then, %end ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %plane = and i64 %t, 1
  %row = getelementptr inbounds double, ptr %planes, i64 %plane
  %x0 = load double, ptr %row, align 8, !alias.scope !2
  br label %cell

cell:
  %i = phi i64 [ 1, %step ], [ %i.next, %cell ]
  %from = getelementptr inbounds double, ptr %a, i64 %i
  %x = load double, ptr %from, align 8, !noalias !2
  %y = fadd double %x, %x0
  %to = getelementptr inbounds double, ptr %b, i64 %i
  store double %y, ptr %to, align 8, !noalias !2
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end

end:
  %y.end = phi double [ %y, %cell ]
  %sum.next = fadd double %sum, %y.end
  %then = sub i64 1, %now
  %other = getelementptr inbounds double, ptr %planes, i64 %then
  store double %sum.next, ptr %other, align 8
  %t.next = add nuw nsw i64 %t, 1
  %goes.on = icmp slt i64 %t.next, %count
  br i1 %goes.on, label %step, label %after

after:
  %a.end = phi ptr [ %a, %end ]
  %sum.end = phi double [ %sum.next, %end ]
  %t.end = phi i64 [ %t, %end ]
  store double %sum.end, ptr %left, align 8
  %slot = getelementptr inbounds i64, ptr %left, i64 1
  store i64 %t.end, ptr %slot, align 8
  br label %exit

exit:
  %result = phi ptr [ %first, %entry ], [ %a.end, %after ]
  ret ptr %result
}

declare void @llvm.experimental.noalias.scope.decl(metadata)

!0 = distinct !{!0, !"domain"}
!1 = distinct !{!1, !0, !"scope"}
!2 = !{!1}
