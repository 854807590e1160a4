//! `orthant explain`: of each loop nest, what was found, or why it was left alone and what would help.
//!
//! Each input is a [`Job`]: compiled by its own compiler with the plugin at `-O3 -g`, the object
//! thrown away, the plugin's report kept in a temporary folder and read back; a recorded report is only read. Jobs
//! run side by side, their results come in the order of the inputs. A job that fails is an error on standard error and
//! makes the exit status 1, but the others are still explained. With `--target` there is no input ([`target`]).

mod compile;
mod project;
mod target;

use crate::failure::Failure;
use crate::opt::Optimizer;
use crate::output;
use clap::ArgMatches;
pub use compile::{Language, only_flags};

use compile::Job;
use report::{FunctionReport, Style};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("target") {
        return target::run(matches);
    }
    let jobs = jobs(matches)?;
    let sarif = matches.get_one::<PathBuf>("sarif");
    sarif.map_or(Ok(()), |file| output::check(file))?;
    let results = results(matches, &jobs)?;
    let mut code = ExitCode::SUCCESS;
    let mut functions = Vec::new();
    let nothing_read = !results.is_empty() && results.iter().all(Result::is_err);
    for result in results {
        match result {
            Ok(found) => functions.extend(found),
            Err(failure) => {
                code = failure.report();
            }
        }
    }
    if nothing_read {
        return Ok(code); // "no loops found" would be no answer
    }
    let mut functions = report::arrange(functions);
    if let Some(file) = matches.get_one::<PathBuf>("counts") {
        let counts = counts(file)?;
        if report::with_counts(&mut functions, &counts) == 0 {
            eprintln!("orthant: warning: {}", nothing_counted(file, &counts));
        }
    }
    if let Some(file) = sarif {
        output::write(file, report::sarif(&functions, env!("CARGO_PKG_VERSION")).as_bytes())?;
    }
    output::print(rendered(matches, &functions).as_bytes())?;
    Ok(code)
}

/// What programs counted.
fn counts(file: &Path) -> Result<Vec<report::Counted>, Failure> {
    let broken = |error: String| {
        Failure::usage(format!("cannot read the counts in {}: {error}", file.display())).remedy(
            "run a program built with -orthant-count-checks while ORTHANT_COUNTS names a file, and name that file",
        )
    };
    let text = std::fs::read_to_string(file).map_err(|error| broken(error.to_string()))?;
    report::read_counts(&text).map_err(broken)
}

/// Why no condition has a number behind it.
fn nothing_counted(file: &Path, counts: &[report::Counted]) -> String {
    let file = file.display();
    match counts.first() {
        None => format!(
            "{file} is empty: no program built with -orthant-count-checks has ended, or its new loops were never reached"
        ),
        Some(counted) => format!(
            "{file} counts other nests than these, {} for example: explain the sources that the program was built of, with the \
             same options",
            counted.symbol
        ),
    }
}

fn jobs(matches: &ArgMatches) -> Result<Vec<Job>, Failure> {
    let flags: Vec<OsString> = matches.get_many("flags").unwrap_or_default().cloned().collect();
    let files = matches.get_many::<PathBuf>("files").unwrap_or_default();
    let mut jobs = files.map(|file| Job::of_file(file, &flags)).collect::<Result<Vec<_>, _>>()?;
    if let Some(path) = matches.get_one::<PathBuf>("project") {
        jobs.extend(project::jobs(path, &flags)?);
    }
    match jobs.is_empty() && !matches.contains_id("project") {
        true => {
            Err(Failure::usage("nothing to explain").remedy("name source files, or a build folder with -p"))
        }
        false => Ok(jobs),
    }
}

type JobResult = Result<Vec<FunctionReport>, Failure>;

/// Runs all jobs, `--jobs` at a time.
fn results(matches: &ArgMatches, jobs: &[Job]) -> Result<Vec<JobResult>, Failure> {
    let folder = temporary()?;
    // Recorded reports need no plugin and no LLVM.
    let compiles = jobs.iter().any(|job| job.language != Language::Recorded);
    let optimizer = if compiles { Some(Optimizer::of(matches, "default<O3>")?) } else { None };
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    let threads = matches.get_one::<u16>("jobs").map_or_else(processors, |n| usize::from(*n)).min(jobs.len());

    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<JobResult>>> = jobs.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((index, job)) = take(&next, jobs) {
                    let result = job.run(optimizer.as_ref(), folder.path(), index);
                    if let Ok(mut slot) = results[index].lock() {
                        *slot = Some(result);
                    }
                }
            });
        }
    });
    let lost = || Err(Failure::broken("a job of explain did not finish"));
    Ok(results.into_iter().map(|slot| slot.into_inner().ok().flatten().unwrap_or_else(lost)).collect())
}

/// A folder that vanishes.
pub fn temporary() -> Result<tempfile::TempDir, Failure> {
    tempfile::tempdir().map_err(|error| {
        Failure::broken(format!("cannot create a temporary folder: {error}"))
            .remedy("make room in the folder for temporary files, or let TMPDIR name another one")
    })
}

fn take<'a>(next: &AtomicUsize, jobs: &'a [Job]) -> Option<(usize, &'a Job)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    jobs.get(index).map(|job| (index, job))
}

fn rendered(matches: &ArgMatches, functions: &[FunctionReport]) -> String {
    if matches.get_flag("json") {
        return report::json(functions);
    }
    let colour = match matches.get_one::<String>("colour").map(String::as_str) {
        Some("always") => true,
        Some("never") => false,
        _ => {
            std::io::stdout().is_terminal()
                && !set("NO_COLOR")
                && std::env::var_os("TERM").is_none_or(|t| t != "dumb")
        }
    };
    let files = RefCell::new(HashMap::new());
    let source = |loc: &model::SourceLoc| {
        let mut files = files.borrow_mut();
        let lines: &Vec<String> =
            files.entry(loc.file.clone()).or_insert_with(|| source_lines(Path::new(&loc.file)));
        lines.get((loc.line as usize).checked_sub(1)?).filter(|line| !line.trim().is_empty()).cloned()
    };
    report::text(functions, &Style { colour, source: &source })
}

fn set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// The lines of a source file; none if it is no text file of a sensible size.
fn source_lines(file: &Path) -> Vec<String> {
    const LARGEST: u64 = 32 << 20;
    let readable = file.metadata().is_ok_and(|data| data.is_file() && data.len() <= LARGEST);
    let bytes = if readable { std::fs::read(file).unwrap_or_default() } else { Vec::new() };
    String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
}
