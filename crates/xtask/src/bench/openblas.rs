//! Products of matrices against OpenBLAS, in one process and on one core (`bench/blas`).
//!
//! OpenBLAS is loaded when the program runs, so nothing but its library is needed (Debian: libopenblas0-pthread). "Fused" is clang's
//! default, in which a product and the addition behind it are rounded once; OpenBLAS does the same. "Rounded" is
//! `-ffp-contract=off`, which twice as many instructions are needed for.

use super::Request;
use crate::workspace::{Profile, Workspace};
use crate::{Failure, Outcome, command, setup};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Rows and columns of the matrices.
const SIZE: u32 = 2000;

/// Where Debian has the library.
const LIBRARY: &str = "libopenblas.so.0";

/// What the program exits with where there is none.
const NO_LIBRARY: i32 = 3;

/// Builds the products with Orthant and runs them and OpenBLAS in turn; the program prints the figures.
pub fn run(ws: &Workspace, request: &Request) -> Outcome {
    setup::ensure()?;
    let built = ws.build(Profile::Release)?;
    let folder = built.plugin.parent().expect("in a folder").join("bench");
    std::fs::create_dir_all(&folder).map_err(|e| Failure::failed(format!("{}: {e}", folder.display())))?;
    let source = |name: &str| ws.root.join("bench/blas").join(name);
    let products = |name: &str, contract: &str| {
        let object = folder.join(format!("{name}.o"));
        let mut clang = clang(&source("products.c"), &object);
        clang.args(["-march=native", "-c", &format!("-DNAME={name}"), &format!("-ffp-contract={contract}")]);
        clang
            .arg(format!("-fpass-plugin={}", built.plugin.display()))
            .args(["-mllvm", "-orthant-machine=native"]);
        command::run(&mut clang).map(|()| object)
    };
    let objects: [PathBuf; 2] = [products("fused", "on")?, products("rounded", "off")?];
    let program = folder.join("against");
    command::run(clang(&source("against.c"), &program).args(&objects).args(["-lm", "-ldl"]))?;
    println!(
        "openblas: n = {SIZE}, double, one thread, medians of {} interleaved runs, processor time",
        request.runs
    );
    let numbers = [SIZE, request.runs].map(|number| number.to_string());
    let mut run = Command::new(&program);
    run.arg(LIBRARY).args(numbers).env("OPENBLAS_NUM_THREADS", "1");
    match command::raw_output(&mut run)? {
        output if output.status.success() => {
            print!("{}", String::from_utf8_lossy(&output.stdout));
            Ok(())
        }
        output => {
            let said = String::from_utf8_lossy(&output.stderr);
            Err(match output.status.code() {
                Some(NO_LIBRARY) => {
                    Failure::Missing(format!("{said}OpenBLAS is in Debian's package libopenblas0-pthread"))
                }
                _ => Failure::failed(format!("{said}the benchmark failed: {}", output.status)),
            })
        }
    }
}

/// clang without what the user's environment says to the plugin.
fn clang(source: &Path, output: &Path) -> Command {
    let mut clang = Command::new("clang-22");
    clang.args(["-O3", "-w", "-o"]).arg(output).arg(source);
    clang.env_remove("ORTHANT_OPTS").env_remove("ORTHANT_CONFIG");
    clang
}
