//! Streams on their way to the folder.
//!
//! Most points continue the *line* of the points before them: the innermost coordinate and the label move by constant
//! steps and nothing else changes. [`Line`] recognises that with one comparison per point. Most lines continue the *sheet* of the
//! lines before them: the loop around has gone on, and everything else changes as it did from the line before. Only
//! when a sheet ends is it handed to its [`Stream`], which spells out the iteration vectors and folds them
//! ([`fold::Folder::push_rows`]). Sheets of a few points are collected and folded together. Lines that follow each other in the same run
//! of a loop, all of one length, are a *strip*: four numbers that one vector instruction wrote, the next four, and so on. They are collected like
//! a sheet, and folded line by line.
//!
//! A label is one integer (an address, a value), or an instance (node and innermost coordinate) whose vector is spelled
//! out too: the dependences. The node of the label may move along a line, too, by the same *hop* from point to point: if `a[k][j]` is
//! read along `k`, its writers are in different entries of the loop that wrote it.
//!
//! ```text
//! line:   count points   [.., inner + n step0] -> [.., source + n hop, label + n step1]
//! sheet:  rows lines     each moved by one vector, each longer by the same number of points
//! strip:  rows lines     each moved along the innermost loop only
//! ```

use crate::nodes::Nodes;
use fold::{Folder, Folding, Options, Rows};

/// Sheets of at most this many points are folded point by point.
const SHORT: u64 = 6;

/// Most coordinates and labels of a point.
const WIDEST: usize = 2 * crate::position::MAX_DEPTH as usize;

/// Numbers collected before they are folded.
const BUFFER: usize = 1024;

/// So many sheets, or lines that broke off, of a few points in a row, and the stream is irregular.
const IRREGULAR: u32 = 1024;

/// Points in line: coordinates `inner`, labels `label`, everything else the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct Line {
    count: u64,
    /// Outer coordinates of the points.
    node: u32,
    /// Outer coordinates of the instances that the labels name, if they do: of the last and of the first point.
    source: u32,
    first_source: u32,
    first: [i64; 2],
    step: [i64; 2],
    next: [i64; 2],
    /// From point to point in the last of the outer coordinates of the labels.
    hop: i64,
}

impl Line {
    /// Adds a point if it is in line.
    #[inline(always)]
    pub fn take(&mut self, node: u32, source: u32, point: [i64; 2]) -> bool {
        if self.node != node || self.source != source {
            return false;
        }
        if self.next == point && self.count > 1 && self.hop == 0 {
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
        if point[0] <= self.first[0] {
            // The same instance once more adds nothing.
            return point == self.first;
        }
        self.set_direction(point)
    }

    /// The second point gives the direction.
    fn set_direction(&mut self, point: [i64; 2]) -> bool {
        let [inner, label] = self.first;
        let Some(step) = point[1].checked_sub(label) else { return false };
        self.step = [point[0] - inner, step];
        self.next = [point[0].wrapping_add(self.step[0]), point[1].wrapping_add(step)];
        self.count = 2;
        true
    }

    /// Adds a point whose label is in another node, if that is in line.
    fn take_hop(&mut self, nodes: &Nodes, node: u32, source: u32, point: [i64; 2]) -> bool {
        if self.node != node || self.source == source || self.count == 0 {
            return false;
        }
        let Some(hop) = nodes.hop(self.source, source) else { return false };
        if self.count == 1 {
            if point[0] <= self.first[0] || !self.set_direction(point) {
                return false;
            }
            (self.hop, self.source) = (hop, source);
            return true;
        }
        let goes_on = self.hop == hop && self.next == point;
        if goes_on {
            self.extend_to(1, self.step, source);
        }
        goes_on
    }

    /// Whether the line has this direction, or none yet, and this is the next point on it.
    pub fn goes_on(&self, node: u32, source: u32, point: [i64; 2], step: [i64; 2]) -> bool {
        let here = self.node == node && self.source == source && self.hop == 0;
        match self.count {
            0 => false,
            1 => here && [0, 1].map(|n| self.first[n].wrapping_add(step[n])) == point,
            _ => here && self.next == point && self.step == step,
        }
    }

    /// Makes a line longer that goes on by this step.
    pub fn extend_by(&mut self, points: u64, step: [i64; 2]) {
        if points == 0 {
            return;
        }
        if self.count == 1 {
            self.step = step;
            self.next = [0, 1].map(|n| self.first[n].wrapping_add(step[n]));
        }
        self.extend(points);
    }

    /// If this position is the last one of a line that goes on by 1: the next label, its step, and its hop.
    pub fn next_label(&self, node: u32, source: u32, inner: u32) -> Option<(i64, i64, i64)> {
        let here = self.node == node && self.source == source && self.next[0] == i64::from(inner) + 1;
        (self.count > 1 && here && self.step[0] == 1).then_some((self.next[1], self.step[1], self.hop))
    }

    /// Outer coordinates of the instance that the last label names.
    pub fn source(&self) -> u32 {
        self.source
    }

    /// Makes a line longer that has a direction.
    pub fn extend(&mut self, points: u64) {
        self.count += points;
        for (next, step) in self.next.iter_mut().zip(self.step) {
            *next = next.wrapping_add(step.wrapping_mul(points as i64));
        }
    }

    /// Makes a line longer that goes on by this step, and whose last label is in this node then.
    pub fn extend_to(&mut self, points: u64, step: [i64; 2], source: u32) {
        self.extend_by(points, step);
        self.source = source;
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
        Line { count: 1, node, source, first_source: source, first: point, step: [0; 2], next: point, hop: 0 }
    }
}

/// From one line to the next.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Down {
    /// In the last of the outer coordinates.
    outer: i64,
    /// In the last of the outer coordinates of the labels.
    source: i64,
    /// In the innermost coordinate and the label.
    first: [i64; 2],
    longer: i64,
}

