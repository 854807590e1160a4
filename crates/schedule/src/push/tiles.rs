//! Pushed updates in tiles.
//!
//! Where updates are pushed (`super::pushed`), each row of cells is finished by terms from all rows finished before, which
//! come from far away each time. In tiles of some rows and columns of cells most terms are there before the tile begins: what they
//! are made of is finished in other tiles. These are added first, as a sum of products is, with blocks of cells in registers
//! ([`crate::block`]); the others follow in the order they had.
//! ```text
//! for i { .. for k { H(i, k); for j > k { S(i, j, k) } } }
//! ```
//! becomes
//! ```text
//! for tiles I, J { for k before J and behind I { for i in I, j in J { S(i, j, k) } }
//!                  for i in I { .. for other k { H(i, k) if k in J; for j > k in J { S(i, j, k) } } } }
//! ```
//! No dependence goes backwards from row to row or from column to column, so tiles on a diagonal are independent: these are
//! the wavefronts of dynamic programming over pairs of parts. Whether the order is legal is for the checker to say.

use crate::Machine;
use crate::affine::StmtModel;
use crate::block::Blocker;
use crate::times::{Position, Values};
use crate::tree::{self, Freedom, band_of, over_tiles, tiles};
use isl::{
    Aff, DimType, LocalSpace, Map, MultiUnionPwAff, PwMultiAff, Schedule, ScheduleNode, ScheduleNodeType,
    Set, UnionMap, UnionPwAff, UnionSet, UnionSetList, Val,
};
use model::{AccessKind, Scop, Stmt};

/// Makes such tiles of a schedule.
pub struct Tiler<'a> {
    /// The program.
    pub scop: &'a Scop,
    /// Its statements.
    pub models: &'a [StmtModel],
    /// The machine.
    pub machine: &'a Machine,
    /// What must stay in order.
    pub dependences: &'a UnionMap,
}

/// Rows and columns of cells of a tile: so many that blocks of all shapes fill them.
const TILE: [i64; 2] = [48, 96];

/// What such tiles are in the description of a schedule.
pub fn description() -> String {
    let [rows, columns] = TILE;
    format!(
        "updates in tiles of {rows} x {columns} cells, those whose terms are there before first, in registers\n"
    )
}

/// How many terms there are for a tile, if nobody knows.
const TERMS: f64 = 1000.0;

