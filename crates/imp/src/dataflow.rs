//! `orthant dataflow`: the analysis of a whole program, and its results in the user's terms.
//!
//! The analysis works on rounds ([`crate::reach`]). Results are given in the *counters* of the iteration vectors
//! (`s3[k0, k1]`), in the *program's own variables* (`s3[i]`), or both. The bridge to the latter is the paper's
//! `convert` (Section 5.1): for every loop around a statement one variable is chosen, the counter of a `for`, or for a
//! `while` a scalar that the loop changes, such that rounds and chosen variables determine each other in the
//! statement's whole domain. Where a reach is not exact, or no scalar qualifies, the loop's counter `k` takes the
//! variable's place.
//!
//! Every relation says whether it is exact; if not, why and in which line. See [`crate::flow`] for what is claimed of each.

use crate::affine::{StateVar, safe_name};
use crate::allowance::Allowance;
use crate::flow::{Flow, flow, pairs};
use crate::reach::{Budget, Reaches, reaches};
use crate::resolve::*;
use isl::{DimType, Map};
use std::cell::OnceCell;

/// What to compute and how to show it.
#[derive(Clone, Debug)]
pub struct Options {
    /// Show relations over the counters of the iteration vectors.
    pub counters: bool,
    /// Show relations over the program's own variables.
    pub variables: bool,
    /// Only these variables (all, if there are none).
    pub only: Vec<String>,
    /// Output dependences as well.
    pub output: bool,
    /// How much work to do.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            counters: false,
            variables: true,
            only: Vec::new(),
            output: false,
            budget: Budget::default(),
        }
    }
}

/// The most pairs of an access and a writing statement that are analysed.
pub const MOST_PAIRS: usize = 100_000;

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The options name something that the program does not have.
    #[error("the program has no variable `{name}`; it has {known}")]
    NoSuchVariable {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The options name a statement that the program does not have.
    #[error("the program has no statement `{name}`; it has {known}")]
    NoSuchStatement {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The options name a variable that the statement does not read.
    #[error("the statement `{statement}` does not read `{name}`; it reads {known}")]
    NotRead {
        /// The statement.
        statement: String,
        /// The name given.
        name: String,
        /// What it reads.
        known: String,
    },
    /// The program has no exact model.
    #[error("the program has no exact model: {reason} (line {line})")]
    NotRegular {
        /// Why.
        reason: String,
        /// Where.
        line: usize,
    },
    /// The program is too large.
    #[error(
        "the program has {pairs} pairs of an access and a statement that writes its variable, and at most {MOST_PAIRS} are \
         analysed: choose variables (--only), or a part of the program"
    )]
    TooLarge {
        /// The pairs.
        pairs: usize,
    },
    /// A run has more pairs of operations than can be compared.
    #[error("the run has too many pairs of operations to compare; choose smaller values")]
    TooManyPairs,
    /// The model that was built breaks its own rules: a defect of ours.
    #[error("internal error: {0}; please report it with the program")]
    Model(#[from] model::verify::Invalid),
    /// The program cannot be run.
    #[error("{0}")]
    Run(#[from] crate::diag::Diagnostic),
    /// The set library failed: a defect of ours.
    #[error("internal error: {0}; please report it with the program")]
    Isl(#[from] isl::Error),
}

/// The result of the analysis.
pub struct Dataflow<'p> {
    /// The program.
    pub program: &'p Program,
    /// What was asked.
    pub options: Options,
    /// Which operations happen.
    pub reaches: Reaches<'p>,
    /// The dependences.
    pub flow: Flow,
    /// By variable: whether it is a scalar that steers the program and whose value is known everywhere.
    pub counting: Vec<bool>,
    bridges: Vec<OnceCell<Bridge>>,
    /// For finding the bridges.
    bridging: Allowance,
    /// For putting results into words.
    pub(crate) words: Allowance,
}

/// The ways to write the rounds of one statement.
pub(crate) struct Bridge {
    /// `{ [t] -> name[k0, ...] }`.
    pub(crate) counters: Map,
    /// `{ [t] -> name[i, ...] }`.
    pub(crate) variables: Map,
    /// The variables' names.
    pub(crate) names: Vec<String>,
}

/// Analyses a program.
pub fn dataflow<'p>(program: &'p Program, options: &Options) -> Result<Dataflow<'p>, Error> {
    for name in &options.only {
        if !program.vars.iter().any(|var| var.name == *name) {
            let known: Vec<&str> = program.vars.iter().map(|var| var.name.as_str()).collect();
            return Err(Error::NoSuchVariable { name: name.clone(), known: known.join(", ") });
        }
    }
    let wanted =
        |var: VarId| options.only.is_empty() || options.only.contains(&program.vars[var.index()].name);
    let pairs = pairs(program, options.output, &wanted);
    if pairs > MOST_PAIRS {
        return Err(Error::TooLarge { pairs });
    }
    let reaches = reaches(program, options.budget)?;
    let flow = flow(&reaches, reaches.budget, options.output, &wanted)?;
    let (words, bridging) = (Allowance::new(reaches.budget.words), Allowance::new(reaches.budget.words));
    let bridges = program.ops.iter().map(|_| OnceCell::new()).collect();
    let counting = counting(&reaches);
    Ok(Dataflow { program, options: options.clone(), reaches, flow, counting, bridges, bridging, words })
}

