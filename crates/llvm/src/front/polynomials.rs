//! Expressions as polynomials in counters and parameters, for offsets and indices that are not affine.
//!
//! `8*m*i + 8*j` is `{{0,+,8m}<i>,+,8}<j>` for LLVM. Sums, products and recurrences become polynomials, and what is affine in
//! LLVM's other words (`smax`, extensions) is taken over as it is.
//!
//! *Wrapping.* An address is computed modulo 2^64, and so are sums and products of 64 bits: polynomials mean the same
//! up to a multiple of 2^64. That this multiple is 0 for all cells that are touched is a condition of its own
//! ([`model::Condition::Near`]), which the check evaluates with overflow in mind. Narrower arithmetic counts
//! only if LLVM says that it does not wrap, or if it is affine and [`super::affine`] says where it does.
//!
//! *Sizes that are not negative.* Fortran's arrays have `max(0, ld)` rows. Where the nest does not tell that `ld` is not negative,
//! that is a condition, which `ld` being as long as the columns that are touched mostly implies.
//!
//! *Narrow products.* `(i * m + j)` in 32 bits, extended to 64: where LLVM does not know that it fits, that is a condition
//! ([`super::narrow`]).
//!
//! *Shifts.* Fortran's descriptors give distances in bytes, and the compiler divides them where it knows the rows to be
//! contiguous: `8 * ((pitch * j) >> 3)`. With `pitch` a multiple of 8 and a product that does not wrap, both conditions to be
//! checked, that is `pitch * j`.
//!
//! *Halves.* In packed triangles, `8 * (i*(i + 1) / 2)`. A [`Fraction`] is a value of which some multiple is a polynomial; here
//! twice the quotient is `i^2 + i`, whose values are even. That is so modulo 2^64, too, for the quotient modulo
//! 2^63, and 8 times it is again known modulo 2^64: `4*i^2 + 4*i`, without a condition. In 32 bits, where no factor follows, that
//! the dividend fits is a condition. A recurrence `{a,+,b,+,c}` is
//! `a + b*i + c*(i^2 - i)/2`.

use super::affine::Stop;
use super::lift::Lifter;
use super::memory::Wants;
use super::narrow::Numbers;
use crate::pass::{Block, Inst, Loop};
use crate::scev::{Scev, ScevKind, ScevRef};
use delinearize::poly::gcd;
use delinearize::{Atom, Monomial, Overflow, Poly, from_aff, from_pw_aff};
use isl::{DimType, PwAff, Set, Val};
use llvm_sys::LLVMOpcode;
use std::collections::HashMap;
use std::rc::Rc;

impl<'p> Lifter<'_, 'p> {
    /// An expression as a polynomial in the iterations of an instruction, modulo 2^64.
    pub(super) fn polynomial(
        &self,
        inst: Inst<'p>,
        scev: &ScevRef<'p>,
        products: NarrowProducts,
        wants: &mut Wants<'p>,
    ) -> Result<Poly, Stop> {
        let chain = &self.domains.chains[&inst.block()];
        Maker { lifter: self, inst, chain, products, wants, is_modular: false }.fraction(scev)?.whole()
    }

    /// Whether a polynomial is 0 in all iterations in which control comes to a block from none of the others.
    fn is_zero_unless_from(&self, poly: &Poly, others: &[Block<'p>], to: Block<'p>) -> Result<bool, Stop> {
        let (chains, domains) = (&self.domains.chains, &self.domains.of);
        let (Some(chain), Some(domain)) = (chains.get(&to), domains.get(&to)) else { return Ok(false) };
        let mut here = domain.clone().intersect_params(self.affine.context()?)?;
        for other in others {
            // Where it runs, control comes from there.
            let Some(inner) = chains.get(other).filter(|inner| leads_only(*other, inner, chain, to)) else {
                continue;
            };
            let Some(runs) = domains.get(other) else { continue };
            let more = inner.len() - chain.len();
            here = here.subtract(runs.clone().project_out(DimType::Set, chain.len(), more)?)?;
        }
        let mut fixed = HashMap::new();
        for position in 0..chain.len() {
            let value = here.plain_get_val_if_fixed(DimType::Set, position)?;
            if value.is_int()? {
                fixed.insert(position as u32, Poly::constant(value.get_num_si()?.into()));
            }
        }
        let rest = poly.substitute(|atom| match atom {
            Atom::Counter(position) => fixed.get(position).cloned(),
            _ => None,
        })?;
        Ok(here.is_empty()? || rest.is_zero())
    }
}

