//! The table itself.

/// What values an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `true` or `false`; the bare name means `true`.
    Flag,
    /// One of the listed words.
    Choice(&'static [&'static str]),
    /// A comma-separated list of the listed words.
    Choices(&'static [&'static str]),
    /// A whole number in the closed interval.
    Number(u64, u64),
    /// A number of bytes, at most that many; `K`, `M` and `G` are powers of 1024.
    Bytes(u64),
    /// A comma-separated list of whole numbers up to that one.
    Numbers(u64),
    /// A regular expression.
    Regex,
    /// A file name.
    File,
    /// Free text.
    Text,
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The name without any prefix: `report` is `-orthant-report` in the host's command line.
    pub name: &'static str,
    /// The values it takes.
    pub kind: Kind,
    /// The default, in the notation of a setting; empty where there is none.
    pub default: &'static str,
    /// What the value is called in help texts.
    pub metavar: &'static str,
    /// One sentence.
    pub help: &'static str,
    /// Left out of help and documentation: for the project's own tests.
    pub hidden: bool,
}

const fn option(
    name: &'static str,
    kind: Kind,
    metavar: &'static str,
    default: &'static str,
    help: &'static str,
) -> Spec {
    Spec { name, kind, default, metavar, help, hidden: false }
}

/// The stages of the pipeline that exist, in order.
pub const STAGES: &[&str] =
    &["detect", "lift", "assume", "delicm", "dependences", "schedule", "astgen", "emit"];

/// More cache than any machine has, and less than overflows a computation with it.
const MOST_CACHE: u64 = 1 << 40;

