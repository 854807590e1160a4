! test: flang -O3 -mllvm -orthant-print-after=assume,lift %s -o %t.early
! test: run %t.early
! test: flang -O3 -mllvm -orthant-position=late -mllvm -orthant-print-after=assume,lift %s -o %t.late
! test: run %t.late
! test: llvm flang -O3 %s -o %t.old
! test: run %t.old
! Assumed-size arguments `a(ld, *)` as BLAS and LAPACK have them: columns of max(0, ld) cells, of which `m` are touched. Where columns
! would overlap, the original runs.
subroutine dgemm(m, n, k, a, lda, b, ldb, c, ldc)
  integer, intent(in) :: m, n, k, lda, ldb, ldc
  double precision, intent(in) :: a(lda, *), b(ldb, *)
  double precision, intent(inout) :: c(ldc, *)
  integer :: i, j, l
  do i = 1, m
    do j = 1, n
      do l = 1, k
        c(i, j) = c(i, j) + a(i, l) * b(l, j)
      end do
    end do
  end do
end subroutine

! A part of a matrix in place, by rows.
subroutine part(m, n, row, column, a, lda)
  integer, intent(in) :: m, n, row, column, lda
  double precision, intent(inout) :: a(lda, *)
  integer :: i, j
  do i = 1, m
    do j = 1, n
      a(row + i, column + j) = 2 * a(row + i, column + j) + j
    end do
  end do
end subroutine

program main
  double precision :: memory(2000), other(2000)
  call fill
  call dgemm(8, 9, 10, other, 12, other(1000), 13, memory, 14)
  call print_sum('dgemm')
  call dgemm(8, 9, 10, other, 12, other(1000), 13, memory, 5)
  call print_sum('short columns')
  call dgemm(8, 9, 10, other, 12, other(1000), 13, memory, -3)
  call print_sum('no columns')
  call part(8, 9, 2, 3, memory, 10)
  call print_sum('part')
  call part(8, 9, 2, 3, memory, 9)
  call print_sum('beyond')
contains
  subroutine fill
    integer :: i
    do i = 1, 2000
      memory(i) = 1 + modulo(i * 7919, 1009) / 1009d0
      other(i) = 1 + modulo(i * 104729, 2003) / 2003d0
    end do
  end subroutine
  subroutine print_sum(what)
    character(*), intent(in) :: what
    integer(8) :: sum
    integer :: i
    sum = 0
    do i = 1, 2000
      sum = ieor(ishftc(sum, 1), transfer(memory(i), sum))
    end do
    print '(a, 1x, z16.16)', what, sum
  end subroutine
end program
! CHECK: scop dgemm_
! CHECK: array A0 [*, p3] 8
! CHECK: array A1 [*, p4] 8
! CHECK: array A2 [*, p5] 8
! CHECK: check:
! CHECK: && p3 >= p0
! CHECK: && p4 >= p0
! CHECK: && p5 >= p2
! CHECK: scop part_
! CHECK: array A0 [*, p3] 8
! CHECK: check:
! CHECK: && ((p3 >= (p2 + 1)) && (p2 >= 0)) && (p3 >= (p2 + p0))
! CHECK: dgemm [[DGEMM:[0-9A-F]+]]
! CHECK: short columns [[SHORT_COLUMNS:[0-9A-F]+]]
! CHECK: no columns [[NO_COLUMNS:[0-9A-F]+]]
! CHECK: part [[PART:[0-9A-F]+]]
! CHECK: beyond [[BEYOND:[0-9A-F]+]]
! CHECK: scop dgemm_
! CHECK: array A0 [*, p3] 8
! CHECK: array A1 [*, p4] 8
! CHECK: array A2 [*, p5] 8
! CHECK: check:
! CHECK: && p3 >= p0
! CHECK: && p4 >= p0
! CHECK: && p5 >= p2
! CHECK: scop part_
! CHECK: array A0 [*, p3] 8
! CHECK: check:
! CHECK: && (p2 >= 0) && (p3 >= (p2 + p0))
! CHECK: dgemm [[DGEMM]]
! CHECK: short columns [[SHORT_COLUMNS]]
! CHECK: no columns [[NO_COLUMNS]]
! CHECK: part [[PART]]
! CHECK: beyond [[BEYOND]]
! CHECK: dgemm [[DGEMM]]
! CHECK: short columns [[SHORT_COLUMNS]]
! CHECK: no columns [[NO_COLUMNS]]
! CHECK: part [[PART]]
! CHECK: beyond [[BEYOND]]