/// Whether control goes from a block to one place only, in iterations of a chain: it is in those loops, or in one that is
/// directly inside and is only left from that block.
fn leads_only<'p>(block: Block<'p>, inner: &[Loop<'p>], chain: &[Loop<'p>], to: Block<'p>) -> bool {
    if inner == chain {
        return block.successors() == [to];
    }
    let Some((last, around)) = inner.split_last() else { return false };
    let mut ways = block.successors().into_iter().filter(|next| !last.contains(*next));
    around == chain && last.exiting_blocks() == [block] && ways.all(|next| next == to)
}

/// A value of which `by` times is the polynomial `times`, modulo 2^64.
#[derive(Clone)]
struct Fraction {
    times: Poly,
    by: i128,
}

impl From<Poly> for Fraction {
    fn from(times: Poly) -> Self {
        Self { times, by: 1 }
    }
}

impl Fraction {
    fn whole(self) -> Result<Poly, Stop> {
        Some(self).filter(|this| this.by == 1).and_then(|this| whole(&this.times)).ok_or(Stop::NotAffine)
    }

    fn add(&self, other: &Self) -> Result<Self, Overflow> {
        let by = self.by / gcd(self.by, other.by) * other.by;
        Ok(Self { times: self.times.scale(by / self.by)?.add(&other.times.scale(by / other.by)?)?, by })
    }

    /// A number that all parts of one factor share makes the other one whole.
    fn mul(&self, other: &Self) -> Result<Self, Overflow> {
        let (a, b) = (gcd(self.times.content(), other.by).max(1), gcd(other.times.content(), self.by).max(1));
        let divided = |poly: &Poly, by: i128| poly.div_exact(&Poly::constant(by))?.ok_or(Overflow);
        let times = divided(&self.times, a)?.mul(&divided(&other.times, b)?)?;
        Ok(Self { times, by: (self.by / b).checked_mul(other.by / a).ok_or(Overflow)? })
    }

    /// The quotient by a power of 2, if nothing remains.
    fn divided(self, by: i128) -> Result<Self, Stop> {
        let halves = by / gcd(by, self.times.content());
        match (self.by, halves) {
            (1, 1) => Ok(Self { times: self.times, by }),
            (1, 2) if self.times.div_exact(&Poly::constant(by / 2)).is_ok_and(is_even) => {
                Ok(Self { times: self.times, by })
            }
            _ => Err(Stop::NotAffine),
        }
    }
}

fn is_even(poly: Option<Poly>) -> bool {
    poly.is_some_and(|poly| poly.is_even())
}

/// `8 * (pitch/8)` is `pitch`; `None` if a share remains.
fn whole(poly: &Poly) -> Option<Poly> {
    let mut all = Poly::default();
    for (product, times) in poly.terms() {
        let (mut atoms, mut times) = (Vec::new(), times);
        for (atom, power) in product.powers() {
            let atom = match atom {
                Atom::Share(name, by) if *power == 1 && times % by == 0 => {
                    times /= by;
                    Atom::Param(name.clone())
                }
                Atom::Share(..) => return None,
                atom => atom.clone(),
            };
            atoms.extend(std::iter::repeat_n(atom, *power as usize));
        }
        all = all.add(&Poly::term(Monomial::product(atoms), times)).ok()?;
    }
    Some(all)
}

/// What becomes of a product of parameters in fewer than 64 bits that may wrap: `n * m` in `a[n * m + j]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NarrowProducts {
    /// A parameter of its own, whatever it is: right for sizes.
    Named,
    /// What it is where it does not wrap: right for places.
    WrittenOut,
}

/// Makes polynomials for one instruction.
struct Maker<'m, 'l, 'p> {
    lifter: &'m Lifter<'l, 'p>,
    inst: Inst<'p>,
    chain: &'m [Loop<'p>],
    products: NarrowProducts,
    wants: &'m mut Wants<'p>,
    /// The result counts modulo the width of the expression only.
    is_modular: bool,
}

