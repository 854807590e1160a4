//! `orthant dataflow --schedule`: the model of a program, a legal schedule for it, and the loops in C.
//!
//! The model is [`imp::lower()`]'s, the order [`schedule::optimize`]'s. Legality is checked once more, by the checker
//! that knows nothing of the scheduler, and with `--check` the oracle runs both orders. If no other order is legal and
//! looks better, the program's own is shown.
//!
//! The loops are computed in 64 bits, which must be proved to be enough; so parameters are taken to fit in 32.

use super::{Inputs, analysis_failure};
use crate::failure::Failure;
use imp::Dataflow;
use isl::{Schedule, Set};
use model::Scop;
use schedule::legality::{Verdict, check_with};
use schedule::{Decision, Options, identity, optimize};
use std::fmt::Write as _;

/// The three parts as text; why not, if the program has no model.
pub fn schedule(result: &Dataflow<'_>, name: &str, runs: &[(String, Inputs)]) -> Result<String, Failure> {
    let scop = match imp::lower(result, name) {
        Ok(scop) => scop,
        Err(error @ imp::Error::NotRegular { .. }) => return Ok(format!("no schedule: {error}\n")),
        Err(error) => return Err(analysis_failure(error)),
    };
    let mut text = format!("# the model\n{scop}\n# the schedule\n");
    let options = Options::default();
    let dependences = dataflow::dependences(&scop, &dataflow::Options::default()).map_err(internal)?;
    let order = match optimize(&scop, &dependences, &options).map_err(internal)? {
        Decision::New(new) => {
            let _ = writeln!(text, "{}predicted: {}", new.description, new.prediction);
            new.schedule
        }
        Decision::Original { reason } => {
            let _ = writeln!(text, "the program's own order: {reason}");
            identity(&scop).map_err(internal)?
        }
    };
    match check_with(&scop, &dependences, &order, options.reductions).map_err(internal)? {
        Verdict::Legal => text += "legal: every dependence is kept\n",
        Verdict::Illegal(violation) => {
            return Err(internal(format!("the schedule is not legal: {violation}")));
        }
    }
    for (values, inputs) in runs {
        let _ = writeln!(text, "run with {values}: {}", agreement(result, &scop, &order, inputs)?);
    }
    text += "\n# the loops\n";
    match astgen::generate(&scop, &order, &within_32_bits(&scop).map_err(internal)?) {
        Ok(nodes) => {
            text += &legend(result, &scop).map_err(internal)?;
            text += &astgen::print_c(&scop, &nodes);
        }
        Err(error) => {
            let _ = writeln!(text, "no loops: {error}; give the parameters smaller ranges");
        }
    }
    Ok(text)
}

/// What each statement of the loops does.
fn legend(result: &Dataflow<'_>, scop: &Scop) -> isl::Result<String> {
    let mut text = String::new();
    for (id, op) in result.program.ops_with_ids().filter(|(_, op)| scop.stmt_named(&op.name).is_some()) {
        let (statement, variables) = result.meaning(id)?;
        let loops = op.loops().next().is_some();
        let variables = if loops { format!("  where {variables}") } else { String::new() };
        let _ = writeln!(text, "// {}: {statement}{variables}", op.name);
    }
    Ok(text)
}

fn internal(error: impl std::fmt::Display) -> Failure {
    Failure::broken(error.to_string()).remedy("this is our bug: please report it with the program")
}

fn agreement(
    result: &Dataflow<'_>,
    scop: &Scop,
    order: &Schedule,
    inputs: &Inputs,
) -> Result<String, Failure> {
    let values = imp::check::parameter_values(result, inputs);
    let params: Vec<i64> =
        scop.params.iter().map(|param| values.get(&param.name).copied().unwrap_or(0)).collect();
    let found = interp::agree(scop, order, &params).map_err(internal)?;
    match found.is_same() {
        true => Ok(found.to_string()),
        false => Err(internal(found)),
    }
}

fn within_32_bits(scop: &Scop) -> isl::Result<Set> {
    let names: Vec<&str> = scop.params.iter().map(|param| param.name.as_str()).collect();
    let bounds: Vec<String> =
        names.iter().map(|name| format!("-2147483648 <= {name} <= 2147483647")).collect();
    let bounds = if bounds.is_empty() { "0 = 0".to_string() } else { bounds.join(" and ") };
    let within: Set = scop.ctx.parse(&format!("[{}] -> {{ : {bounds} }}", names.join(", ")))?;
    scop.context.clone().intersect(within)
}
