//! Folding one stream (Section 5.2.1, Algorithm 1).
//!
//! A [`Folder`] receives points in lexicographic order and keeps a bounded number of intermediate polyhedra:
//!
//! ```text
//! point -> run (level 0) -> extra levels of the innermost loop -> next loop -> ... -> retired pieces
//! ```
//!
//! A point that continues the current run costs one comparison (`run`). Otherwise the first coordinate that
//! changed, `x[c]`, says which loops have finished: all inside dimension `c`. Their levels are flushed outwards,
//! innermost first, so that level `c` has received everything of the completed row before its tick (the paper's
//! `process_dims`). A polyhedron that leaves the last level is *retired*: it becomes a [`Piece`] of the result.
//!
//! **More than one label for an iteration vector.** A point equal to the one before is dropped and counted. The same
//! iteration vector with another label is a relation, not a function; the second label goes to a second folder with
//! the same options (a *lane*), the third to a third. Each lane is a function; the result is their union. Beyond
//! [`MAX_LANES`] the last lane gives up, so it is an over-approximation and marked as such.
//!
//! **Auto** ([`Mode::Auto`]). When the intermediate polyhedra or the finished pieces of the stream exceed their limit,
//! widening is switched on. Everything so far is exact, so if the stream is still short it is enumerated again from
//! the pieces and folded with widening from the start: the fragments do not stay. When the limits are exceeded once
//! more, the stream gives up: the large finished pieces stay, the rest is replaced by its bounding box, in which labels that one
//! affine function gives keep it (`law`).

use thiserror::Error;

use crate::cycle::take_cycle;
use crate::giveup::Hull;
use crate::layout::{Layout, MAX_LEVELS};
use crate::level::{Level, Rules};
use crate::mode::{Mode, Options};
use crate::output::{Folding, Stats};
use crate::piece::Piece;
use crate::polyhedron::{Poly, points_in_rows};
use crate::rows::take_rows;
use crate::run::{Run, State, Taken};
use crate::template::{Followed, Template, nothing_between};

/// Most different labels one iteration vector may have before the result is over-approximated.
pub const MAX_LANES: usize = 8;
/// Most label components of a stream.
pub const MAX_LABELS: usize = 64;
/// At give-up, finished pieces with at least this fraction (1/n) of all points stay.
const KEEP_FRACTION: u64 = 16;

/// A stream that cannot be folded.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StreamError {
    /// A point is lexicographically before its predecessor.
    #[error(
        "point {index} has iteration vector {point:?} after {last:?}: points must come in lexicographic order \
         (sort the stream by iteration vector)"
    )]
    OutOfOrder {
        /// Number of the point, from 0.
        index: u64,
        /// Its iteration vector.
        point: Vec<i64>,
        /// The iteration vector before it.
        last: Vec<i64>,
    },
    /// A point has the wrong number of coordinates or labels.
    #[error("{got} numbers for points of {dim} coordinates and {labels} labels: expected a multiple of {}", dim + labels)]
    WrongWidth {
        /// Numbers received.
        got: usize,
        /// Coordinates per point.
        dim: usize,
        /// Labels per point.
        labels: usize,
    },
    /// The stream has too many dimensions or labels.
    #[error(
        "a stream of {dim} dimensions and {labels} labels is too wide: at most {max_dim} and {MAX_LABELS}"
    )]
    TooWide {
        /// Coordinates per point.
        dim: usize,
        /// Labels per point.
        labels: usize,
        /// Most coordinates with the current number of extra dimensions.
        max_dim: usize,
    },
}

/// Lines one below the other: the n-th of `rows` begins at `first + n * down`, goes on by `step`, and has `count + n * longer`
/// points (coordinates, then labels). All points fit in 64 bits, and every row has at least one.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The first point of the first row.
    pub first: &'a [i64],
    /// From point to point.
    pub step: &'a [i64],
    /// Points of the first row.
    pub count: u64,
    /// From the first point of a row to that of the next.
    pub down: &'a [i64],
    /// How many more points the next row has.
    pub longer: i64,
    /// How many rows there are.
    pub rows: u64,
}

