//! A suite: a folder of test files, the commands they may name, and the run.

use crate::command::{Commands, Place, TestInput};
use crate::test_file::{Check, TestFile, comment_openers};
use crate::toolchain::{Toolchain, find_file_check};
use crate::{check, command::Ran};
use libtest_mimic::{Arguments, Conclusion, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// A folder of test files and the commands they may name.
pub struct Suite {
    folder: PathBuf,
    commands: Commands,
}

/// What became of one test that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The output is the expected one.
    Passed,
    /// It was not, and the file has been changed to expect it.
    Blessed,
}

impl Suite {
    /// Every test file below `folder`.
    pub fn new(folder: impl Into<PathBuf>) -> Suite {
        let folder = folder.into();
        let folder = folder.canonicalize().unwrap_or(folder); // a missing folder is the run's failure
        Suite { folder, commands: Commands::default() }
    }

    /// Defines a command that runs inside the test process.
    #[must_use]
    pub fn command<F>(mut self, name: &str, run: F) -> Suite
    where
        F: Fn(&TestInput) -> Result<String, String> + Send + Sync + 'static,
    {
        self.commands.in_process.insert(name.to_string(), Arc::new(run));
        self
    }

    /// Makes the compilers and the `orthant` command known; see [`Toolchain`].
    #[must_use]
    pub fn external(mut self, toolchain: Toolchain) -> Suite {
        self.commands.external = Some(toolchain);
        self
    }

    /// Runs the suite with the process's arguments (those of `cargo test`: filters, `--list`, `--exact`, ...).
    /// `BLESS=1` in the environment updates golden sections.
    pub fn run(self) -> ExitCode {
        self.run_with(&Arguments::from_args()).exit_code()
    }

    fn run_with(self, arguments: &Arguments) -> Conclusion {
        let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
        let files = self.files();
        let suite = Arc::new(self);
        let trials = match files {
            Ok(files) => files.into_iter().map(|path| trial(&suite, path, bless)).collect(),
            Err(message) => vec![Trial::test("the suite", move || Err(Failed::from(message)))],
        };
        libtest_mimic::run(arguments, trials)
    }

    /// The test files, sorted.
    fn files(&self) -> Result<Vec<PathBuf>, String> {
        let mut files = Vec::new();
        collect(&self.folder, &mut files)?;
        files.sort();
        match files.is_empty() {
            true => Err(format!("no test files in {}", self.folder.display())),
            false => Ok(files),
        }
    }

    /// The path below the suite's folder: the test's name.
    fn name(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).display().to_string()
    }

    /// Runs the test in one file. With `bless` a golden section that does not match is replaced.
    pub fn check_file(&self, path: &Path, bless: bool) -> Result<Verdict, String> {
        let path = path.canonicalize().map_err(|error| format!("{}: {error}", path.display()))?;
        let content =
            std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let test = TestFile::parse(&path, &content)?;
        let ran = self.run_commands(&path, &test)?;
        if ran.exit != test.exit {
            return Err(format!(
                "exit status {}, expected {}; the output was:\n{}",
                ran.exit, test.exit, ran.output
            ));
        }
        match &test.check {
            Check::FileCheck => {
                check::file_check(&find_file_check()?, &path, &ran.output).map(|()| Verdict::Passed)
            }
            Check::Golden(expected) => {
                let actual = check::trimmed(&ran.output);
                match check::golden(expected, &actual) {
                    Ok(()) => Ok(Verdict::Passed),
                    Err(_) if bless => replace(&path, &test.with_golden(&actual)).map(|()| Verdict::Blessed),
                    Err(difference) => Err(difference),
                }
            }
        }
    }

    /// Runs a test's commands: the exit status of the last, the normalized output of all.
    fn run_commands(&self, path: &Path, test: &TestFile) -> Result<Ran, String> {
        let temp = tempfile::tempdir().map_err(|error| format!("cannot make a temporary folder: {error}"))?;
        let temp =
            temp.path().canonicalize().map_err(|error| format!("{}: {error}", temp.path().display()))?;
        let plugin = self.commands.external.as_ref().map(Toolchain::plugin);
        let llvm = self.commands.external.as_ref().and_then(Toolchain::llvm_folder);
        let root = checkout(path);
        let place = Place { file: path, temp: &temp, plugin: plugin.as_deref(), root, llvm };
        let name = self.name(path);
        let input =
            TestInput { path, name: &name, text: &test.text, args: &[], temp: &temp, comment: test.comment };
        let mut output = String::new();
        for (index, line) in test.commands.iter().enumerate() {
            let ran = self.commands.run(line, &place, &input)?;
            output.push_str(&place.normalize(&ran.output));
            let last = index + 1 == test.commands.len();
            match last {
                true => return Ok(Ran { exit: ran.exit, output }),
                false if ran.exit != 0 => {
                    return Err(format!("exit status {} of `{line}`; the output was:\n{output}", ran.exit));
                }
                false => {}
            }
        }
        Err("names no command".into())
    }
}

