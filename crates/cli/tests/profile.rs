//! `orthant profile` with the real QEMU: the paper's running example, programs of all kinds, and what goes wrong.

mod common;

use common::{clean, fails, orthant, stderr, stdout, succeeds};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use trace::Profile;
use trace::profile::{AccessKind, Dependence, Ended, Nest, Statement};

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Scratch {
        Scratch(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Compiles C source text.
    fn compile(&self, source: &str, flags: &[&str]) -> PathBuf {
        let file = self.path("program.c");
        std::fs::write(&file, source).unwrap();
        self.compile_file("gcc", &file, flags)
    }

    fn compile_file(&self, compiler: &str, file: &Path, flags: &[&str]) -> PathBuf {
        let program = self.path("program");
        let mut command = clean(compiler);
        succeeds(command.arg(file).arg("-o").arg(&program).args(flags).arg("-lm").current_dir(self.0.path()));
        program
    }

    /// Runs `orthant profile` with the options; the profile too if there is one.
    fn profile(&self, options: &[&str], program: &Path, arguments: &[&str]) -> (Output, Option<Profile>) {
        let json = self.path("profile.json");
        let mut command = profile();
        command.args(options).arg("--json").arg(&json).arg("--").arg(program).args(arguments);
        let output = command.output().unwrap();
        assert!(!stderr(&output).contains("panicked"), "{}", stderr(&output));
        let profile = std::fs::read_to_string(&json).ok().map(|text| Profile::from_json(&text).unwrap());
        (output, profile)
    }

    #[track_caller]
    fn profile_of(&self, options: &[&str], program: &Path) -> Profile {
        let (output, profile) = self.profile(options, program, &[]);
        assert!(output.status.success(), "{}", stderr(&output));
        profile.expect("a profile")
    }
}

fn profile() -> Command {
    let mut command = orthant();
    command.arg("profile");
    command
}

fn backprop(flags: &[&str]) -> Nest {
    let scratch = Scratch::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backprop.c");
    let program = scratch.compile_file("gcc", &source, flags);
    let profile = scratch.profile_of(&[], &program);
    let at_line_9 = |nest: &&Nest| nest.loops[0].loc.as_ref().is_some_and(|loc| loc.line == 9);
    profile.nests.iter().find(at_line_9).expect("the nest of layerforward").clone()
}

fn on_line(nest: &Nest, line: u32) -> impl Iterator<Item = &Statement> {
    nest.statements.iter().filter(move |s| s.loc.as_ref().is_some_and(|loc| loc.line == line))
}

fn loads(nest: &Nest, line: u32) -> Vec<&Statement> {
    on_line(nest, line).filter(|s| s.accesses.iter().any(|a| a.kind == AccessKind::Read)).collect()
}

fn between<'a>(nest: &'a Nest, from: &Statement, to: &Statement) -> &'a Dependence {
    nest.dependences.iter().find(|d| (d.source, d.target) == (from.id, to.id)).expect("a dependence")
}

const SQUARE: &str = "{ [i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 42 }";
const SAME: &str = "{ [i0, i1] -> [i0, i1] : 0 <= i0 <= 15 and 0 <= i1 <= 42 }";

/// Tables 3 and 4 of the paper: `sum += conn[k][j] * l1[k]` is line 12 of the source, compiled to four instructions
/// that are I1 to I4 and two that are I5 and I6.
#[test]
fn backprop_gives_tables_3_and_4() {
    let nest = backprop(&["-O2", "-g"]);
    let [i1, i2, i3] = loads(&nest, 12)[..] else { panic!("three loads expected") };
    for statement in [i1, i2, i3] {
        assert_eq!((statement.domain.isl.as_str(), statement.domain.exact), (SQUARE, true));
    }
    // Table 3. The paper counts a pointer and a number as one byte each.
    assert_eq!(i1.accesses[0].stride, [Some(0), Some(8)]);
    assert_eq!(i2.accesses[0].stride, [Some(4), None]);
    assert_eq!(i3.accesses[0].stride, [Some(0), Some(4)]);
    assert!(i1.accesses[0].address.exact && !i2.accesses[0].address.exact && i3.accesses[0].address.exact);
    assert_eq!(i2.accesses[0].address.pieces.len(), 1);
    let i4 = on_line(&nest, 12).find(|s| s.text.starts_with("addss")).expect("the addition");
    assert!(i4.value.is_none() && i4.accumulates);
    let counter = |line, dims: usize, isl: &str| {
        let found = on_line(&nest, line).find(|s| {
            s.loops.len() == dims && s.induction && s.value.as_ref().is_some_and(|v| v.exact && v.isl == isl)
        });
        assert!(found.is_some(), "no {isl} on line {line}");
    };
    counter(11, 2, "{ [i0, i1] -> [i1 + 1] : 0 <= i0 <= 15 and 0 <= i1 <= 42 }");
    counter(9, 1, "{ [i0] -> [4*i0 + 8] : 0 <= i0 <= 15 }"); // j is kept as an offset of 4 j
    // Table 4.
    assert_eq!(between(&nest, i1, i2).relation.isl, SAME);
    let product = between(&nest, i2, i3); // the multiplication loads l1[k] itself
    assert_eq!(product.relation.isl, SAME);
    assert_eq!(between(&nest, i3, i4).relation.isl, SAME);
    let sum = between(&nest, i4, i4);
    assert_eq!(sum.relation.isl, "{ [i0, i1] -> [i0, i1 - 1] : 0 <= i0 <= 15 and 1 <= i1 <= 42 }");
    assert_eq!(
        (sum.relation.exact, sum.distance.as_slice(), sum.carried_by),
        (true, &[Some(0), Some(1)][..], Some(1))
    );
    // No dependence between iterations of j: interchange is legal.
    assert!(nest.dependences.iter().all(|d| d.carried_by != Some(0)));
}

