//! The command with the real LLVM 22 and the real plugin: that the pass is reached through every door.
//!
//! What the pass finds is tested elsewhere; here a report of the kernel's name is the proof that it ran.

mod common;

use common::{clean, fails, orthant_with_plugin as orthant, plugin, stderr, stdout, succeeds};
use std::path::PathBuf;
use std::process::{Command, Stdio};

const C: &str = "\
void kernel(int n, double *restrict a, const double *restrict b) {
  for (int i = 0; i < n; i++)
    a[i] += 2 * b[i];
}
";

const MAIN: &str = "\
void kernel(int n, double *restrict a, const double *restrict b);
int main(void) {
  double a[4] = {1, 2, 3, 4}, b[4] = {1, 1, 1, 1};
  kernel(4, a, b);
  return (int)a[3];
}
";

const FORTRAN: &str = "\
subroutine kernel(n, a)
  integer :: n, i
  real :: a(n)
  do i = 1, n
    a(i) = 2 * a(i)
  end do
end subroutine
";

const RUST: &str = "\
pub fn kernel(a: &mut [f64], factor: f64) {
    for x in a { *x *= factor; }
}
";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new(files: &[(&str, &str)]) -> Folder {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        Folder(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The command, in the folder.
    fn orthant(&self) -> Command {
        let mut command = orthant();
        command.current_dir(&self.0);
        command
    }

    fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.path(name)).unwrap_or_default()).into_owned()
    }

    /// Whether a report was written that knows the kernel.
    #[track_caller]
    fn assert_reported(&self, name: &str) {
        let text = self.read(name);
        assert!(text.contains("kernel"), "{name} has no report of the kernel: {text:?}");
    }
}

#[test]
fn the_versions_of_all_three() {
    let said = stdout(&succeeds(orthant().arg("--version")));
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines[0], format!("orthant {}", env!("CARGO_PKG_VERSION")));
    assert!(lines[1].starts_with("  LLVM 22.") && lines[2].starts_with("  isl "), "{said}");
}

#[test]
fn c_is_compiled_linked_and_runs() {
    let folder = Folder::new(&[
        ("k.c", C),
        ("m.c", MAIN),
        ("s.s", ".section .note.GNU-stack\n"),
        ("a.rsp", "-c k.c -O3 -o r.o"),
    ]);
    let options = ["-Werror", "-O3", "-orthant-report=r.jsonl"];
    for step in [&["-c", "k.c"][..], &["-c", "m.c"], &["-c", "s.s"], &["k.o", "m.o", "s.o", "-o", "prog"]] {
        let output = succeeds(folder.orthant().arg("cc").args(options).arg("-Qunused-arguments").args(step));
        assert_eq!(stderr(&output), "", "{step:?}");
    }
    folder.assert_reported("r.jsonl");
    assert_eq!(Command::new(folder.path("prog")).status().unwrap().code(), Some(6));

    succeeds(folder.orthant().args(["cc", "-orthant-report=rsp.jsonl", "@a.rsp"]));
    folder.assert_reported("rsp.jsonl");
    // Without the flags of ours there is nothing that -Werror could object to.
    for step in
        [&["-c", "s.s"][..], &["k.o", "m.o"], &["-E", "k.c"], &["-M", "k.c"], &["-fsyntax-only", "k.c"]]
    {
        succeeds(folder.orthant().args(["cc", "-Werror", "-orthant-time"]).args(step));
    }
    let shown = stderr(&succeeds(folder.orthant().args(["cc", "-###", "-O3", "-c", "k.c"])));
    assert!(shown.contains("-fpass-plugin="), "{shown}");
    assert_eq!(folder.orthant().args(["cc", "-c", "none.c"]).output().unwrap().status.code(), Some(1));
}

#[test]
fn cxx_and_fortran_are_compiled() {
    let folder = Folder::new(&[("k.cpp", &C.replace("restrict", "__restrict")), ("k.f90", FORTRAN)]);
    succeeds(folder.orthant().args(["c++", "-O2", "-Werror", "-orthant-report=cxx.jsonl", "-c", "k.cpp"]));
    folder.assert_reported("cxx.jsonl");
    succeeds(folder.orthant().args(["fc", "-O2", "-orthant-report=f.jsonl", "-c", "k.f90"]));
    folder.assert_reported("f.jsonl");
}

