//! Programs of a fixed seed give the same with and without Orthant. `PROGEN_COUNT` (functions) and `PROGEN_SEED`
//! ask for more or for others.

use progen::{Config, Coverage, Flags, Tester, program};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// A number of the environment.
fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}

/// What the plugin did, or a message.
fn one(tester: &Tester, seed: u64, config: &Config) -> Result<Coverage, String> {
    let flags = Flags::of(seed);
    match tester.check(&program(seed, config).render(), &flags) {
        Ok(Ok(coverage)) => Ok(coverage),
        Ok(Err(failure)) => Err(format!(
            "seed {seed} {}: {failure}\nsmaller: cargo run -p progen --example hunt -- {seed} 1 FOLDER",
            flags
        )),
        Err(error) => Err(format!("seed {seed}: {error}")),
    }
}

#[test]
fn programs_agree() {
    let tester = Tester::beside_executable().unwrap_or_else(|error| panic!("{error}"));
    let config = Config::default();
    let first = number("PROGEN_SEED", 1);
    let end = first + number("PROGEN_COUNT", 500).div_ceil(config.functions as u64);
    let next = AtomicU64::new(first);
    let results = Mutex::new((Coverage::default(), Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            let result = one(&tester, seed, &config);
            if let Ok(mut all) = results.lock() {
                match result {
                    Ok(coverage) => all.0.add(coverage),
                    Err(message) => all.1.push(message),
                }
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, |n| n.get().min(4)) {
            scope.spawn(work);
        }
    });
    let (total, failures) = results.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let (share, reasons) = (total.percent(), &total.reasons);
    assert!(share >= 30, "only {share}% of the nests went through: {reasons:#?}");
}

#[test]
fn generated_programs_are_free_of_undefined_behaviour() {
    let tester = Tester::beside_executable().unwrap_or_else(|error| panic!("{error}"));
    let config = Config { functions: 12, ..Config::default() };
    let source = program(number("PROGEN_SEED", 1) + 1_000_000, &config).render();
    match tester.sanitize(&source) {
        Ok(None) => {}
        Ok(Some(message)) => panic!("the sanitizers say: {message}"),
        Err(error) => panic!("{error}"),
    }
}
