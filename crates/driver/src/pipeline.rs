//! The stages in order, one line each, and nothing else.

use crate::copies;
use crate::dropped::{without_dropped, without_loops};
use crate::machine::{self, Caches, for_scheduler};
use crate::order::{NewOrder, Plan, analysis, behind_check, plan};
use crate::places::register_places;
use crate::scalars::without_scalars;
use crate::scratch::{self, Better, STACK_BYTES};
use crate::session::conditions;
use crate::tiers::{Tier, Weaker, weaker};
use crate::timing::Timers;
use crate::tuned::Tunings;
use assume::{Assumed, Check, Enough, Gain, Infeasible, Least, Odds};
use astgen::Node;
use dataflow::Dependences;
use isl::{Ctx, Set};
use llvm::Pass;
use llvm::back::block::Places;
use llvm::back::emit::{Aside, Emitted, Failure, Formats, Growth, Loops, emit, prepare};
use llvm::back::panel::PanelMemory;
use llvm::back::rewrite::{Rewrite, rewritten_op};
use llvm::back::threads::{Fork, Forks};
use llvm::front::Obstacle;
use llvm::front::detect::{Nest, Part, Verdict, detect, detect_inside};
use llvm::front::lift::{ArraySource, Lifted, lift};
use llvm::front::reductions;
use llvm::pass::Region;
use model::{Array, ArrayId, Budget, Reason, Scop, SourceLoc};
use options::Options;
use report::Counted;
use report::tuned::Tuning;
use schedule::{Form, Machine};
use std::cell::Cell;

/// What the stages found out about a function.
pub struct Outcome<'p> {
    /// Its nests, in textual order; a candidate that a later stage refused is a rejected nest.
    pub nests: Vec<Nest<'p>>,
    /// The models of the candidates, as far as the stages went.
    pub models: Vec<Modelled<'p>>,
    /// Whether the function was changed.
    pub changed: bool,
}

/// A nest with a model, and what each stage added.
pub struct Modelled<'p> {
    /// Which of the nests.
    pub nest: usize,
    /// Where it is.
    pub loc: Option<SourceLoc>,
    /// The model and what it stands for.
    pub lifted: Lifted<'p>,
    /// What had to be assumed, simplified.
    pub assumed: Assumed,
    /// After stage `delicm`: what was done about scalars.
    pub scalars: Option<delicm::Outcome>,
    /// And the model without them, if there is something to do.
    pub rewrite: Option<Rewrite>,
    /// After stage `dependences`.
    pub dependences: Option<Dependences>,
    /// After stage `schedule`: which order the nest is to have.
    pub plan: Option<Plan>,
    /// How likely parts of its check fail, as far as the program counted that.
    pub odds: Odds,
    /// After stage `schedule`: what a file has for it, if there is one.
    pub tuning: Option<Tuning>,
    /// After stage `schedule`: arrays that may overlap, although that was assumed not to be so.
    pub overlap: Vec<(ArrayId, ArrayId)>,
    /// After stage `schedule`: a second version of new loops, if there is to be one.
    pub weaker: Option<Weaker>,
    /// After stage `astgen`, if there are to be new loops: they and their check.
    pub program: Option<Program>,
    /// After stage `astgen`: the second version.
    pub weaker_loops: (Vec<Node>, Places),
    /// After stage `emit`: the arrays that begin where cache lines do because of this nest.
    pub aligned: Vec<String>,
    /// And the new loops are in the function, and this is their size.
    pub emitted: Option<Growth>,
}

/// New loops.
pub struct Program {
    /// The loops.
    pub nodes: Vec<Node>,
    /// The cells of statements in blocks.
    pub places: Places,
    /// When they do what the original does.
    pub check: Check,
}

