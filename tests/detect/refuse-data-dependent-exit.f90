! test: flang -O3 -g -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -c %s -o /dev/null
subroutine iterate(n, x, limit)
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  real(8), intent(in) :: limit
  integer :: i
  do while (sum(x) > limit)
    do i = 1, n
      x(i) = x(i) / 2
    end do
  end do
end subroutine
! output:
! %s:7:3: remark: loop nest not optimized: the number of iterations depends on the data [-Rpass-missed=orthant]
! %s:7:3: remark: the number of iterations depends on the data; split the search for the end from the work, so that the working loop has a bound known on entry [-Rpass-analysis=orthant]
! %s:8:5: remark: loop nest of depth 1 can be modelled [-Rpass-analysis=orthant]
! orthant: detect: iterate_
!   %s:7:3: rejected, depth 2, 2 loops
!     data-dependent-exit: %s:7:3: the number of iterations depends on the data
!   %s:8:5: candidate, depth 1, 1 loops
