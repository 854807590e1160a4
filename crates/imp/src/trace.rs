//! Traces of operations and the dependences they define (Sections 3.4 and 4).
//!
//! A trace is the sequence of operations of a run: statement, iteration vector, cells read and written, and
//! for each of those cells the operation that wrote it last (`last`, Definition 4.3). Operations are numbered
//! by their place in the trace, so *happens before* is `<` on these numbers; [`Trace::vectors_increase`]
//! checks that the iteration vectors say the same (Proposition 1).
//!
//! * [`Trace::direct`]: Definition 4.4, `o1 ~> o2` if `o1` wrote last a cell that `o2` reads (*flow*) or
//!   writes (*output*);
//! * [`Trace::depends_on`]: Definition 4.5, the transitive closure;
//! * [`Trace::most_recent`]: Definition 4.6, the latest of the direct ones;
//! * [`Trace::earlier_writes`]: the paper's Q for one read: every earlier operation that wrote the cell, not
//!   only the last. Those are all dependences (through the chain of output dependences), but a dependence may
//!   also run through other cells: Proposition 4 holds for one cell only, and so Proposition 7 is read as
//!   "Q-sharp contains Q", which makes the closure of Q-sharp contain all dependences.
//!
//! Example: `x := 1; y := x; x := y` has direct dependences 0 ~> 1 (x), 1 ~> 2 (y), 0 ~> 2 (x, output);
//! the most recent one of operation 2 is 1.

use crate::resolve::{OpId, VarId};

/// A cell of a run: a scalar or one element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId(pub u32);

impl CellId {
    /// The position in the table.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Stands for "no operation": the cell still has its input value.
pub const NO_OP: u32 = u32::MAX;

/// One read: which read of the statement, which cell, who wrote it last ([`NO_OP`] if nobody).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadEvent {
    /// The position in [`crate::resolve::Op::reads`].
    pub access: u32,
    /// The cell.
    pub cell: CellId,
    /// Its last writer.
    pub source: u32,
}

/// One write: which cell, and who wrote it before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteEvent {
    /// The cell.
    pub cell: CellId,
    /// Its last writer before this operation.
    pub source: u32,
}

#[derive(Clone, Copy, Debug)]
struct Record {
    op: OpId,
    vector: usize,
    reads: usize,
    write: Option<WriteEvent>,
}

/// Why an operation depends on another directly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// It reads what the other wrote.
    Flow,
    /// It overwrites what the other wrote.
    Output,
}

/// A direct dependence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Direct {
    /// The operation depended on.
    pub source: u32,
    /// The operation that depends.
    pub sink: u32,
    /// Why.
    pub kind: Kind,
    /// Through which cell.
    pub cell: CellId,
}

/// The operations of a run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    records: Vec<Record>,
    vectors: Vec<i64>,
    reads: Vec<ReadEvent>,
    cells: Vec<(VarId, Box<[i64]>)>,
}

impl Trace {
    pub(crate) fn begin(&mut self, op: OpId, vector: &[i64]) -> u32 {
        let record = Record { op, vector: self.vectors.len(), reads: self.reads.len(), write: None };
        self.records.push(record);
        self.vectors.extend_from_slice(vector);
        self.records.len() as u32 - 1
    }

    pub(crate) fn add_read(&mut self, access: u32, cell: CellId, source: u32) {
        self.reads.push(ReadEvent { access, cell, source });
    }

    pub(crate) fn set_write(&mut self, cell: CellId, source: u32) {
        if let Some(record) = self.records.last_mut() {
            record.write = Some(WriteEvent { cell, source });
        }
    }

    pub(crate) fn new_cell(&mut self, var: VarId, index: &[i64]) -> CellId {
        self.cells.push((var, index.into()));
        CellId(self.cells.len() as u32 - 1)
    }

    /// The number of operations.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing happened.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The statement of an operation.
    pub fn op(&self, operation: u32) -> OpId {
        self.records[operation as usize].op
    }

    /// The iteration vector of an operation.
    pub fn vector(&self, operation: u32) -> &[i64] {
        let end = self.records.get(operation as usize + 1).map_or(self.vectors.len(), |r| r.vector);
        &self.vectors[self.records[operation as usize].vector..end]
    }

