//! `orthant opt`: a module through opt-22 with the plugin, and through llc-22 for assembly and objects.
//!
//! The stages are connected by unnamed temporary files, so nothing is left behind whatever happens, and the
//! output is written only when all of them succeeded:
//!
//! ```text
//! INPUT --opt-22 -load-pass-plugin=... -passes=...--> IR --llc-22 (only asm, obj)--> OUTPUT
//! ```
//!
//! *The processor.* A function's attribute `target-cpu` outranks any flag of LLVM's tools, so `--cpu` must take the
//! attributes away first: the module is printed as text, `target-cpu`, `tune-cpu` and `target-features` are cut out
//! of its attribute groups, and the tools' `-mcpu` then fills the gap. (In LLVM's text a quote inside a string is
//! written `\22`, so the attribute's spelling cannot occur in the program's own data.)

use crate::failure::Failure;
use crate::tools::{self, Tool};
use crate::{child, output, settings};
use clap::ArgMatches;
use options::Setting;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Emit {
    Text,
    Bitcode,
    Object,
    Assembly,
}

impl Emit {
    fn of(matches: &ArgMatches, output: &Path) -> Emit {
        let suffix = output.extension().and_then(|suffix| suffix.to_str());
        match (matches.get_one::<String>("emit").map(String::as_str), suffix) {
            (Some("bc"), _) | (None, Some("bc")) => Emit::Bitcode,
            (Some("obj"), _) | (None, Some("o")) => Emit::Object,
            (Some("asm"), _) | (None, Some("s")) => Emit::Assembly,
            _ => Emit::Text,
        }
    }
}

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let output = matches.get_one::<PathBuf>("output").cloned().unwrap_or_else(|| "-".into());
    let emit = Emit::of(matches, &output);
    let optimizer = Optimizer::of(matches, "orthant")?;
    let input = matches.get_one::<PathBuf>("input").cloned().unwrap_or_else(|| "-".into());
    output::check(&output)?;
    let ir = optimizer.run(&input, emit == Emit::Text)?;
    let result = match emit {
        Emit::Text | Emit::Bitcode => ir,
        Emit::Object => optimizer.generate(ir, &input, "obj")?,
        Emit::Assembly => optimizer.generate(ir, &input, "asm")?,
    };
    output::write(&output, &output::content(&result)?)?;
    Ok(ExitCode::SUCCESS)
}

/// opt-22 with the plugin, as the command line asks for it.
pub struct Optimizer {
    passes: String,
    /// Of the code generator: 0 to 3.
    level: char,
    cpu: Option<String>,
    settings: Vec<Setting>,
    plugin: PathBuf,
    verbose: bool,
}

impl Optimizer {
    /// Reads `-O`, `--passes`, `--cpu`, `--verbose` and the options of the table.
    pub fn of(matches: &ArgMatches, default_passes: &str) -> Result<Optimizer, Failure> {
        let cpu = matches.try_get_one::<String>("cpu").ok().flatten().cloned();
        let settings = settings::of(matches);
        settings::check(&settings)?;
        let settings = settings::with_flags(
            settings,
            &cpu.iter().map(|name| format!("-mcpu={name}")).collect::<Vec<_>>(),
        )?;
        let level = matches.get_one::<String>("level");
        let passes = match (level, matches.get_one::<String>("passes")) {
            (Some(level), _) => format!("default<O{level}>"),
            (None, Some(passes)) => passes.clone(),
            (None, None) => default_passes.to_owned(),
        };
        let number = level.and_then(|level| level.chars().next()).filter(char::is_ascii_digit);
        Ok(Optimizer {
            passes,
            level: number.unwrap_or('2'),
            cpu,
            settings,
            plugin: tools::plugin()?,
            verbose: matches.get_flag("verbose"),
        })
    }

    /// The level that `-O` asks for.
    pub fn level_or(&self, default: &str) -> String {
        let level = self.passes.strip_prefix("default<O").and_then(|rest| rest.strip_suffix('>'));
        level.unwrap_or(default).to_owned()
    }

    /// Whether all of the tools' messages are shown.
    pub fn verbose(&self) -> bool {
        self.verbose
    }

    /// Has a compiler load the plugin, with the settings.
    pub fn load_in_compiler(&self, command: &mut Command) {
        let mut load = OsString::from("-fpass-plugin=");
        load.push(&self.plugin);
        command.arg(load);
        settings::give(&self.settings, command);
    }

    /// The same with what flags of a compiler mean for the plugin.
    pub fn with_flags(&self, flags: &[OsString]) -> Result<Optimizer, Failure> {
        let settings = settings::with_flags(self.settings.clone(), flags)?;
        Ok(Optimizer { settings, ..self.with(&[]) })
    }

    /// The same with more settings, which win.
    pub fn with(&self, more: &[Setting]) -> Optimizer {
        Optimizer {
            passes: self.passes.clone(),
            cpu: self.cpu.clone(),
            settings: [&self.settings, more].concat(),
            plugin: self.plugin.clone(),
            ..*self
        }
    }

