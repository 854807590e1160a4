//! Marks in a schedule tree are promises to the back end; those that cannot be proved are taken away.

use crate::legality::{Error, Prover};
use crate::tree::values;
use isl::{Schedule, ScheduleNode, ScheduleNodeType, Set};
use model::{REGISTERS, THREADS, VECTOR, WAVE, wave_sizes};

/// The schedule with those marks only that the checker agrees to. Without them the loops are the same.
pub fn proved(prover: &Prover<'_>, schedule: Schedule) -> Result<Schedule, Error> {
    let mut failure = None;
    let checked = schedule.map_schedule_node_bottom_up(|node| {
        if node.get_type()? != ScheduleNodeType::Mark {
            return Ok(node);
        }
        match is_true(prover, &node) {
            Ok(true) => return Ok(node),
            Ok(false) => {}
            Err(Error::Isl(error)) => return Err(error),
            Err(error) => failure = Some(error),
        }
        node.delete()
    });
    match failure {
        Some(error) => Err(error),
        None => Ok(checked?),
    }
}

/// How many marks of a name there are.
pub fn count(schedule: &Schedule, name: &str) -> isl::Result<usize> {
    let mut count = 0;
    schedule.get_root()?.foreach_descendant_top_down(|node| {
        let is_mark = node.get_type()? == ScheduleNodeType::Mark;
        count += usize::from(is_mark && node.mark_get_id()?.get_name()?.as_deref() == Some(name));
        Ok(true)
    })?;
    Ok(count)
}

/// Whether a node is the mark of that name.
pub fn is_mark(node: &ScheduleNode, name: &str) -> isl::Result<bool> {
    Ok(node.get_type()? == ScheduleNodeType::Mark && node.mark_get_id()?.get_name()?.as_deref() == Some(name))
}

fn is_true(prover: &Prover<'_>, mark: &ScheduleNode) -> Result<bool, Error> {
    let (name, mut below) = (mark.mark_get_id()?.get_name()?, mark.get_child(0)?);
    while below.get_type()? == ScheduleNodeType::Mark {
        below = below.get_child(0)?;
    }
    let is_band = below.get_type()? == ScheduleNodeType::Band;
    match name.as_deref() {
        Some(VECTOR | THREADS) if is_band && below.band_n_member()? == 1 => prover.is_parallel(&below, 0),
        Some(REGISTERS) if is_band => prover.registers_are_legal(&below),
        // With copies, which are found where they are used.
        Some(name) if name.starts_with(THREADS) => Ok(false),
        Some(name) if name.starts_with(WAVE) => match wave_sizes(name) {
            Some(sizes) if is_band && below.band_n_member()? >= 2 => wave_is_legal(prover, &below, sizes),
            _ => Ok(false),
        },
        // One that says nothing to the back end, or that stands where it means nothing.
        other => Ok(!matches!(other, Some(VECTOR | REGISTERS))),
    }
}

/// Whether tiles of these sizes may run side by side that are on one diagonal of a band's first two members.
pub fn wave_is_legal(prover: &Prover<'_>, band: &ScheduleNode, sizes: [i64; 2]) -> Result<bool, Error> {
    for (member, size) in sizes.into_iter().enumerate() {
        if !are_multiples(band, member, size)? || !prover.forward_is_legal(band, member)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether all values of a band's member are multiples of a number.
fn are_multiples(band: &ScheduleNode, member: usize, of: i64) -> isl::Result<bool> {
    let row = band.band_get_partial_schedule()?.get_at(member)?;
    let multiples = Set::read_from_str(band.ctx(), &format!("{{ [x] : x mod {of} = 0 }}"))?;
    values(band, row)?.is_subset(&multiples)
}
