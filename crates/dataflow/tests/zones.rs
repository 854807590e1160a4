//! The zones of arrays at concrete sizes, as file tests: `# test: zones ARRAY... VALUE...` on a `.scop` text.
//!
//! For each cell the intervals in which it holds a definition, with the value where it is known, `live` where something
//! still reads it; then the intervals in which the cell is unused.

use std::collections::HashMap;
use std::fmt::Write;

use dataflow::content::Contents;
use dataflow::zones::{BEFORE, END, Zones, end, left_in, reaching};
use interp::Ground;
use isl::{Ctx, DimType, Set, UnionMap, UnionSet};
use model::{AccessKind, ArrayId, Scop};

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/zones"))
        .command("zones", |input| {
            let scop = Scop::parse(&Ctx::new(), input.text).map_err(|error| error.to_string())?;
            let (arrays, values): (Vec<_>, Vec<_>) =
                input.args.iter().partition(|arg| arg.parse::<i64>().is_err());
            let values: Vec<i64> = values.iter().filter_map(|value| value.parse().ok()).collect();
            let mut text = String::new();
            for array in arrays {
                text += &show(&scop, array, &values).map_err(|error| error.to_string())?;
            }
            Ok(text)
        })
        .run()
}

/// A cell, and where: `{ [A[x] -> S[i]] -> W[j] }` as texts, by time-point.
type Line = HashMap<(String, usize), String>;

struct Clock {
    params: Set,
    /// The time-points in order, as isl prints them.
    points: Vec<String>,
}

fn show(scop: &Scop, array: &str, values: &[i64]) -> Result<String, Box<dyn std::error::Error>> {
    let ground = Ground::new(scop, values, &Default::default())?;
    let mut points: Vec<_> =
        ground.instances.iter().map(|at| format!("{}{:?}", at.name, at.counters)).collect();
    points.push(format!("{END}[]"));
    let fixed: Vec<_> = scop.params.iter().zip(values).map(|(p, v)| format!("{} = {v}", p.name)).collect();
    let names: Vec<_> = scop.params.iter().map(|p| p.name.as_str()).collect();
    let params = scop.ctx.parse(&format!("[{}] -> {{ : {} }}", names.join(","), fixed.join(" and ")))?;
    let clock = Clock { params, points };

    let id = scop.array_named(array).ok_or("no such array")?;
    if !both_ways_agree(scop, id)? {
        return Err("what is left in the array is not what reaches the end".into());
    }
    let zones = Zones::new(scop, id)?;
    let (definitions, live) = (clock.line(&zones.definitions)?, clock.line(&zones.lifetimes)?);
    let unused = clock.line(&UnionMap::from_domain(zones.unused.wrap()?)?)?;
    let written = written(scop, &clock)?;
    let mut cells: Vec<_> = definitions.keys().map(|(cell, _)| cell.clone()).collect();
    cells.sort();
    cells.dedup();
    let mut text = String::new();
    for cell in cells {
        writeln!(text, "{cell}")?;
        let describe = |point: usize| {
            let at = (cell.clone(), point);
            let definition = definitions.get(&at)?;
            let value = written.get(&(definition.clone(), cell.clone())).map(|value| format!(" = {value}"));
            let live = if live.contains_key(&at) { ", live" } else { "" };
            Some(format!("{definition}{}{live}", value.unwrap_or_default()))
        };
        clock.intervals(&mut text, describe)?;
        clock
            .intervals(&mut text, |point| unused.get(&(cell.clone(), point)).map(|_| "unused".to_owned()))?;
    }
    Ok(text)
}

/// Whether what is left in an array is what reaches the end.
fn both_ways_agree(scop: &Scop, array: ArrayId) -> isl::Result<bool> {
    let cells = scop.accesses(|_, access| access.array == array)?.range()?;
    let end = UnionSet::from_set(end(scop)?)?;
    let reached = reaching(scop, &UnionMap::from_domain_and_range(end, cells.clone())?)?;
    let left = left_in(scop, array)?;
    let mut agree = reached.initial.range()?.is_equal(&cells.subtract(left.overwritten)?)?;
    for (write, last) in left.by_access {
        let held = reached.by_access.iter().find(|(id, _)| *id == write);
        let held =
            held.map_or(UnionMap::empty_ctx(&scop.ctx), |(_, held)| held.clone().domain_factor_range());
        agree &= held?.reverse()?.is_equal(&UnionMap::from_map(last)?)?;
    }
    Ok(agree)
}

