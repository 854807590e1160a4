//! `cargo xtask realworld`: `orthant cc` as the compiler of projects that know nothing of it.
//!
//! Each project is fetched as Debian's source package (the upstream archive, unpatched; apt verifies it), built
//! twice from fresh copies, once with `clang-22` and once with `orthant cc`, and its own test suite is run both
//! times. The two must agree:
//!
//! - what builds and passes with `clang-22` does so with Orthant; where a project's tests fail with `clang-22` already,
//!   Orthant must not add to the tests that the log says have failed;
//! - what a project's tests compute and print (`Project::results`) is the same to the last digit.
//!
//! The plugin's report shows that it took part: how many functions with loops it saw, how many nests these have, and how
//! many of them got new loops. A project without any new loops proves nothing about them.
//!
//! `--options` are Orthant's (`ORTHANT_OPTS`), to have more loops rewritten than would pay, and `--flags` the compilers'
//! (`CFLAGS` and so on), for both. Processor time is that of the build, without tests.

mod place;
mod projects;

use crate::workspace::{Built, Profile, Workspace};
use crate::{Failure, Outcome, bench, setup};
use place::{Place, version_of};
use projects::{PROJECTS, Project};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What is asked for.
pub struct Request {
    /// Names of projects; all if there are none.
    pub projects: Vec<String>,
    /// Orthant's options, as in `ORTHANT_OPTS`.
    pub options: String,
    /// The compilers' flags; none are the project's own.
    pub flags: Option<String>,
}

/// One of the two ways to build.
struct Side<'a> {
    name: &'static str,
    /// `CC`, `CXX`, `FC`.
    drivers: [String; 3],
    flags: Option<&'a str>,
    /// `ORTHANT_OPTS`.
    options: Option<String>,
}

/// How one build and its tests went.
struct Tried {
    built: bool,
    passed: bool,
    /// Tests that failed, as the log names them.
    failures: BTreeSet<String>,
    /// What the tests computed.
    results: Vec<u8>,
    /// Processor time of the build.
    seconds: f64,
}

/// What the plugin's report says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    functions: usize,
    nests: usize,
    new_loops: usize,
}

struct Row {
    text: String,
    good: bool,
}

const HEAD: &str = "\
| project | version | built with | clang-22 | orthant cc | processor time | functions | nests | with new loops |
|---|---|---|---|---|---|---|---|---|";

/// Builds and tests the named projects, or all of them.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    // A wrong word is not worth the time of a build.
    let chosen = choose(&request.projects)?;
    options::Layer::environment(&request.options).map_err(|e| Failure::Missing(e.to_string()))?;
    setup::ensure()?;
    let needs: Vec<_> = chosen.iter().flat_map(|p| p.needs).copied().collect();
    setup::ensure_packages(&needs, "the chosen projects are built with these")?;
    let built = ws.build(Profile::Release)?;
    let place = Place::new(built.plugin.parent().expect("in a folder").join("realworld"))?;
    place.update()?;
    let mut rows = Vec::new();
    for project in &chosen {
        rows.push(compare(project, &place, &built, request)?);
    }
    println!("\n{HEAD}");
    for row in &rows {
        println!("{}", row.text);
    }
    match rows.iter().all(|row| row.good) {
        true => Ok(()),
        false => {
            Err(Failure::failed(format!("not all projects agree; the logs are in {}", place.dir.display())))
        }
    }
}

fn choose(names: &[String]) -> Outcome<Vec<&'static Project>> {
    if names.is_empty() {
        return Ok(PROJECTS.iter().collect());
    }
    let find = |name: &String| {
        PROJECTS.iter().find(|p| p.name == name).ok_or_else(|| {
            let known: Vec<_> = PROJECTS.iter().map(|p| p.name).collect();
            Failure::Missing(format!("no project {name}; there are: {}", known.join(", ")))
        })
    };
    names.iter().map(find).collect()
}

