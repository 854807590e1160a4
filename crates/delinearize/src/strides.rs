//! Shapes from strides: the coefficients of the counters, ordered by divisibility.
//!
//! An access `A[f0][f1][f2]` in `A[][s1][s2]` has the offset `f0*s1*s2 + f1*s2 + f2`. A counter that occurs in one
//! subscript only has the coefficient (its *stride*) `s1*s2`, `s2` or 1, times a number. So the strides of all
//! accesses, sorted so that each divides the one before, give the sizes: the quotients of neighbours. Sizes can be
//! constants (section 4 of the paper leaves them to affine analysis), parameters, their multiples (section 4.4) and any
//! other polynomial: `(N + 1)^2` divided by `N + 1` is `N + 1`.
//!
//! Strides that do not fit into one order (`A[i][i]` next to `A[i][j]` has `N + 1`, `N` and 1) give several *chains*,
//! the longest first, then the plainest: both `N` and `N + 1` may fit a triangle.
//!
//! Where a counter occurs in several subscripts of all accesses, [`monomials`] looks at the products of parameters
//! in the strides instead, as section 4.1 does, and finds their multiples as section 4.4 does.

use crate::poly::{Linear, Monomial, Overflow, Poly, gcd};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// The inner sizes, outermost first.
pub type Sizes = Vec<Poly>;

/// More strides than this are not looked at: the least frequent are left out.
const MAX_STRIDES: usize = 8;

/// The shapes of all chains of strides, the longest first, then the plainest and most frequent.
pub fn chains(accesses: &[Linear]) -> Result<Vec<Sizes>, Overflow> {
    let strides = strides(accesses)?;
    let mut chains = vec![(vec![], 0)];
    for (stride, count) in &strides {
        let mut longer = Vec::new();
        for (chain, frequency) in &chains {
            if continues(chain, stride)? {
                let chain: Vec<_> = chain.iter().chain([stride]).cloned().collect();
                longer.push((chain, frequency + count));
            }
        }
        chains.extend(longer);
    }
    chains.retain(|(chain, _)| !chain.is_empty());
    chains.sort_by_key(|(chain, frequency)| (Reverse(chain.len()), terms(chain), Reverse(*frequency)));
    chains.into_iter().map(|(chain, _)| sizes(&chain)).collect()
}

fn terms(sizes: &[Poly]) -> usize {
    sizes.iter().map(|size| size.terms().count()).sum()
}

/// Whether the first shape has as many dimensions and shorter sizes.
pub fn is_plainer(sizes: &Sizes, than: &Sizes) -> bool {
    sizes.len() == than.len() && terms(sizes) < terms(than)
}

/// The shape whose sizes are products of parameters, times a number; `None` if the products have no order.
pub fn monomials(accesses: &[Linear]) -> Result<Option<Sizes>, Overflow> {
    let strides = accesses.iter().flat_map(|access| access.strides.values());
    let products = strides.flat_map(|stride| stride.terms().map(|(product, _)| product));
    let mut products: Vec<Monomial> = products.filter(|product| product.degree() > 0).cloned().collect();
    products.sort();
    products.dedup();
    products.reverse();
    let ordered = products.windows(2).all(|pair| pair[0].div(&pair[1]).is_some());
    if products.is_empty() || !ordered {
        return Ok(None);
    }
    let mut factor = 0;
    let mut chain = Vec::new();
    for product in products {
        // Each factor must divide the one of the next larger stride.
        factor = gcd(factor, multiplicity(accesses, &product));
        chain.push(Poly::term(product, factor));
    }
    sizes(&chain).map(Some)
}

/// The greatest number that divides the coefficients of a product of parameters in all accesses, with counters and
/// without.
fn multiplicity(accesses: &[Linear], product: &Monomial) -> i128 {
    let parts = accesses.iter().flat_map(|access| access.strides.values().chain([&access.base]));
    let coefficients = parts.flat_map(Poly::terms).filter(|(part, _)| part.div(product).is_some());
    coefficients.fold(0, |all, (_, coefficient)| gcd(all, coefficient))
}

/// The quotients of neighbours; the last stride is its own.
pub fn sizes(chain: &[Poly]) -> Result<Sizes, Overflow> {
    let next = chain.iter().skip(1).cloned().chain([Poly::constant(1)]);
    chain.iter().zip(next).map(|(stride, inner)| Ok(stride.div_rem(&inner)?.0)).collect()
}

/// Whether a chain can go on with a smaller stride.
fn continues(chain: &[Poly], stride: &Poly) -> Result<bool, Overflow> {
    let Some(last) = chain.last() else { return Ok(true) };
    let quotient = last.div_exact(stride)?;
    Ok(quotient.is_some_and(|quotient| quotient.as_constant().is_none_or(|number| number > 1)))
}

