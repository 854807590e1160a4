//! Which dependences a schedule tree keeps, found by walking the tree instead of comparing the times of instances.
//!
//! Pairs of dependent instances go down the tree from its root, as long as they are not in order. At a member of a band a pair may
//! not go backwards, and goes on if it has the same value; at a sequence it goes on if both ends are in the same child, and
//! may not go to an earlier child. At a leaf none may be left.
//!
//! # Tiles
//! A loop over tiles has the time `8 * floor(i / 8)`, and such values are what makes proofs slow. If `i` goes forward, so does the
//! tile; so that is asked first. That the tile is then the same is remembered, and made use of only if something cannot be proved
//! without: a proof for more pairs is one for all that there are.
//!
//! # What is promised
//! `Some` is exact, "legal" in the sense of [`legality`](crate::legality). `None`: the tree has something else in it than bands,
//! sequences, sets and marks.

use crate::times::{Position, Row, Time, rows_compared};
use isl::{Map, Schedule, ScheduleNode, ScheduleNodeType, Set};
use model::{Scop, Stmt, StmtId};

/// Dependences from instances of one statement to those of another: `{ S[i] -> T[j] }`.
pub(crate) type Bond = (StmtId, StmtId, Map);

/// Whether the tree runs each instance once and keeps all bonds.
pub(crate) fn keeps(scop: &Scop, schedule: &Schedule, bonds: Vec<Bond>) -> isl::Result<Option<bool>> {
    let root = schedule.get_root()?;
    if root.get_type()? != ScheduleNodeType::Domain {
        return Ok(None);
    }
    let domain = root.domain_get_domain()?.intersect_params(scop.context.clone())?;
    let mut instances = Vec::new();
    for id in scop.stmt_ids() {
        instances.push(scop.instances(scop.stmt(id))?);
    }
    if !domain.is_equal(&scop.domain()?)? {
        return Ok(Some(false));
    }
    let pairs = bonds.into_iter().map(Pairs::new).collect();
    Walk { scop }.node(&root.get_child(0)?, &instances, pairs)
}

/// Whether no bond joins two iterations of a band's member, everything outside of it being equal.
pub(crate) fn is_parallel(
    scop: &Scop,
    band: &ScheduleNode,
    member: usize,
    bonds: Vec<Bond>,
) -> isl::Result<Option<bool>> {
    let walk = Walk { scop };
    let below = crate::tree::stmts_below(scop, band)?;
    let is_below =
        |(source, sink, _): &Bond| below.contains(&source.index()) && below.contains(&sink.index());
    let mut pairs: Vec<Pairs> = bonds.into_iter().filter(is_below).map(Pairs::new).collect();
    let instances = &walk.instances(band)?;
    for generation in (1..=band.get_tree_depth()?).rev() {
        let node = band.clone().ancestor(generation)?;
        let position = band.get_ancestor_child_position(&node)?;
        match node.get_type()? {
            ScheduleNodeType::Domain | ScheduleNodeType::Mark | ScheduleNodeType::Filter => {}
            ScheduleNodeType::Band => {
                for at in 0..node.band_n_member()? {
                    let Some(times) = walk.times(&node, at, instances)? else { return Ok(None) };
                    pairs = equal(pairs, &times)?;
                }
            }
            ScheduleNodeType::Sequence | ScheduleNodeType::Set => {
                let filters = walk.filters(&node)?;
                for pairs in &mut pairs {
                    pairs.relation = pairs.between(&filters[position], &filters[position])?;
                }
            }
            _ => return Ok(None),
        }
    }
    for at in 0..member {
        let Some(times) = walk.times(band, at, instances)? else { return Ok(None) };
        pairs = equal(pairs, &times)?;
    }
    let Some(times) = walk.times(band, member, instances)? else { return Ok(None) };
    for mut pairs in pairs {
        let (Some(first), Some(second)) = (&times[pairs.source], &times[pairs.sink]) else { return Ok(None) };
        for order in [Position::Before, Position::After] {
            if !pairs.have_none(|relation| first.compared(second, order, relation))? {
                return Ok(Some(false));
            }
        }
    }
    Ok(Some(true))
}

/// The pairs that are equal in a member, as far as that is easily said.
fn equal(pairs: Vec<Pairs>, times: &[Option<Time>]) -> isl::Result<Vec<Pairs>> {
    let mut left = Vec::new();
    for mut pairs in pairs {
        if let (Some(first), Some(second)) = (&times[pairs.source], &times[pairs.sink]) {
            pairs.make_equal(first, second)?;
        }
        if !pairs.relation.plain_is_empty()? {
            left.push(pairs);
        }
    }
    Ok(left)
}

