//! Candidate after candidate: which shape fits all accesses of an array best (paper 000, section 4.2).
//!
//! Candidates come in stages, from the likeliest source to the dearest: chains of strides, products of parameters
//! (section 4), factors of products, `P + alpha` (section 5). All are judged alike: fewest accesses without subscripts,
//! then proved before conditional, then fewest pieces, then the first. A candidate without any of these flaws ends the
//! search; the last two stages are entered only if accesses whose strides are not constant are still without subscripts.
//!
//! The *linear view*, no inner size, is always there. It is worse than a shape under a condition if the array is written
//! (a wrong condition costs the optimization; the linear view of `A[1024*i + j]` costs it, too, because rows may overlap)
//! and better if it is only read, for then nothing depends on anything. The declared shape of an array that is written is as good as
//! one without a condition, and comes before it if it has more dimensions: in `A[j][i][k]` with `k` inside its five, rows of five need
//! no condition, but which of them are the same, `32*j + i`, is as open as in the linear view.

use crate::frame::Frame;
use crate::place::{Candidate, Placed, Placing, Why};
use crate::poly::{Linear, Poly};
use crate::problem::{Problem, Products};
use crate::strides::Sizes;
use crate::{Options, alpha, split, strides};
use isl::Set;

/// An access whose offset is known.
pub struct Known {
    /// In granules.
    pub offset: Poly,
    /// The same, by counters.
    pub linear: Linear,
    /// How many granules it touches.
    pub granules: i128,
    /// Within the context, aligned.
    pub domain: Set,
    /// Its parameters: `{ : ... }`.
    pub executed: Set,
}

/// A shape with all accesses placed in it.
pub struct Outcome {
    /// The inner sizes; affine.
    pub sizes: Sizes,
    /// In the order of the problem.
    pub placed: Vec<Result<Placed, Why>>,
    /// Whether the conditions of the accesses contradict each other.
    is_contradiction: bool,
    /// Least is best.
    rank: Rank,
}

/// Accesses without subscripts; what the view costs; how many pieces more than accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    anywhere: usize,
    cost: Cost,
    pieces: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cost {
    Nothing,
    /// The linear view of an array that is only read.
    Little,
    Condition,
    /// The linear view of an array that is written.
    Much,
}

/// The search for one array.
pub struct Search<'a> {
    frame: &'a Frame,
    products: &'a Products,
    options: &'a Options,
    /// `None`: nothing is known about the offset.
    accesses: &'a [Option<Known>],
    writes: bool,
    declared: Option<Sizes>,
    tried: Vec<Sizes>,
    best: Option<Outcome>,
    /// Whether candidates were left out because there were too many.
    pub exhausted: bool,
}

impl<'a> Search<'a> {
    /// Over the accesses of a problem, of which `accesses` are prepared in the same order.
    pub fn new(
        problem: &'a Problem,
        frame: &'a Frame,
        options: &'a Options,
        accesses: &'a [Option<Known>],
    ) -> Self {
        let writes = problem.accesses.iter().any(|access| access.writes);
        Self {
            frame,
            products: &problem.products,
            options,
            accesses,
            writes,
            declared: problem
                .declared
                .as_ref()
                .map(|sizes| sizes.iter().copied().map(Poly::constant).collect()),
            tried: Vec::new(),
            best: None,
            exhausted: false,
        }
    }

    /// The best shape.
    pub fn run(&mut self) -> isl::Result<Outcome> {
        self.stages()?;
        let placed = self.place(&Sizes::new(), usize::MAX)?;
        let linear = self.judge(Sizes::new(), placed)?;
        Ok(match self.best.take() {
            Some(best) if best.rank < linear.rank && best.placed.iter().any(Result::is_ok) => best,
            _ => linear,
        })
    }

    /// A stage that finds a number too large has no candidates.
    fn stages(&mut self) -> isl::Result<()> {
        let known: Vec<_> = self.accesses.iter().flatten().collect();
        let linear: Vec<Linear> = known.iter().map(|access| access.linear.clone()).collect();
        let offsets: Vec<Poly> = known.iter().map(|access| access.offset.clone()).collect();
        let chains = strides::chains(&linear).unwrap_or_default();
        let monomials = strides::monomials(&linear).unwrap_or_default();
        // Where all accesses are in a triangle, both `N` and `N + 1` may fit without a condition: the plainer one is meant.
        let declared = self.declared.clone().filter(|_| self.writes);
        let is_plainer =
            |sizes: &Sizes| chains.first().is_some_and(|chain| strides::is_plainer(sizes, chain));
        if self.stage(declared)?
            || self.stage(monomials.iter().filter(|sizes| is_plainer(sizes)).cloned())?
            || self.stage(chains.clone())?
            || self.stage(monomials)?
        {
            return Ok(());
        }
        let alphas = self.options.alphas;
        for chain in &chains {
            let splits = split::splits(chain, self.products, alphas).unwrap_or_default();
            if !self.has_open() || self.stage(splits)? {
                return Ok(());
            }
        }
        if self.has_open() {
            self.stage(alpha::shapes(&offsets, &linear, alphas))?;
        }
        Ok(())
    }

