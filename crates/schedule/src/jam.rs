//! Rows written out: loops around others cut into strips, whose rows become the innermost loops of all that is inside.
//!
//! In `for i { for j { q[i] += A[i][j] * p[j] } }` each addition waits for the one before it. Of eight rows `i`, written out one
//! behind the other inside of `j`, seven work while one waits (unroll-and-jam: D. Callahan, S. Carr and K. Kennedy, "Improving
//! register allocation for subscripted variables", 1990, section 4), and the order of the terms of each sum stays:
//! ```text
//! for (i = 0; i < n; i += 8)
//!   for (j = 0; j < m; j++)
//!     for (r = i; r < i + 8; r++)    // written out
//!       q[r] += A[r][j] * p[j];
//! ```
//! For the members of one permutable band this is always legal ([`crate::tree::Change::jam`]). Here are the other loops: those
//! with several loops inside.
//!
//! # When it is legal
//! Two instances in one strip, of rows `i < i'`, of which the second depends on the first, must not change places: what is inside
//! of the rows must not come later for the first. What is asked is more than that: the same for all rows, also of other strips.

use crate::marks::is_mark;
use crate::times::{Position, Values};
use crate::tree::{Band, Bonds, Shape, Step, inside, within};
use isl::{MultiUnionPwAff, ScheduleNode, UnionMap, UnionSet};
use model::{JAM, Scop};
use std::collections::HashMap;

/// A loop that is cut into strips: the last member of a band that has others below it.
#[derive(Clone, Debug)]
pub struct Jam {
    /// The band's number in the [`Shape`].
    pub band: usize,
    /// How many loops are around it.
    pub depth: usize,
    /// The leaf bands below it.
    pub leaves: Vec<usize>,
    /// How many rows a strip has.
    pub rows: i64,
    /// The statements below, by number.
    pub stmts: HashMap<usize, Rows>,
}

/// What the rows of a strip are for a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    /// They wait for each other, and so do iterations along them.
    pub wait: bool,
    /// The iterations of the loop along them can be put into vectors.
    pub is_vector: bool,
}

impl Jam {
    /// Whether these are the statements below it; they ascend.
    pub fn is_of(&self, stmts: &[usize]) -> bool {
        self.stmts.len() == stmts.len() && stmts.iter().all(|stmt| self.stmts.contains_key(stmt))
    }
}

/// The loops of a tree that may be cut into strips, with strips of one row.
pub fn jams(scop: &Scop, bonds: &Bonds, shape: &Shape) -> isl::Result<Vec<Jam>> {
    let mut found = Vec::new();
    for (band, each) in shape.bands.iter().enumerate().filter(|(_, each)| !each.leaf) {
        if let Some(leaves) = leaves(shape, band) {
            found.extend(Jammer { scop, bonds, shape, band, each, leaves }.jam()?);
        }
    }
    Ok(found)
}

/// The bands below a band, if all are leaf bands of one member.
fn leaves(shape: &Shape, band: usize) -> Option<Vec<usize>> {
    let mut leaves = Vec::new();
    for (_, steps) in &shape.paths {
        let Some(start) = steps.iter().position(|step| *step == Step::Band(band)) else { continue };
        for step in &steps[start + 1..] {
            match step {
                Step::Band(below) if !shape.bands[*below].leaf || shape.bands[*below].rows.len() > 1 => {
                    return None;
                }
                Step::Band(below) => leaves.push(*below),
                Step::Child(_) => {}
            }
        }
    }
    leaves.sort_unstable();
    leaves.dedup();
    Some(leaves)
}

/// A band whose last member may be cut into strips.
struct Jammer<'a> {
    scop: &'a Scop,
    bonds: &'a Bonds,
    shape: &'a Shape,
    band: usize,
    each: &'a Band,
    leaves: Vec<usize>,
}

impl Jammer<'_> {
    fn jam(self) -> isl::Result<Option<Jam>> {
        let row = self.member(self.each.rows.len() - 1)?;
        let pairs = row.compared(&self.between(&self.bonds.order)?, Position::Before)?;
        let below = self.each.node.get_child(0)?.get_subtree_schedule_union_map()?;
        let below = MultiUnionPwAff::from_union_map(below)?;
        if !pairs.clone().lex_gt_at_multi_union_pw_aff(below.clone())?.is_empty()? {
            return Ok(None);
        }
        let stmts = self.stmts(&pairs.eq_at_multi_union_pw_aff(below)?)?;
        let depth = self.each.node.get_schedule_depth()?;
        Ok(Some(Jam { band: self.band, depth, leaves: self.leaves, rows: 1, stmts }))
    }

    fn member(&self, at: usize) -> isl::Result<Values> {
        Values::of(&self.each.node.band_get_partial_schedule()?.get_at(at)?)
    }

    /// The dependences between rows: all that is around them is equal.
    fn between(&self, relation: &UnionMap) -> isl::Result<UnionMap> {
        let mut pairs = inside(relation, &self.each.node)?;
        for at in 0..self.each.rows.len() - 1 {
            pairs = self.member(at)?.compared(&pairs, Position::Same)?;
        }
        Ok(pairs)
    }

    /// What the rows are for each statement; `tied`: the dependences between rows in one iteration along them.
    fn stmts(&self, tied: &UnionMap) -> isl::Result<HashMap<usize, Rows>> {
        let apart = self.between(&self.bonds.apart)?;
        let all = self.shape.paths.iter().filter(|(_, steps)| steps.contains(&Step::Band(self.band)));
        let mut found: HashMap<usize, Rows> = all.map(|(stmt, _)| (*stmt, Rows::default())).collect();
        for &leaf in &self.leaves {
            let node = &self.shape.bands[leaf].node;
            let along = Values::of(&node.band_get_partial_schedule()?.get_at(0)?)?;
            // The loop is one for all statements in it.
            let is_vector = along.are_equal(&within(&apart, node.get_domain()?)?)?;
            for stmt in self.shape.parts(leaf).concat() {
                let own = UnionSet::from_set(self.scop.stmts[stmt].domain.clone())?;
                let is_parallel = is_vector || along.are_equal(&within(&apart, own.clone())?)?;
                let wait = !is_parallel && !within(tied, own)?.is_empty()?;
                found.insert(stmt, Rows { wait, is_vector });
            }
        }
        Ok(found)
    }
}

/// Whether a node is the loop over the rows of a strip.
pub fn is_row(node: &ScheduleNode) -> isl::Result<bool> {
    Ok(node.get_tree_depth()? > 0 && is_mark(&node.clone().parent()?, JAM)?)
}

/// Whether the rows of a strip are right below a node.
pub fn has_rows(node: &ScheduleNode) -> isl::Result<bool> {
    is_mark(&node.get_child(0)?, JAM)
}
