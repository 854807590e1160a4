//! Blocks of cells in registers: which loops of a band sum up, and how large a block may be.
//!
//! In `C[i, j] += A[i, k] * B[k, j]` each cell is read and written once for each `k`. A block of `height` rows and `width`
//! columns of `C` that stays in registers while `k` runs needs `height` cells of `A` and `width` cells of `B` for
//! `height * width` terms (the micro-kernel of K. Goto and R. van de Geijn, "Anatomy of high-performance matrix
//! multiplication", 2008, sections 4 and 5). The order of the terms of each sum stays, so the results do, to the bit.
//!
//! # Terms
//! The *summed* member is the loop along which the written cell stands still, the *column* the one along which
//! the written cell is followed by the next one, or by one a few cells further (complex numbers, of which one part is
//! summed up), the *row* a third one, along which something stands still that the summed loop moves: that is what is used
//! again.
//!
//! # Invariant
//! Rows and columns are coincident, and the statement touches the array it writes with one access function only. So
//! while a block is in registers nobody else wants its cells. [`crate::legality`] proves that again for the schedule
//! as a whole ([`crate::legality::Prover::registers_are_legal`]).
//!
//! A sum whose terms are sums of the same array (`B[i, j] += A[k, i] * B[k, j]` for `k > i`) is hoped to be such that the
//! terms which all cells of a block have come from cells outside of it. That only the proof can tell; where it fails, the
//! scheduler begins again without blocks.
//!
//! # Sizes
//! - height x width: as many as the registers hold beside the operands of one step, such that there is little to load.
//!   Cells that are far apart along the columns are gathered, once for all rows. What does not fill its last block is computed as
//!   if it did: 32 columns are two blocks of 16 and not two of 24.
//! - terms: their operands have room in the memory for panels ([`Machine::panel_bytes`]), from which they come one behind the
//!   other; without such memory they stay in three quarters of the first-level cache.
//! - rows: what a panel meets stays in three quarters of the second-level cache.

use crate::Machine;
use crate::affine::{AccessModel, StmtModel};
use crate::cost::{Pace, paces};
use crate::tree::{Block, Change, Freedom};

/// The greatest height and the greatest number of vectors in a row of a block.
const TALLEST: i64 = 8;
const WIDEST: i64 = 3;

/// How many cells further the next column may be: as in the parts of complex numbers, of points, of colours.
pub const FURTHEST: f64 = 4.0;

/// There are vectors under masks of cells that are at least so large.
const LEAST_BYTES: f64 = 4.0;

/// More terms do not make cells' way to and from memory matter less.
const DEEPEST: i64 = 320;

/// What an operand that is loaded costs, as times the cost of a term.
const LOADS: f64 = 0.5;

/// What edges may add without making another block better.
const LITTLE: f64 = 1.125;

/// Bytes of panels for what is computed for rows.
const OF_ROWS: i64 = 6 << 10;

/// A band of one statement that may be a contraction.
pub struct Blocker<'a> {
    /// The statement's number.
    pub stmt: usize,
    /// The statement.
    pub model: &'a StmtModel,
    /// For each member of the band the coefficients of the counters.
    pub rows: Vec<Option<Vec<i64>>>,
    /// How many iterations each member has.
    pub trips: &'a [f64],
    /// What may be done to the band.
    pub freedom: &'a Freedom,
    /// The machine.
    pub machine: &'a Machine,
}

