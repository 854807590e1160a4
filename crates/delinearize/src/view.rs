//! The result: a shape, subscripts, and when they are valid.

use crate::frame::Frame;
use crate::packed::Rows;
use crate::place::{Piece, Placed, Why};
use crate::poly::Poly;
use crate::problem::{Access, Problem};
use isl::{DimType, Map, Set};

/// An array of cells of equal size, recovered from offsets.
///
/// If [`View::valid`] holds, two accesses touch the same byte exactly if [`View::relation`] relates them to the same cell.
pub struct View {
    /// Bytes per cell: divides all offsets and sizes of the accesses that have subscripts.
    pub granule: u64,
    /// The sizes of all dimensions but the outermost, in granules; affine in the parameters. None if there are `rows`.
    pub sizes: Vec<Poly>,
    /// Two dimensions, with rows of different lengths one after the other in memory.
    pub rows: Option<Rows>,
    /// In the order of the problem.
    pub accesses: Vec<Cells>,
    /// The parameter values for which all this is true, simplified under the context and for executions in which there
    /// is an access at all: `{ : ... }`.
    pub valid: Set,
    /// Whether there were more candidates than allowed.
    pub exhausted: bool,
    /// The context of the problem: `{ : ... }`.
    known: Set,
    pub(crate) frame: Frame,
}

/// The cells that an access touches.
#[derive(Clone, Debug)]
pub enum Cells {
    /// Those from the subscripts on, along the innermost dimension.
    Exact {
        /// The instances and their first cell; disjoint.
        pieces: Vec<Piece>,
        /// How many cells.
        granules: u64,
        /// `{ S[i,j] : ... }` of the access.
        domain: Set,
    },
    /// Any: its relation has no bounds.
    Anywhere {
        /// Why nothing better is known.
        why: Why,
        /// `{ S[i,j] : ... }` of the access.
        domain: Set,
    },
}

/// The parameter values that are as assumed and not bad for any access.
fn valid(
    frame: &Frame,
    known: &Set,
    accesses: &[Access],
    placed: &[Result<Placed, Why>],
) -> isl::Result<Set> {
    let mut valid = frame.everything()?;
    for placed in placed.iter().flatten() {
        valid = valid.subtract(placed.bad.clone())?;
    }
    let valid = valid.gist(frame.context.clone())?.intersect(frame.assumed.clone())?;
    let valid = valid.gist(known.clone())?.coalesce()?.remove_redundancies()?;
    match valid.n_basic_set()? {
        0 | 1 => Ok(valid),
        many => {
            let simpler = where_executed(frame, known, accesses, &valid)?;
            Ok(if simpler.n_basic_set()? < many { simpler } else { valid })
        }
    }
}

/// The same where there is an access, in simple words, and anything elsewhere.
fn where_executed(frame: &Frame, known: &Set, accesses: &[Access], valid: &Set) -> isl::Result<Set> {
    let mut executed = frame.nothing()?;
    for access in accesses {
        executed = executed.union(frame.align(&access.domain)?.params()?)?;
    }
    let executed = executed.intersect(known.clone())?.coalesce()?;
    let valid = valid.clone().intersect(executed.clone())?.coalesce()?;
    valid.gist(executed)?.coalesce()?.remove_redundancies()
}

impl Cells {
    fn new(domain: Set, granules: u64, placed: Result<Placed, Why>) -> Self {
        match placed {
            Err(why) => Cells::Anywhere { why, domain },
            Ok(Placed { mut pieces, .. }) => {
                if let [only] = &mut pieces[..] {
                    // The context need not be repeated.
                    only.within = domain.clone();
                }
                Cells::Exact { pieces, granules, domain }
            }
        }
    }

    /// Whether the cells are known.
    pub fn is_exact(&self) -> bool {
        matches!(self, Cells::Exact { .. })
    }
}

impl View {
    /// With the accesses as they were placed, in the order of the problem.
    pub(crate) fn new(
        problem: &Problem,
        frame: Frame,
        granule: u64,
        (sizes, rows): (Vec<Poly>, Option<Rows>),
        placed: Vec<Result<Placed, Why>>,
        exhausted: bool,
    ) -> isl::Result<Self> {
        let known = frame.align(&problem.context)?;
        let valid = valid(&frame, &known, &problem.accesses, &placed)?;
        let mut accesses = Vec::new();
        for (access, placed) in problem.accesses.iter().zip(placed) {
            let granules = access.bytes / granule;
            accesses.push(Cells::new(frame.align(&access.domain)?, granules, placed));
        }
        Ok(Self { granule, sizes, rows, accesses, valid, exhausted, known, frame })
    }

    /// The number of dimensions.
    pub fn dims(&self) -> usize {
        1 + self.sizes.len() + usize::from(self.rows.is_some())
    }

    /// Whether no condition is needed.
    pub fn is_always_valid(&self) -> isl::Result<bool> {
        self.known.is_subset(&self.valid)
    }

    /// Whether the conditions contradict each other, or the context.
    pub(crate) fn is_never_valid(&self) -> isl::Result<bool> {
        self.known.is_disjoint(&self.valid)
    }

    /// The sizes in isl's notation, outermost first, as the model has them.
    pub fn shape(&self) -> Vec<Option<String>> {
        let unknown = vec![None; self.dims() - self.sizes.len()];
        unknown.into_iter().chain(self.sizes.iter().map(|size| Some(size.to_string()))).collect()
    }

    /// `{ S[i,j] -> [x,y] }`: the cells that the access at this index of the problem touches.
    pub fn relation(&self, index: usize) -> isl::Result<Map> {
        match &self.accesses[index] {
            Cells::Anywhere { domain, .. } => {
                Map::from_domain(domain.clone())?.add_dims(DimType::Out, self.dims())
            }
            Cells::Exact { pieces, granules, domain } => {
                let mut all: Option<Map> = None;
                for piece in pieces {
                    let next = self.piece(piece)?;
                    all = Some(match all {
                        Some(all) => all.union(next)?,
                        None => next,
                    });
                }
                let first = match all {
                    Some(all) => all.intersect_domain(domain.clone())?,
                    None => Map::from_domain(Set::empty(domain.get_space()?)?)?
                        .add_dims(DimType::Out, self.dims())?,
                };
                self.widened(first, *granules)
            }
        }
    }

    /// `{ S[i,j] -> [x,y] }` for the first cell.
    fn piece(&self, piece: &Piece) -> isl::Result<Map> {
        let space = piece.within.get_space()?;
        let mut cells = Map::from_domain(piece.within.clone())?;
        for subscript in &piece.subscripts {
            cells = cells.flat_range_product(Map::from_aff(self.frame.aff(&space, subscript)?)?)?;
        }
        Ok(cells)
    }

    /// With the cells after the first one.
    fn widened(&self, first: Map, granules: u64) -> isl::Result<Map> {
        if granules == 1 {
            return Ok(first);
        }
        let outer: String = (1..self.dims()).map(|at| format!("x{at}, ")).collect();
        let text = format!("{{ [{outer}y] -> [{outer}z] : y <= z < y + {granules} }}");
        first.apply_range(Map::read_from_str(self.frame.ctx(), &text)?)
    }
}
