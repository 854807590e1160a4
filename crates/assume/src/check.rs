//! The run-time check: what must be tested, as expressions over parameters and base addresses.
//!
//! Conjuncts about parameters come first, in the order of [`crate::simplify()`]: each is evaluated for parameters for which
//! those before it hold, and `astgen` proves that nothing in it overflows 64 bits there. Then sizes, then products,
//! then addresses: the cheap ones first, and among tests of one sort those that find most failures for what they cost. The
//! back end evaluates all of them and branches once; only rows are not looked at where an earlier test fails.
//!
//! Where there is a second version of the loops, which does not need some arrays to be apart, the tests of those come last
//! ([`Check::weak`]).
//!
//! An array's extent is the range of rows that its accesses touch; in bytes it is computed with overflow in mind, because
//! that takes products of parameters. Two arrays are apart if one of them is not touched at all, or if one extent ends
//! before the other begins. Only where rows are behind a table of addresses, those are read that the program reads, too.

use crate::no_overlap::{cells, exact_range, range};
use crate::odds::{Odds, guess};
use crate::simplify::{Assumed, Fate};
use astgen::{Error, Expr, condition, expression};
use isl::{DimType, PwAff, Set};
use model::{AccessKind, Array, ArrayId, Condition, Kind, Layout, Scop, SourceLoc};
use std::collections::HashMap;

/// The run-time check.
#[derive(Clone, Debug)]
pub struct Check {
    /// All must hold; each has a meaning where those before it hold.
    pub conjuncts: Vec<Conjunct>,
    /// How many of them must hold for the weaker version of the loops, if there is one.
    pub weak: Option<usize>,
}

impl Check {
    /// The same check, in which the tests that these arrays are apart come last: the others suffice for a weaker version.
    pub fn with_weaker(mut self, pairs: &[(ArrayId, ArrayId)]) -> Check {
        self.conjuncts.sort_by_key(|conjunct| conjunct.is_of(pairs));
        self.weak = Some(self.conjuncts.iter().filter(|conjunct| !conjunct.is_of(pairs)).count());
        self
    }

    /// How many conjuncts come before the first that costs more than it may save where there is little to do: those up to the one
    /// that says how much that is. `None`: there are no others.
    pub fn quick(&self) -> Option<usize> {
        let quick = 1 + self.conjuncts.iter().position(|conjunct| conjunct.kind.is_none())?;
        (quick < self.conjuncts.len()).then_some(quick)
    }

    /// The same check without the tests that these arrays are apart.
    pub fn without(mut self, pairs: &[(ArrayId, ArrayId)]) -> Check {
        self.conjuncts.retain(|conjunct| !conjunct.is_of(pairs));
        self
    }
}

/// One thing that is tested.
#[derive(Clone, Debug)]
pub struct Conjunct {
    /// The assumption's kind; `None`: that there is something to do at all.
    pub kind: Option<Kind>,
    /// What the assumption protects.
    pub why: String,
    /// Where.
    pub loc: Option<SourceLoc>,
    /// How it is tested.
    pub test: Test,
}

impl Conjunct {
    /// Whether it tests that the arrays of one of these pairs are apart.
    fn is_of(&self, pairs: &[(ArrayId, ArrayId)]) -> bool {
        let Test::Apart(Apart { extents: [a, b], .. }) = &self.test else { return false };
        let [a, b] = [a, b].map(|extent| ArrayId(extent.array as u32));
        pairs.iter().any(|pair| *pair == (a, b) || *pair == (b, a))
    }
}

/// How an assumption is tested.
#[derive(Clone, Debug)]
pub enum Test {
    /// A condition on the parameters.
    Holds(Expr),
    /// A condition on the parameters that must not hold.
    Fails(Expr),
    /// An array's cells are near its base.
    Near(Near),
    /// A number is below a limit.
    Below(Below),
    /// The rows of an array do not overlap.
    Rows(AllRows),
    /// Two arrays do not overlap.
    Apart(Apart),
}

