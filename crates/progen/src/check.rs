//! Compiles a program with and without the plugin, runs both, compares.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// How a program is compiled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    /// The compiler's flags.
    pub compiler: Vec<String>,
    /// Orthant's options.
    pub orthant: &'static str,
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ORTHANT_OPTS='{}'", self.compiler.join(" "), self.orthant)
    }
}

/// What a long run goes through: seed modulo their number.
pub const ROTATION: [&[&str]; 8] = [
    &["-O3"],
    &["-O2"],
    &["-O3", "-march=native"],
    &["-O1"],
    &["-O3", "-g"],
    &["-Os"],
    &["-O3", "-xc++"],
    &["-O2", "-march=native", "-fno-strict-aliasing"],
];

/// Orthant's options for a run: seed divided by the number of flags, modulo their number.
pub const OPTIONS: [&str; 9] = [
    "budget=1000000",
    "budget=1000000 tiers=always",
    "budget=1000000 schedule=identity position=late",
    "budget=1000000 position=late",
    "budget=1000000 schedule=identity",
    "budget=1000000 parallel parallel-always threads=3",
    "budget=1000000 parallel parallel-always threads=2 position=late",
    "budget=1000000 least-gain=0 tiles=3",
    "budget=1000000 least-gain=0 tiles=2,5 position=late",
];

/// How many threads loops run in that may.
const THREADS: &str = "3";

/// Orthant's options for a seed.
fn options_of(seed: u64) -> &'static str {
    OPTIONS[((seed + seed / ROTATION.len() as u64) % OPTIONS.len() as u64) as usize]
}

impl Flags {
    /// The flags of a seed.
    pub fn of(seed: u64) -> Flags {
        let flags = ROTATION[(seed % ROTATION.len() as u64) as usize];
        Flags { compiler: flags.iter().map(|&flag| flag.to_owned()).collect(), orthant: options_of(seed) }
    }
}

/// A compiler and the plugin.
#[derive(Clone, Debug)]
pub struct Tester {
    /// `clang-22`.
    pub clang: String,
    /// `liborthant.so`.
    pub plugin: PathBuf,
    /// Orthant's options, as in `ORTHANT_OPTS`; `None`: those of the seed.
    pub options: Option<String>,
    /// How long a compiler or a program may take.
    pub limit: Duration,
}

/// What became of the nests, by function and in total.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Nests that went through.
    pub candidates: usize,
    /// Those of them that got new loops.
    pub optimized: usize,
    /// Nests that were left alone.
    pub rejected: usize,
    /// Why, by kind.
    pub reasons: BTreeMap<String, usize>,
}

impl Coverage {
    /// Adds what another program showed.
    pub fn add(&mut self, other: Coverage) {
        self.candidates += other.candidates;
        self.optimized += other.optimized;
        self.rejected += other.rejected;
        for (reason, count) in other.reasons {
            *self.reasons.entry(reason).or_default() += count;
        }
    }

    /// The share that went through, in percent.
    pub fn percent(&self) -> usize {
        100 * self.candidates / (self.candidates + self.rejected).max(1)
    }
}

/// A program that Orthant does not treat right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The compiler failed or hung with the plugin only.
    Compiler(String),
    /// The executable crashed or hung with the plugin only.
    Crash(String),
    /// The functions whose digests differ, with both lines of the first.
    Differs(Vec<String>, String),
}

impl Failure {
    /// What the minimizer keeps: the kind.
    pub fn same_kind(&self, other: &Failure) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Compiler(message) => write!(f, "the compiler fails with the plugin:\n{message}"),
            Failure::Crash(message) => write!(f, "the program fails with the plugin: {message}"),
            Failure::Differs(names, lines) => {
                write!(f, "different results in {}:\n{lines}", names.join(", "))
            }
        }
    }
}

/// A check that could not be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file or a process.
    #[error("{0}: {1}")]
    Io(String, io::Error),
    /// The program does not compile or run without the plugin: the generator is wrong.
    #[error("the program fails without the plugin: {0}")]
    Generator(String),
    /// The report of the plugin.
    #[error("the plugin's report: {0}")]
    Report(String),
    /// No plugin.
    #[error("there is no plugin at {0}; run `cargo xtask test`, which builds it first")]
    NoPlugin(PathBuf),
}

impl Tester {
    /// The plugin beside the running test or example: `target/<profile>/liborthant.so`.
    pub fn beside_executable() -> Result<Tester, Error> {
        let executable =
            std::env::current_exe().map_err(|error| Error::Io("own executable".into(), error))?;
        let profile = executable.parent().and_then(Path::parent).unwrap_or(Path::new("."));
        let plugin = match std::env::var_os("PROGEN_PLUGIN") {
            Some(path) => path.into(),
            None => profile.join("liborthant.so"),
        };
        if !plugin.exists() {
            return Err(Error::NoPlugin(plugin));
        }
        let options = std::env::var("PROGEN_OPTS").ok();
        Ok(Tester { clang: "clang-22".into(), plugin, options, limit: Duration::from_secs(240) })
    }

