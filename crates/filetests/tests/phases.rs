//! The checker of the split into phases (`crates/llvm/shim/check_phases.cpp`): it proves every split that is made, and none that
//! was changed afterwards.
//!
//! `opt` splits a loop of each function by the pass `orthant-phases`, which leaves the function before that beside it. What is changed is the
//! text of the split function: by hand in `phases/steps.ll`, each change an error that a splitter could make, and then in every
//! line in all ways of a list, in that function and in those of a program. The pass `orthant-check-phases` then says of each pair
//! whether it is proved.

use filetests::Toolchain;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn toolchain() -> Toolchain {
    Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"))
}

/// Runs a program to its end; what it wrote to standard output, and to standard error.
#[track_caller]
fn run(command: &mut Command) -> (String, String) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let (out, error) = (text(output.stdout), text(output.stderr));
    assert!(output.status.success(), "{command:?}: {}\n{error}", output.status);
    (out, error)
}

/// Runs passes on IR. Functions that are broken are the checker's business.
#[track_caller]
fn opt(passes: &str, ir: &str) -> (String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("input.ll");
    fs::write(&file, ir).unwrap();
    let mut command = toolchain().tool("opt").unwrap();
    run(command.arg("-disable-verify").arg(format!("-passes={passes}")).args(["-S", "-o", "-"]).arg(file))
}

/// What the checker says of each pair of functions.
#[track_caller]
fn verdicts(ir: &str) -> Vec<(String, String)> {
    let (_, said) = opt("orthant-check-phases", ir);
    let lines = said.lines().filter_map(|line| line.strip_prefix("orthant: ")?.split_once(": "));
    lines.map(|(function, verdict)| (function.to_owned(), verdict.to_owned())).collect()
}

/// The form that loops have where the split is made: before inlining, and before vectorization.
#[derive(Clone, Copy, Debug)]
enum Place {
    Early,
    Late,
}

/// A program with one loop of each function split, if there is one to be split.
#[track_caller]
fn split_program(file: &str, place: Place, flags: &[&str]) -> String {
    let (level, passes): (&[&str], _) = match place {
        Place::Early => (
            &["-O1", "-Xclang", "-disable-llvm-passes"],
            "sroa<modify-cfg>,early-cse,simplifycfg,instcombine,loop(loop-rotate,indvars),loop-simplify",
        ),
        Place::Late => {
            (&["-O3", "-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"], "loop-simplify")
        }
    };
    let clang = if file.ends_with(".cpp") { "clang++" } else { "clang" };
    let mut command = Command::new(toolchain().llvm(clang).unwrap());
    let file = root().join(file);
    let ir = run(command.args(level).args(flags).args(["-w", "-S", "-emit-llvm", "-o", "-"]).arg(file)).0;
    // What is left beside a function is not to be put in form as well.
    split(&opt(passes, &ir).0)
}

#[track_caller]
fn split(ir: &str) -> String {
    opt("orthant-phases", ir).0
}

/// Everything that is split is proved; how much that is.
#[track_caller]
fn proved(file: &str, place: Place, flags: &[&str]) -> usize {
    let verdicts = verdicts(&split_program(file, place, flags));
    for (function, verdict) in &verdicts {
        assert_eq!(verdict, "proved", "{file} {place:?} {flags:?}: {function}");
    }
    verdicts.len()
}

#[test]
fn programs_are_proved() {
    for place in [Place::Early, Place::Late] {
        for debug in [&[][..], &["-g"]] {
            assert!(proved("crates/progen/tests/programs/phases.c", place, debug) >= 20);
            assert!(proved("crates/filetests/tests/phases/forms.cpp", place, debug) >= 34);
        }
        assert_eq!(proved("tests/plugin/phases.c", place, &[]), 3);
        assert_eq!(proved("tests/plugin/phases-late.c", place, &[]), 3);
    }
}

#[test]
fn planes_are_proved_in_all_shapes() {
    for place in [Place::Early, Place::Late] {
        for shape in ["-DSHAPE=const", "-DSHAPE=vla", "-DSHAPE=flat"] {
            let flags = [shape, "-DSIZE=large"];
            assert_eq!(proved("bench/kernels/heat-2d-planes.c", place, &flags), 1, "{shape} {place:?}");
        }
    }
}

