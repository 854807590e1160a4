//! A long hunt: `cargo run -p progen --example hunt -- FIRST COUNT FOLDER [FUNCTIONS]`.
//!
//! Goes through COUNT seeds, prints what disagrees, and writes each failing program and its smallest form into the
//! folder. With the word `sanitize` in place of the folder it checks the generator itself.

use progen::{Config, Coverage, Flags, Tester, minimize, program};
use std::fs;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match hunt() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("hunt: {error}");
            ExitCode::from(2)
        }
    }
}

fn hunt() -> Result<usize, Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [first, count, folder, rest @ ..] = args.as_slice() else {
        return Err("usage: hunt FIRST COUNT FOLDER [FUNCTIONS]".into());
    };
    let (first, count): (u64, u64) = (first.parse()?, count.parse()?);
    let mut config = Config::default();
    if let [functions, ..] = rest {
        config.functions = functions.parse()?;
    }
    let tester = Tester::beside_executable()?;
    let mut failures = 0;
    let mut total = Coverage::default();
    for seed in first..first + count {
        let generated = program(seed, &config);
        let source = generated.render();
        if folder == "sanitize" {
            if let Some(message) = tester.sanitize(&source)? {
                failures += 1;
                println!("seed {seed}: {message}");
            }
            continue;
        }
        let flags = Flags::of(seed);
        let failure = match tester.check(&source, &flags)? {
            Ok(coverage) => {
                total.add(coverage);
                continue;
            }
            Err(failure) => failure,
        };
        failures += 1;
        println!("seed {seed} {}: {failure}", flags);
        fs::create_dir_all(folder)?;
        fs::write(Path::new(folder).join(format!("{seed}.c")), &source)?;
        let small = minimize(&generated, &failure, 250, |candidate| {
            tester.check(&candidate.render(), &flags).ok()?.err()
        });
        let path = Path::new(folder).join(format!("{seed}-small.c"));
        fs::write(&path, small.render())?;
        println!("  smallest: {}", path.display());
    }
    println!("{count} programs, {failures} failures, {}% of the nests went through", total.percent());
    for (reason, times) in &total.reasons {
        println!("  {times:6} {reason}");
    }
    Ok(failures)
}