#[test]
fn thin_lto_runs_the_pass_when_lld_links() {
    let folder = Folder::new(&[("k.c", C), ("m.c", MAIN)]);
    let flags = ["-Werror", "-O3", "-flto=thin", "-orthant-position=late"];
    for file in ["k.c", "m.c"] {
        succeeds(folder.orthant().args(["cc", "-orthant-report=compile.jsonl", "-c", file]).args(flags));
    }
    assert!(!folder.exists("compile.jsonl"), "thin LTO leaves loops to the link");
    let link = ["-fuse-ld=lld", "k.o", "m.o", "-o", "prog", "-orthant-report=link.jsonl"];
    succeeds(folder.orthant().arg("cc").args(flags).args(link));
    // The kernel may have been inlined into main: a report of either file is proof enough.
    assert!(folder.read("link.jsonl").contains("\"symbol\":"));
    assert_eq!(Command::new(folder.path("prog")).status().unwrap().code(), Some(6));
}

#[test]
fn opt_reads_and_writes_every_kind() {
    let folder = Folder::new(&[("k.c", C), ("m.c", MAIN)]);
    let front = ["cc", "-O3", "-Xclang", "-disable-llvm-passes", "-emit-llvm"];
    succeeds(folder.orthant().args(front).args(["-S", "k.c", "-o", "k.ll"]));
    succeeds(folder.orthant().args(front).args(["-c", "k.c", "-o", "k.bc"]));
    for input in ["k.ll", "k.bc"] {
        let report = format!("--report={input}.jsonl");
        succeeds(folder.orthant().args(["opt", "-O3", input, "-o", "out.o", &report]));
        folder.assert_reported(&format!("{input}.jsonl"));
        succeeds(folder.orthant().args(["cc", "m.c", "out.o", "-o", "prog"]));
        assert_eq!(Command::new(folder.path("prog")).status().unwrap().code(), Some(6));
    }
    succeeds(folder.orthant().args(["opt", "k.ll", "-o", "out.bc"]));
    assert!(std::fs::read(folder.path("out.bc")).unwrap().starts_with(b"BC\xc0\xde"));
    let stdin = std::fs::File::open(folder.path("k.bc")).unwrap();
    let text = stdout(&succeeds(folder.orthant().args(["opt", "-"]).stdin(stdin)));
    assert!(text.contains("define") && text.contains("@kernel"), "{text}");
    assert!(
        stdout(&succeeds(folder.orthant().args(["opt", "-O2", "--emit=asm", "k.ll"]))).contains("kernel:")
    );
}

