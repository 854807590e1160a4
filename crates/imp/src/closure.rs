//! What a loop does in `k` rounds, for every `k` at once (Section 5.1's transitive closure).
//!
//! Given the relation `R: { [x] -> [x'] }` of one round (loop condition included), the closure is
//! `C: { [x] -> [k, x'] }` with `(x, k, x')` in `C` iff `k` rounds lead from `x` to `x'`. Several methods
//! propose a `C`; **one check accepts it**: `C` is the closure if and only if
//!
//! * its part with `k < 0` is empty and its part with `k = 0` is the identity, and
//! * its part with `k > 0` equals `C` followed by one more round, `{ [x] -> [k + 1, R(x')] }`,
//!
//! by induction on `k`. Nothing is called exact that did not pass, whatever isl or a formula says.
//!
//! The methods, each tried when those before it fail:
//!
//! 1. *Closed form*: variables that move by a constant each round are `x + c k`; the others are taken as
//!    determined by the last one to three rounds (resets, copies, conditions on the parameters). The rounds
//!    before must all be possible: `k` is cut where the round's domain is left first.
//! 2. *Phases*: if the pieces of `R` fall into groups that are never returned to, the closure is the groups'
//!    closures one after the other.
//! 3. *Periods*: if `p` rounds together have a closed form, `k = p q + r`.
//! 4. isl's transitive closure.
//!
//! If all fail, the result is an over-approximation that is sound by induction: constant moves are kept, other
//! moves (and those of sums and differences of two variables) are bounded by their extremes times `k`, the
//! last round ends in the range of `R`.
//!
//! Example: `i := i + 2` while `i < n` has `R = { [i] -> [i + 2] : i < n }` and the closure
//! `{ [i] -> [k, i + 2k] : k >= 0 and (k = 0 or i + 2k < n + 2) }`.

use isl::{BasicMap, Ctx, DimType, Map, Result, Set};

/// A closure and whether it passed the check.
pub struct Closure {
    /// `{ [x] -> [k, x'] }`.
    pub map: Map,
    /// It is the closure, not just something that contains it.
    pub exact: bool,
}

/// Everything that is needed to write relations over the state.
pub struct Builder<'a> {
    /// The context.
    pub ctx: &'a Ctx,
    /// `[n, m] -> `.
    pub params: &'a str,
    /// The number of state variables.
    pub size: usize,
    /// What the names made here start with: no parameter does.
    pub prefix: &'a str,
    /// How many isl operations one method may use.
    pub budget: u64,
}

/// The most pieces of a relation that are looked at one by one.
const MAX_PIECES: usize = 10;
/// The longest period that is looked for.
const MAX_PERIOD: usize = 4;

/// A way to propose a closure; `None` if it does not apply.
type Method<'m> = &'m dyn Fn(&Map) -> Result<Option<Map>>;