/// What all stages need.
struct Run<'a, 'p> {
    pass: Pass<'p>,
    options: &'a Options,
    timers: &'a Timers,
    /// One for the whole function.
    budget: Budget,
    /// Bytes that nests may have on the stack.
    stack_left: Cell<u64>,
    /// Bounds of the search for shapes.
    shapes: delinearize::Options,
    /// What earlier runs of the program counted.
    counts: &'a [Counted],
    /// The caches of this machine, if they are to count.
    native: &'a Caches,
    /// Options for single nests.
    tunings: &'a Tunings,
}

/// What a session knows beside its options.
pub struct Knowledge<'a> {
    /// What earlier runs of the program counted.
    pub counts: &'a [Counted],
    /// The caches of this machine, if they are to count.
    pub native: &'a Caches,
    /// Options for single nests.
    pub tunings: &'a Tunings,
}

type Stage = fn(&Run<'_, '_>, &mut Modelled<'_>) -> Result<(), Reason>;

/// Runs the stages up to the one asked for. The names are those of [`options::STAGES`].
pub fn run<'p>(
    pass: Pass<'p>,
    options: &Options,
    Knowledge { counts, native, tunings }: Knowledge<'_>,
    timers: &Timers,
) -> Outcome<'p> {
    let shapes = delinearize::Options {
        shifts: options.shape_shifts,
        alphas: options.shape_alphas,
        shapes: options.shape_candidates,
    };
    let run = Run {
        pass,
        options,
        timers,
        budget: Budget::new(budget(options)),
        stack_left: Cell::new(stack_bytes(pass)),
        shapes,
        counts,
        native,
        tunings,
    };
    let is_last = |stage: &str| options.stop_after.as_deref() == Some(stage);
    let nests = timers.time("detect", &run.budget, || detect(pass, &run.budget));
    let mut outcome = Outcome { nests, models: Vec::new(), changed: false };
    if is_last("detect") {
        return outcome;
    }
    timers.time("lift", &run.budget, || lift_all(&run, &mut outcome));
    let mut before = "lift";
    if is_last(before) {
        return outcome;
    }
    before = "assume";
    let stages: [(&'static str, Stage, Sets); 4] = [
        ("delicm", scalars, Sets::OfArrays),
        ("dependences", dependences, Sets::OfNests),
        ("schedule", schedule, Sets::OfNests),
        ("astgen", generate, Sets::OfNests),
    ];
    for (name, stage, sets) in stages {
        if is_last(before) {
            return outcome;
        }
        timers.time(name, &run.budget, || for_all(&run, &mut outcome, stage, sets));
        before = name;
    }
    if !is_last(before) {
        timers.time("emit", &run.budget, || {
            align_arrays(&run, &mut outcome);
            emit_all(&run, &mut outcome);
        });
    }
    outcome
}

/// What nests may have on the stack: nothing if a call can make more and more of it.
fn stack_bytes(pass: Pass<'_>) -> u64 {
    if pass.may_recurse() { 0 } else { STACK_BYTES }
}

/// What operands of blocks may have on the stack, for all nests of the function together.
fn panel_bytes(run: &Run<'_, '_>) -> u64 {
    if run.options.panels { stack_bytes(run.pass) } else { 0 }
}

/// Each nest has its own isl context. Where a nest has no model, parts of it with fewer loops may have one; those that
/// have none either are not mentioned.
fn lift_all<'p>(run: &Run<'_, 'p>, outcome: &mut Outcome<'p>) {
    let (mut index, mut parts) = (0, 0);
    while let Some(nest) = outcome.nests.get_mut(index) {
        let is_part = parts > 0;
        if let Verdict::Candidate(region) = nest.verdict {
            let ctx = Ctx::new();
            let depth = nest.depth();
            match run.within_budget(&ctx, weight(depth, 1), || lift_and_assume(run, region, &ctx)) {
                Ok((lifted, assumed)) => {
                    let odds = run.odds(nest);
                    outcome.models.push(Modelled::new((index, nest.loc()), lifted, assumed, odds));
                }
                Err(obstacle) => {
                    if matches!(obstacle.reason, Reason::MovingBase)
                        && let [smaller] = &detect_inside(run.pass, region, Part::Smaller, &run.budget)[..]
                        && smaller.loops == nest.loops
                    {
                        // The same loops without the code before them that loads addresses.
                        nest.verdict = smaller.verdict.clone();
                        continue;
                    }
                    nest.verdict = Verdict::Rejected(vec![obstacle]);
                    let inner = detect_inside(run.pass, region, Part::FewerLoops, &run.budget);
                    parts += inner.len();
                    outcome.nests.splice(index + 1..index + 1, inner);
                    if is_part {
                        outcome.nests.remove(index);
                        parts -= 1;
                        continue;
                    }
                }
            }
        }
        parts -= usize::from(is_part);
        index += 1;
    }
}