    /// The reads of an operation, in the order they were evaluated.
    pub fn reads(&self, operation: u32) -> &[ReadEvent] {
        let end = self.records.get(operation as usize + 1).map_or(self.reads.len(), |r| r.reads);
        &self.reads[self.records[operation as usize].reads..end]
    }

    /// The write of an operation.
    pub fn write(&self, operation: u32) -> Option<WriteEvent> {
        self.records[operation as usize].write
    }

    /// The variable and the subscripts of a cell.
    pub fn cell(&self, cell: CellId) -> (VarId, &[i64]) {
        let (var, index) = &self.cells[cell.index()];
        (*var, index)
    }

    /// Definition 4.4 for one operation, in evaluation order, the write last.
    pub fn direct(&self, sink: u32) -> impl Iterator<Item = Direct> + '_ {
        let flow = self.reads(sink).iter().map(|r| (r.source, r.cell, Kind::Flow));
        let output = self.write(sink).map(|w| (w.source, w.cell, Kind::Output));
        flow.chain(output).filter(|(source, ..)| *source != NO_OP).map(move |(source, cell, kind)| Direct {
            source,
            sink,
            kind,
            cell,
        })
    }

    /// Definition 4.6: the latest operation that `sink` depends on.
    pub fn most_recent(&self, sink: u32) -> Option<u32> {
        self.direct(sink).map(|d| d.source).max()
    }

    /// Definition 4.5: every operation that `sink` depends on, in order.
    pub fn depends_on(&self, sink: u32) -> Vec<u32> {
        let mut seen = vec![false; sink as usize + 1];
        let mut open = vec![sink];
        while let Some(at) = open.pop() {
            for direct in self.direct(at) {
                if !std::mem::replace(&mut seen[direct.source as usize], true) {
                    open.push(direct.source);
                }
            }
        }
        (0..sink).filter(|k| seen[*k as usize]).collect()
    }

    /// The paper's Q for one cell: every operation before `sink` that wrote it.
    pub fn earlier_writes(&self, sink: u32, cell: CellId) -> Vec<u32> {
        let wrote = |k: &u32| self.write(*k).is_some_and(|w| w.cell == cell);
        (0..sink).filter(wrote).collect()
    }

    /// Whether lexicographic order on vectors, ties broken by the text, is the order of the trace.
    pub fn vectors_increase(&self) -> bool {
        (1..self.len() as u32).all(|k| (self.vector(k - 1), self.op(k - 1)) < (self.vector(k), self.op(k)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::{Inputs, run};
    use crate::resolve::Program;

    fn trace(source: &str, inputs: &str) -> Trace {
        run(&Program::parse(source).unwrap(), &Inputs::parse(inputs).unwrap(), 10_000).unwrap().trace
    }

    #[test]
    fn the_example_of_the_header() {
        let trace = trace("x := 1; y := x; x := y", "");
        let pairs: Vec<_> =
            (0..3).flat_map(|k| trace.direct(k)).map(|d| (d.source, d.sink, d.kind)).collect();
        assert_eq!(pairs, [(0, 1, Kind::Flow), (1, 2, Kind::Flow), (0, 2, Kind::Output)]);
        assert_eq!(trace.most_recent(2), Some(1));
        assert_eq!(trace.depends_on(2), [0, 1]);
    }

    /// Figures 8 and 9: o5 depends directly on o1 and o3 and, through them, on others; o3 is the most recent.
    #[test]
    fn figures_8_and_9() {
        let trace = trace("a := 0; b := 1; c := a; d := c; e := 5; f := b + d", "");
        let direct: Vec<u32> = trace.direct(5).map(|d| d.source).collect();
        assert_eq!(direct, [1, 3]);
        assert_eq!(trace.depends_on(5), [0, 1, 2, 3]);
        assert_eq!(trace.most_recent(5), Some(3));
    }

    /// Proposition 2: the latest of all dependences is the latest of the direct ones.
    #[test]
    fn most_recent_of_the_closure() {
        let trace = trace(
            "param n; for i from 1 to n do for j from 1 to i do c[j] := c[j - 1] + c[i] done done",
            "n=6",
        );
        assert!(trace.vectors_increase());
        for k in 0..trace.len() as u32 {
            assert_eq!(trace.depends_on(k).last().copied(), trace.most_recent(k));
        }
    }
}
