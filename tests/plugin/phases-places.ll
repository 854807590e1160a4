; test: opt -passes=orthant-phases -S %s -o -
; Steps that take turns and are not split: numbers of iterations, and what grows with them, that have no room for a turn, and calls of which there must not be two.
; Phis of two bits go on one by one.
; CHECK-LABEL: define void @two(
; CHECK: %orthant.s = phi i32
; CHECK: = phi i1 [ %t.next, %end ], [ %t.next.phase, %end.phase ]
; CHECK-LABEL: define void @four(
; CHECK-NOT: %orthant
; CHECK-LABEL: define void @rest(
; CHECK-NOT: %orthant
; CHECK-LABEL: define void @meet(
; CHECK-NOT: %orthant
; CHECK-LABEL: define void @hearts(
; CHECK-NOT: %orthant
; CHECK-LABEL: define void @comes_back(
; CHECK-NOT: %orthant
; CHECK-LABEL: define void @jumps(
; CHECK-NOT: %orthant
define void @two(ptr %a, ptr %b, i64 %n) {
entry:
  br label %step
step:
  %t = phi i1 [ false, %entry ], [ %t.next, %end ]
  %from = phi ptr [ %a, %entry ], [ %to, %end ]
  %to = phi ptr [ %b, %entry ], [ %from, %end ]
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %to, i64 %i
  %y = fadd double %x, 1.0
  store double %y, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i1 %t, true
  br i1 %t.next, label %step, label %exit
exit:
  ret void
}
define void @four(ptr %a, ptr %b, ptr %c, ptr %d, i64 %n, i2 %last) {
entry:
  br label %step
step:
  %t = phi i2 [ 0, %entry ], [ %t.next, %end ]
  %u = phi ptr [ %a, %entry ], [ %v, %end ]
  %v = phi ptr [ %b, %entry ], [ %w, %end ]
  %w = phi ptr [ %c, %entry ], [ %x, %end ]
  %x = phi ptr [ %d, %entry ], [ %u, %end ]
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %u, i64 %i
  %l = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %v, i64 %i
  %y = fadd double %l, 1.0
  store double %y, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i2 %t, 1
  %goes = icmp ne i2 %t, %last
  br i1 %goes, label %step, label %exit
exit:
  ret void
}
define void @rest(ptr %planes, i64 %n, i64 %count) {
entry:
  br label %step
step:
  %t = phi i64 [ 0, %entry ], [ %t.next, %end ]
  %two = phi i2 [ 0, %entry ], [ %two.next, %end ]
  %part = urem i2 %two, -1
  %now = zext i2 %part to i64
  %from = getelementptr inbounds double, ptr %planes, i64 %now
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %y = fadd double %x, 1.0
  store double %y, ptr %p, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %two.next = add i2 %two, -2
  %t.next = add nuw nsw i64 %t, 1
  %goes = icmp slt i64 %t.next, %count
  br i1 %goes, label %step, label %exit
exit:
  ret void
}
declare void @barrier() convergent memory(none) nounwind willreturn
declare i32 @again(ptr) returns_twice
define void @meet(ptr %a, ptr %b, i64 %n, i64 %count) {
entry:
  br label %step
step:
  %t = phi i64 [ 0, %entry ], [ %t.next, %end ]
  %from = phi ptr [ %a, %entry ], [ %to, %end ]
  %to = phi ptr [ %b, %entry ], [ %from, %end ]
  call void @barrier() convergent
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %to, i64 %i
  store double %x, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i64 %t, 1
  %goes = icmp ne i64 %t.next, %count
  br i1 %goes, label %step, label %exit
exit:
  ret void
}
define void @hearts(ptr %a, ptr %b, i64 %n, i64 %count) convergent {
entry:
  %e = call token @llvm.experimental.convergence.entry()
  br label %step
step:
  %t = phi i64 [ 0, %entry ], [ %t.next, %end ]
  %from = phi ptr [ %a, %entry ], [ %to, %end ]
  %to = phi ptr [ %b, %entry ], [ %from, %end ]
  %h = call token @llvm.experimental.convergence.loop() [ "convergencectrl"(token %e) ]
  call void @barrier() convergent [ "convergencectrl"(token %h) ]
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %to, i64 %i
  store double %x, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i64 %t, 1
  %goes = icmp ne i64 %t.next, %count
  br i1 %goes, label %step, label %exit
exit:
  ret void
}
define void @comes_back(ptr %a, ptr %b, i64 %n, i64 %count) {
entry:
  br label %step
step:
  %t = phi i64 [ 0, %entry ], [ %t.next, %end ]
  %from = phi ptr [ %a, %entry ], [ %to, %end ]
  %to = phi ptr [ %b, %entry ], [ %from, %end ]
  %again = call i32 @again(ptr %from) returns_twice
  br label %cell
cell:
  %i = phi i64 [ 0, %step ], [ %i.next, %cell ]
  %p = getelementptr inbounds double, ptr %from, i64 %i
  %x = load double, ptr %p, align 8
  %q = getelementptr inbounds double, ptr %to, i64 %i
  store double %x, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i64 %t, 1
  %goes = icmp ne i64 %t.next, %count
  br i1 %goes, label %step, label %exit
exit:
  ret void
}
define void @jumps(ptr %a, ptr %b, i64 %n, i64 %count, ptr %where) {
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
  %q = getelementptr inbounds double, ptr %to, i64 %i
  store double %x, ptr %q, align 8
  %i.next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  br i1 %more, label %cell, label %end
end:
  %t.next = add i64 %t, 1
  %goes = icmp ne i64 %t.next, %count
  br i1 %goes, label %step, label %exit
exit:
  store ptr blockaddress(@jumps, %done), ptr %where, align 8
  br label %done
done:
  ret void
}
declare token @llvm.experimental.convergence.entry()
declare token @llvm.experimental.convergence.loop()