impl Tiler<'_> {
    /// The schedule with its outermost loop around pushed updates in tiles; `None` if there is none that can be.
    pub fn tiled(&self, schedule: &Schedule) -> isl::Result<Option<Schedule>> {
        let mut found = false;
        let tiled = schedule.clone().map_schedule_node_bottom_up(|node| {
            if found || node.get_type()? != ScheduleNodeType::Band || node.get_schedule_depth()? > 0 {
                return Ok(node);
            }
            let tiled = self.tile(&node)?;
            found |= tiled.is_some();
            Ok(tiled.unwrap_or(node))
        })?;
        Ok(found.then_some(tiled))
    }

    fn tile(&self, node: &ScheduleNode) -> isl::Result<Option<ScheduleNode>> {
        let stmts = tree::stmts_below(self.scop, node)?;
        let Some(update) = self.update(&stmts)? else { return Ok(None) };
        let Some(columns) = self.columns(&stmts)? else { return Ok(None) };
        let row = node.band_get_partial_schedule()?.get_at(0)?;
        let inside = tree::inside(self.dependences, node)?;
        // Counters start at 0: the column may be one along diagonals.
        for columns in [columns.clone().sub(row.clone())?, columns] {
            if !self.goes_forward(&inside, &columns)? {
                continue;
            }
            let columns = self.up_to_the_last(node, columns)?;
            let Some(sums) = self.sums(update, &columns)? else { continue };
            let Some(ready) = self.ready(update, &row, &columns)? else { continue };
            let rows = vec![tiles(self.scop, row, TILE[0])?, tiles(self.scop, columns, TILE[1])?];
            return self.in_parts(node, band_of(self.scop, rows)?, ready, &sums);
        }
        Ok(None)
    }

    /// The columns counted such that the last one ends a tile, if it is always the same.
    fn up_to_the_last(&self, node: &ScheduleNode, columns: UnionPwAff) -> isl::Result<UnionPwAff> {
        let values = tree::values(node, columns.clone())?;
        let greatest = values.clone().lexmax()?;
        let last = values.dim_max_val(0)?;
        if greatest.involves_dims(DimType::Param, 0, greatest.dim(DimType::Param)?)? || !last.is_int()? {
            return Ok(columns);
        }
        let beyond = last.add(Val::one(&self.scop.ctx)?)?;
        columns.sub(UnionPwAff::val_on_domain(node.get_domain()?, beyond)?)
    }

    /// The update with most loops, if there is something beside it.
    fn update(&self, stmts: &[usize]) -> isl::Result<Option<usize>> {
        let mut found = None;
        for &at in stmts.iter().filter(|at| !self.scop.stmts[**at].reductions.is_empty()) {
            if self.scop.stmts[at].domain.dim(DimType::Set)? == 3 {
                if found.is_some() {
                    return Ok(None);
                }
                found = Some(at);
            }
        }
        Ok(found.filter(|_| stmts.len() > 1))
    }

    /// The column that each instance writes, if all write one array.
    fn columns(&self, stmts: &[usize]) -> isl::Result<Option<UnionPwAff>> {
        let (mut all, mut array) = (UnionMap::empty_ctx(&self.scop.ctx)?, None);
        for stmt in stmts.iter().map(|at| &self.scop.stmts[*at]) {
            let mut writes = stmt.accesses.iter().filter(|access| access.kind != AccessKind::Read);
            let (Some(write), None) = (writes.next(), writes.next()) else { return Ok(None) };
            let count = write.relation.dim(DimType::Out)?;
            if count < 2 || array.is_some_and(|array| array != write.array) {
                return Ok(None);
            }
            array = Some(write.array);
            let column = write.relation.clone().project_out(DimType::Out, 0, count - 1)?;
            let column = column.intersect_domain(self.scop.instances(stmt)?)?;
            if !column.is_single_valued()? {
                return Ok(None);
            }
            all = all.union(UnionMap::from_map(column)?)?;
        }
        Ok(Some(MultiUnionPwAff::from_union_map(all)?.get_at(0)?))
    }

    /// Whether no dependence goes backwards along a line.
    fn goes_forward(&self, dependences: &UnionMap, row: &UnionPwAff) -> isl::Result<bool> {
        Values::of(row)?.has_none(dependences, Position::After)
    }

    /// The update's loops over terms, rows and columns.
    fn sums(&self, update: usize, columns: &UnionPwAff) -> isl::Result<Option<Sums>> {
        let stmt = &self.scop.stmts[update];
        let own =
            columns.clone().intersect_domain_union_set(UnionSet::from_set(self.scop.instances(stmt)?)?)?;
        let column = UnionMap::from_union_pw_aff(own)?;
        let [ref column] = column.get_map_list()?.to_vec()?[..] else { return Ok(None) };
        let column = PwMultiAff::from_map(column.clone().gist_domain(column.clone().domain()?)?)?;
        if !column.isa_multi_aff()? {
            return Ok(None);
        }
        let column = column.as_multi_aff()?.get_at(0)?;
        let mut coefficients = Vec::new();
        for at in 0..3 {
            let text = column.get_coefficient_val(DimType::In, at)?.to_string();
            let Ok(times) = text.parse::<i64>() else { return Ok(None) };
            coefficients.push(times);
        }
        let [of_row, 1, 0] = coefficients[..] else { return Ok(None) };
        Ok(Some(Sums {
            update,
            rows: [vec![of_row, 0, 1], vec![1, 0, 0], coefficients],
            columns: columns.clone(),
        }))
    }

    /// Instances of the update that need nothing of their own tile, of a simple form: of each cell that they read, the row or
    /// the column comes before the tile. The row directly before it is left to the rest: the first row of a tile has no term of it yet
    /// (`best(i, k) + best(k + 1, j)` for `k > i`), and all rows are to have the same terms.
    fn ready(&self, update: usize, row: &UnionPwAff, columns: &UnionPwAff) -> isl::Result<Option<UnionSet>> {
        let stmt = &self.scop.stmts[update];
        let Some(write) = stmt.accesses.iter().find(|access| access.kind != AccessKind::Read) else {
            return Ok(None);
        };
        let instances = self.scop.instances(stmt)?;
        let everywhere = |map: Map| map.gist_domain(instances.clone());
        let of_cell = everywhere(self.scop.cells(stmt, write)?)?.reverse()?;
        let mut ready = instances.clone();
        for read in stmt.accesses.iter().filter(|read| read.array == write.array) {
            if read.relation.is_equal(&write.relation)? {
                continue;
            }
            // The instances that finish the cell that is read.
            let finish =
                read.relation.clone().intersect_domain(instances.clone())?.apply_range(of_cell.clone())?;
            let along = |line: &UnionPwAff, size, left_out: i64| -> isl::Result<Option<(bool, Set)>> {
                let start = tiles(self.scop, line.clone(), size)?;
                let (Some(own), Some(start)) = (self.of_update(stmt, line)?, self.of_update(stmt, &start)?)
                else {
                    return Ok(None);
                };
                let theirs = finish.clone().apply_range(everywhere(own.clone())?)?;
                if !theirs.is_single_valued()? {
                    return Ok(None);
                }
                let value = |map: Map| PwMultiAff::from_map(map)?.get_at(0);
                let (own, theirs, start) = (value(own)?, value(theirs)?, value(start)?);
                let is_same = theirs.clone().ne_set(own)?.is_empty()?;
                let left_out = Val::int_from_si(&self.scop.ctx, left_out)?;
                Ok(Some((is_same, theirs.add_constant_val(left_out)?.lt_set(start)?)))
            };
            let (Some((same_row, above)), Some((_, left))) =
                (along(row, TILE[0], 1)?, along(columns, TILE[1], 0)?)
            else {
                return Ok(None);
            };
            ready = ready.intersect(if same_row { left } else { above })?;
        }
        let ready = UnionSet::from_set(ready.coalesce()?)?;
        Ok((!ready.is_empty()?).then_some(ready))
    }

    /// What a line is for the update, if it is one function.
    fn of_update(&self, stmt: &Stmt, line: &UnionPwAff) -> isl::Result<Option<Map>> {
        let own = UnionSet::from_set(self.scop.instances(stmt)?)?;
        let values = UnionMap::from_union_pw_aff(line.clone())?.intersect_domain_union_set(own)?;
        Ok(match &values.get_map_list()?.to_vec()?[..] {
            [values] => Some(values.clone()),
            _ => None,
        })
    }

    /// The loops over tiles: in each first what is ready, then the rest.
    fn in_parts(
        &self,
        node: &ScheduleNode,
        tiles: MultiUnionPwAff,
        ready: UnionSet,
        sums: &Sums,
    ) -> isl::Result<Option<ScheduleNode>> {
        let rest = node.get_domain()?.subtract(ready.clone())?.coalesce()?;
        let filters = UnionSetList::alloc(&self.scop.ctx, 2)?.add(ready)?.add(rest)?;
        let node = over_tiles(node.clone().insert_partial_schedule(tiles)?)?;
        let root = node.get_tree_depth()?;
        let first = node.child(0)?.insert_sequence(filters)?.child(0)?.child(0)?.cut()?;
        let first = first.insert_partial_schedule(sums.band(self.scop)?)?;
        let freedom = Freedom {
            permutable: true,
            coincident: vec![false, true, true],
            parallel: vec![false, true, true],
            sunk: vec![None; 3],
            split: None,
        };
        let blocker = Blocker {
            stmt: sums.update,
            model: &self.models[sums.update],
            rows: sums.rows.iter().cloned().map(Some).collect(),
            trips: &[TERMS, TILE[0] as f64, TILE[1] as f64],
            freedom: &freedom,
            machine: self.machine,
        };
        let changes = blocker.changes();
        let Some(change) = changes.first() else { return Ok(None) };
        let first = tree::change_band(self.scop, first, &freedom, change, &[vec![sums.update]])?;
        let up = first.get_tree_depth()? - root;
        first.ancestor(up).map(Some)
    }
}

/// The loops of an update over terms, rows and columns, in its counters.
struct Sums {
    update: usize,
    rows: [Vec<i64>; 3],
    /// The last of them, with its constant: blocks fill tiles.
    columns: UnionPwAff,
}

impl Sums {
    fn band(&self, scop: &Scop) -> isl::Result<MultiUnionPwAff> {
        let mut rows = Vec::new();
        for coefficients in &self.rows[..2] {
            let space = scop.stmts[self.update].domain.get_space()?;
            let mut row = Aff::zero_on_domain(LocalSpace::from_space(space)?)?;
            for (at, times) in coefficients.iter().enumerate() {
                row = row.set_coefficient_val(DimType::In, at, Val::int_from_si(&scop.ctx, *times)?)?;
            }
            rows.push(UnionPwAff::from_aff(row)?);
        }
        rows.push(self.columns.clone());
        band_of(scop, rows)
    }
}