impl Builder<'_> {
    fn map(&self, text: &str) -> Result<Map> {
        self.ctx.parse(&format!("{}{{ {text} }}", self.params))
    }

    fn names(&self, letter: &str) -> Vec<String> {
        (0..self.size).map(|k| format!("{}{letter}{k}", self.prefix)).collect()
    }

    /// The closure of `round`.
    pub fn closure(&self, round: &Map) -> Result<Closure> {
        let round = round.clone().coalesce()?;
        let methods: [Method<'_>; 4] =
            [&|r| self.closed_form(r), &|r| self.phases(r, 0), &|r| self.periods(r), &|r| self.by_isl(r)];
        let mut bound = None;
        for (at, method) in methods.iter().enumerate() {
            let found = self.ctx.with_budget(self.budget, || -> Result<Option<(Map, bool)>> {
                let Some(map) = method(&round)? else { return Ok(None) };
                let exact = self.is_closure(&map, &round)?;
                Ok(Some((map, exact)))
            });
            match found {
                Ok(Some((map, true))) => return Ok(Closure { map: map.coalesce()?, exact: true }),
                // isl's result contains the closure even if it is not exact; the others may be anything.
                Ok(Some((map, false))) if at == 3 => bound = Some(map),
                Ok(_) => {}
                Err(error) if error.is_budget() => {}
                Err(error) => return Err(error),
            }
        }
        let outer = self.bounded(&round)?;
        let map = match bound {
            None => outer,
            Some(map) => outer.intersect(map)?,
        };
        Ok(Closure { map: map.coalesce()?, exact: false })
    }

    /// The check of the header.
    fn is_closure(&self, map: &Map, round: &Map) -> Result<bool> {
        let negative = map.clone().upper_bound_si(DimType::Out, 0, -1)?;
        if !negative.is_empty()? {
            return Ok(false);
        }
        let zero = map.clone().fix_si(DimType::Out, 0, 0)?;
        if !zero.is_equal(&self.after(self.identity()?, 0)?)? {
            return Ok(false);
        }
        let positive = map.clone().lower_bound_si(DimType::Out, 0, 1)?;
        positive.is_equal(&map.clone().apply_range(self.lifted(round.clone(), 1)?)?)
    }

    fn identity(&self) -> Result<Map> {
        let tuple = self.names("a").join(", ");
        self.map(&format!("[{tuple}] -> [{tuple}]"))
    }

    /// `{ [x] -> [y] }` as `{ [x] -> [k, y] }` with the given `k`.
    fn after(&self, map: Map, k: i32) -> Result<Map> {
        map.insert_dims(DimType::Out, 0, 1)?.fix_si(DimType::Out, 0, k)
    }

    /// `{ [x] -> [y] }` as `{ [k, x] -> [k + rounds, y] }`.
    fn lifted(&self, map: Map, rounds: usize) -> Result<Map> {
        let (a, b) = (self.names("a"), self.names("b"));
        let k = format!("{}k", self.prefix);
        let head = self.map(&format!("[{}] -> [{}]", with(&k, &a), with(&format!("{k} + {rounds}"), &b)))?;
        map.insert_dims(DimType::In, 0, 1)?.insert_dims(DimType::Out, 0, 1)?.intersect(head)
    }

    /// For each variable the constant it moves by in every round, if there is one.
    fn moves(&self, round: &Map) -> Result<Vec<Option<i64>>> {
        let hull = Set::from_basic_set(round.clone().deltas()?.affine_hull()?)?;
        let fixed = |k| -> Result<Option<i64>> {
            let value = hull.plain_get_val_if_fixed(DimType::Out, k)?;
            Ok(if value.is_int()? { value.to_str()?.parse().ok() } else { None })
        };
        (0..self.size).map(fixed).collect()
    }

    /// `{ [a] -> [k, b] : k >= 0 and b = a + c k }` for the variables that move by a constant, the others free.
    fn straight(&self, moves: &[Option<i64>]) -> Result<Map> {
        let (a, b) = (self.names("a"), self.names("b"));
        let k = format!("{}k", self.prefix);
        let mut constraints = vec![format!("{k} >= 0")];
        for (at, step) in moves.iter().enumerate() {
            if let Some(step) = step {
                constraints.push(format!("{} = {} + {step}{k}", b[at], a[at]));
            }
        }
        self.map(&format!("[{}] -> [{}] : {}", a.join(", "), with(&k, &b), constraints.join(" and ")))
    }

    fn closed_form(&self, round: &Map) -> Result<Option<Map>> {
        let straight = self.straight(&self.moves(round)?)?;
        let mut first = self.after(self.identity()?, 0)?;
        let mut power = self.identity()?;
        for depth in 1..=3 {
            power = power.apply_range(round.clone())?;
            let later = straight.clone().apply_range(self.lifted(power.clone(), depth)?)?;
            let map = self.until_blocked(first.clone().union(later)?, round)?;
            if self.is_closure(&map, round)? {
                return Ok(Some(map));
            }
            first = first.union(self.after(power.clone(), depth as i32)?)?;
        }
        Ok(None)
    }

    /// Keeps the rounds before which no state was outside the round's domain.
    fn until_blocked(&self, map: Map, round: &Map) -> Result<Map> {
        let possible = round.clone().domain()?.insert_dims(DimType::Out, 0, 1)?;
        let blocked = map.clone().subtract(map.clone().intersect_range(possible)?)?;
        let blocked = blocked.project_out(DimType::Out, 1, self.size)?;
        let j = format!("{}j", self.prefix);
        let k = format!("{}k", self.prefix);
        let later = self.map(&format!("[{j}] -> [{k}] : {k} > {j}"))?;
        map.subtract(blocked.apply_range(later)?.insert_dims(DimType::Out, 1, self.size)?)
    }

    /// Groups of pieces that are never returned to, one after the other.
    fn phases(&self, round: &Map, depth: usize) -> Result<Option<Map>> {
        let pieces = self.pieces(round)?;
        if pieces.len() < 2 || pieces.len() > MAX_PIECES || depth > 3 {
            return Ok(None);
        }
        let groups = in_order(&follows(&pieces)?);
        if groups.len() < 2 {
            return Ok(None);
        }
        let mut whole = self.after(self.identity()?, 0)?;
        for group in groups {
            let mut part = pieces[group[0]].clone();
            for at in &group[1..] {
                part = part.union(pieces[*at].clone())?;
            }
            let closed = match self.closed_form(&part)? {
                Some(map) => map,
                None => match self.periods(&part)? {
                    Some(map) => map,
                    None => return Ok(None),
                },
            };
            whole = self.compose(whole, closed)?;
        }
        Ok(Some(whole))
    }

    /// The pieces of a relation: its disjuncts, those with the same constant moves taken together.
    fn pieces(&self, round: &Map) -> Result<Vec<Map>> {
        let mut basic: Vec<BasicMap> = Vec::new();
        round.clone().make_disjoint()?.foreach_basic_map(|piece| {
            basic.push(piece);
            Ok(())
        })?;
        let mut pieces: Vec<(Vec<Option<i64>>, Map)> = Vec::new();
        for piece in basic {
            let piece = Map::from_basic_map(piece)?;
            let moves = self.moves(&piece)?;
            match pieces.iter_mut().find(|(known, _)| *known == moves) {
                Some((_, known)) => *known = known.clone().union(piece)?,
                None => pieces.push((moves, piece)),
            }
        }
        Ok(pieces.into_iter().map(|(_, piece)| piece).collect())
    }

    /// `{ [x] -> [k1, y] }` and then `{ [y] -> [k2, z] }`, as `{ [x] -> [k1 + k2, z] }`.
    fn compose(&self, first: Map, second: Map) -> Result<Map> {
        let (a, b) = (self.names("a"), self.names("b"));
        let name = |letter: &str| format!("{}{letter}", self.prefix);
        let (j, k, l) = (name("j"), name("k"), name("l"));
        let sum = self.map(&format!("[{}] -> [{l}, {}] : {l} = {j} + {k}", with(&j, &a), with(&k, &b)))?;
        let second = second.insert_dims(DimType::In, 0, 1)?.insert_dims(DimType::Out, 0, 1)?;
        first.apply_range(second.intersect(sum)?.project_out(DimType::Out, 1, 1)?)
    }

    /// `k = p q + r` where `p` rounds together have a closed form.
    fn periods(&self, round: &Map) -> Result<Option<Map>> {
        let mut powers = vec![self.identity()?, round.clone()];
        for period in 2..=MAX_PERIOD {
            let power = powers[period - 1].clone().apply_range(round.clone())?.coalesce()?;
            powers.push(power.clone());
            let Some(closed) = self.closed_form(&power)? else { continue };
            let stretched = self.stretched(closed, period)?;
            let mut whole: Option<Map> = None;
            for (rest, power) in powers[..period].iter().enumerate() {
                let part = stretched.clone().apply_range(self.lifted(power.clone(), rest)?)?;
                whole = Some(match whole {
                    None => part,
                    Some(whole) => whole.union(part)?,
                });
            }
            return Ok(whole);
        }
        Ok(None)
    }

    /// `{ [x] -> [q, y] }` as `{ [x] -> [p q, y] }`.
    fn stretched(&self, map: Map, period: usize) -> Result<Map> {
        let a = self.names("a");
        let q = format!("{}q", self.prefix);
        map.apply_range(self.map(&format!(
            "[{}] -> [{}]",
            with(&q, &a),
            with(&format!("{period}{q}"), &a)
        ))?)
    }

    fn by_isl(&self, round: &Map) -> Result<Option<Map>> {
        let (closed, _) = self.lifted(round.clone(), 1)?.transitive_closure()?;
        let from_zero = closed.fix_si(DimType::In, 0, 0)?.project_out(DimType::In, 0, 1)?;
        let later = from_zero.lower_bound_si(DimType::Out, 0, 1)?;
        Ok(Some(self.after(self.identity()?, 0)?.union(later)?))
    }

    /// The over-approximation of the header.
    fn bounded(&self, round: &Map) -> Result<Map> {
        let (a, b) = (self.names("a"), self.names("b"));
        let k = format!("{}k", self.prefix);
        let moves = self.moves(round)?;
        let deltas = round.clone().deltas()?;
        let mut constraints = vec![format!("{k} >= 1")];
        let mut moving = Vec::new();
        for (at, step) in moves.iter().enumerate() {
            match step {
                Some(step) => constraints.push(format!("{} = {} + {step}{k}", b[at], a[at])),
                None => moving.push(at),
            }
            if *step != Some(0) {
                let (low, high) = extremes(&deltas, at)?;
                if step.is_none() {
                    constraints.extend(within(&format!("{} - {}", b[at], a[at]), low, high, &k));
                }
            }
        }
        for (i, x) in moving.iter().enumerate() {
            for y in &moving[i + 1..] {
                for sign in ["+", "-"] {
                    let (low, high) = self.pair_extremes(&deltas, *x, sign, *y)?;
                    let moved = format!("{} - {} {sign} ({} - {})", b[*x], a[*x], b[*y], a[*y]);
                    constraints.extend(within(&moved, low, high, &k));
                }
            }
        }
        let text = format!("[{}] -> [{}] : {}", a.join(", "), with(&k, &b), constraints.join(" and "));
        let ends = round.clone().range()?.insert_dims(DimType::Out, 0, 1)?;
        let later = self.map(&text)?.intersect_domain(round.clone().domain()?)?.intersect_range(ends)?;
        self.after(self.identity()?, 0)?.union(later)
    }

    /// The extremes of `x + y` or `x - y` over all moves.
    fn pair_extremes(
        &self,
        deltas: &Set,
        x: usize,
        sign: &str,
        y: usize,
    ) -> Result<(Option<i64>, Option<i64>)> {
        let a = self.names("a");
        let pair = self.map(&format!("[{}] -> [{} {sign} {}]", a.join(", "), a[x], a[y]))?;
        extremes(&deltas.clone().apply(pair)?, 0)
    }
}

