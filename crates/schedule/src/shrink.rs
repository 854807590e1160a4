//! The same program without large numbers, for isl's scheduler.
//!
//! The scheduler solves integer programs whose entries are the numbers in the dependences. With arrays of constant size
//! these are extents like 1999, cuts multiply them, and single pivots then take milliseconds: a nest that is scheduled
//! at once with `n` for 2000 takes minutes. But the order that is found hardly ever depends on how large a large number
//! is. So large constants become *stand-ins*: parameters, one for each group of numbers that are close to each other.
//! With 1998, 1999, 2000 and 5000 these are `k0`, `k0 + 1`, `k0 + 2` and `k1`, where `k0 < k1`. Large coefficients become
//! smaller ones in the same order. Relations with division are over-approximated by ones without.
//!
//! Nothing is promised about the result: whoever schedules the program with stand-ins must prove the order legal for
//! the real one.

use isl::{BasicMap, Constraint, DimType, LocalSpace, Map, Schedule, Set, Space, UnionMap, UnionSet, Val};
use std::collections::{BTreeMap, BTreeSet};

/// Numbers from here on are large.
const LARGE: i64 = 5;
/// Numbers from here on are no sizes but ends of the ranges of types. They meet no dependence and stay as they are.
const HUGE: i64 = 1 << 30;
/// Numbers that differ by at most this from the first one of a group belong to it.
const GAP: i64 = 16;
/// The stand-ins' names begin with this; no parameter of a model has such a name.
const NAME: &str = "orthant_k";

/// What stands for each large number.
pub struct Shrink {
    /// The first number of each group, ascending.
    groups: Vec<i64>,
    /// The smaller coefficients.
    coefficients: BTreeMap<i64, i64>,
}

impl Shrink {
    /// For the numbers in these relations; `None` if none is large.
    pub fn of(relations: &[&UnionMap]) -> isl::Result<Option<Shrink>> {
        let (mut constants, mut coefficients) = (BTreeSet::new(), BTreeSet::new());
        for relation in relations {
            for part in parts(relation)? {
                collect(&part, &mut constants, &mut coefficients)?;
            }
        }
        let mut groups: Vec<i64> = Vec::new();
        for number in constants {
            if groups.last().is_none_or(|first| number - first > GAP) {
                groups.push(number);
            }
        }
        let any = !groups.is_empty() || !coefficients.is_empty();
        let coefficients = coefficients.into_iter().zip(LARGE..).collect();
        Ok(any.then_some(Shrink { groups, coefficients }))
    }

    /// What is known about the stand-ins.
    pub fn context(&self, context: Set) -> isl::Result<Set> {
        if self.groups.is_empty() {
            return Ok(context);
        }
        let names: Vec<String> = (0..self.groups.len()).map(name).collect();
        let mut known = vec![format!("{} >= {LARGE}", names[0])];
        known.extend(names.windows(2).map(|pair| format!("{} > {} + {GAP}", pair[1], pair[0])));
        let text = format!("[{}] -> {{ : {} }}", names.join(", "), known.join(" and "));
        let known = Set::read_from_str(context.ctx(), &text)?;
        context.intersect(known)
    }

    /// The relation with stand-ins.
    pub fn map(&self, relation: &UnionMap) -> isl::Result<UnionMap> {
        let mut all = UnionMap::empty_ctx(relation.ctx())?;
        for part in parts(relation)? {
            all = all.union(self.part(&part)?.to_union_map()?)?;
        }
        Ok(all)
    }

    /// The set with stand-ins.
    pub fn set(&self, set: UnionSet) -> isl::Result<UnionSet> {
        self.map(&UnionMap::from_domain(set)?)?.domain()
    }

    fn part(&self, part: &BasicMap) -> isl::Result<Map> {
        let own = part.dim(DimType::Param)?;
        let mut space = part.get_space()?.add_dims(DimType::Param, self.groups.len())?;
        for group in 0..self.groups.len() {
            space = space.set_dim_name(DimType::Param, own + group, &name(group))?;
        }
        let mut all = BasicMap::universe(space.clone())?;
        for constraint in part.get_constraint_list()?.to_vec()? {
            all = all.add_constraint(self.constraint(part, &constraint, &space)?)?;
        }
        Map::from_basic_map(all)
    }

