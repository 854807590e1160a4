//! Exact polynomials with integer coefficients over the counters of loops and the parameters of a nest.
//!
//! # Representation
//! A [`Poly`] is a sum of *terms*: a [`Monomial`] (a product of powers of [`Atom`]s) with a coefficient that is not 0.
//! Terms are sorted by [`Monomial`]'s order: first by degree, then lexicographically with counters before parameters.
//! That is a monomial order (a product keeps the order of its factors), so division with remainder ends.
//!
//! Coefficients are `i128`. Whatever does not fit, also more terms or higher powers than offsets have, is [`Overflow`],
//! never a wrong result, and never an expansion without end.
//!
//! # Division
//! `a.div_rem(s)` finds `q` and `r` with `a = q*s + r`: no term of `r` is divisible by the leading term of `s`
//! with a smaller rest. Coefficients are rounded to the nearest, because subscripts lie around 0:
//!
//! ```
//! use delinearize::Poly;
//! let [i, j, m] = [Poly::counter(0), Poly::counter(1), Poly::param("m")];
//! // A[i - 1][j + 1] in A[][1024]
//! let offset = i.scale(1024)?.add(&j)?.add(&Poly::constant(1 - 1024))?;
//! let (q, r) = offset.div_rem(&Poly::constant(1024))?;
//! assert_eq!((q.to_string(), r.to_string()), ("i0 - 1".into(), "i1 + 1".into()));
//! // A[i][i] in A[][m + 1]
//! let (q, r) = i.mul(&m)?.add(&i.scale(2)?)?.div_rem(&m.add(&Poly::constant(1))?)?;
//! assert_eq!((q.to_string(), r.to_string()), ("i0".into(), "i0".into()));
//! # Ok::<(), delinearize::Overflow>(())
//! ```

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;

/// A coefficient, an exponent or the number of terms is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a polynomial is too large")]
pub struct Overflow;

/// The number of terms from which on a polynomial is too large.
const MAX_TERMS: usize = 512;

/// The degree from which on it is too large.
const MAX_DEGREE: u32 = 64;

/// What polynomials are made of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Atom {
    /// The counter at this position of a domain's tuple, outermost first.
    Counter(u32),
    /// The parameter of that name.
    Param(Rc<str>),
    /// The parameter of that name divided by a number that is assumed to divide it.
    Share(Rc<str>, i128),
}

impl Atom {
    /// Whether it is a counter.
    pub fn is_counter(&self) -> bool {
        matches!(self, Atom::Counter(_))
    }
}

impl fmt::Display for Atom {
    /// In isl's notation, counters as `i0`, `i1`, ...
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Atom::Counter(position) => write!(f, "i{position}"),
            Atom::Param(name) => f.write_str(name),
            Atom::Share(name, by) => write!(f, "floor({name}/{by})"),
        }
    }
}

/// A product of powers of atoms; the empty product is 1.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Monomial(Vec<(Atom, u32)>);

impl Monomial {
    /// The product of these atoms.
    pub fn product(atoms: impl IntoIterator<Item = Atom>) -> Self {
        let mut powers: BTreeMap<Atom, u32> = BTreeMap::new();
        for atom in atoms {
            *powers.entry(atom).or_default() += 1;
        }
        Self(powers.into_iter().collect())
    }

    /// The sum of the exponents.
    pub fn degree(&self) -> u32 {
        self.0.iter().map(|(_, power)| power).sum()
    }

    /// The atoms, in order, with their exponents.
    pub fn powers(&self) -> &[(Atom, u32)] {
        &self.0
    }

    fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        let mut powers: BTreeMap<Atom, u32> = self.0.iter().cloned().collect();
        for (atom, power) in &other.0 {
            let sum = powers.entry(atom.clone()).or_default();
            *sum += power;
        }
        let product = Self(powers.into_iter().collect());
        if product.degree() < MAX_DEGREE { Ok(product) } else { Err(Overflow) }
    }

    /// The quotient, if it is a product.
    pub fn div(&self, by: &Self) -> Option<Self> {
        let mut powers: BTreeMap<Atom, u32> = self.0.iter().cloned().collect();
        for (atom, power) in &by.0 {
            let left = powers.get_mut(atom)?;
            *left = left.checked_sub(*power)?;
        }
        Some(Self(powers.into_iter().filter(|(_, power)| *power > 0).collect()))
    }

    /// The factors that are counters, and the others.
    fn split(&self) -> (Self, Self) {
        let (counters, others) = self.0.iter().cloned().partition(|(atom, _)| atom.is_counter());
        (Self(counters), Self(others))
    }
}

impl Ord for Monomial {
    fn cmp(&self, other: &Self) -> Ordering {
        let lexicographic = || {
            for ((a, m), (b, n)) in self.0.iter().zip(&other.0) {
                // The earlier atom weighs more, and the other product does not have it.
                let order = b.cmp(a).then(m.cmp(n));
                if order.is_ne() {
                    return order;
                }
            }
            self.0.len().cmp(&other.0.len())
        };
        self.degree().cmp(&other.degree()).then_with(lexicographic)
    }
}

impl PartialOrd for Monomial {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A polynomial.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Poly {
    /// No coefficient is 0.
    terms: BTreeMap<Monomial, i128>,
}

/// A polynomial whose terms have at most one counter: `base + sum of stride * counter`, free of counters all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Linear {
    /// By the counter's position; none is 0.
    pub strides: BTreeMap<u32, Poly>,
    /// The terms without a counter.
    pub base: Poly,
}

impl Poly {
    /// A number.
    pub fn constant(value: i128) -> Self {
        Self::term(Monomial::default(), value)
    }

    /// The counter at a position of a domain's tuple.
    pub fn counter(position: u32) -> Self {
        Self::atom(Atom::Counter(position))
    }

    /// A parameter.
    pub fn param(name: &str) -> Self {
        Self::atom(Atom::Param(name.into()))
    }

    /// An atom.
    pub fn atom(atom: Atom) -> Self {
        Self::term(Monomial::product([atom]), 1)
    }

    /// A multiple of a product.
    pub fn term(monomial: Monomial, coefficient: i128) -> Self {
        Self { terms: [(monomial, coefficient)].into_iter().filter(|(_, c)| *c != 0).collect() }
    }

    /// The terms, greatest monomial first.
    pub fn terms(&self) -> impl Iterator<Item = (&Monomial, i128)> {
        self.terms.iter().rev().map(|(monomial, coefficient)| (monomial, *coefficient))
    }

    /// The coefficient of a product; 0 if it does not occur.
    pub fn coefficient(&self, of: &Monomial) -> i128 {
        self.terms.get(of).copied().unwrap_or(0)
    }

    /// The atoms that occur.
    pub fn atoms(&self) -> BTreeSet<Atom> {
        self.terms.keys().flat_map(|monomial| monomial.0.iter().map(|(atom, _)| atom.clone())).collect()
    }