impl<'p> Maker<'_, '_, 'p> {
    fn fraction(&mut self, scev: &ScevRef<'p>) -> Result<Fraction, Stop> {
        if !is_exact(scev) && !self.is_modular {
            let is_written_out = self.products == NarrowProducts::WrittenOut && self.has_product(scev);
            return if is_written_out { self.extended(scev, scev) } else { self.affine(scev) };
        }
        match &scev.kind {
            ScevKind::Add(operands) => self.combine(operands, Poly::constant(0), Fraction::add),
            ScevKind::Mul(operands) => self.combine(operands, Poly::constant(1), Fraction::mul),
            ScevKind::SignExtend(operand) if is_sum_or_product(operand) && is_exact(operand) => {
                self.with_modular(false, |maker| maker.fraction(operand))
            }
            ScevKind::SignExtend(operand) | ScevKind::ZeroExtend(operand) if self.has_product(operand) => {
                self.extended(scev, operand)
            }
            ScevKind::Truncate(operand) if self.is_modular => self.fraction(operand),
            ScevKind::UDiv([dividend, divisor]) if self.has_product(dividend) => match divisor.kind {
                ScevKind::Constant(by) => self.quotient(dividend, by, false),
                _ => Err(Stop::NotAffine),
            },
            ScevKind::AddRec { operands, over } => match self.chain.iter().position(|l| l == over) {
                Some(position) => self.recurrence(operands, position as u32),
                None => self.affine(scev),
            },
            ScevKind::Unknown(value) => match value.inst().filter(|inst| self.is_inside(*inst)) {
                Some(inst) => self.computed(inst),
                None => self.affine(scev),
            },
            _ => self.affine(scev),
        }
    }

    /// `{a,+,b,+,c}`.
    fn recurrence(&mut self, operands: &[ScevRef<'p>], position: u32) -> Result<Fraction, Stop> {
        let counter = Poly::counter(position);
        let mut all = Fraction::from(Poly::default());
        for (degree, operand) in operands.iter().enumerate() {
            let times = match degree {
                0 => Poly::constant(1).into(),
                1 => counter.clone().into(),
                2 => {
                    Fraction { times: counter.mul(&counter).and_then(|square| square.sub(&counter))?, by: 2 }
                }
                _ => return Err(Stop::NotAffine),
            };
            all = all.add(&times.mul(&self.fraction(operand)?)?)?;
        }
        Ok(all)
    }

    /// A quotient by a power of 2 without a remainder: of what sign, and of how many multiples of 2^64, does not matter. What
    /// is known in its own width only has to be known completely: otherwise half of the width would be lost.
    fn quotient(&mut self, dividend: &ScevRef<'p>, by: i64, is_signed: bool) -> Result<Fraction, Stop> {
        if !(1..=1 << 16).contains(&by) || by.count_ones() != 1 {
            return Err(Stop::NotAffine);
        }
        let value = self.fraction(dividend)?;
        let known = value.clone();
        let quotient = value.divided(by.into())?;
        if self.is_modular {
            self.want_one_of(&known, Numbers { bits: dividend.bits, is_signed })?;
        }
        Ok(quotient)
    }

    fn with_modular<T>(&mut self, is_modular: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_modular, is_modular);
        let result = work(self);
        self.is_modular = before;
        result
    }

    /// A product that may wrap in its width, in more bits: what it is where it does not. Signs count unless zeros are added.
    fn extended(&mut self, scev: &ScevRef<'p>, operand: &ScevRef<'p>) -> Result<Fraction, Stop> {
        let is_signed = !matches!(scev.kind, ScevKind::ZeroExtend(_));
        let value = self.with_modular(true, |maker| maker.fraction(operand)).and_then(|value| {
            self.want_one_of(&value, Numbers { bits: operand.bits, is_signed })?;
            Ok(value)
        });
        match value {
            Err(Stop::NotAffine | Stop::MayFail) => self.affine(scev),
            value => value,
        }
    }

    fn want_one_of(&mut self, value: &Fraction, numbers: Numbers) -> Result<(), Stop> {
        let poly = whole(&value.times).ok_or(Stop::NotAffine)?;
        if value.by == 1 && poly.linear().is_some() {
            match self.want_below(&poly, numbers) {
                Err(Stop::MayFail) if self.products == NarrowProducts::WrittenOut => {}
                result => return result,
            }
        }
        self.lifter.want_small(self.inst, (&poly, value.by), numbers, self.wants)
    }

    fn want_below(&mut self, poly: &Poly, numbers: Numbers) -> Result<(), Stop> {
        let context = self.lifter.affine.context()?;
        let limit = Val::read_from_str(context.ctx(), &numbers.limit().to_string())?;
        let limit = PwAff::val_on_domain(context, limit)?;
        self.lifter.want_below(self.inst, poly.clone(), limit, self.wants)
    }

