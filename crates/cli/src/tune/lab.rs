//! Programs for the search: built as `orthant cc` builds them, run, and compared with the plain program.
//!
//! *The same* means what the program prints on standard output, to the last bit, and its exit status. The time of a run is
//! processor time of the program and its children, or with loops in threads time on the clock.

use super::search::{Finding, Lab};
use crate::child;
use crate::failure::{Failure, say};
use crate::tools::Tool;
use nix::sys::resource::{Usage, UsageWho, getrusage};
use options::Setting;
use report::FunctionReport;
use report::tuned::{Tuned, TunedNest, place_of};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// What is compiled, and how it is run.
pub struct Task {
    /// The compiler and the driver of `orthant` that stands for it.
    pub compiler: (Tool, &'static str),
    /// Sources.
    pub sources: Vec<PathBuf>,
    /// For the compiler.
    pub flags: Vec<OsString>,
    /// For the program.
    pub arguments: Vec<OsString>,
    /// For the pass.
    pub settings: Vec<Setting>,
    /// Whether loops run in threads.
    pub is_parallel: bool,
    /// Whether commands are shown.
    pub is_verbose: bool,
}

/// What a run of a program left behind.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    printed: Vec<u8>,
    code: Option<i32>,
}

/// The programs built so far.
pub struct Programs<'a> {
    task: &'a Task,
    folder: &'a Path,
    /// The nests, with options that do not count.
    nests: Vec<TunedNest>,
    /// What the plain program does.
    expected: Ran,
    /// Files and what is in them.
    programs: Vec<(PathBuf, Vec<u8>)>,
}

impl<'a> Programs<'a> {
    /// Builds and runs the plain program; twice, since one that does not repeat itself cannot be compared with.
    pub fn new(task: &'a Task, folder: &'a Path) -> Result<(Programs<'a>, f64), Failure> {
        let program = folder.join("plain");
        let mut compiler = Command::new(task.compiler.0.find()?);
        task.compile(&mut compiler, &program)?;
        let (first, _) = task.run(&program)?;
        let (expected, seconds) = task.run(&program)?;
        if first != expected {
            return Err(Failure::usage("the program does not print the same twice").remedy(
                "let it print its results to standard output and nothing else there: no times, no addresses",
            ));
        }
        if expected.code != Some(0) {
            let how = expected
                .code
                .map_or("is ended by a signal".to_owned(), |code| format!("ends with status {code}"));
            return Err(Failure::usage(format!("the program {how}"))
                .remedy("give its arguments after a second --, as in: orthant tune a.c -- -O3 -- 100"));
        }
        Ok((Programs { task, folder, nests: Vec::new(), expected, programs: Vec::new() }, seconds))
    }

    /// What Orthant finds in the sources, with a fingerprint for each nest that has a model; they are what is tuned.
    pub fn find_nests(&mut self) -> Result<&[TunedNest], Failure> {
        let report = self.folder.join("report.jsonl");
        self.compile(&Tuned::new(Vec::new()), Some(&report), &self.folder.join("first"))?;
        let text = std::fs::read_to_string(&report).unwrap_or_default();
        let functions =
            report::read(&text).map_err(|error| Failure::broken(format!("the plugin's report: {error}")))?;
        self.nests = nests(&functions);
        Ok(&self.nests)
    }

    /// The file with these options for the nests.
    pub fn tuned(&self, options: &[String]) -> Tuned {
        let nest =
            |(nest, options): (&TunedNest, &String)| TunedNest { options: options.clone(), ..nest.clone() };
        Tuned::new(self.nests.iter().zip(options).map(nest).collect())
    }

    fn compile(&self, tuned: &Tuned, report: Option<&Path>, program: &Path) -> Result<(), Failure> {
        let file = self.folder.join("tuned.json");
        std::fs::write(&file, tuned.json())
            .map_err(|error| Failure::broken(format!("cannot write {}: {error}", file.display())))?;
        let own = std::env::current_exe()
            .map_err(|error| Failure::broken(format!("cannot find this program: {error}")))?;
        let mut compiler = Command::new(own);
        compiler.arg(self.task.compiler.1);
        let given = |name: &str, value: &str| OsString::from(format!("-orthant-{name}={value}"));
        for Setting { name, value } in &self.task.settings {
            compiler.arg(given(name, value.as_deref().unwrap_or("true")));
        }
        compiler.arg(given("tuned", &file.to_string_lossy()));
        compiler.args(report.map(|report| given("report", &report.to_string_lossy())));
        self.task.compile(&mut compiler, program)
    }
}

