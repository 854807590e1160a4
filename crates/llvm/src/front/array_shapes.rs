//! Shapes of arrays whose offsets are not affine: all accesses to one base as polynomials, handed to [`mod@delinearize`].
//!
//! `A[i * m + j]` has the byte offset `{{0,+,8m}<i>,+,8}<j>`. As the polynomial `8*m*i + 8*j` it is `A[i][j]` in rows of `m`,
//! if `j < m` in all iterations. Where all accesses to a base fit one shape, the array has that shape in the model; the
//! condition goes to the ledger. An array whose offsets are affine anyway gets a shape only if no condition is
//! needed for that: then it costs nothing and keeps the numbers in the dependences small.
//!
//! *Wrapping.* An address is computed modulo 2^64, and so are sums and products of 64 bits: polynomials mean the same
//! up to a multiple of 2^64. That this multiple is 0 for all cells that are touched is a condition of its own
//! ([`model::Condition::Near`]), which the check evaluates with overflow in mind. Narrower arithmetic counts
//! only if LLVM says that it does not wrap, or if it is affine and [`super::affine`] says where it does.
//!
//! *Narrow products.* `(i * m + j)` in 32 bits, extended to 64: where LLVM does not know that it fits, that the polynomial is
//! at least 0 and below 2^31 in all iterations is a condition ([`model::Condition::Below`]).
//!
//! *Shifts.* Fortran's descriptors give distances in bytes, and the compiler divides them where it knows the rows to be
//! contiguous: `8 * ((pitch * j) >> 3)`. With `pitch` a multiple of 8 and a product that does not wrap, both conditions to be
//! checked, that is `pitch * j`.

use super::affine::Stop;
use super::lift::Lifter;
use super::memory::{Bytes, Memory, MemoryAccess, Wants, greatest_divisor};
use crate::pass::{Inst, Loop, Value};
use crate::scev::{Scev, ScevKind, ScevRef};
use delinearize::{Access, Atom, Monomial, Poly, Problem, View, delinearize, from_pw_aff};
use isl::{DimType, Map, PwAff, Set, Val};
use llvm_sys::LLVMOpcode;
use std::rc::Rc;

/// The shape of an array and the cells that its accesses touch.
pub struct Shape<'p> {
    /// The array's address.
    pub base: Value<'p>,
    /// Bytes per cell.
    pub granule: u64,
    /// As the model has it.
    pub sizes: Vec<Option<String>>,
    /// For each access, by its index: `{ [i, j] -> [x, y] }`.
    pub cells: Vec<(usize, Map)>,
    /// When all this is true: `{ : ... }`.
    pub valid: Set,
    /// For people: `B: double[][B->size1], valid when B->size1 >= C->size1`.
    pub declaration: String,
    /// Whether sizes are constants: then nothing has to be checked.
    pub is_constant: bool,
}

impl Shape<'_> {
    /// The cells of the access with that index.
    pub fn cells_of(&self, index: usize) -> Option<&Map> {
        self.cells.iter().find(|(of, _)| *of == index).map(|(_, cells)| cells)
    }
}