    /// The optimized module.
    pub fn run(&self, input: &Path, text: bool) -> Result<File, Failure> {
        let name = input_name(input);
        check_input(input)?;
        let retargeted = self.cpu.as_ref().map(|_| self.without_cpu(input)).transpose()?;
        let mut command = Command::new(Tool::Opt.find()?);
        let mut load = OsString::from("-load-pass-plugin=");
        load.push(&self.plugin);
        command.arg(load).arg(format!("-passes={}", self.passes)).args(text.then_some("-S"));
        match retargeted {
            Some(module) => command.arg("-").stdin(module),
            None => command.arg(as_file(input)),
        };
        settings::give(&self.settings, &mut command);
        self.stage(command, &name)
    }

    /// Machine code for a module.
    fn generate(&self, ir: File, input: &Path, kind: &str) -> Result<File, Failure> {
        let mut command = Command::new(Tool::Llc.find()?);
        // Position-independent code fits every kind of link.
        command
            .arg(format!("-filetype={kind}"))
            .arg("-relocation-model=pic")
            .arg(format!("-O{}", self.level));
        command.arg("-").stdin(rewound(ir)?);
        self.stage(command, &input_name(input))
    }

    /// The module as text that does not say which processor it is for.
    fn without_cpu(&self, input: &Path) -> Result<File, Failure> {
        let mut command = Command::new(Tool::Opt.find()?);
        command.args(["-S", "-passes=verify"]).arg(as_file(input));
        let module = Optimizer { cpu: None, ..self.with(&[]) }.stage(command, &input_name(input))?;
        let text = String::from_utf8_lossy(&output::content(&module)?).into_owned();
        let mut cut = output::scratch()?;
        let failed = |error| Failure::broken(format!("cannot write a temporary file: {error}"));
        cut.write_all(without_target(&text).as_bytes()).map_err(failed)?;
        rewound(cut)
    }

    /// Runs a stage whose standard output is its result.
    fn stage(&self, mut command: Command, name: &str) -> Result<File, Failure> {
        if let Some(cpu) = &self.cpu {
            command.arg(format!("-mcpu={cpu}"));
        }
        let result = output::scratch()?;
        command.args(["-o", "-"]).stdout(Stdio::from(output::handle(&result)?));
        child::run(&mut command, name, self.verbose)?;
        Ok(result)
    }
}

/// Messages call standard input as LLVM does.
fn input_name(input: &Path) -> String {
    if input == Path::new("-") { "<stdin>".to_owned() } else { input.display().to_string() }
}

/// A name that cannot be taken for an option.
pub fn as_file(input: &Path) -> PathBuf {
    let option_like = input != Path::new("-") && input.as_os_str().as_encoded_bytes().starts_with(b"-");
    if option_like { Path::new(".").join(input) } else { input.to_owned() }
}

fn check_input(input: &Path) -> Result<(), Failure> {
    if input == Path::new("-") {
        return Ok(());
    }
    let failed = |why: String| Failure::broken(format!("cannot read {}: {why}", input.display()));
    let file = File::open(input).map_err(|error| failed(error.to_string()))?;
    match file.metadata() {
        Ok(data) if data.is_dir() => Err(failed("it is a folder".to_owned())),
        _ => Ok(()),
    }
}

fn rewound(mut file: File) -> Result<File, Failure> {
    file.rewind().map_err(|error| Failure::broken(format!("cannot rewind a temporary file: {error}")))?;
    Ok(file)
}

/// Cuts the processor out of the attribute groups (`attributes #0 = { ... "target-cpu"="x" ... }`).
fn without_target(module: &str) -> String {
    module.lines().fold(String::with_capacity(module.len()), |mut out, line| {
        match line.starts_with("attributes #") {
            true => out.push_str(&without_target_attributes(line)),
            false => out.push_str(line),
        }
        out.push('\n');
        out
    })
}

fn without_target_attributes(group: &str) -> String {
    let mut group = group.to_owned();
    for attribute in ["\"target-cpu\"=\"", "\"tune-cpu\"=\"", "\"target-features\"=\""] {
        while let Some(start) = group.find(attribute) {
            let value = start + attribute.len();
            let Some(length) = group[value..].find('"') else { break };
            group.replace_range(start..=value + length, "");
        }
    }
    group
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_cut_out_of_attribute_groups_only() {
        let module = "@s = c\"\\22target-cpu\\22=\\22x\\22\"\n\
                      attributes #0 = { nounwind \"target-cpu\"=\"x86-64\" \"a\"=\"b\" \"target-features\"=\"+sse,-avx\" }\n\
                      attributes #1 = { \"tune-cpu\"=\"generic\" }\n";
        let expected = "@s = c\"\\22target-cpu\\22=\\22x\\22\"\n\
                        attributes #0 = { nounwind  \"a\"=\"b\"  }\nattributes #1 = {  }\n";
        assert_eq!(without_target(module), expected);
    }

    #[test]
    fn names_with_a_dash_are_files() {
        assert_eq!(as_file(Path::new("-O3")), Path::new("./-O3"));
        assert_eq!(as_file(Path::new("-")), Path::new("-"));
    }
}
