//! The file tests of this crate, on `.scop` texts and on programs of `imp`. In these a scalar is something that may be asked
//! for at the end; the names after the command are those of temporaries, for which nobody asks.
//!
//! - `# test: delicm`: what was done, and the new model.
//! - `# test: freedom`: the tree of isl's scheduler for the new model: its bands, their `coincident` (parallel) members
//!   and whether they are `permutable` (tilable). `# test: freedom before`: for the model as it is.
//! - `# test: expand innermost`, `# test: expand all`: the new model with the scalars that are left in scratch arrays.
//! - `# test: copies 4`: the new model with a copy of small arrays for each iteration of strips of 4.
//!
//! Each new model is run by the oracle at some sizes.

use dataflow::content::{Contents, Flows};
use delicm::check::{Verdict, check};
use delicm::check_copies::check_copies;
use delicm::copies::{copies, wanted};
use delicm::expand::{Loops, bytes, expand};
use delicm::{Options, Outcome, delicm};
use interp::results;
use isl::{Ctx, ScheduleConstraints};
use model::Scop;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
        .command("delicm", |input| {
            read(input).and_then(|scop| show(&scop)).map_err(|error| error.to_string())
        })
        .command("expand", |input| {
            let loops = if input.args == ["all"] { Loops::All } else { Loops::Innermost };
            read(input).and_then(|scop| expanded(&scop, loops)).map_err(|error| error.to_string())
        })
        .command("copies", |input| {
            let size = input.args.first().and_then(|size| size.parse().ok()).unwrap_or(4);
            read(input).and_then(|scop| with_copies(&scop, size)).map_err(|error| error.to_string())
        })
        .command("freedom", |input| {
            let is_before = input.args == ["before"];
            read(input).and_then(|scop| freedom(scop, is_before)).map_err(|error| error.to_string())
        })
        .run()
}

/// The model in a file.
fn read(input: &filetests::TestInput) -> Result<Scop> {
    match input.path.extension() {
        Some(name) if name == "imp" => lowered(input.text, input.args),
        _ => Ok(Scop::parse(&Ctx::new(), input.text)?),
    }
}

fn lowered(text: &str, temporaries: &[String]) -> Result<Scop> {
    let program = imp::Program::parse(text).map_err(|error| error.render("program", text))?;
    let result = imp::dataflow(&program, &imp::Options::default())?;
    let mut scop = imp::lower(&result, "program")?;
    for name in temporaries {
        let id = scop.array_named(name).ok_or_else(|| format!("there is no {name}"))?;
        scop.arrays[id.index()].kind = model::ArrayKind::Scalar;
    }
    Ok(scop)
}

fn transformed(scop: &Scop) -> Result<Outcome> {
    let outcome = delicm(scop, &Options::default());
    compare(scop, &outcome.scop)?;
    Ok(outcome)
}

/// Whether all that can be seen afterwards has the same values.
fn compare(scop: &Scop, changed: &Scop) -> Result<()> {
    for size in [1, 2, 3, 5] {
        let values: Vec<_> = scop.params.iter().enumerate().map(|(at, _)| size + at as i64 % 2).collect();
        let (old, new) = (results(scop, &values)?, results(changed, &values)?);
        let seen = |name: &str| {
            let array = scop.array_named(name).map(|id| scop.array(id));
            array.is_some_and(|array| array.kind == model::ArrayKind::Memory || array.is_fixed)
        };
        let differing = old.iter().find(|(cell, value)| seen(&cell.0) && new.get(*cell) != Some(value));
        if let Some((cell, _)) = differing {
            return Err(format!("{cell:?} differs at {values:?}:\n{changed}").into());
        }
    }
    Ok(())
}

fn expanded(scop: &Scop, loops: Loops) -> Result<String> {
    let before = transformed(scop)?.scop;
    let flows = Flows::new(&before)?;
    let Some(after) = expand(&before, &flows, loops)? else { return Ok("nothing to expand\n".into()) };
    after.scop.verify()?;
    assert_eq!(check(&Contents::with(&before, &flows)?, &after.scop, &[])?, Verdict::Same);
    compare(scop, &after.scop)?;
    let bytes = bytes(&after.scop, 1).map_or("not known".into(), |bytes| bytes.to_string());
    Ok(format!("bytes: {bytes}\n{}", after.scop))
}

/// The first array that gets copies has them.
fn with_copies(scop: &Scop, size: i64) -> Result<String> {
    let dependences = dataflow::dependences(scop, &Default::default())?;
    let all = wanted(scop)?;
    if all.is_empty() {
        return Ok("no sum that copies could help\n".into());
    }
    for wanted in all {
        if let Some(found) = copies(scop, &dependences, wanted, size)? {
            found.scop.verify()?;
            assert_eq!(check_copies(scop, &found)?, Verdict::Same);
            compare(scop, &found.scop)?;
            return Ok(found.scop.to_string());
        }
    }
    Ok("no copies\n".into())
}

fn show(scop: &Scop) -> Result<String> {
    let outcome = transformed(scop)?;
    let undone: String =
        outcome.undone.iter().map(|(name, why)| format!("{name} not done: {why}\n")).collect();
    let left: String = outcome.left().iter().map(|(name, why)| format!("{name} stays: {why}\n")).collect();
    Ok(format!("{}\n{undone}{left}{}", outcome.counts, outcome.scop))
}

fn freedom(scop: Scop, before: bool) -> Result<String> {
    let scop = if before { scop } else { transformed(&scop)?.scop };
    let dependences = dataflow::dependences(&scop, &Default::default())?;
    let all = dependences.strict()?;
    let schedule = ScheduleConstraints::on_domain(scop.domain()?)?
        .set_validity(all.clone())?
        .set_proximity(dependences.flow.clone())?
        .set_coincidence(all)?
        .compute_schedule()?;
    Ok(schedule.to_str()?.replace("{ domain", "{\n domain") + "\n")
}
