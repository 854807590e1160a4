; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
; A fence, a read-modify-write, a compare-exchange, an atomic load and an atomic store: one loop each.
define void @kinds(i64 %n, ptr %a, ptr %b) {
entry:
  br label %fences
fences:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %fences ]
  fence seq_cst
  %i0.next = add nuw nsw i64 %i0, 1
  %more0 = icmp slt i64 %i0.next, %n
  br i1 %more0, label %fences, label %updates
updates:
  %i1 = phi i64 [ 0, %fences ], [ %i1.next, %updates ]
  %old1 = atomicrmw add ptr %a, i64 %i1 monotonic, align 8
  %i1.next = add nuw nsw i64 %i1, 1
  %more1 = icmp slt i64 %i1.next, %n
  br i1 %more1, label %updates, label %exchanges
exchanges:
  %i2 = phi i64 [ 0, %updates ], [ %i2.next, %exchanges ]
  %old2 = cmpxchg ptr %a, i64 %i2, i64 0 acq_rel monotonic, align 8
  %i2.next = add nuw nsw i64 %i2, 1
  %more2 = icmp slt i64 %i2.next, %n
  br i1 %more2, label %exchanges, label %loads
loads:
  %i3 = phi i64 [ 0, %exchanges ], [ %i3.next, %loads ]
  %x = load atomic i64, ptr %a acquire, align 8
  %p3 = getelementptr inbounds i64, ptr %b, i64 %i3
  store i64 %x, ptr %p3, align 8
  %i3.next = add nuw nsw i64 %i3, 1
  %more3 = icmp slt i64 %i3.next, %n
  br i1 %more3, label %loads, label %stores
stores:
  %i4 = phi i64 [ 0, %loads ], [ %i4.next, %stores ]
  store atomic i64 %i4, ptr %a release, align 8
  %i4.next = add nuw nsw i64 %i4, 1
  %more4 = icmp slt i64 %i4.next, %n
  br i1 %more4, label %stores, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: atomic access
; remark: <unknown>:0:0: atomic access; move the atomic operation out of the loops, or accumulate locally first
; remark: <unknown>:0:0: loop nest not optimized: atomic access
; remark: <unknown>:0:0: atomic access; move the atomic operation out of the loops, or accumulate locally first
; remark: <unknown>:0:0: loop nest not optimized: atomic access
; remark: <unknown>:0:0: atomic access; move the atomic operation out of the loops, or accumulate locally first
; remark: <unknown>:0:0: loop nest not optimized: atomic access
; remark: <unknown>:0:0: atomic access; move the atomic operation out of the loops, or accumulate locally first
; remark: <unknown>:0:0: loop nest not optimized: atomic access
; remark: <unknown>:0:0: atomic access; move the atomic operation out of the loops, or accumulate locally first
; orthant: detect: kinds
;   unknown place: rejected, depth 1, 1 loops
;     atomic-access: unknown place: atomic access
;   unknown place: rejected, depth 1, 1 loops
;     atomic-access: unknown place: atomic access
;   unknown place: rejected, depth 1, 1 loops
;     atomic-access: unknown place: atomic access
;   unknown place: rejected, depth 1, 1 loops
;     atomic-access: unknown place: atomic access
;   unknown place: rejected, depth 1, 1 loops
;     atomic-access: unknown place: atomic access