    /// Whether the program gives the same with and without the plugin, and what the plugin did.
    pub fn check(&self, source: &str, flags: &Flags) -> Result<Result<Coverage, Failure>, Error> {
        let dir = tempfile::tempdir().map_err(|error| Error::Io("a folder".into(), error))?;
        let dir = dir.path();
        let file = dir.join("program.c");
        fs::write(&file, source).map_err(|error| Error::Io(file.display().to_string(), error))?;
        let expected = self.reference(dir, flags)?;
        let (reports, seen) = (dir.join("report"), dir.join("new"));
        let mut compile = self.compile(dir, flags, "new");
        compile.arg(format!("-fpass-plugin={}", self.plugin.display()));
        let options = self.options.as_deref().unwrap_or(flags.orthant);
        compile.env("ORTHANT_OPTS", format!("least-length=0 {options} report={}", reports.display()));
        if options.split_whitespace().any(|option| option == "parallel") {
            compile.arg("-lgomp");
        }
        let compiled = self.run(compile, &dir.join("log"))?;
        if !compiled.success() {
            return Ok(Err(Failure::Compiler(compiled.describe())));
        }
        let mut program = Command::new(seen);
        program.env("OMP_NUM_THREADS", THREADS);
        let run = self.run(program, &dir.join("out"))?;
        if !run.success() {
            return Ok(Err(Failure::Crash(run.describe())));
        }
        if run.output != expected {
            return Ok(Err(differences(&expected, &run.output)));
        }
        let text = fs::read_to_string(&reports).unwrap_or_default();
        coverage(&text).map(Ok)
    }

    /// The program under the sanitizers: a message if the generator made a mistake.
    pub fn sanitize(&self, source: &str) -> Result<Option<String>, Error> {
        let dir = tempfile::tempdir().map_err(|error| Error::Io("a folder".into(), error))?;
        let dir = dir.path();
        let file = dir.join("program.c");
        fs::write(&file, source).map_err(|error| Error::Io(file.display().to_string(), error))?;
        let flags = ["-O1", "-g", "-fsanitize=undefined,address", "-fno-sanitize-recover=all"];
        let flags = Flags { compiler: flags.map(str::to_owned).to_vec(), orthant: "" };
        let compiled = self.run(self.compile(dir, &flags, "sane"), &dir.join("log"))?;
        if !compiled.success() {
            return Ok(Some(compiled.describe()));
        }
        let run = self.run(Command::new(dir.join("sane")), &dir.join("out"))?;
        Ok((!run.success()).then(|| run.describe()))
    }

    fn reference(&self, dir: &Path, flags: &Flags) -> Result<String, Error> {
        let compiled = self.run(self.compile(dir, flags, "old"), &dir.join("log"))?;
        if !compiled.success() {
            return Err(Error::Generator(compiled.describe()));
        }
        let run = self.run(Command::new(dir.join("old")), &dir.join("out"))?;
        if run.success() { Ok(run.output) } else { Err(Error::Generator(run.describe())) }
    }

    /// Contraction is off: whether a product and a sum are fused may depend on the shape of the code.
    fn compile(&self, dir: &Path, flags: &Flags, output: &str) -> Command {
        let mut command = Command::new(&self.clang);
        command.args(["-w", "-ffp-contract=off"]).args(&flags.compiler);
        command.arg(dir.join("program.c")).arg("-o").arg(dir.join(output));
        for variable in ["ORTHANT_OPTS", "ORTHANT_CONFIG"] {
            command.env_remove(variable);
        }
        command
    }

    fn run(&self, mut command: Command, log: &Path) -> Result<Finished, Error> {
        let failed = |error| Error::Io(format!("{:?}", command.get_program()), error);
        let file = fs::File::create(log).map_err(failed)?;
        let errors = file.try_clone().map_err(failed)?;
        let mut child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .spawn()
            .map_err(|error| Error::Io(format!("{:?}", command.get_program()), error))?;
        let start = Instant::now();
        let failed = |error| Error::Io("a process".into(), error);
        let status = loop {
            if let Some(status) = child.try_wait().map_err(failed)? {
                break Some(status);
            }
            if start.elapsed() > self.limit {
                child.kill().map_err(failed)?;
                child.wait().map_err(failed)?;
                break None;
            }
            thread::sleep(Duration::from_millis(2));
        };
        let output = String::from_utf8_lossy(&fs::read(log).map_err(failed)?).into_owned();
        Ok(Finished { status, output })
    }
}

/// How a process ended and what it printed.
struct Finished {
    /// None if it was stopped.
    status: Option<ExitStatus>,
    output: String,
}

impl Finished {
    fn success(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    fn describe(&self) -> String {
        let status = self.status.map_or("stopped after the time limit".into(), |status| status.to_string());
        let start: String = self.output.chars().take(3000).collect();
        format!("{status}\n{start}")
    }
}

fn differences(expected: &str, seen: &str) -> Failure {
    let name = |line: &str| line.split(' ').next().unwrap_or_default().to_owned();
    let mut names = Vec::new();
    let mut first = String::new();
    for (right, wrong) in expected.lines().zip(seen.lines()).filter(|(right, wrong)| right != wrong) {
        if names.is_empty() {
            first = format!("  right {right}\n  wrong {wrong}");
        }
        names.push(name(right));
    }
    names.dedup();
    Failure::Differs(names, first)
}

fn coverage(text: &str) -> Result<Coverage, Error> {
    let mut coverage = Coverage::default();
    let reports = report::read(text).map_err(|error| Error::Report(error.to_string()))?;
    // `main` and its helpers are not what is tested.
    let tested =
        reports.iter().filter(|function| function.function.starts_with('f') && function.function != "fill");
    for nest in tested.flat_map(|function| &function.nests) {
        match &nest.outcome {
            report::Outcome::Candidate | report::Outcome::Kept { .. } => coverage.candidates += 1,
            report::Outcome::Optimized(_) => {
                coverage.candidates += 1;
                coverage.optimized += 1;
            }
            report::Outcome::Rejected { refusals } => {
                coverage.rejected += 1;
                for refusal in refusals {
                    *coverage.reasons.entry(reason_kind(&refusal.reason.to_string())).or_default() += 1;
                }
            }
        }
    }
    Ok(coverage)
}

/// A reason without its particulars.
fn reason_kind(reason: &str) -> String {
    if reason.ends_with("may overlap") {
        return "two arrays may overlap".into();
    }
    reason.split(':').next().unwrap_or(reason).to_owned()
}