    fn all_placed(&self) -> bool {
        let unknown = self.accesses.iter().filter(|access| access.is_none()).count();
        self.best.as_ref().is_some_and(|best| best.rank.anywhere == unknown)
    }

    /// Whether an access without subscripts could have some in another shape: it has a stride that is not constant.
    fn has_open(&self) -> bool {
        let Some(best) = &self.best else { return true };
        let is_open =
            |access: &Known| access.linear.strides.values().any(|stride| stride.as_constant().is_none());
        let mut unplaced = self.accesses.iter().zip(&best.placed).filter(|(_, placed)| placed.is_err());
        unplaced.any(|(access, _)| access.as_ref().is_some_and(is_open))
    }

    /// Judges candidates; whether the search is over.
    fn stage(&mut self, candidates: impl IntoIterator<Item = Sizes>) -> isl::Result<bool> {
        for sizes in candidates {
            let affine: Option<Sizes> = sizes.iter().map(|size| self.products.affine(size)).collect();
            let Some(sizes) = affine.filter(|sizes| !self.tried.contains(sizes)) else { continue };
            if self.tried.len() >= self.options.shapes {
                self.exhausted = true;
                return Ok(true);
            }
            self.tried.push(sizes.clone());
            let limit = self.best.as_ref().map_or(usize::MAX, |best| best.rank.anywhere);
            let placed = self.place(&sizes, limit)?;
            if placed.len() < self.accesses.len() {
                continue;
            }
            let outcome = self.judge(sizes, placed)?;
            let is_better = self.best.as_ref().is_none_or(|best| outcome.rank < best.rank);
            if is_better && !outcome.is_contradiction {
                self.best = Some(outcome);
            }
            let flawless = |best: &Outcome| best.rank.cost == Cost::Nothing && best.rank.pieces == 0;
            if self.all_placed() && self.best.as_ref().is_some_and(flawless) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Places all accesses, or stops when more than `limit` cannot be.
    fn place(&self, sizes: &Sizes, limit: usize) -> isl::Result<Vec<Result<Placed, Why>>> {
        let (frame, products, shifts) = (self.frame, self.products, self.options.shifts);
        let placing = Placing { frame, products, sizes, shifts };
        let mut placed = Vec::new();
        let mut anywhere = 0;
        for access in self.accesses {
            let one = match access {
                Some(Known { offset, granules, domain, executed, .. }) => {
                    placing.place(&Candidate { offset, granules: *granules, domain, executed })?
                }
                None => Err(Why::NotPolynomial),
            };
            anywhere += usize::from(one.is_err());
            if anywhere > limit {
                break;
            }
            placed.push(one);
        }
        Ok(placed)
    }

    fn judge(&self, sizes: Sizes, placed: Vec<Result<Placed, Why>>) -> isl::Result<Outcome> {
        let (mut bad, mut executed) = (self.frame.nothing()?, self.frame.nothing()?);
        for (access, one) in self.accesses.iter().zip(&placed) {
            if let (Some(access), Ok(one)) = (access, one)
                && !one.bad.is_empty()?
            {
                bad = bad.union(one.bad.clone())?;
                executed = executed.union(access.executed.clone())?;
            }
        }
        let is_bad = !bad.is_empty()?;
        let is_contradiction = is_bad && executed.is_subset(&bad)?;
        let rank = self.rank(&sizes, &placed, is_bad);
        Ok(Outcome { sizes, placed, is_contradiction, rank })
    }

    fn rank(&self, sizes: &Sizes, placed: &[Result<Placed, Why>], is_bad: bool) -> Rank {
        let pieces = placed.iter().flatten().map(|one| one.pieces.len().saturating_sub(1)).sum();
        let cost = match (sizes.is_empty(), is_bad) {
            (true, _) if self.writes => Cost::Much,
            (true, _) => Cost::Little,
            (false, true) if self.writes && self.declared.as_ref() == Some(sizes) => Cost::Nothing,
            (false, true) => Cost::Condition,
            (false, false) => Cost::Nothing,
        };
        Rank { anywhere: placed.iter().filter(|one| one.is_err()).count(), cost, pieces }
    }
}
