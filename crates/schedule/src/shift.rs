//! Updates that wait for the next iteration of the loop around them, in which they run together with what reads them.
//!
//! A loop whose iterations must stay in sequence, and whose body goes through a large array twice, once to read it and once to
//! change it, brings the array in twice in each iteration. But what an iteration changes the next one reads first of all:
//! ```text
//! for k { W(k); for i, j { V(k, i, j) }; for i, j { U(k, i, j) } }
//! ```
//! becomes, with the instances `F` of `U` that the next iteration's `W` needs and the other ones, `G`,
//! ```text
//! for k { F(k - 1); W(k); for i, j { G(k - 1, i, j); V(k, i, j) } }
//! ```
//! which goes through the array once. This is loop shifting and fusion (A. Darte and G. Huard, "Loop shifting for loop compaction",
//! 2000) of parts that have loops of the same form, after these are chosen; rows that are written out stay so, as many at a time as of
//! what reads the updates.
//!
//! Only what is too large for the second cache gains from it, and only if cells that are the same along the rows stay in registers: where
//! `U` uses an array that `V` writes, their subscripts must be a number apart. Whether the order is legal is for the checker to say.

use crate::affine::{AccessModel, StmtModel};
use crate::jam;
use crate::machine::Machine;
use crate::pivot;
use crate::times::Values;
use crate::tree::{self, band_of};
use isl::{Id, Map, Schedule, ScheduleNode, ScheduleNodeType, Set, UnionMap, UnionPwAff, UnionSet, Val};
use model::Scop;

/// How many threads shifted loops want at least. In each iteration what the body makes beside them goes from one core to all others,
/// and back when the next iteration writes into the same lines: two threads take longer than one (0.21 s and 0.14 s for gramschmidt of
/// `bench/kernels`).
pub const THREADS: u32 = 4;

/// Why fewer do not run.
pub fn why_alone() -> String {
    format!(
        "an update waits for the next iteration, which is faster in one thread than in fewer than {THREADS}"
    )
}

/// What a shifted order is looked for with.
pub struct Shifter<'a> {
    pub scop: &'a Scop,
    pub models: &'a [StmtModel],
    pub machine: &'a Machine,
    /// All that must stay in order.
    pub dependences: &'a UnionMap,
}

/// An order with a statement that is shifted.
pub struct Shifted {
    pub schedule: Schedule,
    /// Whose instances wait, and with whose they run; by number.
    pub update: usize,
    pub reader: usize,
}

/// In words.
pub fn description(scop: &Scop, Shifted { update, reader, .. }: &Shifted) -> String {
    let [update, reader] = [update, reader].map(|stmt| &scop.stmts[*stmt].name);
    format!(
        "{update} one iteration of the loop around later, together with {reader}, which reads what it writes\n"
    )
}

/// A part of a loop's body that is one nest of loops around one statement.
pub struct Part {
    pub stmt: usize,
    pub domain: UnionSet,
    /// The bands and marks from outside to inside.
    pub links: Vec<ScheduleNode>,
}

/// Two parts of a loop's body that may run together.
pub struct Pair {
    /// The loop.
    pub around: ScheduleNode,
    pub update: Part,
    /// What reads in the next iteration what the update writes.
    pub reader: Part,
}

impl Pair {
    /// The same where the loop is for these values of the parameters only.
    pub fn limited(&self, around: ScheduleNode, params: &Set) -> isl::Result<Pair> {
        let limited = |Part { stmt, domain, links }: &Part| -> isl::Result<Part> {
            let domain = domain.clone().intersect_params(params.clone())?;
            Ok(Part { stmt: *stmt, domain, links: links.clone() })
        };
        Ok(Pair { around, update: limited(&self.update)?, reader: limited(&self.reader)? })
    }
}