/// In the host's pipeline, with what other passes leave to ask.
#[test]
fn no_split_is_taken_back() {
    for file in ["crates/progen/tests/programs/phases.c", "crates/filetests/tests/phases/forms.cpp"] {
        for position in ["early", "late"] {
            let clang = if file.ends_with(".cpp") { "clang++" } else { "clang" };
            let mut command = toolchain().tool(clang).unwrap();
            command.args(["-w", "-O2", "-mllvm", &format!("-orthant-position={position}")]);
            let (_, said) = run(command.args(["-c", "-o", "/dev/null"]).arg(root().join(file)));
            assert_eq!(said, "", "{file} {position}");
        }
    }
}

/// The text of a split function, and of what it was.
struct Pair {
    name: String,
    split: String,
    before: String,
}

/// A module without the pairs, and the pairs.
fn pairs(ir: &str) -> (String, Vec<Pair>) {
    let mut rest = String::new();
    let mut functions: Vec<(String, String)> = Vec::new();
    let mut is_inside = false;
    for line in ir.lines() {
        if line.starts_with("define ") {
            let name = line.split_once('@').and_then(|(_, rest)| rest.split_once('(')).unwrap().0;
            functions.push((name.to_owned(), String::new()));
            is_inside = true;
        }
        let text = if is_inside { &mut functions.last_mut().unwrap().1 } else { &mut rest };
        *text += line;
        text.push('\n');
        is_inside &= line != "}";
    }
    let of = |name: &str| functions.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone());
    let mut all = Vec::new();
    for (name, text) in &functions {
        match of(&format!("{name}.before")) {
            Some(before) => all.push(Pair { name: name.clone(), split: text.clone(), before }),
            None if name.ends_with(".before") => {}
            None => rest += text,
        }
    }
    // Other functions may call these.
    for pair in &all {
        rest += &pair.split;
    }
    (rest, all)
}

/// One module with all these changed texts of a function, and what the checker says of each.
#[track_caller]
fn verdicts_of(rest: &str, pair: &Pair, changed: &[String]) -> Vec<String> {
    let mut module = rest.to_owned();
    let name = &pair.name;
    for (index, text) in changed.iter().enumerate() {
        let renamed = |text: &str, from: &str, to: &str| {
            text.replacen(&format!("@{from}("), &format!("@{to}("), 1).replacen(
                "define internal",
                "define",
                1,
            )
        };
        module += &renamed(text, name, &format!("changed{index}"));
        module += &renamed(&pair.before, &format!("{name}.before"), &format!("changed{index}.before"));
    }
    let said = verdicts(&module);
    assert_eq!(said.len(), changed.len(), "a verdict for each of {name}");
    let find = |index| said.iter().find(|(function, _)| *function == format!("changed{index}"));
    (0..changed.len()).map(|index| find(index).unwrap().1.clone()).collect()
}

#[track_caller]
fn steps() -> (String, Pair) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/phases/steps.ll");
    let (rest, mut all) = pairs(&split(&fs::read_to_string(file).unwrap()));
    assert_eq!(all.len(), 1);
    (rest, all.pop().unwrap())
}