/// A model and what it assumes. What never holds is a refusal like any other of the lift, so that parts of the nest are tried.
fn lift_and_assume<'p>(
    run: &Run<'_, 'p>,
    region: Region<'p>,
    ctx: &Ctx,
) -> Result<(Lifted<'p>, Assumed), Obstacle<'p>> {
    let mut lifted = lift(run.pass, region, ctx, &run.budget, &run.shapes)?;
    let refuse = |reason| Obstacle::of_region(region, reason);
    let simplified = run.timers.time("assume", &run.budget, || assume::simplify(&lifted.scop));
    let assumed = simplified.map_err(|error| refuse(of_isl(error, "assume")))?;
    let assumed = assumed.map_err(|Infeasible { kind, why, loc }| {
        refuse(Reason::InfeasibleAssumption { kind, why, place: loc.map(|loc| loc.to_string()) })
    })?;
    if run.options.assumptions == options::Assumptions::None
        && let Some(taken) = assumed.first_tested()
    {
        let (kind, why) = (taken.assumption.kind, taken.assumption.why.clone());
        return Err(refuse(Reason::AssumptionsOff { kind, why }));
    }
    lifted.restrict(&assumed.valid).map_err(|error| refuse(of_isl(error, "assume")))?;
    Ok((lifted, assumed))
}

pub(crate) fn of_isl(error: isl::Error, stage: &str) -> Reason {
    match error.is_budget() {
        true => Reason::Budget { stage: stage.into() },
        false => Reason::Internal { message: error.to_string() },
    }
}

impl<'p> Modelled<'p> {
    /// The model that the later stages work on.
    pub fn scop(&self) -> &Scop {
        self.rewrite.as_ref().map_or(&self.lifted.scop, |rewrite| &rewrite.scop)
    }

    /// The versions of new loops, the strong one first.
    fn versions<'a>(&'a self, nodes: &'a [Node], places: &'a Places, forks: Forks) -> Vec<Loops<'a>> {
        let is_own = matches!(&self.plan, Some(Plan::New(new)) if new.own.is_some());
        let are_own = is_own && !nodes.is_empty();
        let strong =
            Loops { rewrite: self.rewrite.as_ref(), nodes, places, overlap: &self.overlap, are_own, forks };
        let (nodes, places) = (&self.weaker_loops.0, &self.weaker_loops.1);
        let weaker = self.weaker.as_ref();
        let weaker = weaker.map(|weaker| Loops {
            rewrite: None,
            nodes,
            places,
            overlap: &weaker.overlap,
            are_own: false,
            forks,
        });
        [strong].into_iter().chain(weaker).collect()
    }

    fn new(
        (nest, loc): (usize, Option<SourceLoc>),
        lifted: Lifted<'p>,
        assumed: Assumed,
        odds: Odds,
    ) -> Self {
        Self {
            nest,
            loc,
            lifted,
            assumed,
            scalars: None,
            rewrite: None,
            dependences: None,
            plan: None,
            odds,
            tuning: None,
            overlap: Vec::new(),
            weaker: None,
            program: None,
            weaker_loops: Default::default(),
            emitted: None,
            aligned: Vec::new(),
        }
    }
}

/// What a stage works on as a whole: all of a nest's statements, or those of one array after the other.
#[derive(Clone, Copy)]
enum Sets {
    OfNests,
    OfArrays,
}