/// Moves a point by `count` steps. Points of a stream fit in 64 bits; the one after the last is not used.
fn advance_by(point: &mut [i64], step: &[i64], count: u64) {
    point.iter_mut().zip(step).for_each(|(p, s)| *p = p.wrapping_add(s.wrapping_mul(count as i64)));
}

/// Folds one stream.
///
/// ```
/// use fold::{Folder, Options};
/// let mut folder = Folder::new(2, 1, Options::default()).unwrap();
/// for i in 0..10 {
///     for j in 0..=i {
///         folder.push(&[i, j], &[100 * i + 8 * j]).unwrap();
///     }
/// }
/// let result = folder.finish();
/// assert!(result.is_exact());
/// assert_eq!(result.pieces.len(), 1);
/// assert_eq!(result.isl(), "{ [i0, i1] -> [100*i0 + 8*i1] : 0 <= i0 <= 9 and 0 <= i1 <= i0 }");
/// ```
#[derive(Debug)]
pub struct Folder {
    pub(crate) layout: Layout,
    options: Options,
    rules: Rules,
    pub(crate) run: Run,
    pub(crate) levels: Vec<Level>,
    spare: Vec<Poly>,
    template: Template,
    retired: Vec<Piece>,
    hull: Option<Hull>,
    stats: Stats,
    /// Polyhedra in the levels.
    live: usize,
    limit: usize,
    piece_limit: u64,
    lane: Option<Box<Folder>>,
    lane_number: usize,
    /// Room for a point, for the first point of a row, and for polyhedra on their way out, so that none is asked for each time.
    scratch: Vec<i64>,
    row: Vec<i64>,
    leaving: Vec<Poly>,
}

impl Folder {
    /// A folder for streams of `dim` coordinates and `labels` labels per point.
    pub fn new(dim: usize, labels: usize, options: Options) -> Result<Folder, StreamError> {
        Folder::with_lane(dim, labels, options, 1)
    }

    fn with_lane(
        dim: usize,
        labels: usize,
        options: Options,
        lane_number: usize,
    ) -> Result<Folder, StreamError> {
        let max_dim = (MAX_LEVELS - 1) / (1 + options.extra_dims.min(MAX_LEVELS));
        if dim > max_dim || labels > MAX_LABELS {
            return Err(StreamError::TooWide { dim, labels, max_dim });
        }
        let layout = Layout { dim, labels, extra: options.extra_dims };
        let rules = Rules { widen: options.mode.widens_at_once(), strides: options.strides };
        let (limit, piece_limit) = options.limits(dim, rules.widen);
        Ok(Folder {
            run: Run::new(&layout),
            levels: (0..layout.levels()).map(|_| Level::default()).collect(),
            spare: Vec::new(),
            template: Template::default(),
            retired: Vec::new(),
            hull: None,
            stats: Stats { widened: rules.widen, ..Stats::default() },
            live: 0,
            limit,
            piece_limit,
            lane: None,
            lane_number,
            scratch: Vec::with_capacity(layout.width()),
            row: Vec::with_capacity(layout.width()),
            leaving: Vec::new(),
            rules,
            options,
            layout,
        })
    }

    /// Number of points received so far, duplicates included.
    pub fn points(&self) -> u64 {
        self.stats.points
    }

    /// Number of intermediate polyhedra at the moment.
    pub fn intermediate(&self) -> usize {
        let run = match self.run.state {
            State::Empty => usize::from(self.template.active),
            State::One | State::Line => 1,
            State::Pair => 2,
        };
        self.live + run
    }

    /// Take the pieces retired so far, for callers that write them out as they come. They will never change.
    pub fn take_retired(&mut self) -> Vec<Piece> {
        std::mem::take(&mut self.retired)
    }

