//! Whether points lie in a set, without asking isl for each of them.
//!
//! A set without parameters is turned into *pieces*, its disjuncts: rows `coefficients * x + constant` that must be 0 (or
//! not negative), over the set's dimensions followed by the piece's integer divisions, each of which is the floor of a
//! row over the dimensions and divisions before it. A point is in the set if all rows of some piece agree.
//!
//! Example: `{ [i] : i mod 3 = 1 }` is one piece with the division `q = floor(i / 3)` and the row `i - 3 q - 1 = 0`.
//!
//! Numbers that do not fit 64 bits make [`Member::of`] give up; then isl is asked.

use isl::{Aff, BasicSet, DimType, Result, Set, Val};

/// A linear expression: coefficients by position, and a constant.
struct Row {
    coefficients: Vec<i64>,
    constant: i64,
}

impl Row {
    fn at(&self, x: &[i128]) -> i128 {
        let terms = self.coefficients.iter().zip(x).map(|(c, x)| i128::from(*c) * x);
        terms.sum::<i128>() + i128::from(self.constant)
    }
}

/// One disjunct.
struct Piece {
    /// The divisions: numerator and denominator.
    divisions: Vec<(Row, i64)>,
    equalities: Vec<Row>,
    inequalities: Vec<Row>,
}

impl Piece {
    fn contains(&self, point: &[i64]) -> bool {
        let mut x: Vec<i128> = point.iter().map(|value| i128::from(*value)).collect();
        for (row, denominator) in &self.divisions {
            x.push(row.at(&x).div_euclid(i128::from(*denominator)));
        }
        self.equalities.iter().all(|row| row.at(&x) == 0)
            && self.inequalities.iter().all(|row| row.at(&x) >= 0)
    }
}

/// A set that can be asked.
pub struct Member {
    pieces: Vec<Piece>,
}

impl Member {
    /// The set must have no parameters. `None` if its numbers are too large.
    pub fn of(set: &Set) -> Result<Option<Member>> {
        let mut pieces = Vec::new();
        let mut fits = true;
        set.clone().compute_divs()?.foreach_basic_set(|basic| {
            match piece(&basic)? {
                Some(piece) => pieces.push(piece),
                None => fits = false,
            }
            Ok(())
        })?;
        Ok(fits.then_some(Member { pieces }))
    }

    /// Whether the point is in the set.
    pub fn contains(&self, point: &[i64]) -> bool {
        self.pieces.iter().any(|piece| piece.contains(point))
    }
}

fn number(value: &Val) -> Result<Option<i64>> {
    Ok(if value.is_int()? { value.to_str()?.parse().ok() } else { None })
}

fn piece(basic: &BasicSet) -> Result<Option<Piece>> {
    let (dims, count) = (basic.dim(DimType::Set)?, basic.dim(DimType::Div)?);
    let mut divisions = Vec::new();
    for at in 0..count {
        match division(&basic.get_div(at)?, dims, at)? {
            Some(found) => divisions.push(found),
            None => return Ok(None),
        }
    }
    let mut piece = Piece { divisions, equalities: Vec::new(), inequalities: Vec::new() };
    let mut fits = true;
    basic.foreach_constraint(|constraint| {
        let mut numbers = Vec::new();
        for (kind, dims) in [(DimType::Set, dims), (DimType::Div, count)] {
            for at in 0..dims {
                numbers.push(number(&constraint.get_coefficient_val(kind, at)?)?);
            }
        }
        numbers.push(number(&constraint.get_constant_val()?)?);
        let Some(mut coefficients) = numbers.into_iter().collect::<Option<Vec<i64>>>() else {
            fits = false;
            return Ok(());
        };
        let constant = coefficients.pop().unwrap_or(0);
        let rows = if constraint.is_equality()? { &mut piece.equalities } else { &mut piece.inequalities };
        rows.push(Row { coefficients, constant });
        Ok(())
    })?;
    Ok(fits.then_some(piece))
}

/// The numerator and the denominator of a division over the dimensions and the divisions before it.
fn division(aff: &Aff, dims: usize, before: usize) -> Result<Option<(Row, i64)>> {
    let denominator = aff.get_denominator_val()?;
    let scaled = |value: Val| number(&value.mul(denominator.clone())?);
    let mut coefficients = Vec::new();
    for (kind, dims) in [(DimType::In, dims), (DimType::Div, before)] {
        for at in 0..dims {
            coefficients.push(scaled(aff.get_coefficient_val(kind, at)?)?);
        }
    }
    let constant = scaled(aff.get_constant_val()?)?;
    let Some((coefficients, constant)) = coefficients.into_iter().collect::<Option<Vec<i64>>>().zip(constant)
    else {
        return Ok(None);
    };
    Ok(number(&denominator)?
        .filter(|d| *d > 0)
        .map(|denominator| (Row { coefficients, constant }, denominator)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    #[test]
    fn it_agrees_with_isl_on_every_point_of_a_box() {
        let ctx = Ctx::new();
        for text in [
            "{ [i, j] : 0 <= i <= j and j < 7 }",
            "{ [i, j] : i mod 3 = 1 and j = floor(i/2) + 1 }",
            "{ [i, j] : exists k : i = 2k + 5j and 0 <= k <= 3 }",
            "{ [i, j] : exists a, b : i = 3a + 4b and j = a - b and a, b >= 0 }",
            "{ [i, j] : (i + floor((i + j)/3)) mod 4 = 2 or i = j }",
            "{ [i, j] : 1 = 0 }",
        ] {
            let set: Set = ctx.parse(text).unwrap();
            let member = Member::of(&set).unwrap().expect(text);
            for i in -5..12 {
                for j in -5..12 {
                    let point: Set = ctx.parse(&format!("{{ [{i}, {j}] }}")).unwrap();
                    assert_eq!(
                        member.contains(&[i, j]),
                        point.is_subset(&set).unwrap(),
                        "{text} at {i}, {j}"
                    );
                }
            }
        }
    }

    #[test]
    fn large_numbers_are_left_to_isl() {
        let set: Set = Ctx::new().parse("{ [i] : i >= 99999999999999999999999999 }").unwrap();
        assert!(Member::of(&set).unwrap().is_none());
    }
}