/// Runs a stage on all models. A nest that it refuses keeps its original code.
fn for_all<'p>(run: &Run<'_, 'p>, outcome: &mut Outcome<'p>, stage: Stage, sets: Sets) {
    let nests = &mut outcome.nests;
    outcome.models.retain_mut(|model| {
        let ctx = model.lifted.scop.ctx.clone();
        let stmts = match sets {
            Sets::OfNests => model.lifted.scop.stmts.len(),
            Sets::OfArrays => 1,
        };
        let weight = weight(nests[model.nest].depth(), stmts);
        let result = run.within_budget(&ctx, weight, || stage(run, model));
        if let Err(reason) = &result {
            let obstacle = Obstacle::of_region(model.lifted.region, reason.clone());
            nests[model.nest].verdict = Verdict::Rejected(vec![obstacle]);
        }
        result.is_ok()
    });
}

/// Without success the model stays as it is.
fn scalars(run: &Run<'_, '_>, model: &mut Modelled<'_>) -> Result<(), Reason> {
    if run.options.delicm {
        let (rewrite, outcome) = without_scalars(&model.lifted.scop, &model.assumed.valid);
        (model.rewrite, model.scalars) = (rewrite, Some(outcome));
    }
    Ok(())
}

fn dependences(run: &Run<'_, '_>, model: &mut Modelled<'_>) -> Result<(), Reason> {
    mark_reductions(model).map_err(|error| of_isl(error, "dependences"))?;
    let in_threads = run.options.parallel || run.tunings.some_in_threads();
    let is_shown = run.options.print_after.iter().any(|stage| stage == "dependences");
    let found = dataflow::dependences(model.scop(), &analysis(in_threads || is_shown));
    model.dependences = Some(found.map_err(|error| match error {
        dataflow::Error::Budget { .. } => Reason::Budget { stage: "dependences".into() },
        error => Reason::Internal { message: error.to_string() },
    })?);
    Ok(())
}

/// Without scalars there are more reductions, and what is assumed tells more cells apart.
fn mark_reductions(model: &mut Modelled<'_>) -> isl::Result<()> {
    let (lifted, rewrite) = (&mut model.lifted, &mut model.rewrite);
    let links = &lifted.links;
    let reduced = match rewrite {
        Some(Rewrite { scop, stmts, .. }) => {
            reductions::mark_reductions(scop, |at, name| rewritten_op(stmts, links, at, name))?
        }
        None => reductions::mark_reductions(&mut lifted.scop, |at, name| {
            links[at.index()].ops.get(name).copied()
        })?,
    };
    lifted.reduced.extend(reduced);
    Ok(())
}

fn schedule(run: &Run<'_, '_>, model: &mut Modelled<'_>) -> Result<(), Reason> {
    let tuned = run.tunings.find(&run.pass.symbol(), model, model.loc.as_ref());
    let (tuning, options) = tuned.unzip();
    model.tuning = tuning;
    schedule_with(run, model, options.flatten().unwrap_or(run.options))
}

/// With the options of this nest.
fn schedule_with(run: &Run<'_, '_>, model: &mut Modelled<'_>, options: &Options) -> Result<(), Reason> {
    let machine = for_scheduler(&machine::known(run.pass, options, run.native), panel_bytes(run));
    if let Some(dependences) = &model.dependences {
        let planned = plan((model.scop(), model.nest), dependences, machine.clone(), options)?;
        let planned = unless_through_memory(model, planned);
        let better = with_copies(run, model, dependences, &planned, (&machine, options))
            .or_else(|| with_scratch(run, model, &planned, (&machine, options)));
        if let Some(better) = better {
            run.stack_left.set(run.stack_left.get() - better.stack_bytes);
            (model.rewrite, model.dependences) = (Some(better.rewrite), Some(better.dependences));
            model.plan = Some(better.plan);
        } else if let Some(own) = behind_check(&model.lifted.scop, &planned, options)? {
            model.plan = Some(own);
            if model.rewrite.take().is_some() {
                // They were those of the other model.
                model.dependences = None;
            }
        } else {
            model.plan = Some(planned);
        }
    }
    only_where_enough(options, model)?;
    // Without a second version the first is as good as before.
    match weaker(model, machine, options).unwrap_or(Tier::None) {
        Tier::None => {}
        Tier::Second(weaker) => model.weaker = Some(weaker),
        Tier::Instead(weaker) => {
            (model.plan, model.rewrite) = (Some(Plan::New(Box::new(weaker.order))), None);
            model.overlap = weaker.overlap;
        }
    }
    Ok(())
}