impl Shifter<'_> {
    /// All pairs of which one part may wait for the other.
    pub fn pairs(&self, schedule: &Schedule) -> isl::Result<Vec<Pair>> {
        let (mut loops, mut pairs) = (Vec::new(), Vec::new());
        loops_around_sequences(schedule.get_root()?, &mut loops)?;
        for around in loops {
            let body = around.get_child(0)?;
            let last = body.n_children()? - 1;
            for at in (0..last).rev() {
                let (Some(update), Some(reader)) = (self.part(&body, last)?, self.part(&body, at)?) else {
                    continue;
                };
                let pair = Pair { around: around.clone(), update, reader };
                if have_same_form(&pair.update, &pair.reader)?
                    && self.cells_are_told_apart(&pair.update, &pair.reader)
                    && self.is_too_large(&pair)?
                {
                    pairs.push(pair);
                }
            }
        }
        Ok(pairs)
    }

    /// The order in which the update of a pair waits for the next iteration, if the reader needs something then; it need not be legal.
    pub fn shifted(&self, pair: &Pair) -> isl::Result<Option<Shifted>> {
        let [update, reader] = [&pair.update, &pair.reader].map(|part| part.stmt);
        let Some(fused) = self.fused(pair)? else { return Ok(None) };
        Ok(Some(Shifted { schedule: fused.get_schedule()?, update, reader }))
    }

    fn part(&self, body: &ScheduleNode, at: usize) -> isl::Result<Option<Part>> {
        let (mut links, mut node) = (Vec::new(), body.get_child(at)?.child(0)?);
        while matches!(node.get_type()?, ScheduleNodeType::Band | ScheduleNodeType::Mark) {
            links.push(node.clone());
            node = node.child(0)?;
        }
        let is_one = node.get_type()? == ScheduleNodeType::Leaf;
        Ok(match &tree::stmts_below(self.scop, &node)?[..] {
            [stmt] if is_one => Some(Part { stmt: *stmt, domain: node.get_domain()?, links }),
            _ => None,
        })
    }

    /// Whether cells that the reader writes are a number of cells away from those of the update in the same array: then both stay in
    /// registers along the rows.
    fn cells_are_told_apart(&self, update: &Part, reader: &Part) -> bool {
        let accesses = |part: &Part| self.models[part.stmt].accesses.iter();
        accesses(reader).filter(|own| own.is_write).all(|own| {
            let mut others = accesses(update).filter(|other| other.array == own.array);
            others.all(|other| own.subscripts.is_some() && own.subscripts == other.subscripts)
        })
    }

    /// Whether what one writes and the other reads is more than the second cache holds, while the loop around stands still.
    fn is_too_large(&self, pair: &Pair) -> isl::Result<bool> {
        let read = self.read_again(pair)?;
        Ok(read.is_some_and(|(_, bytes)| bytes >= self.machine.l2_room() as f64))
    }

    /// What the reader reads of what the update writes, and how many bytes that is while the loop around stands still; the largest.
    pub fn read_again(
        &self,
        Pair { around, update, reader }: &Pair,
    ) -> isl::Result<Option<(&AccessModel, f64)>> {
        let model = &self.models[reader.stmt];
        let Some(still) = self.still(around, reader)? else { return Ok(None) };
        let bytes = |access: &AccessModel| -> f64 {
            let Some(subscripts) = &access.subscripts else { return 0.0 };
            let moves = |at: &usize| *at != still && subscripts.iter().any(|each| each[*at] != 0);
            let cells: f64 = (0..model.extents.len()).filter(moves).map(|at| model.extents[at]).product();
            cells * access.bytes
        };
        let is_written = |access: &&AccessModel| {
            !access.is_write
                && self.models[update.stmt]
                    .accesses
                    .iter()
                    .any(|own| own.is_write && own.array == access.array)
        };
        let all = model.accesses.iter().filter(is_written).map(|access| (access, bytes(access)));
        Ok(all.max_by(|one, other| one.1.total_cmp(&other.1)))
    }

    /// The counter of a part that the loop around moves.
    pub fn still(&self, around: &ScheduleNode, part: &Part) -> isl::Result<Option<usize>> {
        let rows = tree::rows(self.scop, &around.band_get_partial_schedule()?)?;
        Ok(rows[0].get(&part.stmt).and_then(|row| row.moved(&[])))
    }

    /// The order in which the update waits; `None` if the reader needs nothing of it in the same iteration of its loops that is not needed
    /// before.
    pub fn fused(&self, pair: &Pair) -> isl::Result<Option<ScheduleNode>> {
        let Pair { around, update, reader } = pair;
        let next = self.to_next_iteration(around, update)?;
        let to = |set: UnionSet| next.clone().intersect_range_union_set(set);
        let read = to(reader.domain.clone())?;
        let rows = self.rows_of_both(update, reader)?;
        for row in rows.iter().flatten() {
            if !Values::of(row)?.are_equal(&read)? {
                return Ok(None);
            }
        }
        let both = update.domain.clone().union(reader.domain.clone())?;
        let others = around.get_domain()?.subtract(both)?;
        let first = to(others)?.domain()?.coalesce()?;
        let rest = update.domain.clone().subtract(first.clone())?.coalesce()?;
        // In the last iteration there always is a rest.
        if read.intersect_domain_union_set(rest.clone())?.is_empty()? {
            return Ok(None);
        }
        let depth = around.get_tree_depth()?;
        let up = |node: ScheduleNode| -> isl::Result<ScheduleNode> {
            let generations = node.get_tree_depth()? - depth;
            node.ancestor(generations)
        };
        let mut body = self.later(around.clone(), update)?.child(0)?;
        if !first.is_empty()? {
            body = up(body.order_before(first)?)?.child(0)?.child(1)?.child(0)?;
        }
        let reader_and_rest = rest.clone().union(reader.domain.clone())?;
        let body = body.order_after(reader_and_rest)?;
        let body = up(body)?.child(0)?;
        let last = body.n_children()? - 1;
        let leaf = body.child(last)?.child(0)?.cut()?;
        // A loop for both has conditions in it if only one of them runs in some iterations.
        let alone = self.without_updates(around, &rest, reader)?;
        let together = vec![rest.clone(), reader.domain.clone().subtract(alone.clone())?.coalesce()?];
        if alone.is_empty()? || together[1].is_empty()? {
            return self.together(&leaf, vec![rest, reader.domain.clone()], reader, rows).map(Some);
        }
        let both = together[0].clone().union(together[1].clone())?;
        let parts = pivot::sequence(self.scop, &leaf, vec![alone.clone(), both])?;
        let depth = parts.get_tree_depth()?;
        let first = self.together(&parts.child(0)?.child(0)?, vec![alone], reader, rows.clone())?;
        let up = first.get_tree_depth()? - depth;
        let second = first.ancestor(up)?.child(1)?.child(0)?;
        self.together(&second, together, reader, rows).map(Some)
    }

    /// The reader's instances in iterations of the loop around into which no update comes.
    fn without_updates(
        &self,
        around: &ScheduleNode,
        updates: &UnionSet,
        reader: &Part,
    ) -> isl::Result<UnionSet> {
        let row = UnionMap::from_union_pw_aff(around.band_get_partial_schedule()?.get_at(0)?)?;
        let next = UnionMap::from_map(Map::read_from_str(&self.scop.ctx, "{ [x] -> [x + 1] }")?)?;
        let later = row.clone().intersect_domain_union_set(updates.clone())?.apply_range(next)?.range()?;
        let with = row.intersect_domain_union_set(reader.domain.clone())?.intersect_range(later)?.domain()?;
        reader.domain.clone().subtract(with)?.coalesce()
    }

    /// Loops of the reader's form above a leaf, with these rows, in which instances of these parts run by turns.
    pub fn together(
        &self,
        leaf: &ScheduleNode,
        parts: Vec<UnionSet>,
        reader: &Part,
        rows: Vec<Vec<UnionPwAff>>,
    ) -> isl::Result<ScheduleNode> {
        let mut node = pivot::sequence(self.scop, leaf, parts)?;
        for (link, rows) in reader.links.iter().zip(rows).rev() {
            node = self.insert_link(node, link, rows)?;
        }
        Ok(node)
    }

    /// The loop with the update one iteration later.
    pub fn later(&self, around: ScheduleNode, update: &Part) -> isl::Result<ScheduleNode> {
        let all = around.get_universe_domain()?;
        let own = update.domain.clone().universe()?;
        let by =
            |set, iterations| UnionPwAff::val_on_domain(set, Val::int_from_si(&self.scop.ctx, iterations)?);
        let shift = by(own.clone(), 1)?.union_add(by(all.subtract(own)?, 0)?)?;
        around.band_shift(band_of(self.scop, vec![shift])?)
    }

    /// The dependences from the update to instances in the next iteration.
    fn to_next_iteration(&self, around: &ScheduleNode, update: &Part) -> isl::Result<UnionMap> {
        let row = UnionMap::from_union_pw_aff(around.band_get_partial_schedule()?.get_at(0)?)?;
        let next = UnionMap::from_map(Map::read_from_str(&self.scop.ctx, "{ [x] -> [x + 1] }")?)?;
        let from = row.clone().intersect_domain_union_set(update.domain.clone())?;
        let pairs = from.apply_range(next)?.apply_range(row.reverse()?)?;
        tree::inside(self.dependences, around)?.intersect(pairs)
    }

    /// The rows of both parts for each of their bands; none for marks.
    pub fn rows_of_both(&self, update: &Part, reader: &Part) -> isl::Result<Vec<Vec<UnionPwAff>>> {
        let mut all = Vec::new();
        for (own, other) in update.links.iter().zip(&reader.links) {
            let mut rows = Vec::new();
            if own.get_type()? == ScheduleNodeType::Band {
                for at in 0..own.band_n_member()? {
                    let row = match (strip_of(update, own)?, strip_of(reader, other)?) {
                        (Some((few, row)), Some((size, _))) if few != size => {
                            tree::tiles(self.scop, row, size)?
                        }
                        _ => row_of(update, own, at)?,
                    };
                    rows.push(row.union_add(row_of(reader, other, at)?)?);
                }
            }
            all.push(rows);
        }
        Ok(all)
    }

    /// A band or mark of both parts above a node.
    fn insert_link(
        &self,
        node: ScheduleNode,
        link: &ScheduleNode,
        rows: Vec<UnionPwAff>,
    ) -> isl::Result<ScheduleNode> {
        if link.get_type()? == ScheduleNodeType::Mark {
            return node.insert_mark(Id::new(&self.scop.ctx, &mark_of(link)?)?);
        }
        let mut node = node.insert_partial_schedule(band_of(self.scop, rows)?)?;
        node = node.band_set_permutable(i32::from(link.band_get_permutable()?))?;
        for at in 0..link.band_n_member()? {
            node = node.band_member_set_ast_loop_type(at, link.band_member_get_ast_loop_type(at)?)?;
        }
        Ok(node)
    }
}

