//! One input, from a file to the plugin's reports.

use crate::child;
use crate::failure::Failure;
use crate::opt::Optimizer;
use crate::tools::Tool;
use options::Setting;
use report::FunctionReport;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How an input is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// By a compiler that loads the plugin itself.
    Compiled(Tool),
    /// LLVM IR, by opt.
    Ir,
    /// By rustc to IR, then by opt.
    Rust,
    /// A report that the plugin or `--json` wrote.
    Recorded,
}

impl Language {
    /// By the suffix of a file's name.
    pub fn of(file: &Path) -> Option<Language> {
        if file == Path::new("-") {
            return Some(Language::Ir);
        }
        let suffix = file.extension()?.to_str()?;
        Some(match suffix {
            "C" | "cc" | "cp" | "cxx" | "cpp" | "CPP" | "c++" | "cppm" | "ii" | "mm" => {
                Language::Compiled(Tool::ClangCxx)
            }
            "c" | "i" | "m" => Language::Compiled(Tool::Clang),
            "ll" | "bc" => Language::Ir,
            "rs" => Language::Rust,
            "json" | "jsonl" => Language::Recorded,
            _ => match suffix.to_ascii_lowercase().as_str() {
                "f" | "for" | "ftn" | "fpp" | "f77" | "f90" | "f95" | "f03" | "f08" | "f18" => {
                    Language::Compiled(Tool::Flang)
                }
                _ => return None,
            },
        })
    }
}

/// One input and how to compile it.
#[derive(Debug)]
pub struct Job {
    /// The file, as the user or the project names it.
    pub file: PathBuf,
    /// How it is read.
    pub language: Language,
    /// For its compiler, without inputs and outputs.
    pub flags: Vec<OsString>,
    /// Where the compiler runs, if not here.
    pub folder: Option<PathBuf>,
}

impl Job {
    /// An input of the command line.
    pub fn of_file(file: &Path, flags: &[OsString]) -> Result<Job, Failure> {
        let language = Language::of(file).ok_or_else(|| {
            Failure::usage(format!("{}: the suffix names no language that explain reads", file.display())).remedy(
                "it reads C, C++, Fortran, Rust (.rs), LLVM IR (.ll, .bc) and recorded reports (.json, .jsonl)",
            )
        })?;
        let flags = match language {
            Language::Compiled(_) => only_flags(flags, file),
            Language::Ir | Language::Rust | Language::Recorded => flags.to_vec(),
        };
        Ok(Job { file: file.to_owned(), language, flags, folder: None })
    }

    /// The reports of the input's functions. `number` names its files in the temporary folder.
    pub fn run(
        &self,
        optimizer: Option<&Optimizer>,
        temporary: &Path,
        number: usize,
    ) -> Result<Vec<FunctionReport>, Failure> {
        let Some(optimizer) = optimizer.filter(|_| self.language != Language::Recorded) else {
            return self.recorded();
        };
        let report = temporary.join(format!("{number}.jsonl"));
        let value = Some(report.to_string_lossy().into_owned());
        let optimizer =
            optimizer.with(&[Setting { name: "report".to_owned(), value }]).with_flags(&self.flags)?;
        match self.language {
            Language::Compiled(tool) => self.compile(tool, &optimizer)?,
            Language::Rust => self.compile_rust(&optimizer, &temporary.join(format!("{number}.bc")))?,
            Language::Ir | Language::Recorded => drop(optimizer.run(&self.file, false)?),
        }
        // No file, no function with loops.
        let text = if report.exists() { read(&report)? } else { String::new() };
        let functions = report::read(&text)
            .map_err(|error| Failure::broken(format!("{}: the plugin's report: {error}", self.name())))?;
        Ok(functions.into_iter().map(|function| self.located(function)).collect())
    }

    fn name(&self) -> String {
        self.file.display().to_string()
    }