/// What a splitter could do wrong, as texts to be replaced.
const ERRORS: &[(&str, &[(&str, &str)])] = &[
    (
        "the plane of another phase",
        &[(
            "%row.phase = getelementptr inbounds double, ptr %planes, i64 1",
            "%row.phase = getelementptr inbounds double, ptr %planes, i64 0",
        )],
    ),
    (
        "both phases with the other's plane",
        &[
            ("ptr %planes, i64 1\n", "ptr %planes, i64 9\n"),
            ("ptr %planes, i64 0\n", "ptr %planes, i64 1\n"),
            ("ptr %planes, i64 9\n", "ptr %planes, i64 0\n"),
        ],
    ),
    ("one more iteration", &[("icmp ult i64 %4, %0", "icmp ule i64 %4, %0")]),
    ("one iteration less", &[("%4 = add nuw i64 %orthant.t, 0", "%4 = add nuw i64 %orthant.t, 1")]),
    ("a signed guard", &[("icmp ult i64 %4, %0", "icmp slt i64 %4, %0")]),
    ("one more turn", &[("%orthant.last = udiv i64 %0, 2", "%orthant.last = udiv i64 %count, 2")]),
    (
        "a turn of three",
        &[
            ("%orthant.last = udiv i64 %0, 2", "%orthant.last = udiv i64 %0, 3"),
            ("mul nuw i64 %orthant.s, 2", "mul nuw i64 %orthant.s, 3"),
        ],
    ),
    (
        "an exact number of turns",
        &[("%orthant.last = udiv i64 %0, 2", "%orthant.last = udiv exact i64 %0, 2")],
    ),
    (
        "the first turn left out",
        &[("%orthant.s = phi i64 [ 0, %before ]", "%orthant.s = phi i64 [ 1, %before ]")],
    ),
    ("turns by two", &[("add nuw i64 %orthant.s, 1", "add nuw i64 %orthant.s, 2")]),
    ("turns that may not reach half of all", &[("add nuw i64 %orthant.s, 1", "add nsw i64 %orthant.s, 1")]),
    ("no second phase", &[("br i1 %5, label %step.phase, label %orthant.turn", "br label %orthant.turn")]),
    (
        "a second phase in any case",
        &[(
            "br i1 %5, label %step.phase, label %orthant.turn",
            "br i1 true, label %step.phase, label %orthant.turn",
        )],
    ),
    (
        "a guard the other way round",
        &[(
            "br i1 %5, label %step.phase, label %orthant.turn",
            "br i1 %5, label %orthant.turn, label %step.phase",
        )],
    ),
    (
        "phases in the other order",
        &[
            (
                "%from = getelementptr inbounds double, ptr %first",
                "%from = getelementptr inbounds double, ptr %second",
            ),
            (
                "%to = getelementptr inbounds double, ptr %second",
                "%to = getelementptr inbounds double, ptr %first",
            ),
            (
                "%from.phase = getelementptr inbounds double, ptr %second",
                "%from.phase = getelementptr inbounds double, ptr %first",
            ),
            (
                "%to.phase = getelementptr inbounds double, ptr %first",
                "%to.phase = getelementptr inbounds double, ptr %second",
            ),
        ],
    ),
    (
        "an operand that stays the first phase's",
        &[("%y.phase = fadd double %x.phase, %x0.phase", "%y.phase = fadd double %x.phase, %x0")],
    ),
    (
        "a sum that is not carried on",
        &[("%sum.next.phase = fadd double %sum.next,", "%sum.next.phase = fadd double %header1,")],
    ),
    (
        "a counter that is not carried on",
        &[("%t.next.phase = add nuw nsw i64 %t.next, 1", "%t.next.phase = add nuw nsw i64 %header0, 1")],
    ),
    (
        "a counter by one",
        &[("%t.next.turn = add nuw nsw i64 %header0, 2", "%t.next.turn = add nuw nsw i64 %header0, 1")],
    ),
    (
        "a sum that goes on from the first phase",
        &[(
            "%header1 = phi double [ 0.000000e+00, %before ], [ %sum.next.phase1, %orthant.turn ]",
            "%header1 = phi double [ 0.000000e+00, %before ], [ %header1, %orthant.turn ]",
        )],
    ),
    (
        "sums of other phases behind the loop",
        &[(
            "%sum.next.phase2 = phi double [ %sum.next, %end ], [ %sum.next.phase, %end.phase ]",
            "%sum.next.phase2 = phi double [ %header1, %end ], [ %sum.next, %end.phase ]",
        )],
    ),
    (
        "the next counter behind the loop",
        &[(
            "%t.phase = phi i64 [ %header0, %end ], [ %t.next, %end.phase ]",
            "%t.phase = phi i64 [ %t.next, %end ], [ %t.next.phase, %end.phase ]",
        )],
    ),
    (
        "the other buffer behind the loop",
        &[("select i1 %2, ptr %first, ptr %second", "select i1 %2, ptr %second, ptr %first")],
    ),
    (
        "always the first buffer behind the loop",
        &[("select i1 %2, ptr %first, ptr %second", "select i1 %2, ptr %first, ptr %first")],
    ),
    ("a store left out", &[("  store double %y.phase, ptr %to.phase, align 8, !noalias !3\n", "")]),
    (
        "a store twice",
        &[(
            "  store double %y, ptr %to, align 8, !noalias !0\n",
            "  store double %y, ptr %to, align 8, !noalias !0\n  store double %y, ptr %to, align 8, !noalias !0\n",
        )],
    ),
    (
        "a store before a load",
        &[(
            "  %x0.phase = load double, ptr %row.phase, align 8, !alias.scope !3\n",
            "  store double 1.0, ptr %row.phase, align 8\n  %x0.phase = load double, ptr %row.phase, align 8, !alias.scope !3\n",
        )],
    ),
    (
        "a wider alignment",
        &[(
            "%x.phase = load double, ptr %from.phase, align 8",
            "%x.phase = load double, ptr %from.phase, align 64",
        )],
    ),
    (
        "a flag that was not there",
        &[
            ("%then.phase = sub i64 1, 1", "%then.phase = sub nuw i64 1, 1"),
            ("%sum.next = fadd double", "%sum.next = fadd nnan double"),
        ],
    ),
    (
        "a step that may not wrap where the sum of steps does",
        &[("%0 = add i64 %count, -1", "%0 = add nuw i64 %count, -1")],
    ),
    ("another number of iterations", &[("%0 = add i64 %count, -1", "%0 = add i64 %count, -2")]),
    (
        "a scope of aliases for both phases",
        &[
            ("metadata !3)", "metadata !0)"),
            ("!alias.scope !3", "!alias.scope !0"),
            ("!noalias !3", "!noalias !0"),
        ],
    ),
    ("a scope of the other phase", &[("!alias.scope !3", "!alias.scope !0")]),
    (
        "the inner loop left elsewhere",
        &[(
            "br i1 %more.phase, label %cell.phase, label %end.phase",
            "br i1 %more.phase, label %cell.phase, label %end",
        )],
    ),
    ("the inner loop once more", &[("icmp slt i64 %i.next.phase, %n", "icmp sle i64 %i.next.phase, %n")]),
    (
        "another result",
        &[(
            "phi ptr [ %first, %entry ], [ %a.end, %after ]",
            "phi ptr [ %second, %entry ], [ %a.end, %after ]",
        )],
    ),
    (
        "something else behind the loop",
        &[("getelementptr inbounds i64, ptr %left, i64 1", "getelementptr inbounds i64, ptr %left, i64 2")],
    ),
    (
        "a condition that was not there",
        &[("br i1 %some, label %before, label %exit", "br i1 true, label %before, label %exit")],
    ),
];

