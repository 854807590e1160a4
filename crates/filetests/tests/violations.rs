//! Programs that violate what was assumed about them (`assume/*.c`, one for each kind of assumption, and one for each of the other
//! languages): the new loops must give way to the original.
//!
//! Each program is compiled twice, without and with Orthant, and calls both versions of its kernels with all small
//! parameters (`assume/harness.h`). The order of the new loops is the most different one that is legal under the
//! assumptions: every loop backwards (`order: reversed`), so that a check that lets too much through changes results. The
//! original is compiled under `-fsanitize=undefined` as well, so that what is compared is defined. Which kernels must have
//! new loops stands in the program.
//!
//! Kernels of Fortran and Rust are in a file beside the program. Their two versions get their names afterwards, in the object file.

use filetests::Toolchain;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program and how it is to be compiled.
struct Program {
    file: PathBuf,
    text: String,
    folder: tempfile::TempDir,
    toolchain: Toolchain,
}

impl Program {
    #[track_caller]
    fn new(name: &str) -> Program {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/assume").join(name);
        let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
        Program { file, text, folder: tempfile::tempdir().unwrap(), toolchain }
    }

    /// The file with kernels in another language.
    fn foreign(&self) -> Option<PathBuf> {
        let beside = ["f90", "rs"].map(|language| self.file.with_extension(language));
        beside.into_iter().find(|file| file.is_file())
    }

