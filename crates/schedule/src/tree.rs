//! Schedule trees: what is in them, and changes of their innermost bands.
//!
//! A *leaf band* is a band without a band below it. Its statements are in *parts*: the children of the sequence below
//! it, in order, or one part. Two changes start from the dependences that hold inside of it, those between
//! instances that agree on everything outside:
//! - the members of a *permutable* band, where no dependence goes backwards in any member, can be
//!   put in any order and tiled;
//! - a member that is *sunk* becomes a loop of its own in each part: `for k { S; T }` becomes
//!   `for k { S }; for k { T }`. This is legal if no dependence goes from a part to an earlier one once the other
//!   members are equal;
//! - the innermost member can be *split* at an iteration such that it is parallel before and behind that (module `pivot`).

use crate::affine::{Row, row};
use crate::apart;
use crate::jam::{Jam, Rows};
use crate::pivot;
use crate::push;
use crate::times::{Position, Values};
use isl::{
    AstLoopType, DimType, Id, Map, MultiUnionPwAff, Schedule, ScheduleNode, ScheduleNodeType, Set, UnionMap,
    UnionPwAff, UnionPwAffList, UnionSet, Val,
};
use model::{Order, REGISTERS, Scop, StmtId, written};
use std::cell::Cell;
use std::collections::HashMap;

/// A step from the root of a tree to a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Through the band of that number.
    Band(usize),
    /// Through the child of that number of a sequence.
    Child(usize),
}

/// A band.
#[derive(Clone, Debug)]
pub struct Band {
    /// For each member and each statement below (by number) its row.
    pub rows: Vec<HashMap<usize, Row>>,
    /// As isl flags it.
    pub permutable: bool,
    /// Where it is.
    pub node: ScheduleNode,
    /// Whether no band is below.
    pub leaf: bool,
}

/// The bands of a tree and how the statements lie in them.
#[derive(Clone, Debug)]
pub struct Shape {
    /// Outer bands first.
    pub bands: Vec<Band>,
    /// For each leaf of the tree: the number of a statement and how to get there.
    pub paths: Vec<(usize, Vec<Step>)>,
}

impl Shape {
    /// What is in a tree.
    pub fn new(scop: &Scop, schedule: &Schedule) -> isl::Result<Shape> {
        let mut shape = Shape { bands: Vec::new(), paths: Vec::new() };
        shape.walk(scop, &schedule.get_root()?, &mut Vec::new())?;
        for at in 0..shape.bands.len() {
            let below = |path: &Vec<Step>| {
                let start = path.iter().position(|step| *step == Step::Band(at));
                start.is_some_and(|start| path[start + 1..].iter().any(|step| matches!(step, Step::Band(_))))
            };
            shape.bands[at].leaf = !shape.paths.iter().any(|(_, path)| below(path));
        }
        Ok(shape)
    }

    fn walk(&mut self, scop: &Scop, node: &ScheduleNode, path: &mut Vec<Step>) -> isl::Result<()> {
        match node.get_type()? {
            ScheduleNodeType::Leaf => {
                for set in node.get_domain()?.get_set_list()?.to_vec()? {
                    let name = set.get_tuple_name()?.unwrap_or_default();
                    if let Some(id) = scop.stmt_named(&name) {
                        self.paths.push((id.index(), path.clone()));
                    }
                }
                Ok(())
            }
            ScheduleNodeType::Band => {
                let rows = rows(scop, &node.band_get_partial_schedule()?)?;
                let permutable = node.band_get_permutable()?;
                path.push(Step::Band(self.bands.len()));
                self.bands.push(Band { rows, permutable, node: node.clone(), leaf: false });
                self.walk(scop, &node.get_child(0)?, path)?;
                path.pop();
                Ok(())
            }
            ScheduleNodeType::Sequence | ScheduleNodeType::Set => {
                for at in 0..node.n_children()? {
                    path.push(Step::Child(at));
                    self.walk(scop, &node.get_child(at)?, path)?;
                    path.pop();
                }
                Ok(())
            }
            _ => self.walk(scop, &node.get_child(0)?, path),
        }
    }

    /// The statements below a band, by parts.
    pub fn parts(&self, band: usize) -> Vec<Vec<usize>> {
        let mut parts: Vec<(&[Step], Vec<usize>)> = Vec::new();
        for (stmt, path) in &self.paths {
            let Some(start) = path.iter().position(|step| *step == Step::Band(band)) else { continue };
            let rest = &path[start + 1..];
            match parts.last_mut() {
                Some((last, stmts)) if *last == rest => stmts.push(*stmt),
                _ => parts.push((rest, vec![*stmt])),
            }
        }
        parts.into_iter().map(|(_, stmts)| stmts).collect()
    }
}

/// The names of a statement's counters.
pub fn counter_names(scop: &Scop, stmt: usize) -> isl::Result<Vec<String>> {
    let domain = &scop.stmts[stmt].domain;
    let name = |at| Ok(domain.get_dim_name(DimType::Set, at)?.unwrap_or_else(|| format!("i{at}")));
    (0..domain.dim(DimType::Set)?).map(name).collect()
}

