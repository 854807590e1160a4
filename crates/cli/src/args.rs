//! The command line.
//!
//! One [`clap::Command`] is built from [`options::TABLE`] and the commands' own arguments; parsing, `--help`, the
//! completions and the man pages all come from it. The drivers (`cc`, `c++`, `fc`) are in it for their help
//! only: [`crate::cc`] reads their arguments.

use crate::failure::{Failure, USAGE};
use clap::builder::{PossibleValuesParser, StyledStr, ValueParser};
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, ValueHint};
use options::{Kind, Layer, Options, Setting, Spec, TABLE};
use std::ffi::OsString;
use std::process::ExitCode;

/// What the command line asks for.
pub enum Parsed {
    /// Nothing more: help or the version was printed.
    Done(ExitCode),
    /// This subcommand.
    Run(String, ArgMatches),
}

/// Parses the command line. Clap's own messages get our prefix and exit code.
pub fn parse(argv: Vec<OsString>) -> Result<Parsed, Failure> {
    match command().try_get_matches_from(argv) {
        Ok(mut matches) => match matches.remove_subcommand() {
            Some((name, matches)) => Ok(Parsed::Run(name, matches)),
            None => Err(Failure::usage("no command given").remedy("see `orthant --help`")),
        },
        Err(error) if matches!(error.kind(), ErrorKind::DisplayVersion) && long_version() => {
            Ok(Parsed::Run("version".to_owned(), ArgMatches::default()))
        }
        Err(error) if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            crate::failure::say_raw(&error.render().to_string());
            Ok(Parsed::Done(ExitCode::from(USAGE)))
        }
        Err(error) => {
            // Printing fails only when nobody reads.
            if error.use_stderr() {
                crate::failure::say_raw(&prefixed(error.render()));
                Ok(Parsed::Done(ExitCode::from(USAGE)))
            } else {
                let _ = error.print();
                Ok(Parsed::Done(ExitCode::SUCCESS))
            }
        }
    }
}

/// `--version` tells LLVM's and isl's too, `-V` only ours.
fn long_version() -> bool {
    std::env::args_os().nth(1).is_some_and(|argument| argument == "--version")
}

fn prefixed(message: StyledStr) -> String {
    format!("orthant: {message}")
}

/// The whole command.
pub fn command() -> Command {
    with_options(|_| true)
}

/// The command as completions and man pages show it.
pub fn public_command() -> Command {
    with_options(|spec| !spec.hidden)
}

fn with_options(shown: fn(&Spec) -> bool) -> Command {
    Command::new("orthant")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Polyhedral loop optimizer for clang-22, flang-22 and rustc")
        .after_help(ENVIRONMENT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .infer_long_args(false)
        .subcommands([driver("cc", "clang-22"), driver("c++", "clang++-22"), driver("fc", "flang-22")])
        .subcommands([crate::profile::command(), crate::saved::command(), crate::fold_command::command()])
        .subcommands([opt(shown), explain(shown), crate::dataflow::command(), crate::fmt::command()])
        .subcommands([crate::tune::command(shown), version(), completions(), man()])
}

const ENVIRONMENT: &str = "\
Rust crates: `cargo orthant build`, see `cargo orthant --help`.

Environment:
  ORTHANT_OPTS     options for every run, between spaces: \"only=^gemm time\"
  ORTHANT_CONFIG   a file of options, one NAME = VALUE a line
  ORTHANT_PLUGIN   liborthant.so, if it is not beside this command, nor in
                   ../lib or ../lib/orthant from there
  ORTHANT_CLANG, ORTHANT_CLANGXX, ORTHANT_FLANG, ORTHANT_OPT, ORTHANT_LLC
                   the host's tools, if they are not clang-22, clang++-22,
                   flang-22, opt-22 and llc-22
  ORTHANT_QEMU, ORTHANT_QEMU_PLUGIN
                   for `orthant profile`: qemu-x86_64 and liborthant_qemu.so
  NO_COLOR         no colours

Exit status: 0 also if nothing could be optimized, 1 broken input or a failed tool, 2 wrong usage, \
127 a tool or the plugin is missing. The drivers exit as the compiler does.";

/// A compiler driver. Its help is the only thing that clap does for it.
fn driver(name: &'static str, tool: &'static str) -> Command {
    let options: Vec<_> = TABLE.iter().filter(|spec| !spec.hidden).map(driver_line).collect();
    Command::new(name)
        .about(format!("Compile as {tool} does, with Orthant's pass"))
        .override_usage(format!("orthant {name} [-orthant-NAME=VALUE]... [ARGUMENTS OF {tool}]..."))
        .disable_help_flag(true)
        .arg(
            Arg::new("arguments")
                .num_args(0..)
                .allow_hyphen_values(true)
                .trailing_var_arg(true)
                .value_hint(ValueHint::FilePath)
                .help(format!("Passed to {tool} as they are; its help is `orthant {name} --help`")),
        )
        .after_help(format!(
            "Use it wherever a compiler is named: `make CC=\"orthant cc\"`, `CC=\"orthant cc\" cmake ...`. For tools that \
             reject a compiler with a space, and for CMake projects with assembly files, link the executable under \
             the name orthant-{name} and name that.\n\n\
             With -flto=thin loops are optimized when linking, which needs -fuse-ld=lld; with -flto they are \
             optimized when compiling, and again when linking with -fuse-ld=lld.\n\n\
             Options of the pass, harmless on assembly and link steps:\n{}",
            options.join("\n")
        ))
}

fn driver_line(spec: &Spec) -> String {
    format!("  -orthant-{}={}\n        {}", spec.name, spec.metavar, spec.help)
}

fn opt(shown: fn(&Spec) -> bool) -> Command {
    Command::new("opt")
        .about("Optimize LLVM IR, text or bitcode, to IR, assembly or an object")
        .arg(input().required(true))
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .default_value("-")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("The file to write, whole or not at all; - is standard output"),
        )
        .arg(
            Arg::new("emit")
                .long("emit")
                .value_name("KIND")
                .value_parser(["llvm", "bc", "obj", "asm"])
                .help("What to write; without it FILE's suffix says: .bc, .o, .s, and text for all others"),
        )
        .args(pipeline())
        .arg(
            Arg::new("cpu")
                .long("cpu")
                .value_name("NAME")
                .help("Compile for this processor, or `native`, whatever the input was made for"),
        )
        .arg(verbose())
        .args(TABLE.iter().filter(|spec| shown(spec)).map(argument))
}

