! test: flang -O3 -mllvm -orthant-position=late -mllvm -orthant-stop-after=lift -mllvm -orthant-print-after=lift -c %s -o /dev/null
! Fortran's assumed-shape arguments: strides in bytes from descriptors, and two versions, the first for columns without
! gaps. (The names of IR differ from run to run.)
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
! CHECK: scop multiply_
! CHECK: array A0 [*, floor(p3/8)] 8
! CHECK: array A1 [*, floor(p4/8)] 8
! CHECK: array A2 [*, floor(p5/8)] 8
! CHECK: S1[i0, i1, i2] -> A1[i2, i1] :
! CHECK: S1[i0, i1, i2] -> A2[i0, i2] :
! CHECK: write {{.*}} S2[i0, i1] -> A0[i0, i1] :
! CHECK-COUNT-3: shape %{{[0-9]+}}: double[][%{{[0-9]+}}/8], valid when (%{{[0-9]+}}) mod 8 = 0 and %{{[0-9]+}} >= 8%{{[0-9]+}}
! CHECK: scop multiply_
! CHECK-COUNT-3: shape %{{[0-9]+}}: double[][%{{[0-9]+}}/8], valid when %{{[0-9]+}} = 8 and (%{{[0-9]+}}) mod 8 = 0 and %{{[0-9]+}} >= 8%{{[0-9]+}}
