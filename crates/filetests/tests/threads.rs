//! Programs with loops in threads compute the same bits as without, in any number of threads, at any size, with gcc's runtime and
//! with LLVM's, from threads that the program has itself, and from parallel regions of OpenMP.

use filetests::Toolchain;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A runtime of OpenMP: its name, the compiler for what calls the kernels, and how to link.
const RUNTIMES: [(&str, &str, &[&str]); 2] =
    [("libgomp", "gcc", &["-fopenmp"]), ("libomp", "clang", &["-fopenmp=libomp"])];

struct Folder {
    dir: tempfile::TempDir,
    toolchain: Toolchain,
}

impl Folder {
    fn new() -> Folder {
        let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
        Folder { dir: tempfile::tempdir().unwrap(), toolchain }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn clang(&self) -> Command {
        Command::new(self.toolchain.llvm("clang").unwrap_or_else(|message| panic!("{message}")))
    }

    /// Compiles the kernels with these options of Orthant.
    fn kernels(&self, options: Option<&str>) -> PathBuf {
        let (object, mut clang) = self.compilation(options);
        successful(&mut clang);
        object
    }

    fn compilation(&self, options: Option<&str>) -> (PathBuf, Command) {
        let object = self.path("kernels.o");
        let mut clang = self.clang();
        clang.args(["-O3", "-ffp-contract=off", "-c", "-o"]).arg(&object).arg(source("kernels.c"));
        if let Some(options) = options {
            clang.arg(format!("-fpass-plugin={}", self.toolchain.plugin().display()));
            clang.env("ORTHANT_OPTS", format!("least-length=0 {options}"));
        }
        clang.env_remove("ORTHANT_CONFIG");
        (object, clang)
    }

    /// What the program prints.
    fn output(&self, kernels: &Path, (_, compiler, flags): (&str, &str, &[&str]), threads: u32) -> String {
        let (main, program) = (self.path("main.o"), self.path("program"));
        let compiler = || if compiler == "clang" { self.clang() } else { Command::new(compiler) };
        successful(compiler().args(flags).args(["-O1", "-c", "-o"]).arg(&main).arg(source("main.c")));
        successful(compiler().args([&main, kernels]).arg("-o").arg(&program).args(flags).arg("-lpthread"));
        successful(Command::new(&program).env("OMP_NUM_THREADS", threads.to_string()))
    }
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/threads").join(name)
}

#[track_caller]
fn successful(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot start {command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{said}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[track_caller]
fn same_bits(options: &str, counts: &[u32]) {
    let folder = Folder::new();
    let expected = folder.output(&folder.kernels(None), RUNTIMES[0], 1);
    assert!(!expected.contains("different") && expected.lines().count() > 70, "{expected}");
    let kernels = folder.kernels(Some(options));
    for runtime in RUNTIMES {
        for threads in counts {
            let got = folder.output(&kernels, runtime, *threads);
            assert_eq!(expected, got, "{options}, {} with {threads} threads", runtime.0);
        }
    }
}

#[test]
fn any_number_of_threads() {
    same_bits("parallel parallel-always threads=3", &[1, 2, 3, 7]);
}

/// Tiles of a few cells, whose sides are everywhere.
#[test]
fn in_small_tiles() {
    same_bits("parallel parallel-always threads=5 tiles=3,9,16 least-gain=0", &[3]);
}

/// The stencils have diamonds, with tiles that the prediction chooses and with others.
#[test]
fn stencils_have_diamonds() {
    for (options, size) in [("threads=2", ""), ("threads=5 tiles=3,9,16 least-gain=0", "9 x 9")] {
        let folder = Folder::new();
        let (_, mut clang) = folder.compilation(Some(&format!("parallel parallel-always {options}")));
        let said = clang.arg("-Rpass=orthant").output().unwrap().stderr;
        let count = String::from_utf8_lossy(&said).matches(&format!("diamond tiles {size}")).count();
        assert!(count >= 5, "{options}: {count}\n{}", String::from_utf8_lossy(&said));
    }
}

/// Nests go through batches of rows, of which there are many where the second cache is small.
#[test]
fn in_batches() {
    let options = "parallel parallel-always threads=3 l2-bytes=128K";
    let folder = Folder::new();
    let (_, mut clang) = folder.compilation(Some(options));
    let said = String::from_utf8(clang.arg("-Rpass=orthant").output().unwrap().stderr).unwrap();
    assert_eq!(said.matches("2 nests in turn for each 24 rows").count(), 2, "{said}");
    same_bits(options, &[1, 2, 3]);
}

/// A matrix is changed in strips of columns, some steps at a time.
#[test]
fn in_strips_of_columns() {
    for options in ["threads=2", "threads=3 position=late"] {
        let options = format!("parallel parallel-always {options}");
        let folder = Folder::new();
        let (_, mut clang) = folder.compilation(Some(&options));
        let said = String::from_utf8(clang.arg("-Rpass=orthant").output().unwrap().stderr).unwrap();
        assert!(said.contains("16 iterations of the loop around at a time"), "{said}");
        same_bits(&options, &[1, 2, 3, 7]);
    }
}

#[test]
fn at_the_late_position() {
    same_bits("parallel parallel-always threads=2 position=late", &[1, 3]);
}

#[test]
fn in_the_own_order() {
    same_bits("parallel parallel-always threads=2 schedule=identity", &[2, 7]);
}

/// Small loops stay in the thread that they are in.
#[test]
fn where_it_is_worth_it() {
    same_bits("parallel threads=2", &[1, 2, 3]);
}