/// The strides that can separate dimensions, divisors after their multiples, with the number of their occurrences.
fn strides(accesses: &[Linear]) -> Result<Vec<(Poly, usize)>, Overflow> {
    let mut found: Vec<(Poly, usize)> = Vec::new();
    for stride in accesses.iter().flat_map(|access| access.strides.values()) {
        for stride in directions(stride)? {
            match found.iter_mut().find(|(known, _)| *known == stride) {
                Some((_, count)) => *count += 1,
                None => found.push((stride, 1)),
            }
        }
    }
    add_common_divisors(&mut found)?;
    let whole = common(accesses);
    found.retain(|(stride, _)| stride.as_constant().is_none_or(|number| whole % number != 0));
    found.sort_by_key(|(_, count)| Reverse(*count));
    found.truncate(MAX_STRIDES);
    found.sort_by_key(|(stride, _)| Reverse((stride.degree(), stride.content())));
    Ok(found)
}

/// The number that divides all offsets: a stride that divides it separates nothing.
fn common(accesses: &[Linear]) -> i128 {
    let parts = accesses.iter().flat_map(|access| access.strides.values().chain([&access.base]));
    parts.fold(0, |all, part| gcd(all, part.content()))
}

/// A stride, made positive. Where it is not known what is positive (`n - m`), both.
fn directions(stride: &Poly) -> Result<Vec<Poly>, Overflow> {
    let signs: BTreeSet<bool> = stride.terms().map(|(_, coefficient)| coefficient < 0).collect();
    let opposite = stride.scale(-1)?;
    Ok(match (signs.contains(&false), signs.contains(&true)) {
        (true, false) => vec![stride.clone()],
        (false, _) => vec![opposite],
        (true, true) => vec![stride.clone(), opposite],
    })
}

/// `2*m` and `3*m` are strides of rows of `m`; so are `2*n*m + m` and `2*m`.
fn add_common_divisors(strides: &mut Vec<(Poly, usize)>) -> Result<(), Overflow> {
    let mut shared = Vec::new();
    for (whole, _) in strides.iter() {
        for (part, _) in strides.iter() {
            let both = gcd(whole.content(), part.content());
            let (primitive, _) = part.div_rem(&Poly::constant(part.content()))?;
            let candidate = primitive.scale(both)?;
            if both != part.content() && whole.div_exact(&candidate)?.is_some() {
                shared.push(candidate);
            }
        }
    }
    for stride in shared {
        if strides.iter().all(|(known, _)| *known != stride) {
            strides.push((stride, 1));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::poly::Atom;

    fn accesses(texts: &[&str]) -> Vec<Linear> {
        let atom = |name: &str| match ["i", "j", "k"].iter().position(|counter| *counter == name) {
            Some(position) => Poly::counter(position as u32),
            None => Poly::param(name),
        };
        texts.iter().map(|text| crate::parse::parse(text, atom).unwrap().linear().unwrap()).collect()
    }

    fn shown(sizes: &Sizes) -> String {
        sizes.iter().map(|size| format!("[{}]", size.text(Atom::to_string))).collect()
    }

    fn all(texts: &[&str]) -> Vec<String> {
        chains(&accesses(texts)).unwrap().iter().map(shown).collect()
    }

    #[test]
    fn constants_and_parameters() {
        assert_eq!(all(&["1024*i + j"]), ["[1024]"]);
        assert_eq!(all(&["i*n*m + j*m + k"])[0], "[n][m]");
        assert_eq!(all(&["(n+1)*(n+1)*i + (n+1)*j + k"])[0], "[n + 1][n + 1]");
        assert_eq!(all(&["(n+m)*(2*n+1)*i + (2*n+1)*j + k"])[0], "[m + n][2*n + 1]");
    }

    #[test]
    fn structures_are_a_dimension_and_padding_is_not() {
        assert_eq!(all(&["2*m*i + 2*j", "2*m*i + 2*j + 1"])[0], "[m][2]");
        assert_eq!(all(&["2*m*i + 2*j"]), ["[2*m]"]);
    }

    #[test]
    fn strides_without_an_order_give_several_shapes() {
        assert_eq!(all(&["(n+1)*i", "n*i + j", "n*j"]), ["[n]", "[n + 1]"]);
        assert_eq!(all(&["2*m*i + j", "3*m*i + j"])[..2], ["[3][m]", "[2][m]"]);
    }

    #[test]
    fn signs() {
        assert_eq!(all(&["-m*i - j"]), ["[m]"]);
        assert_eq!(all(&["(n-m)*i + j"]), ["[-m + n]", "[m - n]"]);
    }

    #[test]
    fn monomials_with_multiples() {
        let shape = |texts: &[&str]| monomials(&accesses(texts)).unwrap().map(|sizes| shown(&sizes));
        assert_eq!(shape(&["m*i + i + j"]).unwrap(), "[m]");
        assert_eq!(shape(&["6*p*q*i + 2*q*j + k"]).unwrap(), "[3*p][2*q]");
        assert_eq!(shape(&["r*s*i + r*i + s*i + j"]), None);
    }
}
