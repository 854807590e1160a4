//! `orthant cc`, `orthant c++`, `orthant fc`: clang-22, clang++-22 and flang-22 with the plugin.
//!
//! The arguments are the compiler's own. The wrapper only looks at them, in six ways:
//!
//! - When the invocation *compiles* (some input is C, C++, Objective-C, Fortran or IR, and it is to become IR,
//!   assembly or an object) it puts `-fpass-plugin=liborthant.so` in front.
//! - When it *links with LTO by lld* (`-flto` and `-fuse-ld=lld`, no `-c` or the like) it also has lld load the plugin:
//!   with `-flto=thin` loops are optimized only there. GNU ld and gold cannot load it; with plain `-flto` the pass has
//!   then run in the compile steps, with `-flto=thin` it does not run.
//! - `-orthant-NAME=VALUE`, also with two dashes and also after `-mllvm`, is taken out and handed to the plugin (see
//!   [`crate::settings`]), so that such a flag in `CFLAGS` is harmless on assembly files and link steps.
//! - When loops are to run in threads (`-orthant-parallel`) and it *links*, it adds an OpenMP runtime, unless some
//!   argument names one already: LLVM's `-lomp`, or else gcc's `-lgomp`, which waits busily and suffers on a loaded machine.
//! - `-march=native` also means this machine's caches ([`settings::with_flags`]).
//! - `@file` is left to the compiler. It may name sources, so the invocation counts as compiling.
//!
//! Everything else passes untouched and in order. The wrapper then *becomes* the compiler (`exec`): exit codes, signals,
//! terminal and job control are the compiler's own.
//!
//! Where it is unsure the wrapper adds the plugin: clang and flang accept `-fpass-plugin` silently even where it is not
//! used.

use crate::failure::{BROKEN, Failure};
use crate::tools::{self, Tool};
use crate::{failure, settings};
use options::Setting;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, ExitCode};

/// Which compiler is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// `cc`: C.
    C,
    /// `c++`: C++.
    Cxx,
    /// `fc`: Fortran.
    Fortran,
}

impl Driver {
    /// The driver of that name.
    pub fn named(name: &str) -> Option<Driver> {
        match name {
            "cc" => Some(Driver::C),
            "c++" => Some(Driver::Cxx),
            "fc" => Some(Driver::Fortran),
            _ => None,
        }
    }

    fn tool(self) -> Tool {
        match self {
            Driver::C => Tool::Clang,
            Driver::Cxx => Tool::ClangCxx,
            Driver::Fortran => Tool::Flang,
        }
    }
}

/// Becomes the compiler; returns only if that failed.
pub fn run(driver: Driver, arguments: &[OsString]) -> Result<ExitCode, Failure> {
    let (settings, rest) = take_settings(arguments);
    let options = settings::check(&settings)?;
    let settings = settings::with_flags(settings, &rest)?;
    let plan = Plan::of(&rest);
    let program = driver.tool().find()?;
    let runtime = match options.parallel && plan.links && !rest.iter().any(|argument| is_runtime(argument)) {
        true => Some(runtime(&program)?),
        false => None,
    };
    let mut command = Command::new(&program);
    if plan.compiles || plan.links_with_lld_lto {
        let plugin = tools::plugin()?;
        if plan.compiles {
            command.arg(joined("-fpass-plugin=", &plugin));
        }
        if plan.links_with_lld_lto {
            command.arg("-Xlinker").arg(joined("--load-pass-plugin=", &plugin));
        }
    }
    settings::give(&settings, &mut command);
    let error = command.args(rest).args(runtime).exec();
    failure::say(&format!("error: cannot run {}: {error}", program.display()));
    Ok(ExitCode::from(BROKEN))
}

fn joined(flag: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(flag);
    argument.push(path);
    argument
}

/// The runtimes of OpenMP that have what loops in threads call.
const RUNTIMES: [&str; 2] = ["omp", "gomp"];

