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
pub(crate) struct TooBig;

pub(crate) type Fits<T> = Result<T, TooBig>;

/// The factors of all unknowns, then the constant.
pub(crate) type Inequality = Vec<i64>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// At least zero.
    Slack,
    /// An unknown, or an inequality that was taken back.
    Free,
}

#[derive(Clone)]
struct Row {
    variable: usize,
    divisor: i64,
    /// The constant, then one for each column.
    factors: Vec<i64>,
}

#[derive(Clone)]
pub(crate) struct Table {
    unknowns: usize,
    /// Of each variable: the unknowns, then the slacks.
    kinds: Vec<Kind>,
    columns: Vec<usize>,
    rows: Vec<Row>,
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

impl Table {
    /// No inequalities yet.
    pub fn new(unknowns: usize) -> Table {
        Table {
            unknowns,
            kinds: vec![Kind::Free; unknowns],
            columns: (0..unknowns).collect(),
            rows: Vec::new(),
            is_empty: false,
        }
    }

    /// With all these.
    pub fn of(unknowns: usize, all: &[Inequality]) -> Fits<Table> {
        let mut table = Table::new(unknowns);
        for inequality in all {
            table.add(inequality)?;
        }
        Ok(table)
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
        let row = self.expressed(inequality, variable)?;
        let free = (0..self.columns.len())
            .find(|at| row.factors[at + 1] != 0 && self.kinds[self.columns[*at]] == Kind::Free);
        self.rows.push(row);
        match free {
            Some(column) => self.pivot(self.rows.len() - 1, column)?,
            None => self.is_empty = !self.raise(self.rows.len() - 1)?,
        }
        Ok(variable)
    }

    /// Whether the inequality follows.
    pub fn implies(&mut self, inequality: &[i64]) -> Fits<bool> {
        if self.is_empty || inequality[..self.unknowns].iter().all(|factor| *factor == 0) {
            return Ok(self.is_empty || inequality[self.unknowns] >= 0);
        }
        self.rows.push(self.expressed(inequality, usize::MAX)?);
        let end = self.minimize(self.rows.len() - 1, true)?;
        let row = self.rows.pop();
        Ok(end == End::Least && row.is_some_and(|row| row.factors[0] > -row.divisor))
    }

    /// An integer that the sum is never less than, as great as follows; `None` if there is none.
    pub fn least(&mut self, sum: &[i64]) -> Fits<Option<i64>> {
        self.rows.push(self.expressed(sum, usize::MAX)?);
        let end = self.minimize(self.rows.len() - 1, false)?;
        let row = self.rows.pop().filter(|_| end == End::Least);
        Ok(row.map(|row| -(-row.factors[0]).div_euclid(row.divisor)))
    }

    /// Takes an inequality back if it follows from the others.
    pub fn without(&mut self, variable: usize) -> Fits<bool> {
        if self.is_empty {
            return Ok(false);
        }
        let Some(row) = self.row_of(variable)? else { return Ok(false) };
        self.kinds[variable] = Kind::Free;
        let end = self.minimize(row, true)?;
        if end == End::Least && self.rows[row].factors[0] > -self.rows[row].divisor {
            return Ok(true);
        }
        self.kinds[variable] = Kind::Slack;
        self.raise(row)?;
        Ok(false)
    }

    /// The slack's row; if it is a column, after a pivot. `None` if nothing depends on it. The slack may be negative then.
    fn row_of(&mut self, variable: usize) -> Fits<Option<usize>> {
        if let Some(row) = self.rows.iter().position(|row| row.variable == variable) {
            return Ok(Some(row));
        }
        let Some(column) = self.columns.iter().position(|other| *other == variable) else { return Ok(None) };
        let row = self.first_zero(column, -1, usize::MAX).or_else(|| self.first_zero(column, 1, usize::MAX));
        if let Some(row) = row {
            self.pivot(row, column)?;
        }
        Ok(row)
    }

    /// A sum of unknowns as one of columns.
    fn expressed(&self, sum: &[i64], variable: usize) -> Fits<Row> {
        let mut all = Row { variable, divisor: 1, factors: vec![0; self.columns.len() + 1] };
        all.factors[0] = sum[self.unknowns];
        for (at, column) in self.columns.iter().enumerate().filter(|(_, column)| **column < self.unknowns) {
            all.factors[at + 1] = sum[*column];
        }
        for row in self.rows.iter().filter(|row| row.variable < self.unknowns) {
            let times = sum[row.variable];
            if times != 0 {
                all.add(row, times)?;
            }
        }
        Ok(all)
    }