/// Every option there is.
pub const TABLE: &[Spec] = &[
    option("enable", Kind::Flag, "BOOL", "true", "Look at functions at all."),
    option(
        "position",
        Kind::Choice(&["early", "late"]),
        "WHERE",
        "early",
        "Where in the host's pipeline to run: early is before inlining, late is just before the loop vectorizer.",
    ),
    option(
        "only",
        Kind::Regex,
        "REGEX",
        "",
        "Look only at functions whose symbol or demangled name matches.",
    ),
    option(
        "report",
        Kind::File,
        "FILE",
        "",
        "Append what was found in each function to FILE, a line of JSON each.",
    ),
    option(
        "stop-after",
        Kind::Choice(STAGES),
        "STAGE",
        "emit",
        "Stop each function's pipeline after this stage.",
    ),
    option(
        "print-after",
        Kind::Choices(STAGES),
        "STAGES",
        "",
        "Print the result of these stages to standard error.",
    ),
    option(
        "schedule",
        Kind::Choice(&["auto", "identity", "keep"]),
        "HOW",
        "auto",
        "The order of the new loops: auto looks for a faster legal one, identity writes the program's own order anew, keep makes \
         no new loops.",
    ),
    option(
        "tiles",
        Kind::Numbers(1 << 20),
        "SIZES",
        "",
        "Tile sizes of loops that can be tiled, outermost first, the last one for all that follow, 1 for no tiles; without it as \
         the cost model says.",
    ),
    option("tuned", Kind::File, "FILE", "", "What orthant tune measured: options for single nests."),
    option(
        "least-gain",
        Kind::Number(0, 10_000),
        "PERCENT",
        "67",
        "How much faster new loops must be expected to be: the original stays if the cost model predicts less.",
    ),
    option(
        "least-length",
        Kind::Number(0, 1_000_000),
        "N",
        "40",
        "How long loops must be for new ones: a nest keeps its code if its sizes are constants up to N, and new loops only run if those \
         around a statement have about N iterations altogether; 0 is always.",
    ),
    option(
        "registers",
        Kind::Flag,
        "BOOL",
        "true",
        "Keep blocks of cells that sum up products in vector registers.",
    ),
    option(
        "panels",
        Kind::Flag,
        "BOOL",
        "true",
        "Keep the operands that such blocks share on the stack, up to 64 KiB, in the order in which they are used.",
    ),
    option(
        "align-arrays",
        Kind::Flag,
        "BOOL",
        "true",
        "Let variables of the file that nests walk over begin where cache lines do, so that fewer vectors lie across two lines.",
    ),
    option(
        "rows",
        Kind::Flag,
        "BOOL",
        "true",
        "Write out some rows of loops whose iterations wait for each other, so that the processor works on one row while others wait.",
    ),
    option(
        "parallel",
        Kind::Flag,
        "BOOL",
        "false",
        "Run outer loops in threads where that pays, by calls of an OpenMP runtime (libgomp or libomp) that the program must be linked with.",
    ),
    option(
        "threads",
        Kind::Number(0, 4096),
        "COUNT",
        "0",
        "How many threads to plan for if parallel is set; 0 is as many as this machine has. How many there are is decided when the program runs (OMP_NUM_THREADS).",
    ),
    option(
        "machine",
        Kind::Choice(&["generic", "target", "native"]),
        "WHICH",
        "generic",
        "Whose caches tiles are chosen for: generic is 32K and 512K, target is what LLVM knows of the processor compiled for, \
         native is this machine.",
    ),
    option(
        "l1-bytes",
        Kind::Bytes(MOST_CACHE),
        "BYTES",
        "",
        "The first-level data cache, whatever the machine is said to have.",
    ),
    option(
        "l2-bytes",
        Kind::Bytes(MOST_CACHE),
        "BYTES",
        "",
        "The second-level cache, whatever the machine is said to have.",
    ),
    option(
        "l1-ways",
        Kind::Number(0, 1024),
        "COUNT",
        "0",
        "The ways of the first-level data cache, whatever the machine is said to have; 0 is as it is said.",
    ),
    option(
        "l2-ways",
        Kind::Number(0, 1024),
        "COUNT",
        "0",
        "The ways of the second-level cache, whatever the machine is said to have; 0 is as it is said.",
    ),
    option(
        "l3-bytes",
        Kind::Bytes(MOST_CACHE),
        "BYTES",
        "",
        "The third-level cache, whatever the machine is said to have.",
    ),
    option(
        "line-bytes",
        Kind::Bytes(1 << 12),
        "BYTES",
        "",
        "A cache line, whatever the machine is said to have.",
    ),
    option(
        "schedule-in",
        Kind::File,
        "FOLDER",
        "",
        "Take the order of each nest from FOLDER/NEST.json, where there is one and it is legal.",
    ),
    option(
        "schedule-out",
        Kind::File,
        "FOLDER",
        "",
        "Write the order of each modelled nest to FOLDER/NEST.json.",
    ),
    option(
        "assumptions",
        Kind::Choice(&["all", "none"]),
        "WHICH",
        "all",
        "What may be assumed of a nest and checked at run time: all, or none, which leaves nests alone that need it.",
    ),
    option(
        "tiers",
        Kind::Choice(&["auto", "never", "always"]),
        "WHEN",
        "auto",
        "A second version of new loops for when some arrays overlap: where that is expected to pay, never, or always for the arrays that most likely do.",
    ),
    option(
        "use-counts",
        Kind::File,
        "FILE",
        "",
        "What a program counted that was built with count-checks: checks are ordered and tiers chosen by it.",
    ),
    option(
        "count-checks",
        Kind::Flag,
        "BOOL",
        "false",
        "Have the program count how often each part of each run-time check holds, and print that when it ends.",
    ),
    option(
        "delicm",
        Kind::Flag,
        "BOOL",
        "true",
        "Keep scalars in array cells that are free, and compute them where they are used, so that loops can be reordered.",
    ),
    option(
        "expand",
        Kind::Choice(&["none", "stack", "heap"]),
        "WHERE",
        "stack",
        "Where scalars without a free cell may become arrays if loops can then be reordered: nowhere, at most 64 KiB of stack \
         in a function, or at most 64 MiB from malloc for a nest. Copies of small arrays are on that stack or, with none, not made.",
    ),
    option(
        "time",
        Kind::Flag,
        "BOOL",
        "false",
        "Print the time and the work units spent in each stage when the compiler ends.",
    ),
    option(
        "budget",
        Kind::Number(0, u64::MAX),
        "UNITS",
        "9000000",
        "Work units that one function may use before its original code is kept, twice as many if parallel is set; 0 is no limit.",
    ),
    option(
        "shape-candidates",
        Kind::Number(1, 1 << 20),
        "COUNT",
        "64",
        "Shapes (orders of dimensions, constants in sizes) that are tried for an array with sizes known at run time.",
    ),
    option(
        "shape-alphas",
        Kind::Number(0, 1024),
        "NUMBER",
        "4",
        "The greatest constant that is tried as a part of such an array's sizes: A[n + 4].",
    ),
    option(
        "shape-shifts",
        Kind::Number(0, 64),
        "NUMBER",
        "2",
        "The greatest multiple of a size that is moved between neighbouring subscripts of such an array.",
    ),
    Spec {
        hidden: true,
        ..option(
            "expand-always",
            Kind::Flag,
            "BOOL",
            "false",
            "Expand all scalars that can be, whether that pays or not, for tests.",
        )
    },
    Spec {
        hidden: true,
        ..option(
            "parallel-always",
            Kind::Flag,
            "BOOL",
            "false",
            "Use threads however little there is to do, for tests.",
        )
    },
    Spec {
        hidden: true,
        ..option(
            "machine-out",
            Kind::File,
            "FILE",
            "",
            "Write what is known of the machine to FILE as JSON, for the command.",
        )
    },
    Spec {
        hidden: true,
        ..option("panic-in", Kind::Text, "FUNCTION", "", "Fail in this function, for tests.")
    },
    Spec {
        hidden: true,
        ..option("break-in", Kind::Text, "FUNCTION", "", "Call new loops in this function broken, for tests.")
    },
];

/// The option of that name.
pub fn spec(name: &str) -> Option<&'static Spec> {
    TABLE.iter().find(|spec| spec.name == name)
}