impl Test {
    /// What it says about rows that are anywhere.
    pub fn rows(&self) -> Option<&AllRows> {
        match self {
            Test::Rows(rows) => Some(rows),
            _ => None,
        }
    }
}

/// All rows of an array whose rows are anywhere.
#[derive(Clone, Debug)]
pub struct AllRows {
    /// The array's index in the model.
    pub array: usize,
    /// It is touched.
    pub touched: Expr,
    /// The first row and one past the last; all between are touched, or the program reads where they are.
    pub rows: [Expr; 2],
    /// The first cell of all rows, and one past the last.
    pub cells: [Expr; 2],
    /// Bytes per cell.
    pub cell_bytes: i64,
    /// Whether they must not overlap each other.
    pub are_written: bool,
}

/// A number `(x * size + y) * size' + ...` that must be below a limit, if it matters at all.
#[derive(Clone, Debug)]
pub struct Below {
    /// It matters.
    pub tested: Expr,
    /// The subscripts.
    pub last: Vec<Expr>,
    /// The sizes of all dimensions but the first.
    pub sizes: Vec<Expr>,
    /// The limit.
    pub limit: Expr,
}

/// Two arrays that must not overlap, if both are touched at all.
#[derive(Clone, Debug)]
pub struct Apart {
    /// Both are touched.
    pub touched: Expr,
    /// What is touched of each.
    pub extents: [Extent; 2],
}

/// An array whose touched cells must be less than 2^62 bytes from its base.
#[derive(Clone, Debug)]
pub struct Near {
    /// It is touched.
    pub touched: Expr,
    /// What is touched.
    pub extent: Extent,
}

/// A range of rows of an array; of cells, if it has one dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extent {
    /// The array's index in the model.
    pub array: usize,
    /// The first row.
    pub first: Expr,
    /// One past the last row.
    pub end: Expr,
    /// How far rows are from each other.
    pub rows: Rows,
    /// Bytes per cell.
    pub cell_bytes: i64,
}

/// Where the rows of an array start ([`model::Layout`]).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// One after the other; the sizes of all dimensions but the outermost.
    Even(Vec<Expr>),
    /// Row `x` at `(growth * x + slope) * x / 2`.
    Packed {
        /// A number.
        growth: i64,
        /// Of the parameters.
        slope: Expr,
    },
    /// Each somewhere: what is known of them comes from [`AllRows`].
    Anywhere,
}

impl Rows {
    /// How many products it takes to find a row.
    pub fn products(&self) -> usize {
        match self {
            Rows::Even(sizes) => sizes.len(),
            Rows::Packed { .. } => 2,
            Rows::Anywhere => 0,
        }
    }
}

/// That two arrays are apart, in words.
pub fn apart_text(scop: &Scop, a: ArrayId, b: ArrayId) -> String {
    format!("{} and {} do not overlap", scop.array(a).name, scop.array(b).name)
}