#[test]
fn errors_are_found() {
    let (rest, pair) = steps();
    assert_eq!(verdicts_of(&rest, &pair, std::slice::from_ref(&pair.split)), ["proved"]);
    let changed = |(name, changes): &(&str, &[(&str, &str)])| {
        let mut text = pair.split.clone();
        for (from, to) in *changes {
            assert!(text.contains(from), "{name}: `{from}` is not in\n{text}");
            text = text.replace(from, to);
        }
        text
    };
    let texts: Vec<_> = ERRORS.iter().map(changed).collect();
    for ((name, _), verdict) in ERRORS.iter().zip(verdicts_of(&rest, &pair, &texts)) {
        assert!(verdict.starts_with("not proved: "), "{name}: {verdict}");
    }
}

/// What is written otherwise, one at a time.
const WORDS: &[(&str, &str)] = &[
    ("icmp slt", "icmp sle"),
    ("icmp sgt", "icmp sge"),
    ("icmp ult", "icmp ule"),
    ("icmp eq", "icmp ne"),
    ("icmp ne", "icmp eq"),
    (" = add ", " = sub "),
    (" = sub ", " = add "),
    (" = add i", " = add nuw i"),
    (" = add i", " = add nsw i"),
    (" = sub i", " = sub nsw i"),
    (" = mul nuw i", " = mul nsw i"),
    (" = add nuw i", " = add nsw i"),
    ("fadd double", "fsub double"),
    ("fadd double", "fadd nnan double"),
    ("fmul double", "fadd double"),
    (" udiv ", " udiv exact "),
    (" udiv ", " urem "),
    (" urem ", " udiv "),
    (" = and ", " = or "),
    (" = zext i32", " = sext i32"),
    (" load ", " load volatile "),
    (" store ", " store volatile "),
    ("align 8", "align 16"),
    ("getelementptr double", "getelementptr inbounds double"),
    ("getelementptr inbounds double", "getelementptr inbounds float"),
];

/// The line with words, numbers, operands and the ends of branches changed. The arguments of the function by type.
fn changes(line: &str, arguments: &[(&str, &str)]) -> Vec<String> {
    let is_new =
        |(from, to): &&(&str, &str)| line.contains(from) && !line.contains(to) && !line.contains(" atomic");
    let mut all: Vec<String> = WORDS.iter().filter(is_new).map(|(from, to)| line.replace(from, to)).collect();
    let is_effect = ["  store ", "  call ", "  tail call "].iter().any(|start| line.starts_with(start));
    if is_effect {
        all.push(String::new());
    }
    all.extend(numbers_changed(line));
    all.extend(arguments.iter().flat_map(|(ty, name)| operands_changed(line, ty, name)));
    all.extend(swapped(line, "br i1", "label "));
    all.extend(swapped(line, " = phi ", "[ "));
    all.extend(swapped(line, " = select i1", ", "));
    all.retain(|changed| changed != line);
    all.dedup();
    all
}