    /// Add one point.
    pub fn push(&mut self, iv: &[i64], label: &[i64]) -> Result<(), StreamError> {
        if iv.len() != self.layout.dim || label.len() != self.layout.labels {
            let got = iv.len() + label.len();
            return Err(StreamError::WrongWidth { got, dim: self.layout.dim, labels: self.layout.labels });
        }
        let mut point = std::mem::take(&mut self.scratch);
        point.clear();
        point.extend_from_slice(iv);
        point.extend_from_slice(label);
        let result = self.push_all(&point, 1);
        self.scratch = point;
        result
    }

    /// Add points: for each its coordinates, then its labels. This is the fast way in.
    pub fn push_batch(&mut self, points: &[i64]) -> Result<(), StreamError> {
        let width = self.layout.width();
        if width == 0 || !points.len().is_multiple_of(width) {
            if points.is_empty() {
                return Ok(());
            }
            let (got, dim, labels) = (points.len(), self.layout.dim, self.layout.labels);
            return Err(StreamError::WrongWidth { got, dim, labels });
        }
        self.push_all(points, points.len() / width)
    }

    /// Add the `count` points `from`, `from + step`, ... (each its coordinates, then its labels), all of which fit in
    /// 64 bits. A line that goes on as expected costs no more than one point, however long it is.
    ///
    /// ```
    /// let mut folder = fold::Folder::new(2, 1, fold::Options::default()).unwrap();
    /// for i in 0..1000 {
    ///     folder.push_line(&[i, 0, 8 * i], &[0, 1, 4], 1_000_000).unwrap();
    /// }
    /// let result = folder.finish();
    /// assert_eq!(result.isl(), "{ [i0, i1] -> [8*i0 + 4*i1] : 0 <= i0 <= 999 and 0 <= i1 <= 999999 }");
    /// ```
    pub fn push_line(&mut self, from: &[i64], step: &[i64], count: u64) -> Result<(), StreamError> {
        let width = self.layout.width();
        if from.len() != width || step.len() != width {
            let (got, dim, labels) = (from.len(), self.layout.dim, self.layout.labels);
            return Err(StreamError::WrongWidth { got, dim, labels });
        }
        let mut point = std::mem::take(&mut self.scratch);
        point.clear();
        point.extend_from_slice(from);
        let result = self.push_from(&mut point, step, count);
        self.scratch = point;
        result
    }

    /// [`Folder::push_line`] with a point that is moved along the line.
    fn push_from(&mut self, point: &mut [i64], step: &[i64], count: u64) -> Result<(), StreamError> {
        let mut left = count;
        while left > 0 {
            let mut taken = self.take_line(point, step, left);
            self.stats.points += taken;
            if taken == 0 {
                self.push_all(point, 1)?;
                taken = 1;
            }
            left -= taken;
            advance_by(point, step, taken);
        }
        Ok(())
    }

    /// Add lines one below the other. Where the loop around expects just these rows, they cost no more than one point,
    /// however many they are.
    ///
    /// ```
    /// let mut folder = fold::Folder::new(2, 1, fold::Options::default()).unwrap();
    /// // for i in 0..1000 { for j in 0..=i { 8 * i + 4 * j } }
    /// let triangle = fold::Rows { first: &[0, 0, 0], step: &[0, 1, 4], count: 1, down: &[1, 0, 8], longer: 1, rows: 1000 };
    /// folder.push_rows(&triangle).unwrap();
    /// let result = folder.finish();
    /// assert_eq!(result.isl(), "{ [i0, i1] -> [8*i0 + 4*i1] : 0 <= i0 <= 999 and 0 <= i1 <= i0 }");
    /// ```
    pub fn push_rows(&mut self, rows: &Rows<'_>) -> Result<(), StreamError> {
        let width = self.layout.width();
        if [rows.first, rows.step, rows.down].iter().any(|v| v.len() != width) {
            let (got, dim, labels) = (rows.first.len(), self.layout.dim, self.layout.labels);
            return Err(StreamError::WrongWidth { got, dim, labels });
        }
        let mut first = std::mem::take(&mut self.row);
        first.clear();
        first.extend_from_slice(rows.first);
        let result = self.push_rows_from(&mut first, rows);
        self.row = first;
        result
    }

