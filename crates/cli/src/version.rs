//! `orthant version` and `orthant --version`: Orthant's version, LLVM's and isl's.
//!
//! LLVM's and isl's are those of the plugin, which prints them when its host is asked for its version. Without LLVM
//! or the plugin the command still knows its own, and says why it does not know the rest.

use crate::failure::Failure;
use crate::output;
use crate::tools::{self, Tool};
use std::process::{Command, ExitCode};

/// Runs the command.
pub fn run() -> Result<ExitCode, Failure> {
    let own = format!("orthant {}", env!("CARGO_PKG_VERSION"));
    let rest = match loaded() {
        Ok(lines) => lines,
        Err(failure) => format!("  LLVM and isl: unavailable ({})\n", failure.message()),
    };
    output::print(format!("{own}\n{rest}").as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

/// The plugin's lines after its own version.
fn loaded() -> Result<String, Failure> {
    let plugin = tools::plugin()?;
    let opt = Tool::Opt.find()?;
    let mut load = std::ffi::OsString::from("-load-pass-plugin=");
    load.push(&plugin);
    let answer = Command::new(&opt).arg(load).arg("--version").output();
    let answer = answer.map_err(|error| Failure::broken(format!("cannot run {}: {error}", opt.display())))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let lines = plugin_lines(&text);
    if lines.is_empty() {
        let said = String::from_utf8_lossy(&answer.stderr);
        let said = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("it printed no version");
        return Err(Failure::broken(format!("{} in {}: {}", tools::PLUGIN, opt.display(), said.trim())));
    }
    Ok(lines)
}

/// The indented lines that follow `Orthant X.Y.Z`.
fn plugin_lines(text: &str) -> String {
    let after = text.lines().skip_while(|line| !line.trim_start().starts_with("Orthant ")).skip(1);
    let block = after.map(str::trim).take_while(|line| line.starts_with("LLVM ") || line.starts_with("isl "));
    block.map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_plugins_block_is_found_among_the_hosts_lines() {
        let text = "Debian LLVM version 22.1.8\n  Optimized build.\nOrthant 0.1.0\n  LLVM 22.1.8 (built for), 22.1.8 (loaded)\n  isl isl-0.25\n  Other\n";
        assert_eq!(plugin_lines(text), "  LLVM 22.1.8 (built for), 22.1.8 (loaded)\n  isl isl-0.25\n");
        assert_eq!(plugin_lines("LLVM version 22\n"), "");
    }
}
