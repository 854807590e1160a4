//! From a command line to its output: splitting, substituting, running.

use crate::toolchain::Toolchain;
use std::collections::BTreeMap;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// What a command that is a closure is given.
#[derive(Debug)]
pub struct TestInput<'a> {
    /// The file.
    pub path: &'a Path,
    /// Its path relative to the suite's folder, for messages.
    pub name: &'a str,
    /// Its text without the golden section; line numbers are the file's.
    pub text: &'a str,
    /// The words after the command's name, substituted.
    pub args: &'a [String],
    /// A fresh, empty folder.
    pub temp: &'a Path,
    /// What starts a comment in this file.
    pub comment: &'static str,
}

impl TestInput<'_> {
    /// The text with every line that is wholly a comment made blank, for formats without comments.
    pub fn code(&self) -> String {
        let blank = |line: &'_ str| line.trim_start().starts_with(self.comment);
        self.text.lines().map(|line| if blank(line) { "\n".into() } else { format!("{line}\n") }).collect()
    }
}

/// A command that is a closure.
pub type InProcess = Arc<dyn Fn(&TestInput) -> Result<String, String> + Send + Sync>;

/// Where a test stands: the places that commands refer to as `%s` and so on.
#[derive(Debug)]
pub struct Place<'a> {
    /// `%s`
    pub file: &'a Path,
    /// `%T`
    pub temp: &'a Path,
    /// `%plugin`, where there is one.
    pub plugin: Option<&'a Path>,
    /// `%root`, in outputs only.
    pub root: Option<&'a Path>,
    /// `%llvm`, LLVM's folder of programs, in outputs only.
    pub llvm: Option<&'a Path>,
}

impl Place<'_> {
    fn folder(&self) -> &Path {
        self.file.parent().unwrap_or(Path::new("/"))
    }

    fn scratch(&self) -> PathBuf {
        self.temp.join(self.file.file_stem().unwrap_or_default())
    }

    /// Replaces `%s` and its like in one word.
    fn substitute(&self, word: &str) -> Result<String, String> {
        let mut result = String::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once('%') {
            result.push_str(before);
            let (name, path) = match after {
                _ if after.starts_with("plugin") => ("plugin", self.plugin.map(Path::to_path_buf)),
                _ if after.starts_with('s') => ("s", Some(self.file.to_path_buf())),
                _ if after.starts_with('S') => ("S", Some(self.folder().to_path_buf())),
                _ if after.starts_with('t') => ("t", Some(self.scratch())),
                _ if after.starts_with('T') => ("T", Some(self.temp.to_path_buf())),
                _ if after.starts_with('%') => ("%", Some("%".into())),
                _ => {
                    return Err(format!("`{word}`: there are %s %S %t %T %plugin and %% for a percent sign"));
                }
            };
            let path = path.ok_or_else(|| format!("`{word}`: this suite has no %{name}"))?;
            let path = path.to_str().ok_or_else(|| format!("{} is not UTF-8", path.display()))?;
            result.push_str(path);
            rest = &after[name.len()..];
        }
        result.push_str(rest);
        Ok(result)
    }

    /// Replaces absolute paths in an output by the names of their places, the longest first.
    pub fn normalize(&self, output: &str) -> String {
        let scratch = self.scratch();
        let mut places: Vec<(&str, &str)> = [
            (Some(self.file), "%s"),
            (Some(self.folder()), "%S"),
            (Some(scratch.as_path()), "%t"),
            (Some(self.temp), "%T"),
            (self.plugin, "%plugin"),
            (self.root, "%root"),
            (self.llvm, "%llvm"),
        ]
        .into_iter()
        .filter_map(|(path, name)| Some((path?.to_str()?, name)))
        .collect();
        places.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        let text = places.iter().fold(output.to_string(), |text, (path, name)| text.replace(path, name));
        // flang prints absolute paths without their first slash
        let file = self.file.to_str().unwrap_or_default().trim_start_matches('/');
        if file.contains('/') { text.replace(file, "%s") } else { text }
    }
}

/// What a command left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit status.
    pub exit: i32,
    /// Everything it wrote.
    pub output: String,
}

/// The words of a command line, substituted: variables to set, then the command, then its arguments.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// `NAME=VALUE` words in front.
    pub variables: Vec<(String, String)>,
    /// The command's name.
    pub name: String,
    /// The rest.
    pub args: Vec<String>,
}

impl Words {
    /// Splits and substitutes a command line.
    pub fn parse(line: &str, place: &Place) -> Result<Words, String> {
        let words = shlex::split(line).ok_or_else(|| format!("`{line}`: unbalanced quotes"))?;
        let mut words =
            words.iter().map(|word| place.substitute(word)).collect::<Result<Vec<_>, _>>()?.into_iter();
        let mut variables = Vec::new();
        loop {
            let word = words.next().ok_or_else(|| format!("`{line}` names no command"))?;
            match word.split_once('=') {
                Some((name, value)) => variables.push((name.to_string(), value.to_string())),
                None => return Ok(Words { variables, name: word, args: words.collect() }),
            }
        }
    }
}

/// The commands of a suite.
#[derive(Default)]
pub struct Commands {
    /// Closures by name.
    pub in_process: BTreeMap<String, InProcess>,
    /// Programs.
    pub external: Option<Toolchain>,
}

impl Commands {
    /// Runs one command line of a test.
    pub fn run(&self, line: &str, place: &Place, input: &TestInput) -> Result<Ran, String> {
        let words = Words::parse(line, place)?;
        if let Some(closure) = self.in_process.get(&words.name) {
            if !words.variables.is_empty() {
                return Err(format!(
                    "`{}` runs inside the test: it takes no environment variables",
                    words.name
                ));
            }
            return run_closure(closure, &TestInput { args: &words.args, ..*input });
        }
        match &self.external {
            Some(toolchain) => run_program(toolchain.command(&words)?, place.temp, time_limit()),
            None => Err(self.unknown(&words.name)),
        }
    }