#[test]
fn backprop_without_optimization() {
    let nest = backprop(&["-O0", "-g"]);
    let row = loads(&nest, 12)
        .into_iter()
        .find(|s| s.accesses[0].size == 8 && s.accesses[0].stride == [Some(0), Some(8)]);
    let column = loads(&nest, 12).into_iter().find(|s| s.accesses[0].stride == [Some(4), None]);
    assert!(row.is_some() && column.is_some());
    // The variables on the stack are induction variables or the sum; only the sum ties iterations of k together.
    let carried: Vec<_> = nest.dependences.iter().filter(|d| d.carried_by.is_some()).collect();
    assert_eq!(carried.len(), 1, "{carried:?}");
    assert_eq!(carried[0].distance, [Some(0), Some(1)]);
}

/// What the paper's Section 2.2 says about its Figure 1, at both ends of optimization.
#[test]
fn backprop_gives_the_advice_of_the_paper() {
    for flags in [["-O2", "-g"], ["-O0", "-g"]] {
        let scratch = Scratch::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/backprop.c");
        let program = scratch.compile_file("gcc", &source, &flags);
        let (output, profile) = scratch.profile(&[], &program, &[]);
        let profile = profile.expect("a profile");
        let json = std::fs::read_to_string(scratch.path("profile.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let advice: advise::Advice = serde_json::from_value(json["advice"].clone()).unwrap();
        assert_eq!(advice, advise::advise(&profile));
        let lines = |id: advise::Kind| {
            let of_kernel = |s: &&advise::Suggestion| s.id == id && s.possible && s.lines[0].line == 9;
            let found = advice.suggestions.iter().find(of_kernel);
            let found = found.unwrap_or_else(|| panic!("{flags:?}: no {}: {}", id.id(), stderr(&output)));
            assert!(!found.over_approximated && found.gain > 0.01);
            found.lines.iter().map(|loc| loc.line).collect::<Vec<_>>()
        };
        assert_eq!(lines(advise::Kind::Interchange), [9, 11]);
        assert_eq!(lines(advise::Kind::Vectorize), [9, 11]);
        assert_eq!(lines(advise::Kind::Tile), [9, 11]);
        let said = stderr(&output);
        assert!(
            said.contains("can use vector instructions after the interchange: stride 1 along it"),
            "{said}"
        );
        assert!(said.contains("observed in one run, not proved"), "{said}");
    }
}

#[test]
fn loops_that_follow_each_other_in_a_function_can_be_one() {
    let source = "#include <stdio.h>
static double a[5000], b[5000], c[5000];
int main(void) {
    for (int i = 0; i < 5000; i++) a[i] = i * 0.5;
    for (int i = 0; i < 5000; i++) b[i] = a[i] + 1;
    double sum = 0;
    for (int i = 0; i < 5000; i++) sum += b[i];
    for (int i = 0; i < 5000; i++) c[i] = b[4999 - i] * sum;
    printf(\"%g %g\\n\", c[7], sum);
}";
    let scratch = Scratch::new();
    let program = scratch.compile(source, &["-O1", "-g", "-fno-tree-loop-distribution"]);
    let (output, _) = scratch.profile(&["--once"], &program, &[]);
    let text = stderr(&output);
    let says = |what: &str| text.lines().any(|line| line.contains(what));
    assert!(says("program.c:4 and the loop at program.c:5 can be one loop"), "{text}");
    assert!(says("program.c:5 and the loop at program.c:7 can be one loop"), "{text}");
    assert!(says("program.c:5 and the loop at program.c:8 cannot be one loop"), "{text}");
}

/// The paper's %A: borders and buffers in turns are a few exact pieces, and what runs under a condition on data has dependences at constant
/// distances. In the paper's own mode both are unknown.
#[test]
fn irregular_programs_are_affine_where_they_are() {
    let share = |name: &str, options: &[&str]| {
        let scratch = Scratch::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../bench/profile/{name}.c"));
        let totals =
            scratch.profile_of(options, &scratch.compile_file("gcc", &source, &["-O2", "-g"])).totals;
        let percent = |part: u64, all: u64| 100 * part / all;
        [
            percent(totals.dependence_points_affine, totals.dependence_points),
            percent(totals.instruction_points_affine, totals.instruction_points),
        ]
    };
    let paper = ["--mode", "widen-give-up", "--paper"];
    assert_eq!(share("hotspot3d", &["--only", "step"]), [100, 100]);
    assert!(share("hotspot3d", &[&paper[..], &["--only", "step"]].concat())[1] < 90);
    let [dependences, instructions] = share("bfs", &["--only", "search"]);
    assert!(dependences >= 85 && instructions >= 85, "{dependences} {instructions}");
    let [dependences, _] = share("bfs", &[&paper[..], &["--only", "search"]].concat());
    assert!(dependences < 85, "{dependences}");
}

/// Iterations that are all alike are recorded together; the result is the same as one by one.
#[test]
fn shortcuts_change_nothing() {
    let cases = [("hotspot", "-O2", ""), ("lud", "-O2", ""), ("nw", "-O0", ""), ("btree", "-O2", "find")];
    for (name, level, only) in cases {
        let scratch = Scratch::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../bench/profile/{name}.c"));
        let program = scratch.compile_file("gcc", &source, &[level, "-g"]);
        let chosen = if only.is_empty() { vec!["--once"] } else { vec!["--once", "--only", only] };
        let [mut short, mut plain] =
            [&[][..], &["--plain"]].map(|more| scratch.profile_of(&[&chosen[..], more].concat(), &program));
        (short.collection.seconds, plain.collection.seconds) = (0.0, 0.0);
        assert!(short.totals.dependence_points > 10_000);
        assert!(short == plain, "{name}");
    }
}

#[test]
fn a_saved_profile_is_shown_again_and_compared() {
    let scratch = Scratch::new();
    let run = |source: &str, name: &str| {
        let program = scratch.compile(source, &["-O1", "-g"]);
        let (output, _) = scratch.profile(&[], &program, &[]);
        std::fs::rename(scratch.path("profile.json"), scratch.path(name)).unwrap();
        stderr(&output)
    };
    let text = run(LOOPS, "old.json");
    run(&LOOPS.replace("r < 50", "r < 25").replace("a[i] += a[i - 1]", "a[i] += r"), "new.json");
    let report = |arguments: &[&str]| {
        let mut command = orthant();
        command.arg("report").args(arguments).current_dir(scratch.0.path());
        command
    };
    let again = stdout(&succeeds(&mut report(&["old.json"])));
    assert!(again.contains("depend on each other") && text.starts_with(&again), "{again}\n{text}");
    let changed = stdout(&succeeds(&mut report(&["new.json", "--diff", "old.json"])));
    assert!(changed.lines().any(|l| l.contains("-60.0%") && l.contains("hot ")), "{changed}");
    assert!(changed.contains("new: ") && changed.contains("[vectorize]"), "{changed}");
    std::fs::write(scratch.path("bad.json"), "{}").unwrap();
    let said = fails(&mut report(&["bad.json"]), 1);
    assert!(said.contains("bad.json: not a profile of Orthant") && said.contains("help: "), "{said}");
    assert!(fails(&mut report(&["none.json"]), 1).contains("none.json"));
}

#[test]
fn output_and_exit_status_are_the_programs() {
    let scratch = Scratch::new();
    let source = "#include <stdio.h>\nint main(int c, char **v) { char s[9]; fgets(s, 9, stdin); printf(\"%s%d\", s, c); \
                  fprintf(stderr, \"err\\n\"); for (volatile int i = 0; i < 9; i++); return 42; }";
    let program = scratch.compile(source, &["-O1", "-g"]);
    std::fs::write(scratch.path("in"), "hello\n").unwrap();
    let mut command = profile();
    command.arg("--").arg(&program).args(["a", "-b"]).stdin(std::fs::File::open(scratch.path("in")).unwrap());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(42), "{}", stderr(&output));
    assert_eq!(stdout(&output), "hello\n3");
    assert!(stderr(&output).starts_with("err\n"), "{}", stderr(&output));
    assert!(stderr(&output).contains("exit status 42") && stderr(&output).contains("9 iterations"));
}

const LOOPS: &str = "
int a[1000];
__attribute__((noinline)) void cold(void) { for (int i = 0; i < 10; i++) a[i] = i; }
__attribute__((noinline)) void hot(void) { for (int r = 0; r < 50; r++) for (int i = 1; i < 1000; i++) a[i] += a[i - 1]; }
int main(void) { cold(); hot(); return a[999] == 1; }
";

#[test]
fn surveys_and_choices() {
    let scratch = Scratch::new();
    let program = scratch.compile(LOOPS, &["-O1", "-g"]);
    let survey = scratch.profile_of(&["--survey=count"], &program);
    assert_eq!(survey.nests[0].loops[0].function, "hot");
    assert_eq!(survey.nests[0].loops.iter().map(|l| l.iterations).collect::<Vec<_>>(), [50, 50 * 999]);
    assert!(survey.nests.iter().all(|n| n.statements.is_empty()));
    let profile = scratch.profile_of(&["--only", "hot"], &program);
    let full: Vec<_> = profile.nests.iter().filter(|n| !n.statements.is_empty()).collect();
    assert_eq!((full.len(), full[0].loops[0].function.as_str()), (1, "hot"));
    assert_eq!(profile.nests.len(), 2);
}

/// Enough of two loops in two functions, and of a third, to be seen by samples; `work` is called from a loop in `main`.
const LONG: &str = "
static double a[4096];
__attribute__((noinline)) void cold(void) { for (int i = 0; i < 4096; i++) a[i] = i; }
__attribute__((noinline)) void work(double *p) {
    for (int i = 1; i < 4096; i++) p[i] = p[i] * 0.5 + p[i - 1];
}
__attribute__((noinline)) void phase(int n) {
    for (int r = 0; r < n; r++)
        work(a);
}
int main(int c, char **v) {
    cold();
    phase(c > 1 ? 30000 : 60);
    return a[0] != 0;
}
";

#[test]
fn samples_show_where_the_time_goes_in_which_context() {
    for flags in [&["-O1", "-g"][..], &["-O1", "-g", "-static"], &["-O0", "-g", "-fomit-frame-pointer"]] {
        let scratch = Scratch::new();
        let program = scratch.compile(LONG, flags);
        let (output, profile) = scratch.profile(&["--survey"], &program, &["long"]);
        assert!(output.status.success(), "{}", stderr(&output));
        let survey = profile.unwrap();
        assert!(survey.collection.sampled && survey.totals.instructions > 50, "{:?}", survey.totals);
        let nest = &survey.nests[0];
        assert!(nest.share > 0.8, "{flags:?}: {}", nest.share);
        let chain: Vec<_> = nest.loops.iter().map(|l| (l.function.as_str(), l.parent)).collect();
        assert_eq!(chain, [("phase", None), ("work", Some(0))], "{flags:?}");
        let calls: Vec<_> = nest.context.iter().map(|f| f.function.as_str()).collect();
        assert_eq!(calls.last_chunk(), Some(&["main", "phase"]), "{flags:?}");
        assert_eq!(nest.loops[1].loc.as_ref().map(|l| l.line), Some(5), "{flags:?}");
        assert!(
            stderr(&output).contains(" samples, ") && !stderr(&output).contains("iterations"),
            "{}",
            stderr(&output)
        );
    }
}

/// The survey chooses `phase` and what it calls; the real run then records nothing else. The survey's run is long, the
/// recorded one short, because the program looks at its input.
#[test]
fn a_survey_comes_first_and_chooses() {
    let scratch = Scratch::new();
    let source = LONG.replace("int main(int c, char **v) {", "#include <stdio.h>\n#include <stdlib.h>\nint main(int c, char **v) {\n    \
        FILE *f = fopen(v[1], \"a+\"); fputs(\"x\", f); fclose(f); f = fopen(v[1], \"r\"); c = !(fgetc(f), fgetc(f) == 'x') + 1;");
    let program = scratch.compile(&source, &["-O1", "-g"]);
    let runs = scratch.path("runs");
    let (output, profile) = scratch.profile(&[], &program, &[runs.to_str().unwrap()]);
    let said = stderr(&output);
    assert!(said.contains("% of the time in the loops of phase"), "{said}");
    assert_eq!(std::fs::read(&runs).unwrap(), b"xx", "the program runs twice");
    let profile = profile.unwrap();
    let recorded: Vec<_> = profile.nests.iter().filter(|n| !n.statements.is_empty()).collect();
    assert_eq!((recorded.len(), recorded[0].loops[0].function.as_str()), (1, "phase"));
    assert!(profile.nests.iter().any(|n| n.loops[0].function == "cold"), "what was not recorded is counted");
    std::fs::remove_file(&runs).unwrap();
    let (output, profile) =
        scratch.profile(&["--once", "--timeout", "1"], &program, &[runs.to_str().unwrap()]);
    assert!(!stderr(&output).contains("survey"), "{}", stderr(&output));
    assert!(profile.unwrap().nests.iter().any(|n| n.loops[0].function == "cold" && !n.statements.is_empty()));
    assert_eq!(std::fs::read(&runs).unwrap(), b"x", "--once runs it once");
}

#[test]
fn programs_of_all_kinds() {
    let scratch = Scratch::new();
    // lld puts code at other addresses relative to the file than GNU's linker does.
    let kinds: [(&str, &[&str]); 4] = [
        ("gcc", &["-static"]),
        ("gcc", &["-no-pie"]),
        ("gcc", &["-static-pie"]),
        ("clang-22", &["-fuse-ld=lld"]),
    ];
    for (compiler, flags) in kinds {
        std::fs::write(scratch.path("program.c"), LOOPS).unwrap();
        let program =
            scratch.compile_file(compiler, &scratch.path("program.c"), &[&["-O1", "-g"], flags].concat());
        let profile = scratch.profile_of(&["--only", "hot"], &program);
        let nest = profile.nests.iter().find(|n| n.loops[0].function == "hot").unwrap();
        assert_eq!(nest.loops[1].loc.as_ref().unwrap().line, 4, "{flags:?}");
        assert!(
            nest.statements.iter().any(|s| s.accesses.iter().any(|a| a.stride == [Some(0), Some(4)])),
            "{flags:?}"
        );
    }
    let stripped = scratch.compile(LOOPS, &["-O1", "-s"]);
    let profile = scratch.profile_of(&[], &stripped);
    assert_ne!(
        profile.nests[0].loops[0].function, profile.nests[1].loops[0].function,
        "functions are told apart"
    );
    let ids: Vec<_> = profile.warnings.iter().map(|w| w.id.as_str()).collect();
    assert_eq!(ids, ["no-symbols", "no-debug-info"]);
    assert_eq!(profile.nests[0].loops[1].iterations, 50 * 999);
}

/// The same nest in other languages: rows of 480 bytes (60 numbers), of which each iteration reads two and writes one.
const CPP: &str = "#include <vector>
struct Matrix { std::vector<double> d; int n; double &at(int i, int j) { return d[i * n + j]; } };
__attribute__((noinline)) void smooth(Matrix &a, Matrix &b) {
    for (int i = 1; i < a.n - 1; i++)
        for (int j = 1; j < a.n - 1; j++)
            b.at(i, j) = a.at(i, j - 1) + a.at(i, j + 1);
}
int main() {
    Matrix a{std::vector<double>(60 * 60, 1.0), 60}, b = a;
    try { throw 1; } catch (int) { smooth(a, b); }
    return b.at(5, 5) != 2.0;
}
";
const RUST: &str = "#[inline(never)]
fn smooth(a: &[f64], b: &mut [f64], n: usize) {
    for i in 1..n - 1 {
        for j in 1..n - 1 {
            b[i * n + j] = a[i * n + j - 1] + a[i * n + j + 1];
        }
    }
}
fn main() {
    let n = std::env::args().count() + 59;
    let (a, mut b) = (vec![1.0; n * n], vec![0.0; n * n]);
    smooth(&a, &mut b, n);
    std::process::exit((b[5 * n + 5] != 2.0) as i32);
}
";
const FORTRAN: &str = "subroutine smooth(a, b, n)
  integer, intent(in) :: n
  real(8), intent(in) :: a(n, n)
  real(8), intent(out) :: b(n, n)
  integer :: i, j
  do i = 2, n - 1
    do j = 2, n - 1
      b(j, i) = a(j - 1, i) + a(j + 1, i)
    end do
  end do
end subroutine
program main
  real(8) :: a(60, 60), b(60, 60)
  a = 1
  b = 0
  call smooth(a, b, 60)
  if (b(5, 5) /= 2) stop 1
end program
";

#[test]
fn programs_in_other_languages() {
    let languages = [
        (["g++", "-O1"], "program.cpp", CPP, "smooth(Matrix&, Matrix&)", 4),
        (["rustc", "-Copt-level=1"], "program.rs", RUST, "program::smooth", 3),
        // The subroutine is made part of the program.
        (["flang-22", "-O1"], "program.f90", FORTRAN, "main", 6),
    ];
    for ([compiler, level], name, source, function, line) in languages {
        let scratch = Scratch::new();
        let (file, program) = (scratch.path(name), scratch.path("program"));
        std::fs::write(&file, source).unwrap();
        succeeds(
            clean(compiler).args([level, "-g", "-o"]).arg(&program).arg(&file).current_dir(scratch.0.path()),
        );
        let profile = scratch.profile_of(&["--once"], &program);
        let of_smooth = |nest: &&Nest| {
            let outer = &nest.loops[0];
            outer.function == function && outer.loc.as_ref().is_some_and(|loc| loc.line == line)
        };
        let nest = profile.nests.iter().find(of_smooth).unwrap_or_else(|| panic!("{compiler}: no nest"));
        let rounds: Vec<_> = nest.loops.iter().map(|l| l.iterations).collect();
        assert_eq!(rounds, [58, 58 * 58], "{compiler}");
        let strided = |kind: AccessKind| {
            let accesses = nest.statements.iter().flat_map(|s| &s.accesses);
            accesses.filter(|a| a.kind == kind && a.stride == [Some(480), Some(8)]).count()
        };
        assert_eq!((strided(AccessKind::Read) >= 2, strided(AccessKind::Write)), (true, 1), "{compiler}");
        assert!(nest.dependences.iter().all(|d| d.carrier != trace::profile::Carrier::Memory), "{compiler}");
    }
}

const GO: &str = r#"package main

import "fmt"

//go:noinline
func smooth(a, b []float64, n int) {
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			b[i*n+j] = 0.25 * (a[(i-1)*n+j] + a[(i+1)*n+j] + a[i*n+j-1] + a[i*n+j+1])
		}
	}
}