/// For each member of a band and each statement (by number) its row.
pub fn rows(scop: &Scop, partial: &MultiUnionPwAff) -> isl::Result<Vec<HashMap<usize, Row>>> {
    let mut all = Vec::new();
    for member in 0..partial.dim(DimType::Set)? {
        let mut found = HashMap::new();
        for function in partial.get_at(member)?.get_pw_aff_list()?.to_vec()? {
            let name = function.clone().domain()?.get_tuple_name()?.unwrap_or_default();
            if let Some(id) = scop.stmt_named(&name) {
                found.insert(id.index(), row(&function, &counter_names(scop, id.index())?)?);
            }
        }
        all.push(found);
    }
    Ok(all)
}

/// What may be done to a leaf band.
#[derive(Clone, Debug)]
pub struct Freedom {
    /// Whether the members can be put in any order and tiled.
    pub permutable: bool,
    /// For each member: whether it is parallel wherever it stands in the band.
    pub coincident: Vec<bool>,
    /// For each member: whether it is parallel as the innermost one.
    pub parallel: Vec<bool>,
    /// For each member: how it can be sunk, if it can.
    pub sunk: Vec<Option<Sunk>>,
    /// The position of the loop around at whose value the last member can be split, to be parallel on both sides.
    pub split: Option<usize>,
}

impl Freedom {
    /// Whether to split the band is a question: its last loop is not parallel.
    pub fn is_split_a_question(&self, parts: &[Vec<usize>]) -> bool {
        parts.len() == 1 && self.parallel.last() == Some(&false)
    }
}

/// A loop of its own for each part.
#[derive(Clone, Debug)]
pub struct Sunk {
    /// The parts in an order that keeps the dependences between them.
    pub order: Vec<usize>,
    /// For each part whether its loop is parallel.
    pub parallel: Vec<bool>,
}

/// The dependences between instances below a node that agree on everything outside of it.
pub fn inside(dependences: &UnionMap, node: &ScheduleNode) -> isl::Result<UnionMap> {
    let mut pairs = below(dependences, node)?;
    for generation in (1..=node.get_tree_depth()?).rev() {
        let around = node.clone().ancestor(generation)?;
        if around.get_type()? == ScheduleNodeType::Band {
            pairs = equal(pairs, &around.band_get_partial_schedule()?)?;
        }
    }
    Ok(pairs)
}

/// The pairs that are equal in these members.
pub fn equal(pairs: UnionMap, members: &MultiUnionPwAff) -> isl::Result<UnionMap> {
    (0..members.dim(DimType::Set)?)
        .try_fold(pairs, |pairs, at| Values::of(&members.get_at(at)?)?.compared(&pairs, Position::Same))
}

/// The dependences between instances below a node. Most nodes have all instances of their statements or none, and nothing need be said
/// about those that dependences have anyway.
fn below(dependences: &UnionMap, node: &ScheduleNode) -> isl::Result<UnionMap> {
    let root = node.clone().ancestor(node.get_tree_depth()?)?;
    let all = root.get_child(0)?.get_domain()?.get_set_list()?.to_vec()?;
    let mut here = HashMap::new();
    for set in node.get_domain()?.get_set_list()?.to_vec()? {
        let mut is_whole = false;
        for other in &all {
            is_whole = is_whole || other.plain_is_equal(&set)?;
        }
        here.insert(set.get_tuple_name()?.unwrap_or_default(), (!is_whole).then_some(set));
    }
    let mut found = UnionMap::empty_ctx(dependences.ctx())?;
    for map in dependences.get_map_list()?.to_vec()? {
        let some = |end| -> isl::Result<_> { Ok(here.get(&map.get_tuple_name(end)?.unwrap_or_default())) };
        let (Some(from), Some(to)) = (some(DimType::In)?, some(DimType::Out)?) else { continue };
        let mut map = map.clone();
        if let Some(from) = from {
            map = map.intersect_domain(from.clone())?;
        }
        if let Some(to) = to {
            map = map.intersect_range(to.clone())?;
        }
        found = found.union(UnionMap::from_map(map)?)?;
    }
    Ok(found)
}

/// The dependences between instances of a set.
pub fn within(dependences: &UnionMap, set: UnionSet) -> isl::Result<UnionMap> {
    dependences.clone().intersect_domain_union_set(set.clone())?.intersect_range_union_set(set)
}

