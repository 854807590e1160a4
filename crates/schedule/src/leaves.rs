//! Leaf bands that several candidates have.
//!
//! Candidates differ in some loops and have the others in common: a component that isl's scheduler leaves as it was, loops that
//! cannot be distributed. What may be done to a leaf band, and what is best done to it, depends on nothing but the loops around
//! its statements, so it is found once.

use crate::tree::{Bonds, Change, Freedom, Shape, Step, freedom};
use isl::UnionSet;
use model::Scop;
use std::cell::RefCell;
use std::rc::Rc;

/// What was found for one program, its dependences and options.
#[derive(Default)]
pub struct Leaves(RefCell<Vec<Rc<Leaf>>>);

/// A leaf band.
pub struct Leaf {
    /// For each statement below it the rows of the bands around, this one included.
    loops: Loops,
    /// The instances below it.
    instances: UnionSet,
    /// The statements below it, by parts.
    pub parts: Vec<Vec<usize>>,
    /// What may be done to it.
    pub freedom: Freedom,
    /// What is best done to it, without and with blocks of cells apart.
    best: RefCell<[Option<Change>; 2]>,
}

/// For each statement the text of the rows of each band.
type Loops = Vec<(usize, Vec<Vec<String>>)>;

impl Leaves {
    /// A leaf band of a candidate; whether it can be split is not told if it stays as it is (`fixed`).
    pub fn get(
        &self,
        scop: &Scop,
        bonds: &Bonds,
        shape: &Shape,
        at: usize,
        fixed: bool,
    ) -> isl::Result<Rc<Leaf>> {
        let (band, parts) = (&shape.bands[at], shape.parts(at));
        let instances = band.node.get_domain()?;
        let loops = loops(shape, at);
        if let Some(loops) = &loops {
            for leaf in self.0.borrow().iter() {
                if (&leaf.loops, &leaf.parts) == (loops, &parts) && leaf.instances.is_equal(&instances)? {
                    return Ok(leaf.clone());
                }
            }
        }
        let freedom = freedom(scop, bonds, band, &parts, !fixed)?;
        let is_known = loops.is_some() && !(fixed && freedom.is_split_a_question(&parts));
        let best = RefCell::default();
        let leaf = Rc::new(Leaf { loops: loops.unwrap_or_default(), instances, parts, freedom, best });
        if is_known {
            self.0.borrow_mut().push(leaf.clone());
        }
        Ok(leaf)
    }
}

impl Leaf {
    /// What is best done to it, with or without blocks of cells apart.
    pub fn best(&self, apart: bool, choose: impl FnOnce() -> Change) -> Change {
        let known = self.best.borrow()[usize::from(apart)].clone();
        known.unwrap_or_else(|| {
            let change = choose();
            self.best.borrow_mut()[usize::from(apart)] = Some(change.clone());
            change
        })
    }
}

/// `None` if that does not tell all: a row is not affine, or there is no statement.
fn loops(shape: &Shape, leaf: usize) -> Option<Loops> {
    let mut all = Vec::new();
    for (stmt, steps) in &shape.paths {
        let Some(end) = steps.iter().position(|step| *step == Step::Band(leaf)) else { continue };
        let mut bands = Vec::new();
        for step in &steps[..=end] {
            if let Step::Band(band) = step {
                let mut rows = Vec::new();
                for row in &shape.bands[*band].rows {
                    let row = row.get(stmt)?;
                    row.coefficients.as_ref()?;
                    rows.push(row.text.clone());
                }
                bands.push(rows);
            }
        }
        all.push((*stmt, bands));
    }
    (!all.is_empty()).then_some(all)
}