func main() {
	n := 60
	a, b := make([]float64, n*n), make([]float64, n*n)
	for i := range a {
		a[i] = float64(i % 7)
	}
	smooth(a, b, n)
	fmt.Println(b[n+1])
}
"#;

/// Go's own runtime has several threads, and code that no C compiler makes.
#[test]
fn programs_in_go() {
    if Command::new("go").arg("version").output().is_err() {
        eprintln!(
            "skipped: no `go` (Debian's golang-go, 450 MB installed, which `cargo xtask setup` does not add)"
        );
        return;
    }
    let scratch = Scratch::new();
    let (file, program) = (scratch.path("program.go"), scratch.path("program"));
    std::fs::write(&file, GO).unwrap();
    let mut go = clean("go");
    go.args(["build", "-o"]).arg(&program).arg(&file).current_dir(scratch.0.path());
    succeeds(go.env("GOCACHE", scratch.path("cache")).env("GO111MODULE", "off"));
    let json = scratch.path("go.json");
    let mut command = profile();
    command.args(["--once", "--only", "main.smooth", "--json"]).arg(&json).arg("--").arg(&program);
    // Go's runtime interrupts what has run for 10 ms, in the middle of a loop, and goes on with it as with something new.
    succeeds(command.env("GODEBUG", "asyncpreemptoff=1"));
    let profile = Profile::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let of_smooth = |nest: &&Nest| nest.loops[0].function == "main.smooth";
    let nest = profile.nests.iter().find(of_smooth).expect("a nest");
    // The condition stands at the top: it is looked at once more.
    assert_eq!(nest.loops.iter().map(|l| l.iterations).collect::<Vec<_>>(), [59, 58 * 59]);
    assert_eq!(nest.loops[0].loc.as_ref().map(|loc| loc.line), Some(7));
    let strided = |kind: AccessKind| {
        let accesses = nest.statements.iter().flat_map(|s| &s.accesses);
        accesses.filter(|a| a.kind == kind && a.stride == [Some(480), Some(8)]).count()
    };
    assert_eq!((strided(AccessKind::Read), strided(AccessKind::Write)), (4, 1));
}