    /// The symbol of a kernel in reports.
    fn symbol(&self, kernel: &str) -> String {
        if self.foreign().is_some() { kernel.to_owned() } else { format!("optimized{kernel}") }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// The words behind `// key:` in the program.
    fn words(&self, key: &str) -> Vec<&str> {
        let line = self.text.lines().find_map(|line| line.strip_prefix(&format!("// {key}: ")));
        line.map(|words| words.split_whitespace().collect()).unwrap_or_default()
    }

    /// Runs one of LLVM's programs.
    #[track_caller]
    fn llvm(&self, tool: &str, args: &[&str], options: &str) {
        let mut command =
            Command::new(self.toolchain.llvm(tool).unwrap_or_else(|message| panic!("{message}")));
        command
            .args(args)
            .env_remove("ORTHANT_CONFIG")
            .env("ORTHANT_OPTS", format!("least-length=0 {options}"));
        run_to_end(&mut command);
    }

    #[track_caller]
    fn clang(&self, args: &[&str], options: &str) {
        let flags = self.words("flags");
        self.llvm("clang++", &[&["-w", "-g", "-Wno-deprecated"], &flags[..], args].concat(), options);
    }

    /// Compiles one version of the kernels, or what calls them.
    fn compile(&self, defines: &[&str], args: &[&str], to: &str, options: &str) {
        let (file, to) = (self.file.display().to_string(), self.path(to));
        let language = if file.ends_with(".c") { "c" } else { "c++" };
        self.clang(&[defines, args, &["-c", "-x", language, &file, "-o", &to]].concat(), options);
    }

    /// Compiles one version of the kernels.
    fn kernels(&self, version: &str, args: &[&str], to: &str, options: &str) {
        let Some(file) = self.foreign() else {
            let version = format!("-DVERSION={version}");
            return self.compile(&["-DKERNELS", &version], args, to, options);
        };
        let (path, file) = (self.path(to), file.display().to_string());
        if file.ends_with(".rs") {
            let bitcode = self.path("kernels.bc");
            let mut rustc = self.toolchain.tool("rustc").unwrap_or_else(|message| panic!("{message}"));
            // The passes are clang's, with the plugin among them.
            rustc.args([
                "--crate-type=lib",
                "--edition=2024",
                "-g",
                "-O",
                "-Cno-prepopulate-passes",
                "-Cpanic=abort",
            ]);
            run_to_end(rustc.args(["--emit=llvm-bc", "-o", &bitcode, &file]));
            self.clang(&[args, &["-c", "-x", "ir", &bitcode, "-o", &path]].concat(), options);
        } else {
            self.llvm("flang", &[args, &["-g", "-c", &file, "-o", &path]].concat(), options);
        }
        let names =
            self.words("kernels").into_iter().map(|name| format!("--redefine-sym={name}={version}{name}"));
        let names: Vec<_> = names.collect();
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        self.llvm("llvm-objcopy", &[&names[..], &[&path]].concat(), "");
    }

    fn original(&self, args: &[&str]) {
        self.kernels("original", &[&["-O1"], args].concat(), "original.o", "enable=false");
        self.compile(&["-DMAIN", "-O1"], args, "main.o", "enable=false");
    }

    /// In the program's own order; then, if the program says so, with all loops backwards.
    fn optimized(&self, options: &str) {
        let plugin = format!("-fpass-plugin={}", self.toolchain.plugin().display());
        let args = ["-O2", &plugin];
        let orders = self.path("orders");
        let first = format!("{options} schedule=identity schedule-out={orders}");
        self.kernels("optimized", &args, "optimized.o", &first);
        let files = fs::read_dir(&orders).unwrap().map(|entry| entry.unwrap().path());
        if self.text.contains("order: reversed") {
            files.for_each(|file| reverse(&file));
        }
        let second = format!(
            "{options} schedule=identity schedule-in={orders} report={report}",
            report = self.path("report")
        );
        self.kernels("optimized", &args, "optimized.o", &second);
    }

    /// Which kernels have new loops, if that is to be known.
    #[track_caller]
    fn has_new_loops(&self) {
        let report = fs::read_to_string(self.path("report")).unwrap();
        for kernel in self.words("new loops") {
            let is_new = |line: &&str| {
                line.contains(&format!("\"symbol\":\"{}\"", self.symbol(kernel)))
                    && line.contains("\"outcome\":\"optimized\"")
            };
            assert!(report.lines().any(|line| is_new(&line)), "{kernel} has no new loops: {report}");
        }
    }

    /// The checks of these kernels hold in some runs and fail in others, so that both versions are tested.
    #[track_caller]
    fn both_versions_run(&self) {
        let counts = fs::read_to_string(self.path("counts")).unwrap();
        for kernel in self.words("new loops") {
            let own = |line: &&str| line.contains(&format!("\"symbol\":\"{}\"", self.symbol(kernel)));
            let number = |line: &str, key: &str| -> Option<u64> {
                let rest = line.rsplit_once(&format!("\"{key}\":"))?.1;
                rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
            };
            let line = counts.lines().find(own).unwrap_or_else(|| panic!("{kernel} was not counted"));
            let (runs, held) = (number(line, "runs").unwrap(), number(line, "held").unwrap());
            let may_always_hold = !self.words("held").is_empty();
            assert!(
                0 < held && (held < runs || may_always_hold),
                "the check of {kernel} held {held} times of {runs}"
            );
        }
    }

    #[track_caller]
    fn run(&self, program: &str) {
        let mut command = Command::new(self.path(program));
        let output = command.env("ORTHANT_COUNTS", self.path("counts")).output().unwrap();
        let (said, errors) = (output.stdout, output.stderr);
        let said = String::from_utf8_lossy(&said).into_owned() + &String::from_utf8_lossy(&errors);
        assert!(output.status.success() && said.contains("wrong 0"), "{program} {}: {said}", output.status);
    }

    #[track_caller]
    fn link(&self, objects: [&str; 3], args: &[&str], to: &str) {
        let objects = objects.map(|object| self.path(object));
        let objects = objects.each_ref().map(String::as_str);
        let to = self.path(to);
        match self.foreign().and_then(|file| file.extension().map(|language| language.to_owned())) {
            Some(language) if language == "f90" => {
                self.llvm("flang", &[&objects[..], &["-o", &to]].concat(), "enable=false");
            }
            Some(_) => {
                // Both versions of the kernels have a handler of panics.
                let core = self.core_of_rust();
                let more = [&core, "-Wl,--allow-multiple-definition", "-o", &to];
                self.clang(&[&objects[..], args, &more].concat(), "enable=false");
            }
            None => self.clang(&[&objects[..], args, &["-o", &to]].concat(), "enable=false"),
        }
    }

    /// Rust's library without a system.
    fn core_of_rust(&self) -> String {
        let mut rustc = self.toolchain.tool("rustc").unwrap_or_else(|message| panic!("{message}"));
        let output = rustc.args(["--print", "target-libdir"]).output().unwrap();
        let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let is_core = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("libcore-"))
        };
        let core = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(is_core);
        core.unwrap().display().to_string()
    }
}

impl Program {
    /// The last line about a kernel in a file of lines of JSON.
    #[track_caller]
    fn line_of(&self, file: &str, kernel: &str) -> String {
        let symbol = format!("\"symbol\":\"{}\"", self.symbol(kernel));
        let text = fs::read_to_string(self.path(file)).unwrap();
        let line = text.lines().rfind(|line| line.contains(&symbol)).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{kernel} is not in {text}"))
    }
}

/// Runs a program that must succeed.
#[track_caller]
fn run_to_end(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?}: {said}");
}

/// Every loop of an order backwards: `S0[i0, i1] -> [(i0)]` becomes `S0[i0, i1] -> [(-(i0))]`.
fn reverse(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    let mut parts = text.split("[(");
    let mut reversed = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        reversed += "[(-(";
        reversed += &part.replacen(")]", "))]", 1);
    }
    fs::write(file, reversed).unwrap();
}