    /// Exchanges a row and a column, whose factor in it is not zero.
    fn pivot(&mut self, row: usize, column: usize) -> Fits<()> {
        let at = column + 1;
        let mut new = self.rows[row].clone();
        std::mem::swap(&mut new.variable, &mut self.columns[column]);
        let factor = new.factors[at];
        new.factors[at] = -new.divisor;
        new.divisor = factor.checked_abs().ok_or(TooBig)?;
        if factor > 0 {
            new.factors.iter_mut().for_each(|factor| *factor = -*factor);
        }
        for other in 0..self.rows.len() {
            let times = self.rows[other].factors[at];
            if other != row && times != 0 {
                self.rows[other].factors[at] = 0;
                self.rows[other].add_of(&new, times)?;
            }
        }
        self.rows[row] = new;
        Ok(())
    }

    /// The row that becomes zero first if the column grows (direction -1) or becomes less (1); slacks count, but not the one
    /// of row `except`.
    fn first_zero(&self, column: usize, direction: i64, except: usize) -> Option<usize> {
        let mut found: Option<(usize, i64, i64)> = None;
        for (at, row) in self.rows.iter().enumerate() {
            let factor = row.factors[column + 1].saturating_mul(direction);
            if at == except || factor <= 0 || row.variable >= self.kinds.len() {
                continue;
            }
            if self.kinds[row.variable] == Kind::Free {
                continue;
            }
            let value = row.factors[0];
            let is_first = found.is_none_or(|(best, best_value, best_factor)| {
                let (one, other) = (
                    i128::from(value) * i128::from(best_factor),
                    i128::from(best_value) * i128::from(factor),
                );
                one < other || one == other && row.variable < self.rows[best].variable
            });
            if is_first {
                found = Some((at, value, factor));
            }
        }
        found.map(|(at, ..)| at)
    }

    /// The column with the smallest number and a factor of that sign.
    fn entering(&self, row: usize, sign: i64) -> Option<usize> {
        let factors = &self.rows[row].factors[1..];
        let fit = (0..self.columns.len()).filter(|at| factors[*at].signum() == sign);
        fit.min_by_key(|at| self.columns[*at])
    }

    /// Makes the row's value the least, whatever it is; if asked, only until it is at most -1.
    fn minimize(&mut self, row: usize, stops: bool) -> Fits<End> {
        let is_free = |at: usize| self.kinds[self.columns[at]] == Kind::Free;
        if (0..self.columns.len()).any(|at| self.rows[row].factors[at + 1] != 0 && is_free(at)) {
            return Ok(End::Unbounded);
        }
        loop {
            if stops && self.rows[row].factors[0] <= -self.rows[row].divisor {
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
            if self.rows[row].factors[0] >= 0 {
                return Ok(true);
            }
            let Some(column) = self.entering(row, 1) else { return Ok(false) };
            let (need, factor) = (-self.rows[row].factors[0], self.rows[row].factors[column + 1]);
            let leaving = self.first_zero(column, -1, row).filter(|other| {
                let other = &self.rows[*other];
                let (value, by) = (other.factors[0], -other.factors[column + 1]);
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

impl Row {
    /// Adds a multiple of another row's value.
    fn add(&mut self, other: &Row, times: i64) -> Fits<()> {
        let times = times.checked_mul(self.divisor).ok_or(TooBig)?;
        self.add_of(other, times)
    }

    /// Adds `times / divisor` of the other row's value, where the divisor is this row's.
    fn add_of(&mut self, other: &Row, times: i64) -> Fits<()> {
        let common = gcd(times, other.divisor);
        let (times, by) = (times / common, other.divisor / common);
        let mut greatest = 0;
        for (mine, others) in self.factors.iter_mut().zip(&other.factors) {
            let sum = mine.checked_mul(by).zip(others.checked_mul(times));
            *mine = sum.and_then(|(a, b)| a.checked_add(b)).ok_or(TooBig)?;
            greatest = greatest.max(mine.saturating_abs());
        }
        self.divisor = self.divisor.checked_mul(by).ok_or(TooBig)?;
        if greatest.max(self.divisor) > SMALL {
            self.reduce();
        }
        if greatest == i64::MAX { Err(TooBig) } else { Ok(()) }
    }

    fn reduce(&mut self) {
        let common = self.factors.iter().fold(self.divisor, |all, factor| gcd(all, *factor));
        if common > 1 {
            self.divisor /= common;
            self.factors.iter_mut().for_each(|factor| *factor /= common);
        }
    }
}

/// Not negative.
pub(crate) fn gcd(a: i64, b: i64) -> i64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i64::try_from(a).unwrap_or(1)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Numbers that look random, the same each time.
    pub(crate) fn numbers(seed: u64) -> impl FnMut(i64) -> i64 {
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
