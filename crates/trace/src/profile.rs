//! The result of watching a run: what `orthant profile --json` writes and what advice and reports are made from.
//!
//! A [`Profile`] is plain data. Its parts:
//!
//! ```text
//! Profile
//!   nests: Nest*                 an outermost loop in a calling context, with all that runs inside it, calls included
//!     loops: Loop*               a forest by `parent`; `loops[0]` is the outermost
//!     statements: Statement*     one machine instruction in one calling context; its dimensions are `loops`
//!     dependences: Dependence*   from an instance that used a value to the instance that made it
//! ```
//!
//! **Iteration vectors** are canonical: each loop counts its iterations from 0, whatever the program's own counter
//! does (Section 4.1 of the paper). A statement's dimensions are the loops around it, outermost first, through calls:
//! a loop in `main` that calls `f` is a dimension of the statements in `f`. They are named `i0`, `i1`, ... in isl text.
//!
//! **Exactness.** [`Folded::exact`] says that the text reproduces what was observed. If it is false, the result
//! contains what was observed and possibly more. Nothing here is proved of other runs.
//!
//! **Dependences** are read backwards, as in Table 4: the domain is the instance that consumes, the label is the
//! iteration vector of the instance that produced. Those of induction variables are left out of [`Nest::dependences`]
//! (Section 4.3) and only counted in [`Nest::induction_dependences`].
//!
//! Example: `sum += a[k]` inside `for (j..16) for (k..43)` has, for the addition,
//! `{ [i0, i1] -> [i0, -1 + i1] : 0 <= i0 <= 15 and 1 <= i1 <= 42 }`, exact, with [`Dependence::distance`]
//! `[Some(0), Some(1)]`.

use model::SourceLoc;
use serde::{Deserialize, Serialize};

/// The version of the JSON form.
pub const FORMAT: u32 = 1;

/// What one run of a program has shown.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Profile {
    /// [`FORMAT`].
    pub format: u32,
    /// The program and how it ended.
    pub program: Program,
    /// How the data was collected.
    pub collection: Collection,
    /// Counts over the whole run.
    pub totals: Totals,
    /// The loop nests, most costly first.
    pub nests: Vec<Nest>,
    /// What the reader should know before believing the rest.
    pub warnings: Vec<Warning>,
}

/// The program that ran.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Program {
    /// The executable.
    pub path: String,
    /// Its arguments, without the program's name.
    pub arguments: Vec<String>,
    /// How it ended.
    pub ended: Ended,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ended {
    /// By itself, with this exit status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It ran longer than `--timeout` allows and was stopped; the profile is of what happened until then.
    Timeout,
    /// Nobody looked.
    #[default]
    Unknown,
}

/// How the data was collected.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Collection {
    /// Only blocks and loops were observed (`--survey`): no statements, no dependences.
    pub survey: bool,
    /// The survey is of samples, one per millisecond of processor time: all counts of instructions are counts of samples, and loops have
    /// no iterations.
    #[serde(default)]
    pub sampled: bool,
    /// Where integer results came from: `"recomputed"` from the decoded instructions, or `"read"` from registers.
    pub values: String,
    /// The emulator and its version.
    pub emulator: String,
    /// Files whose code was observed instruction by instruction; all other code counts as the call that reached it.
    pub instrumented: Vec<String>,
    /// Folding mode of the dependences (see [`fold::Mode`]).
    pub mode: String,
    /// Whether anti and output dependences were asked for.
    pub memory_dependences: bool,
    /// Wall-clock seconds of the observed run.
    pub seconds: f64,
}

/// Counts over the whole run.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Totals {
    /// Instructions executed in the instrumented files.
    pub instructions: u64,
    /// Of those, inside some loop.
    pub instructions_in_loops: u64,
    /// Memory accesses seen, those of library code included.
    pub accesses: u64,
    /// Instances of statements (instructions in loops).
    pub instruction_points: u64,
    /// Of those, without a memory access or in a piece of it without an unknown coefficient: the paper's `%A`.
    pub instruction_points_affine: u64,
    /// Pieces of all statements: the paper's `#P`.
    pub instruction_pieces: u64,
    /// Instances of dependences.
    pub dependence_points: u64,
    /// Of those, in pieces without an unknown coefficient: the paper's `%A` for dependences.
    pub dependence_points_affine: u64,
    /// Pieces of all dependences.
    pub dependence_pieces: u64,
    /// Intermediate polyhedra of addresses and values: the sum over the streams of each one's maximum, so at least the
    /// paper's `#MP_I`.
    pub instruction_intermediate: u64,
    /// The same of dependences.
    pub dependence_intermediate: u64,
    /// Threads of the program.
    pub threads: u32,
}