    /// Whether it is 0.
    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its value, if nothing in it varies.
    pub fn as_constant(&self) -> Option<i128> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&Monomial::default()).copied(),
            _ => None,
        }
    }

    /// The degree of its greatest term; 0 for constants.
    pub fn degree(&self) -> u32 {
        self.terms.last_key_value().map_or(0, |(monomial, _)| monomial.degree())
    }

    /// Whether a counter occurs.
    pub fn has_counter(&self) -> bool {
        self.terms.keys().any(|monomial| monomial.0.iter().any(|(atom, _)| atom.is_counter()))
    }

    /// The greatest number that divides all coefficients; 0 for 0.
    pub fn content(&self) -> i128 {
        self.terms.values().fold(0, |all, &coefficient| gcd(all, coefficient))
    }

    /// Whether the value is even, whatever whole numbers the atoms are: `x^2 + x` is.
    pub fn is_even(&self) -> bool {
        let mut odd: BTreeSet<Vec<&Atom>> = BTreeSet::new();
        for (product, _) in self.terms().filter(|(_, times)| times % 2 != 0) {
            // A power is odd exactly if the atom is.
            let atoms = product.powers().iter().map(|(atom, _)| atom).collect();
            if !odd.remove(&atoms) {
                odd.insert(atoms);
            }
        }
        odd.is_empty()
    }

    /// The sum.
    pub fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let mut sum = self.clone();
        for (monomial, &coefficient) in &other.terms {
            sum.add_term(monomial.clone(), coefficient)?;
        }
        Ok(sum)
    }

    /// The difference.
    pub fn sub(&self, other: &Self) -> Result<Self, Overflow> {
        self.add(&other.scale(-1)?)
    }

    /// The multiple.
    pub fn scale(&self, by: i128) -> Result<Self, Overflow> {
        let scaled = |(monomial, coefficient): (&Monomial, &i128)| {
            Ok((monomial.clone(), coefficient.checked_mul(by).ok_or(Overflow)?))
        };
        match by {
            0 => Ok(Self::default()),
            _ => Ok(Self { terms: self.terms.iter().map(scaled).collect::<Result<_, _>>()? }),
        }
    }

    /// The product.
    pub fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        let mut product = Self::default();
        for (a, &x) in &self.terms {
            for (b, &y) in &other.terms {
                product.add_term(a.mul(b)?, x.checked_mul(y).ok_or(Overflow)?)?;
            }
        }
        Ok(product)
    }

    /// Quotient and remainder: `self = q*by + r`; the quotient by 0 is 0. See the module's header.
    pub fn div_rem(&self, by: &Self) -> Result<(Self, Self), Overflow> {
        let (mut quotient, mut remainder, mut rest) = (Self::default(), Self::default(), self.clone());
        let Some((lead, &unit)) = by.terms.last_key_value() else { return Ok((quotient, rest)) };
        while let Some((monomial, &coefficient)) = rest.terms.last_key_value() {
            let monomial = monomial.clone();
            let times = monomial.div(lead).map(|factor| (factor, nearest(coefficient, unit)));
            if let Some((factor, times)) = times
                && times != 0
            {
                let step = Self::term(factor, times);
                rest = rest.sub(&step.mul(by)?)?;
                quotient = quotient.add(&step)?;
            }
            // What is left of the term is not divisible any more.
            if let Some(left) = rest.terms.remove(&monomial) {
                remainder.add_term(monomial, left)?;
            }
        }
        Ok((quotient, remainder))
    }

    /// The quotient, if nothing remains.
    pub fn div_exact(&self, by: &Self) -> Result<Option<Self>, Overflow> {
        let (quotient, remainder) = self.div_rem(by)?;
        Ok((remainder.is_zero() && !by.is_zero()).then_some(quotient))
    }

    /// Its terms sorted by their counter; `None` if a term has more than one.
    pub fn linear(&self) -> Option<Linear> {
        let mut linear = Linear { strides: BTreeMap::new(), base: Self::default() };
        for (monomial, &coefficient) in &self.terms {
            let (counters, others) = monomial.split();
            let part = match counters.0[..] {
                [] => &mut linear.base,
                [(Atom::Counter(position), 1)] => linear.strides.entry(position).or_default(),
                _ => return None,
            };
            part.terms.insert(others, coefficient);
        }
        Some(linear)
    }

    /// With atoms replaced, where `value` gives something for them.
    pub fn substitute(&self, value: impl Fn(&Atom) -> Option<Self>) -> Result<Self, Overflow> {
        let mut sum = Self::default();
        for (monomial, &coefficient) in &self.terms {
            let mut product = Self::constant(coefficient);
            for (atom, power) in &monomial.0 {
                let factor = value(atom).unwrap_or_else(|| Self::atom(atom.clone()));
                for _ in 0..*power {
                    product = product.mul(&factor)?;
                }
            }
            sum = sum.add(&product)?;
        }
        Ok(sum)
    }

    /// Terms grouped by which of `params` they contain: the part of the terms that contain all of `with` once and none
    /// of the others, divided by the product of `with`. `None` if one of `params` occurs with a higher power.
    pub fn part(&self, params: &[Atom], with: &[Atom]) -> Option<Self> {
        let wanted = Monomial::product(with.iter().cloned());
        let mut part = Self::default();
        for (monomial, &coefficient) in &self.terms {
            let (inside, outside): (Vec<_>, Vec<_>) =
                monomial.0.iter().cloned().partition(|(atom, _)| params.contains(atom));
            if inside.iter().any(|(_, power)| *power > 1) {
                return None;
            }
            if Monomial(inside) == wanted {
                part.terms.insert(Monomial(outside), coefficient);
            }
        }
        Some(part)
    }

    /// Its value, where `value` says what the atoms are.
    pub fn eval(&self, value: impl Fn(&Atom) -> i128) -> Result<i128, Overflow> {
        let mut total = 0i128;
        for (monomial, &coefficient) in &self.terms {
            let mut product = coefficient;
            for (atom, power) in &monomial.0 {
                let factor = value(atom).checked_pow(*power).ok_or(Overflow)?;
                product = product.checked_mul(factor).ok_or(Overflow)?;
            }
            total = total.checked_add(product).ok_or(Overflow)?;
        }
        Ok(total)
    }

    /// The least and the greatest value, from those of the atoms; `None` if one is not known, or a number is too large.
    /// Atoms are taken to vary independently, so the true range can be smaller.
    pub fn range(&self, of: impl Fn(&Atom) -> Option<(i128, i128)>) -> Option<(i128, i128)> {
        let mut total = (0i128, 0i128);
        for (monomial, &coefficient) in &self.terms {
            let mut product = (coefficient, coefficient);
            for (atom, power) in &monomial.0 {
                for _ in 0..*power {
                    product = between(product, of(atom)?)?;
                }
            }
            total = (total.0.checked_add(product.0)?, total.1.checked_add(product.1)?);
        }
        Some(total)
    }

    /// Its text, where `name` says how atoms are written.
    pub fn text(&self, name: impl Fn(&Atom) -> String) -> String {
        let mut text = String::new();
        for (monomial, coefficient) in self.terms() {
            match (text.is_empty(), coefficient < 0) {
                (true, true) => text.push('-'),
                (true, false) => {}
                (false, true) => text.push_str(" - "),
                (false, false) => text.push_str(" + "),
            }
            let number = coefficient.unsigned_abs();
            let shown = (number != 1 || monomial.0.is_empty()).then(|| number.to_string());
            let factors = monomial.0.iter().map(|(atom, power)| match power {
                1 => name(atom),
                _ => format!("{}^{power}", name(atom)),
            });
            text.push_str(&shown.into_iter().chain(factors).collect::<Vec<_>>().join("*"));
        }
        if text.is_empty() { "0".into() } else { text }
    }

    fn add_term(&mut self, monomial: Monomial, coefficient: i128) -> Result<(), Overflow> {
        let sum = self.coefficient(&monomial).checked_add(coefficient).ok_or(Overflow)?;
        match sum {
            0 => self.terms.remove(&monomial),
            _ => self.terms.insert(monomial, sum),
        };
        if self.terms.len() < MAX_TERMS { Ok(()) } else { Err(Overflow) }
    }
}

