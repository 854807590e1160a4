//! A configured run: which functions are looked at, and where the results go.

use crate::machine::{self, Caches};
use crate::order::{NewOrder, Plan};
use crate::pipeline::{self, Knowledge, Modelled, Program};
use crate::timing::Timers;
use crate::tuned::Tunings;
use assume::{Assumed, Fate, Taken};
use isl::Set;
use llvm::back::threads::ENOUGH;
use llvm::front::detect::{Nest, Verdict, reject_all};
use llvm::pass::demangle;
use llvm::{Anchor, Pass, RemarkKind};
use model::{Access, ArrayKind, Reason, Refusal, Scop, SourceLoc};
use options::Options;
use report::tuned::Tuning;
use report::{
    AssumptionReport, Counted, FORMAT, FunctionReport, NestReport, NewLoops, WeakerLoops, read_counts,
};
use std::collections::HashSet;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Options that were validated, ready to run on functions.
pub struct Session {
    options: Options,
    /// The caches of this machine, if they are to count.
    native: Caches,
    /// What earlier runs of the program counted, or why that is not known.
    counts: Result<Vec<Counted>, String>,
    /// That was said.
    counts_failed: AtomicBool,
    /// Options for single nests, or why they are not known.
    tunings: Result<Tunings, String>,
    /// That was said.
    tunings_failed: AtomicBool,
    /// The report file could not be written, and that was said.
    report_failed: AtomicBool,
}

impl Session {
    /// With these options.
    pub fn new(options: Options) -> Self {
        let counts = options.use_counts.as_deref().map_or(Ok(Vec::new()), read_counted);
        Self {
            native: Caches::wanted(&options),
            tunings: Tunings::of(&options),
            tunings_failed: AtomicBool::new(false),
            options,
            counts,
            counts_failed: AtomicBool::new(false),
            report_failed: AtomicBool::new(false),
        }
    }

    /// What earlier runs of the program counted. A file that cannot be read is said once.
    fn counts(&self, pass: Pass<'_>) -> &[Counted] {
        match &self.counts {
            Ok(counts) => counts,
            Err(message) => {
                if !self.counts_failed.swap(true, Ordering::Relaxed) {
                    pass.error(&format!("orthant: {message}; name a file with -orthant-use-counts that a program wrote which was built with -orthant-count-checks"));
                }
                &[]
            }
        }
    }

