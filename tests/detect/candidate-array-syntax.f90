! test: flang -O3 -g -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -c %s -o /dev/null
subroutine smooth(n, a, b)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(out) :: b(n, n)
  b(2:n-1, 2:n-1) = 0.25d0 * (a(1:n-2, 2:n-1) + a(3:n, 2:n-1) + a(2:n-1, 1:n-2) + a(2:n-1, 3:n))
end subroutine
! output:
! %s:6:3: remark: loop nest of depth 2 can be modelled [-Rpass-analysis=orthant]
! orthant: detect: smooth_
!   %s:6:3: candidate, depth 2, 2 loops
