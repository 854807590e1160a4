//! Linear inequalities, and what follows from them: the simplex method with whole numbers.
//!
//! A [`Table`] holds inequalities `sum of factor * unknown + constant >= 0`. Each has a *slack*, the value of its left side.
//! The table is a list of rows, each of which is an unknown or a slack as a sum of others, the columns:
//! ```text
//! row = (constant + sum of factor * column) / divisor
//! ```
//! Columns are slacks, which are at least zero, or unknowns about which nothing was said (*free*; no slack depends on
//! them). With all columns zero, the slacks in rows are at least zero: that is a solution. A pivot exchanges a row and a column.
//!
//! To find the least value of a sum, columns that would make it less enter in exchange for the slack that is zero first.
//! The smallest number is taken where there is a choice (Bland's rule), so this ends.
//!
//! Unknowns stand for integers, the method is about rationals. What is said to follow does follow; that a sum of integers with
//! whole factors is more than -1 is enough for it to be at least zero.

/// A number does not fit 64 bits: nothing is known, and the table is of no more use.
#[derive(Debug)]
pub struct TooBig;

/// What is found, if all numbers fit.
pub type Fits<T> = Result<T, TooBig>;

/// The factors of all unknowns, then the constant.
pub type Inequality = Vec<i64>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// At least zero.
    Slack,
    /// An unknown, or an inequality that was taken back.
    Free,
}

/// Inequalities, and a solution if there is one.
#[derive(Clone)]
pub struct Table {
    unknowns: usize,
    /// Of each variable: the unknowns, then the slacks.
    kinds: Vec<Kind>,
    columns: Vec<usize>,
    /// The variable of each row; [`ASKED`] for one that is only asked about.
    heads: Vec<usize>,
    /// Row by row: the divisor, the constant, then a factor for each column.
    cells: Vec<i64>,
    is_empty: bool,
}

/// How a search for the least value ended.
#[derive(PartialEq)]
enum End {
    Least,
    /// It was at most -1.
    Below,
    Unbounded,
}

/// Numbers up to this size are left alone.
const SMALL: i64 = 1 << 20;

/// What is no variable.
const ASKED: usize = usize::MAX;

/// Where a row has its divisor, its constant, and the first factor.
const DIVISOR: usize = 0;
const CONSTANT: usize = 1;
const FACTORS: usize = 2;

impl Table {
    /// No inequalities yet.
    pub fn new(unknowns: usize) -> Table {
        Table {
            unknowns,
            kinds: vec![Kind::Free; unknowns],
            columns: (0..unknowns).collect(),
            heads: Vec::new(),
            cells: Vec::new(),
            is_empty: false,
        }
    }

    /// With all these.
    pub fn of(unknowns: usize, all: &[Inequality]) -> Fits<Table> {
        let mut table = Table::new(unknowns);
        table.reserve(all.len());
        for inequality in all {
            table.add(inequality)?;
        }
        Ok(table)
    }

    /// Makes room for so many inequalities and one question.
    pub(crate) fn reserve(&mut self, inequalities: usize) {
        self.kinds.reserve(inequalities);
        self.heads.reserve(inequalities + 1);
        self.cells.reserve((inequalities + 1) * self.width());
    }

    /// Whether no values satisfy them all.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// One more; its name for [`Self::without`].
    pub fn add(&mut self, inequality: &[i64]) -> Fits<usize> {
        let variable = self.kinds.len();
        self.kinds.push(Kind::Slack);
        if self.is_empty {
            return Ok(variable);
        }
        let row = self.express(inequality, variable)?;
        let is_free =
            |at: &usize| self.row(row)[FACTORS + at] != 0 && self.kinds[self.columns[*at]] == Kind::Free;
        match (0..self.columns.len()).find(is_free) {
            Some(column) => self.pivot(row, column)?,
            None => self.is_empty = !self.raise(row)?,
        }
        Ok(variable)
    }

    /// The value of an unknown in the solution at which the table stands; `None` if it is no integer.
    pub(crate) fn value(&self, unknown: usize) -> Option<i64> {
        let Some(row) = self.heads.iter().position(|head| *head == unknown) else { return Some(0) };
        let row = self.row(row);
        (row[CONSTANT] % row[DIVISOR] == 0).then(|| row[CONSTANT] / row[DIVISOR])
    }

    /// Whether the inequality follows.
    pub fn implies(&mut self, inequality: &[i64]) -> Fits<bool> {
        if self.is_empty || inequality[..self.unknowns].iter().all(|factor| *factor == 0) {
            return Ok(self.is_empty || inequality[self.unknowns] >= 0);
        }
        let row = self.express(inequality, ASKED)?;
        let end = self.minimize(row, true)?;
        let is_above = self.is_above_minus_one(row);
        self.forget(row);
        Ok(end == End::Least && is_above)
    }

