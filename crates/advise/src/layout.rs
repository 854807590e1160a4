//! How data lies in memory against the order in which a loop goes through it.
//!
//! Looked at are accesses of an innermost loop with a constant stride larger than what they access. Those with the same stride along
//! every loop and less than one stride apart are *fields* of one array of structures.
//!
//! - **Array of structures**: of each structure (`stride` bytes) only some bytes are used in this loop. As a structure of arrays, or
//!   with the used fields in a structure of their own, each cache line holds only what is needed.
//! - **Column order**: along another loop of the chain the same accesses go from neighbour to neighbour, so the array is traversed
//!   across its rows, and the loops cannot be interchanged. Storing the array transposed helps instead.
//!
//! The gain is the share of the loop's accesses concerned, times the share of a cache line that they leave unused, times the share of
//! the loop's instructions.

use crate::stride::{accesses, interchange_is_possible};
use crate::view::{Chain, View, place, places_of};
use crate::{Kind, LEAST_SHARE, Suggestion};
use std::collections::BTreeMap;
use trace::profile::{Access, Statement};

/// Bytes of a cache line.
const LINE: u64 = 64;

/// A statement, its access, and where that begins.
type Member<'a> = (&'a Statement, &'a Access, i64);

/// Accesses with the same strides, by where the structure begins.
struct Group<'a> {
    stride: i64,
    base: i64,
    members: Vec<Member<'a>>,
}

impl Group<'_> {
    /// Bytes used of each structure.
    fn used(&self) -> u64 {
        let mut bytes: Vec<(i64, i64)> =
            self.members.iter().map(|(_, a, at)| (*at, *at + i64::from(a.size))).collect();
        bytes.sort_unstable();
        let mut used = 0;
        let mut end = i64::MIN;
        for (from, to) in bytes {
            used += (to - from.max(end)).max(0);
            end = end.max(to);
        }
        used as u64
    }

    /// The share of what is brought into the cache that nobody uses.
    fn unused(&self) -> f64 {
        let brought = self.stride.unsigned_abs().min(LINE);
        1.0 - self.used().min(brought) as f64 / brought as f64
    }
}

/// Suggestions for a nest.
pub fn suggest(view: &View) -> Vec<Suggestion> {
    let chains = view.chains();
    let worth = chains.iter().filter(|c| c.first < c.loops.len() && view.share(c.leaf()) >= LEAST_SHARE);
    worth.flat_map(|chain| of_chain(view, chain)).collect()
}

fn of_chain(view: &View, chain: &Chain) -> Vec<Suggestion> {
    let all: u64 = accesses(view, chain).map(|(s, _)| s.instances).sum();
    let made = groups(view, chain).into_iter().filter_map(|group| {
        let here: u64 = group.members.iter().map(|(s, ..)| s.instances).sum();
        let gain = view.share(chain.leaf()) * group.unused() * here as f64 / all.max(1) as f64;
        (gain >= LEAST_SHARE).then(|| of_group(view, chain, &group, gain)).flatten()
    });
    made.collect()
}

fn of_group(view: &View, chain: &Chain, group: &Group, gain: f64) -> Option<Suggestion> {
    let leaf = chain.loops.len() - 1;
    let neighbours = |d: &usize| {
        group.members.iter().all(|(_, a, _)| {
            a.stride
                .get(*d)
                .copied()
                .flatten()
                .is_some_and(|s| s != 0 && s.unsigned_abs() <= u64::from(a.size))
        })
    };
    let lines = places_of(group.members.iter().map(|(s, ..)| *s));
    let along = place(chain.leaf());
    let stride = group.stride.unsigned_abs();
    let (message, before, after) = match (chain.first..leaf).find(neighbours) {
        Some(_) if interchange_is_possible(view, chain) => return None,
        Some(d) => (
            format!(
                "{lines} goes through an array across its rows along {along} (stride {stride} bytes); store it transposed"
            ),
            vec![format!("a[{}][{}]  // neighbours along {}", name(leaf), name(d), place(chain.loops[d]))],
            vec![format!("a[{}][{}]  // neighbours along {along}", name(d), name(leaf))],
        ),
        None => (
            format!(
                "{lines} uses {} of every {stride} bytes along {along}; keep these fields in arrays of their own",
                group.used()
            ),
            vec![format!("struct {{ T used, unused; }} a[n];  // {stride} bytes each")],
            vec!["T used[n];".to_owned(), "T unused[n];".to_owned()],
        ),
    };
    let mut suggestion = view.possible(Kind::Layout, &[chain.leaf()], gain, message);
    suggestion.needs.push("all other code that uses the array has to follow".to_owned());
    (suggestion.before, suggestion.after) = (before, after);
    Some(suggestion)
}

fn name(d: usize) -> &'static str {
    ["i", "j", "k", "l", "m", "n"][d % 6]
}

fn groups<'a>(view: &View<'a>, chain: &Chain) -> Vec<Group<'a>> {
    let leaf = chain.loops.len() - 1;
    let mut by_stride: BTreeMap<Vec<Option<i64>>, Vec<Member<'a>>> = BTreeMap::new();
    for (s, a) in accesses(view, chain).filter(|(_, a)| !a.several) {
        let wide =
            a.stride.get(leaf).copied().flatten().is_some_and(|x| x.unsigned_abs() > u64::from(a.size));
        let start = a.address.pieces.first().and_then(|p| p.labels.first()?.constant);
        if let (true, Some(start)) = (wide, start) {
            by_stride.entry(a.stride.clone()).or_default().push((s, a, start));
        }
    }
    let mut groups: Vec<Group> = Vec::new();
    for (strides, mut members) in by_stride {
        let Some(stride) = strides.get(leaf).copied().flatten() else { continue };
        members.sort_by_key(|(.., at)| *at);
        for member in members {
            let near = |g: &&mut Group| g.stride == stride && member.2 < g.base + stride.abs();
            match groups.last_mut().filter(near) {
                Some(group) => group.members.push(member),
                None => groups.push(Group { stride, base: member.2, members: vec![member] }),
            }
        }
    }
    groups
}