/// Loops that pay in threads only must be as fast inside as they were: sums that `delicm` put into cells of arrays are not, and LLVM makes
/// no vectors of them any more.
fn unless_through_memory(model: &Modelled<'_>, planned: Plan) -> Plan {
    match planned {
        Plan::New(new) if new.pays_in_threads_only && model.rewrite.is_some() => {
            let why = "its scalars would be in memory, which takes longer than threads save";
            Plan::Kept(schedule::Reason::NoThreads(why.into()))
        }
        other => other,
    }
}

/// New loops run where they are long enough for what they cost to begin.
fn only_where_enough(options: &Options, model: &mut Modelled<'_>) -> Result<(), Reason> {
    let Some(Plan::New(new)) = &model.plan else { return Ok(()) };
    let wanted = |error| of_isl(error, "schedule");
    let mut all = vec![is_enough(options, &model.lifted.scop, new).map_err(wanted)?];
    for demand in new.demands.iter().filter(|_| options.least_length > 0) {
        let enough = assume::has_enough_values(model.scop(), demand.stmt, demand.counter, demand.least);
        match enough.map_err(wanted)? {
            Enough::Never if !demand.of_constants => {}
            enough => all.push(enough),
        }
    }
    for each in all {
        match each {
            Enough::Always => {}
            Enough::Never => model.plan = Some(Plan::Kept(schedule::Reason::TooShort)),
            Enough::When(large) => {
                let worth = model.assumed.worth_running.clone().intersect(large);
                model.assumed.worth_running = worth.map_err(wanted)?;
            }
        }
    }
    Ok(())
}

fn is_enough(options: &Options, scop: &Scop, new: &NewOrder) -> isl::Result<Enough> {
    let length = i64::from(options.least_length);
    // Of products with sizes known at run time LLVM makes little; tiles are full only where there is much.
    let sum = match (new.form, new.own) {
        _ if length == 0 => return Ok(Enough::Always),
        // As vectors of which several are done at once: what is left behind these takes longer than before (`jacobi-1d` on a Xeon: 0.90 for n = 60,
        // 0.95 for 90, 1.03 for 120, 1.18 for 200).
        (None, Some(Gain::NextIteration)) => return assume::enough_in_rows(scop, length * 5 / 2),
        (None, _) => return Ok(Enough::Always),
        (Some(Form::Blocks), _) => length * 4 / 5,
        (Some(Form::Plain), _) => length,
        (Some(Form::Tiled), _) => length * 5 / 2,
        (Some(Form::Edges), _) => length * 4,
    };
    assume::enough(scop, Least { length, sum })
}

/// A better plan for a nest with small arrays that each iteration of a loop fills anew.
fn with_copies(
    run: &Run<'_, '_>,
    model: &Modelled<'_>,
    dependences: &Dependences,
    plan: &Plan,
    (machine, options): (&Machine, &Options),
) -> Option<Better> {
    let outcome = model.scalars.as_ref()?;
    if model.rewrite.is_none() != outcome.counts.is_nothing() {
        return None;
    }
    let nest = copies::Nest {
        lifted: &model.lifted.scop,
        scop: model.scop(),
        dependences,
        outcome,
        valid: &model.assumed.valid,
        plan,
        stack_left: run.stack_left.get(),
    };
    copies::better(&nest, machine, options)
}