/// A QEMU that can read registers, which Debian 12 does not have: `ORTHANT_TEST_QEMU` names one.
#[test]
fn a_newer_qemu_reads_registers() {
    let Some(qemu) = std::env::var_os("ORTHANT_TEST_QEMU") else {
        eprintln!("skipped: ORTHANT_TEST_QEMU names no QEMU of version 9 or later with plugins");
        return;
    };
    let source = "#include <stdio.h>
static volatile int a[4000];
int main(int argc, char **argv) {
    long sum = 0;
    for (int i = 0; i < 3000; i++) sum += a[i / (argc + 2)] + i;
    printf(\"%ld\\n\", sum);
}";
    let scratch = Scratch::new();
    let program = scratch.compile(source, &["-O1", "-g"]);
    let [mut short, mut plain] = [&["--once"][..], &["--once", "--plain"]].map(|options| {
        let json = scratch.path("read.json");
        let mut command = profile();
        command.env("ORTHANT_QEMU", &qemu).args(options).arg("--json").arg(&json).arg("--").arg(&program);
        succeeds(&mut command);
        Profile::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap()
    });
    (short.collection.seconds, plain.collection.seconds) = (0.0, 0.0);
    assert_eq!(short.collection.values, "read");
    assert!(short == plain);
    // The quotient cannot be recomputed, and is no data: it is read.
    let divides = |s: &&Statement| s.text.starts_with("idiv");
    let nest = short.nests.iter().find(|nest| nest.statements.iter().any(|s| divides(&s))).expect("a nest");
    let quotient = nest.statements.iter().find(divides).and_then(|s| s.value.as_ref()).expect("a value");
    assert_eq!(quotient.points, 3000);
}

#[test]
fn without_debug_information_there_are_functions_and_no_lines() {
    let scratch = Scratch::new();
    let program = scratch.compile(LOOPS, &["-O1"]);
    let profile = scratch.profile_of(&["--once"], &program);
    assert_eq!(profile.nests[0].loops[0].function, "hot");
    assert!(profile.nests[0].loops[0].loc.is_none());
    let ids: Vec<_> = profile.warnings.iter().map(|w| w.id.as_str()).collect();
    assert_eq!(ids, ["no-debug-info"]);
}

/// Without symbols there is all but names: the same loops with the same dependences.
#[test]
fn a_stripped_program_is_profiled_by_its_addresses() {
    let scratch = Scratch::new();
    for flags in [&["-O1"][..], &["-O1", "-static"]] {
        let program = scratch.compile(LOOPS, flags);
        let whole = scratch.profile_of(&["--once"], &program);
        succeeds(clean("strip").arg(&program));
        let stripped = scratch.profile_of(&["--once"], &program);
        let ids: Vec<_> = stripped.warnings.iter().map(|w| w.id.as_str()).collect();
        assert_eq!(ids, ["no-symbols", "no-debug-info"], "{flags:?}");
        let [known, found] = [(&whole, "hot"), (&stripped, "0x")].map(|(profile, name)| {
            let costly = profile.nests.iter().max_by_key(|nest| nest.instructions).expect("a nest");
            assert!(costly.loops[0].function.starts_with(name), "{}", costly.loops[0].function);
            let dependences = costly.dependences.iter().map(|d| d.relation.isl.clone());
            (costly.loops.iter().map(|l| l.iterations).collect::<Vec<_>>(), dependences.collect::<Vec<_>>())
        });
        assert_eq!(found, known, "{flags:?}");
        // Nothing is recorded of a function that cannot be found, and that is said.
        let (output, profile) = scratch.profile(&["--only", "hot"], &program, &[]);
        let profile = profile.expect("a profile");
        assert!(profile.nests.iter().all(|nest| nest.statements.is_empty()), "{flags:?}");
        let said = stderr(&output);
        assert!(said.contains("no function is called hot") && said.contains("[only]"), "{said}");
        assert!(said.contains("only counted") && !said.contains("no dependence"), "{said}");
    }
}

#[test]
fn recursion_threads_and_longjmp() {
    let scratch = Scratch::new();
    let source = "
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf out; static int a[64]; static long sums[2];
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) void jump(int i) { if (i % 2) longjmp(out, 1); }
static int order(const void *x, const void *y) { return *(int *)x - *(int *)y; }
static void *work(void *p) { for (long i = 0; i < 1000; i++) sums[(long)p] += i; return 0; }
int main(void) {
    volatile int done = 0;
    for (volatile int i = 0; i < 20; i++) { if (!setjmp(out)) jump(i); done++; }
    for (int i = 0; i < 64; i++) a[i] = (i * 37) % 64;
    qsort(a, 64, sizeof *a, order);
    pthread_t t[2];
    for (long k = 0; k < 2; k++) pthread_create(&t[k], 0, work, (void *)k);
    for (int k = 0; k < 2; k++) pthread_join(t[k], 0);
    return done == 20 && fib(15) == 610 && a[63] == 63 && sums[0] == sums[1] ? 0 : 1;
}";
    let program = scratch.compile(source, &["-O1", "-g", "-pthread"]);
    let profile = scratch.profile_of(&[], &program);
    assert_eq!(profile.totals.threads, 3);
    let threads: Vec<u32> =
        profile.nests.iter().filter(|n| n.loops[0].function == "work").map(|n| n.thread).collect();
    assert_eq!((threads.len(), threads.contains(&0)), (2, false));
    let kinds = |function: &str| {
        profile
            .nests
            .iter()
            .filter(|n| n.loops[0].function == function)
            .map(|n| n.loops[0].kind)
            .collect::<Vec<_>>()
    };
    assert_eq!(kinds("fib"), [trace::profile::LoopKind::Recursion]);
    let jumps = profile.nests.iter().find(|n| n.loops[0].loc.as_ref().is_some_and(|l| l.line == 12)).unwrap();
    assert!(jumps.loops[0].iterations >= 20, "{:?}", jumps.loops);
}