/// Whether a band that is no leaf band has a member that is parallel and may stand first.
pub fn can_be_parallel(bonds: &Bonds, band: &Band) -> isl::Result<bool> {
    let partial = band.node.band_get_partial_schedule()?;
    let apart = inside(&bonds.apart, &band.node)?;
    let count = if band.permutable { band.rows.len() } else { 1 };
    for at in 0..count {
        if Values::of(&partial.get_at(at)?)?.are_equal(&apart)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What binds a schedule: `{ S[i] -> T[j] }`.
#[derive(Clone, Debug)]
pub struct Bonds {
    /// What must stay in order.
    pub order: UnionMap,
    /// What must not run side by side: the same and the updates of reductions.
    pub apart: UnionMap,
    /// Whether both are the same.
    pub are_same: bool,
}

/// What may be done to a leaf band, given its parts; whether it can be split only if that is asked for.
pub fn freedom(
    scop: &Scop,
    bonds: &Bonds,
    band: &Band,
    parts: &[Vec<usize>],
    to_split: bool,
) -> isl::Result<Freedom> {
    let partial = band.node.band_get_partial_schedule()?;
    let count = band.rows.len();
    let apart = inside(&bonds.apart, &band.node)?;
    let order = if bonds.are_same { apart.clone() } else { inside(&bonds.order, &band.node)? };
    let members = (0..count).map(|at| Values::of(&partial.get_at(at)?)).collect::<isl::Result<Vec<_>>>()?;
    let mut permutable = count > 1;
    for each in &members {
        permutable = permutable && each.has_none(&order, Position::After)?;
    }
    // Then no pair goes back in any member.
    let is_forward = permutable && bonds.are_same;
    let all_equal = |pairs: &UnionMap, member: &Values| match is_forward {
        true => member.has_none(pairs, Position::Before),
        false => member.are_equal(pairs),
    };
    let mut found =
        Freedom { permutable, coincident: Vec::new(), parallel: Vec::new(), sunk: Vec::new(), split: None };
    for (at, each) in members.iter().enumerate() {
        let is_coincident = all_equal(&apart, each)?;
        found.coincident.push(is_coincident);
        if !permutable && at + 1 < count {
            // It cannot become innermost.
            found.parallel.push(false);
            found.sunk.push(None);
            continue;
        }
        if is_coincident && parts.len() == 1 {
            found.parallel.push(true);
            found.sunk.push(None);
            continue;
        }
        let mut rest = apart.clone();
        for (_, other) in members.iter().enumerate().filter(|(other, _)| *other != at) {
            rest = other.compared(&rest, Position::Same)?;
        }
        found.parallel.push(is_coincident || all_equal(&rest, each)?);
        found.sunk.push(sunk(scop, &rest, each, parts)?);
        if to_split && at + 1 == count && found.is_split_a_question(parts) {
            found.split = pivot::parallel_split(scop, &rest, &last_alone(band.node.clone())?, each)?;
        }
    }
    Ok(found)
}

/// The last member of a band as a band of its own.
fn last_alone(node: ScheduleNode) -> isl::Result<ScheduleNode> {
    match node.band_n_member()? {
        1 => Ok(node),
        count => node.band_split(count - 1)?.child(0),
    }
}

fn sunk(scop: &Scop, rest: &UnionMap, member: &Values, parts: &[Vec<usize>]) -> isl::Result<Option<Sunk>> {
    let part_of = |name: Option<String>| {
        let id = scop.stmt_named(&name.unwrap_or_default())?;
        parts.iter().position(|stmts| stmts.contains(&id.index()))
    };
    if parts.len() < 2 {
        return Ok(None);
    }
    let mut parallel = vec![true; parts.len()];
    let mut edges = Vec::new();
    for map in rest.get_map_list()?.to_vec()? {
        let from = part_of(map.get_tuple_name(DimType::In)?);
        let to = part_of(map.get_tuple_name(DimType::Out)?);
        let (Some(from), Some(to)) = (from, to) else { return Ok(None) };
        if from == to {
            parallel[from] = parallel[from] && member.are_equal(&UnionMap::from_map(map)?)?;
        } else if !map.is_empty()? {
            edges.push((from, to));
        }
    }
    Ok(sorted(parts.len(), &edges).map(|order| Sunk { order, parallel }))
}

/// An order in which all edges go forward, as near to the given one as possible; `None` if there is a cycle.
fn sorted(count: usize, edges: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut left: Vec<usize> = (0..count).collect();
    let mut order = Vec::new();
    while !left.is_empty() {
        let free = |at: &usize| !edges.iter().any(|(from, to)| to == at && left.contains(from));
        let next = left.iter().position(free)?;
        order.push(left.remove(next));
    }
    Some(order)
}

/// The program's own loops, each distributed over the statements in it as far as the dependences allow (J. Allen and
/// K. Kennedy, "Automatic translation of Fortran programs to vector form", 1987): for each loop, outermost first, the
/// strongly connected components of its statements get a loop each, in an order that keeps the dependences
/// between them; inside of a loop the dependences that it carries do not count any more.
pub fn distributed(scop: &Scop, dependences: &UnionMap) -> isl::Result<Schedule> {
    Distributor { scop, push: None }.run(dependences)
}

/// The same with updates pushed (module `push`), whether or not that is legal; `None` if there are none.
pub fn pushed(scop: &Scop, dependences: &UnionMap) -> isl::Result<Option<Schedule>> {
    let count = Cell::new(0);
    let schedule = Distributor { scop, push: Some(&count) }.run(dependences)?;
    Ok((count.get() > 0).then_some(schedule))
}

struct Distributor<'a> {
    scop: &'a Scop,
    /// How many loops were pushed so far, if some are to be.
    push: Option<&'a Cell<usize>>,
}

impl Distributor<'_> {
    fn run(&self, dependences: &UnionMap) -> isl::Result<Schedule> {
        let schedule = match self.distribute(&self.scop.order, 0, dependences)? {
            Some(schedule) => schedule.intersect_domain(self.scop.domain()?)?,
            None => self.scop.schedule()?,
        };
        merged(schedule, dependences)
    }

    fn distribute(
        &self,
        parts: &[Order],
        depth: usize,
        dependences: &UnionMap,
    ) -> isl::Result<Option<Schedule>> {
        let mut pieces = Vec::new();
        for part in parts {
            match part {
                Order::Stmt(id) => {
                    let domain = UnionSet::from_set(self.scop.stmt(*id).domain.clone())?;
                    pieces.push(Schedule::from_domain(domain)?);
                }
                Order::Loop(body) => pieces.extend(self.distribute_loop(body, depth, dependences)?),
            }
        }
        in_sequence(pieces)
    }

    fn distribute_loop(
        &self,
        body: &[Order],
        depth: usize,
        dependences: &UnionMap,
    ) -> isl::Result<Vec<Schedule>> {
        let stmts = model::scop::stmts_below(body);
        let edges = edges(self.scop, &stmts, dependences)?;
        let mut pieces = Vec::new();
        for component in components(stmts.len(), &edges) {
            let own: Vec<StmtId> = component.iter().map(|at| stmts[*at]).collect();
            let body = only(body, &own);
            if let Some(pushed) = self.push(&body, depth, dependences)? {
                pieces.push(pushed);
                continue;
            }
            let counters = counters(self.scop, &own, depth)?;
            let inside = equal(dependences.clone(), &counters)?;
            if let Some(inner) = self.distribute(&body, depth + 1, &inside)? {
                pieces.push(inner.insert_partial_schedule(counters)?);
            }
        }
        Ok(pieces)
    }

    fn push(&self, body: &[Order], depth: usize, dependences: &UnionMap) -> isl::Result<Option<Schedule>> {
        let Some(count) = self.push else { return Ok(None) };
        let pushed = push::pushed(self.scop, body, depth, dependences)?;
        count.set(count.get() + usize::from(pushed.is_some()));
        Ok(pushed)
    }
}

