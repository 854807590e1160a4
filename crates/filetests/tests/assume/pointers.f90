! Pointers of Fortran may overlap, and a bound may be in what they point to.
subroutine scale(n, pa, pb) bind(c)
  use iso_c_binding
  integer(c_long), value :: n
  type(c_ptr), value :: pa, pb
  integer(c_long), pointer :: a(:), b(:)
  integer(c_long) :: i
  call c_f_pointer(pa, a, [n])
  call c_f_pointer(pb, b, [n])
  do i = 1, n
    a(i) = 2 * b(i) + 1
  end do
end subroutine

! Sequence association: rows of a leading dimension, which is known at run time.
subroutine columns(n, m, ld, a) bind(c)
  use iso_c_binding
  integer(c_long), value :: n, m, ld
  integer(c_long) :: a(ld, *)
  integer(c_long) :: i, j
  do i = 1, n
    do j = 1, m
      a(i, j) = 10 * i + j
    end do
  end do
end subroutine

! The same as LAPACK has it.
subroutine combine(n, m, c, ldc, a, lda, b, ldb) bind(c)
  use iso_c_binding
  integer(c_int), intent(in) :: n, m, lda, ldb, ldc
  integer(c_long), intent(in) :: a(lda, *), b(ldb, *)
  integer(c_long), intent(inout) :: c(ldc, *)
  integer(c_int) :: i, j
  do j = 1, m
    do i = 1, n
      c(i, j) = 3 * c(i, j) + a(i, j) * b(j, i)
    end do
  end do
end subroutine

subroutine bound(pn, pa) bind(c)
  use iso_c_binding
  type(c_ptr), value :: pn, pa
  integer(c_long), pointer :: n, a(:)
  integer(c_long) :: i
  call c_f_pointer(pn, n)
  call c_f_pointer(pa, a, [100])
  i = 1
  do while (i <= n)
    a(i) = 3
    i = i + 1
  end do
end subroutine

! The step is known at run time; 0 would be an error.
subroutine steps(first, last, step, a) bind(c)
  use iso_c_binding
  integer(c_int), value :: first, last, step
  integer(c_long) :: a(*)
  integer(c_int) :: i
  do i = first, last, step
    a(i) = i
  end do
end subroutine