fn explain(shown: fn(&Spec) -> bool) -> Command {
    Command::new("explain")
        .about("Say of each loop nest what was found, or why it was left alone and what would help")
        .arg(
            Arg::new("files")
                .value_name("FILE")
                .num_args(0..)
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("C, C++, Fortran, Rust, LLVM IR, or a report recorded with the option report=FILE (.json, .jsonl)"),
        )
        .arg(
            Arg::new("flags")
                .value_name("COMPILER FLAGS")
                .num_args(0..)
                .last(true)
                .value_parser(clap::value_parser!(OsString))
                .help("For the compiler of FILE, after its own -O3 -g"),
        )
        .arg(
            Arg::new("project")
                .short('p')
                .long("project")
                .value_name("PATH")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::AnyPath)
                .help("Explain every file of a compile_commands.json, or of the build folder that has one"),
        )
        .arg(
            Arg::new("target")
                .long("target")
                .action(ArgAction::SetTrue)
                .conflicts_with_all(["files", "project", "sarif", "counts"])
                .help("Say what is known of the machine that clang-22 compiles for with the flags after --, and who says so"),
        )
        .arg(
            Arg::new("jobs")
                .short('j')
                .long("jobs")
                .value_name("N")
                .value_parser(clap::value_parser!(u16).range(1..))
                .help("Compile so many files at once [default: the number of processors]"),
        )
        .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print one JSON document instead of text"))
        .arg(
            Arg::new("sarif")
                .long("sarif")
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Also write SARIF 2.1.0, for editors and code-scanning services, to FILE"),
        )
        .arg(
            Arg::new("counts")
                .long("counts")
                .value_name("FILE")
                .value_parser(clap::value_parser!(std::path::PathBuf))
                .value_hint(ValueHint::FilePath)
                .help("Show how often conditions held: what a program built with count-checks appended to FILE"),
        )
        .arg(
            Arg::new("colour")
                .long("color")
                .visible_alias("colour")
                .value_name("WHEN")
                .value_parser(["auto", "always", "never"])
                .default_value("auto")
                .help("Colours: auto is on a terminal and without NO_COLOR"),
        )
        .args(pipeline())
        .arg(verbose())
        .args(TABLE.iter().filter(|spec| shown(spec) && spec.name != "report").map(argument))
        .after_help(
            "For IR and Rust, -O and --passes choose the pipeline (default: -O3). Compiler flags after -- replace the \
             -O3 of the other languages. The exit status is 0 also when nothing could be optimized.",
        )
}

fn version() -> Command {
    Command::new("version").about("Print the versions of Orthant, LLVM and isl")
}

fn completions() -> Command {
    Command::new("completions")
        .about("Print a shell's completions")
        .arg(Arg::new("shell").required(true).value_parser(["bash", "zsh", "fish"]).help("The shell"))
}

