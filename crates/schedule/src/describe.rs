//! Schedules in words: one line for each statement, then one for each innermost band.

use crate::batch::Batch;
use crate::candidate::Candidate;
use crate::tree::{Band, Planned, Shape, Step};
use isl::Schedule;
use model::Scop;
use std::fmt::Write as _;

/// One line for each statement, with the position in each sequence as a number: `T(S): (i + j, 0, i)`.
pub fn describe(scop: &Scop, schedule: &Schedule) -> isl::Result<String> {
    let shape = Shape::new(scop, schedule)?;
    Ok(statements(scop, &shape, &[]))
}

pub(crate) fn of_candidate(scop: &Scop, candidate: &Candidate) -> isl::Result<String> {
    let mut text = statements(scop, &candidate.shape, &candidate.changes);
    for planned in &candidate.changes {
        band(&candidate.shape, planned, &mut text);
    }
    for jam in &candidate.jams {
        let band = &candidate.shape.bands[jam.band];
        let main = jam.stmts.keys().min().copied().unwrap_or_default();
        let name = row_text(band, band.rows.len() - 1, main);
        let _ = writeln!(text, "band ({name}): {} rows written out in all loops inside", jam.rows);
    }
    Ok(text)
}

/// One line for each band whose tiles are diamonds of a size (`diamond`).
pub(crate) fn diamonds(sizes: &[i64]) -> String {
    let line =
        |size: &i64| format!("in threads: diamond tiles {size} x {size}, all on a diagonal start at once\n");
    sizes.iter().map(line).collect()
}

/// One line for each loop over batches ([`crate::batch`]).
pub(crate) fn batches(all: &[Batch]) -> String {
    let line = |Batch { array, rows, nests }: &Batch| {
        format!("in threads: {nests} nests in turn for each {rows} rows of {array}\n")
    };
    all.iter().map(line).collect()
}

fn statements(scop: &Scop, shape: &Shape, changes: &[Planned]) -> String {
    let mut paths: Vec<_> = shape.paths.iter().collect();
    paths.sort_by_key(|(stmt, _)| *stmt);
    let mut text = String::new();
    for (stmt, steps) in paths {
        let times = times(shape, *stmt, steps, changes);
        let _ = writeln!(text, "T({}): ({})", scop.stmts[*stmt].name, times.join(", "));
    }
    text
}

fn times(shape: &Shape, stmt: usize, steps: &[Step], changes: &[Planned]) -> Vec<String> {
    let mut times: Vec<String> = Vec::new();
    for step in steps {
        match step {
            Step::Child(at) => times.push(at.to_string()),
            Step::Band(number) => {
                let band = &shape.bands[*number];
                let Some(planned) = changes.iter().find(|planned| planned.band == *number) else {
                    times.extend((0..band.rows.len()).map(|at| row_text(band, at, stmt)));
                    continue;
                };
                times.extend(planned.change.order.iter().map(|at| row_text(band, *at, stmt)));
                if let Some(position) = sunk_position(planned, stmt) {
                    times.insert(times.len() - 1, position.to_string());
                    // The sequence below the band is gone.
                    break;
                }
            }
        }
    }
    times
}

/// Which of the sunk loops runs the statement.
fn sunk_position(planned: &Planned, stmt: usize) -> Option<usize> {
    let inner = planned.change.order.last().filter(|_| planned.change.sink)?;
    let part = planned.parts.iter().position(|stmts| stmts.contains(&stmt))?;
    planned.freedom.sunk[*inner].as_ref()?.order.iter().position(|at| *at == part)
}

fn row_text(band: &Band, member: usize, stmt: usize) -> String {
    band.rows[member].get(&stmt).map_or_else(|| "?".to_owned(), |row| row.text.clone())
}

/// `band (t, 2t + i): permutable, tiled 32 x 256, innermost loop distributed, parallel innermost`.
fn band(shape: &Shape, planned: &Planned, text: &mut String) {
    let (freedom, change) = (&planned.freedom, &planned.change);
    let band = &shape.bands[planned.band];
    let parts = &planned.parts;
    // The rows of the statement with the most of them say most.
    let stmts = parts.concat();
    let moving = |stmt: &usize| {
        let rows = band.rows.iter().filter_map(|rows| rows.get(stmt)?.coefficients.as_ref());
        rows.filter(|row| row.iter().any(|value| *value != 0)).count()
    };
    let Some(main) = stmts.iter().copied().max_by_key(|stmt| (moving(stmt), usize::MAX - stmt)) else {
        return;
    };
    let names: Vec<String> = change.order.iter().map(|member| row_text(band, *member, main)).collect();
    let mut facts = Vec::new();
    if freedom.permutable {
        facts.push("permutable".to_owned());
    }
    if change.is_tiled() {
        let sizes = change.tiles.iter().map(|size| size.map_or("-".to_owned(), |size| size.to_string()));
        facts.push(format!("tiled {}", sizes.collect::<Vec<_>>().join(" x ")));
    }
    if let Some(block) = change.block {
        facts.push(format!("{} x {} in registers", block.height, block.width));
    }
    if let Some(strip) = change.jam {
        let how = if strip.is_skewed { ", each one iteration behind the one before" } else { "" };
        facts.push(format!("{} rows written out{how}", strip.rows));
    }
    let coincident: Vec<&str> = change
        .order
        .iter()
        .zip(&names)
        .filter(|(member, _)| freedom.coincident[**member])
        .map(|(_, name)| name.as_str())
        .collect();
    if !coincident.is_empty() {
        facts.push(format!("coincident {}", coincident.join(" and ")));
    }
    let vector = planned.parallel().contains(&true);
    if change.sink {
        facts.push("innermost loop distributed".to_owned());
    }
    if change.split {
        facts.push("innermost loop split at an iteration".to_owned());
    }
    facts.push(if vector { "innermost loop parallel" } else { "innermost loop serial" }.to_owned());
    let _ = writeln!(text, "band ({}): {}", names.join(", "), facts.join(", "));
}
