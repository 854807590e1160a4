//! The file tests of the language: `dataflow`, `run` and `fmt` on the programs in `tests/files`.
//!
//! * `dataflow [--counters] [--both] [--only VAR] [--output] [--json] [--dot] [--explain STATEMENT] [--check VALUES]`: the report, and after it
//!   the verdict of every check;
//! * `run VALUES`: the operations of a run with their direct, most recent and all dependences;
//! * `structure VALUES...`: the program with its structure put back, whether its dataflow is exact, and for each of the
//!   values whether it does the same as the original and whether its dataflow is what the trace says;
//! * `kernel VALUES...`: whether the dataflow is exact, and for each of the values whether it is what the trace says;
//! * `fmt`: the program as the formatter writes it.

use filetests::TestInput;
use imp::dataflow::dataflow;
use imp::{Inputs, Options, Program, check, run};
use std::fmt::Write as _;

fn main() -> std::process::ExitCode {
    filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
        .command("dataflow", command_dataflow)
        .command("run", command_run)
        .command("structure", command_structure)
        .command("kernel", command_kernel)
        .command("fmt", |input| imp::format(input.text).map_err(|error| error.render(input.name, input.text)))
        .run()
}

fn parse(input: &TestInput) -> Result<Program, String> {
    Program::parse(input.text).map_err(|error| error.render(input.name, input.text))
}

fn command_dataflow(input: &TestInput) -> Result<String, String> {
    let program = parse(input)?;
    let mut options = Options::default();
    let (mut checks, mut json, mut dot, mut explain) = (Vec::new(), false, false, None);
    let mut words = input.args.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().cloned().ok_or(format!("{word} needs a value"));
        match word.as_str() {
            "--counters" => (options.counters, options.variables) = (true, false),
            "--both" => options.counters = true,
            "--only" => options.only.push(value()?),
            "--output" => options.output = true,
            "--json" => json = true,
            "--dot" => dot = true,
            "--explain" => explain = Some(value()?),
            "--check" => checks.push(value()?),
            _ => return Err(format!("unknown argument {word}")),
        }
    }
    let result = dataflow(&program, &options).map_err(|error| error.to_string())?;
    let text = match (json, dot, &explain) {
        (_, _, Some(statement)) => result.explain(statement),
        (true, ..) => result.to_json(),
        (_, true, _) => result.graph().map(|graph| graph.to_dot()),
        _ => result.to_text(),
    };
    let mut text = text.map_err(|error| error.to_string())?;
    for values in checks {
        let verdict = check(&result, &Inputs::parse(&values)?, 100_000).map_err(|error| error.to_string())?;
        let _ = writeln!(text, "check {values}: {verdict}");
        if !verdict.errors.is_empty() {
            return Err(text);
        }
    }
    Ok(text)
}

fn command_kernel(input: &TestInput) -> Result<String, String> {
    let program = parse(input)?;
    let result = dataflow(&program, &Options::default()).map_err(|error| error.to_string())?;
    let status = if result.is_exact() { "exact" } else { "over-approximated" };
    let direct = result.flow.dependences.iter().filter(|d| !d.direct.is_empty().unwrap_or(false)).count();
    let mut text = format!("{} statements, {direct} dependences, {status}\n", program.ops.len());
    for values in input.args {
        let mut inputs = Inputs::parse(values)?;
        inputs.seed = Some(1);
        let verdict = check(&result, &inputs, 10_000).map_err(|error| error.to_string())?;
        let _ = writeln!(text, "{values}: {verdict}");
        if !verdict.errors.is_empty() {
            return Err(text);
        }
    }
    Ok(text)
}

fn command_structure(input: &TestInput) -> Result<String, String> {
    let original = parse(input)?;
    let budget = Options::default().budget;
    let recovered = imp::structure::recover(input.text, budget).map_err(|error| error.to_string())?;
    let mut text = String::new();
    match &recovered {
        None => text.push_str("nothing was rewritten\n"),
        Some(recovered) => {
            recovered.steps.iter().for_each(|step| text.push_str(&format!("{step}\n")));
            text.push_str(&recovered.source);
        }
    }
    let program = match &recovered {
        Some(recovered) => Program::parse(&recovered.source).map_err(|error| error.to_string())?,
        None => original.clone(),
    };
    let result = dataflow(&program, &Options::default()).map_err(|error| error.to_string())?;
    text.push_str(if result.is_exact() { "dataflow: exact\n" } else { "dataflow: over-approximated\n" });
    if let Some(why) = result.reaches.loops.iter().flatten().next() {
        let _ = writeln!(
            text,
            "  {} (line {})",
            why.reason,
            imp::diag::line_column(&program.source, why.span.start).0
        );
    }
    for values in input.args {
        let mut inputs = Inputs::parse(values)?;
        inputs.seed = Some(1);
        let same = imp::structure::equivalent(&original, &program, &inputs, 3_000)
            .map_err(|error| error.to_string())?;
        let verdict = check(&result, &inputs, 3_000).map_err(|error| error.to_string())?;
        let agrees =
            if verdict.errors.is_empty() { "agrees with the trace" } else { "DISAGREES with the trace" };
        let _ = writeln!(
            text,
            "{values}: {}, the dataflow {agrees}",
            if same { "same behaviour" } else { "DIFFERENT behaviour" }
        );
        if !same || !verdict.errors.is_empty() {
            return Err(format!("{text}{verdict}"));
        }
    }
    Ok(text)
}

fn command_run(input: &TestInput) -> Result<String, String> {
    let program = parse(input)?;
    let inputs = Inputs::parse(input.args.first().map_or("", String::as_str))?;
    let outcome = run(&program, &inputs, 1_000).map_err(|error| error.to_string())?;
    let trace = &outcome.trace;
    if input.args.iter().any(|word| word == "--dot") {
        return Ok(imp::graph::operations(&program, trace).to_dot());
    }
    let list = |operations: Vec<u32>| operations.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    let mut text = String::new();
    for k in 0..trace.len() as u32 {
        let op = &program.ops[trace.op(k).index()];
        let vector: Vec<String> =
            op.dims.iter().zip(trace.vector(k)).map(|(d, v)| format!("k{}={v}", d.kappa)).collect();
        let direct = list(trace.direct(k).map(|d| d.source).collect());
        let recent = trace.most_recent(k).map_or(String::new(), |k| k.to_string());
        let all = list(trace.depends_on(k));
        let line = format!(
            "{k} {}({}) direct [{direct}] most recent [{recent}] all [{all}]",
            op.name,
            vector.join(", ")
        );
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{:?}", outcome.ending);
    Ok(text)
}