/// A better plan for a nest with scalars that have no free cell.
fn with_scratch(
    run: &Run<'_, '_>,
    model: &Modelled<'_>,
    plan: &Plan,
    (machine, options): (&Machine, &Options),
) -> Option<Better> {
    let nest = scratch::Nest {
        lifted: &model.lifted.scop,
        valid: &model.assumed.valid,
        outcome: model.scalars.as_ref()?,
        plan,
        stack_left: run.stack_left.get(),
    };
    scratch::better(&nest, machine, options)
}

fn generate(_: &Run<'_, '_>, model: &mut Modelled<'_>) -> Result<(), Reason> {
    generate_weaker(model);
    let Some(Plan::New(new)) = &model.plan else { return Ok(()) };
    let scop = model.scop();
    let generate = || -> Result<_, astgen::Error> {
        let nodes = without_loops(loops_of(scop, new, &model.assumed.valid)?);
        let places = register_places(scop, &nodes, &model.assumed.valid);
        let check = without_dropped(assume::check(&model.lifted.scop, &model.assumed, &model.odds)?);
        let check = check.without(&model.overlap);
        let mut check = match &model.weaker {
            Some(weaker) => check.with_weaker(&weaker.overlap),
            None => check,
        };
        check.conjuncts.extend(model.rewrite.iter().flat_map(scratch::conjuncts));
        Ok(Program { nodes, places, check })
    };
    model.program = Some(generate().map_err(|error| match error {
        astgen::Error::Isl(error) if error.is_budget() => Reason::Budget { stage: "astgen".into() },
        astgen::Error::Overflow(what) => {
            Reason::NotModelled { what: format!("{what}, which may not fit 64 bits,") }
        }
        error => Reason::Internal { message: error.to_string() },
    })?);
    Ok(())
}

/// The loops of an order. Those in threads may be hard to find, or not have the form that they should: then without.
fn loops_of(scop: &Scop, order: &NewOrder, valid: &Set) -> Result<Vec<Node>, astgen::Error> {
    let Some(alone) = &order.alone else { return astgen::generate(scop, &order.schedule, valid) };
    let half = scop.ctx.operations_left().unwrap_or(u64::MAX) / 2;
    let in_threads = scop.ctx.with_budget(half, || astgen::generate(scop, &order.schedule, valid));
    match in_threads {
        Ok(nodes) if !astgen::threads(&nodes).is_empty() => Ok(nodes),
        _ => astgen::generate(scop, alone, valid),
    }
}

/// The loops of the second version, if there is one that can be had for little code.
fn generate_weaker(model: &mut Modelled<'_>) {
    let Some(weaker) = &model.weaker else { return };
    let (scop, valid) = (&model.lifted.scop, &model.assumed.valid);
    match loops_of(scop, &weaker.order, valid) {
        Ok(nodes) if astgen::size(&nodes) <= MOST_WEAKER => {
            let places = register_places(scop, &nodes, valid);
            model.weaker_loops = (nodes, places);
        }
        _ => model.weaker = None,
    }
}

/// How many loops, conditions and statements a second version may have.
const MOST_WEAKER: usize = 250;

