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
!   %s:7:3: 1 loop: kept
!       do i = 1, n
!     no other order keeps all dependences and looks better
!
! 1 function, 1 loop nest: 1 kept, 0 rejected
