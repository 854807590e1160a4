//! Generates the bindings from the installed isl headers and links the installed isl.
//!
//! Five steps, one module each:
//! 1. [`preprocess`] runs the C preprocessor over the headers, with isl's ownership annotations kept as words;
//! 2. [`parse`] reads the flat declarations into functions and enumerations;
//! 3. [`table`] holds what the headers do not say (names, exclusions with reasons, odd signatures), and
//!    [`classify`] maps every C type to a conversion with its help;
//! 4. [`emit`] writes `raw.rs` (the `extern "C"` block) and `safe.rs` (handles, enumerations, methods);
//! 5. [`bind`] gives a copy of the installed library the memory of `src/heap.rs` and the arithmetic of `src/numbers.rs`.
//!
//! A function that the headers gain is covered without a change here. A new kind of type is a new conversion
//! in [`classify`]; a function that cannot be covered is a line with its reason in [`table`].

mod bind;
mod classify;
mod emit;
mod names;
mod parse;
mod preprocess;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const REMEDY: &str =
    "run `cargo xtask setup` (Debian packages llvm-22-dev, libpolly-22-dev and a C compiler)";

fn main() -> ExitCode {
    match generate() {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            println!("cargo::error=isl: {why}");
            ExitCode::FAILURE
        }
    }
}

fn generate() -> Result<(), String> {
    println!("cargo::rerun-if-changed=build");
    let headers = PathBuf::from(llvm_config("--includedir")?).join("polly");
    let libraries = PathBuf::from(llvm_config("--libdir")?);
    require(&headers.join("isl/ctx.h"))?;
    let archive = libraries.join("libPollyISL.a");
    require(&archive)?;
    println!("cargo::rerun-if-changed={}", headers.join("isl").display());
    println!("cargo::rerun-if-changed={}", archive.display());

    let out = PathBuf::from(std::env::var("OUT_DIR").map_err(|e| format!("OUT_DIR: {e}"))?);
    let text = preprocess::expand(&headers, &out).map_err(|why| format!("{why}; {REMEDY}"))?;
    let declarations = parse::parse(&text)?;
    let bindings = emit::bindings(&declarations)?;
    write(&out.join("raw.rs"), &bindings.raw)?;
    write(&out.join("safe.rs"), &bindings.safe)?;

    let programs = PathBuf::from(llvm_config("--bindir")?);
    let tools = bind::Tools { objcopy: programs.join("llvm-objcopy"), ar: programs.join("llvm-ar") };
    bind::bind(&tools, &archive, &out.join("libPollyISL.a")).map_err(|why| format!("{why}; {REMEDY}"))?;
    println!("cargo::rustc-link-search=native={}", out.display());
    println!("cargo::rustc-link-lib=static=PollyISL");
    Ok(())
}

/// What `llvm-config-22` answers to `question`.
fn llvm_config(question: &str) -> Result<String, String> {
    let output = Command::new("llvm-config-22")
        .arg(question)
        .output()
        .map_err(|e| format!("llvm-config-22 cannot be run ({e}); {REMEDY}"))?;
    if !output.status.success() {
        return Err(format!("llvm-config-22 {question} failed ({}); {REMEDY}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn require(file: &Path) -> Result<(), String> {
    if file.is_file() { Ok(()) } else { Err(format!("{} is missing; {REMEDY}", file.display())) }
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("cannot write {}: {e}", path.display()))
}
