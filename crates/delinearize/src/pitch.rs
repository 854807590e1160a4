//! Rows that are a parameter of bytes apart.
//!
//! `i*pitch + 8*j` with cells of 8 bytes has no common granule but the byte, unless 8 divides `pitch`. That it does is
//! an assumption worth making: it can be checked at run time, and cells of 8 bytes make all later work cheaper than
//! ranges of 8 bytes. [`Pitch`] replaces the parameter by 8 times a [`Atom::Share`], `pitch/8`.
//!
//! The parameters are found from the terms that the wanted granule does not divide: the only parameter of a term must
//! be a multiple, and of the other terms one that occurs in all of them.

use crate::poly::{Atom, Monomial, Poly};
use isl::Set;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Parameters with a number that is assumed to divide them.
pub struct Pitch {
    divisors: BTreeMap<Rc<str>, i128>,
}

impl Pitch {
    /// What must be assumed for all offsets to be multiples of `granule`; `None` if nothing must, or nothing can.
    pub fn guess(offsets: &[Poly], granule: i128) -> Option<Self> {
        let terms: Vec<(&Monomial, i128)> = offsets
            .iter()
            .flat_map(Poly::terms)
            .filter(|(_, coefficient)| coefficient % granule != 0)
            .collect();
        let forced = terms.iter().filter_map(|(product, _)| match &params(product)[..] {
            [only] => Some(only.clone()),
            _ => None,
        });
        let mut chosen: BTreeSet<Rc<str>> = forced.collect();
        let is_covered = |chosen: &BTreeSet<Rc<str>>, product: &Monomial| {
            params(product).iter().any(|param| chosen.contains(param))
        };
        let open: Vec<_> = terms.iter().filter(|(product, _)| !is_covered(&chosen, product)).collect();
        if let Some(((first, _), rest)) = open.split_first() {
            let shared = |param: &Rc<str>| rest.iter().all(|(product, _)| params(product).contains(param));
            chosen.insert(params(first).into_iter().find(shared)?);
        }
        let mut divisors: BTreeMap<Rc<str>, i128> = BTreeMap::new();
        for (product, coefficient) in &terms {
            let needed = granule / crate::poly::gcd(granule, *coefficient);
            let param = params(product).into_iter().find(|param| chosen.contains(param))?;
            let divisor = divisors.entry(param).or_insert(1);
            *divisor = (*divisor / crate::poly::gcd(*divisor, needed)).checked_mul(needed)?;
        }
        (!divisors.is_empty()).then_some(Self { divisors })
    }

    /// The offset with shares for the parameters; `None` if a number is too large.
    pub fn apply(&self, offset: &Poly) -> Option<Poly> {
        let mut result = Poly::default();
        for (product, coefficient) in offset.terms() {
            let mut term = Poly::constant(coefficient);
            for (atom, power) in product.powers() {
                let factor = self.factor(atom).ok()?;
                for _ in 0..*power {
                    term = term.mul(&factor).ok()?;
                }
            }
            result = result.add(&term).ok()?;
        }
        Some(result)
    }

    fn factor(&self, atom: &Atom) -> Result<Poly, crate::Overflow> {
        match atom {
            Atom::Param(name) if self.divisors.contains_key(name) => {
                let divisor = self.divisors[name];
                Poly::atom(Atom::Share(name.clone(), divisor)).scale(divisor)
            }
            _ => Ok(Poly::atom(atom.clone())),
        }
    }

    /// `{ : pitch mod 8 = 0 }`.
    pub fn assumption(&self, context: &Set) -> isl::Result<Set> {
        let mut all = Set::universe(context.get_space()?.params()?)?;
        for (name, divisor) in &self.divisors {
            let id = isl::Id::new(context.ctx(), name)?;
            let space = isl::Space::params_alloc(context.ctx(), 0)?.add_param_id(id.clone())?;
            let value = isl::Aff::param_on_domain_space_id(space, id)?;
            let by = isl::Val::read_from_str(context.ctx(), &divisor.to_string())?;
            let rest = value.mod_val(by)?.zero_basic_set()?;
            all = all.intersect_params(Set::from_basic_set(rest)?)?;
        }
        Ok(all)
    }
}

fn params(product: &Monomial) -> Vec<Rc<str>> {
    let names = product.powers().iter().filter_map(|(atom, _)| match atom {
        Atom::Param(name) => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
