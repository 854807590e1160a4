//! The kernel suite is right, and the plugin changes no bit of it.
//!
//! Every kernel, at mini size, in all four shapes:
//! - by plain clang -O3 the four shapes have the same result, which is the one of the driver's own copy of the
//!   kernel, is confirmed by an independent computation where there is one, and has no value that is not an
//!   ordinary number;
//! - with the plugin every element of every array has the same bits as without: at -O3 in all shapes, early and late, at
//!   -O2 -march=native and with loops in threads in one shape of each kernel (they take turns, for the sake of time).
//!
//! `cargo test -p xtask --test kernels -- --ignored` compares more, for a quarter of an hour: sizes small and medium, -O2
//! and -O3, with and without -march=native, in new and in own order.

#[path = "../src/bench/suite_kernels.rs"]
#[allow(dead_code)] // the benchmark uses the rest
mod suite_kernels;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use suite_kernels::{HARNESS, Kernel, Line, Shape, Size};

/// How kernels are built.
#[derive(Clone, Copy)]
struct Config<'a> {
    /// Of the program.
    name: &'a str,
    size: &'static str,
    flags: &'a [&'a str],
    plugin: bool,
}

const PLAIN_O3: Config<'static> = Config { name: "plain-O3", size: "mini", flags: &["-O3"], plugin: false };
const PLUGIN_O3: Config<'static> = Config { name: "plugin-O3", size: "mini", flags: &["-O3"], plugin: true };
const LATE_O3: Config<'static> = Config {
    name: "late-O3",
    size: "mini",
    flags: &["-O3", "-mllvm", "-orthant-position=late"],
    plugin: true,
};
const PLAIN_O2: Config =
    Config { name: "plain-O2", size: "mini", flags: &["-O2", "-march=native"], plugin: false };
const PLUGIN_O2: Config =
    Config { name: "plugin-O2", size: "mini", flags: &["-O2", "-march=native"], plugin: true };

/// All kernels with the objects that do not depend on how a kernel is built.
struct Suite {
    dir: tempfile::TempDir,
    kernels: Vec<Kernel>,
    objects: Vec<PathBuf>,
}

fn suite() -> &'static Suite {
    static SUITE: OnceLock<Suite> = OnceLock::new();
    SUITE.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let folder = suite_kernels::folder(root);
        let kernels = suite_kernels::find(&folder).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let object = |name: &str| dir.path().join(format!("{name}.driver.o"));
        let drivers = kernels.iter().map(|k| suite_kernels::driver_command(k, "off", &object(&k.name)));
        let harness = HARNESS.into_iter().map(|s| suite_kernels::harness_command(&folder, s, &object(s)));
        in_parallel(drivers.chain(harness).collect());
        let names = kernels.iter().map(|kernel| kernel.name.as_str()).chain(HARNESS);
        let objects = names.map(object).collect();
        Suite { dir, kernels, objects }
    })
}

/// The plugin of the same build as this test.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let file = test.ancestors().nth(2).unwrap().join("liborthant.so");
    assert!(file.is_file(), "{} is missing: `cargo xtask test` builds it, or `cargo build`", file.display());
    file
}

/// Runs the commands two at a time; the first that fails fails the test.
fn in_parallel(commands: Vec<Command>) {
    let commands: Vec<_> = commands.into_iter().map(std::sync::Mutex::new).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(command) = commands.get(next.fetch_add(1, Ordering::Relaxed)) {
            successful(&mut command.lock().unwrap());
        }
    };
    std::thread::scope(|scope| {
        let other = scope.spawn(work);
        work();
        other.join().unwrap();
    });
}

fn successful(command: &mut Command) -> Output {
    // What the user's environment says to the plugin is not what is tested.
    // New loops are to run however small the problem.
    command.env("ORTHANT_OPTS", "least-length=0").env_remove("ORTHANT_CONFIG");
    let output = command.output().unwrap_or_else(|e| {
        panic!("cannot start {command:?}: {e}; `cargo xtask setup` installs what is needed")
    });
    let said = || String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{command:?} failed: {}\n{}", output.status, said());
    output
}

