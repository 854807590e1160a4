; test: opt -passes='orthant<bugdet=1>' -disable-output %s
; exit: 1
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
; error: orthant: pass parameters orthant<...>: unknown option 'bugdet' (did you mean 'budget'?); the options are enable, position, only, report, stop-after, print-after, schedule, tiles, tuned, least-gain, least-length, registers, panels, align-arrays, rows, parallel, threads, machine, l1-bytes, l2-bytes, l1-ways, l2-ways, l3-bytes, line-bytes, schedule-in, schedule-out, assumptions, tiers, use-counts, count-checks, delicm, expand, time, budget, shape-candidates, shape-alphas, shape-shifts