    /// An integer that the sum is never less than, as great as follows; `None` if there is none.
    pub fn least(&mut self, sum: &[i64]) -> Fits<Option<i64>> {
        let row = self.express(sum, ASKED)?;
        let end = self.minimize(row, false)?;
        let (divisor, constant) = (self.row(row)[DIVISOR], self.row(row)[CONSTANT]);
        self.forget(row);
        Ok((end == End::Least).then(|| -(-constant).div_euclid(divisor)))
    }

    /// Takes an inequality back if it follows from the others.
    pub fn without(&mut self, variable: usize) -> Fits<bool> {
        if self.is_empty {
            return Ok(false);
        }
        let Some(row) = self.row_of(variable)? else { return Ok(false) };
        self.kinds[variable] = Kind::Free;
        let end = self.minimize(row, true)?;
        if end == End::Least && self.is_above_minus_one(row) {
            return Ok(true);
        }
        self.kinds[variable] = Kind::Slack;
        self.raise(row)?;
        Ok(false)
    }

    /// Whether an inequality's left side can be at least 1.
    pub(crate) fn can_be_one(&mut self, variable: usize) -> Fits<bool> {
        if let Some(column) = self.columns.iter().position(|other| *other == variable) {
            match self.first_zero(column, -1, usize::MAX) {
                Some(row) if self.row(row)[CONSTANT] < -self.row(row)[FACTORS + column] => {
                    self.pivot(row, column)?
                }
                _ => return Ok(true),
            }
        }
        let Some(row) = self.heads.iter().position(|head| *head == variable) else { return Ok(false) };
        while self.row(row)[CONSTANT] < self.row(row)[DIVISOR] {
            let Some(column) = self.entering(row, 1) else { return Ok(false) };
            let Some(leaving) = self.first_zero(column, -1, row) else { return Ok(true) };
            self.pivot(leaving, column)?;
        }
        Ok(true)
    }

    /// Whether an inequality's left side could be at most -1 without the inequality: it does not follow from the others.
    pub(crate) fn could_be_below(&mut self, variable: usize) -> Fits<bool> {
        if let Some(column) = self.columns.iter().position(|other| *other == variable) {
            match self.first_zero(column, 1, usize::MAX) {
                Some(row) if self.row(row)[CONSTANT] < self.row(row)[FACTORS + column] => {}
                _ => return Ok(true),
            }
        }
        let follows = self.without(variable)?;
        if follows && let Some(row) = self.heads.iter().position(|head| *head == variable) {
            self.kinds[variable] = Kind::Slack;
            self.raise(row)?;
        }
        Ok(!follows)
    }