/// Pairs of dependent instances that are not in order yet.
#[derive(Clone)]
struct Pairs {
    source: usize,
    sink: usize,
    /// `{ S[i] -> T[j] }`: they and perhaps more.
    relation: Map,
    /// Times that are equal, too.
    also: Vec<(Time, Time)>,
    /// Rows in which no pair goes backwards.
    forward: Vec<(Row, Row)>,
}

impl Pairs {
    fn new((source, sink, relation): Bond) -> Pairs {
        Pairs { source: source.index(), sink: sink.index(), relation, also: Vec::new(), forward: Vec::new() }
    }

    /// Makes the relation exact.
    fn use_all(&mut self) -> isl::Result<()> {
        for (first, second) in std::mem::take(&mut self.also) {
            self.relation = first.compared(&second, Position::Same, &self.relation)?;
        }
        Ok(())
    }

    /// Whether there are none of those that `some` picks.
    fn have_none(&mut self, some: impl Fn(&Map) -> isl::Result<Map>) -> isl::Result<bool> {
        if some(&self.relation)?.is_empty()? {
            return Ok(true);
        }
        if self.also.is_empty() {
            return Ok(false);
        }
        self.use_all()?;
        some(&self.relation)?.is_empty()
    }

    /// Whether none goes backwards.
    fn go_forward(&mut self, first: &Time, second: &Time) -> isl::Result<bool> {
        if let Some((low, high)) = first.rises_with(second) {
            if self.forward.iter().any(|(a, b)| (a, b) == (low, high)) {
                return Ok(true);
            }
            let after = rows_compared(low, high, Position::After, &self.relation)?;
            if after.map_or(Ok(false), |after| after.is_empty())? {
                self.forward.push((low.clone(), high.clone()));
                return Ok(true);
            }
        }
        self.have_none(|relation| first.compared(second, Position::After, relation))
    }

    /// Only those that are equal; whether the relation says so.
    fn make_equal(&mut self, first: &Time, second: &Time) -> isl::Result<bool> {
        let is_tile = first.floor.is_some() && second.floor.is_some();
        match is_tile {
            true => self.also.push((first.clone(), second.clone())),
            false => self.relation = first.compared(second, Position::Same, &self.relation)?,
        }
        Ok(!is_tile)
    }

    /// Those from instances that one filter has to instances that another one has.
    fn between(&self, from: &[Filter], to: &[Filter]) -> isl::Result<Map> {
        let mut relation = self.relation.clone();
        if let Filter::Some(some) = &from[self.source] {
            relation = relation.intersect_domain(some.clone())?;
        }
        if let Filter::Some(some) = &to[self.sink] {
            relation = relation.intersect_range(some.clone())?;
        }
        Ok(relation)
    }
}

/// Which of a statement's instances are in a child.
enum Filter {
    None,
    Some(Set),
    /// All that there are at the node.
    All,
}

struct Walk<'a> {
    scop: &'a Scop,
}