#[test]
fn opt_compiles_for_the_processor_that_is_asked_for() {
    let folder = Folder::new(&[("k.c", C)]);
    let front = ["cc", "-O3", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-S", "k.c", "-o", "k.ll"];
    succeeds(folder.orthant().args(front).arg("--target=x86_64-linux-gnu"));
    assert!(folder.read("k.ll").contains("\"target-cpu\"=\"x86-64\""));
    let asm = |cpu: &[&str]| {
        stdout(&succeeds(folder.orthant().args(["opt", "-O3", "k.ll", "--emit=asm"]).args(cpu)))
    };
    assert!(!asm(&[]).contains("ymm") && asm(&["--cpu=haswell"]).contains("ymm"));
}

#[test]
fn damaged_input_is_one_message_and_no_output() {
    let good = "define void @f() {\n  ret void\n}\n";
    let folder = Folder::new(&[("cut.ll", &good[..20]), ("noise.bc", "BC\u{c0de} noise"), ("good.ll", good)]);
    for input in ["cut.ll", "noise.bc", "none.ll", "."] {
        for command in
            [&["opt", "-o", "out.bc", input][..], &["opt", "-o", "out.o", "-O3", "--cpu=native", input]]
        {
            let said = fails(folder.orthant().args(command), 1);
            assert!(said.lines().count() <= 2 && !said.contains("Stack dump"), "{said}");
            assert!(!folder.exists("out.bc") && !folder.exists("out.o"));
        }
    }
    fails(folder.orthant().args(["opt", "good.ll", "-o", "no/such/folder/x.bc"]), 1);
    fails(folder.orthant().args(["opt", "good.ll", "--passes=no-such-pass"]), 1);
    fails(folder.orthant().args(["explain", "cut.ll"]), 1);
    succeeds(folder.orthant().args(["opt", "good.ll", "-o", "out.bc"]));
}

#[test]
fn every_language_is_explained_at_its_lines() {
    let files =
        [("k.c", C), ("k.cpp", &C.replace("restrict", "__restrict")), ("k.f90", FORTRAN), ("k.rs", RUST)];
    let folder = Folder::new(&files);
    for (file, line) in [("k.c", 2), ("k.cpp", 2), ("k.f90", 4)] {
        let said = stdout(&succeeds(folder.orthant().args(["explain", file])));
        assert!(said.contains("kernel") && said.contains(&format!("\n  {file}:{line}:")), "{said}");
        assert!(said.contains("1 function, 1 loop nest: "), "{said}");
    }
    let said = stdout(&succeeds(folder.orthant().args(["explain", "k.rs"])));
    assert!(said.contains("kernel") && said.contains("1 function"), "{said}");
    assert!(!folder.exists("k.o") && !folder.exists("k.bc"), "explain leaves nothing behind");
    // Several at once come in order, whatever finishes first.
    let all = ["explain", "-j4", "k.cpp", "k.rs", "k.c", "k.f90"];
    let first = stdout(&succeeds(folder.orthant().args(all)));
    assert_eq!(first, stdout(&succeeds(folder.orthant().args(all))));
    assert!(first.contains("4 functions, 4 loop nests"), "{first}");
    // Flags replace ours: nothing is optimized at -O0.
    let none = stdout(&succeeds(folder.orthant().args(["explain", "k.c", "--", "-O0"])));
    assert_eq!(none, "no loops found\n");
}

#[test]
fn broken_sources_do_not_hide_the_others() {
    let folder = Folder::new(&[("k.c", C), ("bad.c", "int f( {\n")]);
    let mut command = folder.orthant();
    let said = fails(command.args(["explain", "bad.c", "k.c"]), 1);
    assert!(said.contains("bad.c:1:8: error: "), "{said}");
    assert!(stdout(&command.output().unwrap()).contains("kernel"));
}

#[test]
fn a_project_is_explained_by_its_compile_commands() {
    let folder = Folder::new(&[("src/k.c", C), ("build/x", "")]);
    let database = format!(
        r#"[{{"directory": "{}", "file": "../src/k.c", "command": "gcc -O0 -g -o k.o -MD -MF k.d -c ../src/k.c"}}]"#,
        folder.path("build").display()
    );
    std::fs::write(folder.path("build/compile_commands.json"), database).unwrap();
    for path in ["build", "build/compile_commands.json"] {
        let said = stdout(&succeeds(folder.orthant().args(["explain", "-p", path])));
        assert!(said.contains("\n  src/k.c:2:") && said.contains("for (int i = 0;"), "{said}");
    }
    assert!(!folder.exists("build/k.o") && !folder.exists("build/k.d"));
}

#[test]
fn make_uses_it_as_its_compiler() {
    let makefile = "CFLAGS = -O3 -Wall -Werror\nprog: k.o m.o\n\t$(CC) -o $@ $^\n";
    let folder = Folder::new(&[("k.c", C), ("m.c", MAIN), ("Makefile", makefile)]);
    let mut make = clean("make");
    make.current_dir(&folder.0).arg(format!("CC={} cc", env!("CARGO_BIN_EXE_orthant")));
    make.env("ORTHANT_PLUGIN", plugin()).env("ORTHANT_OPTS", "report=r.jsonl");
    for variable in ["MAKEFLAGS", "MFLAGS", "CFLAGS"] {
        make.env_remove(variable);
    }
    succeeds(&mut make);
    folder.assert_reported("r.jsonl");
}

/// A workspace with everything that can go wrong when flags reach host code: a dependency shared by the program
/// and its build script, a procedural macro, a documentation test.
fn rust_workspace() -> Folder {
    let manifest = |name: &str, rest: &str| {
        format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2021\"\n{rest}")
    };
    let app = manifest(
        "app",
        "[dependencies]\ndep = { path = \"../dep\" }\nmac = { path = \"../mac\" }\n[build-dependencies]\ndep = { path = \"../dep\" }\n",
    );
    let dep = format!(
        "/// ```\n/// let mut a = [1.0; 2];\n/// dep::kernel(&mut a, 3.0);\n/// assert_eq!(a, [3.0; 2]);\n/// ```\n#[inline(never)]\n{RUST}"
    );
    Folder::new(&[
        ("Cargo.toml", "[workspace]\nmembers = [\"app\", \"dep\", \"mac\"]\nresolver = \"2\"\n"),
        ("app/Cargo.toml", &app),
        (
            "app/build.rs",
            "fn main() { let mut a = [1.0; 4]; dep::kernel(&mut a, 2.0); println!(\"cargo:rustc-env=A={}\", a[0]); }",
        ),
        (
            "app/src/main.rs",
            "fn main() { let mut a = vec![mac::seven!() as f64; 9]; dep::kernel(&mut a, 2.0); println!(\"{} {}\", a[8], env!(\"A\")); }\n\
             #[test] fn it_runs() { main(); }\n",
        ),
        ("dep/Cargo.toml", &manifest("dep", "")),
        ("dep/src/lib.rs", &dep),
        ("mac/Cargo.toml", &manifest("mac", "[lib]\nproc-macro = true\n")),
        (
            "mac/src/lib.rs",
            "#[proc_macro] pub fn seven(_: proc_macro::TokenStream) -> proc_macro::TokenStream { \"7\".parse().unwrap() }",
        ),
    ])
}

