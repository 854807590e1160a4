//! Streams as text: JSON lines, for front ends in any language (`orthant fold stream.jsonl`).
//!
//! One JSON value per line. The first line that is not blank opens the file and its first stream:
//!
//! ```text
//! {"orthant-fold": 1, "stream": "I2", "dims": ["cj", "ck"], "labels": ["addr"]}
//! ```
//!
//! - `orthant-fold` is the version of the format: 1.
//! - `stream` is the stream's name, any string; it may be left out.
//! - `dims` are the iteration dimensions, outermost first, and `labels` the label components: a list of names, or a
//!   number `n` for `i0 .. i(n-1)` and `l0 .. l(n-1)`. `labels` may be left out (none).
//! - `mode` (`exact`, `widen`, `give-up`, `widen-give-up`, `auto`) overrides the reader's mode for this stream.
//!
//! Every further line is one of:
//!
//! | line | meaning |
//! |---|---|
//! | `[0, 1, 71]` | one point: iteration vector, then labels |
//! | `{"points": [0,0,67, 0,1,71]}` | a batch of points, flat |
//! | `{"from": [0,0,12], "step": [0,0,1], "count": 43}` | `count` points: `from`, `from + step`, ... |
//! | `{"stream": "I3", "dims": 2, "labels": 1}` | opens another stream, which is now the current one |
//! | `{"stream": "I2"}` | goes back to a stream that is open |
//! | `# text`, blank | nothing |
//!
//! Points belong to the current stream, so front ends can interleave streams as events come. In each stream points
//! must be in lexicographic order of their iteration vectors. Numbers are integers that fit in 64 bits with sign.
//! A reader reports the line and what it expected there; no input makes it panic, and its memory is bounded by
//! [`Limits`], whatever the input.
//!
//! [`write_header`], [`write_point`], [`write_batch`] and [`write_run`] make such lines.

use std::collections::HashMap;
use std::io::{self, BufRead, Write};

use serde::Deserialize;
use thiserror::Error;

use crate::mode::{Mode, Options};
use crate::output::{Folding, NameError, check_names};
use crate::stream::{Folder, StreamError};

/// The version of the format that this module reads and writes.
pub const VERSION: u64 = 1;

/// Bounds on what a reader accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Longest line, in bytes.
    pub line_bytes: usize,
    /// Most streams in a file.
    pub streams: usize,
    /// Most points that one `count` line stands for.
    pub count: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { line_bytes: 64 << 20, streams: 1 << 16, count: 1 << 32 }
    }
}

/// What is wrong with a stream file, and where.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The input could not be read.
    #[error("cannot read the stream: {0}")]
    Io(#[from] io::Error),
    /// A line is not what the format says.
    #[error("line {line}: {message}")]
    Line {
        /// The line, from 1.
        line: u64,
        /// What was expected and what was found.
        message: String,
    },
    /// The input is empty: not even a header.
    #[error(
        "line 1: expected a header such as {{\"orthant-fold\": 1, \"stream\": \"S\", \"dims\": [\"i\"], \
         \"labels\": [\"address\"]}}, found the end of the input"
    )]
    Empty,
}

/// What a header says about a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Name of the stream.
    pub name: String,
    /// Names of the iteration dimensions, outermost first.
    pub dims: Vec<String>,
    /// Names of the label components.
    pub labels: Vec<String>,
    /// The mode asked for, if any.
    pub mode: Option<Mode>,
}

/// Receives what a reader finds.
pub trait Sink {
    /// A stream is opened; it has the next free number, from 0.
    fn open(&mut self, header: &Header) -> Result<(), String>;
    /// Points of a stream: for each its coordinates, then its labels.
    fn points(&mut self, stream: usize, points: &[i64]) -> Result<(), String>;
}

/// A line that is an object, of any kind.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object {
    #[serde(rename = "orthant-fold")]
    version: Option<u64>,
    stream: Option<String>,
    dims: Option<Names>,
    labels: Option<Names>,
    mode: Option<Mode>,
    points: Option<Vec<i64>>,
    from: Option<Vec<i64>>,
    step: Option<Vec<i64>>,
    count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Names {
    Number(u8),
    List(Vec<String>),
}

impl Names {
    fn list(self, prefix: &str) -> Vec<String> {
        match self {
            Names::Number(n) => (0..n).map(|i| format!("{prefix}{i}")).collect(),
            Names::List(l) => l,
        }
    }
}

