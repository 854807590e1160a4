//! Pairs of instances compared by the value that a loop has for them.
//!
//! isl has operations for that, which build a relation of all instances of any two statements first, and intersect the pairs with it. Nearly
//! always a loop runs over an affine expression of the counters, and then the comparison is one more constraint on the
//! pairs that there are.

use isl::{Constraint, DimType, LocalSpace, Map, PwAff, UnionMap, UnionPwAff, Val};

/// The values of one loop.
pub(crate) struct Values(Vec<(String, Time)>);

impl Values {
    /// Those of a band's member.
    pub fn of(member: &UnionPwAff) -> isl::Result<Values> {
        let mut all = Vec::new();
        for function in member.get_pw_aff_list()?.to_vec()? {
            let name = function.get_tuple_id(DimType::In)?.get_name()?.unwrap_or_default();
            all.push((name, Time::of(function)?));
        }
        Ok(Values(all))
    }

    /// Those pairs of `{ S[i] -> T[j] }` whose values are in this order. What is not in the loop has none.
    pub fn compared(&self, pairs: &UnionMap, order: Position) -> isl::Result<UnionMap> {
        let mut found = UnionMap::empty_ctx(pairs.ctx())?;
        for map in pairs.get_map_list()?.to_vec()? {
            if let Some(some) = self.of_one(&map, order)? {
                found = found.union(UnionMap::from_map(some)?)?;
            }
        }
        Ok(found)
    }

    /// Whether there are no such pairs.
    pub fn has_none(&self, pairs: &UnionMap, order: Position) -> isl::Result<bool> {
        for map in pairs.get_map_list()?.to_vec()? {
            if let Some(some) = self.of_one(&map, order)?
                && !some.is_empty()?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all pairs have the same value.
    pub fn are_equal(&self, pairs: &UnionMap) -> isl::Result<bool> {
        Ok(self.has_none(pairs, Position::Before)? && self.has_none(pairs, Position::After)?)
    }

    /// That of the only statement in the loop, if there is one alone.
    pub fn single(mut self) -> Option<Time> {
        let (_, last) = self.0.pop()?;
        self.0.is_empty().then_some(last)
    }

    fn of_one(&self, pairs: &Map, order: Position) -> isl::Result<Option<Map>> {
        let time = |end| -> isl::Result<Option<&Time>> {
            let name = pairs.get_tuple_name(end)?.unwrap_or_default();
            Ok(self.0.iter().find(|(own, _)| *own == name).map(|(_, time)| time))
        };
        let (Some(first), Some(second)) = (time(DimType::In)?, time(DimType::Out)?) else { return Ok(None) };
        let some = first.compared(second, order, pairs)?;
        Ok(if some.plain_is_empty()? { None } else { Some(some) })
    }
}

/// An affine expression of a statement's counters.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    counters: Vec<i64>,
    params: Vec<(String, i64)>,
    constant: i64,
}

/// The value of a band's member for a statement.
#[derive(Clone, Debug)]
pub(crate) struct Time {
    function: PwAff,
    /// If it is an affine expression, or the same rising function of one for all statements: that.
    row: Option<Row>,
    /// The function, for `scale * floor(row / size) + shift`: these.
    pub floor: Option<[i64; 3]>,
}

/// How the first of two values is to the second.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Position {
    Before,
    Same,
    After,
}

impl Time {
    pub fn of(function: PwAff) -> isl::Result<Time> {
        let mut time = Time { function, row: None, floor: None };
        if !time.function.isa_aff()? {
            return Ok(time);
        }
        let aff = time.function.clone().as_aff()?;
        let mut divs = Vec::new();
        for at in 0..aff.dim(DimType::Div)? {
            let by = number(&aff.get_coefficient_val(DimType::Div, at)?);
            if by != Some(0) {
                divs.push((at, by));
            }
        }
        match divs[..] {
            [] => time.row = row(&aff)?,
            [(at, Some(scale @ 1..))] => {
                let shift = row_without_divs(&aff)?
                    .filter(|row| row.counters.iter().all(|by| *by == 0) && row.params.is_empty());
                let inner = aff.get_div(at)?;
                let size = inner.get_denominator_val()?;
                let inner = inner.scale_val(size.clone())?;
                if let (Some(shift), Some(size), Some(row)) = (shift, number(&size), row(&inner)?) {
                    (time.row, time.floor) = (Some(row), Some([scale, size, shift.constant]));
                }
            }
            _ => {}
        }
        Ok(time)
    }