    /// Options for single nests. A file that cannot be used is said once.
    fn tunings(&self, pass: Pass<'_>) -> &Tunings {
        static NONE: Tunings = Tunings::NONE;
        self.tunings.as_ref().unwrap_or_else(|message| {
            if !self.tunings_failed.swap(true, Ordering::Relaxed) {
                pass.error(&format!(
                    "orthant: {message}; name a file with -orthant-tuned that `orthant tune` wrote"
                ));
            }
            &NONE
        })
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
            self.publish(pass, symbol, function, &rejected(pass, &reason));
            return false;
        }
        self.write_machine(pass);
        let knowledge =
            Knowledge { counts: self.counts(pass), native: &self.native, tunings: self.tunings(pass) };
        let outcome = pipeline::run(pass, &self.options, knowledge, timers);
        self.print(&outcome);
        let changed = outcome.changed;
        self.publish(
            pass,
            symbol,
            function,
            &without_copies(findings(outcome, self.options.report.is_some())),
        );
        changed
    }

    /// For `orthant explain --target`.
    fn write_machine(&self, pass: Pass<'_>) {
        let known = || machine::known(pass, &self.options, &self.native).json();
        if let Some(file) = &self.options.machine_out
            && let Err(error) = std::fs::write(file, known())
        {
            pass.error(&format!("orthant: cannot write to {}: {error}", file.display()));
        }
    }

    /// Reports a failure of Orthant itself in a function.
    pub fn run_failed(&self, pass: Pass<'_>, message: &str) {
        let symbol = pass.symbol();
        let function = demangle(&symbol);
        // Passes of the shim come before anybody asks.
        if !self.is_selected(&symbol, &function) || left_alone(pass).is_some() {
            return;
        }
        let reason = pipeline::say_left_as_it_was(&symbol, message);
        self.publish(pass, symbol, function, &rejected(pass, &reason));
    }

    /// Models and generated programs, for those who asked.
    fn print(&self, outcome: &pipeline::Outcome<'_>) {
        for model in &outcome.models {
            if self.prints("lift") {
                eprint!("orthant: lift\n{}", model.lifted.scop);
                model.lifted.declarations.iter().for_each(|array| eprintln!("# shape {array}"));
            }
            if self.prints("assume") {
                eprint!("orthant: assume: {}\n{}", model.lifted.scop.name, print_assumed(model));
            }
            let scop = model.scop();
            if let (true, Some(outcome)) = (self.prints("delicm"), &model.scalars) {
                eprint!("orthant: delicm: {}\n{}", scop.name, print_scalars(outcome, scop));
            }
            if let (true, Some(dependences)) = (self.prints("dependences"), &model.dependences) {
                eprint!("orthant: dependences: {}\n{dependences}", scop.name);
            }
            if let (true, Some(plan)) = (self.prints("schedule"), &model.plan) {
                eprint!("orthant: schedule: {}\n{}", scop.name, print_plan(plan));
                if let Some(weaker) = &model.weaker {
                    let pairs =
                        weaker.overlap.iter().map(|(a, b)| assume::apart_text(&model.lifted.scop, *a, *b));
                    let pairs: Vec<_> = pairs.collect();
                    eprint!("without {}:\n{}", pairs.join(", "), print_new(&weaker.order));
                }
            }
            if let (true, Some(Program { nodes, .. })) = (self.prints("astgen"), &model.program) {
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

    fn publish(&self, pass: Pass<'_>, symbol: String, function: String, findings: &[Finding<'_>]) {
        findings.iter().for_each(|finding| remark(pass, finding));
        if self.options.report.is_none() && self.options.print_after.is_empty() {
            return;
        }
        let nests: Vec<_> = findings.iter().map(|finding| finding.report.clone()).collect();
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

/// A nest and what is said about it.
struct Finding<'p> {
    nest: Nest<'p>,
    report: NestReport,
}

/// `with_code`: someone wants to see the loops.
fn findings(outcome: pipeline::Outcome<'_>, with_code: bool) -> Vec<Finding<'_>> {
    let pipeline::Outcome { nests, models, .. } = outcome;
    let finding = |(index, nest)| {
        let model = models.iter().find(|model| model.nest == index);
        let report = nest_report(&nest, model, with_code);
        Finding { nest, report }
    };
    nests.into_iter().enumerate().map(finding).collect()
}

/// All nests, rejected for one reason.
fn rejected<'p>(pass: Pass<'p>, reason: &Reason) -> Vec<Finding<'p>> {
    findings(pipeline::Outcome { nests: reject_all(pass, reason), models: Vec::new(), changed: false }, false)
}

/// Loop unswitching copies nests. A copy that stands at the same place and is rejected for the same reasons is not
/// worth a second mention.
fn without_copies(findings: Vec<Finding<'_>>) -> Vec<Finding<'_>> {
    let mut said: Vec<NestReport> = Vec::new();
    let mut findings = findings;
    findings.retain(|Finding { report, .. }| {
        let is_copy = |other: &NestReport| {
            report.loc.is_some() && (&report.loc, &report.outcome) == (&other.loc, &other.outcome)
        };
        let is_rejected = matches!(report.outcome, report::Outcome::Rejected { .. });
        let is_new = !is_rejected || !said.iter().any(is_copy);
        said.push(report.clone());
        is_new
    });
    findings
}

/// What the function itself says about being optimized.
fn left_alone(pass: Pass<'_>) -> Option<Reason> {
    if pass.is_optnone() {
        return Some(Reason::OptNone);
    }
    pass.has_annotation(c"orthant_skip").then_some(Reason::Skipped)
}

fn nest_report(nest: &Nest<'_>, model: Option<&Modelled<'_>>, with_code: bool) -> NestReport {
    let outcome = match (&nest.verdict, model) {
        (Verdict::Rejected(obstacles), _) => report::Outcome::Rejected {
            refusals: obstacles.iter().map(|obstacle| obstacle.refusal()).collect(),
        },
        (Verdict::Candidate(_), Some(model)) => model_outcome(model, with_code),
        (Verdict::Candidate(_), None) => report::Outcome::Candidate,
    };
    let arrays = model.map(|model| model.lifted.declarations.clone()).unwrap_or_default();
    let assumptions = model.map(|model| assumptions(&model.assumed)).unwrap_or_default();
    let (depth, loops) = (nest.depth(), nest.loops.len() as u32);
    let statements = model.map(|model| touching_memory(&model.lifted.scop)).unwrap_or_default();
    let tuning = model.and_then(|model| model.tuning.clone());
    let aligned = model.map(|model| model.aligned.clone()).unwrap_or_default();
    NestReport { loc: nest.loc(), depth, loops, statements, arrays, aligned, assumptions, tuning, outcome }
}

/// How many statements touch memory.
fn touching_memory(scop: &Scop) -> u32 {
    let is_memory = |access: &Access| scop.arrays[access.array.index()].kind == ArrayKind::Memory;
    scop.stmts.iter().filter(|stmt| stmt.accesses.iter().any(is_memory)).count() as u32
}

fn model_outcome(model: &Modelled<'_>, with_code: bool) -> report::Outcome {
    match &model.plan {
        Some(Plan::Kept(reason)) => report::Outcome::Kept { reason: reason.to_string() },
        Some(Plan::New(new)) if model.emitted.is_some() => {
            report::Outcome::Optimized(Box::new(new_loops(model, new, with_code)))
        }
        _ => report::Outcome::Candidate,
    }
}

fn new_loops(model: &Modelled<'_>, new: &NewOrder, with_code: bool) -> NewLoops {
    let scop = model.scop();
    let program = model.program.as_ref().filter(|_| with_code);
    let after = program.map(|program| astgen::print_c(scop, &program.nodes));
    let before = program.and_then(|_| own_loops(&model.lifted.scop, &model.assumed.valid).ok());
    let weaker = model.weaker.as_ref().map(|weaker| WeakerLoops {
        order: weaker.order.description.lines().map(str::to_owned).collect(),
        speedup: weaker.order.prediction.map(|prediction| prediction.speedup()),
        after: program
            .map(|_| astgen::print_c(&model.lifted.scop, &model.weaker_loops.0))
            .unwrap_or_default(),
    });
    NewLoops {
        weaker,
        threads: threads(model, new),
        order: new.description.lines().map(str::to_owned).collect(),
        speedup: new.prediction.map(|prediction| prediction.speedup()),
        conditions: conditions(model),
        own_size: model.emitted.unwrap_or_default().own,
        added_size: model.emitted.unwrap_or_default().added,
        before: before.unwrap_or_default(),
        after: after.unwrap_or_default(),
    }
}

/// Which loops run in threads and when, or why none does.
fn threads(model: &Modelled<'_>, new: &NewOrder) -> Vec<String> {
    let nodes = model.program.iter().flat_map(|program| astgen::threads(&program.nodes));
    let heads = nodes.map(|l| {
        format!("{}, if there is enough to do ({ENOUGH} instructions)", astgen::print_head(model.scop(), l))
    });
    heads.chain(new.why_alone.iter().map(|why| format!("none: {why}"))).collect()
}

/// What the run-time check tests.
pub fn conditions(model: &Modelled<'_>) -> Vec<report::Condition> {
    let Some(Program { check, .. }) = &model.program else { return Vec::new() };
    let condition = |conjunct: &assume::Conjunct| report::Condition {
        kind: conjunct.kind,
        text: conjunct.text(&model.lifted.scop),
        loc: conjunct.loc.clone(),
        is_strong: false,
        held: None,
    };
    let mut conditions: Vec<_> = check.conjuncts.iter().map(condition).collect();
    let strong = conditions.iter_mut().skip(check.weak.unwrap_or(usize::MAX));
    strong.for_each(|condition| condition.is_strong = true);
    conditions
}

/// What had to be assumed.
fn assumptions(assumed: &Assumed) -> Vec<AssumptionReport> {
    let report = |taken: &Taken| AssumptionReport {
        kind: taken.assumption.kind,
        why: taken.assumption.why.clone(),
        loc: taken.assumption.loc.clone(),
        is_implied: matches!(taken.fate, Fate::Implied),
    };
    assumed.taken.iter().map(report).collect()
}

/// What the program's own loops may take before they are left out.
const OWN_LOOPS: u64 = 250_000;

/// The program's own loops, for comparison.
fn own_loops(scop: &Scop, valid: &Set) -> Result<String, astgen::Error> {
    scop.ctx.with_budget(OWN_LOOPS, || {
        let nodes = astgen::generate(scop, &scop.schedule()?, valid)?;
        Ok(astgen::print_c(scop, &nodes))
    })
}

/// One remark for the nest, and for a rejected one an analysis remark at each obstacle.
fn remark(pass: Pass<'_>, finding: &Finding<'_>) {
    let Some(at) = finding.nest.anchor() else { return };
    if let Some(text) = finding.report.tuning.as_ref().and_then(Tuning::text) {
        pass.remark(RemarkKind::Analysis, "Tuned", at, &format!("tuned: {text}"));
    }
    match &finding.report.outcome {
        report::Outcome::Candidate => {
            let message = format!("loop nest of depth {} can be modelled", finding.report.depth);
            pass.remark(RemarkKind::Analysis, "Candidate", at, &message);
        }
        report::Outcome::Kept { reason } => {
            pass.remark(RemarkKind::Analysis, "Kept", at, &format!("loop nest keeps its order: {reason}"));
        }
        report::Outcome::Optimized(new) => {
            let message = format!("loop nest optimized: {}", new.order.join("; "));
            pass.remark(RemarkKind::Done, "Optimized", at, &message);
            for threads in &new.threads {
                pass.remark(RemarkKind::Analysis, "Threads", at, &format!("loops in threads: {threads}"));
            }
            if let Some(weaker) = &new.weaker {
                let message =
                    format!("loop nest optimized where arrays overlap: {}", weaker.order.join("; "));
                pass.remark(RemarkKind::Done, "Tier", at, &message);
            }
            for condition in &new.conditions {
                let which = if condition.is_strong { "the faster of the new loops" } else { "the new loops" };
                let message = format!("{which} run if {} {}", condition.text, condition.origin());
                let at = condition.loc.as_ref().and_then(|loc| anchor_at(pass, loc)).unwrap_or(at);
                pass.remark(RemarkKind::Analysis, "Condition", at, &message);
            }
        }
        report::Outcome::Rejected { .. } => remark_rejected(pass, &finding.nest),
    }
}

/// An instruction at that place; the original code is still there.
fn anchor_at<'p>(pass: Pass<'p>, loc: &SourceLoc) -> Option<Anchor<'p>> {
    let mut insts = pass.blocks().into_iter().flat_map(|block| block.insts());
    insts.find(|inst| inst.loc().as_ref() == Some(loc)).map(Anchor::Inst)
}