    /// [`Folder::push_rows`] with a point that is moved from row to row.
    fn push_rows_from(&mut self, first: &mut [i64], rows: &Rows<'_>) -> Result<(), StreamError> {
        let mut rest = Rows { first: &[], ..*rows };
        while rest.rows > 0 {
            let mut taken = self.take_sheet(&Rows { first, ..rest });
            if taken == 0 {
                self.push_line(first, rows.step, rest.count)?;
                taken = 1;
            }
            rest.rows -= taken;
            rest.count = rest.count.wrapping_add_signed(rows.longer.wrapping_mul(taken as i64));
            advance_by(first, rows.down, taken);
        }
        Ok(())
    }

    /// Take as many rows as are expected; returns how many.
    fn take_sheet(&mut self, rows: &Rows<'_>) -> u64 {
        if self.hull.is_some() || !self.template.active {
            return 0;
        }
        let s = 1 + self.layout.extra;
        let taken = self.template.follow_sheet(&mut self.levels[s], s, &self.layout, rows);
        if taken > 0 {
            self.stats.points += points_in_rows(rows.count, rows.longer, taken);
            let longer = rows.longer * (taken as i64 - 1);
            self.run.last.copy_from_slice(rows.first);
            advance_by(&mut self.run.last, rows.down, taken - 1);
            advance_by(&mut self.run.last, rows.step, rows.count.wrapping_add_signed(longer) - 1);
        }
        taken
    }

    /// Take as much of a line as is expected; returns how many points.
    fn take_line(&mut self, first: &[i64], step: &[i64], count: u64) -> u64 {
        let dim = self.layout.dim;
        let taken = if let Some(hull) = &mut self.hull {
            let forward = step[..dim].iter().find(|s| **s != 0).is_some_and(|s| *s > 0);
            let sorted = first[..dim] > self.run.last[..dim] && forward;
            if sorted { hull.add_line(first, step, count) } else { 0 }
        } else if self.template.active {
            let s = 1 + self.layout.extra;
            self.template.follow_line(&mut self.levels[s], s, &self.layout, first, step, count)
        } else if self.run.is_plain_line() && self.run.next == first && self.run.extend_by(count, step) {
            return count;
        } else {
            0
        };
        if taken > 0 {
            self.run.last.copy_from_slice(first);
            advance_by(&mut self.run.last, step, taken - 1);
        }
        taken
    }

    fn push_all(&mut self, mut points: &[i64], mut left: usize) -> Result<(), StreamError> {
        let width = self.layout.width();
        while left > 0 {
            let taken = if let Some(hull) = &mut self.hull {
                hull.add_sorted(points, &mut self.run.last)
            } else if self.template.active {
                self.follow(points)
            } else if self.run.is_plain_line() {
                self.run.advance(points)
            } else if self.run.is_widened_line() {
                self.run.advance_widened(points)
            } else {
                0
            };
            self.stats.points += taken as u64;
            left -= taken;
            points = &points[taken * width..];
            let taken = if left > 1 { self.take_rows(points) } else { 0 };
            self.stats.points += taken as u64;
            left -= taken;
            points = &points[taken * width..];
            if left > 0 && taken == 0 {
                self.push_slow(&points[..width])?;
                left -= 1;
                points = &points[width..];
            }
        }
        Ok(())
    }

    /// Follow the template of the row ([`crate::template`]).
    #[inline]
    fn follow(&mut self, points: &[i64]) -> usize {
        let s = 1 + self.layout.extra;
        let taken = self.template.follow(&mut self.levels[s], s, &self.layout, points);
        if taken > 0 {
            let width = self.layout.width();
            self.run.last.copy_from_slice(&points[(taken - 1) * width..taken * width]);
        }
        taken
    }

