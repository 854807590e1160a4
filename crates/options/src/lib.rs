//! The one table of options, and the validated [`Options`] made from it.
//!
//! [`TABLE`] is the only place that names an option. It feeds the plugin's `-mllvm -orthant-NAME=VALUE`,
//! the pass parameters `orthant<NAME=VALUE;...>`, the variable `ORTHANT_OPTS`, `orthant --help`, the man
//! page, the shell completions and `docs/options.md`.
//!
//! Sources are layered, the later wins: defaults, the file named by `ORTHANT_CONFIG`, `ORTHANT_OPTS`,
//! the command line, the pass parameters. [`Options::from_layers`] checks everything once; after that an
//! `Options` is passed by reference and never changes.

mod markdown;
mod parse;
mod table;

pub use markdown::markdown;
pub use parse::{Layer, OptionError, Origin, Problem, Setting};
pub use table::{Kind, STAGES, Spec, TABLE, spec};

use regex::Regex;
use std::path::PathBuf;

/// Where in the host's pipeline the pass runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// Just before the loop vectorizer, after inlining and all scalar optimizations.
    Late,
    /// Before inlining and the loop optimizations.
    Early,
}

/// Where the order of new loops comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// From the scheduler, if what it finds pays.
    Auto,
    /// From the program itself: measures the quality of the emitted code.
    Identity,
    /// There are no new loops.
    Keep,
}

/// Where scalars may go that keep loops from being reordered and have no free cell in an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expand {
    /// Nowhere.
    None,
    /// Into arrays of constant size on the stack, up to a fixed number of bytes in each function.
    Stack,
    /// Into memory from `malloc`, up to a fixed number of bytes for each nest.
    Heap,
}

/// What may be assumed of a nest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assumptions {
    /// Everything that can be checked at run time.
    All,
    /// Nothing.
    None,
}

/// Whose caches orders are chosen for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Nobody's: sizes that suit most machines.
    Generic,
    /// Those of the processor that is compiled for, as far as LLVM knows them.
    Target,
    /// Those of the machine that compiles.
    Native,
}

/// When there is a second version of new loops, for when arrays overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiers {
    /// Where that is expected to pay.
    Auto,
    /// Never.
    Never,
    /// Always, for the arrays that most likely overlap.
    Always,
}

/// Everything a run needs to know, validated.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether the pass does anything.
    pub enable: bool,
    /// Where it runs.
    pub position: Position,
    /// Functions to look at, matched against the symbol and the demangled name.
    pub only: Option<Regex>,
    /// The file that function reports are appended to.
    pub report: Option<PathBuf>,
    /// The stage after which the pipeline stops.
    pub stop_after: Option<String>,
    /// The stages whose result is printed to standard error.
    pub print_after: Vec<String>,
    /// The order of new loops.
    pub schedule: Schedule,
    /// Tile sizes, outermost first; empty: as the cost model says.
    pub tiles: Vec<u64>,
    /// The file with options for single nests.
    pub tuned: Option<PathBuf>,
    /// How many percent faster new loops must be expected to be.
    pub least_gain: u32,
    /// How long loops must be for new ones; 0: as long as they are.
    pub least_length: u32,
    /// Whether blocks of cells are kept in registers.
    pub registers: bool,
    /// Whether the operands that such blocks share are kept on the stack.
    pub panels: bool,
    /// Whether variables that nests walk over begin where cache lines do.
    pub align_arrays: bool,
    /// Whether rows that wait for themselves are written out.
    pub rows: bool,
    /// Whether outer loops may run in threads.
    pub parallel: bool,
    /// How many threads to plan for; 0 is as many as the machine has.
    pub threads: u32,
    /// Whether threads are used however little there is to do: tests that it is right.
    pub parallel_always: bool,
    /// Whose caches orders are chosen for.
    pub machine: Whose,
    /// Bytes of the first-level data cache, if not as [`Options::machine`] says.
    pub l1_bytes: Option<u64>,
    /// Bytes of the second-level cache.
    pub l2_bytes: Option<u64>,
    /// Ways of the first-level data cache; 0 is as [`Options::machine`] says.
    pub l1_ways: u32,
    /// Ways of the second-level cache.
    pub l2_ways: u32,
    /// Bytes of the third-level cache.
    pub l3_bytes: Option<u64>,
    /// Bytes of a cache line.
    pub line_bytes: Option<u64>,
    /// The file that what is known of the machine is written to.
    pub machine_out: Option<PathBuf>,
    /// The folder that orders are read from.
    pub schedule_in: Option<PathBuf>,
    /// The folder that orders are written to.
    pub schedule_out: Option<PathBuf>,
    /// What may be assumed of a nest.
    pub assumptions: Assumptions,
    /// When there is a second version of new loops.
    pub tiers: Tiers,
    /// The file with what the program counted earlier.
    pub use_counts: Option<PathBuf>,
    /// Whether the program counts how often each part of each run-time check holds.
    pub count_checks: bool,
    /// Whether scalars are removed where that is possible.
    pub delicm: bool,
    /// Where scalars without a free cell may go.
    pub expand: Expand,
    /// Whether they go there even if that does not pay: tests that it is right.
    pub expand_always: bool,
    /// Whether the time of each stage is printed when the host ends.
    pub time: bool,
    /// Work units that one function may use; 0 is no limit.
    pub budget: u64,
    /// How many shapes are tried for an array.
    pub shape_candidates: usize,
    /// The greatest constant that is tried as part of a size.
    pub shape_alphas: u32,
    /// The greatest multiple of a size that is moved between subscripts.
    pub shape_shifts: u32,
    /// A function in which to panic: tests that a failure leaves the host alone.
    pub panic_in: Option<String>,
    /// The function whose new loops are called broken, for tests.
    pub break_in: Option<String>,
}
