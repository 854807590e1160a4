//! Programs of Csmith: `cargo run -p progen --example csmith -- FIRST COUNT FOLDER`.
//!
//! Csmith (Debian's packages `csmith` and `libcsmith-dev`) writes random C programs without undefined behaviour, which
//! print a checksum of all their global variables. Few of their loops are worth a transformation; many are odd. Each seed
//! from FIRST on is compiled with and without Orthant, with flags and options that rotate, and must print the same. A
//! program that does not end without Orthant either is left out; so is one that ends only because clang may take for granted
//! that loops without effects end, and drops one that does not. What disagrees is kept in the folder.

use progen::{Coverage, Error, Flags, Tester};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

/// Small enough to end soon, with many arrays and loops.
const SHAPE: [&str; 12] = [
    "--max-funcs",
    "5",
    "--max-array-dim",
    "3",
    "--max-array-len-per-dim",
    "12",
    "--max-block-depth",
    "5",
    "--no-volatiles",
    "--no-packed-struct",
    "--inline-function",
    "--builtins",
];

fn main() -> ExitCode {
    match hunt() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("csmith: {error}");
            ExitCode::from(2)
        }
    }
}

fn hunt() -> Result<usize, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [first, count, folder] = args.as_slice() else {
        return Err("usage: csmith FIRST COUNT FOLDER".into());
    };
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let mut tester = Tester::beside_executable()?;
    tester.limit = Duration::from_secs(30);
    let (mut failures, mut endless) = (0, 0);
    let mut total = Coverage::default();
    for seed in first..first + count {
        let source = program(seed)?;
        let flags = flags(seed);
        match tester.check(&source, &flags) {
            Ok(Ok(coverage)) => total.add(coverage),
            Ok(Err(_)) if is_endless(&tester, &source, &flags) => endless += 1,
            Ok(Err(failure)) => {
                failures += 1;
                println!("seed {seed} {flags}: {failure}");
                std::fs::create_dir_all(folder)?;
                std::fs::write(Path::new(folder).join(format!("{seed}.c")), &source)?;
            }
            Err(Error::Generator(_)) => endless += 1,
            Err(error) => return Err(error.into()),
        }
    }
    println!(
        "{count} programs of Csmith, {failures} failures, {endless} left out; of {} nests {} went through, {} of them with \
         new loops",
        total.candidates + total.rejected,
        total.candidates,
        total.optimized
    );
    Ok(failures)
}

fn program(seed: u64) -> Result<String, Box<dyn std::error::Error>> {
    let seed = seed.to_string();
    let mut csmith = Command::new("csmith");
    // It leaves a file `platform.info` where it runs.
    csmith.args(SHAPE).args(["--seed", &seed]).current_dir(std::env::temp_dir());
    let output = csmith.output().map_err(|error| {
        format!("cannot run csmith: {error}; install it with: apt-get install csmith libcsmith-dev")
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8(output.stdout)?),
        false => Err(format!("csmith --seed {seed}: {}", String::from_utf8_lossy(&output.stderr)).into()),
    }
}

/// Whether the program runs for ever if no loop is taken to end.
fn is_endless(tester: &Tester, source: &str, flags: &Flags) -> bool {
    let mut flags = flags.clone();
    flags.compiler.push("-fno-finite-loops".to_owned());
    matches!(tester.check(source, &flags), Err(Error::Generator(_)))
}

/// The seed's flags; these programs are not C++.
fn flags(seed: u64) -> Flags {
    let mut flags = Flags::of(seed);
    flags.compiler.retain(|flag| flag != "-xc++");
    flags.compiler.extend(["-w", "-I/usr/include/csmith"].map(str::to_owned));
    flags
}