/// By variable: whether it is a scalar that steers and is known everywhere.
fn counting(reaches: &Reaches<'_>) -> Vec<bool> {
    let unknown = reaches.of.iter().fold(0, |mask, reach| mask | reach.unknown);
    let mut counting = vec![false; reaches.program.vars.len()];
    for (at, var) in reaches.layout.vars.iter().enumerate() {
        if let StateVar::Scalar(id) = var {
            counting[id.index()] = unknown & (1 << at) == 0 && reaches.loops.iter().all(Option::is_none);
        }
    }
    counting
}

/// How many isl operations the search for a statement's variables may take, and the tidying of one relation.
pub(crate) const BRIDGE: u64 = 100_000;

fn bridge(reaches: &Reaches<'_>, id: OpId, allowance: &Allowance) -> isl::Result<Bridge> {
    let op = &reaches.program.ops[id.index()];
    let taken: Vec<&str> = reaches.layout.all_params().collect();
    let name = safe_name(&op.name, &[]);
    let rounds: Vec<String> =
        (0..op.loops().count()).map(|k| reaches.layout.fresh(&format!("t{k}"))).collect();
    let mut level = 0;
    let mut components = Vec::new();
    for dim in &op.dims {
        match dim.of {
            None => components.push(dim.position.to_string()),
            Some(_) => {
                components.push(format!("{} + {}*{}", dim.position, dim.stride, rounds[level]));
                level += 1;
            }
        }
    }
    let text = format!(
        "{}{{ [{}] -> [{}] }}",
        reaches.layout.param_tuple(),
        rounds.join(", "),
        components.join(", ")
    );
    let mut counters: Map = reaches.ctx.parse(&text)?;
    for (at, dim) in op.dims.iter().enumerate() {
        counters = counters.set_dim_name(DimType::Out, at, &unused(format!("k{}", dim.kappa), &taken))?;
    }
    let counters = counters.set_tuple_name(DimType::Out, &name)?;
    let search = || own_variables(reaches, id, true, &rounds, &taken);
    let found = allowance.within(&reaches.ctx, BRIDGE, search);
    let (variables, names) = match found {
        Err(error) if error.is_budget() => own_variables(reaches, id, false, &rounds, &taken)?,
        found => found?,
    };
    Ok(Bridge { counters, variables: variables.set_tuple_name(DimType::Out, &name)?, names })
}

fn unused(mut name: String, taken: &[&str]) -> String {
    while taken.contains(&name.as_str()) {
        name.push('_');
    }
    name
}

/// The paper's `convert`, inverted: `{ [t] -> [i, j, ...] }`, and the names.
fn own_variables(
    reaches: &Reaches<'_>,
    id: OpId,
    search: bool,
    rounds: &[String],
    taken: &[&str],
) -> isl::Result<(Map, Vec<String>)> {
    let op = &reaches.program.ops[id.index()];
    let levels: Vec<&Dim> = op.dims.iter().filter(|dim| dim.of.is_some()).collect();
    let mut choice: Vec<Option<usize>> = vec![None; levels.len()];
    if search && reaches.of[id.index()].why.is_none() {
        for level in 0..levels.len() {
            for candidate in candidates(reaches, levels[level], id) {
                let already = choice.contains(&Some(candidate));
                choice[level] = Some(candidate);
                if !already && chosen(reaches, id, &levels, &choice, rounds)?.is_bijective()? {
                    break;
                }
                choice[level] = None;
            }
        }
    }
    let mut map = if search {
        chosen(reaches, id, &levels, &choice, rounds)?
    } else {
        counters_only(reaches, &levels, rounds)?
    };
    let mut names = Vec::new();
    for (at, (dim, choice)) in levels.iter().zip(&choice).enumerate() {
        let name = match choice.map(|k| reaches.layout.vars[k]) {
            Some(StateVar::Scalar(var)) => reaches.program.vars[var.index()].name.clone(),
            Some(StateVar::Counter(counter)) => reaches.program.counters[counter.index()].name.clone(),
            _ => format!("k{}", dim.kappa),
        };
        let name = unused(safe_name(&name, taken), taken);
        map = map.set_dim_name(DimType::Out, at, &name)?;
        names.push(name);
    }
    Ok((map, names))
}