/// One after the other; `None` for nothing.
pub fn in_sequence(pieces: Vec<Schedule>) -> isl::Result<Option<Schedule>> {
    let mut whole: Option<Schedule> = None;
    for piece in pieces {
        whole = Some(match whole {
            Some(before) => before.sequence(piece)?,
            None => piece,
        });
    }
    Ok(whole)
}

/// Which of these statements depend on which others, by position.
fn edges(scop: &Scop, stmts: &[StmtId], dependences: &UnionMap) -> isl::Result<Vec<(usize, usize)>> {
    let mut edges = Vec::new();
    for map in dependences.get_map_list()?.to_vec()? {
        let end = |name: Option<String>| {
            let id = scop.stmt_named(&name.unwrap_or_default())?;
            stmts.iter().position(|stmt| *stmt == id)
        };
        let (from, to) = (end(map.get_tuple_name(DimType::In)?), end(map.get_tuple_name(DimType::Out)?));
        if let (Some(from), Some(to)) = (from, to)
            && from != to
            && !map.is_empty()?
        {
            edges.push((from, to));
        }
    }
    Ok(edges)
}

/// Whether all statements depend on each other, so that there is no choice what to fuse.
pub fn is_one_component(scop: &Scop, dependences: &UnionMap) -> isl::Result<bool> {
    let stmts: Vec<StmtId> = (0..scop.stmts.len()).map(|at| StmtId(at as u32)).collect();
    Ok(components(stmts.len(), &edges(scop, &stmts, dependences)?).len() == 1)
}

/// `{ S[i, j] -> [(j)] }` for the counter at `depth`, as it was written: what can change places is then the loop that was
/// written, not one along diagonals.
pub fn counters(scop: &Scop, stmts: &[StmtId], depth: usize) -> isl::Result<MultiUnionPwAff> {
    let starts = stmts.iter().map(|id| written::start(&scop.stmt(*id).domain, depth));
    let starts: Vec<_> = starts.collect::<isl::Result<_>>()?;
    let common = starts.first().filter(|first| starts.iter().all(|other| other == *first));
    let start = common.map_or(&[][..], Vec::as_slice);
    let mut all = UnionMap::empty_ctx(&scop.ctx)?;
    for &id in stmts {
        let counter = written::written(scop.stmt(id).domain.get_space()?, depth, start)?;
        all = all.union(UnionMap::from_map(Map::from_aff(counter)?)?)?;
    }
    MultiUnionPwAff::from_union_map(all)
}

