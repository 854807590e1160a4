//! Loops over two-dimensional arrays of the crate `ndarray`.

use ndarray::{Array2, ArrayView2, ArrayViewMut2};

#[unsafe(no_mangle)]
pub fn nd_add(from: ArrayView2<'_, f64>, mut to: ArrayViewMut2<'_, f64>) {
    let (n, m) = to.dim();
    for i in 0..n {
        for j in 0..m {
            to[[i, j]] += from[[i, j]];
        }
    }
}

#[unsafe(no_mangle)]
pub fn nd_multiply(a: &Array2<f64>, b: &Array2<f64>, c: &mut Array2<f64>) {
    for i in 0..a.nrows() {
        for j in 0..b.ncols() {
            let mut sum = 0.0;
            for k in 0..a.ncols() {
                sum += a[[i, k]] * b[[k, j]];
            }
            c[[i, j]] = sum;
        }
    }
}
