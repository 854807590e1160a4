//! Dependences as text: one line for each relation between two statements, sorted; what people and tests read.

use std::fmt;

use isl::UnionMap;

use crate::{Basis, Dependences, Exactness, Kind};

impl fmt::Display for Dependences {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for kind in Kind::ALL {
            section(f, kind.name(), self.of_kind(kind))?;
        }
        section(f, "live-in", &self.live_in)?;
        section(f, "live-out", &self.live_out)?;
        if self.memory_basis == Basis::Memory {
            writeln!(f, "anti and output: all conflicting pairs")?;
        }
        match &self.exactness {
            Exactness::Exact => writeln!(f, "exact"),
            Exactness::Over(reasons) => {
                reasons.iter().try_for_each(|reason| writeln!(f, "over-approximated: {reason}"))
            }
        }
    }
}

fn section(f: &mut fmt::Formatter<'_>, name: &str, relation: &UnionMap) -> fmt::Result {
    match lines(relation) {
        Ok(lines) => lines.iter().try_for_each(|line| writeln!(f, "{name} {line}")),
        Err(error) => writeln!(f, "{name} <{error}>"),
    }
}

fn lines(relation: &UnionMap) -> isl::Result<Vec<String>> {
    let maps = relation.get_map_list()?.to_vec()?;
    let mut lines =
        maps.into_iter().map(|map| map.remove_redundancies()?.to_str()).collect::<isl::Result<Vec<_>>>()?;
    lines.sort();
    Ok(lines)
}