impl Walk<'_> {
    /// Whether the tree below a node runs these instances of each statement once and keeps the pairs in order.
    fn node(
        &self,
        node: &ScheduleNode,
        instances: &[Set],
        mut pairs: Vec<Pairs>,
    ) -> isl::Result<Option<bool>> {
        match node.get_type()? {
            ScheduleNodeType::Leaf => {
                for pairs in &mut pairs {
                    if !pairs.have_none(|relation| Ok(relation.clone()))? {
                        return Ok(Some(false));
                    }
                }
                Ok(Some(true))
            }
            ScheduleNodeType::Mark => self.node(&node.get_child(0)?, instances, pairs),
            ScheduleNodeType::Band => {
                for at in 0..node.band_n_member()? {
                    let Some(times) = self.times(node, at, instances)? else { return Ok(None) };
                    let mut left = Vec::new();
                    for mut pairs in pairs {
                        let ends = (&times[pairs.source], &times[pairs.sink]);
                        let (Some(first), Some(second)) = ends else { return Ok(None) };
                        if !pairs.go_forward(first, second)? {
                            return Ok(Some(false));
                        }
                        let has_less = pairs.make_equal(first, second)?;
                        if !has_less || !pairs.relation.is_empty()? {
                            left.push(pairs);
                        }
                    }
                    pairs = left;
                }
                self.node(&node.get_child(0)?, instances, pairs)
            }
            ScheduleNodeType::Sequence => self.children(node, instances, pairs, true),
            ScheduleNodeType::Set => self.children(node, instances, pairs, false),
            _ => Ok(None),
        }
    }

    fn children(
        &self,
        node: &ScheduleNode,
        instances: &[Set],
        pairs: Vec<Pairs>,
        in_order: bool,
    ) -> isl::Result<Option<bool>> {
        let filters = self.filters(node)?;
        for (stmt, all) in instances.iter().enumerate() {
            if !all.plain_is_empty()? && !is_partition(all, filters.iter().map(|of| &of[stmt]))? {
                return Ok(Some(false));
            }
        }
        for (from, to) in (0..filters.len()).flat_map(|from| (0..filters.len()).map(move |to| (from, to))) {
            if from == to || (from < to && in_order) {
                continue;
            }
            for pairs in &pairs {
                let (first, second) = (&filters[from], &filters[to]);
                if matches!(first[pairs.source], Filter::None) || matches!(second[pairs.sink], Filter::None) {
                    continue;
                }
                let mut some = Pairs { relation: pairs.between(first, second)?, ..pairs.clone() };
                if !some.have_none(|relation| Ok(relation.clone()))? {
                    return Ok(Some(false));
                }
            }
        }
        for (at, filters) in filters.iter().enumerate() {
            let (mut inside, mut left) = (Vec::new(), Vec::new());
            for (stmt, all) in instances.iter().enumerate() {
                inside.push(match &filters[stmt] {
                    Filter::None => Set::empty(all.get_space()?)?,
                    Filter::Some(some) => all.clone().intersect(some.clone())?,
                    Filter::All => all.clone(),
                });
            }
            for pairs in &pairs {
                let is_in = |stmt: usize| !matches!(filters[stmt], Filter::None);
                if is_in(pairs.source) && is_in(pairs.sink) {
                    let some = Pairs { relation: pairs.between(filters, filters)?, ..pairs.clone() };
                    if !some.relation.is_empty()? {
                        left.push(some);
                    }
                }
            }
            match self.node(&node.get_child(at)?.get_child(0)?, &inside, left)? {
                Some(true) => {}
                found => return Ok(found),
            }
        }
        Ok(Some(true))
    }

    /// For each child of a sequence or set the instances of each statement that its filter has.
    fn filters(&self, node: &ScheduleNode) -> isl::Result<Vec<Vec<Filter>>> {
        let mut all = Vec::new();
        for at in 0..node.n_children()? {
            let mut filters: Vec<Filter> = self.scop.stmts.iter().map(|_| Filter::None).collect();
            for set in node.get_child(at)?.filter_get_filter()?.get_set_list()?.to_vec()? {
                if let Some(id) = self.scop.stmt_named(&set.get_tuple_name()?.unwrap_or_default()) {
                    let is_all = set.plain_is_universe()?;
                    filters[id.index()] = if is_all { Filter::All } else { Filter::Some(set) };
                }
            }
            all.push(filters);
        }
        Ok(all)
    }

    /// The value of a band's member for each of the statements; `None` if it has none for some of these instances.
    fn times(
        &self,
        node: &ScheduleNode,
        member: usize,
        instances: &[Set],
    ) -> isl::Result<Option<Vec<Option<Time>>>> {
        let partial = node.band_get_partial_schedule()?.get_at(member)?;
        let mut times: Vec<Option<Time>> = self.scop.stmts.iter().map(|_| None).collect();
        for function in partial.get_pw_aff_list()?.to_vec()? {
            let domain = function.clone().domain()?;
            let Some(id) = self.scop.stmt_named(&domain.get_tuple_name()?.unwrap_or_default()) else {
                continue;
            };
            let all = &instances[id.index()];
            if domain.plain_is_universe()? {
                times[id.index()] = Some(Time::of(function)?);
            } else if all.is_subset(&domain)? {
                times[id.index()] = Some(Time::of(function.gist(domain)?)?);
            }
        }
        for (time, all) in times.iter().zip(instances) {
            if time.is_none() && !all.plain_is_empty()? {
                return Ok(None);
            }
        }
        Ok(Some(times))
    }

    /// The instances of each statement below a node.
    fn instances(&self, node: &ScheduleNode) -> isl::Result<Vec<Set>> {
        let none = |stmt: &Stmt| Set::empty(stmt.domain.get_space()?);
        let mut instances = self.scop.stmts.iter().map(none).collect::<isl::Result<Vec<_>>>()?;
        for set in node.get_domain()?.get_set_list()?.to_vec()? {
            if let Some(id) = self.scop.stmt_named(&set.get_tuple_name()?.unwrap_or_default()) {
                instances[id.index()] = set;
            }
        }
        Ok(instances)
    }
}