fn mark_of(link: &ScheduleNode) -> isl::Result<String> {
    Ok(link.mark_get_id()?.get_name()?.unwrap_or_default())
}

/// The loops whose body is a sequence.
fn loops_around_sequences(node: ScheduleNode, found: &mut Vec<ScheduleNode>) -> isl::Result<()> {
    if node.get_type()? == ScheduleNodeType::Band
        && node.band_n_member()? == 1
        && node.get_child(0)?.get_type()? == ScheduleNodeType::Sequence
    {
        found.push(node.clone());
    }
    for at in 0..node.n_children()? {
        loops_around_sequences(node.get_child(at)?, found)?;
    }
    Ok(())
}

/// Whether two parts have the same loops, but for the rows of these.
fn have_same_form(one: &Part, other: &Part) -> isl::Result<bool> {
    if one.links.len() != other.links.len() || one.links.is_empty() {
        return Ok(false);
    }
    for (a, b) in one.links.iter().zip(&other.links) {
        let is_same = match (a.get_type()?, b.get_type()?) {
            (ScheduleNodeType::Band, ScheduleNodeType::Band) => kinds_of_loops(a)? == kinds_of_loops(b)?,
            (ScheduleNodeType::Mark, ScheduleNodeType::Mark) => mark_of(a)? == mark_of(b)?,
            _ => false,
        };
        if !is_same {
            return Ok(false);
        }
    }
    Ok(true)
}