/// Lines one below the other.
#[derive(Debug, Clone, Copy, Default)]
struct Sheet {
    rows: u64,
    first: Line,
    last: Line,
    down: Down,
}

impl Sheet {
    /// Adds a line if it is one further down.
    #[inline]
    fn take(&mut self, nodes: &Nodes, line: &Line) -> bool {
        if self.rows == 0 || line.step != self.last.step || line.hop != self.last.hop {
            return false;
        }
        let Some(down) = self.way_to(nodes, line) else { return false };
        if self.rows > 1 && down != self.down {
            return false;
        }
        (self.down, self.last) = (down, *line);
        self.rows += 1;
        true
    }

    fn way_to(&self, nodes: &Nodes, line: &Line) -> Option<Down> {
        let last = &self.last;
        let source = match last.first_source == line.first_source {
            true => 0,
            false => nodes.hop(last.first_source, line.first_source)?,
        };
        let label = line.first[1].checked_sub(last.first[1])?;
        let first = [line.first[0] - last.first[0], label];
        let longer = line.count as i64 - last.count as i64;
        let outer = match last.node == line.node {
            true if longer == 0 => 0,
            true => return None,
            false => nodes.hop(last.node, line.node).filter(|outer| *outer > 0)?,
        };
        Some(Down { outer, source, first, longer })
    }
}

/// The points of a sheet.
fn points_of(rows: u64, first: &Line, down: &Down) -> u64 {
    let lines = rows as i64;
    (lines * first.count as i64 + down.longer * (lines * (lines - 1) / 2)) as u64
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
    /// The points that have not been handed on: the current line, and the lines before it.
    pub line: Line,
    sheet: Sheet,
    buffer: Vec<i64>,
    folder: Option<Box<Folder>>,
    /// Points that the folder would not take.
    lost: u64,
    /// Sheets of one or two points since the last larger one.
    tiny: u32,
    /// Lines of less than eight points that broke off inside a loop since the last longer one that did.
    broken: u32,
}

impl Stream {
    /// A stream of points of `dim` coordinates, at least one.
    pub fn new(dim: u8, label: LabelKind) -> Stream {
        let (line, sheet) = (Line::default(), Sheet::default());
        Stream { dim, label, line, sheet, buffer: Vec::new(), folder: None, lost: 0, tiny: 0, broken: 0 }
    }

    fn labels(&self) -> usize {
        match self.label {
            LabelKind::None => 0,
            LabelKind::Integer => 1,
            LabelKind::Instance(dim) => usize::from(dim),
        }
    }

