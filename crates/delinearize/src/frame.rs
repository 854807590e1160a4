//! From polynomials to isl: one order of parameters for everything, affine expressions by position.

use crate::poly::{Atom, Poly};
use crate::problem::Problem;
use isl::{Aff, Ctx, DimType, Set, Space, Val};
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The parameters of a problem, in one order.
pub struct Frame {
    /// A space with all parameters.
    params: Space,
    positions: HashMap<Rc<str>, usize>,
    /// What is known about the parameters: `{ : ... }`.
    pub context: Set,
}

impl Frame {
    /// With the parameters of all sets and polynomials.
    pub fn new(problem: &Problem) -> isl::Result<Self> {
        let ctx = problem.context.ctx();
        let names = param_names(problem)?;
        let mut params = Space::params_alloc(ctx, names.len())?;
        let mut positions = HashMap::new();
        for (position, name) in names.into_iter().enumerate() {
            params = params.set_dim_name(DimType::Param, position, &name)?;
            positions.insert(name, position);
        }
        let context = problem.context.clone().align_params(params.clone())?;
        Ok(Self { params, positions, context })
    }

    /// isl's context.
    pub fn ctx(&self) -> &Ctx {
        self.context.ctx()
    }

    /// The set with the parameters in this order.
    pub fn align(&self, set: &Set) -> isl::Result<Set> {
        set.clone().align_params(self.params.clone())
    }

    /// No parameter values: `{ : false }`.
    pub fn nothing(&self) -> isl::Result<Set> {
        Set::empty(self.params.clone())
    }

    /// All parameter values: `{ : }`.
    pub fn everything(&self) -> isl::Result<Set> {
        Set::universe(self.params.clone())
    }

    /// `{ S[i,j] -> [value] }` of an affine polynomial, on the space of an aligned set.
    pub fn aff(&self, domain: &Space, poly: &Poly) -> isl::Result<Aff> {
        let mut aff = Aff::zero_on_domain_space(domain.clone())?;
        for (monomial, coefficient) in poly.terms() {
            let value = self.val(coefficient)?;
            aff = match monomial.powers() {
                [] => aff.set_constant_val(value)?,
                [(Atom::Counter(position), 1)] => {
                    aff.set_coefficient_val(DimType::In, *position as usize, value)?
                }
                [(Atom::Param(name), 1)] => {
                    let position = self.positions.get(name).copied().unwrap_or(usize::MAX);
                    aff.set_coefficient_val(DimType::Param, position, value)?
                }
                _ => return Err(isl::Error::other(NotAffine(poly.to_string()))),
            };
        }
        Ok(aff)
    }

    /// A number.
    pub fn val(&self, value: i128) -> isl::Result<Val> {
        match i64::try_from(value) {
            Ok(small) => Val::int_from_si(self.ctx(), small),
            Err(_) => Val::read_from_str(self.ctx(), &value.to_string()),
        }
    }
}

/// A polynomial got where only affine ones may: a mistake in this crate.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not affine (a mistake in Orthant: please report it)")]
struct NotAffine(String);

fn param_names(problem: &Problem) -> isl::Result<BTreeSet<Rc<str>>> {
    let mut names: BTreeSet<Rc<str>> = problem.products.names().cloned().collect();
    let domains = problem.accesses.iter().map(|access| &access.domain);
    for set in domains.chain([&problem.context]) {
        for position in 0..set.dim(DimType::Param)? {
            names.extend(set.get_dim_name(DimType::Param, position)?.map(Rc::from));
        }
    }
    for poly in problem.accesses.iter().filter_map(|access| access.offset.as_ref()) {
        let expanded = problem.products.expand(poly).unwrap_or_default();
        for atom in poly.atoms().into_iter().chain(expanded.atoms()) {
            if let Atom::Param(name) = atom {
                names.insert(name);
            }
        }
    }
    Ok(names)
}