impl Blocker<'_> {
    /// The band with its cells in registers, for each choice of members that allows it.
    pub fn changes(&self) -> Vec<Change> {
        let count = self.rows.len();
        if count < 3 || !self.freedom.permutable {
            return Vec::new();
        }
        let Some((update, paces)) = self.update().zip(self.paces()) else { return Vec::new() };
        let mut found = Vec::new();
        for column in 0..count {
            for row in 0..count {
                for summed in 0..count {
                    let roles = Roles { summed, row, column };
                    if self.fit(&roles, &update, &paces) {
                        found.extend(self.change(&roles, &paces));
                    }
                }
            }
        }
        found
    }

    /// Whether it is a sum whose terms read other cells of the array. Others are better off in loops of their own.
    pub fn is_in_place(&self) -> bool {
        self.update().is_some_and(|update| update.is_in_place)
    }

    /// The write of `x += ...`, if the statement is that.
    fn update(&self) -> Option<Update> {
        let all = &self.model.accesses;
        let mut writes = all.iter().enumerate().filter(|(_, access)| access.is_write);
        let (at, write) = writes.next()?;
        let same = |other: &&AccessModel| other.array == write.array;
        let equal = |other: &AccessModel| {
            write.subscripts.is_some()
                && other.subscripts == write.subscripts
                && other.constants == write.constants
        };
        let reads = || all.iter().filter(same).filter(|access| !access.is_write);
        let is_update = writes.next().is_none() && reads().any(equal);
        let is_cell = |access: &AccessModel| access.array == write.array && equal(access);
        is_update.then(|| Update {
            write: at,
            cells: all.iter().map(is_cell).collect(),
            may_be_near: write.bytes >= LEAST_BYTES && self.is_ascending(write),
            is_in_place: !reads().all(equal),
        })
    }

    /// Whether no loop goes down the cells of a row.
    fn is_ascending(&self, access: &AccessModel) -> bool {
        let last = access.subscripts.iter().filter_map(|subscripts| subscripts.last());
        last.chain(self.rows.iter().flatten()).flatten().all(|coefficient| *coefficient >= 0)
    }

    fn fit(&self, roles: &Roles, update: &Update, paces: &[Vec<Pace>]) -> bool {
        let freedom = self.freedom;
        let is_free = match update.is_in_place {
            true => freedom.parallel[roles.column],
            false => freedom.coincident[roles.row] && freedom.coincident[roles.column],
        };
        is_free && roles.fit(update, paces)
    }

    /// For each access its pace along each member.
    fn paces(&self) -> Option<Vec<Vec<Pace>>> {
        self.rows.iter().all(Option::is_some).then(|| paces(self.model, &self.rows))
    }

    fn change(&self, roles: &Roles, paces: &[Vec<Pace>]) -> Option<Change> {
        let bytes = self.model.accesses.iter().map(|access| access.bytes).fold(1.0, f64::max) as i64;
        let lanes = i64::from(self.machine.widest_bits) / 8 / bytes;
        if lanes < 2 {
            return None;
        }
        let block = self.size(roles, paces, lanes)?;
        let order = (0..self.rows.len()).filter(|member| !roles.all().contains(member));
        let order: Vec<usize> = order.chain(roles.all()).collect();
        let mut tiles = vec![None; order.len()];
        let depth = self.depth(roles, paces, block, bytes);
        let terms = depth.map_or(self.trips[roles.summed], |depth| depth as f64);
        let rows = room_of_rows(self.machine) / (terms.max(1.0) * bytes as f64);
        let at = order.len() - 3;
        tiles[at] = depth;
        // Whole blocks fill a tile.
        tiles[at + 1] = even(rows as i64, self.trips[roles.row], block.height);
        let plain = Change::none(order.len());
        Some(Change { order, tiles, block: Some(block), blocked: vec![self.stmt], ..plain })
    }

    /// How many terms a run of the block has, if not all: their operands have room in the memory for panels.
    fn depth(&self, roles: &Roles, paces: &[Vec<Pace>], block: Block, bytes: i64) -> Option<i64> {
        let columns = self.panels(roles, paces) * block.width;
        let (room, cells) = match self.machine.panel_bytes as i64 {
            0 => (self.machine.l1_room() as i64, columns + block.height),
            room => (room - OF_ROWS, columns.max(block.height)),
        };
        even((room / (cells * bytes)).min(DEEPEST), self.trips[roles.summed], 16)
    }

    /// How many operands there are that all rows use.
    fn panels(&self, roles: &Roles, paces: &[Vec<Pace>]) -> i64 {
        let is_panel = |paces: &&Vec<Pace>| {
            paces[roles.column] != Pace::Still
                && paces[roles.row] == Pace::Still
                && paces[roles.summed] != Pace::Still
        };
        paces.iter().filter(is_panel).count() as i64
    }

    /// How many operands there are that all columns use.
    fn row_operands(&self, roles: &Roles, paces: &[Vec<Pace>]) -> i64 {
        let is_row = |paces: &&Vec<Pace>| {
            paces[roles.column] == Pace::Still
                && paces[roles.row] != Pace::Still
                && paces[roles.summed] != Pace::Still
        };
        paces.iter().filter(is_row).count() as i64
    }

    fn size(&self, roles: &Roles, paces: &[Vec<Pace>], lanes: i64) -> Option<Block> {
        let trips = (self.trips[roles.row], self.trips[roles.column]);
        let (panels, rows) = (self.panels(roles, paces), self.row_operands(roles, paces));
        let is_written = |(access, _): &(&AccessModel, &Vec<Pace>)| access.is_write;
        let mut written = self.model.accesses.iter().zip(paces).filter(is_written);
        let operands = match written.all(|(_, paces)| !paces[roles.column].is_strided()) {
            true => Operands::plain(panels),
            false => Operands { panels, rows, are_parts: true },
        };
        size(self.machine, lanes, operands, trips)
    }
}

