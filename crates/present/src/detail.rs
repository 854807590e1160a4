//! What the page shows of one nest: its loops, source lines with their cost, accesses with strides, dependences, pictures, and what is
//! over-approximated.

use crate::picture::{self, Picture};
use model::SourceLoc;
use serde::Serialize;
use std::collections::BTreeMap;
use trace::profile::{Access, AccessKind, Dependence, Nest, Statement};

/// Rows of a table; the number of all is shown.
const ROWS: usize = 120;
/// Source lines shown around those with a cost.
const AROUND: u32 = 2;
/// Most source lines of a nest.
const LINES: usize = 160;
/// Characters of a text in isl's notation.
const LONGEST: usize = 400;

/// One nest.
#[derive(Debug, Serialize)]
pub struct Detail {
    id: u32,
    share: f64,
    instructions: u64,
    context: Vec<String>,
    loops: Vec<Row>,
    /// Whether there is more than loops that were counted.
    recorded: bool,
    source: Vec<Snippet>,
    accesses: Table<AccessRow>,
    dependences: Table<DependenceRow>,
    induction_dependences: u32,
    over_approximated: Table<String>,
    pictures: Vec<Picture>,
}

/// A table that may have been cut.
#[derive(Debug, Serialize)]
struct Table<T> {
    all: usize,
    rows: Vec<T>,
}

impl<T> Table<T> {
    fn of(rows: Vec<T>) -> Table<T> {
        let all = rows.len();
        Table { all, rows: rows.into_iter().take(ROWS).collect() }
    }
}

#[derive(Debug, Serialize)]
struct Row {
    id: u32,
    depth: u32,
    name: String,
    place: Option<String>,
    entries: u64,
    iterations: u64,
    instructions: u64,
}

#[derive(Debug, Serialize)]
struct Snippet {
    file: String,
    /// Number, text, instructions executed there.
    lines: Vec<(u32, String, u64)>,
    /// Whether the file was not found.
    missing: bool,
}

#[derive(Debug, Serialize)]
struct AccessRow {
    place: String,
    text: String,
    kind: AccessKind,
    size: u32,
    instances: u64,
    stride: Vec<Option<i64>>,
    address: String,
    exact: bool,
}

#[derive(Debug, Serialize)]
struct DependenceRow {
    from: String,
    to: String,
    kind: String,
    distance: Vec<Option<i64>>,
    carried_by: Option<u32>,
    relation: String,
    exact: bool,
}

/// The details of a nest.
pub fn detail(nest: &Nest, source: &dyn Fn(&str) -> Option<Vec<String>>) -> Detail {
    let mut dependences: Vec<&Dependence> = nest.dependences.iter().collect();
    dependences.sort_by_key(|d| (d.carried_by.is_none(), d.carried_by, d.target));
    Detail {
        id: nest.id,
        share: nest.share,
        instructions: nest.instructions,
        context: nest.context.iter().map(|frame| frame.function.clone()).collect(),
        loops: rows(nest),
        recorded: !nest.statements.is_empty(),
        source: snippets(nest, source),
        accesses: Table::of(accesses(nest)),
        dependences: Table::of(dependences.into_iter().map(|d| dependence(nest, d)).collect()),
        induction_dependences: nest.induction_dependences,
        over_approximated: Table::of(over_approximated(nest)),
        pictures: picture::pictures(nest),
    }
}

fn rows(nest: &Nest) -> Vec<Row> {
    let row = |l: &trace::profile::Loop| Row {
        id: l.id,
        depth: l.dimension,
        name: l.function.clone(),
        place: l.loc.as_ref().map(short),
        entries: l.entries,
        iterations: l.iterations,
        instructions: l.instructions,
    };
    nest.loops.iter().map(row).collect()
}

fn short(loc: &SourceLoc) -> String {
    format!("{}:{}", loc.file.rsplit('/').next().unwrap_or(&loc.file), loc.line)
}

fn place(statement: &Statement) -> String {
    statement.loc.as_ref().map_or_else(|| format!("{:#x}", statement.address.offset), short)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}

fn accesses(nest: &Nest) -> Vec<AccessRow> {
    let worth = nest.statements.iter().filter(|s| !s.induction);
    let row = |s: &Statement, a: &Access| AccessRow {
        place: place(s),
        text: s.text.clone(),
        kind: a.kind,
        size: a.size,
        instances: s.instances,
        stride: a.stride.clone(),
        address: cut(&a.address.isl),
        exact: a.address.exact,
    };
    let mut all: Vec<AccessRow> = worth.flat_map(|s| s.accesses.iter().map(move |a| row(s, a))).collect();
    all.sort_by_key(|row| std::cmp::Reverse(row.instances));
    all
}

