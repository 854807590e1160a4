! test: flang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
! Fortran's explicit-shape arguments: columns of max(0, n) elements.
subroutine add(n, m, a, b)
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n, m)
  real(8), intent(inout) :: b(n, m)
  integer :: i, j
  do j = 1, m
    do i = 1, n
      b(i, j) = b(i, j) + a(i, j)
    end do
  end do
end subroutine
! output:
! orthant: lift
! scop add_
! param p0 [-2147483648, 2147483647]
! param p1 [-2147483648, 2147483647]
! context [p1, p0] -> {  : p1 > 0 and p0 > 0 }
! array A0 [*, p1] 8
! array A1 [*, p1] 8
! stmt S0 [p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read r0 [p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read r1 [p1, p0] -> { S0[i0, i1] -> A1[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   write v0 [p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   let v0 = fadd r0 r1
! order { for { for { S0 } } }
! # shape %3: double[][%5]
! # shape %2: double[][%5]