/// What a term is computed from.
#[derive(Clone, Copy)]
struct Operands {
    /// How many all rows use.
    panels: i64,
    /// How many all columns use.
    rows: i64,
    /// They are parts of numbers, of points, of colours: a term may be a sum of several products.
    are_parts: bool,
}

impl Operands {
    fn plain(panels: i64) -> Self {
        Operands { panels, rows: 1, are_parts: false }
    }

    /// The greatest number of vectors in a row. Products of n x n complex matrices on a Zen 5, n = 256, take 1.30 ms in blocks of 8 x 2
    /// vectors, 1.40 ms in 6 x 3 or 7 x 3, and up to 1.64 ms in 8 x 3, for which registers do not suffice. Where a term has one product these do,
    /// but each part is computed for the columns that there are not, too: four colours, n = 64, are twice as fast in 8 x 2.
    fn widest(self) -> i64 {
        if self.are_parts { WIDEST - 1 } else { WIDEST }
    }

    /// Registers for what is neither a sum nor an operand that all rows use.
    fn registers(self) -> i64 {
        if self.are_parts { self.rows + self.panels.max(1) } else { 2 }
    }
}

/// The block with the most terms for each operand that is loaded, among those that fit the registers and the loops; of short loops
/// one that leaves little of what it computes unused at the edges.
fn size(machine: &Machine, lanes: i64, operands: Operands, (rows, columns): (f64, f64)) -> Option<Block> {
    let registers = i64::from(machine.vector_registers);
    let mut best: Option<(f64, Block)> = None;
    for vectors in 1..=operands.widest() {
        for height in 2..=TALLEST {
            let block = Block { height, width: vectors * lanes };
            let is_short = (height as f64) > rows || (block.width as f64) > columns;
            let sums_and_panels = (height + operands.panels) * vectors;
            if sums_and_panels + operands.registers() > registers || is_short {
                continue;
            }
            let reuse = (height * vectors) as f64 / (height + vectors) as f64;
            let cost = (1.0 + LOADS / reuse) * wasted(rows, height) * wasted(columns, block.width);
            if best.is_none_or(|(least, _)| cost < least) {
                best = Some((cost, block));
            }
        }
    }
    best.map(|(_, block)| block)
}

/// The room for the rows of a tile in the second cache: half of it, because rows lie far apart and columns stream past. With all of 2 MiB a
/// product on an Intel with AVX-512 had 85 % of OpenBLAS's speed, with half of them 95 %, and with a fifth 90 %; on a Zen 5 with 1 MiB
/// it did not matter.
fn room_of_rows(machine: &Machine) -> f64 {
    let room = machine.l2_room();
    (room / 2).max(room.min(LEAST_ROWS)) as f64
}

/// How many bytes of rows make it worth while to store the columns that they share.
const LEAST_ROWS: u64 = 384 << 10;

/// How many rows the block of a plain product has whose cells have so many bytes, if it has one.
pub fn rows_of_product(machine: &Machine, bytes: i64) -> Option<i64> {
    let lanes = i64::from(machine.widest_bits) / 8 / bytes.max(1);
    let block = if lanes < 2 {
        None
    } else {
        size(machine, lanes, Operands::plain(1), (f64::INFINITY, f64::INFINITY))
    };
    block.map(|block| block.height)
}