    /// Make a template of the row that starts with `point`, if the absorbers of its loop allow it.
    fn enter_template(&mut self, c: usize, point: &[i64]) -> bool {
        let s = 1 + self.layout.extra;
        if c + 2 != self.layout.dim
            || self.levels[s].absorbers.is_empty()
            || !nothing_between(&self.levels, s)
        {
            return false;
        }
        if !self.template.enter(&self.levels[s], s, point[c], &self.layout) {
            return false;
        }
        self.run.state = State::Empty;
        if self.follow(point) == 0 {
            self.template.active = false;
        }
        self.template.active
    }

    /// The next point (if any) departs from the template: bring the folder into the state it would be in without.
    fn leave_template(&mut self, row_ended: bool) {
        let s = 1 + self.layout.extra;
        if self.template.is_complete() && row_ended {
            self.template.absorb_row(&mut self.levels[s], s, &self.layout);
            self.template.active = false;
            return;
        }
        for part in self.template.unfollow(&self.levels[s], &self.layout) {
            self.replay_line(part);
        }
    }

    /// Send a line of points of the current row through the ordinary path.
    fn replay_line(&mut self, part: Followed) {
        let Followed { first: mut point, step, points } = part;
        for done in 1..=points {
            if self.run.state == State::Empty {
                self.run.start(&point);
            } else {
                self.same_row(&point);
            }
            self.note_intermediate();
            if self.run.extend_by(points - done, &step) {
                break;
            }
            // These points came out of the stream, so they fit (the one after the last is not used).
            point.iter_mut().zip(&step).for_each(|(p, s)| *p = p.wrapping_add(*s));
        }
    }

    /// Take whole rows or cycles, if the level above the run expects them ([`crate::rows`], [`crate::cycle`]).
    #[inline]
    fn take_rows(&mut self, points: &[i64]) -> usize {
        if self.layout.extra == 0 || self.hull.is_some() || self.run.state != State::Line {
            return 0;
        }
        let Some(level) = self.levels.get_mut(1) else { return 0 };
        match level.absorbers.as_mut_slice() {
            [] => 0,
            [a] if a.any_top == 0 && a.open => take_rows(a, &mut self.run, 1, &self.layout, points),
            [_] => 0,
            _ => take_cycle(level, &mut self.run, &self.layout, points),
        }
    }

    /// A point that does not simply continue the run.
    fn push_slow(&mut self, point: &[i64]) -> Result<(), StreamError> {
        let dim = self.layout.dim;
        if self.stats.points == 0 {
            self.stats.points = 1;
            self.run.start(point);
            self.note_intermediate();
            return Ok(());
        }
        let changed = (0..dim).find(|&d| point[d] != self.run.last[d]);
        let Some(c) = changed else { return self.same_vector(point) };
        if point[c] < self.run.last[c] {
            return Err(StreamError::OutOfOrder {
                index: self.stats.points,
                point: point[..dim].to_vec(),
                last: self.run.last[..dim].to_vec(),
            });
        }
        self.stats.points += 1;
        if let Some(hull) = &mut self.hull {
            hull.add(point);
            self.run.last.copy_from_slice(point);
            return Ok(());
        }
        if self.template.active {
            self.leave_template(c + 1 < dim);
        }
        if c + 1 == dim {
            self.same_row(point)
        } else {
            self.next_row(c, point)
        }
        self.note_intermediate();
        self.check_limits()
    }

    /// The iteration vector of the last point once more.
    fn same_vector(&mut self, point: &[i64]) -> Result<(), StreamError> {
        let dim = self.layout.dim;
        self.stats.points += 1;
        if point[dim..] == self.run.last[dim..] {
            self.stats.duplicates += 1;
            return Ok(());
        }
        if let Some(hull) = &mut self.hull {
            // Everything is approximate already.
            hull.add(point);
            return Ok(());
        }
        if self.lane_number == MAX_LANES {
            self.give_up();
            if let Some(hull) = &mut self.hull {
                hull.add(point);
            }
            return Ok(());
        }
        self.stats.points -= 1;
        if self.lane.is_none() {
            let options = self.options.clone();
            let (dim, labels) = (self.layout.dim, self.layout.labels);
            self.lane = Some(Box::new(Folder::with_lane(dim, labels, options, self.lane_number + 1)?));
        }
        match &mut self.lane {
            Some(lane) => lane.push_all(point, 1),
            None => Ok(()),
        }
    }