/// Read a file of streams and hand its contents to `sink`.
pub fn read(input: impl BufRead, limits: &Limits, sink: &mut impl Sink) -> Result<(), ReadError> {
    let mut reader =
        Reader { limits: *limits, line: 0, by_name: HashMap::new(), widths: Vec::new(), current: 0, sink };
    reader.run(input)
}

struct Reader<'a, S: Sink> {
    limits: Limits,
    line: u64,
    by_name: HashMap<String, usize>,
    /// Coordinates and labels of each stream.
    widths: Vec<(usize, usize)>,
    current: usize,
    sink: &'a mut S,
}

impl<S: Sink> Reader<'_, S> {
    fn run(&mut self, mut input: impl BufRead) -> Result<(), ReadError> {
        let mut bytes = Vec::new();
        loop {
            bytes.clear();
            self.line += 1;
            let max = self.limits.line_bytes as u64;
            let mut limited = io::Read::take(&mut input, max + 1);
            if limited.read_until(b'\n', &mut bytes)? == 0 {
                break;
            }
            if bytes.len() as u64 > max {
                return Err(
                    self.error(format!("the line is longer than {max} bytes; split it into several batches"))
                );
            }
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| self.error("the line is not UTF-8 text".into()))?
                .trim();
            if !text.is_empty() && !text.starts_with('#') {
                self.line(text)?;
            }
        }
        if self.widths.is_empty() { Err(ReadError::Empty) } else { Ok(()) }
    }

    fn error(&self, message: String) -> ReadError {
        ReadError::Line { line: self.line, message }
    }

    fn line(&mut self, text: &str) -> Result<(), ReadError> {
        if text.starts_with('[') {
            let point: Vec<i64> = serde_json::from_str(text).map_err(|e| {
                self.error(format!("expected a point, a list of 64-bit integers: {}", plain(&e)))
            })?;
            return self.point(&point);
        }
        let object: Object = serde_json::from_str(text).map_err(|e| {
            self.error(format!(
                "expected a point `[..]`, `{{\"points\": [..]}}`, `{{\"from\": [..], \"step\": [..], \"count\": n}}` \
                 or a stream header: {}",
                plain(&e)
            ))
        })?;
        self.object(object)
    }

    fn object(&mut self, o: Object) -> Result<(), ReadError> {
        if self.widths.is_empty() && o.version.is_none() {
            return Err(self.error("expected a header with \"orthant-fold\": 1 first".into()));
        }
        if let Some(v) = o.version
            && v != VERSION
        {
            return Err(self.error(format!(
                "format version {v} is not known here; expected \"orthant-fold\": {VERSION}"
            )));
        }
        match o {
            Object { points: Some(points), from: None, step: None, count: None, .. } if plain_data(&o) => {
                self.batch(&points)
            }
            Object {
                from: Some(ref from), step: Some(ref step), count: Some(count), points: None, ..
            } if plain_data(&o) => self.points_in_line(from, step, count),
            Object { points: None, from: None, step: None, count: None, .. } => self.header(o),
            _ => Err(self.error(
                "expected either \"points\" alone, or \"from\", \"step\" and \"count\" together, or a header"
                    .into(),
            )),
        }
    }

    /// The current stream's sizes.
    fn width(&self) -> Result<(usize, usize), ReadError> {
        self.widths.get(self.current).copied().ok_or_else(|| {
            self.error("expected a header with \"orthant-fold\": 1 before the first point".into())
        })
    }

    fn point(&mut self, point: &[i64]) -> Result<(), ReadError> {
        let (dim, labels) = self.width()?;
        if point.len() != dim + labels {
            return Err(self.error(format!(
                "expected {dim} coordinates and {labels} labels, found {} numbers",
                point.len()
            )));
        }
        self.sink.points(self.current, point).map_err(|m| self.error(m))
    }

    fn batch(&mut self, points: &[i64]) -> Result<(), ReadError> {
        let (dim, labels) = self.width()?;
        let width = dim + labels;
        if width == 0 || !points.len().is_multiple_of(width) {
            return Err(self.error(format!(
                "expected a multiple of {width} numbers ({dim} coordinates and {labels} labels each), found {}",
                points.len()
            )));
        }
        self.sink.points(self.current, points).map_err(|m| self.error(m))
    }

    fn points_in_line(&mut self, from: &[i64], step: &[i64], count: u64) -> Result<(), ReadError> {
        let (dim, labels) = self.width()?;
        if from.len() != dim + labels || step.len() != dim + labels {
            return Err(self.error(format!(
                "expected {} numbers in \"from\" and in \"step\", found {} and {}",
                dim + labels,
                from.len(),
                step.len()
            )));
        }
        if count > self.limits.count {
            return Err(self.error(format!("\"count\" is {count}; expected at most {}", self.limits.count)));
        }
        let mut block: Vec<i64> = Vec::new();
        let mut point = from.to_vec();
        for n in 0..count {
            block.extend_from_slice(&point);
            if block.len() >= 1 << 15 {
                self.flush(&mut block)?;
            }
            if n + 1 < count {
                for (p, s) in point.iter_mut().zip(step) {
                    *p = p.checked_add(*s).ok_or_else(|| {
                        self.error(format!("point {} of \"count\" does not fit in 64 bits", n + 2))
                    })?;
                }
            }
        }
        self.flush(&mut block)
    }

    fn flush(&mut self, block: &mut Vec<i64>) -> Result<(), ReadError> {
        let result = self.sink.points(self.current, block).map_err(|m| self.error(m));
        block.clear();
        result
    }

    fn header(&mut self, o: Object) -> Result<(), ReadError> {
        let name = o.stream.unwrap_or_default();
        let known = self.by_name.get(&name).copied();
        let Some(dims) = o.dims else {
            return match known {
                Some(n) if o.labels.is_none() && o.mode.is_none() => {
                    self.current = n;
                    Ok(())
                }
                _ => Err(self.error(format!(
                    "stream {name:?} is not open yet: expected \"dims\" (and \"labels\") in its first header"
                ))),
            };
        };
        if known.is_some() {
            return Err(self.error(format!(
                "stream {name:?} is open already; {{\"stream\": {name:?}}} alone goes back to it"
            )));
        }
        if self.widths.len() >= self.limits.streams {
            return Err(self.error(format!("more than {} streams", self.limits.streams)));
        }
        let header = Header {
            name: name.clone(),
            dims: dims.list("i"),
            labels: o.labels.map_or(Vec::new(), |l| l.list("l")),
            mode: o.mode,
        };
        check_names(&header.dims, &header.labels).map_err(|e: NameError| self.error(e.to_string()))?;
        self.sink.open(&header).map_err(|m| self.error(m))?;
        self.current = self.widths.len();
        self.by_name.insert(name, self.current);
        self.widths.push((header.dims.len(), header.labels.len()));
        Ok(())
    }
}

