//! Multi-dimensional arrays from flat offsets: polynomials in, shapes, subscripts and validity conditions out.
//!
//! After Grosser, Pop, Ramanujam, Sadayappan: *On Recovering Multi-Dimensional Arrays in Polly* (IMPACT 2015), paper 000.
//!
//! LLVM gives every access as a number of bytes from a base address. `A[i][j]` in `double A[][m]` is `8*m*i + 8*j`: not
//! affine, so that nobody can tell whether two such accesses meet. [`delinearize()`] takes all accesses to one base and
//! finds sizes in which all subscripts are affine. Its result is a [`View`]; the claim it makes is
//!
//! > for parameter values in [`View::valid`], every executed access has all its subscripts but the outermost inside:
//! > at least 0 and below the size.
//!
//! Then cells and places in memory correspond one to one, and dependences can be computed on cells. A claim that
//! cannot be made for an access does not exclude the others: it is an access to any cell ([`Cells::Anywhere`]).
//!
//! ```
//! use delinearize::{Access, Options, Poly, Problem, delinearize};
//! use isl::Ctx;
//!
//! let ctx = Ctx::new();
//! let [i, j, m] = [Poly::counter(0), Poly::counter(1), Poly::param("m")];
//! let access = Access {
//!     offset: Some(i.mul(&m)?.add(&j)?.scale(8)?), // 8*(i*m + j)
//!     bytes: 8,
//!     domain: ctx.parse("[n, c] -> { S[i, j] : 0 <= i < n and 0 <= j < c }")?,
//!     writes: true,
//! };
//! let context = ctx.parse("[n, m, c] -> { : n >= 0 and m >= 0 and c >= 0 }")?;
//! let problem = Problem { context, accesses: vec![access], products: Default::default(), units: vec![], declared: None };
//! let view = delinearize(&problem, &Options::default())?;
//!
//! assert_eq!((view.granule, view.shape()), (8, vec![None, Some("m".into())]));
//! assert_eq!(view.valid, ctx.parse("[m, c] -> { : c <= m }")?);
//! assert_eq!(view.relation(0)?, ctx.parse("[n, c] -> { S[i, j] -> [i, j] : 0 <= i < n and 0 <= j < c }")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How a front end uses it
//! Offsets are built from sums and products of parts; [`from_pw_aff`] takes over parts that are affine, and [`Poly::range`]
//! tells whether machine numbers can hold a value. One call per base address, with all accesses to it. For each access: [`View::relation`] (give it the array's
//! tuple name; where it is not [`Cells::is_exact`], a write is a may-write), for the array: [`View::granule`] and
//! [`View::shape`], for the ledger: [`View::valid`] unless [`View::is_always_valid`]. Values that are no sum or product
//! (`smax`, extensions, loads) are parameters by name; what is known about them (`smax(0, n)` is at least `n`) belongs into
//! the context. A product of parameters can be given a name of its own in
//! [`Products`], which then stands for it wherever an affine expression needs it. An access to many bytes (a memset)
//! is an access of a granule with one more counter in its domain.
//!
//! # Modules
//! | module | idea | paper |
//! |---|---|---|
//! | [`poly`], [`mod@parse`] | exact polynomials, division | 4.1 |
//! | `strides` | sizes from strides by divisibility; constants, parameters, multiples | 4.1, 4.4, beyond |
//! | `split` | sizes that are products | beyond |
//! | `alpha` | sizes `P + alpha` | 5 |
//! | `place`, `dimension` | subscripts, pieces, where they are inside | 4.1, 4.3 |
//! | `assumed` | rows a parameter of bytes apart, unit strides | beyond |
//! | `packed` | triangles | beyond |
//! | `search` | the best shape for all accesses | 4.2 |
//! | `frame` | between polynomials and isl | |
//! | [`explain`] | the view in source names | |
//! | [`text`] | problems as text, for tests | |