    /// The constraint in `space`, where the stand-ins follow the part's own parameters.
    fn constraint(&self, part: &BasicMap, constraint: &Constraint, space: &Space) -> isl::Result<Constraint> {
        let own = part.dim(DimType::Param)?;
        let local = LocalSpace::from_space(space.clone())?;
        let mut new = match constraint.is_equality()? {
            true => Constraint::alloc_equality(local)?,
            false => Constraint::alloc_inequality(local)?,
        };
        let constant = constraint.get_constant_val()?;
        match number(&constant).and_then(|number| self.stand_in(number).map(|found| (number, found))) {
            Some((number, (group, rest))) => {
                let sign = number.signum();
                new = new.set_constant_si(i32::try_from(sign * rest).unwrap_or(0))?;
                new = new.set_coefficient_si(DimType::Param, own + group, sign as i32)?;
            }
            None => new = new.set_constant_val(constant)?,
        }
        for (kind, at) in dims(part)? {
            let old = constraint.get_coefficient_val(kind, at)?;
            let small = number(&old)
                .and_then(|number| self.coefficients.get(&number.abs()).map(|small| small * number.signum()));
            new = match small {
                Some(small) => new.set_coefficient_val(kind, at, Val::int_from_si(old.ctx(), small)?)?,
                None => new.set_coefficient_val(kind, at, old)?,
            };
        }
        Ok(new)
    }

    /// The group of a large number, and how far the number is from the group's first.
    fn stand_in(&self, number: i64) -> Option<(usize, i64)> {
        let size = Some(number.abs()).filter(is_large)?;
        let group = self.groups.partition_point(|first| *first <= size).checked_sub(1)?;
        Some((group, size - self.groups[group]))
    }

    /// A schedule of the program with stand-ins as one of `domain`, with the numbers in their places.
    pub fn undo(&self, schedule: &Schedule, domain: &UnionSet) -> isl::Result<Schedule> {
        let text = with_domain(&schedule.to_str()?, &domain.to_str()?);
        Schedule::read_from_str(schedule.ctx(), &self.with_numbers(&text))
    }

    /// The schedule's text, in which each relation stands in quotation marks, with `2000` for `orthant_k0`, with `4000`
    /// for `2orthant_k0`, and without these names in the lists of parameters.
    fn with_numbers(&self, text: &str) -> String {
        let relations = text.split('"').map(|piece| match declared(piece) {
            Some((names, relation)) => {
                let own: Vec<&str> = names.split(", ").filter(|name| !name.starts_with(NAME)).collect();
                let head = if own.is_empty() { String::new() } else { format!("[{}] -> ", own.join(", ")) };
                head + &self.in_relation(relation)
            }
            None => piece.to_owned(),
        });
        relations.collect::<Vec<_>>().join("\"")
    }

    fn in_relation(&self, text: &str) -> String {
        let mut pieces = text.split(NAME);
        let mut new = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let end = piece.find(|c: char| !c.is_ascii_digit()).unwrap_or(piece.len());
            let group: usize = piece[..end].parse().unwrap_or(usize::MAX);
            let start = new.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            let factor: i64 = new[start..].parse().unwrap_or(1);
            new.truncate(start);
            new.push_str(&(factor * self.groups.get(group).unwrap_or(&0)).to_string());
            new.push_str(&piece[end..]);
        }
        new
    }
}

/// The parameters of `[n, m] -> { ... }` and the rest, if there are any.
fn declared(text: &str) -> Option<(&str, &str)> {
    let (names, relation) = text.strip_prefix('[')?.split_once("] -> ")?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | ',' | ' ');
    names.chars().all(plain).then_some((names, relation))
}

fn is_large(number: &i64) -> bool {
    (LARGE..HUGE).contains(number)
}

fn name(group: usize) -> String {
    format!("{NAME}{group}")
}

/// The schedule's text with another domain.
fn with_domain(text: &str, domain: &str) -> String {
    let head = "domain: \"";
    let start = text.find(head).map_or(0, |at| at + head.len());
    let end = text[start..].find('"').map_or(start, |length| start + length);
    format!("{}{}{}", &text[..start], domain, &text[end..])
}