/// The parts of a body that have some of these statements.
fn only(parts: &[Order], stmts: &[StmtId]) -> Vec<Order> {
    let mut found = Vec::new();
    for part in parts {
        match part {
            Order::Stmt(id) if stmts.contains(id) => found.push(part.clone()),
            Order::Stmt(_) => {}
            Order::Loop(body) => {
                let body = only(body, stmts);
                if !body.is_empty() {
                    found.push(Order::Loop(body));
                }
            }
        }
    }
    found
}

/// The strongly connected components, in an order in which all edges between them go forward, each ascending.
fn components(count: usize, edges: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut reaches = vec![vec![false; count]; count];
    edges.iter().for_each(|(from, to)| reaches[*from][*to] = true);
    for through in 0..count {
        let row = reaches[through].clone();
        for from in reaches.iter_mut().filter(|from| from[through]) {
            from.iter_mut().zip(&row).for_each(|(reached, more)| *reached |= more);
        }
    }
    let together = |a: usize, b: usize| a == b || reaches[a][b] && reaches[b][a];
    let first = |at: usize| (0..count).find(|other| together(at, *other)).unwrap_or(at);
    let leaders: Vec<usize> = (0..count).filter(|at| first(*at) == *at).collect();
    let number = |at: usize| leaders.iter().position(|leader| *leader == first(at)).unwrap_or(0);
    let between: Vec<(usize, usize)> =
        edges.iter().map(|(from, to)| (number(*from), number(*to))).filter(|(from, to)| from != to).collect();
    let order = sorted(leaders.len(), &between).unwrap_or_default();
    let members = |at: &usize| (0..count).filter(|other| together(leaders[*at], *other)).collect();
    order.iter().map(members).collect()
}

/// The program's own order, given as a tree, with perfectly nested loops in one band where that band is permutable.
pub fn own_order(scop: &Scop, program: Schedule, dependences: &UnionMap) -> isl::Result<Schedule> {
    merged(in_written_counters(scop, program)?, dependences)
}

/// The same order, with loops as they were written: each band is one of the program's own loops.
fn in_written_counters(scop: &Scop, schedule: Schedule) -> isl::Result<Schedule> {
    schedule.map_schedule_node_bottom_up(|node| {
        if node.get_type()? != ScheduleNodeType::Band {
            return Ok(node);
        }
        let stmts: Vec<_> = stmts_below(scop, &node)?.into_iter().map(|at| StmtId(at as u32)).collect();
        if stmts.is_empty() {
            return Ok(node);
        }
        let counters = counters(scop, &stmts, node.get_schedule_depth()?)?;
        node.delete()?.insert_partial_schedule(counters)
    })
}

/// Puts loops that are perfectly nested in one band where that band is permutable.
fn merged(schedule: Schedule, dependences: &UnionMap) -> isl::Result<Schedule> {
    schedule.map_schedule_node_bottom_up(|node| {
        if node.get_type()? != ScheduleNodeType::Band {
            return Ok(node);
        }
        let child = node.get_child(0)?;
        if child.get_type()? != ScheduleNodeType::Band {
            return Ok(node);
        }
        let inner = child.band_get_partial_schedule()?;
        let inside = inside(dependences, &node)?;
        for at in 0..child.band_n_member()? {
            if !Values::of(&inner.get_at(at)?)?.has_none(&inside, Position::After)? {
                return Ok(node);
            }
        }
        let both = node.band_get_partial_schedule()?.flat_range_product(inner)?;
        node.delete()?.delete()?.insert_partial_schedule(both)?.band_set_permutable(1)
    })
}

/// The program's own loops, distributed, with parallel loops inside of those that are not, where that brings them together with a band
/// below: `C[i][j] += A[i][l][m] * B[l][m][j]` in the order `(i, j, l)(m)` becomes `(l)(i, j, m)`. The terms of a sum over two loops stay
/// in their order, and the band inside has what a block of cells in registers needs. `None` if there are none.
///
/// A parallel loop (one that no dependence between instances inside of what is around the band moves) may stand anywhere, and such
/// dependences as are left inside do not move it either: so the new band is permutable if the one below was.
pub fn with_parallel_inside(scop: &Scop, bonds: &Bonds) -> isl::Result<Option<Schedule>> {
    let mut is_changed = false;
    let schedule = distributed(scop, &bonds.order)?.map_schedule_node_bottom_up(|node| {
        let (node, is_moved) = move_parallel_inside(scop, bonds, node)?;
        is_changed |= is_moved;
        Ok(node)
    })?;
    Ok(is_changed.then_some(schedule))
}

