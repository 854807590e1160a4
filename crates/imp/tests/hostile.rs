//! No text makes the parser, the resolver, the formatter or the interpreter panic.
//! `IMP_HOSTILE_CASES` asks for more cases than a test run should take.

mod common;

use common::{Random, cases};
use imp::{Inputs, Program, format, run};

const SEEDS: [&str; 4] = [
    "param n >= 1, m in 1 .. n;\narray c[n + 1];\nc[0] := 0; i := 1;\nwhile i <= n do\n  s2: c[i] := c[i - 1] + 1; # next\n  i := i + 1\ndone\n",
    "i := 5; while i <> 1 do (* syracuse *) if i mod 2 == 0 then i := i / 2 else i := 3 * i + 1 fi done",
    "param n; for i from 1 to n do for j from n to 1 by -2 do\n\n\n a[i, j] := min(a[i - 1, j], max(b[j], -1)) + x done done",
    "assume x > 0 and !(y < 2) or z[1] <> 3; if true = false then skip else x := 1 fi # tail",
];

const PIECES: [&str; 52] = [
    "param",
    "array",
    "skip",
    "if",
    "then",
    "else",
    "fi",
    "while",
    "do",
    "done",
    "for",
    "from",
    "to",
    "by",
    "assume",
    "in",
    "min",
    "max",
    "mod",
    "and",
    "or",
    "not",
    "true",
    "false",
    "x",
    "y",
    "a",
    "n",
    "0",
    "1",
    "7",
    "9223372036854775807",
    ":=",
    ":",
    ";",
    ",",
    "..",
    "(",
    ")",
    "[",
    "]",
    "<=",
    "=>",
    "==",
    "=",
    "<>",
    "!",
    "+",
    "-",
    "*",
    "/",
    "(*",
];

/// Everything that takes text; the result does not matter.
fn swallow(bytes: &[u8]) {
    match Program::parse_bytes(bytes) {
        Err(error) => {
            let _ = error.render("f.imp", &String::from_utf8_lossy(bytes));
        }
        Ok(program) => {
            let mut inputs = Inputs { seed: Some(1), ..Inputs::default() };
            inputs.values.extend(program.params.iter().map(|param| (param.name.clone(), 3)));
            if let Ok(run) = run(&program, &inputs, 500) {
                assert!(run.trace.vectors_increase(), "{}", program.source);
            }
        }
    }
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(once) = format(text) {
        assert_eq!(format(&once).as_deref(), Ok(once.as_str()), "formatting {text:?} is not idempotent");
        same_program(text, &once);
    }
}

/// Formatting keeps the program: the same statements, the same comments.
fn same_program(before: &str, after: &str) {
    let words = |text: &str| -> Vec<String> {
        let tokens = imp::lexer::lex(text).expect("it was parsed").tokens;
        let keep = |text: &String| !matches!(text.as_str(), "`;`" | "`(`" | "`)`");
        let same = |text: String| match text.as_str() {
            "`=>`" => "`>=`".into(),
            "`!=`" => "`<>`".into(),
            "`%`" => "`mod`".into(),
            "`not`" => "`!`".into(),
            _ => text,
        };
        tokens.iter().map(|token| same(token.tok.describe())).filter(keep).collect()
    };
    assert_eq!(words(before), words(after), "formatting {before:?} gave {after:?}");
    let comments = |text: &str| imp::lexer::lex(text).expect("it was parsed").comments.len();
    assert_eq!(comments(before), comments(after), "formatting {before:?} gave {after:?}");
}

#[test]
fn random_bytes() {
    let mut random = Random(1);
    for _ in 0..cases("IMP_HOSTILE_CASES", 2_000) {
        let length = random.below(60);
        let bytes: Vec<u8> = (0..length).map(|_| random.bits() as u8).collect();
        swallow(&bytes);
    }
}

#[test]
fn random_pieces() {
    let mut random = Random(2);
    for _ in 0..cases("IMP_HOSTILE_CASES", 5_000) {
        let length = random.below(25);
        let pieces: Vec<&str> = (0..length).map(|_| random.pick(&PIECES)).collect();
        swallow(pieces.join(" ").as_bytes());
    }
}

