//! The kernel suite as files: which kernels there are, how one is compiled, what its program prints.
//!
//! A kernel is one C file of `bench/kernels`; `include/suite.h` there says how one text becomes the four
//! [`Shape`]s. Three kinds of objects make a program: the *kernel object* (the loops alone, what is measured and
//! compared), the *driver object* (data and a copy of the kernel, always by plain clang) and the harness.
//!
//! This module needs nothing but `std`: the tests of the suite include it by path.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The 30 algorithms of the PolyBench 4.2 list; the others are extra.
pub const POLYBENCH: [&str; 30] = [
    "2mm",
    "3mm",
    "adi",
    "atax",
    "bicg",
    "cholesky",
    "correlation",
    "covariance",
    "deriche",
    "doitgen",
    "durbin",
    "fdtd-2d",
    "floyd-warshall",
    "gemm",
    "gemver",
    "gesummv",
    "gramschmidt",
    "heat-3d",
    "jacobi-1d",
    "jacobi-2d",
    "lu",
    "ludcmp",
    "mvt",
    "nussinov",
    "seidel-2d",
    "symm",
    "syr2k",
    "syrk",
    "trisolv",
    "trmm",
];

/// One kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The file's name without `.c`: `fdtd-2d`.
    pub name: String,
    /// The file.
    pub file: PathBuf,
}

impl Kernel {
    /// The name in C and in the program's output: `fdtd_2d`, `k2mm`.
    pub fn symbol(&self) -> String {
        let name = self.name.replace('-', "_");
        if name.starts_with(|c: char| c.is_ascii_digit()) { format!("k{name}") } else { name }
    }

    /// The same computation tiled by hand, if there is such a text.
    pub fn tiled(&self) -> Option<Kernel> {
        let file = self.file.with_file_name("tiled").join(format!("{}.c", self.name));
        file.is_file().then(|| Kernel { name: self.name.clone(), file })
    }

    /// Whether it is one of the 30.
    pub fn is_polybench(&self) -> bool {
        POLYBENCH.contains(&self.name.as_str())
    }
}

/// How the loops are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `static double A[20][30];`
    Const,
    /// `double A[n][m]` as parameter
    Vla,
    /// `double *A`, `A[i * m + j]`
    Flat,
    /// `Matrix<double> &A`, `A(i, j)`
    Cpp,
}

impl Shape {
    /// All four.
    pub const ALL: [Shape; 4] = [Shape::Const, Shape::Vla, Shape::Flat, Shape::Cpp];

    /// What `-DSHAPE=` and the program's `--shape` call it.
    pub fn name(self) -> &'static str {
        match self {
            Shape::Const => "const",
            Shape::Vla => "vla",
            Shape::Flat => "flat",
            Shape::Cpp => "cpp",
        }
    }

    /// The one with this name.
    pub fn named(name: &str) -> Option<Shape> {
        Shape::ALL.into_iter().find(|shape| shape.name() == name)
    }
}

/// How large the problem is: a class, or n in all dimensions that can take it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Size {
    /// mini, small, medium, large or xlarge
    Class(&'static str),
    /// A number.
    Any(u32),
}

impl Size {
    /// The classes.
    pub const CLASSES: [&str; 5] = ["mini", "small", "medium", "large", "xlarge"];

    /// Reads a class, or a number from 3 to 100000.
    pub fn parse(text: &str) -> Result<Size, String> {
        let text = if text == "extra-large" { "xlarge" } else { text };
        let class = Size::CLASSES.into_iter().find(|class| *class == text).map(Size::Class);
        let number = || text.parse().ok().filter(|n| (3..=100_000).contains(n)).map(Size::Any);
        let classes = Size::CLASSES.join(", ");
        class
            .or_else(number)
            .ok_or(format!("{text} is no size: choose {classes}, or a number from 3 to 100000"))
    }

    fn defines(&self) -> Vec<OsString> {
        match self {
            Size::Class(class) => vec![format!("-DSIZE={class}").into()],
            Size::Any(n) => vec!["-DSIZE=any".into(), format!("-DANY={n}").into()],
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Class(class) => f.write_str(class),
            Size::Any(n) => write!(f, "{n}"),
        }
    }
}

