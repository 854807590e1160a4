//! Assumptions about single parameters that make shapes possible.
//!
//! *Multiples.* `i*pitch + 8*j` with cells of 8 bytes has no common granule but the byte, unless 8 divides `pitch`. That
//! it does can be checked at run time, and cells of 8 bytes make all later work cheaper than ranges of 8 bytes. The
//! parameter is replaced by 8 times an [`Atom::Share`], `pitch/8`. The parameters are found from the terms that the wanted
//! granule does not divide: the only parameter of a term must be a multiple, and of the other terms one that occurs in
//! all of them.
//!
//! *Unit strides.* In `i*s + j*t`, as array views with a stride per dimension have it (Fortran's descriptors, `ndarray`,
//! `mdspan`), nothing separates rows from columns. Usually one of the strides is one cell. The parameter is replaced by
//! that number; what the front end thinks likely is tried first, then the stride of the innermost counter.

use crate::poly::{Atom, Linear, Monomial, Overflow, Poly, gcd};
use isl::{Aff, Id, Set, Space, Val};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// What is assumed about a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fact {
    /// The number divides it.
    Multiple(i128),
    /// It has this value.
    Is(i128),
}

/// What is assumed about parameters before shapes are looked for.
#[derive(Clone, Debug, Default)]
pub struct Assumed {
    facts: BTreeMap<Rc<str>, Fact>,
}

impl Assumed {
    /// The multiples without which `granule` does not divide all offsets; `None` if there are none that make it so.
    pub fn multiples(offsets: &[Poly], granule: i128) -> Option<Self> {
        let terms = offsets.iter().flat_map(Poly::terms);
        let terms: Vec<(&Monomial, i128)> = terms.filter(|(_, times)| times % granule != 0).collect();
        let chosen = multiples(&terms)?;
        let mut divisors: BTreeMap<Rc<str>, i128> = BTreeMap::new();
        for (product, times) in &terms {
            let needed = granule / gcd(granule, *times);
            let param = params(product).into_iter().find(|param| chosen.contains(param))?;
            let divisor = divisors.entry(param).or_insert(1);
            *divisor = (*divisor / gcd(*divisor, needed)).checked_mul(needed)?;
        }
        let facts = divisors.into_iter().map(|(param, by)| (param, Fact::Multiple(by))).collect();
        Some(Self { facts })
    }

    /// One unit stride each: of accesses all of whose strides are parameters, those that can be the size of a cell. The
    /// likely ones come first, then those of inner counters.
    pub fn unit_strides(accesses: &[Linear], granule: i128, likely: &[Rc<str>]) -> Vec<Self> {
        let is_view = |access: &&Linear| {
            access.strides.len() > 1 && access.strides.values().all(|stride| stride.as_constant().is_none())
        };
        let strides = accesses.iter().filter(is_view).flat_map(|access| &access.strides);
        let mut found: Vec<(u32, Rc<str>, i128)> = strides
            .filter_map(|(position, stride)| {
                let mut terms = stride.terms();
                let (product, _) = terms.next().filter(|_| terms.next().is_none())?;
                let [(Atom::Param(name), 1)] = product.powers() else { return None };
                let times = step(accesses, product);
                (granule % times == 0).then(|| (*position, name.clone(), granule / times))
            })
            .collect();
        found.sort_by(|a, b| b.cmp(a));
        found.sort_by_key(|(_, name, _)| {
            likely.iter().position(|other| other == name).unwrap_or(likely.len())
        });
        let mut all: Vec<Self> = Vec::new();
        for (_, name, value) in found {
            if all.iter().all(|known| !known.facts.contains_key(&name)) {
                all.push(Self { facts: [(name, Fact::Is(value))].into() });
            }
        }
        all
    }

    /// Whether nothing is assumed.
    pub fn is_nothing(&self) -> bool {
        self.facts.is_empty()
    }

    /// Both.
    pub fn and(mut self, other: Self) -> Self {
        self.facts.extend(other.facts);
        self
    }

    /// The offset under the assumption.
    pub fn apply(&self, offset: &Poly) -> Result<Poly, Overflow> {
        offset.substitute(|atom| match atom {
            Atom::Param(name) => match self.facts.get(name)? {
                Fact::Multiple(by) => Poly::atom(Atom::Share(name.clone(), *by)).scale(*by).ok(),
                Fact::Is(value) => Some(Poly::constant(*value)),
            },
            _ => None,
        })
    }

    /// `{ : pitch mod 8 = 0 }`, in the space of a context.
    pub fn condition(&self, context: &Set) -> isl::Result<Set> {
        let ctx = context.ctx();
        let number = |value: i128| Val::read_from_str(ctx, &value.to_string());
        let mut all = Set::universe(context.get_space()?.params()?)?;
        for (name, fact) in &self.facts {
            let id = Id::new(ctx, name)?;
            let space = Space::params_alloc(ctx, 0)?.add_param_id(id.clone())?;
            let value = Aff::param_on_domain_space_id(space, id)?;
            let zero = match fact {
                Fact::Multiple(by) => value.mod_val(number(*by)?)?,
                Fact::Is(wanted) => value.add_constant_val(number(-wanted)?)?,
            };
            all = all.intersect_params(Set::from_basic_set(zero.zero_basic_set()?)?)?;
        }
        all.align_params(context.get_space()?)
    }
}

/// How many times a product is a step between cells: a loop that does two steps at once has twice as many.
fn step(accesses: &[Linear], product: &Monomial) -> i128 {
    let parts = accesses.iter().flat_map(|access| access.strides.values().chain([&access.base]));
    parts.fold(0, |all, part| gcd(all, part.coefficient(product)))
}

/// Parameters one of which is in each product.
fn multiples(terms: &[(&Monomial, i128)]) -> Option<BTreeSet<Rc<str>>> {
    let forced = terms.iter().filter_map(|(product, _)| match &params(product)[..] {
        [only] => Some(only.clone()),
        _ => None,
    });
    let mut chosen: BTreeSet<Rc<str>> = forced.collect();
    let is_open =
        |(product, _): &&(&Monomial, i128)| params(product).iter().all(|param| !chosen.contains(param));
    let open: Vec<_> = terms.iter().filter(is_open).collect();
    if let Some(((first, _), rest)) = open.split_first() {
        let shared = |param: &Rc<str>| rest.iter().all(|(product, _)| params(product).contains(param));
        chosen.insert(params(first).into_iter().find(shared)?);
    }
    (!chosen.is_empty()).then_some(chosen)
}

fn params(product: &Monomial) -> Vec<Rc<str>> {
    let names = product.powers().iter().filter_map(|(atom, _)| match atom {
        Atom::Param(name) => Some(name.clone()),
        _ => None,
    });
    names.collect()
}