    fn is_inside(&self, inst: Inst<'p>) -> bool {
        self.lifter.affine.scope().contains(&inst.block())
    }

    /// A value that is no expression for LLVM.
    fn computed(&mut self, inst: Inst<'p>) -> Result<Fraction, Stop> {
        let operands = inst.operands();
        let operand = |at: usize| {
            let value = operands.get(at).ok_or(Stop::NotAffine)?;
            self.lifter.affine.expression(*value, self.chain).ok_or(Stop::NotAffine)
        };
        match inst.opcode() {
            LLVMOpcode::LLVMFreeze => self.fraction(&operand(0)?),
            LLVMOpcode::LLVMPHI => Ok(self.joined(inst)?.into()),
            LLVMOpcode::LLVMSDiv => {
                let by = operands.get(1).and_then(|by| by.constant()).ok_or(Stop::NotAffine)?;
                let quotient = self.quotient(&operand(0)?, by.saturating_abs(), true)?;
                if by < 0 { Ok(quotient.mul(&Poly::constant(-1).into())?) } else { Ok(quotient) }
            }
            LLVMOpcode::LLVMAShr => {
                let by = operands.get(1).and_then(|by| by.constant()).filter(|by| (1..=16).contains(by));
                let (shifted, by) = (operand(0)?, 1 << by.ok_or(Stop::NotAffine)?);
                match self.quotient(&shifted, by, true) {
                    Err(Stop::NotAffine) => {
                        let shifted = self.fraction(&shifted)?.whole()?;
                        Ok(self.share(&shifted, by.into())?.into())
                    }
                    quotient => quotient,
                }
            }
            _ => Err(Stop::NotAffine),
        }
    }

    /// A phi that has the same value whichever way control comes: a product that LLVM computes on one way, and knows to be 0 on
    /// the other.
    fn joined(&mut self, phi: Inst<'p>) -> Result<Poly, Stop> {
        let chain = self.lifter.domains.chains.get(&phi.block()).ok_or(Stop::NotAffine)?;
        let is_header = chain.last().is_some_and(|l| l.header() == phi.block());
        if is_header || !self.chain.starts_with(chain) {
            return Err(Stop::NotAffine);
        }
        let mut values = Vec::new();
        for (value, from) in phi.incoming() {
            let value = self.lifter.affine.expression(value, chain).ok_or(Stop::NotAffine)?;
            values.push((self.fraction(&value)?.whole()?, from));
        }
        let (most, _) =
            values.iter().max_by_key(|(value, _)| value.degree()).cloned().ok_or(Stop::NotAffine)?;
        for (value, from) in &values {
            let difference = most.sub(value)?;
            let others: Vec<_> =
                values.iter().map(|(_, other)| *other).filter(|other| other != from).collect();
            if !difference.is_zero() && !self.lifter.is_zero_unless_from(&difference, &others, phi.block())? {
                return Err(Stop::NotAffine);
            }
        }
        Ok(most)
    }

    /// A part of a polynomial that is at least 0 and does not wrap. In each term, the factor or one parameter is a
    /// multiple.
    fn share(&mut self, poly: &Poly, by: i128) -> Result<Poly, Stop> {
        let limit = Val::read_from_str(self.lifter.affine.context()?.ctx(), &(1i128 << 62).to_string())?;
        let limit = PwAff::val_on_domain(self.lifter.affine.context()?, limit)?;
        self.lifter.want_below(self.inst, poly.clone(), limit, self.wants)?;
        let mut share = Poly::default();
        for (product, times) in poly.terms() {
            let term = match times % by {
                0 => Poly::term(product.clone(), times / by),
                _ => self.share_of_term(product, times, by)?,
            };
            share = share.add(&term).map_err(|_| Stop::NotAffine)?;
        }
        Ok(share)
    }

    fn share_of_term(&mut self, product: &Monomial, times: i128, by: i128) -> Result<Poly, Stop> {
        let mut atoms: Vec<Atom> = Vec::new();
        let mut shared: Option<Rc<str>> = None;
        for (atom, power) in product.powers() {
            for _ in 0..*power {
                atoms.push(match (atom, &shared) {
                    (Atom::Param(name), None) => {
                        shared = Some(name.clone());
                        Atom::Share(name.clone(), by)
                    }
                    (atom, _) => atom.clone(),
                });
            }
        }
        let name = shared.ok_or(Stop::NotAffine)?;
        let text = format!("[{name}] -> {{ : {name} mod {by} != 0 }}");
        let context = self.lifter.affine.context()?;
        self.wants.fails.push((Set::read_from_str(context.ctx(), &text)?, self.inst));
        Ok(Poly::term(Monomial::product(atoms), times))
    }