mod alpha;
mod assumed;
mod dimension;
pub mod explain;
mod frame;
mod packed;
pub mod parse;
mod place;
pub mod poly;
mod problem;
mod search;
mod split;
mod strides;
pub mod text;
mod view;

pub use explain::Names;
pub use frame::{from_aff, from_pw_aff};
pub use packed::Rows;
pub use place::{Piece, Why};
pub use poly::{Atom, Monomial, Overflow, Poly};
pub use problem::{Access, Problem, Products};
pub use view::{Cells, View};

use assumed::Assumed;
use frame::Frame;
use isl::{DimType, Set};
use search::{Known, Outcome, Search};

/// Limits of the search.
#[derive(Clone, Debug)]
pub struct Options {
    /// The greatest multiple of a size that is moved between neighbouring subscripts.
    pub shifts: u32,
    /// The greatest constant that is tried as part of a size.
    pub alphas: u32,
    /// The number of shapes that are tried.
    pub shapes: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { shifts: 2, alphas: 4, shapes: 64 }
    }
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A problem that does not fit together.
    #[error("access {index}: {what}")]
    Input {
        /// Which access.
        index: usize,
        /// What is wrong.
        what: &'static str,
    },
    /// isl failed, or its budget is spent.
    #[error(transparent)]
    Isl(#[from] isl::Error),
}

/// The best view of an array. At worst all accesses are anywhere in it.
pub fn delinearize(problem: &Problem, options: &Options) -> Result<View, Error> {
    for (index, access) in problem.accesses.iter().enumerate() {
        check(access).map_err(|what| Error::Input { index, what })?;
    }
    if let Some(view) = packed(problem)? {
        return Ok(view);
    }
    let offsets: Vec<_> = problem.accesses.iter().map(|access| known_offset(problem, access)).collect();
    let known = offsets.iter().flatten().count();
    let mut best: Option<(usize, View)> = None;
    for assumed in assumptions(problem, &offsets) {
        let offsets = offsets.iter().map(|offset| assumed.apply(offset.as_ref()?).ok()).collect();
        let view = attempt(problem, options, offsets, &assumed)?;
        if !assumed.is_nothing() && view.is_never_valid()? {
            continue;
        }
        let exact = view.accesses.iter().filter(|cells| cells.is_exact()).count();
        if exact == known {
            return Ok(view);
        }
        let is_enough = |most: usize| exact > most || exact == most && assumed.is_nothing();
        if best.as_ref().is_none_or(|(most, _)| is_enough(*most)) {
            best = Some((exact, view));
        }
    }
    match best {
        Some((_, view)) => Ok(view),
        None => Ok(attempt(problem, options, offsets, &Assumed::default())?),
    }
}

/// The view as packed rows, if all accesses are known, one has a square, and all fit.
fn packed(problem: &Problem) -> isl::Result<Option<View>> {
    let expand = |access: &Access| problem.products.expand(access.offset.as_ref()?).ok();
    let Some(offsets) = problem.accesses.iter().map(expand).collect::<Option<Vec<_>>>() else {
        return Ok(None);
    };
    if offsets.iter().all(|offset| offset.linear().is_some()) {
        return Ok(None);
    }
    let frame = Frame::new(problem, &Assumed::default())?;
    let Some((rows, placed)) = packed::place(problem, &frame, &offsets)? else { return Ok(None) };
    let granule = problem.accesses.first().map_or(1, |access| access.bytes);
    let placed = placed.into_iter().map(Ok).collect();
    let view = View::new(problem, frame, granule, (Vec::new(), Some(rows)), placed, false)?;
    Ok(if view.is_never_valid()? { None } else { Some(view) })
}

