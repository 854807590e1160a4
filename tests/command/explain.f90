! test: orthant explain %s
subroutine axpy(n, a, x, y)
  integer, intent(in) :: n
  real(8), intent(in) :: a, x(n)
  real(8), intent(inout) :: y(n)
  integer :: i
  do i = 1, n
    y(i) = y(i) + a * x(i)
  end do
end subroutine
! output:
! axpy_ (%s)
!   %s:7:3: 1 loop: candidate
!       do i = 1, n
!
! 1 function, 1 loop nest: 1 candidate, 0 rejected