fn parts(relation: &UnionMap) -> isl::Result<Vec<BasicMap>> {
    let mut all = Vec::new();
    for map in relation.get_map_list()?.to_vec()? {
        all.extend(map.remove_divs()?.get_basic_map_list()?.to_vec()?);
    }
    Ok(all)
}

fn collect(
    part: &BasicMap,
    constants: &mut BTreeSet<i64>,
    coefficients: &mut BTreeSet<i64>,
) -> isl::Result<()> {
    let large = |value: Val| number(&value).map(i64::abs).filter(is_large);
    for constraint in part.get_constraint_list()?.to_vec()? {
        constants.extend(large(constraint.get_constant_val()?));
        for (kind, at) in dims(part)? {
            coefficients.extend(large(constraint.get_coefficient_val(kind, at)?));
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
fn number(value: &Val) -> Option<i64> {
    value.to_string().parse::<i64>().ok().filter(|number| *number != i64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    fn example(ctx: &Ctx) -> isl::Result<(UnionMap, UnionMap, Shrink)> {
        let read = |text: &str| UnionMap::read_from_str(ctx, text);
        let strided = read("{ R[i, j] -> T[2000i + j] : 0 <= i < 1999 and 3 <= j <= 5000 }")?;
        let next = read("[n] -> { S[i, j] -> S[i, j + 1] : i <= 2000 and j < n }")?;
        let Some(shrink) = Shrink::of(&[&strided, &next])? else { panic!("there are large numbers") };
        Ok((strided, next, shrink))
    }

    #[test]
    fn close_numbers_share_a_stand_in() -> isl::Result<()> {
        let ctx = Ctx::new();
        let (strided, next, shrink) = example(&ctx)?;
        let expect = |found: UnionMap, text: &str| -> isl::Result<()> {
            assert!(found.is_equal(&UnionMap::read_from_str(&ctx, text)?)?, "{}", found.to_str()?);
            Ok(())
        };
        let head = "orthant_k0, orthant_k1] -> {";
        expect(
            shrink.map(&next)?,
            &format!("[n, {head} S[i, j] -> S[i, j + 1] : i <= orthant_k0 + 2 and j < n }}"),
        )?;
        expect(
            shrink.map(&strided)?,
            &format!("[{head} R[i, j] -> T[5i + j] : 0 <= i <= orthant_k0 and 3 <= j <= orthant_k1 }}"),
        )
    }

    #[test]
    fn stand_ins_become_numbers_again() -> isl::Result<()> {
        let ctx = Ctx::new();
        let (_, _, shrink) = example(&ctx)?;
        let text = "{ domain: \"[n, orthant_k0, orthant_k1] -> { S[i] : 0 <= i < orthant_k0 }\", child: { schedule: \
            \"[orthant_k1, n, orthant_k0] -> [{ S[i] -> [(2orthant_k0 - i + n)] }]\" } }";
        let domain = UnionSet::read_from_str(&ctx, "[n] -> { S[i] : 0 <= i < 2000 }")?;
        let moved = shrink.undo(&Schedule::read_from_str(&ctx, text)?, &domain)?;
        assert!(moved.get_domain()?.is_equal(&domain)?);
        let order = UnionMap::read_from_str(&ctx, "[n] -> { S[i] -> [3996 - i + n] : 0 <= i < 2000 }")?;
        let found = moved.get_map()?.intersect_domain(domain)?;
        assert!(found.is_equal(&order)?, "{}", found.to_str()?);
        Ok(())
    }

    #[test]
    fn lists_of_parameters_lose_the_stand_ins() -> isl::Result<()> {
        let (_, _, shrink) = example(&Ctx::new())?;
        let short = |text: &str| shrink.with_numbers(text);
        assert_eq!(short("\"[orthant_k0] -> { S[] }\""), "\"{ S[] }\"");
        assert_eq!(short("\"[n, orthant_k0, m] -> { S[] }\""), "\"[n, m] -> { S[] }\"");
        assert_eq!(short("\"[n] -> [{ S[i] -> [(orthant_k1)] }]\""), "\"[n] -> [{ S[i] -> [(5000)] }]\"");
        Ok(())
    }
}