/// Whether an argument brings a runtime of OpenMP along.
fn is_runtime(argument: &OsStr) -> bool {
    let text = argument.to_string_lossy();
    let is_library = RUNTIMES.iter().any(|name| text == format!("-l{name}"));
    is_library || text.starts_with("-fopenmp") || text == "-liomp5"
}

/// The argument for the first runtime that the compiler finds.
fn runtime(compiler: &Path) -> Result<String, Failure> {
    let finds = |name: &&&str| {
        let answer = Command::new(compiler).arg(format!("-print-file-name=lib{name}.so")).output();
        // A file that is not found is answered with its own name.
        answer.is_ok_and(|answer| String::from_utf8_lossy(&answer.stdout).trim().contains('/'))
    };
    match RUNTIMES.iter().find(finds) {
        Some(name) => Ok(format!("-l{name}")),
        None => Err(Failure::missing("-orthant-parallel needs a runtime of OpenMP, and none is installed")
            .remedy("apt-get install libgomp1 gcc, or libomp-22-dev, or link your own with -L and -lomp")),
    }
}

/// Splits off Orthant's own options.
pub fn take_settings(arguments: &[OsString]) -> (Vec<Setting>, Vec<&OsString>) {
    let (mut settings, mut rest) = (Vec::new(), Vec::new());
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let follower = (argument == "-mllvm").then(|| arguments.clone().next()).flatten();
        if let Some(setting) = own_setting(argument) {
            settings.push(setting);
        } else if let Some(setting) = follower.and_then(|next| own_setting(next)) {
            settings.push(setting);
            arguments.next();
        } else {
            rest.push(argument);
        }
    }
    (settings, rest)
}

/// `-orthant-NAME`, `-orthant-NAME=VALUE`, the same with `--`, and `-mllvm=-orthant-...`.
fn own_setting(argument: &OsStr) -> Option<Setting> {
    let text = argument.to_str()?;
    let text = text.strip_prefix("-mllvm=").unwrap_or(text);
    let text = text.strip_prefix("--orthant-").or_else(|| text.strip_prefix("-orthant-"))?;
    Some(match text.split_once('=') {
        Some((name, value)) => Setting { name: name.to_owned(), value: Some(value.to_owned()) },
        None => Setting { name: text.to_owned(), value: None },
    })
}

/// What an invocation does, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
struct Plan {
    compiles: bool,
    links: bool,
    links_with_lld_lto: bool,
}

impl Plan {
    fn of(arguments: &[&OsString]) -> Plan {
        // The compiler proper, which only a driver calls, must see its own name first.
        let compiler_proper = arguments.first().is_some_and(|first| is_compiler_proper(first));
        let mut scan = Scan { stops_early: compiler_proper, ..Scan::default() };
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            // Arguments that are not Unicode can only be file names.
            let text = argument.to_string_lossy();
            if scan.only_files || !text.starts_with('-') || text == "-" {
                scan.input(&text);
            } else if takes_value(&text) {
                scan.option_with_value(
                    &text,
                    arguments.next().map(|value| value.to_string_lossy()).as_deref(),
                );
            } else {
                scan.option(&text);
            }
        }
        let links = scan.has_input && !scan.stops_early && !scan.stops_before_link;
        Plan {
            compiles: scan.has_source && !scan.stops_early,
            links,
            links_with_lld_lto: links && scan.lto && scan.lld,
        }
    }
}

fn is_compiler_proper(argument: &OsStr) -> bool {
    ["-cc1", "-cc1as", "-fc1"].iter().any(|name| argument == *name)
}

#[derive(Default)]
struct Scan {
    only_files: bool,
    has_input: bool,
    has_source: bool,
    /// `-x LANGUAGE`: whether the inputs that follow are compiled.
    forced: Option<bool>,
    stops_early: bool,
    stops_before_link: bool,
    lto: bool,
    lld: bool,
}

impl Scan {
    fn input(&mut self, name: &str) {
        self.has_input = true;
        let unknown = name.starts_with('@');
        self.has_source |= unknown || self.forced.unwrap_or_else(|| compiled_suffix(name));
    }

