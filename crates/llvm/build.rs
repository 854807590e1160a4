//! Compiles the C++ shim against the LLVM that `llvm-config-22` describes.
//!
//! `LLVM_CONFIG_PATH` names another `llvm-config`. LLVM itself is linked dynamically by `llvm-sys`: a
//! second, static copy inside the plugin would crash its host.

use std::process::Command;

const SOURCES: &[&str] = &[
    "shim/pass.cpp",
    "shim/rows.cpp",
    "shim/steps.cpp",
    "shim/sums.cpp",
    "shim/views.cpp",
    "shim/whole.cpp",
    "shim/scev.cpp",
    "shim/count.cpp",
    "shim/emit.cpp",
    "shim/arithmetic.cpp",
    "shim/aside.cpp",
    "shim/chains.cpp",
    "shim/check_phases.cpp",
    "shim/divide.cpp",
    "shim/hoist.cpp",
    "shim/names.cpp",
    "shim/outline.cpp",
    "shim/phases.cpp",
    "shim/trial.cpp",
    "shim/try_phases.cpp",
    "shim/version.cpp",
];

fn main() {
    println!("cargo:rerun-if-changed=shim");
    println!("cargo:rerun-if-env-changed=LLVM_CONFIG_PATH");
    if let Err(message) = build() {
        eprintln!("orthant: cannot build the LLVM shim: {message}");
        eprintln!("orthant: `cargo xtask setup` installs what is missing");
        std::process::exit(1);
    }
}

fn build() -> Result<(), String> {
    let version = llvm_config("--version")?;
    if !version.starts_with("22.") {
        return Err(format!("llvm-config describes LLVM {version}, but LLVM 22 is needed"));
    }
    let mut shim = cc::Build::new();
    shim.cpp(true).files(SOURCES).warnings(true).extra_warnings(true);
    for flag in llvm_config("--cxxflags")?.split_whitespace() {
        match flag.strip_prefix("-I") {
            // The warnings of LLVM's own headers are not ours to fix.
            Some(include) => shim.flag("-isystem").flag(include),
            None => shim.flag(flag),
        };
    }
    shim.flag("-fno-rtti").flag("-fvisibility=hidden").flag("-Wno-unused-parameter");
    shim.try_compile("orthant_shim").map_err(|error| error.to_string())
}

fn llvm_config(query: &str) -> Result<String, String> {
    let program = std::env::var("LLVM_CONFIG_PATH").unwrap_or_else(|_| "llvm-config-22".into());
    let output = Command::new(&program).arg(query).output().map_err(|error| {
        format!("`{program}` cannot be run ({error}); it comes with Debian's llvm-22-dev")
    })?;
    if !output.status.success() {
        return Err(format!("`{program} {query}` failed: {}", String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