/// The check of a model, whose assumptions were simplified; `odds`: how likely its parts fail.
pub fn check(scop: &Scop, assumed: &Assumed, odds: &Odds) -> Result<Check, Error> {
    let mut conjuncts = Vec::new();
    let mut known = assumed.context.clone();
    let is_moderate = |index: &&usize| assumed.taken[**index].assumption.kind == Kind::ModerateSize;
    let (first, rest): (Vec<&usize>, Vec<&usize>) = assumed.order.iter().partition(is_moderate);
    for &index in first {
        conjuncts.push(about_params(scop, assumed, index, &mut known)?);
    }
    if !known.is_subset(&assumed.worth_running)? {
        let test = Test::Holds(condition(scop, &assumed.worth_running, &known)?);
        conjuncts.push(Conjunct { kind: None, why: "there is enough to do".into(), loc: None, test });
        known = known.intersect(assumed.worth_running.clone())?;
    }
    for &index in rest {
        conjuncts.push(about_params(scop, assumed, index, &mut known)?);
    }
    let mut values = by_value(scop, assumed)?;
    // The sort is stable: equals stay in the order of the ledger.
    values.sort_by(|(a, guess), (b, other)| {
        let rank = |conjunct: &Conjunct, guess: f64| {
            let (sort, cost) = cost(&conjunct.test);
            (sort, cost / odds.of(&conjunct.text(scop), guess).max(LEAST_ODDS))
        };
        let (a, b) = (rank(a, *guess), rank(b, *other));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    conjuncts.extend(values.into_iter().map(|(conjunct, _)| conjunct));
    Ok(Check { conjuncts, weak: None })
}

/// What never failed may fail one day.
const LEAST_ODDS: f64 = 1e-9;

/// What it takes to evaluate a test: sizes, then products, then addresses; and within each sort, how many products.
fn cost(test: &Test) -> (u8, f64) {
    let products = |number: usize| 1.0 + number as f64;
    match test {
        Test::Holds(_) | Test::Fails(_) => (0, 1.0),
        Test::Near(near) => (1, products(near.extent.rows.products())),
        Test::Below(below) => (2, products(below.sizes.len())),
        Test::Rows(_) => (3, 1.0),
        Test::Apart(apart) => (4, products(apart.extents.iter().map(|extent| extent.rows.products()).sum())),
    }
}

fn about_params(scop: &Scop, assumed: &Assumed, index: usize, known: &mut Set) -> Result<Conjunct, Error> {
    let taken = &assumed.taken[index];
    let (test, good) = match &taken.fate {
        Fate::Restriction(bad) => {
            (Test::Fails(condition(scop, bad, known)?), known.clone().subtract(bad.clone())?)
        }
        Fate::Positive(good) => {
            (Test::Holds(condition(scop, good, known)?), known.clone().intersect(good.clone())?)
        }
        Fate::Implied | Fate::ByValue => return Err(Error::Unexpected("a condition without a set".into())),
    };
    *known = good.coalesce()?;
    let model::Assumption { kind, why, loc, .. } = taken.assumption.clone();
    Ok(Conjunct { kind: Some(kind), why, loc, test })
}

/// The tests of addresses and products, and how likely they fail.
fn by_value(scop: &Scop, assumed: &Assumed) -> Result<Vec<(Conjunct, f64)>, Error> {
    let mut touched = Touched { scop, valid: &assumed.valid, cells: HashMap::new(), extents: Vec::new() };
    let mut conjuncts = Vec::new();
    for taken in &assumed.taken {
        let test = match &taken.assumption.holds {
            Condition::Params(_) | Condition::Never(_) => None,
            Condition::NoOverlap(a, b) => touched.apart(*a, *b)?.map(Test::Apart),
            Condition::Near(array) => touched.near(*array)?.map(Test::Near),
            Condition::Rows(array) => touched.all_rows(*array)?.map(Test::Rows),
            Condition::Below(test) => below(scop, test, &assumed.valid)?.map(Test::Below),
        };
        let model::Assumption { kind, why, loc, holds } = taken.assumption.clone();
        let odds = guess(scop, Some(kind), Some(&holds));
        conjuncts.extend(test.map(|test| (Conjunct { kind: Some(kind), why, loc, test }, odds)));
    }
    Ok(conjuncts)
}

/// What the nest touches, as far as it was asked for: most arrays are in several tests.
struct Touched<'a> {
    scop: &'a Scop,
    valid: &'a Set,
    /// `{ A[x] }`, and the parameters for which there are any.
    cells: HashMap<ArrayId, (Set, Set)>,
    /// The arrays and parameters of which the extent is known.
    extents: Vec<(ArrayId, Set, Extent)>,
}

impl Touched<'_> {
    fn cells(&mut self, array: ArrayId) -> Result<(Set, Set), Error> {
        if let Some(known) = self.cells.get(&array) {
            return Ok(known.clone());
        }
        let cells = cells(self.scop, array, self.valid)?;
        let params = cells.clone().params()?;
        self.cells.insert(array, (cells.clone(), params.clone()));
        Ok((cells, params))
    }

    /// The rows of an array in which cells are touched, for parameters in `within`.
    fn extent(&mut self, array: ArrayId, within: &Set) -> Result<Extent, Error> {
        for (known, params, extent) in &self.extents {
            if *known == array && params.plain_is_equal(within)? {
                return Ok(extent.clone());
            }
        }
        let extent = extent(self.scop, array, &self.cells(array)?.0, within)?;
        self.extents.push((array, within.clone(), extent.clone()));
        Ok(extent)
    }

    /// `None`: the nest never touches both.
    fn apart(&mut self, a: ArrayId, b: ArrayId) -> Result<Option<Apart>, Error> {
        let (first, second) = (self.cells(a)?.1, self.cells(b)?.1);
        let both = first.intersect(second)?.intersect(self.valid.clone())?;
        if both.is_empty()? {
            return Ok(None);
        }
        let extents = [self.extent(a, &both)?, self.extent(b, &both)?];
        Ok(Some(Apart { touched: condition(self.scop, &both, self.valid)?, extents }))
    }

    /// `None`: the nest never touches it.
    fn near(&mut self, array: ArrayId) -> Result<Option<Near>, Error> {
        let touched = self.cells(array)?.1.intersect(self.valid.clone())?;
        if touched.is_empty()? {
            return Ok(None);
        }
        let extent = self.extent(array, &touched)?;
        Ok(Some(Near { touched: condition(self.scop, &touched, self.valid)?, extent }))
    }

    /// `None`: the nest never touches it.
    fn all_rows(&mut self, array: ArrayId) -> Result<Option<AllRows>, Error> {
        let scop = self.scop;
        let (cells, params) = self.cells(array)?;
        let touched = params.intersect(self.valid.clone())?;
        if touched.is_empty()? {
            return Ok(None);
        }
        let ends = |line: Set| -> Result<[Expr; 2], Error> {
            let range = exact_range(&line)?;
            Ok([expression(scop, &range.first, &touched)?, expression(scop, &range.end, &touched)?])
        };
        let writes = |access: &model::Access| access.array == array && access.kind != AccessKind::Read;
        Ok(Some(AllRows {
            array: array.index(),
            touched: condition(scop, &touched, self.valid)?,
            rows: ends(cells.clone())?,
            cells: ends(cells.project_out(DimType::Set, 0, 1)?)?,
            cell_bytes: i64::from(scop.array(array).elem_bytes),
            are_written: scop.stmts.iter().flat_map(|stmt| &stmt.accesses).any(writes),
        }))
    }
}