    fn recorded(&self) -> Result<Vec<FunctionReport>, Failure> {
        let text = read(&self.file)?;
        report::read(&text).map_err(|error| Failure::broken(error.to_string()).about(&self.name()))
    }

    fn compile(&self, tool: Tool, optimizer: &Optimizer) -> Result<(), Failure> {
        let mut command = Command::new(tool.find()?);
        optimizer.load_in_compiler(&mut command);
        command.arg(format!("-O{}", optimizer.level_or("3"))).args(["-g", "-w"]).args(&self.flags);
        // With LTO the loop optimizations would be left to a link that does not happen.
        command.args(["-fno-lto", "-c", "-o", "/dev/null"]).arg(crate::opt::as_file(&self.file));
        self.spawn(&mut command, optimizer)
    }

    fn compile_rust(&self, optimizer: &Optimizer, bitcode: &Path) -> Result<(), Failure> {
        let rustc =
            std::env::var_os("RUSTC").filter(|name| !name.is_empty()).unwrap_or_else(|| "rustc".into());
        let mut command = Command::new(rustc);
        let mut emit = OsString::from("--emit=llvm-bc=");
        emit.push(bitcode);
        command.arg(emit).args(["-Cno-prepopulate-passes", "-Copt-level=3", "-Ccodegen-units=1"]);
        command.args(["-Cdebuginfo=full", "-Awarnings"]);
        if !self.has_flag("--edition") {
            command.arg("--edition=2021");
        }
        if !self.has_flag("--crate-type") && !read(&self.file)?.contains("fn main(") {
            // A library's small functions are compiled where they are used, unless all are asked for.
            command.args(["--crate-type=lib", "-Clink-dead-code"]);
        }
        command.args(&self.flags).arg(crate::opt::as_file(&self.file));
        self.spawn(&mut command, optimizer)?;
        if !bitcode.exists() {
            return Err(Failure::broken(format!("{}: rustc succeeded but compiled nothing", self.name()))
                .remedy("the flags after -- are given to rustc: see `rustc --help`"));
        }
        optimizer.run(bitcode, false).map(drop)
    }

    fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| given.as_encoded_bytes().starts_with(flag.as_bytes()))
    }

    fn spawn(&self, command: &mut Command, optimizer: &Optimizer) -> Result<(), Failure> {
        if let Some(folder) = &self.folder {
            command.current_dir(folder);
        }
        command.stdin(Stdio::null()).stdout(Stdio::null());
        child::run(command, &self.name(), optimizer.verbose())
    }

    /// Places are relative to where the compiler ran: make them relative to where the user is.
    fn located(&self, mut function: FunctionReport) -> FunctionReport {
        let here = std::env::current_dir().unwrap_or_default();
        let places = function.nests.iter_mut().flat_map(|nest| {
            let refusals = match &mut nest.outcome {
                report::Outcome::Rejected { refusals } => {
                    refusals.iter_mut().filter_map(|r| r.loc.as_mut()).collect()
                }
                _ => Vec::new(),
            };
            nest.loc.as_mut().into_iter().chain(refusals)
        });
        for place in places {
            place.file = seen_from(&here, &source_file(self.folder.as_ref().unwrap_or(&here), &place.file));
        }
        function
    }
}

/// Where a file of the debug information is. For a file given by its absolute path clang's file names start below the
/// folder that it has in common with where clang runs, so that each parent of that may be the start.
fn source_file(folder: &Path, file: &str) -> PathBuf {
    let possible = folder.ancestors().map(|start| start.join(file));
    possible.into_iter().find(|path| path.is_file()).unwrap_or_else(|| folder.join(file))
}

/// The path below `here`, or whole.
fn seen_from(here: &Path, file: &Path) -> String {
    let absolute = normal(&here.join(file));
    absolute.strip_prefix(here).unwrap_or(&absolute).to_string_lossy().into_owned()
}