/// What each instance writes into each cell.
fn written(scop: &Scop, clock: &Clock) -> isl::Result<HashMap<(String, String), String>> {
    let contents = Contents::new(scop)?;
    let mut all = HashMap::new();
    for access in scop.stmts.iter().flat_map(|stmt| &stmt.accesses) {
        if access.kind == AccessKind::Read {
            continue;
        }
        let Some(values) = contents.written(access.id)? else { continue };
        let relation = UnionMap::from_map(access.relation.clone())?.range_product(values)?;
        for pair in clock.points_of(&relation.reverse()?)? {
            // { [A[x] -> value] -> W[j] }
            let (cell, value) = pair.0.split_once(" -> ").unwrap_or((&pair.0, ""));
            all.insert((pair.1, cell.to_owned()), value.to_owned());
        }
    }
    Ok(all)
}

impl Clock {
    fn line(&self, zones: &UnionMap) -> isl::Result<Line> {
        let mut line = Line::new();
        for (key, value) in self.points_of(zones)? {
            let Some((cell, point)) = key.split_once(" -> ") else { continue };
            let at = self.points.iter().position(|known| *known == point);
            line.insert((cell.to_owned(), at.expect("a time-point")), value);
        }
        Ok(line)
    }

    /// All pairs of a relation at the parameters, as texts; a pair in its domain without its brackets.
    fn points_of(&self, relation: &UnionMap) -> isl::Result<Vec<(String, String)>> {
        let mut found = Vec::new();
        for map in relation.get_map_list()?.to_vec()? {
            let space = map.get_space()?;
            let shape = (shape(&space.clone().domain()?)?, shape(&space.range()?)?);
            let set = map.wrap()?.intersect_params(self.params.clone())?.project_out_all_params()?;
            set.foreach_point(|point| {
                let dims = point.get_space()?.dim(DimType::Set)?;
                let at = |at| point.get_coordinate_val(DimType::Set, at)?.get_num_si();
                let mut numbers = (0..dims).map(at).collect::<isl::Result<Vec<_>>>()?.into_iter();
                let mut fill = |shape: &[(String, usize)]| {
                    let tuples = shape.iter().map(|(name, dims)| {
                        format!("{name}{:?}", numbers.by_ref().take(*dims).collect::<Vec<_>>())
                    });
                    tuples.collect::<Vec<_>>().join(" -> ")
                };
                found.push((fill(&shape.0), fill(&shape.1)));
                Ok(())
            })?;
        }
        Ok(found)
    }

    fn intervals(&self, text: &mut String, what: impl Fn(usize) -> Option<String>) -> std::fmt::Result {
        let mut from = 0;
        while from < self.points.len() {
            let here = what(from);
            let mut to = from;
            while to + 1 < self.points.len() && what(to + 1) == here {
                to += 1;
            }
            if let Some(here) = here {
                let left = if from == 0 { "(-inf".to_owned() } else { format!("({}", from - 1) };
                let right = if to + 1 == self.points.len() { "inf)".to_owned() } else { format!("{to}]") };
                writeln!(text, "  {left}, {right} {here}")?;
            }
            from = to + 1;
        }
        Ok(())
    }
}

/// The tuples of a space, those of pairs one after the other.
fn shape(space: &isl::Space) -> isl::Result<Vec<(String, usize)>> {
    if space.is_wrapping()? {
        let pair = space.clone().unwrap()?;
        let mut all = shape(&pair.clone().domain()?)?;
        all.extend(shape(&pair.range()?)?);
        return Ok(all);
    }
    let name = space.get_tuple_name(DimType::Set)?.unwrap_or_default();
    Ok(vec![(if name == BEFORE { "before".to_owned() } else { name }, space.dim(DimType::Set)?)])
}