/// Later regions first: what they use of earlier ones is then replaced together with the other uses.
fn emit_all<'p>(run: &Run<'_, 'p>, outcome: &mut Outcome<'p>) {
    let ready: Vec<_> = outcome.models.iter_mut().filter(|model| model.program.is_some()).collect();
    outcome.changed = !ready.is_empty();
    let memory = PanelMemory::new(panel_bytes(run));
    let is_kept = outcome.changed && run.pass.keep();
    let prepare = |model: &&mut Modelled<'p>| {
        let branches = model.program.as_ref().is_some_and(|program| program.check.quick().is_some());
        prepare(run.pass, &model.lifted, model.rewrite.as_ref(), branches)
    };
    let prepared: Vec<_> = ready.iter().map(prepare).collect();
    let (mut forks, mut versions): (Vec<Fork<'p>>, Vec<Aside<'p>>) = Default::default();
    for (model, prepared) in ready.into_iter().zip(prepared).rev() {
        let emitted = match (prepared, &model.program) {
            (Some(prepared), Some(Program { nodes, places, check })) => {
                let formats = run.formats(model, &outcome.nests[model.nest]);
                let versions = model.versions(nodes, places, forks_of(run.options));
                let check = (check, formats.as_ref());
                let emitted = emit(run.pass, &model.lifted, &prepared, &versions, &memory, check);
                emitted.and_then(|emitted| run.unless_broken(emitted))
            }
            _ => Err(Failure::Undone),
        };
        match emitted {
            Ok(emitted) => {
                model.emitted = Some(emitted.growth);
                forks.extend(emitted.forks);
                versions.extend(emitted.versions);
            }
            Err(Failure::Undone) => {
                let message = "a value of the new loops cannot be computed".into();
                let obstacle = Obstacle::of_region(model.lifted.region, Reason::Internal { message });
                outcome.nests[model.nest].verdict = Verdict::Rejected(vec![obstacle]);
            }
            Err(Failure::Broken(message)) => {
                let message = format!("the new loops are broken: {message}");
                return if is_kept { undo(run, outcome, &message) } else { refuse_to_compile(run, &message) };
            }
        }
    }
    if let Some(message) = make_functions(run, &forks, &versions) {
        let message = format!("the new loops are broken: {message}");
        if is_kept { undo(run, outcome, &message) } else { refuse_to_compile(run, &message) }
    }
}

/// Smaller variables stay where they are.
const MANY_LINES: u64 = 8;

/// Lets variables of the module begin where cache lines do: of vectors as wide as a line each second one lies across two lines
/// otherwise, or all do, and takes twice as long to load and to store (a third of the time of `jacobi-1d` on a Zen 5). Of nests that keep
/// their code only where LLVM makes such vectors: with narrower ones it makes no difference to speak of (1.03 times the time of `jacobi-1d`
/// on an Intel). Where an array begins is no business of the program's. Rows that are not whole lines begin anywhere whatever the array
/// does: such arrays stay where they are.
fn align_arrays<'p>(run: &Run<'_, 'p>, outcome: &mut Outcome<'p>) {
    if !run.options.align_arrays || outcome.models.is_empty() {
        return;
    }
    let machine = machine::known(run.pass, run.options, run.native);
    let line = machine.line_bytes.value;
    let has_lines = machine.vector_bits.value / 8 >= line;
    let is_long = |base| run.pass.object_bytes(base).is_some_and(|bytes| bytes >= MANY_LINES * line);
    let moved = |(source, array): (&ArraySource<'p>, &Array)| match source {
        ArraySource::Base(base)
            if is_long(*base) && has_whole_lines(array, line) && run.pass.align_object(*base, line) =>
        {
            Some(base.readable())
        }
        _ => None,
    };
    for model in outcome.models.iter_mut().filter(|model| has_lines || model.program.is_some()) {
        let all = model.lifted.arrays.iter().zip(&model.lifted.scop.arrays);
        model.aligned = all.filter_map(moved).collect();
    }
}

/// Whether all rows begin at lines if the first one does.
fn has_whole_lines(array: &Array, line: u64) -> bool {
    let cells = || array.shape.last()?.as_ref()?.parse::<u64>().ok();
    let bytes = || cells()?.checked_mul(u64::from(array.elem_bytes));
    array.shape.len() < 2 || bytes().is_some_and(|bytes| bytes % line == 0)
}

/// What is to run in threads becomes functions, and so do new loops that are set aside; what LLVM's verifier says against that.
fn make_functions<'p>(run: &Run<'_, 'p>, forks: &[Fork<'p>], versions: &[Aside<'p>]) -> Option<String> {
    let in_threads = forks.iter().filter(|fork| fork.outline(run.pass)).count();
    let aside = match versions {
        [only] if only.divide(run.pass) => 0,
        _ => versions.iter().filter(|version| version.set(run.pass)).count(),
    };
    match in_threads + aside {
        0 => None,
        _ if in_threads > 0 && run.is_to_break() => Some("asked to be".into()),
        _ => run.pass.verify(),
    }
}