/// Whether each of these instances is in just one filter.
fn is_partition<'f>(all: &Set, filters: impl Iterator<Item = &'f Filter>) -> isl::Result<bool> {
    let mut parts: Vec<Set> = Vec::new();
    for filter in filters {
        let part = match filter {
            Filter::None => continue,
            Filter::Some(some) => all.clone().intersect(some.clone())?,
            Filter::All => all.clone(),
        };
        for other in &parts {
            if !part.is_disjoint(other)? {
                return Ok(false);
            }
        }
        parts.push(part);
    }
    match parts.split_first() {
        None => all.is_empty(),
        Some((first, rest)) => {
            let whole = rest.iter().try_fold(first.clone(), |whole, part| whole.union(part.clone()))?;
            all.is_subset(&whole)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use isl::Ctx;

    fn scop() -> Scop {
        let text = "scop s\nparam n [3, *]\nparam t [1, *]\narray A [n] 8\n\
                    stmt S { S[s, i] : 0 <= s < t and 1 <= i < n - 1 }\n  read { S[s, i] -> A[i - 1] }\n  \
                    read { S[s, i] -> A[i + 1] }\n  write { S[s, i] -> A[i] }\norder { for { for { S } } }\n";
        Scop::parse(&Ctx::new(), text).unwrap()
    }

    fn bonds(scop: &Scop) -> Vec<Bond> {
        let relation = "[n, t] -> { S[s, i] -> S[s + 1, i - 1] : 0 <= s < t - 1 and 2 <= i < n - 1; \
                        S[s, i] -> S[s, i + 1] : 0 <= s < t and 1 <= i < n - 2 }";
        vec![(StmtId(0), StmtId(0), scop.ctx.parse(relation).unwrap())]
    }

    fn tree(scop: &Scop, tree: &str) -> Schedule {
        let domain = "domain: \"[n, t] -> { S[s, i] : 0 <= s < t and 1 <= i < n - 1 }\"";
        scop.ctx.parse(&format!("{{ {domain}, child: {{ {tree} }} }}")).unwrap()
    }

    /// Without this the slower way would decide, and nobody would see that.
    #[test]
    fn trees_are_decided_without_times() {
        let scop = scop();
        let tiles = |skew: &str| {
            format!(
                "schedule: \"[{{ S[s, i] -> [(4*floor((s)/4))] }}, {{ S[s, i] -> [(4*floor(({skew})/4))] }}]\", \
                 child: {{ schedule: \"[{{ S[s, i] -> [(s)] }}, {{ S[s, i] -> [({skew})] }}]\" }}"
            )
        };
        let halves = |first: &str, second: &str| {
            format!(
                "schedule: \"[{{ S[s, i] -> [(s)] }}]\", child: {{ sequence: [ {{ filter: \"{{ S[s, i] : {first} }}\", \
                 child: {{ schedule: \"[{{ S[s, i] -> [(i)] }}]\" }} }}, {{ filter: \"{{ S[s, i] : {second} }}\", \
                 child: {{ schedule: \"[{{ S[s, i] -> [(i)] }}]\" }} }} ] }}"
            )
        };
        for (text, is_legal) in [
            ("schedule: \"[{ S[s, i] -> [(s)] }, { S[s, i] -> [(i)] }]\"".to_owned(), true),
            ("schedule: \"[{ S[s, i] -> [(i)] }, { S[s, i] -> [(s)] }]\"".to_owned(), false),
            ("schedule: \"[{ S[s, i] -> [(s)] }]\"".to_owned(), false),
            (tiles("s + i"), true),
            (tiles("i"), false),
            (halves("i < 9", "i >= 9"), true),
            (halves("i >= 9", "i < 9"), false),
            // Not all, and some twice.
            (halves("i < 9", "i > 9"), false),
            (halves("i < 9", "i >= 8"), false),
        ] {
            let found = keeps(&scop, &tree(&scop, &text), bonds(&scop)).unwrap();
            assert_eq!(found, Some(is_legal), "{text}");
        }
    }

    #[test]
    fn parallel_members_are_found_without_times() {
        let scop = scop();
        let text = "schedule: \"[{ S[s, i] -> [(4*floor((2s + i)/4))] }]\", child: { schedule: \
                    \"[{ S[s, i] -> [(2s + i)] }, { S[s, i] -> [(s)] }]\" }";
        let band = tree(&scop, text).get_root().unwrap().get_child(0).unwrap().get_child(0).unwrap();
        let found = [0, 1].map(|member| is_parallel(&scop, &band, member, bonds(&scop)).unwrap());
        assert_eq!(found, [Some(false), Some(true)]);
    }
}
