//! `orthant explain --target`: what Orthant knows of the machine that it compiles for.
//!
//! Only the plugin inside of the compiler knows that, since the compiler's flags decide it: a small loop is compiled with
//! those given, the object thrown away, and what the plugin wrote about the machine is read back.

use super::compile::only_flags;
use crate::failure::Failure;
use crate::opt::Optimizer;
use crate::tools::Tool;
use crate::{child, output};
use clap::ArgMatches;
use options::Setting;
use report::machine::MachineReport;
use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// The plugin looks at functions with loops only.
const PROGRAM: &str = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; }\n";

/// Runs the command.
pub fn run(matches: &ArgMatches) -> Result<ExitCode, Failure> {
    let known = known(matches)?;
    let text = if matches.get_flag("json") { known.json() } else { known.text() };
    output::print(text.as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

fn known(matches: &ArgMatches) -> Result<MachineReport, Failure> {
    let folder = super::temporary()?;
    let (source, written) = (folder.path().join("target.c"), folder.path().join("machine.json"));
    std::fs::write(&source, PROGRAM)
        .map_err(|error| Failure::broken(format!("cannot write {}: {error}", source.display())))?;
    let optimizer = Optimizer::of(matches, "default<O3>")?;
    // Whatever else is asked for, the one function is looked at.
    let settings = [
        ("machine-out", written.to_string_lossy().into_owned()),
        ("only", String::new()),
        ("enable", "true".to_owned()),
    ];
    let settings = settings.map(|(name, value)| Setting { name: name.to_owned(), value: Some(value) });
    let flags: Vec<OsString> = matches.get_many("flags").unwrap_or_default().cloned().collect();
    let mut command = Command::new(Tool::Clang.find()?);
    optimizer.with(&settings).with_flags(&flags)?.load_in_compiler(&mut command);
    command.args(["-O3", "-w"]).args(only_flags(&flags, Path::new("")));
    command.args(["-fno-lto", "-c", "-o", "/dev/null"]).arg(&source);
    command.stdin(Stdio::null()).stdout(Stdio::null());
    child::run(&mut command, "the target", optimizer.verbose())?;
    let read = std::fs::read_to_string(&written).map_err(|error| error.to_string());
    read.and_then(|text| MachineReport::read(&text)).map_err(|why| {
        Failure::broken(format!("the plugin did not say what it knows of the machine: {why}"))
            .remedy("the flags after -- must leave optimization on (-O1 or more)")
    })
}
