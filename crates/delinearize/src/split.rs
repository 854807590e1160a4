//! Sizes that are products, where no access has a counter for a dimension in the middle.
//!
//! `A[i][2][k]` has the strides `N*M` and 1, hence one inner size `N*M`, which is not affine. Its factors in all
//! orders, `[N][M]` and `[M][N]`, are candidates. Factors are found by trial: `P + alpha` for the parameters `P` that
//! occur.

use crate::alpha::plus;
use crate::dimension::small;
use crate::poly::{Overflow, Poly};
use crate::problem::Products;
use crate::strides::Sizes;

/// The shapes with each size that is not affine replaced by its factors, in all orders.
pub fn splits(sizes: &Sizes, products: &Products, alphas: u32) -> Result<Vec<Sizes>, Overflow> {
    let mut shapes = vec![Vec::new()];
    for size in sizes {
        let factorings = match products.affine(size) {
            Some(_) => vec![vec![size.clone()]],
            None => factorings(size, alphas)?,
        };
        let extended = |shape: &Sizes| {
            let shape = shape.clone();
            factorings.iter().map(move |factors| [&shape[..], &factors[..]].concat()).collect::<Vec<_>>()
        };
        shapes = shapes.iter().flat_map(extended).collect();
    }
    Ok(shapes)
}

/// All ways to write a polynomial as a product of affine ones.
fn factorings(size: &Poly, alphas: u32) -> Result<Vec<Sizes>, Overflow> {
    if size.degree() <= 1 {
        return Ok(vec![vec![size.clone()]]);
    }
    let mut all: Vec<Sizes> = Vec::new();
    for atom in size.atoms() {
        for factor in small(alphas.into()).map(|alpha| plus(&atom, alpha)) {
            let Some(rest) = size.div_exact(&factor)? else { continue };
            for mut outer in factorings(&rest, alphas)? {
                outer.push(factor.clone());
                if !all.contains(&outer) {
                    all.push(outer);
                }
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_split_in_all_orders() {
        let size = crate::parse::parse("(n + 1)*m", Poly::param).unwrap();
        let shapes = splits(&vec![size], &Products::default(), 2).unwrap();
        let shown: Vec<_> = shapes.iter().map(|sizes| format!("[{}][{}]", sizes[0], sizes[1])).collect();
        assert_eq!(shown, ["[n + 1][m]", "[m][n + 1]"]);
    }

    #[test]
    fn what_has_no_such_factors_gives_nothing() {
        let size = crate::parse::parse("n*m + 1", Poly::param).unwrap();
        assert_eq!(splits(&vec![size], &Products::default(), 2).unwrap(), Vec::<Sizes>::new());
    }
}