impl fmt::Display for Poly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(Atom::to_string))
    }
}

/// The range of the products of numbers from two ranges.
fn between(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    let mut products = [0; 4];
    for (product, (x, y)) in products.iter_mut().zip(corners) {
        *product = x.checked_mul(y)?;
    }
    let least = products.into_iter().min()?;
    products.into_iter().max().map(|greatest| (least, greatest))
}

/// The greatest common divisor, not negative; the other one if one is 0.
pub fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    // Only for two smallest numbers it does not fit; then 1 divides them, too.
    i128::try_from(a).unwrap_or(1)
}

/// The quotient, rounded to the nearest number, towards 0 in the middle.
fn nearest(a: i128, b: i128) -> i128 {
    // The one quotient that does not fit leaves a remainder instead.
    let (Some(quotient), Some(rest)) = (a.checked_div(b), a.checked_rem(b)) else { return 0 };
    let (rest, whole) = (rest.unsigned_abs(), b.unsigned_abs());
    match rest > whole - rest {
        true if (a < 0) == (b < 0) => quotient + 1,
        true => quotient - 1,
        false => quotient,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::{ParseError, parse};
    use fastrand::Rng;

    fn poly(text: &str) -> Poly {
        let atom = |name: &str| match name.strip_prefix('i').and_then(|rest| rest.parse().ok()) {
            Some(position) => Poly::counter(position),
            None => Poly::param(name),
        };
        parse(text, atom).unwrap()
    }

    fn random(rng: &mut Rng) -> Poly {
        let atoms = ["i0", "i1", "n", "m"];
        let mut sum = Poly::default();
        for _ in 0..rng.usize(0..6) {
            let mut term = Poly::constant(rng.i128(-9..10));
            for _ in 0..rng.usize(0..4) {
                term = term.mul(&poly(atoms[rng.usize(..4)])).unwrap();
            }
            sum = sum.add(&term).unwrap();
        }
        sum
    }

    /// Different values for different atoms.
    fn value(atom: &Atom) -> i128 {
        match atom {
            Atom::Counter(position) => i128::from(*position) * 7 - 3,
            Atom::Param(name) => 11 + name.len() as i128 * i128::from(name.as_bytes()[0] % 5),
            Atom::Share(..) => 1,
        }
    }

    #[test]
    fn products_of_neighbours_are_even() {
        for (text, is_even) in [
            ("i0*i0 + i0", true),
            ("(i0 + i1)*(i0 + i1 + 1) + 2*i1", true),
            ("i0*(2*n - i0 - 1)", true),
            ("0", true),
        ]
        .into_iter()
        .chain([
            ("i0*i0", false),
            ("i0*i1 + i0", false),
            ("i0*i0 + i0 + 1", false),
            ("i0*i0*i1 + i0", false),
        ]) {
            assert_eq!(poly(text).is_even(), is_even, "{text}");
        }
    }

    #[test]
    fn arithmetic_is_that_of_numbers() {
        let mut rng = Rng::with_seed(1);
        for _ in 0..2000 {
            let (a, b) = (random(&mut rng), random(&mut rng));
            let (x, y) = (a.eval(value).unwrap(), b.eval(value).unwrap());
            assert_eq!(a.add(&b).unwrap().eval(value), Ok(x + y));
            assert_eq!(a.sub(&b).unwrap().eval(value), Ok(x - y));
            assert_eq!(a.mul(&b).unwrap().eval(value), Ok(x * y));
            let (q, r) = a.div_rem(&b).unwrap();
            assert_eq!(q.mul(&b).unwrap().add(&r).unwrap(), a, "({a}) / ({b})");
            if !b.is_zero() {
                assert_eq!(a.mul(&b).unwrap().div_exact(&b).unwrap(), Some(a.clone()), "({a}) * ({b})");
            }
            assert_eq!(poly(&a.to_string()), a);
        }
    }

    #[test]
    fn the_order_is_kept_by_products() {
        let mut rng = Rng::with_seed(2);
        let monomial = |rng: &mut Rng| {
            let atoms = (0..rng.usize(0..4)).map(|_| Atom::Counter(rng.u32(..3))).collect::<Vec<_>>();
            Monomial::product(atoms)
        };
        for _ in 0..2000 {
            let [a, b, c] = [monomial(&mut rng), monomial(&mut rng), monomial(&mut rng)];
            assert_eq!(a.cmp(&b), a.mul(&c).unwrap().cmp(&b.mul(&c).unwrap()), "{a:?} {b:?} {c:?}");
            assert!(Monomial::default() <= a);
        }
    }

    #[test]
    fn too_large_numbers_are_refused() {
        let huge = Poly::constant(i128::MAX);
        assert_eq!(huge.add(&Poly::constant(1)), Err(Overflow));
        assert_eq!(Poly::constant(i128::MIN).scale(-1), Err(Overflow));
        assert_eq!(huge.mul(&poly("2*n")), Err(Overflow));
        assert_eq!(poly("n^3").eval(|_| i128::MAX), Err(Overflow));
        // The one quotient that does not fit is left as the remainder.
        let least = Poly::constant(i128::MIN);
        assert_eq!(least.div_rem(&Poly::constant(-1)), Ok((Poly::default(), least.clone())));
        assert_eq!(gcd(i128::MIN, i128::MIN), 1);
    }

    #[test]
    fn ranges_contain_all_values() {
        let mut rng = Rng::with_seed(3);
        for _ in 0..1000 {
            let poly = random(&mut rng);
            let (low, high) = poly.range(|atom| Some((value(atom) - 4, value(atom) + 5))).unwrap();
            let at = poly.eval(|atom| value(atom) + rng.clone().i128(-4..=5)).unwrap();
            assert!((low..=high).contains(&at), "{poly}: {at} in {low}..={high}");
        }
        assert_eq!(poly("2*n - 3").range(|_| Some((-5, 7))), Some((-13, 11)));
        assert_eq!(poly("n").range(|_| None), None);
        assert_eq!(poly("n*n").range(|_| Some((0, i128::MAX))), None);
    }

    #[test]
    fn rounding_goes_to_the_nearest() {
        let rounded =
            [(7, 2), (-7, 2), (5, 3), (-5, 3), (4, 3), (-4, -3), (5, -3)].map(|(a, b)| nearest(a, b));
        assert_eq!(rounded, [3, -3, 2, -2, 1, 1, -2]);
    }

    #[test]
    fn text() {
        assert_eq!(poly("3 - 2*n*i0 + m*m - i1").to_string(), "-2*i0*n + m^2 - i1 + 3");
        assert_eq!(poly("(n + 1)^2 - 1 - 2*n").to_string(), "n^2");
        assert_eq!(poly("0*n").to_string(), "0");
        for wrong in
            ["", "n +", "(n", "n)", "2 n", "n^-1", "9999999999999999999999999999999999999999", "n^300"]
        {
            assert!(matches!(parse(wrong, Poly::param), Err(ParseError::Expected { .. })), "{wrong}");
        }
        assert!(parse(&"(".repeat(100_000), Poly::param).is_err());
        for large in ["2^200", "n^100", "(a + b + c + d + e + f + g)^9"] {
            assert!(matches!(parse(large, Poly::param), Err(ParseError::Overflow(_))), "{large}");
        }
    }

    #[test]
    fn parts_and_strides() {
        let offset = poly("i0*n*m + 2*i0*n + i1*m + 5");
        let linear = offset.linear().unwrap();
        assert_eq!(linear.strides[&0], poly("n*m + 2*n"));
        assert_eq!((&linear.strides[&1], &linear.base), (&poly("m"), &poly("5")));
        assert!(poly("i0*i1").linear().is_none() && poly("i0^2").linear().is_none());
        let [n, m] = ["n", "m"].map(|name| Atom::Param(name.into()));
        let both = [n.clone(), m.clone()];
        assert_eq!(offset.part(&both, &both), Some(poly("i0")));
        assert_eq!(offset.part(&both, &[n]), Some(poly("2*i0")));
        assert_eq!(offset.part(&both, &[]), Some(poly("5")));
        assert_eq!(poly("n*n").part(&both, &[]), None);
    }
}