fn trial(suite: &Arc<Suite>, path: PathBuf, bless: bool) -> Trial {
    let suite = Arc::clone(suite);
    Trial::test(suite.name(&path), move || match suite.check_file(&path, bless) {
        Ok(Verdict::Passed) => Ok(()),
        Ok(Verdict::Blessed) => {
            eprintln!("blessed {}", path.display());
            Ok(())
        }
        Err(message) => Err(Failed::from(format!("{}: {message}", path.display()))),
    })
}

/// Adds the test files in and below `folder`; folders named `inputs`, `*.md` and hidden files are not tests.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        match path.is_dir() {
            _ if name.starts_with('.') => {}
            true if name == "inputs" => {}
            true => collect(&path, files)?,
            false if name.ends_with(".md") && comment_openers(&path).is_empty() => {}
            false => files.push(path),
        }
    }
    Ok(())
}

/// The checkout that holds a file: the nearest folder above it with a `.git`.
fn checkout(path: &Path) -> Option<&Path> {
    path.ancestors().find(|folder| folder.join(".git").exists())
}

/// Writes a file as a whole or not at all.
fn replace(path: &Path, content: &str) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("cannot bless {}: {error}", path.display());
    let folder = path.parent().unwrap_or(Path::new("."));
    let mut new = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::io::Write::write_all(&mut new, content.as_bytes()).map_err(failed)?;
    let permissions = std::fs::metadata(path).map_err(failed)?.permissions();
    new.as_file().set_permissions(permissions).map_err(failed)?;
    new.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A suite in a temporary folder with the command `upper` (fails on an empty argument list).
    struct Scratch {
        folder: tempfile::TempDir,
        suite: Suite,
    }

    impl Scratch {
        fn new() -> Scratch {
            let folder = tempfile::tempdir().unwrap();
            let suite = Suite::new(folder.path())
                .command("upper", |input| Ok(input.code().trim().to_uppercase()))
                .command("fail", |_| Err("it failed".into()))
                .command("panic", |input| panic!("in {}", input.name))
                .command("show", |input| Ok(format!("{}\n{}", input.path.display(), input.args.join(" "))))
                .command("write", |input| {
                    std::fs::write(input.temp.join("a"), input.args.join("+")).map_err(|e| e.to_string())?;
                    Ok(String::new())
                })
                .command("read", |input| std::fs::read_to_string(&input.args[0]).map_err(|e| e.to_string()));
            Scratch { folder, suite }
        }

        fn write(&self, name: &str, content: &str) -> PathBuf {
            let path = self.folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, content).unwrap();
            path
        }

        fn check(&self, content: &str) -> Result<Verdict, String> {
            self.suite.check_file(&self.write("a.imp", content), false)
        }

        #[track_caller]
        fn fails(&self, content: &str, message: &str) {
            let error = self.check(content).expect_err("should fail");
            assert!(error.contains(message), "{error}");
        }
    }

    #[test]
    fn golden_tests_pass_and_fail() {
        let scratch = Scratch::new();
        assert_eq!(scratch.check("# test: upper\nabc\n# output:\n# ABC\n"), Ok(Verdict::Passed));
        scratch.fails("# test: upper\nabc\n# output:\n# ABD\n", "-ABD\n+ABC");
        scratch.fails("# test: upper\nabc\n# output:\n", "+ABC");
        scratch.fails("# test: upper\n# output:\n# ABC\n", "-ABC");
        scratch.fails("# test: uper\nabc\n# output:\n# ABC\n", "unknown command `uper`");
        scratch.fails("# test: A=1 upper\nabc\n# output:\n# ABC\n", "takes no environment variables");
    }

    #[test]
    fn bless_updates_only_what_differs() {
        let scratch = Scratch::new();
        let wrong = scratch.write("wrong.imp", "# test: upper\nabc\n# output:\n# old\n");
        assert_eq!(scratch.suite.check_file(&wrong, true), Ok(Verdict::Blessed));
        assert_eq!(std::fs::read_to_string(&wrong).unwrap(), "# test: upper\nabc\n# output:\n# ABC\n");
        assert_eq!(scratch.suite.check_file(&wrong, true), Ok(Verdict::Passed));
        assert_eq!(scratch.suite.check_file(&wrong, false), Ok(Verdict::Passed));
        let same = "# test: upper\nabc\n# output:\n# ABC   \n#\n";
        let same_path = scratch.write("same.imp", same);
        assert_eq!(scratch.suite.check_file(&same_path, true), Ok(Verdict::Passed));
        assert_eq!(std::fs::read_to_string(&same_path).unwrap(), same);
    }

    #[test]
    fn bless_accepts_neither_statuses_nor_missing_checks() {
        let scratch = Scratch::new();
        for content in ["# test: fail\n# output:\n", "# test: upper\nabc\n", "# test: panic\n# output:\n"] {
            let path = scratch.write("a.imp", content);
            scratch.suite.check_file(&path, true).unwrap_err();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        }
    }

    #[test]
    fn the_exit_status_is_checked() {
        let scratch = Scratch::new();
        assert_eq!(scratch.check("# test: fail\n# exit: 1\n# output:\n# it failed\n"), Ok(Verdict::Passed));
        scratch.fails("# test: fail\n# output:\n# it failed\n", "exit status 1, expected 0");
        scratch.fails("# test: upper\n# exit: 1\n# output:\n", "exit status 0, expected 1");
        scratch.fails("# test: fail\n# test: upper\n# exit: 1\n# output:\n", "exit status 1 of `fail`");
        scratch.fails("# test: panic\n# exit: 1\n# output:\n", "the command panicked: in a.imp");
    }

    #[test]
    fn commands_share_a_folder_and_outputs_hide_paths() {
        let scratch = Scratch::new();
        let content =
            "# test: show %s %T/x\n# test: write 1 2\n# test: read %T/a\n# output:\n# %s\n# %s %T/x1+2\n";
        assert_eq!(scratch.check(content), Ok(Verdict::Passed));
    }

    #[test]
    fn programs_are_run_by_the_toolchain() {
        let scratch = Scratch::new();
        let suite = Suite::new(scratch.folder.path()).external(Toolchain::beside_this_test().unwrap());
        let content = "// test: cat %s\n// output:\n// // test: cat %s\n";
        let error = suite.check_file(&scratch.write("a.c", content), false).unwrap_err();
        assert!(error.contains("+// output:"), "the program sees the whole file: {error}");
        let content =
            "// test: cmp %s %S/none\n// exit: 2\n// output:\n// cmp: %S/none: No such file or directory\n";
        assert_eq!(suite.check_file(&scratch.write("b.c", content), false), Ok(Verdict::Passed));
        let error =
            suite.check_file(&scratch.write("c.c", "// test: upper\n// output:\n"), false).unwrap_err();
        assert!(error.contains("unknown command `upper`"), "{error}");
    }

    #[test]
    fn filecheck_decides_check_lines() {
        let scratch = Scratch::new();
        assert_eq!(
            scratch.check("# test: upper\nabc\ndef\n# CHECK: ABC\n# CHECK-NEXT: DEF\n"),
            Ok(Verdict::Passed)
        );
        scratch.fails("# test: upper\nabc\ndef\n# CHECK: DEF\n# CHECK-NEXT: ABC\n", "FileCheck");
        scratch.fails("# test: upper\nabc\n# CHECK-NOT: ABC\n", "FileCheck");
        assert_eq!(scratch.check("# test: upper\n# CHECK-NOT: ABC\n"), Ok(Verdict::Passed));
        scratch.fails("# test: upper\nabc\n# CHEKC: ABC\n", "is no check directive");
    }

    fn run(suite: Suite) -> Conclusion {
        let log = tempfile::NamedTempFile::new().unwrap();
        let logfile = Some(log.path().to_str().unwrap().to_string());
        suite.run_with(&Arguments { logfile, ..Arguments::default() })
    }

    #[test]
    fn every_file_is_a_test_or_an_error() {
        let scratch = Scratch::new();
        let empty = Suite::new(scratch.folder.path());
        assert_eq!(run(empty).num_failed, 1, "a suite without tests fails");
        scratch.write("README.md", "");
        scratch.write(".hidden", "");
        scratch.write("inputs/x.c", "");
        scratch.write("deep/er/a.imp", "# test: upper\nabc\n# output:\n# ABC\n");
        scratch.write("b.imp", "");
        scratch.write("notes.txt", "");
        let conclusion = run(scratch.suite);
        assert_eq!((conclusion.num_passed, conclusion.num_failed, conclusion.num_ignored), (1, 2, 0));
        assert_eq!(run(Suite::new("/no/such/folder")).num_failed, 1);
    }
}