    /// Whether hardly anything has been in line for a while.
    #[inline]
    pub fn is_irregular(&self) -> bool {
        self.tiny > IRREGULAR || self.broken > IRREGULAR
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
        let hops = matches!(self.label, LabelKind::Instance(2..));
        if hops && self.line.take_hop(nodes, node, source, point) || self.line.ends_with(node, source, point)
        {
            return;
        }
        if self.line.node == node && self.line.count > 0 {
            self.broken = if self.line.count < 8 { self.broken + 1 } else { 0 };
        }
        self.end_line(nodes, options);
        self.line = Line::start(node, source, point);
    }

    /// Hands the current line on: to the sheet, if it is one of its lines.
    fn end_line(&mut self, nodes: &Nodes, options: &Options) {
        let count = self.line.count;
        if count > 0 && !self.sheet.take(nodes, &self.line) {
            self.end_sheet(nodes, options);
            (self.sheet.rows, self.sheet.first, self.sheet.last) = (1, self.line, self.line);
            self.sheet.down = Down::default();
        }
        self.line.count = 0;
    }

    /// Appends the first point of a sheet.
    fn spell(&mut self, nodes: &Nodes, line: &Line) {
        let labels = self.labels();
        nodes.append(line.node, usize::from(self.dim) - 1, &mut self.buffer);
        self.buffer.push(line.first[0]);
        if let LabelKind::Instance(_) = self.label
            && labels > 0
        {
            nodes.append(line.first_source, labels - 1, &mut self.buffer);
        }
        if labels > 0 {
            self.buffer.push(line.first[1]);
        }
    }

    /// Appends a vector with these last coordinates, outer and inner, of the points and of the labels.
    fn spell_way(&mut self, [outer, inner]: [i64; 2], [source, label]: [i64; 2]) {
        let (dim, labels) = (usize::from(self.dim), self.labels());
        let start = self.buffer.len();
        self.buffer.resize(start + dim + labels, 0);
        let way = &mut self.buffer[start..];
        way[dim - 1] = inner;
        if dim > 1 {
            way[dim - 2] = outer;
        }
        if labels > 0 {
            way[dim + labels - 1] = label;
        }
        if labels > 1 {
            way[dim + labels - 2] = source;
        }
    }

    /// Appends the points of a line but the first, which was appended last.
    fn append_rest(&mut self, line: &Line) {
        let (dim, labels) = (usize::from(self.dim), self.labels());
        let width = dim + labels;
        for _ in 1..line.count {
            let last = self.buffer.len() - width;
            self.buffer.extend_from_within(last..);
            let point = &mut self.buffer[last + width..];
            point[dim - 1] = point[dim - 1].wrapping_add(line.step[0]);
            if labels > 0 {
                point[width - 1] = point[width - 1].wrapping_add(line.step[1]);
            }
            if labels > 1 {
                point[width - 2] = point[width - 2].wrapping_add(line.hop);
            }
        }
    }

    /// Hands the current sheet on.
    fn end_sheet(&mut self, nodes: &Nodes, options: &Options) {
        let rows = std::mem::take(&mut self.sheet.rows);
        if rows == 0 {
            return;
        }
        let (line, down) = (self.sheet.first, self.sheet.down);
        let points = points_of(rows, &line, &down);
        self.tiny = if points <= 2 { self.tiny.saturating_add(1) } else { 0 };
        let at = self.buffer.len();
        self.spell(nodes, &line);
        if rows == 1 && points <= SHORT {
            self.append_rest(&line);
            return self.fold_full_buffer(options);
        }
        self.spell_way([0, line.step[0]], [line.hop, line.step[1]]);
        self.spell_way([down.outer, down.first[0]], [down.source, down.first[1]]);
        let mut spelled = [0; 3 * WIDEST];
        let width = (self.buffer.len() - at) / 3;
        let spelled = &mut spelled[..3 * width];
        spelled.copy_from_slice(&self.buffer[at..]);
        self.buffer.truncate(at);
        let (first, ways) = spelled.split_at(width);
        let (step, moved) = ways.split_at(width);
        let (count, longer) = (line.count, down.longer);
        let sheet = Rows { first, step, count, down: moved, longer, rows };
        if points <= SHORT {
            append_points(&mut self.buffer, &sheet);
            return self.fold_full_buffer(options);
        }
        match down.outer == 0 && rows > 1 {
            true => self.fold_strip(&sheet, options),
            false => self.fold_rows(&sheet, points, options),
        }
    }

