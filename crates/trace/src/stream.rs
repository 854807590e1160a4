//! Streams on their way to the folder.
//!
//! Most points continue the line of the points before them: the innermost coordinate and the label move by constant
//! steps and nothing else changes. [`Line`] recognises that with one comparison per point; only when a line ends is it
//! handed to its [`Stream`], which spells out the iteration vectors and folds them ([`fold::Folder::push_line`]).
//! Short lines are collected and folded together.
//!
//! A label is one integer (an address, a value), or an instance (node and innermost coordinate) whose vector is spelled
//! out too: the dependences.

use crate::nodes::Nodes;
use fold::{Folder, Folding, Options};

/// Lines of at most this many points are folded point by point.
const SHORT: u64 = 6;

/// Numbers collected before they are folded.
const BUFFER: usize = 1024;

/// Points in line: coordinates `inner`, labels `label`, everything else the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    count: u64,
    /// Outer coordinates of the points.
    node: u32,
    /// Outer coordinates of the instances that the labels name, if they do.
    source: u32,
    first: [i64; 2],
    step: [i64; 2],
    next: [i64; 2],
}

impl Line {
    /// Adds a point if it is in line.
    #[inline(always)]
    pub fn take(&mut self, node: u32, source: u32, point: [i64; 2]) -> bool {
        if self.node != node || self.source != source {
            return false;
        }
        if self.next == point && self.count > 1 {
            self.count += 1;
            self.next = [point[0].wrapping_add(self.step[0]), point[1].wrapping_add(self.step[1])];
            return true;
        }
        self.take_second(point)
    }

    #[inline]
    fn take_second(&mut self, point: [i64; 2]) -> bool {
        if self.count != 1 {
            return false;
        }
        let [inner, label] = self.first;
        if point[0] <= inner {
            // The same instance once more adds nothing.
            return point == self.first;
        }
        let Some(step) = point[1].checked_sub(label) else { return false };
        self.step = [point[0] - inner, step];
        self.next = [point[0].wrapping_add(self.step[0]), point[1].wrapping_add(step)];
        self.count = 2;
        true
    }

    /// Whether the line has a direction, this step, and this is the next point on it.
    pub fn goes_on(&self, node: u32, source: u32, point: [i64; 2], step: [i64; 2]) -> bool {
        self.count > 1
            && self.node == node
            && self.source == source
            && self.next == point
            && self.step == step
    }

    /// If this position is the last one of a line that goes on by 1: the next label and its step.
    pub fn next_label(&self, node: u32, source: u32, inner: u32) -> Option<(i64, i64)> {
        let here = self.node == node && self.source == source && self.next[0] == i64::from(inner) + 1;
        (self.count > 1 && here && self.step[0] == 1).then_some((self.next[1], self.step[1]))
    }

    /// Makes a line that goes on longer.
    pub fn extend(&mut self, points: u64) {
        self.count += points;
        for (next, step) in self.next.iter_mut().zip(self.step) {
            *next = next.wrapping_add(step.wrapping_mul(points as i64));
        }
    }

    /// Whether this was the last point.
    #[inline]
    pub fn ends_with(&self, node: u32, source: u32, point: [i64; 2]) -> bool {
        let last = [self.next[0].wrapping_sub(self.step[0]), self.next[1].wrapping_sub(self.step[1])];
        self.count > 1 && self.node == node && self.source == source && last == point
    }

    /// A new line.
    #[inline]
    pub fn start(node: u32, source: u32, point: [i64; 2]) -> Line {
        Line { count: 1, node, source, first: point, step: [0; 2], next: point }
    }
}

/// What the label of a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelKind {
    /// There is none: a domain.
    None,
    /// An integer.
    Integer,
    /// An instance with so many coordinates.
    Instance(u8),
}

/// A stream and the folder it goes to.
#[derive(Debug)]
pub struct Stream {
    dim: u8,
    label: LabelKind,
    /// The points that have not been handed on.
    pub line: Line,
    buffer: Vec<i64>,
    folder: Option<Box<Folder>>,
    /// Points that the folder would not take.
    lost: u64,
}

impl Stream {
    /// A stream of points of `dim` coordinates, at least one.
    pub fn new(dim: u8, label: LabelKind) -> Stream {
        Stream { dim, label, line: Line::default(), buffer: Vec::new(), folder: None, lost: 0 }
    }

    fn labels(&self) -> usize {
        match self.label {
            LabelKind::None => 0,
            LabelKind::Integer => 1,
            LabelKind::Instance(dim) => usize::from(dim),
        }
    }

    /// Adds a point at a position, with a label (0 if the stream has none).
    #[inline(always)]
    pub fn push(&mut self, nodes: &Nodes, options: &Options, node: u32, source: u32, point: [i64; 2]) {
        if !self.line.take(node, source, point) {
            self.next_line(nodes, options, node, source, point);
        }
    }

