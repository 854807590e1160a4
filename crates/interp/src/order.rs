//! Orders of execution: the program's own, read off [`model::Scop::order`] without isl's schedule trees, and the one
//! that a schedule gives.

use std::collections::HashMap;

use isl::{DimType, UnionMap};
use model::{Order, Scop, StmtId};

use crate::{Error, Ground};

/// The order of the instances under a schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sequence {
    /// The numbers of the instances, in order, and the time of each instance by its number.
    Complete(Vec<usize>, Vec<Vec<i64>>),
    /// This instance is scheduled so many times.
    NotOnce(usize, usize),
}

/// The program's own order: instances are numbered in it.
pub fn original(ground: &Ground) -> Vec<usize> {
    (0..ground.instances.len()).collect()
}

/// The order that a schedule `{ S[i] -> [t0, t1, ...] }` gives. Of instances with the same time, the one that the
/// program runs last comes first: if their order matters, it shows.
pub fn scheduled(scop: &Scop, ground: &Ground, schedule: &UnionMap) -> Result<Sequence, Error> {
    let mut times: HashMap<usize, Vec<Vec<i64>>> = HashMap::new();
    for map in schedule.get_map_list()?.to_vec()? {
        let name = map.get_tuple_name(DimType::In)?.unwrap_or_default();
        let Some(stmt) = scop.stmt_named(&name) else { continue };
        let depth = map.dim(DimType::In)?;
        let map = map.intersect_domain(scop.stmt(stmt).domain.clone())?;
        for point in ground.points(map.flatten_range()?.reset_tuple_id(DimType::Out)?.wrap()?)? {
            let (counters, time) = point.split_at(depth);
            if let Some(number) = ground.number(stmt, counters) {
                times.entry(number).or_default().push(time.to_vec());
            }
        }
    }
    let length = times.values().flatten().map(Vec::len).max().unwrap_or(0);
    let mut all = Vec::new();
    for number in 0..ground.instances.len() {
        match times.remove(&number).unwrap_or_default().as_mut_slice() {
            [time] => {
                time.resize(length, 0);
                all.push(std::mem::take(time));
            }
            several => return Ok(Sequence::NotOnce(number, several.len())),
        }
    }
    let mut order = original(ground);
    order.sort_by(|&a, &b| all[a].cmp(&all[b]).then(b.cmp(&a)));
    Ok(Sequence::Complete(order, all))
}

/// The positions that lead to a statement, one for each body it is in.
pub(crate) fn path(parts: &[Order], wanted: StmtId) -> Vec<i64> {
    for (position, part) in (0..).zip(parts) {
        match part {
            Order::Stmt(id) if *id == wanted => return vec![position],
            Order::Stmt(_) => {}
            Order::Loop(body) => {
                let mut inner = path(body, wanted);
                if !inner.is_empty() {
                    inner.insert(0, position);
                    return inner;
                }
            }
        }
    }
    Vec::new()
}

/// Positions and counters in turn: compared lexicographically, this is the program's order.
pub(crate) fn interleaved(path: &[i64], counters: &[i64]) -> Vec<i64> {
    let rest = path.iter().skip(1);
    path.iter().take(1).copied().chain(counters.iter().zip(rest).flat_map(|(c, p)| [*c, *p])).collect()
}