impl Task {
    fn compile(&self, compiler: &mut Command, program: &Path) -> Result<(), Failure> {
        // Warnings were seen by whoever wrote the program, and would come again and again.
        compiler.arg("-O3").args(&self.flags).arg("-w").arg("-o").arg(program);
        // Libraries are among the flags, and must stand behind.
        let libraries = self.flags.iter().filter(|flag| flag.to_string_lossy().starts_with("-l"));
        compiler.args(&self.sources).args(libraries);
        compiler.stdin(Stdio::null()).stdout(Stdio::null());
        child::run(compiler, &self.sources[0].display().to_string(), self.is_verbose)
    }

    /// Runs a program to its end; what it did, and the seconds that it took.
    fn run(&self, program: &Path) -> Result<(Ran, f64), Failure> {
        let failed = |error: String| Failure::broken(format!("cannot run the program: {error}"));
        let (before, start) = (processor_seconds(), Instant::now());
        let mut command = Command::new(program);
        command.args(&self.arguments).stdin(Stdio::null()).stderr(Stdio::null());
        let output = command.output().map_err(|error| failed(error.to_string()))?;
        let clock = start.elapsed().as_secs_f64();
        let seconds = match (self.is_parallel, before, processor_seconds()) {
            (false, Some(before), Some(after)) => after - before,
            _ => clock,
        };
        // A clock too coarse must not make a program infinitely fast.
        Ok((Ran { printed: output.stdout, code: output.status.code() }, seconds.max(1e-6)))
    }
}

/// Of all children that have ended.
fn processor_seconds() -> Option<f64> {
    let usage: Usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    let times = [usage.user_time(), usage.system_time()];
    Some(times.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6).sum())
}

/// One entry for each model; two nests with one fingerprint in one function are one.
fn nests(functions: &[FunctionReport]) -> Vec<TunedNest> {
    let mut found: Vec<TunedNest> = Vec::new();
    for function in functions {
        for nest in &function.nests {
            let Some(tuning) = &nest.tuning else { continue };
            let is_new = |known: &TunedNest| {
                known.function != function.symbol || known.fingerprint != tuning.fingerprint
            };
            if found.iter().all(is_new) {
                found.push(TunedNest {
                    function: function.symbol.clone(),
                    place: nest.loc.as_ref().map(place_of),
                    fingerprint: tuning.fingerprint.clone(),
                    options: String::new(),
                    speedup: 1.0,
                });
            }
        }
    }
    found
}

/// A nest for people.
pub fn name(nest: &TunedNest) -> String {
    let place = nest.place.as_ref().map(|place| format!(" ({place})"));
    nest.function.clone() + &place.unwrap_or_default()
}

impl Lab for Programs<'_> {
    fn build(&mut self, options: &[String]) -> Result<Option<usize>, Failure> {
        let program = self.folder.join(format!("program{}", self.programs.len()));
        if let Err(failure) = self.compile(&self.tuned(options), None, &program) {
            say(&format!("warning: {}", failure.message()));
            return Ok(None);
        }
        let code = std::fs::read(&program)
            .map_err(|error| Failure::broken(format!("cannot read {}: {error}", program.display())))?;
        let known = self.programs.iter().position(|(_, other)| *other == code);
        Ok(Some(known.unwrap_or_else(|| {
            self.programs.push((program, code));
            self.programs.len() - 1
        })))
    }

    fn run(&mut self, program: usize) -> Result<Option<f64>, Failure> {
        let (result, seconds) = self.task.run(&self.programs[program].0)?;
        Ok((result == self.expected).then_some(seconds))
    }

    fn say(&mut self, nest: usize, candidate: &str, what: Finding) {
        let nest = name(&self.nests[nest]);
        match what {
            Finding::Measured(ratio, is_best) => {
                let best = if is_best { ", the best so far" } else { "" };
                say(&format!("{nest}: {candidate}: {ratio:.2} times as fast{best}"));
            }
            Finding::Wrong => say(&format!(
                "warning: {nest}: {candidate}: other output than the plain program's, dropped; this is a bug worth a report"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_is_no_part_of_the_code_and_processor_time_grows() {
        let before = processor_seconds().unwrap();
        let task = Task {
            compiler: (Tool::Clang, "cc"),
            sources: Vec::new(),
            flags: Vec::new(),
            arguments: vec!["hello".into()],
            settings: Vec::new(),
            is_parallel: false,
            is_verbose: false,
        };
        let (result, seconds) = task.run(Path::new("echo")).unwrap();
        assert_eq!(result, Ran { printed: b"hello\n".to_vec(), code: Some(0) });
        assert!(seconds > 0.0 && processor_seconds().unwrap() >= before);
        assert!(task.run(Path::new("/no/such/program")).is_err());
    }
}