    #[inline(never)]
    fn next_line(&mut self, nodes: &Nodes, options: &Options, node: u32, source: u32, point: [i64; 2]) {
        if self.line.ends_with(node, source, point) {
            return;
        }
        self.end_line(nodes, options);
        self.line = Line::start(node, source, point);
    }

    /// Hands the current line on.
    fn end_line(&mut self, nodes: &Nodes, options: &Options) {
        let line = std::mem::take(&mut self.line);
        if line.count == 0 {
            return;
        }
        let from = self.buffer.len();
        let (dim, labels) = (usize::from(self.dim), self.labels());
        nodes.append(line.node, dim - 1, &mut self.buffer);
        self.buffer.push(line.first[0]);
        if let LabelKind::Instance(_) = self.label
            && labels > 0
        {
            nodes.append(line.source, labels - 1, &mut self.buffer);
        }
        if labels > 0 {
            self.buffer.push(line.first[1]);
        }
        let (inner, label) = (dim - 1, dim + labels - 1);
        if line.count <= SHORT {
            let width = dim + labels;
            for n in 1..line.count {
                let at = self.buffer.len() - width;
                self.buffer.extend_from_within(at..);
                self.buffer[at + width + inner] += line.step[0];
                if labels > 0 {
                    let value = &mut self.buffer[at + width + label];
                    *value = value.wrapping_add(line.step[1]);
                }
                debug_assert!(n > 0);
            }
            if self.buffer.len() >= BUFFER {
                self.fold_buffer(options);
            }
            return;
        }
        let first = self.buffer.split_off(from);
        self.fold_buffer(options);
        let mut step = vec![0; first.len()];
        step[inner] = line.step[0];
        if labels > 0 {
            step[label] = line.step[1];
        }
        let taken = self.folder(options).map(|f| f.push_line(&first, &step, line.count).is_ok());
        self.lost += if taken == Some(true) { 0 } else { line.count };
    }

    fn fold_buffer(&mut self, options: &Options) {
        if self.buffer.is_empty() {
            return;
        }
        let buffer = std::mem::take(&mut self.buffer);
        let taken = self.folder(options).map(|f| f.push_batch(&buffer).is_ok());
        let points = buffer.len() / (usize::from(self.dim) + self.labels());
        self.lost += if taken == Some(true) { 0 } else { points as u64 };
        self.buffer = buffer;
        self.buffer.clear();
    }

    fn folder(&mut self, options: &Options) -> Option<&mut Folder> {
        if self.folder.is_none() {
            self.folder =
                Folder::new(usize::from(self.dim), self.labels(), options.clone()).ok().map(Box::new);
        }
        self.folder.as_deref_mut()
    }

    /// Hands on everything that refers to nodes.
    pub fn flush(&mut self, nodes: &Nodes, options: &Options) {
        self.end_line(nodes, options);
    }

    /// The folded stream, and how many points are missing from it.
    pub fn finish(mut self, nodes: &Nodes, options: &Options) -> Option<(Folding, u64)> {
        self.end_line(nodes, options);
        self.fold_buffer(options);
        let lost = self.lost;
        self.folder.map(|folder| (folder.finish(), lost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nodes::ROOT;

    #[test]
    fn lines_become_polyhedra() {
        let mut nodes = Nodes::default();
        let outer = nodes.enter(ROOT, 0);
        let options = Options::default();
        let mut address = Stream::new(2, LabelKind::Integer);
        let mut dependence = Stream::new(2, LabelKind::Instance(2));
        let mut before = 0;
        for i in 0..20 {
            let node = nodes.enter(outer, i);
            for j in 0..30 {
                address.push(&nodes, &options, node, 0, [j, 1000 + 8 * j + 240 * i64::from(i)]);
                if i > 0 {
                    dependence.push(&nodes, &options, node, before, [j, j]);
                }
            }
            before = node;
        }
        let (folding, lost) = address.finish(&nodes, &options).unwrap();
        assert_eq!(lost, 0);
        assert_eq!(folding.isl(), "{ [i0, i1] -> [240*i0 + 8*i1 + 1000] : 0 <= i0 <= 19 and 0 <= i1 <= 29 }");
        let (folding, _) = dependence.finish(&nodes, &options).unwrap();
        assert_eq!(folding.isl(), "{ [i0, i1] -> [i0 - 1, i1] : 1 <= i0 <= 19 and 0 <= i1 <= 29 }");
    }

    #[test]
    fn the_same_instance_twice_is_one_point() {
        let (nodes, options) = (Nodes::default(), Options::default());
        let mut stream = Stream::new(1, LabelKind::None);
        for i in [0, 0, 1, 1, 2, 2, 2, 3] {
            stream.push(&nodes, &options, 0, 0, [i, 0]);
        }
        let (folding, _) = stream.finish(&nodes, &options).unwrap();
        assert_eq!((folding.stats.points, folding.pieces.len()), (4, 1));
    }
}