fn man() -> Command {
    let folder = |id: &'static str| {
        Arg::new(id)
            .value_name("DIR")
            .value_parser(clap::value_parser!(std::path::PathBuf))
            .value_hint(ValueHint::DirPath)
            .help("Write one page per command into DIR; without it orthant(1) is printed")
    };
    Command::new("man")
        .about("Write the man pages")
        .arg(folder("folder"))
        .arg(folder("out").long("out").conflicts_with("folder").help("The same"))
}

fn input() -> Arg {
    Arg::new("input")
        .value_name("INPUT")
        .value_parser(clap::value_parser!(std::path::PathBuf))
        .value_hint(ValueHint::FilePath)
        .help("The module, text or bitcode; - is standard input")
}

pub fn verbose() -> Arg {
    Arg::new("verbose")
        .long("verbose")
        .short('v')
        .action(ArgAction::SetTrue)
        .help("Print the commands that are run and all that they say")
}

fn pipeline() -> [Arg; 2] {
    [
        Arg::new("level")
            .short('O')
            .value_name("LEVEL")
            .value_parser(["0", "1", "2", "3", "s", "z"])
            .help("Run LLVM's whole pipeline of this level, with the pass in it"),
        Arg::new("passes")
            .long("passes")
            .value_name("PIPELINE")
            .conflicts_with("level")
            .help("Run this pipeline, in opt's notation; `orthant` is the pass alone"),
    ]
}

/// An option of the pass.
pub fn argument(spec: &'static Spec) -> Arg {
    let shown_default =
        if spec.default.is_empty() { String::new() } else { format!(" [default: {}]", spec.default) };
    let argument = Arg::new(spec.name)
        .long(spec.name)
        .value_name(spec.metavar)
        .help(format!("{}{shown_default}", spec.help.trim_end_matches('.')))
        .help_heading("Options of the pass")
        .hide(spec.hidden)
        .action(ArgAction::Set)
        .overrides_with(spec.name);
    match spec.kind {
        Kind::Flag => argument
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(PossibleValuesParser::new(["true", "false"])),
        Kind::Choice(words) => argument.value_parser(PossibleValuesParser::new(words)),
        Kind::Choices(words) => argument.value_delimiter(',').value_parser(PossibleValuesParser::new(words)),
        Kind::File => argument.value_hint(ValueHint::FilePath).value_parser(checked(spec)),
        Kind::Number(..) | Kind::Bytes(_) | Kind::Numbers(_) | Kind::Regex | Kind::Text => {
            argument.value_parser(checked(spec))
        }
    }
}

/// A parser that accepts what the plugin will accept.
fn checked(spec: &'static Spec) -> ValueParser {
    ValueParser::from(move |value: &str| {
        let setting = Setting { name: spec.name.to_owned(), value: Some(value.to_owned()) };
        let checked = Options::from_layers(&[Layer::command_line(vec![setting])]);
        checked.map(|_| value.to_owned()).map_err(|error| error.problem.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clap_finds_no_fault_and_every_option_is_in_the_help() {
        let mut command = command();
        command.build();
        command.clone().debug_assert();
        for name in ["opt", "explain", "cc", "c++", "fc"] {
            let help = command.find_subcommand_mut(name).expect(name).render_long_help().to_string();
            for spec in TABLE {
                let written = if name.len() > 2 && name != "c++" {
                    format!("--{}", spec.name)
                } else {
                    format!("-orthant-{}=", spec.name)
                };
                let expected = !(spec.hidden || name == "explain" && spec.name == "report");
                assert_eq!(help.contains(&written), expected, "{name} {}:\n{help}", spec.name);
            }
        }
    }

    #[test]
    fn settings_come_out_of_the_command_line_as_they_went_in() {
        let line = [
            "orthant",
            "opt",
            "a.ll",
            "--time",
            "--only",
            "^a b$",
            "--print-after=detect,detect",
            "--enable=false",
        ];
        let matches = command().try_get_matches_from(line).unwrap();
        let settings = crate::settings::of(matches.subcommand().unwrap().1);
        let settings: Vec<_> =
            settings.iter().map(|s| (s.name.as_str(), s.value.as_deref().unwrap())).collect();
        assert_eq!(
            settings,
            [("enable", "false"), ("only", "^a b$"), ("print-after", "detect,detect"), ("time", "true")]
        );
    }

    #[test]
    fn wrong_values_are_refused_with_what_is_accepted() {
        let wrong = |option: &str| {
            command()
                .try_get_matches_from(["orthant", "opt", "a.ll", option])
                .unwrap_err()
                .render()
                .to_string()
        };
        assert!(wrong("--budget=many").contains("it takes a whole number"));
        assert!(wrong("--only=(").contains("unclosed group"));
        assert!(wrong("--position=lat").contains("late"));
        assert!(wrong("--positon=late").contains("--position"));
    }
}