impl<'p> Lifter<'_, 'p> {
    /// Gives arrays shapes in which all subscripts are affine.
    pub(super) fn find_shapes(&self, memory: &mut Memory<'p>) -> Result<(), Stop> {
        let mut bases: Vec<Value<'p>> = Vec::new();
        for access in &memory.accesses {
            if !bases.contains(&access.base) {
                bases.push(access.base);
            }
        }
        for base in bases {
            let mut wants = Wants::default();
            match self.shape(memory, base, &mut wants)? {
                Some(shape) => {
                    memory.wants.extend(wants);
                    memory.shapes.push(shape);
                }
                None => memory.wants.notes.extend(wants.notes),
            }
        }
        Ok(())
    }

    fn shape(
        &self,
        memory: &Memory<'p>,
        base: Value<'p>,
        wants: &mut Wants<'p>,
    ) -> Result<Option<Shape<'p>>, Stop> {
        let of_base = |(_, access): &(usize, &MemoryAccess<'p>)| access.base == base;
        let (mut indices, mut accesses) = (Vec::new(), Vec::new());
        for (index, access) in memory.accesses.iter().enumerate().filter(of_base) {
            let Some(access) = self.as_polynomial(access, wants)? else { return Ok(None) };
            indices.push(index);
            accesses.push(access);
        }
        let is_affine = indices.iter().all(|index| memory.accesses[*index].extent.is_some());
        let context = self.affine.context()?;
        let problem = Problem { context, accesses, products: Default::default(), units: self.likely_units() };
        let view = match delinearize(&problem, self.shape_options) {
            Ok(view) => view,
            Err(delinearize::Error::Isl(error)) => return Err(error.into()),
            Err(delinearize::Error::Input { .. }) => return Ok(None),
        };
        if !is_usable(&view) || is_affine && !view.is_always_valid()? || view.valid.is_empty()? {
            if view.exhausted {
                let note = format!("{}: no shape found, {}", base.readable(), self.cut_short());
                wants.notes.push(note);
            }
            return Ok(None);
        }
        let cells = indices.iter().enumerate().map(|(at, index)| {
            let depth = self.domains.chains[&memory.accesses[*index].inst.block()].len();
            let cells = view.relation(at)?;
            // The cells of a range have a counter of their own.
            let more = cells.dim(DimType::In)? - depth;
            Ok((*index, cells.project_out(DimType::In, depth, more)?))
        });
        Ok(Some(Shape {
            base,
            granule: view.granule,
            declaration: self.declaration(memory, base, &view)?,
            sizes: view.shape(),
            cells: cells.collect::<isl::Result<_>>()?,
            is_constant: view.sizes.iter().all(|size| size.as_constant().is_some()),
            valid: view.valid,
        }))
    }

    /// The strides of a view are in its header, one after the other. Where rows lie in memory one after the other, that of
    /// the columns comes last and is 1 (the front ends of languages that have it the other way round test for 1 themselves).
    fn likely_units(&self) -> Vec<Rc<str>> {
        let scevs = self.affine.scevs();
        let place = |scev: &Scev<'p>| -> Option<i64> {
            let ScevKind::Unknown(value) = scev.kind else { return None };
            let address = scevs.of_value(value.inst()?.pointer()?)?;
            match scevs.offset(&address).kind {
                ScevKind::Constant(offset) => Some(offset),
                _ => None,
            }
        };
        let params = self.affine.params();
        let mut loaded: Vec<(i64, Rc<str>)> = params
            .iter()
            .filter_map(|(scev, param)| Some((place(scev)?, param.name.as_str().into())))
            .collect();
        loaded.sort_by(|a, b| b.cmp(a));
        loaded.into_iter().map(|(_, name)| name).collect()
    }

    fn as_polynomial(
        &self,
        access: &MemoryAccess<'p>,
        wants: &mut Wants<'p>,
    ) -> Result<Option<Access>, Stop> {
        let block = access.inst.block();
        let (Some(bytes), Some(domain)) = (&access.bytes, self.domains.of.get(&block)) else {
            return Ok(None);
        };
        let offset = match self.polynomial(access.inst, &access.offset, wants) {
            Err(Stop::NotAffine | Stop::MayFail) => return Ok(None),
            offset => offset?,
        };
        let (domain, writes) = (domain.clone(), access.is_write);
        match bytes {
            Bytes::Fixed(bytes) => Ok(Some(Access { offset: Some(offset), bytes: *bytes, domain, writes })),
            Bytes::Affine(length) => {
                let cell = greatest_divisor(&[length]);
                let (domain, more) = self.with_cells_of_range(domain, length, cell)?;
                let offset = offset.add(&more).map_err(|_| Stop::NotAffine)?;
                Ok(Some(Access { offset: Some(offset), bytes: cell, domain, writes }))
            }
        }
    }

    /// One more counter, for the cells of a range of bytes, and its part of the offset.
    fn with_cells_of_range(&self, domain: Set, length: &PwAff, cell: u64) -> Result<(Set, Poly), Stop> {
        let depth = domain.dim(DimType::Set)?;
        let counter = self.affine.counter(depth, depth + 1)?;
        let bytes = counter.clone().scale_val(Val::int_from_ui(domain.ctx(), cell)?)?;
        let inside = counter.ge_set(self.affine.constant(0, depth + 1)?)?;
        let inside = inside.intersect(bytes.lt_set(length.clone().add_dims(DimType::In, 1)?)?)?;
        let more = Poly::counter(depth as u32).scale(i128::from(cell)).map_err(|_| Stop::NotAffine)?;
        Ok((domain.add_dims(DimType::Set, 1)?.intersect(inside)?, more))
    }

    /// An expression as a polynomial in the iterations of an instruction, modulo 2^64.
    pub(super) fn polynomial(
        &self,
        inst: Inst<'p>,
        scev: &ScevRef<'p>,
        wants: &mut Wants<'p>,
    ) -> Result<Poly, Stop> {
        let chain = &self.domains.chains[&inst.block()];
        let poly = Maker { lifter: self, inst, chain, wants, is_modular: false }.poly(scev)?;
        whole(&poly).ok_or(Stop::NotAffine)
    }
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

