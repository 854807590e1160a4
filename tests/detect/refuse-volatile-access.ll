; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
; A volatile load, a volatile store and a volatile memory intrinsic: one loop each.
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define void @kinds(i64 %n, ptr %a, ptr %b) {
entry:
  br label %loads
loads:
  %i0 = phi i64 [ 0, %entry ], [ %i0.next, %loads ]
  %x = load volatile i64, ptr %a, align 8
  %p0 = getelementptr inbounds i64, ptr %b, i64 %i0
  store i64 %x, ptr %p0, align 8
  %i0.next = add nuw nsw i64 %i0, 1
  %more0 = icmp slt i64 %i0.next, %n
  br i1 %more0, label %loads, label %stores
stores:
  %i1 = phi i64 [ 0, %loads ], [ %i1.next, %stores ]
  store volatile i64 %i1, ptr %a, align 8
  %i1.next = add nuw nsw i64 %i1, 1
  %more1 = icmp slt i64 %i1.next, %n
  br i1 %more1, label %stores, label %sets
sets:
  %i2 = phi i64 [ 0, %stores ], [ %i2.next, %sets ]
  %p2 = getelementptr inbounds i64, ptr %b, i64 %i2
  call void @llvm.memset.p0.i64(ptr %p2, i8 0, i64 8, i1 true)
  %i2.next = add nuw nsw i64 %i2, 1
  %more2 = icmp slt i64 %i2.next, %n
  br i1 %more2, label %sets, label %plain
plain:
  %i3 = phi i64 [ 0, %sets ], [ %i3.next, %plain ]
  %p3 = getelementptr inbounds i64, ptr %b, i64 %i3
  call void @llvm.memset.p0.i64(ptr %p3, i8 0, i64 8, i1 false)
  %i3.next = add nuw nsw i64 %i3, 1
  %more3 = icmp slt i64 %i3.next, %n
  br i1 %more3, label %plain, label %exit
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest not optimized: volatile access
; remark: <unknown>:0:0: volatile access; copy the volatile object to a local before the loops
; remark: <unknown>:0:0: loop nest not optimized: volatile access
; remark: <unknown>:0:0: volatile access; copy the volatile object to a local before the loops
; remark: <unknown>:0:0: loop nest not optimized: volatile access
; remark: <unknown>:0:0: volatile access; copy the volatile object to a local before the loops
; remark: <unknown>:0:0: loop nest of depth 1 can be modelled
; orthant: detect: kinds
;   unknown place: rejected, depth 1, 1 loops
;     volatile-access: unknown place: volatile access
;   unknown place: rejected, depth 1, 1 loops
;     volatile-access: unknown place: volatile access
;   unknown place: rejected, depth 1, 1 loops
;     volatile-access: unknown place: volatile access
;   unknown place: candidate, depth 1, 1 loops