/// The rows of an array in which cells are touched, for parameters in `within`.
fn extent(scop: &Scop, array: ArrayId, cells: &Set, within: &Set) -> Result<Extent, Error> {
    let range = match scop.array(array).layout {
        Layout::Even => range(cells)?,
        // More rows than there are need not end later.
        Layout::Packed { .. } | Layout::Anywhere => exact_range(cells)?,
    };
    Ok(Extent {
        array: array.index(),
        first: expression(scop, &range.first, within)?,
        end: expression(scop, &range.end, within)?,
        rows: rows(scop, scop.array(array), within)?,
        cell_bytes: i64::from(scop.array(array).elem_bytes),
    })
}

/// How far rows are from each other, for parameters in `within`.
pub fn rows(scop: &Scop, array: &Array, within: &Set) -> Result<Rows, Error> {
    match &array.layout {
        Layout::Even => {
            let sizes = array.shape.iter().skip(1).map(|text| size(scop, text, within));
            Ok(Rows::Even(sizes.collect::<Result<_, _>>()?))
        }
        Layout::Anywhere => Ok(Rows::Anywhere),
        Layout::Packed { growth, slope } => {
            Ok(Rows::Packed { growth: *growth, slope: number(scop, slope, within)? })
        }
    }
}

/// The size of a dimension, for parameters in `within`.
fn size(scop: &Scop, size: &Option<String>, within: &Set) -> Result<Expr, Error> {
    let text = size.as_deref().ok_or(Error::Unexpected("a dimension without a size".into()))?;
    number(scop, text, within)
}