#[test]
fn programs_that_end_badly() {
    let scratch = Scratch::new();
    let start = "#include <stdio.h>\n#include <unistd.h>\n#include <signal.h>\nint a[100]; int main(int c, char **v) {\n\
                 for (int i = 0; i < 100; i++) a[i] += a[(i + 1) % 100] + c;\n";
    let with = |end: &str| scratch.compile(&format!("{start}{end} }}"), &["-O1", "-g"]);
    let cases: [(&str, &[&str], i32, Option<&str>); 5] = [
        ("*(volatile int *)0 = 1; return 0;", &[], 139, Some("crash")),
        ("if (fork() == 0) _exit(3); return 5;", &[], 5, Some("fork")),
        ("execl(\"/bin/true\", \"true\", (char *)0); return 7;", &[], 0, Some("exec")),
        ("for (;;) a[c]++;", &["--timeout", "1"], 124, Some("timeout")),
        ("_exit(6);", &[], 6, None),
    ];
    for (end, options, code, warning) in cases {
        let program = with(end);
        std::fs::remove_file(scratch.path("profile.json")).ok();
        let (output, profile) = scratch.profile(options, &program, &[]);
        assert_eq!(output.status.code(), Some(code), "{end}: {}", stderr(&output));
        let profile = profile.unwrap_or_else(|| panic!("{end}: {}", stderr(&output)));
        assert!(profile.nests.iter().any(|n| n.loops[0].iterations >= 99), "{end}");
        let ids: Vec<_> = profile.warnings.iter().map(|w| w.id.as_str()).collect();
        assert_eq!(ids, warning.into_iter().collect::<Vec<_>>(), "{end}");
        if code == 124 {
            assert_eq!(profile.program.ended, Ended::Timeout);
        }
    }
    // Killed before the first checkpoint: nothing to show, but its status is still the program's.
    let (output, _) = scratch.profile(&["--once"], &with("raise(SIGKILL); return 0;"), &[]);
    assert_eq!(output.status.code(), Some(137), "{}", stderr(&output));
    assert!(stderr(&output).contains("there is no profile of"), "{}", stderr(&output));
}