/// Whether the model and the check have words for it: all accesses in rows of a size that is a sum of parameters.
fn is_usable(view: &View) -> bool {
    let is_plain = |atom: &Atom| matches!(atom, Atom::Param(_) | Atom::Share(..));
    let plain = |size: &Poly| size.degree() <= 1 && size.atoms().iter().all(is_plain);
    view.dims() > 1
        && view.rows.is_none()
        && view.accesses.iter().all(|cells| cells.is_exact())
        && view.sizes.iter().all(plain)
}

/// Makes polynomials for one instruction.
struct Maker<'m, 'l, 'p> {
    lifter: &'m Lifter<'l, 'p>,
    inst: Inst<'p>,
    chain: &'m [Loop<'p>],
    wants: &'m mut Wants<'p>,
    /// The result counts modulo the width of the expression only.
    is_modular: bool,
}

impl<'p> Maker<'_, '_, 'p> {
    fn poly(&mut self, scev: &ScevRef<'p>) -> Result<Poly, Stop> {
        if !is_exact(scev) && !self.is_modular {
            return self.affine(scev);
        }
        match &scev.kind {
            ScevKind::Add(operands) => self.combine(operands, Poly::constant(0), |a, b| a.add(&b)),
            ScevKind::Mul(operands) => self.combine(operands, Poly::constant(1), |a, b| a.mul(&b)),
            ScevKind::SignExtend(operand) if is_sum_or_product(operand) && is_exact(operand) => {
                self.with_modular(false, |maker| maker.poly(operand))
            }
            ScevKind::SignExtend(operand) | ScevKind::ZeroExtend(operand) if has_product(operand) => {
                self.extended(scev, operand)
            }
            ScevKind::Truncate(operand) if self.is_modular => self.poly(operand),
            ScevKind::AddRec { operands, over } => {
                let position = self.chain.iter().position(|l| l == over);
                let ([start, step], Some(position)) = (&operands[..], position) else {
                    return self.affine(scev);
                };
                let (start, step) = (self.poly(start)?, self.poly(step)?);
                let way = step.mul(&Poly::counter(position as u32)).map_err(|_| Stop::NotAffine)?;
                start.add(&way).map_err(|_| Stop::NotAffine)
            }
            ScevKind::Unknown(value) => match value.inst().filter(|inst| self.is_inside(*inst)) {
                Some(inst) => self.computed(inst),
                None => self.affine(scev),
            },
            _ => self.affine(scev),
        }
    }