    /// Pairs of the relation whose values are in this order.
    pub fn compared(&self, other: &Time, order: Position, relation: &Map) -> isl::Result<Map> {
        if let (Some(first), Some(second), None, None) = (&self.row, &other.row, self.floor, other.floor)
            && let Some(compared) = rows_compared(first, second, order, relation)?
        {
            return Ok(compared);
        }
        let (first, second) =
            (Map::from_pw_aff(self.function.clone())?, Map::from_pw_aff(other.function.clone())?);
        relation.clone().intersect(match order {
            Position::Before => first.lex_lt_map(second)?,
            Position::Same => first.apply_range(second.reverse()?)?,
            Position::After => first.lex_gt_map(second)?,
        })
    }

    /// If this is the first row of the strip in which a loop is: how many rows a strip has.
    pub fn strip_over(&self, loop_: &Time) -> Option<i64> {
        match self.floor {
            Some([scale, size, 0]) if scale == size && loop_.floor.is_none() => {
                (self.row.is_some() && self.row == loop_.row).then_some(size)
            }
            _ => None,
        }
    }

    /// Whether both are the same function of some row.
    pub fn rises_with<'t>(&'t self, other: &'t Time) -> Option<(&'t Row, &'t Row)> {
        let rows = self.row.as_ref().zip(other.row.as_ref());
        rows.filter(|_| self.floor == other.floor)
    }
}

/// The pairs with this order of two rows; `None` if the relation does not have their parameters.
pub(crate) fn rows_compared(
    first: &Row,
    second: &Row,
    order: Position,
    relation: &Map,
) -> isl::Result<Option<Map>> {
    let local = LocalSpace::from_space(relation.get_space()?)?;
    let mut constraint = match order {
        Position::Same => Constraint::alloc_equality(local)?,
        _ => Constraint::alloc_inequality(local)?,
    };
    // `sign * (first - second) >= 1`, or `= 0`.
    let (sign, less) = match order {
        Position::Before => (-1, 1),
        Position::Same => (1, 0),
        Position::After => (1, 1),
    };
    let ctx = relation.ctx();
    let val = |value: i64| Val::int_from_si(ctx, value);
    for (side, row, sign) in [(DimType::In, first, sign), (DimType::Out, second, -sign)] {
        for (at, by) in row.counters.iter().enumerate().filter(|(_, by)| **by != 0) {
            constraint = constraint.set_coefficient_val(side, at, val(sign * by)?)?;
        }
    }
    for (name, _) in first.params.iter().chain(&second.params) {
        let by = |row: &Row| row.params.iter().find(|(own, _)| own == name).map_or(0, |(_, by)| *by);
        let Some(at) = relation.find_dim_by_name(DimType::Param, name)? else { return Ok(None) };
        let by = sign * (by(first) - by(second));
        constraint = constraint.set_coefficient_val(DimType::Param, at, val(by)?)?;
    }
    constraint = constraint.set_constant_val(val(sign * (first.constant - second.constant) - less)?)?;
    relation.clone().add_constraint(constraint).map(Some)
}

/// An affine expression without division as a row.
fn row(aff: &isl::Aff) -> isl::Result<Option<Row>> {
    for at in 0..aff.dim(DimType::Div)? {
        if number(&aff.get_coefficient_val(DimType::Div, at)?) != Some(0) {
            return Ok(None);
        }
    }
    row_without_divs(aff)
}

/// The same, whatever it divides.
fn row_without_divs(aff: &isl::Aff) -> isl::Result<Option<Row>> {
    let mut row = Row { counters: Vec::new(), params: Vec::new(), constant: 0 };
    for at in 0..aff.dim(DimType::In)? {
        let Some(by) = number(&aff.get_coefficient_val(DimType::In, at)?) else { return Ok(None) };
        row.counters.push(by);
    }
    for at in 0..aff.dim(DimType::Param)? {
        let Some(by) = number(&aff.get_coefficient_val(DimType::Param, at)?) else { return Ok(None) };
        match aff.get_dim_name(DimType::Param, at)? {
            Some(name) if by != 0 => row.params.push((name, by)),
            None if by != 0 => return Ok(None),
            _ => {}
        }
    }
    let Some(constant) = number(&aff.get_constant_val()?) else { return Ok(None) };
    row.constant = constant;
    Ok(Some(row))
}

/// A small whole number.
fn number(value: &Val) -> Option<i64> {
    let is_int = value.is_int().unwrap_or(false);
    let number = value.get_num_si().ok().filter(|_| is_int)?;
    (number.abs() < 1 << 40).then_some(number)
}