#[test]
fn mutated_programs() {
    let mut random = Random(3);
    for _ in 0..cases("IMP_HOSTILE_CASES", 5_000) {
        let mut bytes = random.pick(&SEEDS).as_bytes().to_vec();
        for _ in 0..1 + random.below(4) {
            if bytes.is_empty() {
                break;
            }
            let at = random.below(bytes.len());
            match random.below(6) {
                0 => drop(bytes.remove(at)),
                1 => bytes.insert(at, b" \n#(*;x1"[random.below(8)]),
                2 => bytes[at] = random.bits() as u8,
                3 => bytes.truncate(at + 1),
                4 => drop(bytes.splice(at..at, random.pick(&PIECES).bytes())),
                _ => {
                    let end = (at + random.below(20)).min(bytes.len());
                    let copy = bytes[at..end].to_vec();
                    drop(bytes.splice(at..at, copy));
                }
            }
        }
        swallow(&bytes);
    }
}

/// The analysis itself: whatever parses is analysed, with little work and without a panic.
#[test]
fn analyses_of_mutated_programs() {
    let budget = imp::reach::Budget {
        closure: 3_000,
        reach: 20_000,
        dependence: 3_000,
        flow: 20_000,
        words: 20_000,
        disjuncts: 3,
    };
    let options = imp::Options { budget, counters: true, output: true, ..imp::Options::default() };
    let mut random = Random(4);
    let mut analysed = 0;
    for _ in 0..cases("IMP_HOSTILE_CASES", 150) {
        let mut bytes = random.pick(&SEEDS).as_bytes().to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len());
            drop(bytes.splice(at..at + random.below(2), random.pick(&PIECES).bytes()));
        }
        if let Ok(program) = Program::parse_bytes(&bytes) {
            let result = imp::dataflow(&program, &options)
                .unwrap_or_else(|error| panic!("{error}\n{}", program.source));
            assert!(result.to_text().is_ok() && result.to_json().is_ok(), "{}", program.source);
            analysed += 1;
        }
    }
    assert!(analysed > 3, "only {analysed} programs were analysed");
}

/// Large constants, deep nests and many modes are over-approximated, not waited for.
#[test]
fn adversarial_programs() {
    let deep = format!(
        "param n;\n{}a[i0] := 1;{}",
        (0..30).map(|k| format!("for i{k} from 0 to n do ")).collect::<String>(),
        " done".repeat(30)
    );
    let modes: String =
        (0..12).map(|k| format!("if m == {k} then m := (m * 7 + {k}) mod 12; a[m] := {k} fi; ")).collect();
    let modes = format!("param n; i := 0; m := 0; while i < n do {modes} i := i + 1 done");
    let large = "x := 9223372036854775807; while x > -9223372036854775807 do x := x - 4611686018427387904; a[x] := a[x + 1] done".to_string();
    let wide: String =
        (0..60).map(|k| format!("while x{k} < x{} do x{k} := x{k} + a[x{k}] done; ", (k + 1) % 60)).collect();
    for source in [deep, modes, large, wide] {
        let program = Program::parse(&source).unwrap();
        let budget = imp::reach::Budget {
            closure: 5_000,
            reach: 50_000,
            dependence: 3_000,
            flow: 30_000,
            words: 30_000,
            disjuncts: 3,
        };
        let options = imp::Options { budget, ..imp::Options::default() };
        assert!(imp::dataflow(&program, &options).is_ok(), "{source}");
    }
}

/// What isl's operations do not measure is bounded as well: dimensions, pairs, lattices of large divisors. With the budget
/// that the command has; each of these once took minutes.
#[test]
fn adversarial_programs_with_the_command_s_budget() {
    let deep = format!(
        "param n;\n{}a[i0] := 1;{}",
        (0..60).map(|k| format!("i{k} := 0; while i{k} < n do ")).collect::<String>(),
        (0..60).rev().map(|k| format!(" i{k} := i{k} + 1 done")).collect::<String>()
    );
    let lattices =
        "param n; for i from 0 to n do a[i mod 257] := a[(i * 251) mod 263] + a[i / 251] done".to_string();
    for source in [deep, lattices] {
        let program = Program::parse(&source).unwrap();
        let result = imp::dataflow(&program, &imp::Options::default()).unwrap();
        assert!(!result.is_exact() && result.report().is_ok(), "{source}");
    }
    let many: String = (0..400).map(|k| format!("a[n + {k}] := a[n - {k}]; ")).collect();
    let program = Program::parse(&format!("param n; {many}")).unwrap();
    let error = imp::dataflow(&program, &imp::Options::default()).err().unwrap();
    assert!(error.to_string().contains("160000 pairs"), "{error}");
}

#[test]
fn the_seeds_themselves_are_programs() {
    for seed in SEEDS {
        assert!(Program::parse(seed).is_ok(), "{seed}");
        swallow(seed.as_bytes());
    }
}