/// The least and the greatest value of a dimension, where they exist.
fn extremes(set: &Set, at: usize) -> Result<(Option<i64>, Option<i64>)> {
    let number = |value: isl::Val| -> Result<Option<i64>> {
        Ok(if value.is_int()? { value.to_str()?.parse().ok() } else { None })
    };
    if set.is_empty()? {
        return Ok((None, None));
    }
    Ok((number(set.clone().dim_min_val(at)?)?, number(set.clone().dim_max_val(at)?)?))
}

/// `low k <= text <= high k`.
fn within(text: &str, low: Option<i64>, high: Option<i64>, k: &str) -> Vec<String> {
    let low = low.map(|low| format!("{low}{k} <= {text}"));
    let high = high.map(|high| format!("{text} <= {high}{k}"));
    low.into_iter().chain(high).collect()
}

fn with(first: &str, rest: &[String]) -> String {
    std::iter::once(first).chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(", ")
}

/// Which piece can follow which.
fn follows(pieces: &[Map]) -> Result<Vec<Vec<bool>>> {
    let follows = |first: &Map, second: &Map| -> Result<bool> {
        Ok(!first.clone().range()?.is_disjoint(&second.clone().domain()?)?)
    };
    pieces.iter().map(|first| pieces.iter().map(|second| follows(first, second)).collect()).collect()
}