/// A number in isl's notation, for parameters in `within`.
fn number(scop: &Scop, text: &str, within: &Set) -> Result<Expr, Error> {
    let names: Vec<_> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let number = PwAff::read_from_str(&scop.ctx, &format!("[{}] -> {{ [({text})] }}", names.join(", ")))?;
    expression(scop, &number, within)
}

/// `None`: there are no numbers.
fn below(scop: &Scop, test: &model::Below, valid: &Set) -> Result<Option<Below>, Error> {
    let cells = test.cells.clone().align_params(scop.context.get_space()?)?;
    let cells = cells.intersect_params(valid.clone())?.coalesce()?;
    let tested = cells.clone().params()?.intersect(valid.clone())?;
    if tested.is_empty()? {
        return Ok(None);
    }
    let last = cells.lexmax_pw_multi_aff()?;
    let subscript = |at| expression(scop, &last.get_at(at)?, &tested);
    let limit = test.limit.clone().align_params(scop.context.get_space()?)?;
    Ok(Some(Below {
        tested: condition(scop, &tested, valid)?,
        last: (0..=test.sizes.len()).map(subscript).collect::<Result<_, _>>()?,
        sizes: test.sizes.iter().map(|size| number(scop, size, &tested)).collect::<Result<_, _>>()?,
        limit: expression(scop, &limit, &tested)?,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simplify;
    use model::Assumption;

    const TEXT: &str = "\
scop f
param n [1, 1000]
array A [n] 8
array B [n] 8
array C [n] 8
stmt S { S[i] : 0 <= i < n }
  read { S[i] -> C[n - 1 - i] }
  read { S[i] -> A[i] }
  write { S[i] -> B[i] }
order { for { S } }
";

    fn checked(odds: &Odds) -> (Scop, Check) {
        let mut scop = Scop::parse(&isl::Ctx::new(), TEXT).unwrap();
        for (a, b) in [(1, 2), (0, 1)] {
            let holds = Condition::NoOverlap(ArrayId(a), ArrayId(b));
            scop.ledger.assume(Assumption { kind: Kind::NoOverlap, holds, why: String::new(), loc: None });
        }
        let assumed = simplify(&scop).unwrap().unwrap();
        let check = check(&scop, &assumed, odds).unwrap();
        (scop, check)
    }

    fn texts((scop, check): &(Scop, Check)) -> Vec<String> {
        check.conjuncts.iter().map(|conjunct| conjunct.text(scop)).collect()
    }

    /// `B[i] = A[i]` is more likely called in place than `B[i] = C[n - 1 - i]`, unless it was counted otherwise.
    #[test]
    fn what_is_likely_to_fail_comes_first() {
        let (ab, bc) = ("A and B do not overlap".to_owned(), "B and C do not overlap".to_owned());
        assert_eq!(texts(&checked(&Odds::default())), [ab.clone(), bc.clone()]);
        let counted = Odds([(bc.clone(), 0.9)].into());
        assert_eq!(texts(&checked(&counted)), [bc, ab]);
    }

    #[test]
    fn what_the_weaker_loops_do_not_need_comes_last() {
        let (scop, check) = checked(&Odds::default());
        let pairs = [(ArrayId(1), ArrayId(0))];
        let weaker = check.clone().with_weaker(&pairs);
        assert_eq!((weaker.weak, weaker.conjuncts.len()), (Some(1), 2));
        assert_eq!(weaker.conjuncts[1].text(&scop), "A and B do not overlap");
        assert_eq!(texts(&(scop, check.without(&pairs))), ["B and C do not overlap"]);
    }
}
