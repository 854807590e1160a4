//! A smaller instance of a program, for isl's scheduler.
//!
//! The scheduler solves integer programs whose entries are the numbers in the dependences. With arrays of constant size
//! these are extents like 1999 and strides like 2000, cuts multiply them, and single pivots then take milliseconds:
//! a nest that is scheduled at once with 40 for 2000 takes minutes. But the order that is found hardly ever depends
//! on how large a large number is. So large numbers are replaced by smaller ones, in the same order and with the same
//! small differences: 1998, 1999, 2000 and 5000 become 32, 33, 34 and 50. Relations with division are over-approximated
//! by ones without.
//!
//! Nothing is promised about the result: whoever schedules the smaller program must prove the order legal for the real
//! one.

use isl::{BasicMap, Constraint, DimType, Map, Schedule, UnionMap, UnionSet, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from here on are large.
const LARGE: i64 = 32;
/// The greatest difference of neighbours that is kept.
const GAP: i64 = 16;

/// What becomes of each large number.
pub struct Shrink {
    small: BTreeMap<i64, i64>,
}

impl Shrink {
    /// For the numbers in these relations; `None` if none is large.
    pub fn of(relations: &[&UnionMap]) -> isl::Result<Option<Shrink>> {
        let mut large = BTreeSet::new();
        for relation in relations {
            for map in relation.get_map_list()?.to_vec()? {
                for part in map.remove_divs()?.get_basic_map_list()?.to_vec()? {
                    collect(&part, &mut large)?;
                }
            }
        }
        let mut small = BTreeMap::new();
        let mut last = None;
        for number in large {
            let new = last.map_or(LARGE, |(old, new): (i64, i64)| new + (number - old).min(GAP));
            small.insert(number, new);
            last = Some((number, new));
        }
        Ok((!small.is_empty()).then_some(Shrink { small }))
    }

    /// The relation with small numbers.
    pub fn map(&self, relation: &UnionMap) -> isl::Result<UnionMap> {
        let mut all = UnionMap::empty_ctx(relation.ctx())?;
        for map in relation.get_map_list()?.to_vec()? {
            for part in map.remove_divs()?.get_basic_map_list()?.to_vec()? {
                all = all.union(self.part(&part)?.to_union_map()?)?;
            }
        }
        Ok(all)
    }

    /// The set with small numbers.
    pub fn set(&self, set: UnionSet) -> isl::Result<UnionSet> {
        self.map(&UnionMap::from_domain(set)?)?.domain()
    }

    fn part(&self, part: &BasicMap) -> isl::Result<Map> {
        let mut all = BasicMap::universe(part.get_space()?)?;
        for constraint in part.get_constraint_list()?.to_vec()? {
            all = all.add_constraint(self.constraint(part, constraint)?)?;
        }
        Map::from_basic_map(all)
    }

    fn constraint(&self, part: &BasicMap, constraint: Constraint) -> isl::Result<Constraint> {
        let mut new = constraint.clone();
        if let Some(small) = self.number(&constraint.get_constant_val()?)? {
            new = new.set_constant_val(small)?;
        }
        for (kind, at) in dims(part)? {
            if let Some(small) = self.number(&constraint.get_coefficient_val(kind, at)?)? {
                new = new.set_coefficient_val(kind, at, small)?;
            }
        }
        Ok(new)
    }

    fn number(&self, value: &Val) -> isl::Result<Option<Val>> {
        let Some(old) = small_enough(value)? else { return Ok(None) };
        let new = self.small.get(&old.abs()).map(|new| new * old.signum());
        new.map(|new| Val::int_from_si(value.ctx(), new)).transpose()
    }
}

fn collect(part: &BasicMap, large: &mut BTreeSet<i64>) -> isl::Result<()> {
    for constraint in part.get_constraint_list()?.to_vec()? {
        let mut note = |value: Val| -> isl::Result<()> {
            large.extend(small_enough(&value)?.map(i64::abs).filter(|number| *number >= LARGE));
            Ok(())
        };
        note(constraint.get_constant_val()?)?;
        for (kind, at) in dims(part)? {
            note(constraint.get_coefficient_val(kind, at)?)?;
        }
    }
    Ok(())
}

fn dims(part: &BasicMap) -> isl::Result<Vec<(DimType, usize)>> {
    let mut all = Vec::new();
    for kind in [DimType::Param, DimType::In, DimType::Out] {
        all.extend((0..part.dim(kind)?).map(|at| (kind, at)));
    }
    Ok(all)
}

/// The number, unless 64 bits do not hold it; then it stays as it is.
fn small_enough(value: &Val) -> isl::Result<Option<i64>> {
    Ok(value.to_string().parse::<i64>().ok().filter(|number| *number != i64::MIN))
}

/// The schedule of a smaller program as one of `domain`.
pub fn on_domain(schedule: &Schedule, domain: &UnionSet) -> isl::Result<Schedule> {
    let text = schedule.to_str()?;
    let head = "domain: \"";
    let start = text.find(head).map_or(0, |at| at + head.len());
    let end = text[start..].find('"').map_or(start, |length| start + length);
    let text = format!("{}{}{}", &text[..start], domain.to_str()?, &text[end..]);
    Schedule::read_from_str(schedule.ctx(), &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    #[test]
    fn large_numbers_keep_their_order_and_small_differences() -> isl::Result<()> {
        let ctx = Ctx::new();
        let read = |text: &str| UnionMap::read_from_str(&ctx, text);
        let strided = read("{ R[i, j] -> T[2000i + j] : 0 <= i < 1999 and 7 <= j <= 5000 }")?;
        let next = read("{ S[i, j] -> S[i, j + 1] : i <= 1998 and j < 3 }")?;
        let Some(shrink) = Shrink::of(&[&strided, &next])? else { panic!("there are large numbers") };
        let expect = |found: UnionMap, text: &str| -> isl::Result<()> {
            assert!(found.is_equal(&read(text)?)?, "{}", found.to_str()?);
            Ok(())
        };
        expect(shrink.map(&next)?, "{ S[i, j] -> S[i, j + 1] : i <= 32 and j < 3 }")?;
        expect(shrink.map(&strided)?, "{ R[i, j] -> T[34i + j] : 0 <= i <= 32 and 7 <= j <= 50 }")?;
        let domain = shrink.set(UnionSet::read_from_str(&ctx, "{ S[i] : 0 <= i <= 5000 }")?)?;
        assert!(
            domain.is_equal(&UnionSet::read_from_str(&ctx, "{ S[i] : 0 <= i <= 50 }")?)?,
            "{}",
            domain.to_str()?
        );
        Ok(())
    }

    #[test]
    fn a_schedule_moves_to_another_domain() -> isl::Result<()> {
        let ctx = Ctx::new();
        let text = "{ domain: \"{ S[i] : 0 <= i < 32 }\", child: { schedule: \"[{ S[i] -> [(-i)] }]\" } }";
        let domain = UnionSet::read_from_str(&ctx, "{ S[i] : 0 <= i < 2000 }")?;
        let moved = on_domain(&Schedule::read_from_str(&ctx, text)?, &domain)?;
        assert!(moved.get_domain()?.is_equal(&domain)?);
        let order = UnionMap::read_from_str(&ctx, "{ S[i] -> [-i] : 0 <= i < 2000 }")?;
        assert!(moved.get_map()?.intersect_domain(domain)?.is_equal(&order)?);
        Ok(())
    }
}