    fn option(&mut self, text: &str) {
        match text {
            "--" => self.only_files = true,
            "-c" | "-S" | "--precompile" => self.stops_before_link = true,
            "-E" | "-M" | "-MM" | "-fsyntax-only" | "--analyze" | "-emit-ast" | "--version" | "--help"
            | "-dumpversion" | "-dumpmachine" => self.stops_early = true,
            _ if text.starts_with("-print-")
                || text.starts_with("--print-")
                || text.starts_with("--help-") =>
            {
                self.stops_early = true;
            }
            "-flto" => self.lto = true,
            "-fno-lto" => self.lto = false,
            _ if text.starts_with("-flto=") => self.lto = true,
            _ => {
                if let Some(language) = text.strip_prefix("-x") {
                    self.language(language);
                } else if let Some(linker) =
                    text.strip_prefix("-fuse-ld=").or_else(|| text.strip_prefix("--ld-path="))
                {
                    self.lld = is_lld(linker);
                }
            }
        }
    }

    fn option_with_value(&mut self, text: &str, value: Option<&str>) {
        if let ("-x", Some(language)) = (text, value) {
            self.language(language);
        }
    }

    fn language(&mut self, language: &str) {
        self.forced = match language {
            "none" => None,
            "assembler" | "assembler-with-cpp" => Some(false),
            _ => Some(!language.ends_with("-header")),
        };
    }
}

/// An lld that can load a plugin built for LLVM 22: clang's own, or one named so.
fn is_lld(linker: &str) -> bool {
    let name = Path::new(linker).file_name().and_then(OsStr::to_str).unwrap_or_default();
    matches!(name, "lld" | "ld.lld" | "lld-22" | "ld.lld-22")
}

/// Options whose value is the next argument and could be taken for an input or another option.
fn takes_value(option: &str) -> bool {
    matches!(
        option,
        "-o" | "-x"
            | "-I"
            | "-L"
            | "-D"
            | "-U"
            | "-F"
            | "-J"
            | "-T"
            | "-u"
            | "-z"
            | "-e"
            | "-l"
            | "-B"
            | "-G"
            | "-include"
            | "-imacros"
            | "-isystem"
            | "-idirafter"
            | "-iquote"
            | "-iprefix"
            | "-iwithprefix"
            | "-iwithprefixbefore"
            | "-isysroot"
            | "-ivfsoverlay"
            | "-include-pch"
            | "-MF"
            | "-MT"
            | "-MQ"
            | "-MJ"
            | "-Xclang"
            | "-Xlinker"
            | "-Xassembler"
            | "-Xpreprocessor"
            | "-Xflang"
            | "-mllvm"
            | "-mmlir"
            | "-Xarch_host"
            | "-Xarch_device"
            | "-target"
            | "--target"
            | "-arch"
            | "-framework"
            | "--param"
            | "-aux-info"
            | "-fmodule-file"
            | "-module-dir"
            | "--config"
            | "--sysroot"
            | "-rpath"
            | "-soname"
            | "-install_name"
            | "-dyld-prefix"
            | "-serialize-diagnostics"
            | "--serialize-diagnostics"
    )
}

