//! Programs of a fixed seed give the same with and without Orthant. `PROGEN_COUNT` (functions) and `PROGEN_SEED`
//! ask for more or for others.

use progen::{Config, Coverage, Flags, Tester, program};

/// A number of the environment.
fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is a number, not `{text}`")),
        Err(_) => default,
    }
}

#[test]
fn programs_agree() {
    let tester = Tester::beside_executable().unwrap_or_else(|error| panic!("{error}"));
    let config = Config::default();
    let first = number("PROGEN_SEED", 1);
    let programs = number("PROGEN_COUNT", 500).div_ceil(config.functions as u64);
    let mut total = Coverage::default();
    for seed in first..first + programs {
        let source = program(seed, &config).render();
        let flags = Flags::of(seed);
        match tester.check(&source, &flags) {
            Ok(Ok(coverage)) => total.add(coverage),
            Ok(Err(failure)) => panic!(
                "seed {seed} {}: {failure}\nsmaller: cargo run -p progen --example hunt -- {seed} 1 FOLDER",
                flags.0.join(" ")
            ),
            Err(error) => panic!("seed {seed}: {error}"),
        }
    }
    let (share, reasons) = (total.percent(), &total.reasons);
    assert!(share >= 30, "only {share}% of the nests went through: {reasons:#?}");
}