fn compare(project: &Project, place: &Place, built: &Built, request: &Request) -> Outcome<Row> {
    let archive = place.fetch(project.source)?;
    let report = place.dir.join(format!("{}.report.jsonl", project.name));
    let _ = fs::remove_file(&report); // the plugin appends
    let flags = request.flags.as_deref();
    let plain = ["clang-22", "clang++-22", "flang-22"].map(str::to_owned);
    let plain = Side { name: "clang", drivers: plain, flags, options: None };
    let ours = ["cc", "c++", "fc"].map(|driver| format!("{} {driver}", built.orthant.display()));
    let options = Some(format!("report='{}' {}", report.display(), request.options));
    let ours = Side { name: "orthant", drivers: ours, flags, options };
    let plain = attempt(project, place, &archive, &plain)?;
    let ours = attempt(project, place, &archive, &ours)?;
    let seen = Seen::of(&fs::read_to_string(&report).unwrap_or_default());
    let text = format!(
        "| {} | {} | {} | {} | {} | {:.0} s, {:.0} s ({:.2}) | {} | {} | {} |",
        project.name,
        version_of(&archive),
        project.kind,
        plain.words(),
        verdict(&plain, &ours),
        plain.seconds,
        ours.seconds,
        ours.seconds / plain.seconds.max(0.01),
        seen.functions,
        seen.nests,
        seen.new_loops
    );
    Ok(Row { text, good: ours.agrees_with(&plain) && seen.functions > 0 })
}

/// For the table: how Orthant's side went, and whether it agrees.
fn verdict(plain: &Tried, ours: &Tried) -> String {
    match ours.agrees_with(plain) {
        true => ours.words(),
        false if ours.results != plain.results => format!("**{}, other results**", ours.words()),
        false => format!("**{}**", ours.words()),
    }
}

impl Tried {
    fn words(&self) -> String {
        match (self.built, self.passed, self.failures.len()) {
            (false, ..) => "does not build".to_owned(),
            (true, true, _) => "tests pass".to_owned(),
            (true, false, 0) => "tests fail".to_owned(),
            (true, false, n) => format!("{n} tests fail"),
        }
    }

    fn agrees_with(&self, plain: &Tried) -> bool {
        // Where no name is known of what fails, what fails may be anything.
        let no_worse = self.passed
            || !plain.passed && !plain.failures.is_empty() && self.failures.is_subset(&plain.failures);
        self.built && no_worse && self.results == plain.results
    }
}

impl Seen {
    /// Counts in the plugin's report, a line of JSON for each function.
    fn of(report: &str) -> Seen {
        let mut seen = Seen::default();
        for line in report.lines() {
            let Ok(function) = serde_json::from_str::<serde_json::Value>(line) else { continue };
            let nests = function["nests"].as_array().map_or(&[][..], Vec::as_slice);
            seen.functions += 1;
            seen.nests += nests.len();
            seen.new_loops += nests.iter().filter(|n| n["outcome"]["outcome"] == "optimized").count();
        }
        seen
    }
}

fn attempt(project: &Project, place: &Place, archive: &Path, side: &Side) -> Outcome<Tried> {
    let name = format!("{}-{}", project.name, side.name);
    let tree = place.unpack(archive, &name)?;
    let log = |step: &str| place.dir.join(format!("{name}.{step}.log"));
    println!(
        "{}: building and testing with {} (logs: {})",
        project.name,
        side.drivers[0],
        log("*").display()
    );
    let before = bench::children_cpu()?;
    let built = logged(&mut side.shell(project.build, &tree), &log("build"))?;
    let seconds = bench::children_cpu()? - before;
    let passed = built && logged(&mut side.shell(project.test, &tree), &log("test"))?;
    let failures = match built {
        true => failures(&String::from_utf8_lossy(&read(&log("test"))?)),
        false => BTreeSet::new(),
    };
    let results = match project.results {
        Some(script) if built => {
            logged(&mut side.shell(script, &tree), &log("results"))?;
            read(&log("results"))?
        }
        _ => Vec::new(),
    };
    Ok(Tried { built, passed, failures, results, seconds })
}