/// Moves the parallel members of a band into the band below it, and on from there.
fn move_parallel_inside(scop: &Scop, bonds: &Bonds, node: ScheduleNode) -> isl::Result<(ScheduleNode, bool)> {
    if node.get_type()? != ScheduleNodeType::Band || node.get_child(0)?.get_type()? != ScheduleNodeType::Band
    {
        return Ok((node, false));
    }
    let (partial, inside) = (node.band_get_partial_schedule()?, inside(&bonds.apart, &node)?);
    let (mut parallel, mut others) = (Vec::new(), Vec::new());
    for at in 0..node.band_n_member()? {
        let member = partial.get_at(at)?;
        let is_parallel = Values::of(&member)?.are_equal(&inside)?;
        if is_parallel { &mut parallel } else { &mut others }.push(member);
    }
    if parallel.is_empty() || others.is_empty() {
        return Ok((node, false));
    }
    let is_permutable = node.band_get_permutable()?;
    let below = node.get_child(0)?;
    let count = below.band_n_member()?;
    let is_permutable_below = count == 1 || below.band_get_permutable()?;
    let rows = below.band_get_partial_schedule()?;
    parallel.extend((0..count).map(|at| rows.get_at(at)).collect::<isl::Result<Vec<_>>>()?);
    let node = node.delete()?.delete()?.insert_partial_schedule(band_of(scop, parallel)?)?;
    let node = node.band_set_permutable(i32::from(is_permutable_below))?;
    let node = move_parallel_inside(scop, bonds, node)?.0;
    let node = node.insert_partial_schedule(band_of(scop, others)?)?;
    Ok((node.band_set_permutable(i32::from(is_permutable))?, true))
}

/// What is to be done to a leaf band.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// The members in their new order.
    pub order: Vec<usize>,
    /// For each member in the new order: the size of its tiles, if it is tiled.
    pub tiles: Vec<Option<i64>>,
    /// Whether the innermost member is sunk.
    pub sink: bool,
    /// The block of cells that stays in registers, if there is one: the last three members of the order are the terms of
    /// the sums, the rows and the columns.
    pub block: Option<Block>,
    /// The statements that have such blocks: the only one, or those that are alone in most tiles (module `apart`).
    pub blocked: Vec<usize>,
    /// Whether the innermost member, which is the last one as before, is split ([`Freedom::split`]).
    pub split: bool,
    /// The rows that are written out, if some are ([`model::JAM`]): the last but one member of the order is cut into strips of
    /// rows, and the last one runs along them.
    pub jam: Option<Strip>,
}

/// Rows of a strip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strip {
    /// How many.
    pub rows: i64,
    /// Each is one iteration behind the one before it. Then no row waits for another in the same iteration: in a permutable
    /// band no dependence goes backwards along the rows or across them, so what goes forward across them goes forward along
    /// the skewed ones.
    pub is_skewed: bool,
}

/// So many rows and columns of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// Rows.
    pub height: i64,
    /// Columns.
    pub width: i64,
}

impl Change {
    /// Nothing, for a band of so many members.
    pub fn none(count: usize) -> Change {
        Change { order: (0..count).collect(), tiles: vec![None; count], ..Change::default() }
    }

    /// Whether any member is tiled.
    pub fn is_tiled(&self) -> bool {
        self.tiles.iter().any(Option::is_some)
    }
}

/// A leaf band and what is to be done to it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// Its number in the [`Shape`].
    pub band: usize,
    /// Its statements, by parts.
    pub parts: Vec<Vec<usize>>,
    /// What may be done.
    pub freedom: Freedom,
    /// What is to be done.
    pub change: Change,
}

impl Planned {
    /// Its statements, ascending.
    pub fn stmts(&self) -> Vec<usize> {
        let mut stmts = self.parts.concat();
        stmts.sort_unstable();
        stmts.dedup();
        stmts
    }

    /// What a part has of the rows of a strip of one member along another.
    pub fn rows(&self, part: usize, row: usize, along: usize, is_skewed: bool) -> Rows {
        if is_skewed {
            return Rows { wait: false, is_vector: false };
        }
        let is_parallel = |member: usize| match &self.freedom.sunk[member] {
            Some(sunk) => sunk.parallel[part],
            None => self.freedom.parallel[member],
        };
        Rows { wait: !is_parallel(row) && !is_parallel(along), is_vector: self.freedom.coincident[along] }
    }

    /// For each part whether its innermost loop is parallel.
    pub fn parallel(&self) -> Vec<bool> {
        let Some(&inner) = self.change.order.last() else { return Vec::new() };
        match (&self.freedom.sunk[inner], self.change.sink) {
            (Some(sunk), true) => sunk.parallel.clone(),
            // But for one iteration.
            _ if self.change.split => vec![true; self.parts.len()],
            _ => vec![self.freedom.parallel[inner]; self.parts.len()],
        }
    }
}

/// Changes the leaf bands.
pub fn apply(scop: &Scop, schedule: Schedule, changes: &[Planned], jams: &[Jam]) -> isl::Result<Schedule> {
    schedule.map_schedule_node_bottom_up(|node| {
        if node.get_type()? != ScheduleNodeType::Band {
            return Ok(node);
        }
        let stmts = stmts_below(scop, &node)?;
        let depth = node.get_schedule_depth()?;
        if let Some(jam) = jams.iter().find(|jam| jam.depth == depth && jam.is_of(&stmts)) {
            let last = node.band_n_member()? - 1;
            return jam_band(scop, node, last, jam.rows)?.ancestor(usize::from(last > 0));
        }
        let found = changes.iter().find(|planned| planned.stmts() == stmts);
        match found {
            // An outer band over the same statements is no leaf band.
            Some(planned) if !has_band_below(&node)? => {
                let Planned { freedom, change, parts, .. } = planned;
                change_band(scop, node, freedom, change, parts)
            }
            _ => Ok(node),
        }
    })
}