    /// Takes inequalities back if all of them follow from the others; otherwise the table is of no more use.
    pub(crate) fn without_all(&mut self, variables: &[usize]) -> Fits<bool> {
        for variable in variables {
            if self.row_of(*variable)?.is_none() {
                return Ok(false);
            }
            self.kinds[*variable] = Kind::Free;
        }
        for variable in variables {
            let Some(row) = self.row_of(*variable)? else { return Ok(false) };
            if self.minimize(row, true)? != End::Least || !self.is_above_minus_one(row) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether a row's value is more than -1.
    fn is_above_minus_one(&self, row: usize) -> bool {
        let row = self.row(row);
        row[CONSTANT] > -row[DIVISOR]
    }

    /// The slack's row; if it is a column, after a pivot. `None` if nothing depends on it. The slack may be negative then.
    fn row_of(&mut self, variable: usize) -> Fits<Option<usize>> {
        if let Some(row) = self.heads.iter().position(|head| *head == variable) {
            return Ok(Some(row));
        }
        let Some(column) = self.columns.iter().position(|other| *other == variable) else { return Ok(None) };
        let row = self.first_zero(column, -1, usize::MAX).or_else(|| self.first_zero(column, 1, usize::MAX));
        if let Some(row) = row {
            self.pivot(row, column)?;
        }
        Ok(row)
    }

    fn width(&self) -> usize {
        FACTORS + self.columns.len()
    }

    fn row(&self, row: usize) -> &[i64] {
        &self.cells[row * self.width()..][..self.width()]
    }

    /// The last row goes.
    fn forget(&mut self, row: usize) {
        self.heads.truncate(row);
        self.cells.truncate(row * self.width());
    }

    /// A sum of unknowns as one of columns, in a new row.
    fn express(&mut self, sum: &[i64], variable: usize) -> Fits<usize> {
        let (new, width) = (self.heads.len(), self.width());
        self.cells.extend([1, sum[self.unknowns]]);
        let factor = |column: &usize| if *column < self.unknowns { sum[*column] } else { 0 };
        self.cells.extend(self.columns.iter().map(factor));
        let (known, row) = self.cells.split_at_mut(new * width);
        for (head, other) in self.heads.iter().zip(known.chunks_exact(width)) {
            let times = if *head < self.unknowns { sum[*head] } else { 0 };
            if times != 0 {
                let times = times.checked_mul(row[DIVISOR]).ok_or(TooBig)?;
                add(row, other, times)?;
            }
        }
        self.heads.push(variable);
        Ok(new)
    }

    /// Exchanges a row and a column, whose factor in it is not zero.
    fn pivot(&mut self, row: usize, column: usize) -> Fits<()> {
        let (at, width) = (FACTORS + column, self.width());
        std::mem::swap(&mut self.heads[row], &mut self.columns[column]);
        let (before, rest) = self.cells.split_at_mut(row * width);
        let (new, after) = rest.split_at_mut(width);
        let (factor, divisor) = (new[at], new[DIVISOR]);
        new[at] = -divisor;
        new[DIVISOR] = factor.checked_abs().ok_or(TooBig)?;
        if factor > 0 {
            new[CONSTANT..].iter_mut().for_each(|factor| *factor = -*factor);
        }
        for other in before.chunks_exact_mut(width).chain(after.chunks_exact_mut(width)) {
            let times = other[at];
            if times != 0 {
                other[at] = 0;
                add(other, new, times)?;
            }
        }
        Ok(())
    }

    /// The row that becomes zero first if the column grows (direction -1) or becomes less (1); slacks count, but not the one
    /// of row `except`.
    fn first_zero(&self, column: usize, direction: i64, except: usize) -> Option<usize> {
        let mut found: Option<(usize, i64, i64)> = None;
        for (at, (head, row)) in self.heads.iter().zip(self.cells.chunks_exact(self.width())).enumerate() {
            let factor = row[FACTORS + column].saturating_mul(direction);
            if at == except || factor <= 0 || self.kinds.get(*head).is_none_or(|kind| *kind == Kind::Free) {
                continue;
            }
            let value = row[CONSTANT];
            let is_first = found.is_none_or(|(best, best_value, best_factor)| {
                let (one, other) = (
                    i128::from(value) * i128::from(best_factor),
                    i128::from(best_value) * i128::from(factor),
                );
                one < other || one == other && *head < self.heads[best]
            });
            if is_first {
                found = Some((at, value, factor));
            }
        }
        found.map(|(at, ..)| at)
    }

    /// The column with the smallest number and a factor of that sign.
    fn entering(&self, row: usize, sign: i64) -> Option<usize> {
        let factors = &self.row(row)[FACTORS..];
        let fit = (0..self.columns.len()).filter(|at| factors[*at].signum() == sign);
        fit.min_by_key(|at| self.columns[*at])
    }

    /// Makes the row's value the least, whatever it is; if asked, only until it is at most -1.
    fn minimize(&mut self, row: usize, stops: bool) -> Fits<End> {
        let is_free = |(column, factor): (&usize, &i64)| *factor != 0 && self.kinds[*column] == Kind::Free;
        if self.columns.iter().zip(&self.row(row)[FACTORS..]).any(is_free) {
            return Ok(End::Unbounded);
        }
        loop {
            if stops && !self.is_above_minus_one(row) {
                return Ok(End::Below);
            }
            let Some(column) = self.entering(row, -1) else { return Ok(End::Least) };
            let Some(leaving) = self.first_zero(column, -1, row) else { return Ok(End::Unbounded) };
            self.pivot(leaving, column)?;
        }
    }

    /// Makes the row's value at least zero; whether that is possible.
    fn raise(&mut self, row: usize) -> Fits<bool> {
        loop {
            if self.row(row)[CONSTANT] >= 0 {
                return Ok(true);
            }
            let Some(column) = self.entering(row, 1) else { return Ok(false) };
            let (need, factor) = (-self.row(row)[CONSTANT], self.row(row)[FACTORS + column]);
            let leaving = self.first_zero(column, -1, row).filter(|other| {
                let other = self.row(*other);
                let (value, by) = (other[CONSTANT], -other[FACTORS + column]);
                i128::from(value) * i128::from(factor) < i128::from(need) * i128::from(by)
            });
            match leaving {
                Some(leaving) => self.pivot(leaving, column)?,
                None => {
                    self.pivot(row, column)?;
                    return Ok(true);
                }
            }
        }
    }
}

/// Adds `times / divisor` of the other row's value to a row, where the divisor is this row's.
fn add(row: &mut [i64], other: &[i64], times: i64) -> Fits<()> {
    let common = if other[DIVISOR] == 1 { 1 } else { gcd(times, other[DIVISOR]) };
    let (times, by) = (times / common, other[DIVISOR] / common);
    let (mut bits, mut is_large) = (0, false);
    for (mine, others) in row[CONSTANT..].iter_mut().zip(&other[CONSTANT..]) {
        let (a, a_large) = mine.overflowing_mul(by);
        let (b, b_large) = others.overflowing_mul(times);
        let (sum, sum_large) = a.overflowing_add(b);
        is_large |= a_large | b_large | sum_large;
        // All bits that some magnitude has, or nearly so.
        bits |= sum ^ (sum >> 63);
        *mine = sum;
    }
    row[DIVISOR] = row[DIVISOR].checked_mul(by).ok_or(TooBig)?;
    if is_large || bits == i64::MAX {
        return Err(TooBig);
    }
    if bits.max(row[DIVISOR]) >= SMALL {
        reduce(row);
    }
    Ok(())
}

/// Divides a row by what all of its numbers have in common.
fn reduce(row: &mut [i64]) {
    let common = row.iter().fold(0, |all, factor| if all == 1 { 1 } else { gcd(all, *factor) });
    if common > 1 {
        row.iter_mut().for_each(|factor| *factor /= common);
    }
}

/// Not negative.
pub fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, the same each time.
    fn numbers(seed: u64) -> impl FnMut(i64) -> i64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        move |below| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.unsigned_abs()) as i64
        }
    }

    fn value(sum: &[i64], at: [i64; 2]) -> i64 {
        sum[0] * at[0] + sum[1] * at[1] + sum[2]
    }

    /// The points within a box, which holds all solutions.
    fn points(all: &[Inequality]) -> Vec<[i64; 2]> {
        let square = (-9..=9).flat_map(|x| (-9..=9).map(move |y| [x, y]));
        square.filter(|at| all.iter().all(|each| value(each, *at) >= 0)).collect()
    }

    #[test]
    fn what_follows_holds_for_all_points() {
        let (mut followed, mut empty) = (0, 0);
        for seed in 1..2000 {
            let mut next = numbers(seed);
            let mut random = || vec![next(7) - 3, next(7) - 3, next(13) - 6];
            let mut all: Vec<Inequality> = (0..4).map(|_| random()).collect();
            all.extend([vec![1, 0, 9], vec![-1, 0, 9], vec![0, 1, 9], vec![0, -1, 9]]);
            let mut table = Table::of(2, &all).unwrap();
            let found = points(&all);
            assert!(!table.is_empty() || found.is_empty(), "{all:?}");
            empty += u32::from(table.is_empty());
            if table.is_empty() {
                continue;
            }
            for _ in 0..5 {
                let sum = random();
                let holds = found.iter().all(|at| value(&sum, *at) >= 0);
                let follows = table.implies(&sum).unwrap();
                assert!(!follows || holds, "{all:?} {sum:?}");
                followed += u32::from(follows);
                let least = table.least(&sum).unwrap().unwrap();
                assert!(found.iter().all(|at| value(&sum, *at) >= least), "{all:?} {sum:?} {least}");
            }
        }
        assert!(followed > 500 && empty > 100, "{followed} {empty}");
    }

    #[test]
    fn what_is_taken_back_does_not_change_the_points() {
        let mut dropped = 0;
        for seed in 1..2000 {
            let mut next = numbers(seed + 5000);
            let mut all: Vec<Inequality> =
                (0..6).map(|_| vec![next(7) - 3, next(7) - 3, next(13) - 3]).collect();
            all.extend([vec![1, 0, 9], vec![-1, 0, 9], vec![0, 1, 9], vec![0, -1, 9]]);
            let mut table = Table::new(2);
            let names: Vec<usize> = all.iter().map(|each| table.add(each).unwrap()).collect();
            let mut kept = Vec::new();
            for (each, name) in all.iter().zip(names) {
                match table.without(name).unwrap() {
                    true => dropped += 1,
                    false => kept.push(each.clone()),
                }
            }
            assert_eq!(points(&all), points(&kept), "{all:?}");
        }
        assert!(dropped > 5000, "{dropped}");
    }

    #[test]
    fn nothing_follows_about_what_is_free() {
        let mut table = Table::of(3, &[vec![1, -1, 0, 0], vec![0, 1, 0, -4]]).unwrap();
        assert!(table.implies(&[1, 0, 0, -4]).unwrap());
        assert!(!table.implies(&[1, 0, 0, -5]).unwrap());
        assert!(!table.implies(&[0, 0, 1, 0]).unwrap());
        assert_eq!(table.least(&[1, 0, 1, 0]).unwrap(), None);
        assert_eq!(table.least(&[2, 0, 0, 0]).unwrap(), Some(8));
    }
}