/// Whether an object has no header fields besides the version.
fn plain_data(o: &Object) -> bool {
    o.version.is_none() && o.stream.is_none() && o.dims.is_none() && o.labels.is_none() && o.mode.is_none()
}

/// A JSON error without the position in its own line count.
fn plain(e: &serde_json::Error) -> String {
    let text = e.to_string();
    let cut = text.find(" at line ").unwrap_or(text.len());
    format!("{} (column {})", &text[..cut], e.column())
}

/// Folds every stream of a file.
struct FoldAll<'a> {
    options: &'a Options,
    streams: Vec<(Header, Folder)>,
}

impl Sink for FoldAll<'_> {
    fn open(&mut self, header: &Header) -> Result<(), String> {
        let mut options = self.options.clone();
        options.mode = header.mode.unwrap_or(options.mode);
        let folder =
            Folder::new(header.dims.len(), header.labels.len(), options).map_err(|e| e.to_string())?;
        self.streams.push((header.clone(), folder));
        Ok(())
    }

    fn points(&mut self, stream: usize, points: &[i64]) -> Result<(), String> {
        let Some((_, folder)) = self.streams.get_mut(stream) else {
            return Err("points before a header".into());
        };
        // A stream without coordinates and labels has empty points; its batches are refused by the reader.
        let result = if points.is_empty() { folder.push(&[], &[]) } else { folder.push_batch(points) };
        result.map_err(|e: StreamError| e.to_string())
    }
}

