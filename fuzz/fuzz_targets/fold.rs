//! Folding streams: nothing panics, whatever the numbers; every point of the stream is in a piece; and the points of
//! the pieces that claim to be exact are points of the stream (in the exact mode: all of them, each once).
//!
//! Three bytes choose the shape, the mode and the extensions. Then each point is the one before with one coordinate
//! raised and the inner ones set anew, so that the order is right; one byte value takes an extreme step.

#![no_main]

use fold::{Folder, Folding, Mode, Options};
use libfuzzer_sys::fuzz_target;
use std::collections::HashSet;

type Point = (Vec<i64>, Vec<i64>);

struct Input<'a>(std::slice::Iter<'a, u8>);

impl Input<'_> {
    fn byte(&mut self) -> Option<u8> {
        self.0.next().copied()
    }

    /// Mostly small, sometimes as large as there is.
    fn number(&mut self) -> Option<i64> {
        Some(match self.byte()? {
            255 => i64::MAX,
            254 => i64::MIN,
            253 => 1 << 40,
            byte => i64::from(byte as i8) / 8,
        })
    }

    /// The point after `last`, in lexicographic order; `None` if the input or the numbers are used up.
    fn next(&mut self, last: &Point) -> Option<Point> {
        let (mut x, mut labels) = last.clone();
        let control = self.byte()?;
        let dim = usize::from(control) % x.len();
        x[dim] = x[dim].checked_add(1 + i64::from(control >> 6))?;
        for inner in &mut x[dim + 1..] {
            *inner = self.number()?;
        }
        for label in &mut labels {
            *label = label.wrapping_add(self.number()?);
        }
        Some((x, labels))
    }
}

fn options(byte: u8) -> Options {
    let mode = Mode::ALL[usize::from(byte) % Mode::ALL.len()].1;
    let limit = (byte & 64 != 0).then_some(2);
    let options = if byte & 128 == 0 { Options::with_mode(mode) } else { Options::paper(mode) };
    Options { max_intermediate: limit.or(options.max_intermediate), ..options }
}

/// The points of the exact pieces; each has as many as it says.
fn exact_points(folding: &Folding) -> Vec<(Vec<i128>, Vec<i128>)> {
    let mut points = Vec::new();
    for piece in folding.pieces.iter().filter(|piece| piece.is_exact()) {
        let before = points.len();
        piece.for_each(&mut |x, labels| {
            points.push((x.to_vec(), labels.to_vec()));
            (points.len() - before) as u64 <= piece.points
        });
        assert_eq!((points.len() - before) as u64, piece.points, "a piece counts its points: {piece:?}");
    }
    points
}

fuzz_target!(|data: &[u8]| {
    let mut input = Input(data.iter());
    let (Some(shape), Some(choice)) = (input.byte(), input.byte()) else { return };
    let (dim, labels) = (1 + usize::from(shape) % 4, usize::from(shape >> 2) % 3);
    let options = options(choice);
    let mut folder = Folder::new(dim, labels, options.clone()).expect("the shape is small");
    let mut last = (vec![0; dim], vec![0; labels]);
    let mut stream: Vec<Point> = Vec::new();
    while stream.len() < 200 && let Some(point) = input.next(&last) {
        folder.push(&point.0, &point.1).expect("the points are in order");
        stream.push(point.clone());
        last = point;
    }
    let folding = folder.finish();
    for (x, labels) in &stream {
        assert!(folding.pieces.iter().any(|piece| piece.contains(x, labels)), "{x:?} {labels:?} is lost");
    }
    let wide = |(x, labels): &Point| -> (Vec<i128>, Vec<i128>) {
        (x.iter().map(|&n| n.into()).collect(), labels.iter().map(|&n| n.into()).collect())
    };
    let expected: HashSet<_> = stream.iter().map(wide).collect();
    let exact = exact_points(&folding);
    assert!(exact.iter().all(|point| expected.contains(point)), "a point of an exact piece is invented");
    let distinct: HashSet<_> = exact.iter().collect();
    assert_eq!(distinct.len(), exact.len(), "a point is in two exact pieces");
    if options.mode == Mode::Exact {
        assert!(folding.is_exact());
        assert_eq!(exact.len(), expected.len());
    }
    let _ = (folding.isl(), folding.text(), folding.json());
});
