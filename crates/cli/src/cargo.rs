//! `cargo orthant build`, `test`, `run`, `bench`: Rust crates with the pass.
//!
//! rustc cannot load a pass plugin, but it can leave code generation to the linker: with `-C linker-plugin-lto` it
//! writes bitcode, and LLVM 22's lld, which can load one, optimizes the crate and its dependencies when it links
//! them (ThinLTO). The standard library comes compiled and is linked as it is.
//!
//! `cargo orthant X` is `cargo X` with this program as `RUSTC_WRAPPER`. The wrapper adds the flags to every rustc
//! invocation, so that flags from `RUSTFLAGS` and from configuration files stay what they are. Build scripts and
//! procedural macros get them too: they may share dependencies with the crate, which are bitcode. Compilations for
//! another target (`--target`) are left alone.
//!
//! *Rebuilds.* Cargo asks the wrapper for rustc's version to tell compilers apart. The wrapper appends its own version,
//! the plugin's time stamp and the options to the answer, so that cargo keeps builds with and without Orthant, and
//! builds with different options, side by side in one target folder.
//!
//! In profiles with `opt-level = 0` (the default `dev`) nothing is optimized.

use crate::cc::take_settings;
use crate::failure::{Failure, MISSING};
use crate::tools::{self, Tool};
use crate::{output, settings};
use options::Setting;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::UNIX_EPOCH;

/// A wrapper that the user already has; ours runs it.
const INNER: &str = "ORTHANT_INNER_RUSTC_WRAPPER";

/// Runs `cargo-orthant`: as cargo's subcommand, or as its `RUSTC_WRAPPER`.
pub fn main(argv: Vec<OsString>) -> Result<ExitCode, Failure> {
    let arguments = argv.get(1..).unwrap_or_default();
    match arguments.split_first() {
        Some((first, rest)) if is_rustc(first) => wrap(first, rest),
        Some((first, rest)) if first == "orthant" => subcommand(rest),
        _ => subcommand(arguments),
    }
}

/// Cargo passes the compiler's path first.
fn is_rustc(word: &OsStr) -> bool {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
    name.starts_with("rustc") || name.starts_with("clippy-driver")
}

fn subcommand(arguments: &[OsString]) -> Result<ExitCode, Failure> {
    match arguments.first().and_then(|first| first.to_str()) {
        None | Some("-h" | "--help" | "help") => {
            output::print(HELP.as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        Some("-V" | "--version") => {
            output::print(concat!("cargo-orthant ", env!("CARGO_PKG_VERSION"), "\n").as_bytes())?;
            return Ok(ExitCode::SUCCESS);
        }
        Some(_) => {}
    }
    let (mut settings, rest) = take_settings(arguments);
    // The pass runs in the linker, where the early position is over.
    settings.insert(0, Setting { name: "position".into(), value: Some("late".into()) });
    settings::check(&settings)?;
    let flags = Flags::find()?;
    flags.check_linker()?;
    let own =
        env::current_exe().map_err(|error| Failure::broken(format!("cannot find this program: {error}")))?;
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.args(&rest).env("RUSTC_WRAPPER", &own);
    // The answer to "which version" depends on our options, of which cargo's cache of it knows nothing.
    command.env("CARGO_CACHE_RUSTC_INFO", "0");
    if let Some(inner) =
        env::var_os("RUSTC_WRAPPER").filter(|inner| !inner.is_empty() && Path::new(inner) != own)
    {
        command.env(INNER, inner);
    }
    if rest.iter().any(|word| *word == "test" || *word == "t") {
        command.env("CARGO_ENCODED_RUSTDOCFLAGS", flags.for_doctests());
    }
    settings::give(&settings, &mut command);
    Err(not_run(&cargo, &command.exec()))
}

fn not_run(program: &OsStr, error: &std::io::Error) -> Failure {
    Failure::missing(format!("cannot run {}: {error}", program.to_string_lossy()))
}

/// Acts as rustc.
fn wrap(rustc: &OsStr, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let mut command = match env::var_os(INNER) {
        Some(inner) => {
            let mut command = Command::new(inner);
            command.arg(rustc);
            command
        }
        None => Command::new(rustc),
    };
    command.args(arguments);
    if arguments.iter().any(|word| word == "-vV") {
        return version(command);
    }
    if for_this_machine(arguments) {
        command.args(Flags::find()?.words());
    }
    Err(not_run(rustc, &command.exec()))
}

/// rustc's answer, and a line that changes whenever the wrapper would compile differently.
fn version(mut command: Command) -> Result<ExitCode, Failure> {
    let program = command.get_program().to_owned();
    let answer =
        command.stderr(std::process::Stdio::inherit()).output().map_err(|error| not_run(&program, &error))?;
    let plugin = tools::plugin()?;
    let stamp = plugin.metadata().ok().and_then(|data| data.modified().ok());
    let stamp = stamp.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |age| age.as_nanos());
    let options = env::var(settings::VARIABLE).unwrap_or_default().replace(['\n', '\r'], " ");
    let line = format!("orthant: {} {stamp} {options}\n", env!("CARGO_PKG_VERSION"));
    output::print(&[&answer.stdout, line.as_bytes()].concat())?;
    let code = answer.status.code().and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(MISSING)))
}

