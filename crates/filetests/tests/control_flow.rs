//! Random control flow: the pass must cope with every graph of blocks, not only with those of compilers.
//!
//! A function here has a few blocks that load, store, count and call, and branches to blocks chosen at random: so
//! there are loops with several entries, with no exit, inside each other's parts, unreachable code, switches,
//! indirect branches. All variables are in memory, hence any choice of targets is valid IR; `mem2reg` then makes
//! the phi nodes. One module holds hundreds of functions, so that a run costs one process. The seeds are fixed;
//! `CONTROL_FLOW_SEEDS=100` tries more of them on the later stages.

use filetests::Toolchain;
use std::fmt::Write as _;

const FUNCTIONS: usize = 200;

/// Writes one function.
fn function(random: &mut fastrand::Rng, name: usize) -> String {
    let blocks = random.usize(1..=12);
    let mut text = format!("define void @f{name}(i64 %n, i64 %m, ptr %a, ptr %b) {{\nentry:\n");
    text += "  %i = alloca i64\n  %j = alloca i64\n  store i64 0, ptr %i\n  store i64 0, ptr %j\n  br label %b0\n";
    for block in 0..blocks {
        writeln!(text, "b{block}:").unwrap();
        for step in 0..random.usize(..4) {
            text += &statement(random, &format!("%x{block}.{step}"));
        }
        text += &terminator(random, block, blocks, name);
    }
    text + "}\n"
}

/// A few instructions; their results start with `x`.
fn statement(random: &mut fastrand::Rng, x: &str) -> String {
    let counter = random.choice(["%i", "%j"]).unwrap();
    let array = random.choice(["%a", "%b"]).unwrap();
    let step = random.choice([1, 1, 1, 2, -1]).unwrap();
    match random.u8(..20) {
        0 => "  call void @effect()\n".into(),
        1 => "  fence seq_cst\n".into(),
        2 => format!("  {x} = alloca i64, i64 %n\n  store i64 0, ptr {x}\n"),
        3 => format!("  {x} = load volatile i64, ptr {array}\n"),
        4 => format!("  store i64 0, ptr {counter}\n"),
        5..=11 => format!(
            "  {x} = load i64, ptr {counter}\n  {x}.s = add nsw i64 {x}, {step}\n  store i64 {x}.s, ptr {counter}\n"
        ),
        _ => format!(
            "  {x} = load i64, ptr {counter}\n  {x}.p = getelementptr i64, ptr {array}, i64 {x}\n  \
             {x}.v = load i64, ptr {x}.p\n  {x}.w = add i64 {x}.v, 1\n  store i64 {x}.w, ptr {x}.p\n"
        ),
    }
}

fn terminator(random: &mut fastrand::Rng, block: usize, blocks: usize, name: usize) -> String {
    let mut target = || format!("%b{}", random.usize(..blocks));
    let (one, two, three) = (target(), target(), target());
    let counter = random.choice(["%i", "%j"]).unwrap();
    let bound = random.choice(["%n", "%m", "100"]).unwrap();
    let load = format!("  %c{block} = load i64, ptr {counter}\n");
    match random.u8(..12) {
        0 | 1 => "  ret void\n".into(),
        2 => "  unreachable\n".into(),
        3 => format!("  br label {one}\n"),
        4 => format!(
            "{load}  switch i64 %c{block}, label {one} [ i64 1, label {two}\n i64 2, label {three} ]\n"
        ),
        5 => format!(
            "  %t{block} = load ptr, ptr %a\n  indirectbr ptr %t{block}, [label {one}, label {two}]\n"
        ),
        6 => format!(
            "  %v{block} = load i64, ptr %b\n  %d{block} = icmp eq i64 %v{block}, {name}\n  \
             br i1 %d{block}, label {one}, label {two}\n"
        ),
        _ => format!(
            "{load}  %d{block} = icmp slt i64 %c{block}, {bound}\n  br i1 %d{block}, label {one}, label {two}\n"
        ),
    }
}

fn module(seed: u64) -> String {
    let mut random = fastrand::Rng::with_seed(seed);
    let functions = (0..FUNCTIONS).map(|name| function(&mut random, name));
    format!("declare void @effect()\n{}", functions.collect::<String>())
}

/// Runs the pass over a random module and gives the reports.
#[track_caller]
fn run(seed: u64, passes: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("input.ll"), module(seed)).unwrap();
    let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
    let mut opt = toolchain.tool("opt").unwrap_or_else(|message| panic!("{message}"));
    opt.arg(format!("-passes={passes}")).args(["-verify-each", "-disable-output", "-orthant-report=report"]);
    opt.arg("input.ll").current_dir(folder.path());
    let output = opt.output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && message.is_empty(),
        "seed {seed}, {passes}: {}\n{message}",
        output.status
    );
    std::fs::read_to_string(folder.path().join("report")).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn any_control_flow_is_survived() {
    for seed in 0..3 {
        let lines = run(seed, "mem2reg,orthant<stop-after=detect>");
        let with = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        // The generator is good for something: the common and the odd cases all occur.
        for text in [
            "candidate",
            "irreducible-control-flow",
            "no-exit",
            "several-exits",
            "data-dependent-exit",
            "indirect-branch",
            "error-exit",
            "call-with-side-effects",
        ] {
            assert!(with(text) > 0, "seed {seed}: no function with {text}");
        }
        assert_eq!(with("\"internal\""), 0);
    }
}

#[test]
fn the_same_module_gives_the_same_report() {
    assert_eq!(run(0, "mem2reg,orthant"), run(0, "mem2reg,orthant"));
}

#[test]
fn any_control_flow_is_survived_in_the_pipelines() {
    run(10, "default<O2>");
    run(11, "default<O3>");
    run(12, "lto-pre-link<O2>");
}

#[test]
fn any_control_flow_is_lifted_or_refused() {
    let seeds = std::env::var("CONTROL_FLOW_SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    for seed in 30..30 + seeds {
        let lines = run(seed, "mem2reg,instcombine<no-verify-fixpoint>,orthant<stop-after=lift>");
        let with = |text: &str| lines.iter().filter(|line| line.contains(text)).collect::<Vec<_>>();
        assert!(!with("\"candidate\"").is_empty());
        assert!(with("\"internal\"").is_empty(), "seed {seed}: {:#?}", with("\"internal\""));
    }
}

#[test]
fn unoptimized_memory_variables_are_survived() {
    assert!(run(20, "orthant").iter().any(|line| line.contains("data-dependent-exit")));
}