/// An outermost loop in its calling context, with all that runs inside.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Nest {
    /// Position in the profile.
    pub id: u32,
    /// The calls that lead to the nest, outermost first; the last one is the function of `loops[0]`.
    pub context: Vec<Frame>,
    /// The thread, from 0.
    pub thread: u32,
    /// Instructions executed inside.
    pub instructions: u64,
    /// `instructions` out of all of the run, 0 to 1.
    pub share: f64,
    /// The loops; `loops[0]` is the outermost, and a loop's parent stands before it.
    pub loops: Vec<Loop>,
    /// The statements, in order of address within each loop. Empty in a survey.
    pub statements: Vec<Statement>,
    /// Dependences between the statements, those of induction variables left out.
    pub dependences: Vec<Dependence>,
    /// Dependences left out because they concern induction variables.
    pub induction_dependences: u32,
    /// Dependences on statements of other nests: the position of that nest in the profile, and how many streams.
    pub from_nests: Vec<(u32, u32)>,
    /// Those of them, without those of induction variables, on nests of the same call.
    #[serde(default)]
    pub from_neighbours: Vec<FromNest>,
}

/// A dependence on a statement of another nest.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct FromNest {
    /// Position of that nest in the profile.
    pub nest: u32,
    /// The dependence; its source is a statement of that nest, and no loop is around both.
    pub dependence: Dependence,
}

/// A place in the code: an offset that does not depend on where the file was loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub struct Address {
    /// Position in [`Collection::instrumented`].
    pub file: u32,
    /// The address as the file's own symbol table and debug information count.
    pub offset: u64,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Frame {
    /// The function that was called, demangled; an address if there is no symbol.
    pub function: String,
    /// Where it was called from; `None` for the first.
    pub called_from: Option<SourceLoc>,
    /// The address of the function.
    pub address: Address,
    /// The address of the call.
    pub call: Address,
}

/// What a loop is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LoopKind {
    /// A cycle in the control flow of a function.
    #[default]
    Loop,
    /// Calls of a function that is active already: each call, and each return into one, is an iteration.
    Recursion,
}

/// One loop of a nest.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Loop {
    /// Position in [`Nest::loops`].
    pub id: u32,
    /// The loop around it, possibly in a calling function.
    pub parent: Option<u32>,
    /// Its dimension: 0 for the outermost.
    pub dimension: u32,
    /// Loop or recursion.
    pub kind: LoopKind,
    /// The function it is in, demangled.
    pub function: String,
    /// Calls between the loop around it and this one, outermost first; empty in the same function.
    pub calls: Vec<Frame>,
    /// Where it stands in the source.
    pub loc: Option<SourceLoc>,
    /// Address of its header.
    pub address: Address,
    /// Address of a jump back to the header; its line is where the loop's condition or end stands.
    pub latch: Address,
    /// How often it was entered.
    pub entries: u64,
    /// Iterations in all.
    pub iterations: u64,
    /// Instructions executed inside, inner loops and calls included.
    pub instructions: u64,
}

/// What a statement does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// Integer arithmetic and moves between registers.
    #[default]
    Integer,
    /// Floating-point or vector arithmetic.
    Float,
    /// Only moves data between memory and registers.
    Move,
    /// A call of code that was not instrumented: a library function as one statement.
    Call,
    /// A branch, a comparison, or anything else.
    Other,
}

/// One machine instruction in one calling context.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Statement {
    /// Position in [`Nest::statements`].
    pub id: u32,
    /// Its address.
    pub address: Address,
    /// The instruction as text.
    pub text: String,
    /// The function it is in, or was inlined into the code from.
    pub function: String,
    /// Where it stands in the source.
    pub loc: Option<SourceLoc>,
    /// What it does.
    pub class: Class,
    /// The loops around it, outermost first: its dimensions.
    pub loops: Vec<u32>,
    /// How often it ran.
    pub instances: u64,
    /// When it ran.
    pub domain: Folded,
    /// Its memory accesses.
    pub accesses: Vec<Access>,
    /// The integers that it computed (without labels if it computes none).
    pub value: Option<Folded>,
    /// Whether it only computes an induction variable: its value is affine, and so are all it is computed from.
    pub induction: bool,
    /// Whether it adds to, multiplies, ... its own previous result and nothing else does: a reduction if reordering is
    /// allowed. Only floating-point and integer arithmetic that is associative in exact arithmetic.
    pub accumulates: bool,
}

/// Read or write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AccessKind {
    /// A load.
    #[default]
    Read,
    /// A store.
    Write,
}