    fn fold_rows(&mut self, rows: &Rows<'_>, points: u64, options: &Options) {
        self.fold_buffer(options);
        let taken = self.folder(options).map(|f| f.push_rows(rows).is_ok());
        self.lost += if taken == Some(true) { 0 } else { points };
    }

    fn fold_strip(&mut self, strip: &Rows<'_>, options: &Options) {
        let mut first = strip.first.to_vec();
        for _ in 0..strip.rows {
            let row = Rows { first: &first, rows: 1, ..*strip };
            if row.count <= SHORT {
                append_points(&mut self.buffer, &row);
                self.fold_full_buffer(options);
            } else {
                self.fold_rows(&row, row.count, options);
            }
            first.iter_mut().zip(strip.down).for_each(|(at, down)| *at = at.wrapping_add(*down));
        }
    }

    /// If this position is the last one of the line: the next label, its step, and its hop. A line of one point is thought to go on as the
    /// line before it.
    pub fn next_label(&self, node: u32, source: u32, inner: u32) -> Option<(i64, i64, i64)> {
        let (line, before) = (&self.line, &self.sheet.last);
        if line.count != 1 {
            return line.next_label(node, source, inner);
        }
        let here = (line.node, line.source, line.first[0]) == (node, source, i64::from(inner));
        let known = before.count > 1 && before.node == node && before.step[0] == 1 && before.hop == 0;
        (here && known).then_some((line.first[1].wrapping_add(before.step[1]), before.step[1], 0))
    }

    fn fold_full_buffer(&mut self, options: &Options) {
        if self.buffer.len() >= BUFFER {
            self.fold_buffer(options);
        }
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
        self.end_sheet(nodes, options);
    }

    /// The folded stream, and how many points are missing from it.
    pub fn finish(mut self, nodes: &Nodes, options: &Options) -> Option<(Folding, u64)> {
        self.flush(nodes, options);
        self.fold_buffer(options);
        let lost = self.lost;
        self.folder.map(|folder| (folder.finish(), lost))
    }
}

/// Appends the points of a few rows one by one.
fn append_points(to: &mut Vec<i64>, rows: &Rows<'_>) {
    for row in 0..rows.rows as i64 {
        for n in 0..rows.count as i64 + row * rows.longer {
            let ways = rows.first.iter().zip(rows.step).zip(rows.down);
            to.extend(
                ways.map(|((f, s), d)| f.wrapping_add(n.wrapping_mul(*s)).wrapping_add(row.wrapping_mul(*d))),
            );
        }
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
    fn writers_in_different_entries_of_their_loop_are_in_line() {
        let mut nodes = Nodes::default();
        let outer = nodes.enter(ROOT, 0);
        let options = Options::default();
        let written: Vec<u32> = (0..50).map(|k| nodes.enter(outer, k)).collect();
        let mut dependence = Stream::new(2, LabelKind::Instance(2));
        for j in 0..9 {
            let node = nodes.enter(outer, j);
            for k in 0..50 {
                dependence.push(&nodes, &options, node, written[k as usize], [k, i64::from(j)]);
            }
            assert_eq!((dependence.line.count, dependence.line.hop), (50, 1));
        }
        assert_eq!(dependence.sheet.rows, 8);
        let (folding, _) = dependence.finish(&nodes, &options).unwrap();
        assert_eq!(folding.isl(), "{ [i0, i1] -> [i1, i0] : 0 <= i0 <= 8 and 0 <= i1 <= 49 }");
    }

    #[test]
    fn lines_in_one_loop_are_a_strip() {
        let (nodes, options) = (Nodes::default(), Options::default());
        for (length, strips) in [(4, 250), (10, 100)] {
            let mut stream = Stream::new(1, LabelKind::Integer);
            for i in 0..1000 {
                stream.push(&nodes, &options, 0, 0, [i, 7 * (i / length)]);
            }
            assert_eq!(stream.sheet.rows, strips - 1);
            let (folding, lost) = stream.finish(&nodes, &options).unwrap();
            assert_eq!((folding.stats.points, folding.pieces.len(), lost), (1000, 1, 0));
            assert!(folding.is_exact());
        }
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
