//! `orthant dataflow`: which operation wrote what each read of an `imp` program sees.
//!
//! The analysis is [`imp`]'s; this is its command line. One *view* is printed: the table (default), every relation
//! (`--relations`), why one read has its sources (`--explain`), a schedule (`--schedule`), a graph (`--dot`, `--svg`), or all
//! of it as JSON (`--json`). `--structure` first puts loops back that were flattened, and analyses the program that
//! comes out. `--check` runs the program and compares; a disagreement is our bug and the only analysis outcome with
//! an exit status of 1. A program that can only be over-approximated, or that has no schedule, is no failure.

mod schedule;

use crate::failure::Failure;
use crate::output;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use imp::structure::{Recovered, recover, same_on_small_values};
use imp::{Diagnostic, Inputs, Program, check};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The largest program that is read.
const LARGEST: u64 = 4 << 20;
/// How many operations a run may take, and how many a graph may show.
const RUN: usize = 100_000;
const SHOWN: usize = 300;

/// The command line.
pub fn command() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("dataflow")
        .about("Say which operation wrote what each read of an imp program sees, for all parameter values")
        .arg(program_argument().required(true))
        .arg(
            text("notation", "WHICH", "Relations over the program's own variables, or the counters of its iteration vectors")
                .value_parser(["variables", "counters", "both"])
                .default_value("variables"),
        )
        .arg(text("only", "NAME", "Only dependences through this variable; may be repeated").action(ArgAction::Append))
        .arg(flag("all", "Scalars that only count are in the table as well"))
        .arg(flag("overwrites", "Output dependences as well: whose value each write replaces"))
        .arg(flag("structure", "Put back loops that were flattened into one, print the program and analyse that"))
        .arg(
            text("check", "VALUES", "Run the program with these values (n=6,m=4) and compare; may be repeated")
                .action(ArgAction::Append),
        )
        .arg(
            text("seed", "N", "Fill the arrays of --check and --instances with small numbers made from N instead of 0")
                .value_parser(clap::value_parser!(u64)),
        )
        .next_help_heading("What to print instead of the table")
        .arg(flag("relations", "Every relation: domains, convert, Q, K and the direct dependences"))
        .arg(text("explain", "READ", "Why a statement's reads have their sources: s3, or s3:c for one variable"))
        .arg(flag("schedule", "The model, a legal schedule and its loops in C"))
        .arg(flag("json", "One JSON document"))
        .arg(flag("dot", "The graph of the statements for Graphviz"))
        .arg(flag("svg", "The graph of the statements as a drawing"))
        .group(
            clap::ArgGroup::new("view")
                .args(["relations", "explain", "schedule", "dot", "svg"])
                .conflicts_with("json"),
        )
        .arg(
            text("instances", "VALUES", "With --dot or --svg: the graph of all operations of the run with these values")
                .conflicts_with_all(["json", "relations", "explain", "schedule", "structure", "check"]),
        )
        .arg(output_argument())
        .after_help(
            "Relations go from the read to the write, in isl's notation. Each is exact, or over-approximated with the reason; \
             over-approximated means that nothing is missing. The language is in docs/imp.md.\n\n\
             Exit status: 0 also if relations are over-approximated or nothing can be scheduled, 1 a broken program or a \
             disagreement found by --check, 2 wrong usage.",
        )
}