fn forks_of(options: &Options) -> Forks {
    match (options.parallel, options.parallel_always) {
        (false, _) => Forks::Never,
        (true, false) => Forks::IfWorth,
        (true, true) => Forks::Always,
    }
}

/// The function will be what it was before anything was emitted.
fn undo<'p>(run: &Run<'_, 'p>, outcome: &mut Outcome<'p>, message: &str) {
    run.pass.undo();
    outcome.changed = false;
    let reason = say_left_as_it_was(&run.pass.symbol(), message);
    for model in outcome.models.iter_mut().filter(|model| model.program.is_some()) {
        (model.program, model.emitted) = (None, None);
        let obstacle = Obstacle::of_region(model.lifted.region, reason.clone());
        outcome.nests[model.nest].verdict = Verdict::Rejected(vec![obstacle]);
    }
}

/// Says that Orthant failed in a function; the reason for reports.
pub(crate) fn say_left_as_it_was(symbol: &str, message: &str) -> Reason {
    let reason = Reason::Internal { message: message.into() };
    let remedy = reason.remedy();
    eprintln!("orthant: internal error in function {symbol}, which is left as it was: {message} ({remedy})");
    reason
}

fn refuse_to_compile(run: &Run<'_, '_>, message: &str) {
    run.pass.error(&format!("orthant: internal error in function {}: {message}", run.pass.symbol()));
}

impl Run<'_, '_> {
    /// Tests call new loops broken that are not; those in threads when the threads' functions are made.
    fn unless_broken<'p>(&self, emitted: Emitted<'p>) -> Result<Emitted<'p>, Failure> {
        match self.is_to_break() && emitted.forks.is_empty() {
            true => Err(Failure::Broken("asked to be".into())),
            false => Ok(emitted),
        }
    }

    fn is_to_break(&self) -> bool {
        self.options.break_in.as_ref().is_some_and(|name| *name == self.pass.symbol())
    }

    /// How likely parts of a nest's check fail, as far as that was counted.
    fn odds(&self, nest: &Nest<'_>) -> Odds {
        let (symbol, loc) = (self.pass.symbol(), nest.loc());
        let is_it = |counted: &&Counted| counted.symbol == symbol && counted.loc == loc;
        Odds(self.counts.iter().find(is_it).map(Counted::failures).unwrap_or_default())
    }

    /// How the program prints how often the parts of a check held, if it is to count that.
    fn formats(&self, model: &Modelled<'_>, nest: &Nest<'_>) -> Option<Formats> {
        if !self.options.count_checks {
            return None;
        }
        let conditions = conditions(model);
        let (table, json) = report::formats(&self.pass.symbol(), nest.loc().as_ref(), &conditions);
        Some(Formats { table, json })
    }

    /// Runs isl on the function's budget; its operations cost `weight` units. A stage may take half of what is left for
    /// one nest, so that one that explodes leaves something for the others.
    fn within_budget<T>(&self, ctx: &Ctx, weight: u64, work: impl FnOnce() -> T) -> T {
        let share = self.budget.left().map_or(u64::MAX, |left| left / 2 / weight);
        ctx.with_budget(share, || {
            let result = work();
            let used = share - ctx.operations_left().unwrap_or(0).min(share);
            // What is spent is noticed by whoever asks for more.
            let _ = self.budget.spend(usize::try_from(used.saturating_mul(weight)).unwrap_or(usize::MAX));
            result
        })
    }
}

/// What a function may cost: twice as much if there are also loops that may run in threads to find and to prove.
fn budget(options: &Options) -> u64 {
    options.budget.saturating_mul(if options.parallel { 2 } else { 1 })
}

/// How many units an operation of isl costs: with many dimensions its matrices are large, and with many statements much
/// is done that is not counted.
fn weight(depth: u32, stmts: usize) -> u64 {
    let beyond = u64::from(depth.saturating_sub(4));
    1 + beyond * beyond / 4 + stmts as u64 / 12
}