/// Whether rustc compiles for the machine that clang links for.
fn for_this_machine(arguments: &[OsString]) -> bool {
    let follows =
        arguments.windows(2).find(|pair| pair[0] == "--target").map(|pair| pair[1].to_string_lossy());
    let joined = arguments.iter().find_map(|word| word.to_str()?.strip_prefix("--target=").map(Into::into));
    let own = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    follows.or(joined).is_none_or(|target| target == own)
}

/// What rustc needs to know.
struct Flags {
    clang: PathBuf,
    plugin: PathBuf,
}

impl Flags {
    fn find() -> Result<Flags, Failure> {
        Ok(Flags { clang: Tool::Clang.find()?, plugin: tools::plugin()? })
    }

    fn words(&self) -> Vec<OsString> {
        let with = |flag: &str, path: &Path| {
            let mut word = OsString::from(flag);
            word.push(path);
            word
        };
        vec![
            "-Clinker-plugin-lto".into(),
            with("-Clinker=", &self.clang),
            "-Clink-arg=-fuse-ld=lld".into(),
            "-Clink-arg=-Xlinker".into(),
            with("-Clink-arg=--load-pass-plugin=", &self.plugin),
        ]
    }

    /// rustdoc compiles and links documentation tests itself, without the wrapper. Flags are separated by 0x1f.
    fn for_doctests(&self) -> OsString {
        let encoded = env::var_os("CARGO_ENCODED_RUSTDOCFLAGS");
        let plain = || {
            env::var("RUSTDOCFLAGS").unwrap_or_default().split_whitespace().collect::<Vec<_>>().join("\u{1f}")
        };
        let given = encoded.unwrap_or_else(|| plain().into());
        let words = (!given.is_empty()).then_some(given).into_iter().chain(self.words());
        words.collect::<Vec<_>>().join(OsStr::new("\u{1f}"))
    }

    /// clang prints the bare name of a program that it does not find.
    fn check_linker(&self) -> Result<(), Failure> {
        let answer = Command::new(&self.clang).arg("-print-prog-name=ld.lld").output();
        let answer = answer.map_err(|error| not_run(self.clang.as_os_str(), &error))?;
        match Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_absolute() {
            true => Ok(()),
            false => Err(Failure::missing(format!("{} finds no ld.lld", self.clang.display()))
                .remedy("apt-get install lld-22 (or `cargo xtask setup` in Orthant's sources)")),
        }
    }
}

const HELP: &str = "\
Build Rust crates with Orthant's pass

Usage: cargo orthant [-orthant-NAME=VALUE]... COMMAND [ARGUMENTS OF cargo COMMAND]...

  cargo orthant build --release
  cargo orthant test --release
  cargo orthant -orthant-report=$PWD/loops.jsonl build --release && orthant explain loops.jsonl

The crate and its dependencies are compiled to bitcode, and optimized and linked by clang-22 and its lld with the
plugin loaded. `orthant help cc` lists the options. In profiles with opt-level = 0 nothing is optimized. Paths in
options must be absolute: cargo compiles in other folders. For source lines in reports, set
CARGO_PROFILE_RELEASE_DEBUG=line-tables-only.

A static library (crate-type staticlib) then holds bitcode: link it with `orthant cc -flto=thin -fuse-ld=lld`.

Without the subcommand: RUSTC_WRAPPER=cargo-orthant cargo build --release
";

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_wrappers_role_is_told_by_the_first_word() {
        assert!(
            is_rustc(OsStr::new("/toolchains/stable/bin/rustc")) && is_rustc(OsStr::new("clippy-driver"))
        );
        assert!(!is_rustc(OsStr::new("orthant")) && !is_rustc(OsStr::new("build")));
    }

    #[test]
    fn other_targets_are_left_alone() {
        let own = format!("--target {}-unknown-linux-gnu", env::consts::ARCH);
        assert!(for_this_machine(&words("--crate-name a")) && for_this_machine(&words(&own)));
        assert!(!for_this_machine(&words("--target wasm32-unknown-unknown")));
        assert!(!for_this_machine(&words("--target=wasm32-unknown-unknown")));
    }
}