/// A program with these kernels in these shapes.
fn build(config: Config<'_>, cases: &[(&Kernel, Shape)]) -> PathBuf {
    let suite = suite();
    let object = |kernel: &Kernel, shape: Shape| {
        let name = format!("{}.{}.{}.{}.o", kernel.name, shape.name(), config.name, config.size);
        suite.dir.path().join(name)
    };
    let size = Size::Class(config.size);
    let compile = |(kernel, shape): &(&Kernel, Shape)| {
        let mut clang = Command::new("clang-22");
        clang.args(config.flags).args(["-ffp-contract=off", "-fno-math-errno"]);
        if config.plugin {
            clang.arg(format!("-fpass-plugin={}", plugin().display()));
        }
        clang.args(suite_kernels::kernel_arguments(kernel, *shape, &size, &object(kernel, *shape)));
        clang
    };
    in_parallel(cases.iter().map(compile).collect());
    let kernels = cases.iter().map(|(kernel, shape)| object(kernel, *shape));
    let objects: Vec<_> = suite.objects.iter().cloned().chain(kernels).collect();
    let program = suite.dir.path().join(format!("{}.{}", config.name, config.size));
    let uses_threads = config.flags.iter().any(|flag| flag.starts_with("-orthant-parallel"));
    let libraries = if uses_threads { vec!["-lgomp".to_owned()] } else { Vec::new() };
    successful(&mut suite_kernels::link_command(&objects, &libraries, &program));
    program
}

/// The plain -O3 build serves two tests.
fn plain_o3() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| build(PLAIN_O3, &all_shapes()))
}

fn all_shapes() -> Vec<(&'static Kernel, Shape)> {
    suite().kernels.iter().flat_map(|kernel| Shape::ALL.map(|shape| (kernel, shape))).collect()
}

/// One shape of each kernel, in turn.
fn some_shapes() -> Vec<(&'static Kernel, Shape)> {
    let shapes = Shape::ALL.into_iter().cycle();
    suite().kernels.iter().zip(shapes).collect()
}

#[test]
fn the_suite_has_the_whole_list_and_more() {
    let kernels = &suite().kernels;
    for name in suite_kernels::POLYBENCH {
        assert!(kernels.iter().any(|kernel| kernel.name == name), "{name}");
    }
    assert!(kernels.len() >= 44, "{}", kernels.len());
}