/// Whether another band is below this one.
pub fn has_band_below(node: &ScheduleNode) -> isl::Result<bool> {
    let mut bands = 0;
    node.foreach_descendant_top_down(|node| {
        bands += usize::from(node.get_type()? == ScheduleNodeType::Band);
        Ok(bands < 2)
    })?;
    Ok(bands > 1)
}

/// The numbers of the statements below a node, ascending.
pub fn stmts_below(scop: &Scop, node: &ScheduleNode) -> isl::Result<Vec<usize>> {
    let mut found = Vec::new();
    for set in node.get_domain()?.get_set_list()?.to_vec()? {
        found.extend(scop.stmt_named(&set.get_tuple_name()?.unwrap_or_default()).map(|id| id.index()));
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The values that a row has for the instances below a node.
pub fn values(node: &ScheduleNode, row: UnionPwAff) -> isl::Result<Set> {
    Set::from_union_set(UnionMap::from_union_pw_aff(row)?.intersect_domain(node.get_domain()?)?.range()?)
}

/// Makes a change to the leaf band at `node`, given its parts.
pub fn change_band(
    scop: &Scop,
    node: ScheduleNode,
    freedom: &Freedom,
    change: &Change,
    parts: &[Vec<usize>],
) -> isl::Result<ScheduleNode> {
    let root = node.get_tree_depth()?;
    let old = node.band_get_partial_schedule()?;
    let mut new = old.clone();
    for (at, &from) in change.order.iter().enumerate() {
        new = new.set_at(at, old.get_at(from)?)?;
    }
    let count = change.order.len();
    if change.jam.is_some_and(|strip| strip.is_skewed) {
        let skewed = new.get_at(count - 2)?.add(new.get_at(count - 1)?)?;
        new = new.set_at(count - 1, skewed)?;
    }
    let mut node = node.delete()?.insert_partial_schedule(new)?;
    node = node.band_set_permutable(i32::from(freedom.permutable))?;
    for (at, &from) in change.order.iter().enumerate() {
        node = node.band_member_set_coincident(at, i32::from(freedom.coincident[from]))?;
    }
    if change.is_tiled() {
        let tiled = change.tiles.iter().enumerate();
        let sizes: Vec<_> = tiled.filter_map(|(at, size)| size.map(|size| (at, size))).collect();
        node = insert_tile_loops(scop, node, &sizes, freedom, change)?.child(0)?;
    }
    node = match (change.block, change.jam, freedom.split.filter(|_| change.split)) {
        (Some(block), ..) if parts.len() > 1 => blocks_apart(scop, node, freedom, change, block, parts)?,
        (Some(block), ..) => registers(scop, node, freedom, change, block)?,
        (None, Some(strip), _) => jam_band(scop, node, count - 2, strip.rows)?,
        (None, None, Some(outer)) => {
            let last = last_alone(node)?;
            pivot::split(scop, &last, outer)?.unwrap_or(last)
        }
        (None, None, None) => innermost(scop, node, freedom, change, parts)?,
    };
    // Back to the root of what was changed.
    let up = node.get_tree_depth()? - root;
    node.ancestor(up)
}

/// Loops over blocks around the three innermost members, and the mark for what is inside of a block.
fn registers(
    scop: &Scop,
    node: ScheduleNode,
    freedom: &Freedom,
    change: &Change,
    block: Block,
) -> isl::Result<ScheduleNode> {
    let outer = change.order.len() - 3;
    let node = if outer == 0 { node } else { node.band_split(outer)?.child(0)? };
    let inner = Change { order: change.order[outer..].to_vec(), ..change.clone() };
    // A panel of some columns stays in the cache while all rows pass by.
    let blocks = [(2, block.width), (1, block.height)];
    let node = insert_tile_loops(scop, node, &blocks, freedom, &inner)?.child(0)?;
    node.insert_mark(Id::new(&scop.ctx, REGISTERS)?)
}

/// Cuts a member of the band at `node` into strips of so many rows, which become the innermost loops of all that is below. The
/// result is at the loop over strips or above.
fn jam_band(scop: &Scop, node: ScheduleNode, member: usize, rows: i64) -> isl::Result<ScheduleNode> {
    let mut node = if member == 0 { node } else { node.band_split(member)?.child(0)? };
    if node.band_n_member()? > 1 {
        node = node.band_split(1)?;
    }
    let row = node.band_get_partial_schedule()?;
    let strips = MultiUnionPwAff::from_union_pw_aff(tiles(scop, row.get_at(0)?, rows)?)?;
    let node = node.delete()?.insert_partial_schedule(strips)?;
    let node = node.band_member_set_ast_loop_type(0, AstLoopType::Atomic)?;
    insert_rows(scop, node.child(0)?, &row)?.parent()
}

/// Inserts the loop over the rows of a strip below each innermost band at or below a node, or at the node if there is none.
fn insert_rows(scop: &Scop, node: ScheduleNode, row: &MultiUnionPwAff) -> isl::Result<ScheduleNode> {
    let mark = |node: ScheduleNode| node.insert_mark(Id::new(&scop.ctx, model::JAM)?);
    match node.get_type()? {
        ScheduleNodeType::Band if has_band_below(&node)? => insert_rows(scop, node.child(0)?, row)?.parent(),
        ScheduleNodeType::Band => mark(node.child(0)?.insert_partial_schedule(row.clone())?)?.parent(),
        ScheduleNodeType::Leaf => mark(node.insert_partial_schedule(row.clone())?),
        _ => {
            let mut node = node;
            for at in 0..node.n_children()? {
                node = insert_rows(scop, node.child(at)?, row)?.parent()?;
            }
            Ok(node)
        }
    }
}

/// The same in the tiles in which one statement is alone; in the others as without blocks. The node is the band inside of tiles.
fn blocks_apart(
    scop: &Scop,
    node: ScheduleNode,
    freedom: &Freedom,
    change: &Change,
    block: Block,
    parts: &[Vec<usize>],
) -> isl::Result<ScheduleNode> {
    let filters = apart::filters(scop, &node.clone().parent()?, &change.blocked)?;
    let (root, others) = (node.get_tree_depth()?, change.blocked.len());
    let mut node = node.insert_sequence(filters)?;
    for part in 0..=others {
        let band = node.child(part)?.child(0)?;
        let changed = match part {
            part if part < others => registers(scop, band, freedom, change, block)?,
            _ => innermost(scop, band, freedom, change, parts)?,
        };
        let up = changed.get_tree_depth()? - root;
        node = changed.ancestor(up)?;
    }
    Ok(node)
}

/// Splits off the innermost member and sinks it, if wanted.
fn innermost(
    scop: &Scop,
    node: ScheduleNode,
    freedom: &Freedom,
    change: &Change,
    parts: &[Vec<usize>],
) -> isl::Result<ScheduleNode> {
    let last = change.order.len() - 1;
    let Some(sunk) = freedom.sunk[change.order[last]].as_ref().filter(|_| change.sink) else {
        return Ok(node);
    };
    let node = if last == 0 { node } else { node.band_split(last)?.child(0)? };
    let groups: Vec<Vec<StmtId>> = sunk
        .order
        .iter()
        .map(|part| parts[*part].iter().map(|stmt| StmtId(*stmt as u32)).collect())
        .collect();
    // Below a leaf band are only sequences: the parts in their new order replace them.
    node.child(0)?.cut()?.insert_sequence(scop.filters(&groups)?)?.parent()?.band_sink()
}

/// Inserts a band with the loops over tiles above the band at `node`, which then has the loops inside of a tile: members, and
/// the sizes of their tiles. The result is at the new band.
fn insert_tile_loops(
    scop: &Scop,
    node: ScheduleNode,
    tiled: &[(usize, i64)],
    freedom: &Freedom,
    change: &Change,
) -> isl::Result<ScheduleNode> {
    let points = node.band_get_partial_schedule()?;
    let tile = |&(at, size): &(usize, i64)| tiles(scop, points.get_at(at)?, size);
    let rows = band_of(scop, tiled.iter().map(tile).collect::<isl::Result<_>>()?)?;
    let mut node = over_tiles(node.insert_partial_schedule(rows)?)?;
    for (position, &(at, _)) in tiled.iter().enumerate() {
        node = node.band_member_set_coincident(position, i32::from(freedom.coincident[change.order[at]]))?;
    }
    Ok(node)
}

/// The band as one of loops over tiles.
pub fn over_tiles(band: ScheduleNode) -> isl::Result<ScheduleNode> {
    let mut band = band.band_set_permutable(1)?;
    for at in 0..band.band_n_member()? {
        band = band.band_member_set_ast_loop_type(at, AstLoopType::Atomic)?;
    }
    Ok(band)
}

/// The start of the tile that a row is in.
pub fn tiles(scop: &Scop, row: UnionPwAff, size: i64) -> isl::Result<UnionPwAff> {
    let size = Val::int_from_si(&scop.ctx, size)?;
    row.scale_down_val(size.clone())?.floor()?.scale_val(size)
}

/// A band of these rows.
pub fn band_of(scop: &Scop, rows: Vec<UnionPwAff>) -> isl::Result<MultiUnionPwAff> {
    let space = isl::Space::set_alloc(&scop.ctx, 0, rows.len())?;
    let mut list = UnionPwAffList::alloc(&scop.ctx, rows.len())?;
    for row in rows {
        list = list.add(row)?;
    }
    MultiUnionPwAff::from_union_pw_aff_list(space, list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_in_order() {
        assert_eq!(components(4, &[(2, 0), (0, 1), (1, 0), (1, 3)]), [vec![2], vec![0, 1], vec![3]]);
        assert_eq!(components(3, &[]), [[0], [1], [2]]);
        assert_eq!(sorted(2, &[(0, 1), (1, 0)]), None);
    }
}