    /// A point of the current row.
    fn same_row(&mut self, point: &[i64]) {
        match self.run.take(point, self.rules.strides, self.rules.widen) {
            Taken::Yes => {}
            Taken::DropFirst => {
                let mut p = self.fresh();
                self.run.first_point(&mut p);
                self.run.drop_first();
                self.offer(p, 1);
                if self.run.take(point, self.rules.strides, self.rules.widen) == Taken::No {
                    self.close_run(1);
                    self.run.start(point);
                }
            }
            Taken::No => {
                self.close_run(1);
                self.run.start(point);
            }
        }
    }

    /// The first point of a new row of dimension `c`.
    fn next_row(&mut self, c: usize, point: &[i64]) {
        let inner_rows_end = self.layout.dim - 1;
        let first_loop = self.layout.loop_level(inner_rows_end - 1);
        let quiet = self.levels[1..first_loop].iter().all(|l| l.absorbers.is_empty());
        self.close_run(if quiet { first_loop } else { 1 });
        for s in 1..self.layout.loop_level(c) {
            self.flush_level(s);
        }
        let s = self.layout.loop_level(c);
        if !self.levels[s].absorbers.is_empty() {
            let mut leave = std::mem::take(&mut self.leaving);
            self.levels[s].tick(s, point[c], &self.layout, self.rules, &mut leave);
            self.pass_on(leave, s + 1);
        }
        if !self.enter_template(c, point) {
            self.run.start(point);
        }
    }

    pub(crate) fn flush_level(&mut self, s: usize) {
        if self.levels[s].absorbers.is_empty() {
            return;
        }
        let mut leave = std::mem::take(&mut self.leaving);
        self.levels[s].flush(&mut leave);
        self.pass_on(leave, s + 1);
    }

    /// Offers what has left a level to level `s`.
    fn pass_on(&mut self, mut leave: Vec<Poly>, s: usize) {
        for p in leave.drain(..) {
            self.live -= 1;
            self.offer(p, s);
        }
        self.leaving = leave;
    }

    /// Turn the run into polyhedra and offer them to level `s`.
    pub(crate) fn close_run(&mut self, s: usize) {
        let mut p = self.fresh();
        match self.run.state {
            State::Empty => {
                self.spare.push(p);
                return;
            }
            State::One => self.run.first_point(&mut p),
            State::Pair => {
                // Two points are a strided line only if somebody waits for just that line.
                self.run.line(&mut p, &self.layout);
                if !self.levels.get(s).is_some_and(|l| l.expects(&p, s, &self.layout)) {
                    self.run.first_point(&mut p);
                    self.offer(p, s);
                    p = self.fresh();
                    self.run.last_point(&mut p);
                }
            }
            State::Line => self.run.line(&mut p, &self.layout),
        }
        self.run.state = State::Empty;
        self.offer(p, s);
    }

    fn fresh(&mut self) -> Poly {
        self.spare.pop().unwrap_or_else(|| Poly::new(&self.layout))
    }

    /// Offer a polyhedron to level `s`, or to the first level above that takes it.
    fn offer(&mut self, p: Poly, mut s: usize) {
        while s < self.levels.len() {
            if self.layout.is_loop(s) {
                self.live += 1;
                self.live -= self.levels[s].offer(p, s, &self.layout, self.rules, &mut self.spare);
                return;
            }
            // Repetition is looked for among polyhedra that have grown along the level below. Single points of a row
            // fold along the loop around it instead, if there is one.
            if p.is_grown(s - 1) || s == 1 && self.layout.dim == 1 {
                return self.offer_extra(p, s);
            }
            s += 1;
        }
        self.retire(p);
    }