/// The file with a program.
pub fn program_argument() -> Arg {
    Arg::new("program")
        .value_name("PROGRAM")
        .value_parser(clap::value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("The program; - is standard input")
}

/// The file that a result goes to.
pub fn output_argument() -> Arg {
    Arg::new("output")
        .short('o')
        .long("output")
        .value_name("FILE")
        .default_value("-")
        .value_parser(clap::value_parser!(PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("The file to write, whole or not at all; - is standard output")
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let target = matches.get_one::<PathBuf>("output").map_or(Path::new("-"), PathBuf::as_path);
    output::check(target)?;
    let path = matches.get_one::<PathBuf>("program").ok_or_else(|| Failure::usage("no program given"))?;
    let (name, source) = (shown(path), read(path)?);
    let request = Request { matches, name: &name };
    let (text, agrees) = request.answer(&source)?;
    output::write(target, text.as_bytes())?;
    Ok(if agrees { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What messages call the program.
pub fn shown(path: &Path) -> String {
    if path == Path::new("-") { "standard input".to_owned() } else { path.display().to_string() }
}

/// The bytes of a program.
pub fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::broken(format!("cannot read {}: {error}", shown(path)))
            .remedy("name a file with a program, or -")
    };
    let mut bytes = Vec::new();
    let mut limited: Box<dyn std::io::Read> = match path == Path::new("-") {
        true => Box::new(std::io::stdin().lock().take(LARGEST + 1)),
        false => Box::new(std::fs::File::open(path).map_err(cannot)?.take(LARGEST + 1)),
    };
    limited.read_to_end(&mut bytes).map_err(cannot)?;
    match bytes.len() as u64 > LARGEST {
        true => Err(Failure::broken(format!("{} is larger than 4 MiB: no program", shown(path)))),
        false => Ok(bytes),
    }
}

/// A diagnostic as a failure: its own text has the line and the help.
pub fn broken(diagnostic: &Diagnostic, name: &str, source: &[u8]) -> Failure {
    let rendered = diagnostic.render(name, &String::from_utf8_lossy(source));
    Failure::broken(rendered.trim_start_matches("error: ").trim_end())
}

fn analysis_failure(error: imp::Error) -> Failure {
    match error {
        imp::Error::NoSuchVariable { .. }
        | imp::Error::NoSuchStatement { .. }
        | imp::Error::NotRead { .. }
        | imp::Error::TooManyPairs => Failure::usage(error.to_string()),
        imp::Error::Run(diagnostic) => {
            let failure = Failure::usage(diagnostic.message.clone());
            diagnostic.help.into_iter().fold(failure, Failure::remedy)
        }
        _ => Failure::broken(error.to_string()),
    }
}

/// One run of the command.
struct Request<'a> {
    matches: &'a ArgMatches,
    name: &'a str,
}

/// What `--structure` found.
#[derive(Serialize)]
struct Structure {
    /// What was done, in order; nothing if the loops have the structure they need, or if it was not found.
    steps: Vec<String>,
    /// The program that is analysed.
    program: String,
    /// On how many small inputs both programs were run and did the same.
    compared: usize,
}

/// What `--check` found for one choice of values.
#[derive(Serialize)]
struct Checked {
    values: String,
    agrees: bool,
    operations: usize,
    real: usize,
    extra: usize,
    run_ended: bool,
    errors: Vec<String>,
    #[serde(skip)]
    text: String,
}

/// The JSON document.
#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    file: &'a str,
    #[serde(flatten)]
    report: imp::report::Report,
    #[serde(skip_serializing_if = "Option::is_none")]
    structure: Option<Structure>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checks: Vec<Checked>,
}

impl Request<'_> {
    fn parse(&self, source: &[u8]) -> Result<Program, Failure> {
        Program::parse_bytes(source).map_err(|error| broken(&error, self.name, source))
    }

    /// The text to write, and whether every check agrees.
    fn answer(&self, source: &[u8]) -> Result<(String, bool), Failure> {
        let original = self.parse(source)?;
        if let Some(values) = self.matches.get_one::<String>("instances") {
            return Ok((self.graph_of_a_run(&original, values)?, true));
        }
        let structure = match self.matches.get_flag("structure") || self.matches.get_flag("schedule") {
            true => Some(self.structure(&original)?),
            false => None,
        };
        let program = match &structure {
            Some(structure) => self.parse(structure.program.as_bytes())?,
            None => original,
        };
        let result = imp::dataflow(&program, &self.options()).map_err(analysis_failure)?;
        let checks = self.checks(&result)?;
        let agrees = checks.iter().all(|checked| checked.agrees);
        if self.matches.get_flag("json") {
            let report = result.report().map_err(analysis_failure)?;
            let document = Document { format: 1, file: self.name, report, structure, checks };
            // Strings, numbers and lists only: this cannot fail.
            return Ok((serde_json::to_string_pretty(&document).unwrap_or_default() + "\n", agrees));
        }
        let mut text = structure.as_ref().map_or(String::new(), |found| self.structure_text(found));
        text += &self.view(&result, structure.is_some())?;
        checks.iter().for_each(|checked| text += &checked.text);
        Ok((text, agrees))
    }

    fn options(&self) -> imp::Options {
        let notation = self.matches.get_one::<String>("notation").map_or("variables", String::as_str);
        imp::Options {
            counters: notation != "variables",
            variables: notation != "counters",
            only: self.matches.get_many("only").unwrap_or_default().cloned().collect(),
            output: self.matches.get_flag("overwrites"),
            ..imp::Options::default()
        }
    }

    fn view(&self, result: &imp::Dataflow<'_>, structured: bool) -> Result<String, Failure> {
        let flag = |name| self.matches.get_flag(name);
        let text = match self.matches.get_one::<String>("explain") {
            Some(read) => result.explain(read),
            None if flag("schedule") => return schedule::schedule(result, self.name, &self.inputs("check")?),
            None if flag("relations") => result.to_text(),
            None if flag("dot") => result.graph().map(|graph| graph.to_dot()),
            None if flag("svg") => result.graph().map(|graph| imp::svg::svg(&graph)),
            None => result.report().map(|report| report.to_table(flag("all"))),
        };
        let mut text = text.map_err(analysis_failure)?;
        let is_for_people = !flag("dot") && !flag("svg");
        if is_for_people && !structured && result.reaches.loops.iter().any(Option::is_some) {
            text += "if a loop stands for a nest, --structure may put it back\n";
        }
        Ok(text)
    }

    /// The values of an option that may be repeated, as the user wrote them and understood.
    fn inputs(&self, option: &str) -> Result<Vec<(String, Inputs)>, Failure> {
        let values = self.matches.get_many::<String>(option).unwrap_or_default();
        values
            .map(|text| {
                let mut inputs = Inputs::parse(text).map_err(Failure::usage)?;
                inputs.seed = self.matches.get_one("seed").copied();
                Ok((text.clone(), inputs))
            })
            .collect()
    }

    fn checks(&self, result: &imp::Dataflow<'_>) -> Result<Vec<Checked>, Failure> {
        let one = |(values, inputs): (String, Inputs)| {
            known_names(result.program, &inputs)?;
            let verdict = check(result, &inputs, RUN).map_err(analysis_failure)?;
            Ok(Checked {
                text: format!("check {values}: {verdict}\n"),
                values,
                agrees: verdict.errors.is_empty(),
                operations: verdict.operations,
                real: verdict.real,
                extra: verdict.extra,
                run_ended: !verdict.prefix,
                errors: verdict.errors,
            })
        };
        self.inputs("check")?.into_iter().map(one).collect()
    }

    fn structure(&self, original: &Program) -> Result<Structure, Failure> {
        let found = recover(&original.source, self.options().budget).map_err(analysis_failure)?;
        let Some(Recovered { source, steps }) = found else {
            return Ok(Structure { steps: Vec::new(), program: original.source.clone(), compared: 0 });
        };
        let program = self.parse(source.as_bytes())?;
        let compared = same_on_small_values(original, &program).map_err(|values| {
            Failure::broken(format!(
                "the program with its structure put back does something else for {values}"
            ))
            .remedy("this is our bug: please report it with the program")
        })?;
        Ok(Structure { steps, program: source, compared })
    }

    /// What was rewritten, and the program. A schedule says nothing if there was no need.
    fn structure_text(&self, found: &Structure) -> String {
        if found.steps.is_empty() {
            let asked = self.matches.get_flag("structure");
            return if asked { "nothing was rewritten\n".to_string() } else { String::new() };
        }
        let mut text = String::new();
        for step in &found.steps {
            let _ = writeln!(text, "{step}");
        }
        let _ = writeln!(text, "the same as the original on {} small inputs", found.compared);
        text + &found.program
    }

    fn graph_of_a_run(&self, program: &Program, values: &str) -> Result<String, Failure> {
        if !self.matches.get_flag("dot") && !self.matches.get_flag("svg") {
            return Err(Failure::usage("--instances is the graph of a run").remedy("add --svg or --dot"));
        }
        let (_, inputs) = self.inputs("instances")?.swap_remove(0);
        known_names(program, &inputs)?;
        let outcome =
            imp::run(program, &inputs, SHOWN + 1).map_err(|error| analysis_failure(error.into()))?;
        if outcome.trace.len() > SHOWN {
            return Err(Failure::usage(format!("the run with {values} has more than {SHOWN} operations"))
                .remedy("choose smaller values: nobody could read the graph"));
        }
        let graph = imp::graph::operations(program, &outcome.trace);
        Ok(if self.matches.get_flag("dot") { graph.to_dot() } else { imp::svg::svg(&graph) })
    }
}

/// Refuses values for what the program does not have: a misspelt name would silently be another run.
fn known_names(program: &Program, inputs: &Inputs) -> Result<(), Failure> {
    let scalars = program.vars.iter().filter(|var| var.arity == 0).map(|var| &var.name);
    let known: Vec<&String> = program.params.iter().map(|param| &param.name).chain(scalars).collect();
    match inputs.values.keys().find(|name| !known.contains(name)) {
        None => Ok(()),
        Some(name) => {
            let known: Vec<&str> = known.iter().map(|name| name.as_str()).collect();
            Err(Failure::usage(format!("the program has no parameter and no scalar `{name}`")).remedy(
                format!("it has {}", if known.is_empty() { "none".into() } else { known.join(", ") }),
            ))
        }
    }
}