fn dependence(nest: &Nest, d: &Dependence) -> DependenceRow {
    let place_of = |s: u32| nest.statements.get(s as usize).map_or_else(String::new, place);
    DependenceRow {
        from: place_of(d.source),
        to: place_of(d.target),
        kind: format!("{:?} through {:?}", d.kind, d.carrier).to_lowercase(),
        distance: d.distance.clone(),
        carried_by: d.carried_by,
        relation: cut(&d.relation.isl),
        exact: d.relation.exact,
    }
}

/// One sentence per place and reason.
fn over_approximated(nest: &Nest) -> Vec<String> {
    let mut said: BTreeMap<String, u64> = BTreeMap::new();
    for s in &nest.statements {
        if !s.domain.exact_domain {
            *said.entry(format!("{}: when it runs", place(s))).or_default() += s.instances;
        }
        for a in s.accesses.iter().filter(|a| !a.address.exact) {
            let what = if a.kind == AccessKind::Read { "reads" } else { "writes" };
            *said.entry(format!("{}: which addresses it {what}", place(s))).or_default() += a.address.points;
        }
    }
    for d in nest.dependences.iter().filter(|d| !d.relation.exact) {
        let [from, to] =
            [d.source, d.target].map(|s| nest.statements.get(s as usize).map_or_else(String::new, place));
        *said.entry(format!("{to}: which iterations of {from} it depends on")).or_default() +=
            d.relation.points;
    }
    let mut all: Vec<(String, u64)> = said.into_iter().collect();
    all.sort_by_key(|(_, points)| std::cmp::Reverse(*points));
    all.into_iter().map(|(text, points)| format!("{text} ({points} instances)")).collect()
}

/// The source of a nest, file by file, with what was executed on each line.
fn snippets(nest: &Nest, source: &dyn Fn(&str) -> Option<Vec<String>>) -> Vec<Snippet> {
    let mut cost: BTreeMap<&str, BTreeMap<u32, u64>> = BTreeMap::new();
    for s in &nest.statements {
        if let Some(loc) = s.loc.as_ref().filter(|loc| loc.line > 0) {
            *cost.entry(&loc.file).or_default().entry(loc.line).or_default() += s.instances;
        }
    }
    for loc in nest.loops.iter().filter_map(|l| l.loc.as_ref()).filter(|loc| loc.line > 0) {
        cost.entry(&loc.file).or_default().entry(loc.line).or_default();
    }
    let mut files: Vec<_> = cost.into_iter().collect();
    files.sort_by_key(|(_, lines)| std::cmp::Reverse(lines.values().sum::<u64>()));
    files.into_iter().take(3).map(|(file, lines)| snippet(file, &lines, source(file))).collect()
}

fn snippet(file: &str, cost: &BTreeMap<u32, u64>, text: Option<Vec<String>>) -> Snippet {
    let missing = text.is_none();
    let text = text.unwrap_or_default();
    let near = |n: u32| cost.range(n.saturating_sub(AROUND)..=n.saturating_add(AROUND)).next().is_some();
    let last = cost.keys().next_back().map_or(0, |n| n.saturating_add(AROUND)).min(text.len() as u32);
    let shown: Vec<u32> = match missing {
        true => cost.keys().copied().collect(),
        false => (1..=last).filter(|n| near(*n)).collect(),
    };
    let line = |n: &u32| {
        let text = text.get(*n as usize - 1).cloned().unwrap_or_default();
        (*n, cut(&text), cost.get(n).copied().unwrap_or(0))
    };
    Snippet { file: file.to_owned(), lines: shown.iter().take(LINES).map(line).collect(), missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn source_lines_carry_their_cost() {
        let loc = |line| Some(SourceLoc { file: "/x/f.c".into(), line, column: 1 });
        let statement = |line, instances| Statement { loc: loc(line), instances, ..Statement::default() };
        let nest =
            Nest { statements: vec![statement(5, 7), statement(5, 3), statement(20, 1)], ..Nest::default() };
        let text: Vec<String> = (1..=30).map(|n| format!("line {n}")).collect();
        let found = detail(&nest, &|_| Some(text.clone()));
        let lines = &found.source[0].lines;
        assert_eq!(lines.iter().map(|l| l.0).collect::<Vec<_>>(), [3, 4, 5, 6, 7, 18, 19, 20, 21, 22]);
        assert_eq!(lines[2], (5, "line 5".to_owned(), 10));
        let gone = detail(&nest, &|_| None);
        assert!(gone.source[0].missing && gone.source[0].lines.len() == 2);
    }
}