    fn unknown(&self, name: &str) -> String {
        let known: Vec<&str> = self.in_process.keys().map(String::as_str).collect();
        format!("unknown command `{name}`; this suite knows: {}", known.join(", "))
    }
}

/// Runs a closure; its panic is the test's failure.
fn run_closure(closure: &InProcess, input: &TestInput) -> Result<Ran, String> {
    match catch_unwind(AssertUnwindSafe(|| closure(input))) {
        Ok(Ok(output)) => Ok(Ran { exit: 0, output }),
        Ok(Err(output)) => Ok(Ran { exit: 1, output }),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(format!("the command panicked: {}", text.unwrap_or("no message")))
        }
    }
}

/// How long one program may run; `FILETESTS_TIMEOUT` is in seconds, for valgrind and the like.
fn time_limit() -> Duration {
    let seconds = std::env::var("FILETESTS_TIMEOUT").ok().and_then(|s| s.parse().ok());
    Duration::from_secs(seconds.unwrap_or(120))
}

/// Runs a program in `folder`. Its two output streams are one pipe, as they are one terminal to a user.
pub fn run_program(mut command: Command, folder: &Path, limit: Duration) -> Result<Ran, String> {
    let shown = format!("{command:?}");
    let failed = |error: std::io::Error| format!("cannot run {shown}: {error}");
    let (mut reader, writer) = std::io::pipe().map_err(failed)?;
    command.current_dir(folder).stdin(Stdio::null());
    command.stdout(writer.try_clone().map_err(failed)?).stderr(writer);
    let mut child = command.spawn().map_err(failed)?;
    drop(command); // and with it this side's ends of the pipe
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let result = reader.read_to_end(&mut bytes).map(|_| bytes);
        drop(sender.send(result));
    });
    let deadline = Instant::now() + limit;
    let out_of_time = || format!("{shown} did not end within {} s", limit.as_secs());
    let output = receiver.recv_timeout(limit);
    let status = loop {
        match child.try_wait().map_err(failed)? {
            Some(status) => break status,
            None if Instant::now() >= deadline => {
                drop(child.kill());
                drop(child.wait());
                return Err(out_of_time());
            }
            None => std::thread::sleep(Duration::from_millis(2)),
        }
    };
    let output = output.map_err(|_| out_of_time())?.map_err(failed)?;
    let output = String::from_utf8_lossy(&output).into_owned();
    match status.code() {
        Some(exit) => Ok(Ran { exit, output }),
        None => Err(format!("{shown} died: {status}\n{output}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place<'static> {
        Place {
            file: Path::new("/r/tests/a b.c"),
            temp: Path::new("/tmp/x"),
            plugin: Some(Path::new("/r/target/p.so")),
            root: Some(Path::new("/r")),
            llvm: Some(Path::new("/l/bin")),
        }
    }

    #[test]
    fn words_are_split_then_substituted() {
        let words = Words::parse("A=%t B='x y' cc '%s' -I%S -o %t.o -p=%plugin 100%% %T", &place()).unwrap();
        assert_eq!(words.variables, [("A".into(), "/tmp/x/a b".into()), ("B".into(), "x y".into())]);
        assert_eq!(words.name, "cc");
        let args =
            ["/r/tests/a b.c", "-I/r/tests", "-o", "/tmp/x/a b.o", "-p=/r/target/p.so", "100%", "/tmp/x"];
        assert_eq!(words.args, args);
    }

    #[test]
    fn a_bad_command_line_is_refused() {
        for (line, message) in [
            ("cc '%s", "unbalanced quotes"),
            ("cc %q", "there are %s"),
            ("A=1", "names no command"),
            ("cc 100%", "there are %s"),
        ] {
            let error = Words::parse(line, &place()).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let no_plugin = Place { plugin: None, ..place() };
        assert!(Words::parse("cc %plugin", &no_plugin).unwrap_err().contains("no %plugin"));
    }

    #[test]
    fn outputs_name_places_not_paths() {
        let text = "/r/tests/a b.c:1: /r/tests/b.h /tmp/x/a b.o /tmp/x/y /r/target/p.so /r/z /q /l/bin/opt";
        assert_eq!(place().normalize(text), "%s:1: %S/b.h %t.o %T/y %plugin %root/z /q %llvm/opt");
        assert_eq!(place().normalize("r/tests/a b.c:1:2"), "%s:1:2", "as flang prints it");
    }

    #[test]
    fn a_program_gives_its_status_and_both_streams() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo a; echo b >&2; pwd; exit 7"]);
        let ran = run_program(command, Path::new("/"), Duration::from_secs(20)).unwrap();
        assert_eq!(ran, Ran { exit: 7, output: "a\nb\n/\n".into() });
    }

    #[test]
    fn hanging_and_dying_programs_fail() {
        let mut command = Command::new("sleep");
        command.arg("1000");
        let error = run_program(command, Path::new("/"), Duration::from_millis(50)).unwrap_err();
        assert!(error.contains("did not end"), "{error}");
        let mut command = Command::new("sh");
        command.args(["-c", "echo last words; kill -SEGV $$"]);
        let error = run_program(command, Path::new("/"), Duration::from_secs(20)).unwrap_err();
        assert!(error.contains("died") && error.contains("last words"), "{error}");
        let error =
            run_program(Command::new("/no/such"), Path::new("/"), Duration::from_secs(20)).unwrap_err();
        assert!(error.contains("cannot run"), "{error}");
    }
}