impl Side<'_> {
    fn shell(&self, script: &str, tree: &Path) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", script]).current_dir(tree);
        for (variable, driver) in ["CC", "CXX", "FC"].iter().zip(&self.drivers) {
            shell.env(variable, driver);
        }
        for variable in ["ORTHANT_CONFIG", "ORTHANT_OPTS", "MAKEFLAGS"] {
            shell.env_remove(variable);
        }
        for variable in ["CFLAGS", "CXXFLAGS", "FFLAGS", "FCFLAGS"] {
            shell.env_remove(variable);
            shell.envs(self.flags.map(|flags| (variable, flags)));
        }
        shell.envs(self.options.as_ref().map(|options| ("ORTHANT_OPTS", options)));
        shell
    }
}

/// Tests that failed, as automake and CMake say it.
fn failures(log: &str) -> BTreeSet<String> {
    let failed = |line: &&str| line.starts_with("FAIL: ") || line.contains("***Failed");
    // CMake says when each ended and how long it took.
    let name = |line: &str| {
        let named = &line[line.find('#').unwrap_or(0)..];
        named.split("...").next().unwrap_or(named).trim().to_owned()
    };
    log.lines().filter(failed).map(name).collect()
}

/// Runs the command with its output in the log; whether it succeeded.
fn logged(command: &mut Command, log: &Path) -> Outcome<bool> {
    let io = |e: std::io::Error| Failure::failed(format!("{}: {e}", log.display()));
    let file = File::create(log).map_err(io)?;
    let errors = file.try_clone().map_err(io)?;
    let status = command.stdin(Stdio::null()).stdout(file).stderr(errors).status();
    Ok(status.map_err(|e| Failure::failed(format!("sh: {e}")))?.success())
}

fn read(file: &PathBuf) -> Outcome<Vec<u8>> {
    fs::read(file).map_err(|e| Failure::failed(format!("{}: {e}", file.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_project_is_refused_with_the_list() {
        assert_eq!(choose(&[]).unwrap_or_default().len(), PROJECTS.len());
        match choose(&["zlib".into(), "nonesuch".into()]) {
            Err(Failure::Missing(message)) => {
                assert!(message.contains("nonesuch") && message.contains("libpng"))
            }
            _ => panic!("accepted"),
        }
    }

    #[test]
    fn new_loops_are_counted() {
        let report = concat!(
            r#"{"nests":[{"outcome":{"outcome":"optimized"}},{"outcome":{"outcome":"kept"}}]}"#,
            "\n",
            r#"{"nests":[{"outcome":{"outcome":"optimized"}}]}"#,
            "\ncut off"
        );
        assert_eq!(Seen::of(report), Seen { functions: 2, nests: 3, new_loops: 2 });
    }

    #[test]
    fn failures_are_named_without_what_differs_from_run_to_run() {
        let log = "PASS: a\nFAIL: b\n 3/9 Test  #3: c .....***Failed    0.01 sec\n# FAIL:  1\n";
        let names: Vec<_> = failures(log).into_iter().collect();
        assert_eq!(names, ["#3: c", "FAIL: b"]);
    }

    fn tried(passed: bool, failed: &[&str], results: &str) -> Tried {
        let failures = failed.iter().map(|&name| name.to_owned()).collect();
        Tried { built: true, passed, failures, results: results.into(), seconds: 1.0 }
    }

    #[test]
    fn orthant_may_fail_only_what_fails_without_it() {
        let (good, bad) = (tried(true, &[], ""), tried(false, &["a"], ""));
        assert!(good.agrees_with(&good) && good.agrees_with(&bad) && bad.agrees_with(&bad));
        assert!(!bad.agrees_with(&good));
        assert!(!tried(false, &["a", "b"], "").agrees_with(&bad));
        assert!(!tried(false, &[], "").agrees_with(&tried(false, &[], "")), "nobody knows what failed");
        assert!(!tried(true, &[], "0.1").agrees_with(&tried(true, &[], "0.2")), "other results");
    }

    #[test]
    fn options_and_flags_reach_the_build() {
        let drivers = ["a", "b", "c"].map(str::to_owned);
        let side = Side { name: "x", drivers, flags: Some("-O3"), options: Some("time".into()) };
        let output = side.shell(r#"echo "$CC,$CXX,$FC,$CFLAGS,$FCFLAGS,$ORTHANT_OPTS""#, Path::new("."));
        let output = { output }.output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "a,b,c,-O3,-O3,time\n");
    }
}