/// Loops in three functions, called one after the other, the middle one twice.
const PHASES: &str = "
static int a[1000];
__attribute__((noinline)) void one(void) { for (int i = 1; i < 1000; i++) a[i] += a[i - 1]; }
__attribute__((noinline)) void two(void) { for (int i = 1; i < 1000; i++) a[i] ^= a[i - 1]; }
__attribute__((noinline)) void three(void) { for (int i = 1; i < 1000; i++) a[i] -= a[i - 1]; }
int main(void) { one(); two(); two(); three(); return 0; }
";

#[test]
fn a_window_of_the_run() {
    let scratch = Scratch::new();
    let program = scratch.compile(PHASES, &["-O1", "-g"]);
    let recorded = |options: &[&str]| {
        let profile = scratch.profile_of(options, &program);
        assert_eq!(profile.nests.len(), 4, "loops are counted outside of the window, too");
        let with = profile.nests.iter().filter(|n| n.statements.iter().any(|s| s.domain.points > 900));
        let mut names: Vec<String> = with.map(|n| n.loops[0].function.clone()).collect();
        names.sort();
        (names.join(" "), profile.warnings.into_iter().map(|w| w.id).collect::<Vec<_>>())
    };
    let plain = |names: &str| (names.to_owned(), Vec::new());
    assert_eq!(recorded(&["--once"]), plain("one three two two"));
    assert_eq!(recorded(&["--from", "two"]), plain("three two two"));
    assert_eq!(recorded(&["--from", "two:2"]), plain("three two"));
    assert_eq!(recorded(&["--to", "two"]), plain("one"));
    assert_eq!(recorded(&["--from", "two", "--to", "three"]), plain("two two"));
    assert_eq!(recorded(&["--from", "two:9"]), (String::new(), vec!["window".to_owned()]));
    assert_eq!(recorded(&["--from", "0s", "--to", "1000s"]).1, ["window"]);
    let bad = profile().args(["--from", "f:0", "--"]).arg(&program).output().unwrap();
    assert_eq!(bad.status.code(), Some(2), "{}", stderr(&bad));
}