/// The folder of the suite in a checkout.
pub fn folder(root: &Path) -> PathBuf {
    root.join("bench").join("kernels")
}

/// All kernels, by name.
pub fn find(folder: &Path) -> Result<Vec<Kernel>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut kernels: Vec<Kernel> = files
        .filter(|file| file.extension().is_some_and(|extension| extension == "c"))
        .filter_map(|file| Some(Kernel { name: file.file_stem()?.to_str()?.to_owned(), file }))
        .collect();
    kernels.sort_by(|a, b| a.name.cmp(&b.name));
    match kernels.is_empty() {
        true => Err(format!("{} has no kernels", folder.display())),
        false => Ok(kernels),
    }
}

/// Arguments that compile a kernel in a shape; the compiler and its flags come before.
pub fn kernel_arguments(kernel: &Kernel, shape: Shape, size: &Size, object: &Path) -> Vec<OsString> {
    let language: [&str; 3] = match shape {
        Shape::Cpp => ["-x", "c++", "-std=c++17"],
        _ => ["-x", "c", "-std=c11"],
    };
    let mut arguments: Vec<OsString> = vec![format!("-DSHAPE={}", shape.name()).into()];
    arguments.extend(size.defines());
    arguments.extend(language.map(OsString::from));
    arguments.extend(["-c".into(), "-o".into(), object.into(), kernel.file.clone().into()]);
    arguments
}

/// Compiles a kernel's driver. `contract` is as for the kernel.
pub fn driver_command(kernel: &Kernel, contract: &str, object: &Path) -> Command {
    let mut clang = Command::new("clang-22");
    clang.args(["-x", "c++", "-std=c++17", "-O1", "-DDRIVER"]).arg(format!("-ffp-contract={contract}"));
    clang.arg("-c").arg("-o").arg(object).arg(&kernel.file);
    clang
}

/// The harness's two sources.
pub const HARNESS: [&str; 2] = ["harness", "check"];

/// Compiles a source of the harness.
pub fn harness_command(folder: &Path, source: &str, object: &Path) -> Command {
    let mut clang = Command::new("clang-22");
    clang.args(["-x", "c++", "-std=c++17", "-O1", "-c", "-o"]).arg(object);
    clang.arg(folder.join(format!("{source}.cpp")));
    clang
}

/// Assembles what stands before a kernel's code.
pub fn filling_command(source: &Path, object: &Path) -> Command {
    let mut clang = Command::new("clang-22");
    clang.arg("-c").arg(source).arg("-o").arg(object);
    clang
}

/// Links objects of kernels, drivers and harness to a program.
pub fn link_command(objects: &[PathBuf], flags: &[String], program: &Path) -> Command {
    let mut clang = Command::new("clang++-22");
    clang.args(objects).args(flags).arg("-lm").arg("-o").arg(program);
    clang
}

/// What the program prints of one kernel in one shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The kernel's symbol.
    pub symbol: String,
    /// The shape's name.
    pub shape: String,
    /// Hash of the bits of all arrays.
    pub checksum: String,
    /// How many values are infinite, not a number or subnormal.
    pub odd: u64,
    /// Median seconds of wall and processor time, if it was asked to measure.
    pub seconds: Option<(f64, f64)>,
}

impl Line {
    /// Reads `gemm flat ni=20 ... [wall S cpu S runs N] odd N checksum HEX`; other lines are `None`.
    pub fn parse(line: &str) -> Option<Line> {
        let words: Vec<_> = line.split(' ').collect();
        let after = |key: &str| words.iter().position(|w| *w == key).and_then(|at| words.get(at + 1));
        let number = |key: &str| after(key).and_then(|w| w.parse::<f64>().ok());
        Some(Line {
            checksum: (*after("checksum")?).to_owned(),
            odd: after("odd")?.parse().ok()?,
            symbol: (*words.first()?).to_owned(),
            shape: (*words.get(1)?).to_owned(),
            seconds: number("wall").zip(number("cpu")),
        })
    }
}
