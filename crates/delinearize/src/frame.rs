//! Between polynomials and isl: one order of parameters for everything, affine expressions by position.

use crate::assumed::Assumed;
use crate::poly::{Atom, Monomial, Poly};
use crate::problem::Problem;
use isl::{Aff, Ctx, DimType, PwAff, Set, Space, Val};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

/// The parameters of a problem, in one order.
pub struct Frame {
    /// A space with all parameters.
    params: Space,
    positions: HashMap<Rc<str>, usize>,
    /// What is known or assumed about the parameters before anything is placed: `{ : ... }`.
    pub context: Set,
    /// What of it is assumed: `{ : ... }`.
    pub assumed: Set,
    /// How many simplifications took too long.
    too_long: Cell<u32>,
}

/// Operations for one simplification. Usual ones take some hundreds.
const SIMPLIFICATION: u64 = 5_000;

/// After so many that took too long no more are tried.
const MOST_TOO_LONG: u32 = 4;

impl Frame {
    /// With the parameters of all sets and polynomials, and an assumption about them.
    pub fn new(problem: &Problem, assumed: &Assumed) -> isl::Result<Self> {
        let ctx = problem.context.ctx();
        let names = param_names(problem)?;
        let mut params = Space::params_alloc(ctx, names.len())?;
        let mut positions = HashMap::new();
        for (position, name) in names.into_iter().enumerate() {
            params = params.set_dim_name(DimType::Param, position, &name)?;
            positions.insert(name, position);
        }
        let known = problem.context.clone().align_params(params.clone())?;
        let assumed = assumed.condition(&known)?;
        let context = known.intersect(assumed.clone())?;
        Ok(Self { params, positions, context, assumed, too_long: Cell::new(0) })
    }

    /// isl's context.
    pub fn ctx(&self) -> &Ctx {
        self.context.ctx()
    }

    /// The position of a parameter.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
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

    /// Parameter values for which something is bad, simplified for values in `executed`. Where it takes too long to say
    /// which numbers divide what, more values are bad.
    pub fn simplified(&self, bad: Set, executed: &Set) -> isl::Result<Set> {
        if self.too_long.get() < MOST_TOO_LONG {
            let exact = || bad.clone().gist(executed.clone());
            match self.ctx().with_budget(SIMPLIFICATION, exact) {
                Err(error) if error.is_budget() => self.too_long.set(self.too_long.get() + 1),
                result => return result,
            }
        }
        bad.remove_divs()?.gist(executed.clone())
    }

    /// `{ S[i,j] -> [value] }` of an affine polynomial, on the space of an aligned set.
    pub fn aff(&self, domain: &Space, poly: &Poly) -> isl::Result<Aff> {
        if !domain.has_equal_params(&self.params)? {
            return Err(isl::Error::other(NotAligned));
        }
        let mut aff = Aff::zero_on_domain_space(domain.clone())?;
        for (monomial, coefficient) in poly.terms() {
            aff = match monomial.powers() {
                [] => aff.set_constant_val(self.val(coefficient)?)?,
                [(Atom::Counter(position), 1)] => {
                    aff.set_coefficient_val(DimType::In, *position as usize, self.val(coefficient)?)?
                }
                [(Atom::Param(name), 1)] => self.add_param(aff, name, self.val(coefficient)?)?,
                [(Atom::Share(name, by), 1)] => {
                    let share = self.val(coefficient)?.div(self.val(*by)?)?;
                    self.add_param(aff, name, share)?
                }
                _ => return Err(isl::Error::other(NotAffine(poly.to_string()))),
            };
        }
        Ok(aff)
    }

    /// Adds a multiple of a parameter; an unknown one is an error of isl's.
    fn add_param(&self, aff: Aff, name: &str, times: Val) -> isl::Result<Aff> {
        let position = self.position(name).unwrap_or(usize::MAX);
        aff.add_coefficient_val(DimType::Param, position, times)
    }

    /// A number.
    pub fn val(&self, value: i128) -> isl::Result<Val> {
        match i64::try_from(value) {
            Ok(small) => Val::int_from_si(self.ctx(), small),
            Err(_) => Val::read_from_str(self.ctx(), &value.to_string()),
        }
    }
}

/// `{ S[i,j] -> [value] }` as a polynomial, if it is one affine expression with integer coefficients wherever it is defined.
pub fn from_pw_aff(value: &PwAff) -> isl::Result<Option<Poly>> {
    let mut pieces = Vec::new();
    value.foreach_piece(|_, piece| {
        pieces.push(piece);
        Ok(())
    })?;
    match &pieces[..] {
        [only] => from_aff(only),
        _ => Ok(None),
    }
}

/// An affine expression as a polynomial, if it has integer coefficients.
pub fn from_aff(aff: &Aff) -> isl::Result<Option<Poly>> {
    if aff.involves_locals()? {
        return Ok(None);
    }
    let mut terms = vec![(Monomial::default(), aff.get_constant_val()?)];
    for position in 0..aff.dim(DimType::In)? {
        let atom = Atom::Counter(position as u32);
        terms.push((Monomial::product([atom]), aff.get_coefficient_val(DimType::In, position)?));
    }
    for position in 0..aff.dim(DimType::Param)? {
        let name = aff.get_dim_name(DimType::Param, position)?.unwrap_or_default();
        let times = aff.get_coefficient_val(DimType::Param, position)?;
        terms.push((Monomial::product([Atom::Param(name.into())]), times));
    }
    let mut sum = Poly::default();
    for (product, times) in terms {
        // A fraction, or a number that does not fit, does not parse.
        let Ok(times) = times.to_str()?.parse() else { return Ok(None) };
        let Ok(more) = sum.add(&Poly::term(product, times)) else { return Ok(None) };
        sum = more;
    }
    Ok(Some(sum))
}

/// A polynomial got where only affine ones may: a mistake in this crate.
#[derive(Debug, thiserror::Error)]
#[error("{0} is not affine (a mistake in Orthant: please report it)")]
struct NotAffine(String);

/// A set whose parameters are in another order got where positions count: a mistake in this crate.
#[derive(Debug, thiserror::Error)]
#[error("parameters are in different orders (a mistake in Orthant: please report it)")]
struct NotAligned;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affine_expressions_are_polynomials() {
        let read = |text: &str| from_pw_aff(&Ctx::of_thread().parse(text).unwrap()).unwrap();
        let shown = |text: &str| read(text).map(|poly| poly.to_string());
        assert_eq!(shown("[n] -> { S[i, j] -> [(2i - j + 3n - 4)] }").unwrap(), "2*i0 - i1 + 3*n - 4");
        assert_eq!(shown("[n] -> { S[i, j] -> [(2i - j)] : i < n }").unwrap(), "2*i0 - i1");
        assert_eq!(shown("[n] -> { [i] -> [(floor(i/2))] }"), None);
        assert_eq!(shown("[n] -> { [i] -> [(i/2)] }"), None);
        assert_eq!(shown("[n] -> { [i] -> [(i)] : i < n; [i] -> [(n)] : i >= n }"), None);
    }
}