#[test]
fn libraries_on_request() {
    let scratch = Scratch::new();
    let library = scratch.path("libinner.so");
    let source = "void inner(float *p, int n) { for (int i = 0; i < n; i++) p[i] *= 2; }";
    std::fs::write(scratch.path("inner.c"), source).unwrap();
    let mut command = clean("gcc");
    succeeds(
        command.args(["-O1", "-g", "-shared", "-fPIC"]).arg(scratch.path("inner.c")).arg("-o").arg(&library),
    );
    let caller = "void inner(float *, int); float a[64]; int main(void) { for (int r = 0; r < 9; r++) inner(a, 64); return 0; }";
    let folder = scratch.0.path().display().to_string();
    let rpath = format!("-Wl,-rpath,{folder}");
    let program = scratch.compile(caller, &["-O1", "-g", &format!("-L{folder}"), "-linner", &rpath]);
    let functions = |options: &[&str]| -> Vec<String> {
        let profile = scratch.profile_of(options, &program);
        profile.nests[0].loops.iter().map(|l| l.function.clone()).collect()
    };
    assert_eq!(functions(&["--once"]), ["main"]);
    assert_eq!(functions(&["--once", "--lib", "inner"]), ["main", "inner"]);
}

/// The children of a process.
fn children(process: u32) -> Vec<u32> {
    let text =
        std::fs::read_to_string(format!("/proc/{process}/task/{process}/children")).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn a_killed_program_has_the_last_checkpoint() {
    let scratch = Scratch::new();
    let program = scratch.compile(
        "int a[9]; int main(void) { for (;;) for (int i = 1; i < 9; i++) a[i] += a[i - 1]; }",
        &["-O1", "-g"],
    );
    let json = scratch.path("killed.json");
    let mut command = profile();
    command.args(["--once", "--checkpoint", "1", "--json"]).arg(&json).arg("--").arg(&program);
    std::fs::create_dir(scratch.path("tmp")).unwrap();
    let child =
        command.env("TMPDIR", scratch.path("tmp")).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // The emulator is killed, as the system does when memory runs out, after its first checkpoint.
    let written = || {
        let folders = std::fs::read_dir(scratch.path("tmp")).into_iter().flatten().flatten();
        folders.map(|folder| folder.path().join("profile.json")).any(|file| file.exists())
    };
    let start = std::time::Instant::now();
    while !written() && start.elapsed().as_secs() < 60 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    for process in children(child.id()) {
        succeeds(Command::new("kill").args(["-9", &process.to_string()]));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(137), "{}", stderr(&output));
    let profile = Profile::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
    assert!(profile.nests[0].statements.iter().any(|s| s.domain.points > 1000));
    let ids: Vec<_> = profile.warnings.iter().map(|w| w.id.as_str()).collect();
    assert_eq!(ids, ["incomplete", "crash"]);
}

/// Ctrl-C, or `kill`: the program ends, and what it did until then is reported.
#[test]
fn an_interrupted_run_has_a_profile() {
    let source = "#include <stdio.h>
int a[9];
int main(void) {
    for (int i = 1; i < 9; i++) a[i] += i;
    puts(\"begun\"); fflush(stdout);
    for (;;) for (int i = 1; i < 9; i++) a[i] += a[i - 1];
}";
    let scratch = Scratch::new();
    let program = scratch.compile(source, &["-O1", "-g"]);
    for (signal, number, whole_group) in [("-TERM", 15, false), ("-INT", 2, true)] {
        let json = scratch.path("interrupted.json");
        let mut command = profile();
        command.args(["--once", "--json"]).arg(&json).arg("--").arg(&program);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = std::os::unix::process::CommandExt::process_group(&mut command, 0).spawn().unwrap();
        let mut line = String::new();
        let mut said = std::io::BufReader::new(child.stdout.take().unwrap());
        std::io::BufRead::read_line(&mut said, &mut line).unwrap();
        assert_eq!(line, "begun\n");
        let to = if whole_group { format!("-{}", child.id()) } else { child.id().to_string() };
        succeeds(Command::new("kill").args([signal, "--", &to]));
        let output = child.wait_with_output().unwrap();
        // Alone, Orthant asks the program to end; what Ctrl-C sends ends it at once.
        assert_eq!(output.status.code(), Some(128 + number), "{}", stderr(&output));
        let profile = Profile::from_json(&std::fs::read_to_string(&json).unwrap()).unwrap();
        assert_eq!(profile.program.ended, Ended::Signal(number));
        assert!(!profile.nests.is_empty());
    }
}

#[test]
fn a_program_that_sleeps_is_stopped_in_time() {
    let scratch = Scratch::new();
    let source = "#include <unistd.h>\nint a[99]; int main(void) { for (int i = 0; i < 99; i++) a[i] += i; sleep(600); return 0; }";
    let program = scratch.compile(source, &["-O1", "-g"]);
    let (output, profile) = scratch.profile(&["--once", "--timeout", "1"], &program, &[]);
    let profile = profile.unwrap_or_else(|| panic!("{}", stderr(&output)));
    assert_eq!(profile.program.ended, Ended::Timeout);
    assert_eq!(profile.nests[0].loops[0].iterations, 99);
}

#[test]
fn little_memory_degrades_the_report() {
    let scratch = Scratch::new();
    let source = "static char a[64 << 20]; int main(void) { for (volatile int r = 0; r < 2; r++) for (long i = 0; i < sizeof a; i += 64) a[i]++; return 0; }";
    let program = scratch.compile(source, &["-O1", "-g"]);
    let profile = scratch.profile_of(&["--once", "--memory", "16"], &program);
    assert!(profile.warnings.iter().any(|w| w.id == "memory-limit"), "{:?}", profile.warnings);
    assert_eq!(profile.nests[0].loops[1].iterations, 2 << 20);
    assert!(advise::advise(&profile).notes.iter().any(|n| n.contains("memory-limit")));
}

/// On a terminal there is one line about events, rate and nests; otherwise nothing.
#[test]
fn progress_is_for_terminals() {
    let scratch = Scratch::new();
    let source = "int a[9]; int main(void) { for (long r = 0; r < 3000000; r++) for (int i = 1; i < 9; i++) a[i] += a[i - 1]; return 0; }";
    let program = scratch.compile(source, &["-O1", "-g"]);
    let orthant = env!("CARGO_BIN_EXE_orthant");
    let line = format!("'{orthant}' profile --once --timeout 2 -- '{}'", program.display());
    let on_terminal = clean("script")
        .args(["-qec", &line, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    let seen = stdout(&on_terminal);
    assert!(seen.contains(" events, ") && seen.contains(" million a second, "), "{seen}");
    let (quiet, _) = scratch.profile(&["--once", "--timeout", "2"], &program, &[]);
    assert!(!stderr(&quiet).contains(" events, ") && !stderr(&quiet).contains('\r'), "{}", stderr(&quiet));
}

#[test]
fn what_cannot_be_profiled() {
    let scratch = Scratch::new();
    let file = |name: &str, bytes: &[u8]| {
        use std::os::unix::fs::PermissionsExt as _;
        let path = scratch.path(name);
        std::fs::write(&path, bytes).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let program = scratch.compile("int main(void) { return 0; }", &[]);
    let mut arm = std::fs::read(&program).unwrap();
    arm[18..20].copy_from_slice(&183u16.to_le_bytes());
    let told = |command: &mut Command, code, what: &str| {
        let said = fails(command, code);
        assert!(said.contains(what) && said.contains("help: "), "{said}");
    };
    told(profile().arg("--").arg(file("script", b"#!/bin/sh\n")), 1, "is a script");
    told(profile().arg("--").arg(file("text", b"hello")), 1, "is not an ELF program");
    told(profile().arg("--").arg(file("empty", b"")), 1, "is not an ELF program");
    told(
        profile().arg("--").arg(file("cut", &std::fs::read(&program).unwrap()[..70])),
        1,
        "is not an ELF program",
    );
    told(profile().arg("--").arg(file("arm", &arm)), 1, "Aarch64");
    told(profile().args(["--", "/no/such/program"]), 1, "cannot read /no/such/program");
    told(profile().arg("--").arg(scratch.0.path()), 1, "cannot read");
    told(
        profile().env("PATH", scratch.0.path()).arg("--").arg(&program),
        127,
        "qemu-x86_64 is not installed",
    );
    told(
        profile().env("ORTHANT_QEMU", "/no/qemu").arg("--").arg(&program),
        127,
        "ORTHANT_QEMU names /no/qemu",
    );
    let plain = file("qemu", b"#!/bin/sh\necho usage\n");
    told(profile().env("ORTHANT_QEMU", &plain).arg("--").arg(&program), 127, "cannot load plugins");
    told(
        profile().env("ORTHANT_QEMU_PLUGIN", "/no/plugin").arg("--").arg(&program),
        127,
        "/no/plugin, which is no file",
    );
    let missing = profile().output().unwrap();
    assert_eq!(missing.status.code(), Some(2));
    told(profile().args(["--json", "/no/folder/x.json", "--"]).arg(&program), 1, "/no/folder/x.json");
}