    fn offer_extra(&mut self, p: Poly, s: usize) {
        self.live += 1;
        self.live -= self.levels[s].offer(p, s, &self.layout, self.rules, &mut self.spare);
        let mut leave = std::mem::take(&mut self.leaving);
        self.levels[s].trim(&mut leave);
        self.pass_on(leave, s + 1);
    }

    fn retire(&mut self, p: Poly) {
        self.retired.push(Piece::from_poly(&p, &self.layout));
        self.stats.retired += 1;
        self.spare.push(p);
    }

    fn note_intermediate(&mut self) {
        self.stats.max_intermediate = self.stats.max_intermediate.max(self.intermediate());
    }

    /// Close the run and move everything outwards until it is retired.
    fn flush_all(&mut self) {
        if self.template.active {
            self.leave_template(true);
        }
        self.close_run(1);
        for s in 1..self.levels.len() {
            self.flush_level(s);
        }
    }

    fn check_limits(&mut self) -> Result<(), StreamError> {
        let mode = self.options.mode;
        let crowded = self.intermediate() > self.limit;
        let fragmented = self.stats.retired > self.piece_limit;
        if (crowded || fragmented) && mode.gives_up() {
            self.give_up();
        } else if mode == Mode::Auto && (crowded || fragmented) {
            if self.rules.widen {
                self.give_up();
            } else {
                self.start_widening()?;
            }
        }
        Ok(())
    }

    /// Auto's first step. Short streams are folded once more from the start.
    fn start_widening(&mut self) -> Result<(), StreamError> {
        self.stats.widened = true;
        (self.limit, self.piece_limit) = self.options.limits(self.layout.dim, true);
        if self.stats.points <= self.options.replay_points {
            return self.replay();
        }
        self.rules.widen = true;
        self.piece_limit = self.piece_limit.saturating_add(self.stats.retired);
        Ok(())
    }

    /// Enumerate everything so far and fold it again with widening.
    fn replay(&mut self) -> Result<(), StreamError> {
        // Exact to the last polyhedron: only then do the pieces reproduce the stream.
        self.flush_all();
        self.rules.widen = true;
        let pieces = std::mem::take(&mut self.retired);
        let width = self.layout.width();
        let mut points: Vec<Vec<i64>> = Vec::new();
        for piece in &pieces {
            piece.for_each(&mut |x, labels| {
                // Points and labels of exact pieces come from the stream, so they fit.
                points.push(x.iter().chain(labels).map(|&v| v as i64).collect());
                true
            });
        }
        points.sort_unstable();
        let mut flat = Vec::with_capacity(points.len() * width);
        points.iter().for_each(|p| flat.extend_from_slice(p));
        let kept = self.stats;
        self.stats.points = 0;
        self.stats.retired = 0;
        let result = self.push_all(&flat, points.len());
        self.stats.points = kept.points;
        result
    }

    /// Section 5.2.4: replace the intermediate polyhedra by their bounding box. In Auto, small finished pieces too.
    fn give_up(&mut self) {
        let finished = self.retired.len();
        self.flush_all();
        let mut discarded = self.retired.split_off(finished);
        if self.options.mode == Mode::Auto {
            let enough = self.stats.points / KEEP_FRACTION;
            discarded.extend(self.retired.extract_if(.., |p| p.points < enough.max(2)));
        }
        self.stats.gave_up = true;
        self.hull = Some(Hull::of(self.layout.dim, self.layout.width(), &discarded, self.options.laws));
    }

    /// The stream has ended: the result.
    pub fn finish(mut self) -> Folding {
        if self.hull.is_none() {
            self.flush_all();
        }
        if let Some(hull) = &self.hull {
            self.retired.extend(hull.pieces());
        }
        let mut stats = self.stats;
        let mut pieces = self.retired;
        if let Some(lane) = self.lane.take() {
            let other = lane.finish();
            stats = stats.and(&other.stats);
            pieces.extend(other.pieces);
        }
        Folding::new(self.layout.dim, self.layout.labels, pieces, stats)
    }
}