/// Without `.` and, where no link can be meant, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        let climbs = component.as_os_str() == OsStr::new("..");
        match climbs && result.file_name().is_some() && !result.is_symlink() {
            true => drop(result.pop()),
            false => result.push(component),
        }
    }
    result
}

fn read(file: &Path) -> Result<String, Failure> {
    let failed = |why: String| Failure::broken(format!("cannot read {}: {why}", file.display()));
    let bytes = std::fs::read(file).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))
}

/// Takes out of a compiler's arguments what names inputs and outputs, or would stop it at a warning.
pub fn only_flags(arguments: &[OsString], file: &Path) -> Vec<OsString> {
    let mut kept = Vec::new();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        if matches!(
            &*text,
            "-o" | "-MF" | "-MT" | "-MQ" | "-MJ" | "--serialize-diagnostics" | "-serialize-diagnostics"
        ) {
            arguments.next();
        } else if !is_output(&text) && Path::new(argument) != file {
            kept.push(argument.clone());
        }
    }
    kept
}

fn is_output(flag: &str) -> bool {
    let whole =
        ["-c", "-S", "-E", "-M", "-MM", "-MD", "-MMD", "-MP", "-MG", "-emit-llvm", "-fsyntax-only", "--"];
    let starts = [
        "-o",
        "-MF",
        "-MT",
        "-MQ",
        "-MJ",
        "-flto",
        "-Werror",
        "-save-temps",
        "--save-temps",
        "-gsplit-dwarf",
    ];
    let optimization_record =
        flag.starts_with("-fsave-optimization-record") || flag.starts_with("-ftime-trace");
    // -objc... are languages, not outputs.
    let joined = starts.iter().any(|start| flag.starts_with(start)) && !flag.starts_with("-objc");
    whole.contains(&flag) || joined || optimization_record
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn languages_by_suffix() {
        let of = |name: &str| Language::of(Path::new(name));
        assert_eq!(of("a.c"), Some(Language::Compiled(Tool::Clang)));
        assert_eq!(of("a.C"), Some(Language::Compiled(Tool::ClangCxx)));
        assert_eq!(of("x/a.F90"), Some(Language::Compiled(Tool::Flang)));
        assert_eq!(of("a.bc"), Some(Language::Ir));
        assert_eq!(of("-"), Some(Language::Ir));
        assert_eq!(of("a.rs"), Some(Language::Rust));
        assert_eq!(of("r.jsonl"), Some(Language::Recorded));
        assert_eq!((of("a.o"), of("a"), of("a.h")), (None, None, None));
    }

    #[test]
    fn inputs_and_outputs_are_taken_out() {
        let arguments = words(
            "-Iinc -O2 -MD -MT a.o -MFa.d -o a.o -c ../a.c -Werror=all -flto=thin -DX=1 -std=c11 -objcmt-x",
        );
        let flags = only_flags(&arguments, Path::new("../a.c"));
        assert_eq!(flags, words("-Iinc -O2 -DX=1 -std=c11 -objcmt-x"));
    }

    #[test]
    fn files_are_found_from_any_parent() {
        let root = tempfile::tempdir().unwrap();
        let build = root.path().join("project/build");
        std::fs::create_dir_all(&build).unwrap();
        std::fs::write(root.path().join("project/a.c"), "").unwrap();
        assert_eq!(source_file(&build, "a.c"), root.path().join("project/a.c"));
        assert_eq!(source_file(&build, "project/a.c"), root.path().join("project/a.c"));
        assert_eq!(source_file(&build, "none.c"), build.join("none.c"));
    }

    #[test]
    fn places_are_seen_from_the_user() {
        let here = Path::new("/no-such-home/p");
        assert_eq!(seen_from(here, Path::new("/no-such-home/p/build/../src/a.c")), "src/a.c");
        assert_eq!(seen_from(here, Path::new("/no-such-usr/./include/a.h")), "/no-such-usr/include/a.h");
    }
}