/// State variables that may stand for a loop's counter, the likeliest first.
fn candidates(reaches: &Reaches<'_>, dim: &Dim, id: OpId) -> Vec<usize> {
    let Some(of) = dim.of else { return Vec::new() };
    let unknown = reaches.of[id.index()].unknown | reaches.of[id.index()].dead;
    let info = &reaches.program.loops[of.index()];
    if let Some(counter) = info.counter {
        return reaches.layout.counter(counter).into_iter().collect();
    }
    let mut found = Vec::new();
    let tested =
        reaches.program.ops[info.op.index()].reads.iter().filter_map(|read| reaches.layout.scalar(read.var));
    let others = (0..reaches.layout.len()).filter(|k| matches!(reaches.layout.vars[*k], StateVar::Scalar(_)));
    for k in tested.chain(others) {
        if !found.contains(&k) && unknown & (1 << k) == 0 {
            found.push(k);
        }
    }
    found
}

/// `{ [t] -> [chosen variable, or counter] }` on the statement's domain.
fn chosen(
    reaches: &Reaches<'_>,
    id: OpId,
    levels: &[&Dim],
    choice: &[Option<usize>],
    rounds: &[String],
) -> isl::Result<Map> {
    let layout = &reaches.layout;
    let components: Vec<String> = levels
        .iter()
        .zip(choice)
        .zip(rounds)
        .map(|((dim, choice), t)| match choice {
            Some(k) => layout.name(*k),
            None => format!("{} + {}*{t}", dim.position, dim.stride),
        })
        .collect();
    // { [t, x] -> [component] }, joined with the graph of the reach.
    let state: Vec<String> =
        rounds.iter().cloned().chain((0..layout.len()).map(|k| layout.name(k))).collect();
    let text = format!("{}{{ [{}] -> [{}] }}", layout.param_tuple(), state.join(", "), components.join(", "));
    let read: Map = reaches.ctx.parse(&text)?;
    let graph = reaches.of[id.index()].map.clone().wrap()?.flatten()?;
    read.intersect_domain(graph)?.project_out(DimType::In, rounds.len(), layout.len())?.coalesce()
}

/// The counters of the loops, without looking at the domain.
fn counters_only(reaches: &Reaches<'_>, levels: &[&Dim], rounds: &[String]) -> isl::Result<Map> {
    let component = |(dim, t): (&&Dim, &String)| format!("{} + {}*{t}", dim.position, dim.stride);
    let components: Vec<String> = levels.iter().zip(rounds).map(component).collect();
    let params = reaches.layout.param_tuple();
    reaches.ctx.parse(&format!("{params}{{ [{}] -> [{}] }}", rounds.join(", "), components.join(", ")))
}

impl Dataflow<'_> {
    /// Whether every relation is exact.
    pub fn is_exact(&self) -> bool {
        self.reaches.of.iter().all(|reach| reach.why.is_none())
            && self.flow.dependences.iter().all(|d| d.direct_why.is_none())
            && self.flow.inputs.iter().all(|i| i.why.is_none())
    }

    pub(crate) fn op(&self, id: OpId) -> &Op {
        &self.program.ops[id.index()]
    }

    /// `{ [t2] -> [t1] }` over the program's variables (or the counters), with names.
    pub fn translate(&self, sink: OpId, source: OpId, map: &Map, variables: bool) -> isl::Result<Map> {
        let pick = |op: OpId| {
            let bridge = self.bridge(op)?;
            Ok(if variables { bridge.variables.clone() } else { bridge.counters.clone() })
        };
        map.clone().apply_domain(pick(sink)?)?.apply_range(pick(source)?)
    }

    /// The ways to write the rounds of a statement, found when first asked for.
    pub(crate) fn bridge(&self, op: OpId) -> isl::Result<&Bridge> {
        let cell = &self.bridges[op.index()];
        if let Some(bridge) = cell.get() {
            return Ok(bridge);
        }
        let found = bridge(&self.reaches, op, &self.bridging)?;
        Ok(cell.get_or_init(|| found))
    }
}