    fn with_modular<T>(&mut self, is_modular: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.is_modular, is_modular);
        let result = work(self);
        self.is_modular = before;
        result
    }

    /// A product that may wrap in its width, in more bits: what it is where it does not.
    fn extended(&mut self, scev: &ScevRef<'p>, operand: &ScevRef<'p>) -> Result<Poly, Stop> {
        let context = self.lifter.affine.context()?;
        let limit = Val::int_from_si(context.ctx(), 1 << (operand.bits.min(63) - 1))?;
        let limit = PwAff::val_on_domain(context, limit)?;
        let value = self.with_modular(true, |maker| maker.poly(operand)).and_then(|poly| {
            let poly = whole(&poly).ok_or(Stop::NotAffine)?;
            self.lifter.want_below(self.inst, poly.clone(), limit, self.wants)?;
            Ok(poly)
        });
        match value {
            Err(Stop::NotAffine | Stop::MayFail) => self.affine(scev),
            value => value,
        }
    }

    fn is_inside(&self, inst: Inst<'p>) -> bool {
        self.lifter.affine.scope().contains(&inst.block())
    }

    /// A value that is no expression for LLVM.
    fn computed(&mut self, inst: Inst<'p>) -> Result<Poly, Stop> {
        let operands = inst.operands();
        let operand = |at: usize| {
            let value = operands.get(at).ok_or(Stop::NotAffine)?;
            self.lifter.affine.expression(*value, self.chain).ok_or(Stop::NotAffine)
        };
        match inst.opcode() {
            LLVMOpcode::LLVMFreeze => self.poly(&operand(0)?),
            LLVMOpcode::LLVMAShr => {
                let by = operands.get(1).and_then(|by| by.constant()).filter(|by| (1..=16).contains(by));
                let shifted = self.poly(&operand(0)?)?;
                self.share(&shifted, 1 << by.ok_or(Stop::NotAffine)?)
            }
            _ => Err(Stop::NotAffine),
        }
    }

    /// A part of a polynomial that is at least 0 and does not wrap. In each term, the factor or one parameter is a
    /// multiple.
    fn share(&mut self, poly: &Poly, by: i128) -> Result<Poly, Stop> {
        let limit = Val::read_from_str(self.lifter.affine.context()?.ctx(), &(1i128 << 62).to_string())?;
        let limit = PwAff::val_on_domain(self.lifter.affine.context()?, limit)?;
        let all = whole(poly).ok_or(Stop::NotAffine)?;
        self.lifter.want_below(self.inst, all.clone(), limit, self.wants)?;
        let mut share = Poly::default();
        for (product, times) in all.terms() {
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
        both: impl Fn(Poly, Poly) -> Result<Poly, delinearize::Overflow>,
    ) -> Result<Poly, Stop> {
        let mut all = start;
        for operand in operands {
            let next = self.poly(operand)?;
            all = both(all, next).map_err(|_| Stop::NotAffine)?;
        }
        Ok(all)
    }

    /// A part that is affine, with where it is something else.
    fn affine(&mut self, scev: &ScevRef<'p>) -> Result<Poly, Stop> {
        let evaluated = self.lifter.affine.signed(scev, self.chain);
        let value = self.lifter.exact(self.inst, evaluated, &mut self.wants.fails)?.ok_or(Stop::NotAffine)?;
        if let Some(poly) = from_pw_aff(&value)? {
            return Ok(poly);
        }
        // `smax(0, n)` is `n` where the loop to `n` runs.
        let domain = self.lifter.domains.of.get(&self.inst.block()).ok_or(Stop::NotAffine)?;
        let here = domain.clone().intersect_params(self.lifter.affine.context()?)?;
        let value = value.intersect_domain(here.clone())?.gist(here)?.coalesce()?;
        from_pw_aff(&value)?.ok_or(Stop::NotAffine)
    }
}

/// Whether exact sums and products are what the machine computes, modulo 2^64.
fn is_exact(scev: &Scev<'_>) -> bool {
    scev.bits == 64 || scev.flags.nsw || matches!(scev.kind, ScevKind::SignExtend(_))
}

/// Whether it multiplies what is not constant.
fn has_product(scev: &Scev<'_>) -> bool {
    let is_varying = |operand: &&ScevRef<'_>| !matches!(operand.kind, ScevKind::Constant(_));
    let here = match &scev.kind {
        ScevKind::Mul(operands) => operands.iter().filter(is_varying).count() > 1,
        ScevKind::AddRec { operands, .. } => operands[1..].iter().any(|step| is_varying(&step)),
        _ => false,
    };
    here || scev.operands().iter().any(|operand| has_product(operand))
}

fn is_sum_or_product(scev: &Scev<'_>) -> bool {
    matches!(scev.kind, ScevKind::Add(_) | ScevKind::Mul(_) | ScevKind::AddRec { .. })
}
