! test: flang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
! Fortran's assumed-shape arguments: strides in bytes from descriptors, and two versions, the first for columns without
! gaps.
subroutine multiply(a, b, c)
  real(8), intent(in) :: a(:, :), b(:, :)
  real(8), intent(inout) :: c(:, :)
  integer :: i, j, k
  do j = 1, size(c, 2)
    do i = 1, size(c, 1)
      do k = 1, size(a, 2)
        c(i, j) = c(i, j) + a(i, k) * b(k, j)
      end do
    end do
  end do
end subroutine
! output:
! orthant: lift
! scop multiply_
! param p0 [-9223372036854775808, 9223372036854775807]
! param p1 [-9223372036854775808, 9223372036854775807]
! param p2 [-9223372036854775808, 9223372036854775807]
! param p3 [-9223372036854775808, 9223372036854775807]
! param p4 [-9223372036854775808, 9223372036854775807]
! param p5 [-9223372036854775808, 9223372036854775807]
! context [p5, p4, p3, p2, p1, p0] -> {  : -9223372036854775808 <= p5 <= 9223372036854775807 and -9223372036854775808 <= p4 <= 9223372036854775807 and -9223372036854775808 <= p3 <= 9223372036854775807 and -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= p1 <= 9223372036854775807 and -9223372036854775808 <= p0 <= 9223372036854775807 }
! array A0 [*, floor(p3/8)] 8
! array A1 [*, floor(p4/8)] 8
! array A2 [*, floor(p5/8)] 8
! phi phi3 8
! phi phi4 8
! stmt S0 [p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read [p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> A0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   write [p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
! stmt S1 [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A1[i2, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A2[i0, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   write [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi4[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   write [p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
! stmt S2 [p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read [p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> phi4[] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
!   write [p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> A0[i0, i1] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
! order { for { for { S0 for { S1 } S2 } } }
! shape %34: double[][%26/8], valid when (%26) mod 8 = 0 and %26 >= 8%13
! shape %35: double[][%30/8], valid when (%30) mod 8 = 0 and %30 >= 8%13
! shape %33: double[][%23/8], valid when (%23) mod 8 = 0 and %23 >= 8%15
! orthant: lift
! scop multiply_
! param p0 [-9223372036854775808, 9223372036854775807]
! param p1 [-9223372036854775808, 9223372036854775807]
! param p2 [-9223372036854775808, 9223372036854775807]
! param p3 [-9223372036854775808, 9223372036854775807]
! param p4 [-9223372036854775808, 9223372036854775807]
! param p5 [-9223372036854775808, 9223372036854775807]
! param p6 [-9223372036854775808, 9223372036854775807]
! param p7 [-9223372036854775808, 9223372036854775807]
! param p8 [-9223372036854775808, 9223372036854775807]
! context [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> {  : -9223372036854775808 <= p8 <= 9223372036854775807 and -9223372036854775808 <= p7 <= 9223372036854775807 and -9223372036854775808 <= p6 <= 9223372036854775807 and -9223372036854775808 <= p5 <= 9223372036854775807 and -9223372036854775808 <= p4 <= 9223372036854775807 and -9223372036854775808 <= p3 <= 9223372036854775807 and -9223372036854775808 <= p2 <= 9223372036854775807 and -9223372036854775808 <= p1 <= 9223372036854775807 and -9223372036854775808 <= p0 <= 9223372036854775807 }
! array A0 [*, floor(p4/8)] 8
! array A1 [*, floor(p5/8)] 8
! array A2 [*, floor(p8/8)] 8
! phi phi3 8
! phi phi4 8
! stmt S0 [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> A0[i1, i0] : 0 <= i0 < p0 and 0 <= i1 < p1 }
!   write [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S0[i0, i1] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 }
! stmt S1 [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A1[i1, i2] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   read [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> A2[i2, i0] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   write [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi4[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
!   write [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S1[i0, i1, i2] -> phi3[] : 0 <= i0 < p0 and 0 <= i1 < p1 and 0 <= i2 < p2 }
! stmt S2 [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
!   read [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> phi4[] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
!   write [p8, p7, p6, p5, p4, p3, p2, p1, p0] -> { S2[i0, i1] -> A0[i1, i0] : p2 > 0 and 0 <= i0 < p0 and 0 <= i1 < p1 }
! order { for { for { S0 for { S1 } S2 } } }
! shape %55: double[][%25/8], valid when %26 = 8 and (%25) mod 8 = 0 and %25 >= 8%8
! shape %56: double[][%29/8], valid when %30 = 8 and (%29) mod 8 = 0 and %29 >= 8%15
! shape %57: double[][%22/8], valid when %23 = 8 and (%22) mod 8 = 0 and %22 >= 8%8
