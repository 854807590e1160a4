//! Products in fewer than 64 bits: when a polynomial is what the machine computes.
//!
//! Sums and products of 32-bit numbers are known modulo 2^32 only. A polynomial that is the same modulo 2^32 is the same
//! number if both are in the range of the type, which is [`Numbers`]. Where a polynomial has at most one counter per term, it
//! being inside has an exact condition ([`model::Condition::Below`]). Others, the squares in packed triangles, get an affine
//! condition that suffices: everything that occurs in them is at least 0 and at most some number, which is so small that the
//! positive terms together stay below the upper limit and the negative ones above the lower.
//!
//! *Unsigned numbers* must not be negative. That is proved: a negative term is made up for by a positive one of which it is
//! known that it is not smaller. Example: in `2*i*n - i^2 - i` for `i < n`, `i*n` is at least `i*(i + 1)`; what is left,
//! `i*n`, has no negative terms.

use super::affine::Stop;
use super::lift::Lifter;
use super::memory::Wants;
use crate::pass::Inst;
use delinearize::{Atom, Monomial, Poly};
use isl::{DimType, Id, PwAff, Set};

/// The numbers of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// How many bits they have.
    pub bits: u32,
    /// Whether half of them are negative.
    pub is_signed: bool,
}

impl Numbers {
    /// The first number that is too large in either interpretation of the bits.
    pub(super) fn limit(self) -> i128 {
        1 << (self.bits.min(63) - 1)
    }
}

impl<'p> Lifter<'_, 'p> {
    /// Wants `value / by` to be one of the numbers in all iterations of an instruction.
    pub(super) fn want_small(
        &self,
        at: Inst<'p>,
        (value, by): (&Poly, i128),
        numbers: Numbers,
        wants: &mut Wants<'p>,
    ) -> Result<(), Stop> {
        let greatest = greatest_atom(value, numbers.limit() * by).ok_or(Stop::MayFail)?;
        let domain = self.domains.of.get(&at.block()).ok_or(Stop::NotAffine)?;
        let domain = domain.clone().intersect_params(self.affine.context()?)?;
        let depth = domain.dim(DimType::Set)?;
        let (zero, greatest) = (self.affine.constant(0, depth)?, self.affine.constant(greatest, depth)?);
        let mut right = domain.clone();
        for atom in value.atoms() {
            let atom = self.atom(&atom, &domain)?;
            right = right.intersect(atom.clone().ge_set(zero.clone())?)?;
            right = right.intersect(atom.le_set(greatest.clone())?)?;
        }
        if !numbers.is_signed && !self.is_at_least_zero(value, &right)? {
            return Err(Stop::MayFail);
        }
        let wrong = domain.clone().subtract(right)?.params()?;
        if domain.params()?.is_subset(&wrong)? {
            return Err(Stop::MayFail);
        }
        if !wrong.is_empty()? {
            wants.fails.push((wrong, at));
        }
        Ok(())
    }

    /// A counter or parameter as a function of the iterations.
    fn atom(&self, atom: &Atom, iterations: &Set) -> Result<PwAff, Stop> {
        let depth = iterations.dim(DimType::Set)?;
        match atom {
            Atom::Counter(position) => self.affine.counter(*position as usize, depth),
            Atom::Param(name) => {
                let id = Id::new(iterations.ctx(), name)?;
                Ok(PwAff::param_on_domain_id(self.affine.universe(depth)?, id)?)
            }
            Atom::Share(..) => Err(Stop::MayFail),
        }
    }

    /// Whether a polynomial of numbers that are at least 0 is at least 0 itself.
    fn is_at_least_zero(&self, poly: &Poly, iterations: &Set) -> Result<bool, Stop> {
        let mut rest = poly.clone();
        loop {
            let negative = rest.terms().find(|(_, times)| *times < 0);
            let Some((product, times)) = negative.map(|(product, times)| (product.clone(), -times)) else {
                return Ok(true);
            };
            match self.covered(&rest, &product, times, iterations)? {
                Some(smaller) => rest = smaller,
                None => return Ok(false),
            }
        }
    }

    /// A polynomial that is not greater and in which a positive term makes up for some of the times that a product is taken away.
    fn covered(
        &self,
        poly: &Poly,
        product: &Monomial,
        times: i128,
        iterations: &Set,
    ) -> Result<Option<Poly>, Stop> {
        for (positive, available) in poly.terms().filter(|(_, times)| *times > 0) {
            if let Some(smaller) = self.not_greater(positive, product, iterations)? {
                let step = smaller.sub(&Poly::term(positive.clone(), 1))?;
                return Ok(Some(poly.add(&step.scale(available.min(times))?)?));
            }
        }
        Ok(None)
    }

    /// A polynomial that contains one product once, has no negative terms, and is not greater than another product.
    fn not_greater(
        &self,
        than: &Monomial,
        product: &Monomial,
        iterations: &Set,
    ) -> Result<Option<Poly>, Stop> {
        let depth = iterations.dim(DimType::Set)?;
        for (atom, _) in than.powers() {
            let Some(others) = than.div(&Monomial::product([atom.clone()])) else { continue };
            let (large, others) = (self.atom(atom, iterations)?, Poly::term(others, 1));
            // What the rest of the product has to be multiplied with: nothing, or one of its atoms.
            let small = Poly::term(product.clone(), 1).div_exact(&others)?;
            let Some(small) = small.filter(|small| small.degree() <= 1 && small.terms().count() == 1) else {
                continue;
            };
            for more in [1, 0] {
                let value = match small.atoms().first() {
                    Some(atom) => self.atom(atom, iterations)?,
                    None if more == 0 => self.affine.constant(1, depth)?,
                    None => continue,
                };
                let value = value.add(self.affine.constant(more, depth)?)?;
                if iterations.is_subset(&large.clone().ge_set(value)?)? {
                    return Ok(Some(small.add(&Poly::constant(more.into()))?.mul(&others)?));
                }
            }
        }
        Ok(None)
    }
}

/// The greatest number such that a polynomial is below the limit, and not below its negative, if nothing in it is greater.
fn greatest_atom(value: &Poly, limit: i128) -> Option<i64> {
    let is_inside = |number: i64| {
        let part = |sign: i128| {
            value.terms().filter(|(_, times)| times * sign > 0).try_fold(0i128, |all, (product, times)| {
                let one = Poly::term(product.clone(), times * sign);
                one.eval(|_| number.into()).ok()?.checked_add(all)
            })
        };
        (part(1)? < limit && part(-1)? <= limit).then_some(number)
    };
    // Bit by bit, from the highest.
    (0..32).rev().map(|bit| 1 << bit).fold(is_inside(0), |known, bit| is_inside(known? | bit).or(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greatest(text: &str) -> Option<i64> {
        greatest_atom(&delinearize::parse::parse(text, Poly::param).unwrap(), 100)
    }

    #[test]
    fn positive_terms_stay_below_and_negative_ones_above() {
        assert_eq!(greatest("n"), Some(99));
        assert_eq!(greatest("-1*n"), Some(100));
        assert_eq!(greatest("n^2"), Some(9));
        assert_eq!(greatest("n^2 - 2*m^2"), Some(7));
        assert_eq!(greatest("100"), None);
        assert_eq!(greatest("-101"), None);
    }
}
