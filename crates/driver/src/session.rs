//! A configured run: which functions are looked at, and where the results go.

use crate::pipeline;
use crate::timing::Timers;
use llvm::front::detect::{Nest, Verdict, reject_all};
use llvm::pass::demangle;
use llvm::{Pass, RemarkKind};
use model::{Reason, Refusal};
use options::Options;
use report::{FORMAT, FunctionReport, NestReport};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options that were validated, ready to run on functions.
pub struct Session {
    options: Options,
    /// The report file could not be written, and that was said.
    report_failed: AtomicBool,
}

impl Session {
    /// With these options.
    pub fn new(options: Options) -> Self {
        Self { options, report_failed: AtomicBool::new(false) }
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Looks at one function; true if it was changed.
    pub fn run(&self, pass: Pass<'_>, timers: &Timers) -> bool {
        let symbol = pass.symbol();
        let function = demangle(&symbol);
        if !self.is_selected(&symbol, &function) {
            return false;
        }
        if self.options.panic_in.as_deref() == Some(symbol.as_str()) {
            panic!("asked to fail in {symbol}");
        }
        if let Some(reason) = left_alone(pass) {
            self.publish(pass, symbol, function, reject_all(pass, &reason));
            return false;
        }
        let outcome = pipeline::run(pass, &self.options, timers);
        self.print(&outcome);
        self.publish(pass, symbol, function, without_copies(outcome.nests));
        outcome.changed
    }

    /// Reports a failure of Orthant itself in a function.
    pub fn run_failed(&self, pass: Pass<'_>, message: &str) {
        let symbol = pass.symbol();
        let reason = Reason::Internal { message: message.to_owned() };
        eprintln!(
            "orthant: internal error in function {symbol}, which is left as it was: {message} ({})",
            reason.remedy()
        );
        let function = demangle(&symbol);
        self.publish(pass, symbol, function, reject_all(pass, &reason));
    }

    /// Models and generated programs, for those who asked.
    fn print(&self, outcome: &pipeline::Outcome<'_>) {
        for model in &outcome.models {
            let scop = &model.lifted.scop;
            if self.prints("lift") {
                eprint!("orthant: lift\n{scop}");
            }
            if let (true, Some((nodes, _))) = (self.prints("astgen"), &model.program) {
                eprint!("orthant: astgen: {}\n{}", scop.name, astgen::print_c(scop, nodes));
            }
        }
    }

    fn prints(&self, stage: &str) -> bool {
        self.options.print_after.iter().any(|wanted| wanted == stage)
    }

    fn is_selected(&self, symbol: &str, function: &str) -> bool {
        self.options.only.as_ref().is_none_or(|only| only.is_match(symbol) || only.is_match(function))
    }

    fn publish(&self, pass: Pass<'_>, symbol: String, function: String, nests: Vec<Nest<'_>>) {
        nests.iter().for_each(|nest| remark(pass, nest));
        if self.options.report.is_none() && self.options.print_after.is_empty() {
            return;
        }
        let nests: Vec<_> = nests.iter().map(nest_report).collect();
        // Not every compiler names its module after the source.
        let place = nests.iter().find_map(|nest| nest.loc.clone());
        let module = place.map_or_else(|| pass.source_file(), |place| place.file);
        let report = FunctionReport { format: FORMAT, module, symbol, function, nests };
        if self.prints("detect") {
            eprint!("{}", print_nests(&report));
        }
        if let Some(file) = &self.options.report
            && let Err(error) = append(file, &report)
            && !self.report_failed.swap(true, Ordering::Relaxed)
        {
            pass.error(&format!(
                "orthant: cannot append to the report {}: {error}; name a writable file with -orthant-report",
                file.display()
            ));
        }
    }
}

/// Loop unswitching copies nests. A copy that stands at the same place and is rejected for the same reasons is not
/// worth a second mention.
fn without_copies(nests: Vec<Nest<'_>>) -> Vec<Nest<'_>> {
    let mut said: Vec<NestReport> = Vec::new();
    let is_new = |nest: &Nest<'_>| {
        let report = nest_report(nest);
        let is_copy = |other: &NestReport| {
            report.loc.is_some() && (&report.loc, &report.outcome) == (&other.loc, &other.outcome)
        };
        let is_new = matches!(nest.verdict, Verdict::Candidate(_)) || !said.iter().any(is_copy);
        said.push(report);
        is_new
    };
    let mut nests = nests;
    nests.retain(is_new);
    nests
}

/// What the function itself says about being optimized.
fn left_alone(pass: Pass<'_>) -> Option<Reason> {
    if pass.is_optnone() {
        return Some(Reason::OptNone);
    }
    pass.has_annotation(c"orthant_skip").then_some(Reason::Skipped)
}

fn nest_report(nest: &Nest<'_>) -> NestReport {
    let outcome = match &nest.verdict {
        Verdict::Candidate(_) => report::Outcome::Candidate,
        Verdict::Rejected(obstacles) => report::Outcome::Rejected {
            refusals: obstacles.iter().map(|obstacle| obstacle.refusal()).collect(),
        },
    };
    NestReport { loc: nest.loc(), depth: nest.depth(), loops: nest.loops.len() as u32, outcome }
}

/// One remark for the nest, and for a rejected one an analysis remark at each obstacle.
fn remark(pass: Pass<'_>, nest: &Nest<'_>) {
    let Some(at) = nest.anchor() else { return };
    match &nest.verdict {
        Verdict::Candidate(_) => {
            let message = format!("loop nest of depth {} can be modelled", nest.depth());
            pass.remark(RemarkKind::Analysis, "Candidate", at, &message);
        }
        Verdict::Rejected(obstacles) => {
            let mut reasons: Vec<_> = obstacles.iter().map(|obstacle| obstacle.reason.to_string()).collect();
            let mut said = HashSet::new();
            reasons.retain(|reason| said.insert(reason.clone()));
            let message = format!("loop nest not optimized: {}", reasons.join("; "));
            pass.remark(RemarkKind::Missed, "Rejected", at, &message);
            for obstacle in obstacles {
                let message = format!("{}; {}", obstacle.reason, obstacle.reason.remedy());
                pass.remark(RemarkKind::Analysis, obstacle.reason.id(), obstacle.at, &message);
            }
        }
    }
}

/// One line, written by one call: the lines of compilers that run at the same time do not mix.
fn append(file: &Path, report: &FunctionReport) -> std::io::Result<()> {
    let line = report.to_json_line().map_err(std::io::Error::other)?;
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

/// The stage's result as one line per nest and refusal, for compiler engineers.
fn print_nests(report: &FunctionReport) -> String {
    let mut text = format!("orthant: detect: {}\n", report.function);
    for nest in &report.nests {
        let place = nest.loc.as_ref().map_or("unknown place".to_owned(), ToString::to_string);
        let shape = format!("depth {}, {} loops", nest.depth, nest.loops);
        match &nest.outcome {
            report::Outcome::Candidate => text += &format!("  {place}: candidate, {shape}\n"),
            report::Outcome::Rejected { refusals } => {
                text += &format!("  {place}: rejected, {shape}\n");
                refusals.iter().for_each(|refusal| text += &print_refusal(refusal));
            }
        }
    }
    text
}

fn print_refusal(refusal: &Refusal) -> String {
    let place = refusal.loc.as_ref().map_or("unknown place".to_owned(), ToString::to_string);
    format!("    {}: {place}: {}\n", refusal.reason.id(), refusal.reason)
}