fn kinds_of_loops(band: &ScheduleNode) -> isl::Result<Vec<isl::AstLoopType>> {
    (0..band.band_n_member()?).map(|at| band.band_member_get_ast_loop_type(at)).collect()
}

/// A part's row in one of its bands.
fn row_of(part: &Part, link: &ScheduleNode, at: usize) -> isl::Result<UnionPwAff> {
    let rows = link.band_get_partial_schedule()?;
    rows.get_at(at)?.intersect_domain(part.domain.clone().universe()?)
}

/// Of how many rows a strip is that a band runs over, if it does, and the loop over these.
fn strip_of(part: &Part, link: &ScheduleNode) -> isl::Result<Option<(i64, UnionPwAff)>> {
    if link.band_n_member()? != 1 {
        return Ok(None);
    }
    let of = |row: &UnionPwAff| Values::of(row).map(Values::single);
    let Some(strips) = of(&row_of(part, link, 0)?)? else { return Ok(None) };
    for inner in &part.links {
        if inner.get_type()? != ScheduleNodeType::Band || !jam::is_row(inner)? {
            continue;
        }
        let row = row_of(part, inner, 0)?;
        if let Some(size) = of(&row)?.and_then(|row| strips.strip_over(&row)) {
            return Ok(Some((size, row)));
        }
    }
    Ok(None)
}
