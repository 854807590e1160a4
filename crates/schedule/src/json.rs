//! Schedules as JSON: written, edited by a person or a program, read back, and checked.
//!
//! ```text
//! { "format": "orthant-schedule-1",
//!   "scop": "gemm",
//!   "statements": [ { "name": "S", "counters": ["i", "j", "k"], "time": "(i, k, j)" } ],
//!   "bands": [ { "statements": ["S"], "members": ["i", "k", "j"], "permutable": true,
//!                "coincident": [true, false, true] } ],
//!   "schedule": "{ domain: ..., child: { schedule: ..., permutable: 1 } }" }
//! ```
//! `schedule` is the tree in isl's own notation and the only part that is read, apart from `format` and the names of
//! the statements, which must be those of the program. `statements` and `bands` say the same for people.

use crate::legality::{self, Prover, Reductions, Verdict};
use crate::marks;
use crate::tree::{Shape, counter_names, stmts_below};
use dataflow::Dependences;
use isl::Schedule;
use model::Scop;
use serde::{Deserialize, Serialize};

/// The value of `format`.
pub const FORMAT: &str = "orthant-schedule-1";

#[derive(Serialize, Deserialize)]
struct Envelope {
    format: String,
    scop: String,
    #[serde(default)]
    statements: Vec<Statement>,
    #[serde(default)]
    bands: Vec<BandEntry>,
    schedule: String,
}

#[derive(Serialize, Deserialize)]
struct Statement {
    name: String,
    #[serde(default)]
    counters: Vec<String>,
    #[serde(default)]
    time: String,
}

#[derive(Serialize, Deserialize)]
struct BandEntry {
    statements: Vec<String>,
    members: Vec<String>,
    permutable: bool,
    coincident: Vec<bool>,
}

/// Why a text is no schedule for a program.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The text is no JSON of this form.
    #[error("this is no schedule in JSON: {0}; `{FORMAT}` is written by --schedule-out")]
    Json(#[from] serde_json::Error),
    /// Another format.
    #[error("the format is `{0}`; this version reads `{FORMAT}`")]
    Format(String),
    /// For another program.
    #[error("the schedule is not for this loop nest: {0}; export it again with --schedule-out")]
    OtherProgram(String),
    /// The tree cannot be read.
    #[error("cannot read the tree in `schedule`: {0}")]
    Tree(isl::Error),
    /// The schedule would change what the program does.
    #[error("the schedule is not legal: {0}")]
    Illegal(Box<legality::Violation>),
    /// No verdict.
    #[error(transparent)]
    Undecided(#[from] legality::Error),
}

/// The schedule as JSON.
pub fn to_json(scop: &Scop, schedule: &Schedule) -> isl::Result<String> {
    let shape = Shape::new(scop, schedule)?;
    let description = crate::describe(scop, schedule)?;
    let time = |name: &str| {
        let lines = description.lines();
        let line = lines.filter_map(|line| line.strip_prefix(&format!("T({name}): "))).next();
        line.unwrap_or_default().to_owned()
    };
    let mut statements = Vec::new();
    for (at, stmt) in scop.stmts.iter().enumerate() {
        let counters = counter_names(scop, at)?;
        statements.push(Statement { name: stmt.name.clone(), counters, time: time(&stmt.name) });
    }
    let mut bands = Vec::new();
    for band in &shape.bands {
        let stmts = stmts_below(scop, &band.node)?;
        let most = stmts
            .iter()
            .copied()
            .max_by_key(|stmt| scop.stmts[*stmt].domain.dim(isl::DimType::Set).unwrap_or(0));
        let text = |rows: &std::collections::HashMap<usize, crate::affine::Row>| {
            most.and_then(|stmt| rows.get(&stmt)).map(|row| row.text.clone()).unwrap_or_default()
        };
        let members: Vec<String> = band.rows.iter().map(text).collect();
        let coincident = (0..members.len())
            .map(|at| band.node.band_member_get_coincident(at))
            .collect::<isl::Result<_>>()?;
        let statements = stmts.iter().map(|stmt| scop.stmts[*stmt].name.clone()).collect();
        bands.push(BandEntry { statements, members, permutable: band.permutable, coincident });
    }
    let envelope = Envelope {
        format: FORMAT.to_owned(),
        scop: scop.name.clone(),
        statements,
        bands,
        schedule: schedule.to_str()?,
    };
    // Strings, numbers and lists: nothing in it that cannot be written.
    Ok(serde_json::to_string_pretty(&envelope).unwrap_or_default() + "\n")
}

/// The schedule in a JSON text, if it is legal.
pub fn from_json(
    scop: &Scop,
    dependences: &Dependences,
    text: &str,
    reductions: Reductions,
) -> Result<Schedule, ImportError> {
    let envelope: Envelope = serde_json::from_str(text)?;
    if envelope.format != FORMAT {
        return Err(ImportError::Format(envelope.format));
    }
    for stmt in &envelope.statements {
        let Some(id) = scop.stmt_named(&stmt.name) else {
            return Err(ImportError::OtherProgram(format!("it has no statement {}", stmt.name)));
        };
        let depth = scop.stmt(id).domain.dim(isl::DimType::Set).map_err(ImportError::Tree)?;
        if !stmt.counters.is_empty() && stmt.counters.len() != depth {
            let (name, found) = (&stmt.name, stmt.counters.len());
            return Err(ImportError::OtherProgram(format!("{name} is in {depth} loops, not in {found}")));
        }
    }
    let schedule = Schedule::read_from_str(&scop.ctx, &envelope.schedule).map_err(ImportError::Tree)?;
    let prover = Prover::new(scop, dependences);
    match prover.check_with(&schedule, reductions)? {
        // What the tree promises beside the order must be true as well.
        Verdict::Legal => Ok(marks::proved(&prover, schedule)?),
        Verdict::Illegal(violation) => Err(ImportError::Illegal(violation)),
    }
}