/// Suffixes of inputs that become IR. Headers become precompiled headers, and assembly never is IR.
fn compiled_suffix(name: &str) -> bool {
    let Some((_, suffix)) = name.rsplit_once('.') else { return false };
    let lower = suffix.to_ascii_lowercase();
    // `.S` is assembly and `.s` too; `.C`, `.F` and `.M` differ from their small letters only in the language.
    matches!(
        lower.as_str(),
        "c" | "i"
            | "ii"
            | "cc"
            | "cp"
            | "cxx"
            | "cpp"
            | "c++"
            | "cppm"
            | "ixx"
            | "ccm"
            | "cxxm"
            | "c++m"
            | "pcm"
            | "m"
            | "mi"
            | "mm"
            | "mii"
            | "ll"
            | "bc"
            | "f"
            | "for"
            | "ftn"
            | "fpp"
            | "f77"
            | "f90"
            | "f95"
            | "f03"
            | "f08"
            | "f18"
            | "mlir"
            | "fir"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    fn plan(line: &str) -> (bool, bool) {
        let arguments = split(line);
        let plan = Plan::of(&arguments.iter().collect::<Vec<_>>());
        (plan.compiles, plan.links_with_lld_lto)
    }

    #[test]
    fn what_compiles() {
        for line in [
            "-c a.c",
            "a.c -o a",
            "-S a.c",
            "-O3 -S -emit-llvm a.c",
            "-### -c a.c",
            "-c -x c -",
            "-xc++ - -c",
            "@args",
            "-c a.ll",
            "-c a.F90",
            "-MD -MF a.d -c a.c",
            "-v a.c",
            "a.o b.C",
            "-c -- -a.c",
            "-x assembler a.s -x none b.c",
        ] {
            assert!(plan(line).0, "{line}");
        }
    }

    #[test]
    fn what_does_not_compile() {
        for line in [
            "",
            "-v",
            "--version",
            "a.o -o a",
            "a.a",
            "-lm a.o -o prog.c",
            "-E a.c",
            "-cc1 -emit-obj a.c",
            "-M a.c",
            "-MM a.c",
            "-c a.s",
            "-c a.S",
            "-fsyntax-only a.c",
            "-print-search-dirs",
            "--print-file-name=x.c",
            "-x assembler-with-cpp a.c",
            "-x c++-header a.h",
            "a.h",
            "-include config.c a.o",
            "-MF b.c a.o",
            "a.so.1",
        ] {
            assert!(!plan(line).0, "{line}");
        }
    }

    #[test]
    fn what_needs_a_runtime_to_be_linked() {
        for (line, links) in
            [("a.c", true), ("a.o -o a", true), ("-c a.c", false), ("-v", false), ("-E a.c", false)]
        {
            let arguments = split(line);
            assert_eq!(Plan::of(&arguments.iter().collect::<Vec<_>>()).links, links, "{line}");
        }
        for brings in ["-fopenmp", "-fopenmp=libgomp", "-lgomp", "-lomp"] {
            assert!(is_runtime(OsStr::new(brings)), "{brings}");
        }
        assert!(!is_runtime(OsStr::new("-lm")) && !is_runtime(OsStr::new("gomp")));
    }

    #[test]
    fn what_links_with_lto() {
        for line in [
            "-flto -fuse-ld=lld a.o",
            "-flto=thin --ld-path=/x/ld.lld-22 a.o",
            "-fno-lto -flto -fuse-ld=lld a.c",
        ] {
            assert!(plan(line).1, "{line}");
        }
        for line in [
            "-flto a.o",
            "-flto -fuse-ld=gold a.o",
            "-flto -fno-lto -fuse-ld=lld a.o",
            "-flto -fuse-ld=lld -c a.c",
            "-flto -fuse-ld=lld",
            "-flto -fuse-ld=lld-19 a.o",
            "-flto -fuse-ld=lld -fuse-ld=bfd a.o",
        ] {
            assert!(!plan(line).1, "{line}");
        }
    }

    #[test]
    fn own_options_are_taken_out_in_every_spelling() {
        let arguments = split(
            "-c -orthant-only=a=b --orthant-time -mllvm -orthant-budget=1 -mllvm=-orthant-enable -mllvm -x a.c",
        );
        let (settings, rest) = take_settings(&arguments);
        let settings: Vec<_> = settings.iter().map(|s| (s.name.as_str(), s.value.as_deref())).collect();
        assert_eq!(
            settings,
            [("only", Some("a=b")), ("time", None), ("budget", Some("1")), ("enable", None)]
        );
        assert_eq!(rest, ["-c", "-mllvm", "-x", "a.c"]);
        let (none, rest) = take_settings(&arguments[..1]);
        assert!(none.is_empty() && rest.len() == 1);
    }

    #[test]
    fn a_final_mllvm_is_left_alone() {
        let arguments = split("a.c -mllvm");
        assert_eq!(take_settings(&arguments).1.len(), 2);
    }
}