#[test]
fn all_shapes_of_a_kernel_compute_the_same_and_the_right_thing() {
    let output = Command::new(plain_o3()).args(["--verify", "--check"]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{printed}");
    let lines: Vec<_> = printed.lines().filter_map(Line::parse).collect();
    for kernel in &suite().kernels {
        let own: Vec<_> = lines.iter().filter(|line| line.symbol == kernel.symbol()).collect();
        let shapes: Vec<_> = own.iter().map(|line| line.shape.as_str()).collect();
        assert_eq!(shapes, ["const", "vla", "flat", "cpp"], "{}", kernel.name);
        assert!(own.iter().all(|line| line.checksum == own[0].checksum), "{own:?}");
        assert!(own.iter().all(|line| line.odd == 0), "{own:?}");
    }
    // Plain recurrences have no other definition than their text; all others are confirmed.
    let confirmed = printed.lines().filter(|line| line.starts_with("check ") && line.contains("error"));
    assert_eq!(confirmed.count(), 4 * 34, "{printed}");
}

#[test]
fn the_plugin_changes_no_bit() {
    compare(plain_o3(), &build(PLUGIN_O3, &all_shapes()), &all_shapes(), "mini");
    let some = some_shapes();
    compare(&build(PLAIN_O2, &some), &build(PLUGIN_O2, &some), &some, "mini");
}

/// Where scalars have to be taken out of the way first.
#[test]
fn the_plugin_changes_no_bit_at_the_late_position() {
    compare(plain_o3(), &build(LATE_O3, &all_shapes()), &all_shapes(), "mini");
}

/// Every loop that may run in threads does, however short it is; three threads share no loop evenly.
#[test]
fn threads_change_no_bit() {
    let always =
        ["-mllvm", "-orthant-parallel-always", "-mllvm", "-orthant-parallel", "-mllvm", "-orthant-threads=3"];
    let (early, mut late) = ([&["-O3"][..], &always].concat(), [&["-O3"][..], &always].concat());
    late.extend(["-mllvm", "-orthant-position=late"]);
    let some = some_shapes();
    for (name, flags) in [("threads-O3", &early), ("threads-late-O3", &late)] {
        let threads = build(Config { name, size: "mini", flags, plugin: true }, &some);
        compare(plain_o3(), &threads, &some, "mini");
    }
}

/// Where scalars have no free cell, they may become arrays. With `always`, whether that pays or not.
#[test]
fn scratch_memory_changes_no_bit() {
    const SIZE: &str = "medium";
    let named =
        |(kernel, _): &(&Kernel, Shape)| ["symm", "durbin", "deriche"].contains(&kernel.name.as_str());
    let is_c = |(_, shape): &(&Kernel, Shape)| matches!(shape, Shape::Const | Shape::Flat);
    let cases: Vec<_> = all_shapes().into_iter().filter(named).filter(is_c).collect();
    assert_eq!(cases.len(), 6);
    let flags = ["-O3"];
    let plain = build(Config { name: "plain-scratch", size: SIZE, flags: &flags, plugin: false }, &cases);
    for place in ["stack", "heap"] {
        for position in ["early", "late"] {
            for always in [false, true] {
                let options = [
                    format!("-orthant-expand={place}"),
                    format!("-orthant-position={position}"),
                    format!("-orthant-expand-always={always}"),
                ];
                let mut flags = flags.to_vec();
                options.iter().for_each(|option| flags.extend(["-mllvm", option]));
                let name = format!("{place}-{position}-{always}");
                let plugin = build(Config { name: &name, size: SIZE, flags: &flags, plugin: true }, &cases);
                compare(&plain, &plugin, &cases, SIZE);
            }
        }
    }
}

type Build = (&'static str, &'static [&'static str]);

/// For each level: without the plugin, with new orders, with the own order written anew.
const LEVELS: [[Build; 3]; 4] = [
    [
        ("plain-O2", &["-O2"]),
        ("new-O2", &["-O2"]),
        ("identity-O2", &["-O2", "-mllvm", "-orthant-schedule=identity"]),
    ],
    [
        ("plain-O3", &["-O3"]),
        ("new-O3", &["-O3"]),
        ("identity-O3", &["-O3", "-mllvm", "-orthant-schedule=identity"]),
    ],
    [
        ("plain-O2-native", &["-O2", "-march=native"]),
        ("new-O2-native", &["-O2", "-march=native"]),
        ("identity-O2-native", &["-O2", "-march=native", "-mllvm", "-orthant-schedule=identity"]),
    ],
    [
        ("plain-O3-native", &["-O3", "-march=native"]),
        ("new-O3-native", &["-O3", "-march=native"]),
        ("identity-O3-native", &["-O3", "-march=native", "-mllvm", "-orthant-schedule=identity"]),
    ],
];

#[test]
#[ignore = "takes a quarter of an hour"]
fn the_plugin_changes_no_bit_at_larger_sizes_and_other_levels() {
    let cases = all_shapes();
    for size in ["small", "medium"] {
        for [(name, flags), others @ ..] in LEVELS {
            let plain = build(Config { name, size, flags, plugin: false }, &cases);
            for (name, flags) in others {
                let plugin = build(Config { name, size, flags, plugin: true }, &cases);
                compare(&plain, &plugin, &cases, size);
                println!("{size} {name}: {} programs with the same bits", cases.len());
            }
        }
    }
}

fn compare(plain: &Path, plugin: &Path, cases: &[(&Kernel, Shape)], size: &str) {
    let wrong: Vec<_> = cases.iter().filter_map(|case| difference(plain, plugin, case, size)).collect();
    assert!(wrong.is_empty(), "the plugin changes results:\n{}", wrong.join("\n"));
}

/// What differs, in words. At mini size all elements are compared one by one, otherwise a checksum of their bits.
fn difference(plain: &Path, plugin: &Path, (kernel, shape): &(&Kernel, Shape), size: &str) -> Option<String> {
    let symbol = kernel.symbol();
    let dump = |program: &Path| {
        let mut command = Command::new(program);
        command.args(["--kernel", &symbol, "--shape", shape.name(), "--size", size]);
        command.args((size == "mini").then_some("--dump")).env("OMP_NUM_THREADS", "3");
        command.output().unwrap()
    };
    let (expected, got) = (dump(plain), dump(plugin));
    assert!(expected.status.success(), "{symbol}: {}", expected.status);
    let name = format!("{} {} ({})", kernel.name, shape.name(), plugin.display());
    if !got.status.success() {
        return Some(format!("{name}: the program ends with {}", got.status));
    }
    if expected.stdout == got.stdout {
        return None;
    }
    // The first line has the checksum; the elements follow, if they were asked for.
    let text = |output: &Output| String::from_utf8_lossy(&output.stdout).into_owned();
    let (expected, got) = (text(&expected), text(&got));
    let first = expected.lines().zip(got.lines()).skip(usize::from(size == "mini")).find(|(a, b)| a != b);
    Some(format!("{name}: first difference (expected, got): {first:?}"))
}

/// The arrays of more than one dimension that a kernel declares: name, and sizes as `[m][n + 1]` without the first.
fn declared_shapes(kernel: &Kernel) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(&kernel.file).unwrap();
    let arrays = ["MAT(", "TEN3(", "TEN4("].map(|kind| text.split(kind).skip(1));
    let array = |rest: &str| {
        let words: Vec<_> = rest.split(')').next().unwrap().split(',').map(str::trim).collect();
        let sizes = words[4..].iter().map(|size| format!("[{size}]"));
        (words[2].to_owned(), sizes.collect::<String>())
    };
    arrays.into_iter().flatten().map(array).collect()
}

/// The same, as the lift finds them in each model: `# shape A: double[][m], valid when ...`, with the conditions.
fn found_shapes(kernel: &Kernel, shape: Shape, position: &str) -> Vec<(String, String, String)> {
    let mut clang = Command::new("clang-22");
    clang.args(["-O3", "-g", "-fno-math-errno", "-mllvm", "-orthant-stop-after=lift"]);
    clang.args(["-mllvm", "-orthant-print-after=lift", "-mllvm", "-orthant-budget=0"]);
    clang.arg("-mllvm").arg(format!("-orthant-position={position}"));
    clang.arg(format!("-fpass-plugin={}", plugin().display()));
    clang.args(suite_kernels::kernel_arguments(kernel, shape, &Size::Class("mini"), Path::new("/dev/null")));
    let said = String::from_utf8(successful(&mut clang).stderr).unwrap();
    let declaration = |line: &str| {
        let (name, rest) = line.strip_prefix("# shape ")?.split_once(": ")?;
        let (declaration, condition) = rest.split_once(", valid when ").unwrap_or((rest, ""));
        let sizes = declaration.split_once("[]")?.1;
        Some((name.to_owned(), sizes.to_owned(), condition.to_owned()))
    };
    said.lines().filter_map(declaration).collect()
}

/// No bounds in the suite exceed their arrays. That sizes like `n + 1` are positive is not always known.
fn is_harmless(condition: &str) -> bool {
    condition.split(" and ").all(|part| part.is_empty() || part.ends_with(" >= 0"))
}

/// Paper 000's implementation has 27 of 29, as variable-length arrays; all but ludcmp and fdtd-apml.
#[test]
fn all_31_kernels_get_their_declared_shapes() {
    all_31_kernels_get_their_declared_shapes_at("early");
}

/// After the host's optimizations, which share products and join loops.
#[test]
fn all_31_kernels_get_their_declared_shapes_late() {
    all_31_kernels_get_their_declared_shapes_at("late");
}

fn all_31_kernels_get_their_declared_shapes_at(position: &str) {
    let is_meant = |kernel: &&Kernel| kernel.is_polybench() || kernel.name == "fdtd-apml";
    let kernels: Vec<_> = suite().kernels.iter().filter(is_meant).collect();
    assert_eq!(kernels.len(), 31);
    let (mut arrays, mut wrong) = (0, Vec::new());
    for kernel in kernels {
        for shape in [Shape::Vla, Shape::Flat] {
            let found = found_shapes(kernel, shape, position);
            for (name, sizes) in declared_shapes(kernel) {
                let mut models = found.iter().filter(|(other, ..)| *other == name).peekable();
                let is_right = models.peek().is_some()
                    && models.all(|(_, other, condition)| *other == sizes && is_harmless(condition));
                arrays += 1;
                if !is_right {
                    wrong.push(format!("{} {}: {name}{sizes}: {found:?}", kernel.name, shape.name()));
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "of {arrays} arrays");
    assert!(arrays > 100, "{arrays}");
}