fn remark_rejected(pass: Pass<'_>, nest: &Nest<'_>) {
    let (Some(at), Verdict::Rejected(obstacles)) = (nest.anchor(), &nest.verdict) else { return };
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

fn print_assumed(model: &Modelled<'_>) -> String {
    let scop = &model.lifted.scop;
    let check = match assume::check(scop, &model.assumed, &model.odds) {
        Ok(check) => assume::print(scop, &check),
        Err(error) => format!("none: {error}\n"),
    };
    format!("{}check:\n  {check}", assume::print_assumed(scop, &model.assumed))
}

fn read_counted(file: &Path) -> Result<Vec<Counted>, String> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    read_counts(&text).map_err(|error| format!("{}: {error}", file.display()))
}

fn print_scalars(outcome: &delicm::Outcome, scop: &Scop) -> String {
    let undone: String =
        outcome.undone.iter().map(|(name, why)| format!("{name} not done: {why}\n")).collect();
    let left: String = outcome.left().iter().map(|(name, why)| format!("{name} stays: {why}\n")).collect();
    format!("{}\n{undone}{left}{scop}", outcome.counts)
}

fn print_plan(plan: &Plan) -> String {
    match plan {
        Plan::Kept(reason) => format!("kept: {reason}\n"),
        Plan::New(new) => print_new(new),
    }
}

fn print_new(new: &NewOrder) -> String {
    let prediction = new.prediction.map(|prediction| format!("{prediction}\n"));
    format!("{}\n{}", new.description.trim_end(), prediction.unwrap_or_default())
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
            report::Outcome::Candidate | report::Outcome::Kept { .. } | report::Outcome::Optimized(_) => {
                text += &format!("  {place}: candidate, {shape}\n");
            }
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