/// Read a file of streams and fold each of them. Results come in the order in which the streams were opened.
///
/// ```
/// let text = r#"{"orthant-fold": 1, "stream": "I5", "dims": ["cj", "ck"], "labels": ["k"]}
/// {"from": [0, 0, 1], "step": [0, 1, 1], "count": 43}
/// {"from": [1, 0, 1], "step": [0, 1, 1], "count": 43}
/// "#;
/// let results = fold::fold_stream(text.as_bytes(), &fold::Options::default(), &Default::default()).unwrap();
/// assert_eq!(results[0].isl(), "{ I5[cj, ck] -> [ck + 1] : 0 <= cj <= 1 and 0 <= ck <= 42 }");
/// ```
pub fn fold_stream(
    input: impl BufRead,
    options: &Options,
    limits: &Limits,
) -> Result<Vec<Folding>, ReadError> {
    let mut all = FoldAll { options, streams: Vec::new() };
    read(input, limits, &mut all)?;
    let name = |(header, folder): (Header, Folder)| {
        let folding = folder.finish();
        // The reader has checked the names.
        folding.clone().with_names(&header.name, &header.dims, &header.labels).unwrap_or(folding)
    };
    Ok(all.streams.into_iter().map(name).collect())
}

/// Write the first line of a file, or of a further stream (`first` false).
pub fn write_header(out: &mut impl Write, header: &Header, first: bool) -> io::Result<()> {
    let mut line = serde_json::Map::new();
    if first {
        line.insert("orthant-fold".into(), VERSION.into());
    }
    line.insert("stream".into(), header.name.as_str().into());
    line.insert("dims".into(), header.dims.clone().into());
    line.insert("labels".into(), header.labels.clone().into());
    if let Some(mode) = header.mode {
        line.insert("mode".into(), mode.name().into());
    }
    writeln!(out, "{}", serde_json::Value::Object(line))
}

/// Write a line that makes an open stream the current one.
pub fn write_switch(out: &mut impl Write, name: &str) -> io::Result<()> {
    writeln!(out, "{{\"stream\":{}}}", serde_json::Value::from(name))
}

fn write_numbers<'a>(out: &mut impl Write, numbers: impl Iterator<Item = &'a i64>) -> io::Result<()> {
    write!(out, "[")?;
    for (k, n) in numbers.enumerate() {
        write!(out, "{}{n}", if k == 0 { "" } else { "," })?;
    }
    write!(out, "]")
}

/// Write one point.
pub fn write_point(out: &mut impl Write, iv: &[i64], label: &[i64]) -> io::Result<()> {
    write_numbers(out, iv.iter().chain(label))?;
    writeln!(out)
}

/// Write a batch of points: for each its coordinates, then its labels.
pub fn write_batch(out: &mut impl Write, points: &[i64]) -> io::Result<()> {
    write!(out, "{{\"points\":")?;
    write_numbers(out, points.iter())?;
    writeln!(out, "}}")
}