fn cargo_orthant(folder: &Folder) -> Command {
    let mut command = clean(env!("CARGO_BIN_EXE_cargo-orthant"));
    command.current_dir(&folder.0).arg("orthant").env("ORTHANT_PLUGIN", plugin()).stdin(Stdio::null());
    // A flag of the user's, which must survive.
    command
        .env("CARGO_TARGET_DIR", folder.path("target"))
        .env("RUSTFLAGS", "--cfg users_own")
        .env("CARGO_NET_OFFLINE", "true");
    command
}

#[test]
fn cargo_builds_runs_and_tests_with_the_pass() {
    let folder = rust_workspace();
    let report = format!("-orthant-report={}", folder.path("r.jsonl").display());
    let ran = succeeds(cargo_orthant(&folder).args([&report, "run", "--release"]));
    assert_eq!(stdout(&ran), "14 2\n");
    folder.assert_reported("r.jsonl");
    // The second time there is nothing to do; another option compiles again.
    let again = stderr(&succeeds(cargo_orthant(&folder).args([&report, "build", "--release"])));
    assert!(!again.contains("Compiling"), "{again}");
    let other = stderr(&succeeds(cargo_orthant(&folder).args(["-orthant-budget=5", "build", "--release"])));
    assert!(other.contains("Compiling dep"), "{other}");
    assert_eq!(stdout(&succeeds(cargo_orthant(&folder).arg("run"))), "14 2\n");
    let tests = stdout(&succeeds(cargo_orthant(&folder).args(["test", "--release"])));
    assert!(
        tests.contains("it_runs ... ok") && tests.contains("src/lib.rs - kernel (line 1) ... ok"),
        "{tests}"
    );
}

#[test]
fn a_compile_error_in_a_crate_is_cargos() {
    let folder = rust_workspace();
    std::fs::write(folder.path("dep/src/lib.rs"), "pub fn kernel( {").unwrap();
    let output = cargo_orthant(&folder).args(["build", "--release"]).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    assert!(stderr(&output).contains("could not compile `dep`"));
}