    fn combine(
        &mut self,
        operands: &[ScevRef<'p>],
        start: Poly,
        both: impl Fn(&Fraction, &Fraction) -> Result<Fraction, Overflow>,
    ) -> Result<Fraction, Stop> {
        operands.iter().try_fold(start.into(), |all, operand| Ok(both(&all, &self.fraction(operand)?)?))
    }

    /// A part that is affine, with where it is something else.
    fn affine(&mut self, scev: &ScevRef<'p>) -> Result<Fraction, Stop> {
        let evaluated = self.lifter.affine.signed(scev, self.chain);
        let value = self.lifter.exact(self.inst, evaluated, &mut self.wants.fails)?.ok_or(Stop::NotAffine)?;
        if let Some(poly) = from_pw_aff(&value)? {
            return Ok(poly.into());
        }
        // `smax(0, n)` is `n` where the loop to `n` runs.
        let domain = self.lifter.domains.of.get(&self.inst.block()).ok_or(Stop::NotAffine)?;
        let here = domain.clone().intersect_params(self.lifter.affine.context()?)?;
        let simple = value.clone().intersect_domain(here.clone())?.gist(here)?.coalesce()?;
        match from_pw_aff(&simple)? {
            Some(poly) => Ok(poly.into()),
            None => Ok(self.varying_piece(&value)?.into()),
        }
    }

    /// A number that is the same in all iterations here, and in all but one of its pieces a constant: what it is in that one. The
    /// others are assumed away.
    fn varying_piece(&mut self, value: &PwAff) -> Result<Poly, Stop> {
        if value.involves_dims(DimType::In, 0, self.chain.len())? {
            return Err(Stop::NotAffine);
        }
        let context = self.lifter.affine.context()?;
        let (mut varying, mut constant) = (Vec::new(), Set::empty(context.get_space()?)?);
        value.foreach_piece(|within, piece| {
            match piece.is_cst()? {
                true => constant = constant.clone().union(within.params()?)?,
                false => varying.push(piece),
            }
            Ok(())
        })?;
        let [piece] = &varying[..] else { return Err(Stop::NotAffine) };
        let poly = from_aff(piece)?.ok_or(Stop::NotAffine)?;
        self.wants.fails.push((constant.intersect(context)?, self.inst));
        Ok(poly)
    }

    /// Whether it multiplies what is not constant.
    fn has_product(&self, scev: &Scev<'p>) -> bool {
        let is_varying = |operand: &&ScevRef<'_>| !matches!(operand.kind, ScevKind::Constant(_));
        let here = match &scev.kind {
            ScevKind::Mul(operands) => operands.iter().filter(is_varying).count() > 1,
            ScevKind::AddRec { operands, .. } => {
                operands.len() > 2 || operands[1..].iter().any(|step| is_varying(&step))
            }
            ScevKind::Unknown(value) => {
                let inst = value.inst().filter(|inst| self.is_inside(*inst));
                inst.is_some_and(|inst| inst.opcode() == LLVMOpcode::LLVMSDiv)
            }
            _ => false,
        };
        here || scev.operands().iter().any(|operand| self.has_product(operand))
    }
}

/// Whether exact sums and products are what the machine computes, modulo 2^64.
fn is_exact(scev: &Scev<'_>) -> bool {
    let is_linear = !matches!(&scev.kind, ScevKind::AddRec { operands, .. } if operands.len() > 2);
    scev.bits == 64 || scev.flags.nsw && is_linear || matches!(scev.kind, ScevKind::SignExtend(_))
}

/// Whether there is a choice of [`NarrowProducts`].
pub(super) fn has_narrow_product(scev: &Scev<'_>) -> bool {
    let is_product = matches!(&scev.kind, ScevKind::Mul(operands) if operands.len() > 1);
    is_product && !is_exact(scev) || scev.operands().iter().any(|operand| has_narrow_product(operand))
}

fn is_sum_or_product(scev: &Scev<'_>) -> bool {
    matches!(scev.kind, ScevKind::Add(_) | ScevKind::Mul(_) | ScevKind::AddRec { .. })
}