/// The original of a program is defined.
#[track_caller]
fn is_defined(program: &Program) {
    if program.foreign().is_some() {
        return; // there is no such sanitizer for them
    }
    let unused = program.words("undefined").into_iter().map(|name| format!("-fno-sanitize={name}"));
    let flags = ["-fsanitize=undefined".to_owned(), "-fno-sanitize-recover=all".to_owned()];
    let flags: Vec<_> = flags.into_iter().chain(unused).collect();
    let flags: Vec<_> = flags.iter().map(String::as_str).collect();
    program.original(&flags);
    // The other version is the original too.
    program.kernels("optimized", &[&["-O1"], &flags[..]].concat(), "other.o", "enable=false");
    program.link(["original.o", "other.o", "main.o"], &flags, "sane");
    program.run("sane");
}

#[track_caller]
fn gives_way(name: &str) {
    let program = Program::new(name);
    is_defined(&program);
    program.original(&[]);
    let position = if program.words("position") == ["late"] { "position=late" } else { "position=early" };
    let counting = format!("{position} count-checks");
    for options in ["position=early", "position=late", &counting] {
        program.optimized(options);
        if options == position {
            program.has_new_loops();
        }
        program.link(["original.o", "optimized.o", "main.o"], &[], "both");
        program.run("both");
    }
    program.both_versions_run();
}

/// Each version of loops with tiers runs, and gives the original's results: the last conditions are those that only the
/// fastest loops need.
#[track_caller]
fn all_versions_run(program: &Program, kernel: &str) {
    let line = |file: &str| program.line_of(file, kernel);
    let numbers = |line: &str, key: &str| -> Vec<u64> {
        let key = format!("\"{key}\":");
        let after = line.split(&key).skip(1);
        after.map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()).collect()
    };
    let strong = line("report").matches("\"is_strong\":true").count();
    let counts = line("counts");
    let (runs, held) = (numbers(&counts, "runs")[0], numbers(&counts, "held"));
    assert!(0 < strong && strong < held.len(), "{kernel} has no tiers: {counts}");
    let (fast, enough) = (held[held.len() - 1], held[held.len() - 1 - strong]);
    assert!(0 < fast && fast < enough && enough < runs, "{kernel}: a version never runs: {counts}");
}

/// In the order that the scheduler finds, and with the odds that were counted.
#[test]
fn arrays_that_overlap_beside_others() {
    let program = Program::new("tiers.c");
    is_defined(&program);
    program.original(&[]);
    let plugin = format!("-fpass-plugin={}", program.toolchain.plugin().display());
    let report = format!("count-checks report={}", program.path("report"));
    let counted = format!("{report} use-counts={}", program.path("counts"));
    let is_tiered = |kernel: &str| program.line_of("report", kernel).contains("\"is_strong\":true");
    for options in ["", "tiers=always", "position=late", &report, &counted] {
        program.kernels("optimized", &["-O2", &plugin], "optimized.o", options);
        assert!(*options != report || !is_tiered("mirrored"), "nobody has counted yet");
        program.link(["original.o", "optimized.o", "main.o"], &[], "both");
        program.run("both");
    }
    let small = program.line_of("report", "small");
    assert!(small.contains("\"outcome\":\"optimized\"") && !small.contains("a_0 and b_1 do not overlap"));
    ["scaled", "kept", "mirrored"].into_iter().for_each(|kernel| all_versions_run(&program, kernel));
}

/// In the order that the scheduler finds, which is their own.
#[test]
fn arrays_that_overlap_in_the_own_order() {
    let program = Program::new("own.c");
    is_defined(&program);
    program.original(&[]);
    let plugin = format!("-fpass-plugin={}", program.toolchain.plugin().display());
    let counting = format!("count-checks report={}", program.path("report"));
    for options in ["", "position=late", &counting] {
        program.kernels("optimized", &["-O2", &plugin], "optimized.o", options);
        program.link(["original.o", "optimized.o", "main.o"], &[], "both");
        program.run("both");
    }
    program.has_new_loops();
    program.both_versions_run();
}

#[test]
fn arrays_that_overlap() {
    gives_way("overlap.c");
}

#[test]
fn numbers_that_wrap() {
    gives_way("wrap.c");
}

#[test]
fn loops_that_go_round_the_end_of_their_type() {
    gives_way("bounded.c");
}

#[test]
fn columns_beyond_the_row() {
    gives_way("in-bounds.c");
}

#[test]
fn bounds_that_the_loop_overwrites() {
    gives_way("invariant.c");
}

#[test]
fn arrays_inside_a_variable() {
    gives_way("extent.c");
}

#[test]
fn headers_and_exceptions_of_cpp() {
    gives_way("iterators.cpp");
}

#[test]
fn pointers_of_fortran() {
    gives_way("pointers.c");
}

#[test]
fn slices_of_rust() {
    gives_way("slices.c");
}

#[test]
fn errors_that_happen() {
    gives_way("errors.c");
}

#[test]
fn rows_longer_than_memory() {
    gives_way("moderate.c");
}

#[test]
fn memory_that_must_not_be_touched() {
    gives_way("guards.c");
}