/// Write `count` points in a line: `from`, `from + step`, and so on (coordinates, then labels).
pub fn write_run(out: &mut impl Write, from: &[i64], step: &[i64], count: u64) -> io::Result<()> {
    write!(out, "{{\"from\":")?;
    write_numbers(out, from.iter())?;
    write!(out, ",\"step\":")?;
    write_numbers(out, step.iter())?;
    writeln!(out, ",\"count\":{count}}}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(text: &str) -> Result<Vec<Folding>, ReadError> {
        fold_stream(text.as_bytes(), &Options::default(), &Limits::default())
    }

    fn error(text: &str) -> String {
        fold(text).unwrap_err().to_string()
    }

    #[test]
    fn what_is_written_is_read() {
        let header = |name: &str| Header {
            name: name.into(),
            dims: vec!["i".into(), "j".into()],
            labels: vec!["a".into()],
            mode: Some(Mode::Exact),
        };
        let mut out = Vec::new();
        write_header(&mut out, &header("first"), true).unwrap();
        write_point(&mut out, &[0, 0], &[5]).unwrap();
        write_header(&mut out, &header("second \"s\""), false).unwrap();
        write_run(&mut out, &[0, 0, 0], &[0, 1, 2], 10).unwrap();
        write_switch(&mut out, "first").unwrap();
        write_batch(&mut out, &[0, 1, 6, 0, 2, 7]).unwrap();
        let results = fold(std::str::from_utf8(&out).unwrap()).unwrap();
        assert_eq!(results[0].isl(), "{ first[i, j] -> [j + 5] : i = 0 and 0 <= j <= 2 }");
        assert_eq!(results[1].isl(), "{ [i, j] -> [2*j] : i = 0 and 0 <= j <= 9 }");
        assert_eq!(results[1].name, "second \"s\"");
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        let h = "{\"orthant-fold\":1,\"dims\":2,\"labels\":1}\n";
        let cases = [
            (String::new(), "line 1: expected a header"),
            ("\n# only a comment\n".into(), "expected a header"),
            ("[1,2,3]\n".into(), "line 1: expected a header with"),
            ("{\"dims\":2}\n".into(), "line 1: expected a header with \"orthant-fold\": 1 first"),
            ("{\"orthant-fold\":7,\"dims\":2}\n".into(), "version 7 is not known"),
            ("{\"orthant-fold\":1}\n".into(), "not open yet: expected \"dims\""),
            (format!("{h}[1,2]\n"), "line 2: expected 2 coordinates and 1 labels, found 2 numbers"),
            (format!("{h}\n\n[1,2,x]\n"), "line 4: expected a point, a list of 64-bit integers"),
            (format!("{h}[1,2,9223372036854775808]\n"), "line 2: expected a point"),
            (format!("{h}[1,2,3]\n[0,9,3]\n"), "line 3: point 1 has iteration vector [0, 9] after [1, 2]"),
            (format!("{h}{{\"points\":[1,2]}}\n"), "line 2: expected a multiple of 3"),
            (format!("{h}{{\"from\":[0,0,0],\"count\":3}}\n"), "line 2: expected either"),
            (format!("{h}{{\"from\":[0,0,0],\"step\":[0,1],\"count\":3}}\n"), "line 2: expected 3 numbers"),
            (
                format!("{h}{{\"from\":[0,9223372036854775806,0],\"step\":[0,1,0],\"count\":3}}\n"),
                "point 3 of \"count\" does not fit",
            ),
            (
                format!("{h}{{\"from\":[0,0,0],\"step\":[0,1,0],\"count\":99999999999999}}\n"),
                "expected at most 4294967296",
            ),
            (format!("{h}{{\"speed\":1}}\n"), "line 2: expected a point `[..]`"),
            (format!("{h}{{\"dims\":2}}\n"), "is open already"),
            (format!("{h}{{\"stream\":\"x\"}}\n"), "stream \"x\" is not open yet"),
            ("{\"orthant-fold\":1,\"dims\":[\"i\",\"i\"]}\n".into(), "`i` cannot be the name"),
            ("{\"orthant-fold\":1,\"dims\":[\"exists\"]}\n".into(), "`exists` cannot be the name"),
            ("{\"orthant-fold\":1,\"dims\":200}\n".into(), "too wide"),
            ("{\"orthant-fold\":1,\"dims\":1,\"mode\":\"quick\"}\n".into(), "line 1: expected"),
        ];
        for (text, message) in cases {
            let e = error(&text);
            assert!(e.contains(message), "{text:?} gave {e:?}, not {message:?}");
        }
    }

    #[test]
    fn long_lines_and_many_streams_are_refused() {
        let limits = Limits { line_bytes: 64, streams: 1, ..Limits::default() };
        let h = "{\"orthant-fold\":1,\"dims\":1}\n";
        let read =
            |text: &str| fold_stream(text.as_bytes(), &Options::default(), &limits).unwrap_err().to_string();
        assert!(
            read(&format!("{h}{{\"points\":[{}0]}}\n", "0,".repeat(100)))
                .contains("line 2: the line is longer")
        );
        assert!(read(&format!("{h}{{\"stream\":\"b\",\"dims\":1}}\n")).contains("more than 1 streams"));
    }

    #[test]
    fn no_bytes_make_it_panic() {
        let mut seed = 99u64;
        let mut random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) as usize
        };
        let good = b"{\"orthant-fold\":1,\"dims\":[\"i\"],\"labels\":1}\n[0,1]\n{\"points\":[1,2,2,3]}\n\
                     {\"from\":[3,4],\"step\":[1,1],\"count\":5}\n{\"stream\":\"b\",\"dims\":0}\n[]\n[]\n";
        for _ in 0..3000 {
            let mut bytes = good.to_vec();
            for _ in 0..=random() % 4 {
                let at = random() % bytes.len();
                match random() % 3 {
                    0 => bytes[at] = random() as u8,
                    1 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, b"[]{},:\"0-9e.\n\\"[random() % 14]),
                }
            }
            let _ = fold_stream(
                bytes.as_slice(),
                &Options::default(),
                &Limits { count: 1000, ..Limits::default() },
            );
        }
    }
}