/// Each number that is an operand, one higher.
fn numbers_changed(line: &str) -> Vec<String> {
    let is_operand = |at: usize| {
        let before = &line[..at];
        before.ends_with(' ')
            && !before.ends_with("align ")
            && line[at..].starts_with(|c: char| c.is_ascii_digit())
    };
    let changed = |at: usize| {
        let end = line[at..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |length| at + length);
        let is_whole = line[end..].is_empty() || line[end..].starts_with(',');
        let number: u64 = line[at..end].parse().ok().filter(|_| is_whole)?;
        Some(format!("{}{}{}", &line[..at], number + 1, &line[end..]))
    };
    (0..line.len()).filter(|&at| line.is_char_boundary(at) && is_operand(at)).filter_map(changed).collect()
}

/// Each operand that is written behind its type, replaced.
fn operands_changed(line: &str, ty: &str, by: &str) -> Vec<String> {
    let sign = format!("{ty} %");
    let replaced = |(at, _): (usize, &str)| {
        let start = at + ty.len() + 1;
        let end = line[start..].find([',', ' ', ')']).map_or(line.len(), |length| start + length);
        format!("{}{by}{}", &line[..start], &line[end..])
    };
    if line.starts_with("define ") { Vec::new() } else { line.match_indices(&sign).map(replaced).collect() }
}

/// The last two operands in each other's place: what follows the last two times that `before` stands in the line.
fn swapped(line: &str, kind: &str, before: &str) -> Option<String> {
    let code = line.split_once(", !").map_or(line, |(code, _)| code);
    let starts: Vec<_> = code.match_indices(before).map(|(at, sign)| at + sign.len()).collect();
    let [.., one, other] = starts[..] else { return None };
    let end = |from: usize| code[from..].find([',', ' ']).map_or(code.len(), |length| from + length);
    // Of `TYPE %x`, both words.
    let end = |from: usize| {
        if kind.contains("select") {
            code[from..].find(',').map_or(code.len(), |length| from + length)
        } else {
            end(from)
        }
    };
    let is_kind = code.contains(kind);
    is_kind.then(|| {
        let (first, second) = (&code[one..end(one)], &code[other..end(other)]);
        format!("{}{second}{}{first}{}", &line[..one], &line[end(one)..other], &line[end(other)..])
    })
}

/// Whether what the line computes is used.
fn is_used(text: &str, line: &str) -> bool {
    let Some((name, _)) = line.trim().split_once(" = ") else { return true };
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '.' || c == '_');
    text.match_indices(name).filter(|(at, _)| is_end(&text[at + name.len()..])).count() > 1
}

/// All texts that differ in one place from that of a split function, with that place.
fn all_changed(pair: &Pair) -> Vec<(String, String)> {
    let head = pair.split.lines().next().unwrap();
    let list = head.split_once('(').unwrap().1;
    let arguments: Vec<(&str, &str)> = list
        .split([',', ')'])
        .filter_map(|argument| {
            Some((argument.split_whitespace().next()?, argument.split_whitespace().last()?))
        })
        .filter(|(_, name)| name.starts_with('%'))
        .collect();
    let mut all = Vec::new();
    let mut at = 0;
    for line in pair.split.split_inclusive('\n') {
        let code = line.trim_end_matches('\n');
        if code.starts_with("  ") && is_used(&pair.split, code) {
            for changed in changes(code, &arguments) {
                let text = format!("{}{changed}\n{}", &pair.split[..at], &pair.split[at + line.len()..]);
                all.push((format!("{code}  ->  {changed}"), text));
            }
        }
        at += line.len();
    }
    all
}

/// No change of these is proved, for each `nth` of all changes.
#[track_caller]
fn no_change_is_proved(rest: &str, pair: &Pair, nth: usize) -> usize {
    let all: Vec<_> = all_changed(pair).into_iter().step_by(nth).collect();
    let texts: Vec<_> = all.iter().map(|(_, text)| text.clone()).collect();
    for ((place, _), verdict) in all.iter().zip(verdicts_of(rest, pair, &texts)) {
        assert!(verdict.starts_with("not proved: "), "{}: {place}: {verdict}", pair.name);
    }
    all.len()
}

#[test]
fn every_small_change_is_found() {
    let (rest, pair) = steps();
    assert!(no_change_is_proved(&rest, &pair, 1) > 150);
}

#[test]
fn small_changes_of_programs_are_found() {
    for place in [Place::Early, Place::Late] {
        let ir = split_program("crates/progen/tests/programs/phases.c", place, &[]);
        let (rest, all) = pairs(&ir);
        let wanted = ["rotated", "three_planes", "sums", "stops_at_odd", "left_through_both"];
        for pair in all.iter().filter(|pair| wanted.contains(&pair.name.as_str())) {
            assert!(no_change_is_proved(&rest, pair, 5) > 10, "{}", pair.name);
        }
    }
}