/// What is worth assuming before anything is placed, the best first; nothing is among it.
fn assumptions(problem: &Problem, offsets: &[Option<Poly>]) -> Vec<Assumed> {
    let bytes = problem.accesses.iter().fold(0, |all, access| poly::gcd(all, access.bytes.into())).max(1);
    let known: Vec<Poly> = offsets.iter().flatten().cloned().collect();
    let linear: Vec<poly::Linear> = known.iter().filter_map(Poly::linear).collect();
    let mut all: Vec<Assumed> = Assumed::multiples(&known, bytes).into_iter().collect();
    all.push(Assumed::default());
    for unit in Assumed::unit_strides(&linear, bytes, &problem.units) {
        let Ok(offsets) = known.iter().map(|offset| unit.apply(offset)).collect::<Result<Vec<_>, _>>() else {
            continue;
        };
        let more = Assumed::multiples(&offsets, bytes).unwrap_or_default();
        all.push(unit.and(more));
    }
    all
}

fn attempt(
    problem: &Problem,
    options: &Options,
    offsets: Vec<Option<Poly>>,
    assumed: &Assumed,
) -> isl::Result<View> {
    let frame = Frame::new(problem, assumed)?;
    let granule = granule(problem, &offsets);
    let (mut known, mut domains) = (Vec::new(), Vec::new());
    for (access, offset) in problem.accesses.iter().zip(offsets) {
        known
            .push(offset.map_or(Ok(None), |offset| prepare(&frame, access, &offset, granule, &mut domains))?);
    }
    let mut search = Search::new(problem, &frame, options, &known);
    let Outcome { sizes, placed, .. } = search.run()?;
    let exhausted = search.exhausted;
    View::new(problem, frame, granule, (sizes, None), placed, exhausted)
}

fn check(access: &Access) -> Result<(), &'static str> {
    let dims = access.domain.dim(DimType::Set).map_err(|_| "its domain is not a set")?;
    let is_out = |atom: &Atom| matches!(atom, Atom::Counter(position) if *position as usize >= dims);
    match &access.offset {
        _ if access.bytes == 0 => Err("it touches no byte"),
        Some(offset) if offset.atoms().iter().any(is_out) => {
            Err("its domain has fewer counters than its offset")
        }
        _ => Ok(()),
    }
}

/// The offset with products written out, if each term has at most one counter.
fn known_offset(problem: &Problem, access: &Access) -> Option<Poly> {
    let offset = problem.products.expand(access.offset.as_ref()?).ok()?;
    offset.linear().map(|_| offset)
}

/// The greatest number of bytes that divides all sizes and offsets.
fn granule(problem: &Problem, offsets: &[Option<Poly>]) -> u64 {
    let mut granule = 0;
    for (access, offset) in problem.accesses.iter().zip(offsets) {
        let offset = offset.as_ref().map_or(0, Poly::content);
        granule = poly::gcd(poly::gcd(granule, offset), i128::from(access.bytes));
    }
    // A divisor of a size in bytes fits; without accesses any number does.
    u64::try_from(granule).unwrap_or(1).max(1)
}

/// The domain of an access, its points in the frame's context, and the parameters of these.
type Executed<'a> = (&'a Set, Set, Set);

/// `None` if a number is too large. `domains` are those of earlier accesses: many have the same.
fn prepare<'a>(
    frame: &Frame,
    access: &'a Access,
    offset: &Poly,
    granule: u64,
    domains: &mut Vec<Executed<'a>>,
) -> isl::Result<Option<Known>> {
    let Ok(Some(offset)) = offset.div_exact(&Poly::constant(granule.into())) else { return Ok(None) };
    let Some(linear) = offset.linear() else { return Ok(None) };
    let (domain, executed) = executed(frame, &access.domain, domains)?;
    Ok(Some(Known { offset, linear, granules: i128::from(access.bytes / granule), domain, executed }))
}

fn executed<'a>(frame: &Frame, domain: &'a Set, domains: &mut Vec<Executed<'a>>) -> isl::Result<(Set, Set)> {
    if let Some((_, within, params)) = domains.iter().find(|(of, ..)| of.is_identical(domain)) {
        return Ok((within.clone(), params.clone()));
    }
    let within = frame.align(domain)?.intersect_params(frame.context.clone())?;
    let params = within.clone().params()?;
    domains.push((domain, within.clone(), params.clone()));
    Ok((within, params))
}