/// A memory access of a statement.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Access {
    /// Load or store.
    pub kind: AccessKind,
    /// Bytes at a time.
    pub size: u32,
    /// The addresses.
    pub address: Folded,
    /// Bytes from one iteration to the next of each dimension, where that is the same in all pieces; `None`: irregular.
    pub stride: Vec<Option<i64>>,
    /// Whether one instance accesses several places (`rep movs`, gathers): `address` is of the first.
    pub several: bool,
}

/// Which values must not be overtaken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DependenceKind {
    /// Read after write.
    #[default]
    Flow,
    /// Write after read (the latest read by each statement).
    Anti,
    /// Write after write.
    Output,
}

/// What carries a dependence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Carrier {
    /// A register.
    Register,
    /// Memory.
    #[default]
    Memory,
}

/// Instances of `target` use what instances of `source` made.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Dependence {
    /// The statement that comes first.
    pub source: u32,
    /// The statement that comes later.
    pub target: u32,
    /// Flow, anti or output.
    pub kind: DependenceKind,
    /// Register or memory.
    pub carrier: Carrier,
    /// From iteration vectors of `target` to iteration vectors of `source`.
    pub relation: Folded,
    /// For the loops that both statements are in, outermost first: target minus source, where that is the same for
    /// all instances; `None`: it varies or is not known.
    pub distance: Vec<Option<i64>>,
    /// The smallest number of loops around the target that can be its carrier: the first common dimension whose
    /// distance can be other than 0, from 0; `None` if source and target are always in the same iteration of all common
    /// loops.
    pub carried_by: Option<u32>,
    /// Whether source and target ran on different threads.
    pub across_threads: bool,
}

/// A folded stream.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Folded {
    /// The whole set or map in isl's notation. It contains what was observed, and equals it if `exact`.
    pub isl: String,
    /// Whether domain and labels are exactly what was observed.
    pub exact: bool,
    /// Whether the domain alone is.
    pub exact_domain: bool,
    /// Points that were folded.
    pub points: u64,
    /// Of those, in pieces whose labels have no unknown coefficient.
    pub points_affine: u64,
    /// The pieces.
    pub pieces: Vec<Piece>,
}

/// One polyhedron with its label functions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Piece {
    /// The piece alone, in isl's notation.
    pub isl: String,
    /// Whether domain and labels are exact.
    pub exact: bool,
    /// Whether the domain is exact.
    pub exact_domain: bool,
    /// Points inside.
    pub points: u64,
    /// No coordinate is less, dimension by dimension (the isl text is exact, this is a box around it).
    pub low: Vec<i64>,
    /// No coordinate is greater.
    pub high: Vec<i64>,
    /// One affine function per label component.
    pub labels: Vec<Label>,
}

/// An affine function of the iteration vector.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Label {
    /// Its value where all coordinates are 0; `None` if some coefficient is not known there.
    pub constant: Option<i64>,
    /// One coefficient per dimension; `None` is the paper's top: not affine along this dimension (or not an integer
    /// multiple of it; then the isl text is still exact). A dimension with one value only has coefficient 0.
    pub coefficients: Vec<Option<i64>>,
    /// Whether the function gives exactly what was observed.
    pub exact: bool,
}

/// Something the reader should know.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Warning {
    /// A stable name, such as `no-debug-info`.
    pub id: String,
    /// One sentence.
    pub message: String,
}

impl Profile {
    /// Adds a warning, each sentence once.
    pub fn warn(&mut self, id: &str, message: impl Into<String>) {
        let warning = Warning { id: id.to_owned(), message: message.into() };
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Every address in the profile.
    pub fn addresses_mut(&mut self) -> impl Iterator<Item = &mut Address> {
        self.nests.iter_mut().flat_map(|nest| {
            let frames = nest.context.iter_mut().flat_map(Frame::addresses_mut);
            let loops = nest.loops.iter_mut().flat_map(|l| {
                l.calls.iter_mut().flat_map(Frame::addresses_mut).chain([&mut l.address, &mut l.latch])
            });
            frames.chain(loops).chain(nest.statements.iter_mut().map(|s| &mut s.address))
        })
    }

    /// Reads the JSON form. The error says what is wrong in one line.
    pub fn from_json(text: &str) -> Result<Profile, String> {
        let profile: Profile =
            serde_json::from_str(text).map_err(|error| format!("not a profile of Orthant: {error}"))?;
        match profile.format {
            FORMAT => Ok(profile),
            other => Err(format!("profile of format {other}; this version reads format {FORMAT}")),
        }
    }

    /// The JSON form.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Frame {
    fn addresses_mut(&mut self) -> [&mut Address; 2] {
        [&mut self.address, &mut self.call]
    }
}
