! test: flang -O3 -g -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -c %s -o /dev/null
subroutine show(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  do i = 1, n
    a(i) = a(i) + 1
    print *, a(i)
  end do
end subroutine
! output:
! %s:6:3: remark: loop nest not optimized: call to _FortranAioBeginExternalListOutput may have side effects; call to _FortranAioEndIoStatement may have side effects; call to _FortranAioOutputReal64 may have side effects [-Rpass-missed=orthant]
! %s:8:5: remark: call to _FortranAioBeginExternalListOutput may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
! %s:8:5: remark: call to _FortranAioEndIoStatement may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
! %s:8:14: remark: call to _FortranAioOutputReal64 may have side effects; move the call out of the loops, make it visible for inlining, or declare it __attribute__((const)) or ((pure)) if it is [-Rpass-analysis=orthant]
! orthant: detect: show_
!   %s:6:3: rejected, depth 1, 1 loops
!     call-with-side-effects: %s:8:5: call to _FortranAioBeginExternalListOutput may have side effects
!     call-with-side-effects: %s:8:5: call to _FortranAioEndIoStatement may have side effects
!     call-with-side-effects: %s:8:14: call to _FortranAioOutputReal64 may have side effects
