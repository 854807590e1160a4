! test: flang -O2 -g -Rpass-analysis=orthant -c %s -o /dev/null
subroutine f(n, a)
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n)
  integer :: i
  do i = 1, n
    a(i) = a(i) + 1
  end do
end subroutine
! output:
! %s:6:3: remark: loop nest keeps its order: no other order keeps all dependences and looks better [-Rpass-analysis=orthant]
