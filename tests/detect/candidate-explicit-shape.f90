! test: flang -O3 -g -Rpass-missed=orthant -Rpass-analysis=orthant -mllvm -orthant-position=late -mllvm -orthant-stop-after=detect -mllvm -orthant-print-after=detect -c %s -o /dev/null
subroutine gemm(n, m, p, a, b, c)
  integer, intent(in) :: n, m, p
  real(8), intent(in) :: a(n, p), b(p, m)
  real(8), intent(inout) :: c(n, m)
  integer :: i, j, k
  do j = 1, m
    do k = 1, p
      do i = 1, n
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
! output:
! %s:7:3: remark: loop nest of depth 3 can be modelled [-Rpass-analysis=orthant]
! orthant: detect: gemm_
!   %s:7:3: candidate, depth 3, 3 loops