/// The strongly connected components of a graph, sources first.
fn in_order(edges: &[Vec<bool>]) -> Vec<Vec<usize>> {
    let count = edges.len();
    let mut reach: Vec<Vec<bool>> = edges.to_vec();
    for via in 0..count {
        for from in 0..count {
            for to in 0..count {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (node, reached) in reach.iter().enumerate() {
        let same = |group: &Vec<usize>| reached[group[0]] && reach[group[0]][node];
        match groups.iter_mut().find(|group| same(group)) {
            Some(group) => group.push(node),
            None => groups.push(vec![node]),
        }
    }
    // A group comes after those that reach it: sort by how many groups do.
    let before = |group: &Vec<usize>| {
        (0..count).filter(|from| reach[*from][group[0]] && !group.contains(from)).count()
    };
    groups.sort_by_key(before);
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(size: usize, round: &str, expected: Option<&str>) {
        let ctx = Ctx::new();
        let builder = Builder { ctx: &ctx, params: "[n, m] -> ", size, prefix: "z", budget: 200_000 };
        let round: Map = ctx.parse(&format!("[n, m] -> {{ {round} }}")).unwrap();
        let found = builder.closure(&round).unwrap();
        assert_eq!(found.exact, expected.is_some(), "{:?}", found.map);
        if let Some(text) = expected.filter(|text| !text.is_empty()) {
            let expected: Map = ctx.parse(&format!("[n, m] -> {{ {text} }}")).unwrap();
            assert_eq!(found.map, expected);
        }
        // Whatever it is, it contains the first rounds.
        let mut power = builder.identity().unwrap();
        for k in 0..5 {
            assert!(builder.after(power.clone(), k).unwrap().is_subset(&found.map).unwrap(), "round {k}");
            power = power.apply_range(round.clone()).unwrap();
        }
    }

    #[test]
    fn translations() {
        check(1, "[i] -> [i + 2] : i < n", Some("[i] -> [k, i + 2k] : k = 0 or (k > 0 and i + 2k < n + 2)"));
        check(2, "[i, j] -> [i + 1, j - 3] : i < n and j > m", Some(""));
    }

    #[test]
    fn resets_and_copies() {
        // An inner loop leaves j at max(1, m + 1).
        check(
            2,
            "[i, j] -> [i + 1, m + 1] : i <= n and m >= 1; [i, j] -> [i + 1, 1] : i <= n and m < 1",
            Some(""),
        );
        // j is last round's i.
        check(2, "[i, j] -> [i + 1, i] : i <= n", Some(""));
        // l is the j of the round before.
        check(3, "[i, j, l] -> [i + 1, i, j] : i <= n", Some(""));
    }

    #[test]
    fn conditional_increments() {
        // Two phases.
        check(1, "[i] -> [i + 1] : i < m and i < n; [i] -> [i + 2] : i >= m and i < n", Some(""));
        // Alternating steps.
        check(1, "[i] -> [i + 1] : i mod 2 = 0 and i < n; [i] -> [i + 3] : i mod 2 = 1 and i < n", Some(""));
        // A flag that flips.
        check(2, "[i, f] -> [i + 1, 1 - f] : i < n and 0 <= f <= 1", Some(""));
        // Two variables take turns.
        check(2, "[i, j] -> [j, i + 1] : i < n", Some(""));
    }

    #[test]
    fn what_has_no_closed_form_is_bounded() {
        // Syracuse.
        check(1, "[i] -> [j] : 2j = i and i != 1; [i] -> [3i + 1] : i mod 2 = 1 and i != 1", None);
        // A data-dependent step: the number of rounds is not a set of affine constraints on both ends.
        check(1, "[i] -> [j] : i < n and i < j <= i + 3", None);
    }
}
