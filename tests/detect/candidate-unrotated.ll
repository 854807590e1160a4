; test: opt -passes=orthant -orthant-stop-after=detect -orthant-print-after=detect -pass-remarks-missed=orthant -pass-remarks-analysis=orthant -disable-output %s
; The loop is tested at its head: what a front end writes before any pass.
define void @clear(i32 %n, ptr %a) {
entry:
  br label %head
head:
  %i = phi i32 [ 0, %entry ], [ %i.next, %body ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %exit
body:
  %index = sext i32 %i to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %index
  store i32 0, ptr %p, align 4
  %i.next = add nsw i32 %i, 1
  br label %head
exit:
  ret void
}
; output:
; remark: <unknown>:0:0: loop nest of depth 1 can be modelled
; orthant: detect: clear
;   unknown place: candidate, depth 1, 1 loops
