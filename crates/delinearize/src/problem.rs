//! What is known about an array's accesses.

use crate::poly::{Atom, Monomial, Overflow, Poly};
use isl::Set;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The accesses to the memory behind one base address.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What is known about the parameters: `{ : ... }`.
    pub context: Set,
    /// All accesses, also those of which nothing is known.
    pub accesses: Vec<Access>,
    /// Products of parameters that are parameters themselves.
    pub products: Products,
    /// Parameters that may well be the distance of neighbouring cells, the likeliest first.
    pub units: Vec<Rc<str>>,
    /// The inner sizes in the program's own words, outermost first, in accesses of the smallest size; constants. That subscripts stay
    /// inside them is what the programmer has promised.
    pub declared: Option<Vec<i128>>,
}

/// One access.
#[derive(Clone, Debug)]
pub struct Access {
    /// Bytes from the base to its first byte, as the machine computes it (whoever builds it has to make sure that
    /// nothing wraps); `None` if it is not a polynomial.
    pub offset: Option<Poly>,
    /// How many bytes it touches.
    pub bytes: u64,
    /// `{ S[i,j] : ... }`: when it is executed. Counters of `offset` are positions of this tuple.
    pub domain: Set,
    /// Whether it changes memory.
    pub writes: bool,
}

/// Names for products of parameters, so that they can stand in affine expressions: `nm` for `n*m`.
#[derive(Clone, Debug, Default)]
pub struct Products {
    names: BTreeMap<Monomial, Rc<str>>,
}

impl Products {
    /// The parameter `name` has the value of the product of `factors`.
    pub fn insert(&mut self, name: &str, factors: &[&str]) {
        let product = Monomial::product(factors.iter().map(|&factor| Atom::Param(factor.into())));
        self.names.insert(product, name.into());
    }

    /// The names.
    pub fn names(&self) -> impl Iterator<Item = &Rc<str>> {
        self.names.values()
    }

    /// The names of products that have a factor of this size in them.
    pub fn multiples<'a>(&'a self, size: &Poly) -> impl Iterator<Item = &'a Rc<str>> + use<'a> {
        let atoms = size.atoms();
        let has_factor =
            move |product: &Monomial| product.powers().iter().any(|(atom, _)| atoms.contains(atom));
        self.names.iter().filter(move |(product, _)| has_factor(product)).map(|(_, name)| name)
    }

    /// The product that a name stands for.
    fn meaning(&self, atom: &Atom) -> Option<&Monomial> {
        let Atom::Param(wanted) = atom else { return None };
        self.names.iter().find(|(_, name)| *name == wanted).map(|(product, _)| product)
    }

    /// With the products written out, so that equal values look equal.
    pub fn expand(&self, poly: &Poly) -> Result<Poly, Overflow> {
        poly.substitute(|atom| self.meaning(atom).map(|product| Poly::term(product.clone(), 1)))
    }

    /// With products of parameters replaced by their names; `None` if it is not affine then.
    pub fn affine(&self, poly: &Poly) -> Option<Poly> {
        let mut affine = Poly::default();
        for (monomial, coefficient) in poly.terms() {
            let term = match monomial.degree() {
                0 | 1 => Poly::term(monomial.clone(), coefficient),
                _ => Poly::atom(Atom::Param(self.names.get(monomial)?.clone())).scale(coefficient).ok()?,
            };
            affine = affine.add(&term).ok()?;
        }
        Some(affine)
    }
}