/// How many times what there is blocks compute along a loop with edges, where that is much.
fn wasted(trip: f64, length: i64) -> f64 {
    let computed = (trip / length as f64).ceil() * length as f64 / trip.max(1.0);
    if computed > LITTLE { computed } else { 1.0 }
}

/// A tile size of at most about `most` that makes tiles alike, as a multiple; `None` if one tile is all there is.
fn even(most: i64, trip: f64, multiple: i64) -> Option<i64> {
    let most = (most / multiple).max(1) * multiple;
    let tiles = (trip / most as f64).ceil();
    let multiples = (trip / tiles.max(1.0) / multiple as f64).ceil() as i64;
    (tiles > 1.0).then_some((multiples * multiple).min(most))
}

/// What is updated.
struct Update {
    /// The write.
    write: usize,
    /// For each access whether it is to the same cell.
    cells: Vec<bool>,
    /// Whether vectors can be made of cells a few apart.
    may_be_near: bool,
    /// The terms read other cells of the array.
    is_in_place: bool,
}

/// Which members do what.
struct Roles {
    summed: usize,
    row: usize,
    column: usize,
}

impl Roles {
    fn all(&self) -> [usize; 3] {
        [self.summed, self.row, self.column]
    }

    fn fit(&self, update: &Update, paces: &[Vec<Pace>]) -> bool {
        let Roles { summed, row, column } = *self;
        let all = self.all();
        let is_apart = all.iter().enumerate().all(|(at, member)| !all[..at].contains(member));
        let along = |member: usize| paces[update.write][member];
        let are_near = match along(column) {
            Pace::Contiguous => true,
            Pace::Near(step) => step <= FURTHEST && update.may_be_near,
            Pace::Still | Pace::Far => false,
        };
        let mut operands = paces.iter().zip(&update.cells).filter(|(_, is_cell)| !**is_cell);
        is_apart
            && along(summed) == Pace::Still
            && along(row) != Pace::Still
            && are_near
            // What is gathered from far apart must serve all rows.
            && operands.all(|(paces, _)| !paces[column].is_strided() || paces[row] == Pace::Still)
            && paces.iter().any(|paces| paces[summed] != Pace::Still && paces[row] == Pace::Still)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Waits;

    fn access(array: u32, is_write: bool, subscripts: &[[i64; 3]]) -> AccessModel {
        let subscripts = Some(subscripts.iter().map(|row| row.to_vec()).collect::<Vec<_>>());
        AccessModel { array, is_write, bytes: 8.0, constants: vec![0; 2], subscripts }
    }

    const I: [i64; 3] = [1, 0, 0];
    const J: [i64; 3] = [0, 1, 0];
    const K: [i64; 3] = [0, 0, 1];

    /// The blocks of `C[i, j] += ...` in the loops i, j, k with so many iterations, where i and j are coincident.
    fn blocks(operands: &[AccessModel], trips: [f64; 3], machine: &Machine) -> Vec<Change> {
        blocks_of([I, J], operands, trips, machine)
    }

    /// The same of another cell.
    fn blocks_of(
        cell: [[i64; 3]; 2],
        operands: &[AccessModel],
        trips: [f64; 3],
        machine: &Machine,
    ) -> Vec<Change> {
        let mut accesses = vec![access(0, false, &cell), access(0, true, &cell)];
        accesses.extend_from_slice(operands);
        let model = StmtModel {
            few: vec![false; 3],
            ops: 1.0,
            extents: trips.to_vec(),
            accesses,
            is_strict: true,
            is_free_sum: false,
            waits: Waits::default(),
            divisions: 0.0,
            repeats: false,
        };
        let freedom = Freedom {
            permutable: true,
            coincident: vec![true, true, false],
            parallel: vec![true, true, false],
            sunk: vec![None, None, None],
            split: None,
        };
        let rows = [I, J, K].map(|row| Some(row.to_vec())).to_vec();
        Blocker { stmt: 0, model: &model, rows, trips: &trips, freedom: &freedom, machine }.changes()
    }

    fn product() -> [AccessModel; 2] {
        [access(1, false, &[I, K]), access(2, false, &[K, J])]
    }

    #[test]
    fn a_product_has_one_block() {
        let wide = Machine { widest_bits: 512, vector_registers: 32, ..Machine::default() };
        let [change] = &blocks(&product(), [1000.0; 3], &wide)[..] else { panic!() };
        assert_eq!(change.order, [2, 0, 1]);
        assert_eq!(change.block, Some(Block { height: 8, width: 24 }));
        // A tile is full of blocks.
        assert_eq!(change.tiles[1].map(|rows| rows % 8), Some(0));
        let [change] = &blocks(&product(), [1000.0; 3], &Machine::default())[..] else { panic!() };
        assert_eq!(change.block, Some(Block { height: 6, width: 8 }));
    }

    #[test]
    fn short_loops_have_small_blocks_or_none() {
        let [change] = &blocks(&product(), [3.0, 5.0, 1000.0], &Machine::default())[..] else { panic!() };
        assert_eq!(change.block, Some(Block { height: 3, width: 4 }));
        assert_eq!(blocks(&product(), [1.0, 1000.0, 1000.0], &Machine::default()), []);
        assert_eq!(blocks(&product(), [1000.0, 3.0, 1000.0], &Machine::default()), []);
    }

    #[test]
    fn blocks_of_short_loops_leave_little_unused() {
        let wide = Machine { widest_bits: 512, vector_registers: 32, ..Machine::default() };
        let block = |columns: f64| blocks(&product(), [1000.0, columns, 1000.0], &wide)[0].block;
        assert_eq!(block(32.0), Some(Block { height: 8, width: 16 }));
        assert_eq!(block(48.0), Some(Block { height: 8, width: 24 }));
        // Of many columns it does not matter.
        assert_eq!(block(160.0), Some(Block { height: 8, width: 24 }));
    }

    #[test]
    fn far_cells_must_serve_all_rows() {
        let turned = [access(1, false, &[I, K]), access(2, false, &[J, K])];
        assert_eq!(blocks(&turned, [1000.0; 3], &Machine::default()).len(), 1);
        let own = [access(1, false, &[J, I]), access(2, false, &[K, J])];
        assert_eq!(blocks(&own, [1000.0; 3], &Machine::default()), []);
    }

    #[test]
    fn parts_of_numbers_a_few_cells_apart_have_blocks() {
        let wide = Machine { widest_bits: 512, vector_registers: 32, ..Machine::default() };
        let apart = |step: i64| J.map(|by| step * by);
        let of = |step| {
            let operands = [access(1, false, &[I, K]), access(2, false, &[K, apart(step)])];
            blocks_of([I, apart(step)], &operands, [1000.0; 3], &wide)
        };
        for step in 1..=4 {
            assert_eq!(of(step).len(), 1, "{step}");
        }
        assert_eq!(of(5), [], "too far apart");
        assert_eq!(of(-2), [], "downwards");
        // Another sum's cells, which are not those in registers, do not serve all rows.
        let operands = [access(1, false, &[K, apart(2)]), access(2, false, &[I, apart(2)])];
        assert_eq!(blocks_of([I, apart(2)], &operands, [1000.0; 3], &wide), []);
    }

    #[test]
    fn two_operands_of_each_vector_leave_registers_for_the_products() {
        let wide = Machine { widest_bits: 512, vector_registers: 32, ..Machine::default() };
        let [two_j, two_k] = [J, K].map(|row| row.map(|by| 2 * by));
        let [real, imaginary] = [1, 2].map(|array| access(array, false, &[I, two_k]));
        let operands = [real, imaginary, access(3, false, &[K, two_j]), access(4, false, &[K, two_j])];
        let block = |machine: &Machine| {
            let [change] = &blocks_of([I, two_j], &operands, [1000.0; 3], machine)[..] else { panic!() };
            change.block
        };
        assert_eq!(block(&wide), Some(Block { height: 8, width: 16 }));
        assert_eq!(block(&Machine::default()), Some(Block { height: 4, width: 8 }));
    }

    #[test]
    fn nothing_is_used_again() {
        let nothing_again = [access(1, false, &[I, J])];
        assert_eq!(blocks(&nothing_again, [1000.0; 3], &Machine::default()), []);
    }
}
