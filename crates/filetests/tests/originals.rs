//! A function that is all about one nest keeps, where there is little to do, the code that it has without the plugin: the function
//! `NAME.orthant.original` is what `clang -O3` makes of `NAME`, instruction by instruction (`shim/divide.cpp`).

use filetests::Toolchain;
use std::path::Path;
use std::process::Command;

/// Kernels with one statement and with many, with scalars, conditions and loops in sequence.
const KERNELS: [&str; 6] = ["cholesky", "covariance", "gemm", "jacobi-2d", "mvt", "trisolv"];

fn assembly(toolchain: &Toolchain, kernel: &str, with_plugin: bool) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/kernels");
    let mut command = Command::new(toolchain.llvm("clang").unwrap_or_else(|message| panic!("{message}")));
    command
        .args(["-O3", "-w", "-mavx2", "-fno-math-errno", "-DSHAPE=vla", "-S", "-o", "-"])
        .arg(folder.join(format!("{kernel}.c")));
    if with_plugin {
        command.arg(format!("-fpass-plugin={}", toolchain.plugin().display()));
    }
    let output = command.env_remove("ORTHANT_OPTS").env_remove("ORTHANT_CONFIG").output().unwrap();
    assert!(output.status.success(), "{kernel}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The instructions and labels of a function; labels have numbers of the file, which are left out.
fn instructions(assembly: &str, function: &str) -> Vec<String> {
    let start = format!("{function}:");
    let body = assembly.lines().skip_while(|line| line.split_whitespace().next() != Some(&start)).skip(1);
    body.take_while(|line| !line.starts_with(".Lfunc_end")).filter_map(instruction).collect()
}

fn instruction(line: &str) -> Option<String> {
    let code = line.split('#').next()?.trim();
    let is_directive = code.starts_with('.') && !code.ends_with(':');
    (!code.is_empty() && !is_directive).then(|| without_numbers_of_functions(code))
}

/// `.LBB3_7` is block 7 of function 3, `.LCPI3_0` its first constant.
fn without_numbers_of_functions(code: &str) -> String {
    let mut parts = code.split(".L");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (kind, rest) = part.split_once('_').unwrap_or((part, ""));
        text += &format!(".L{}_{rest}", kind.trim_end_matches(|c: char| c.is_ascii_digit()));
    }
    text
}

#[test]
fn originals_are_what_the_host_makes() {
    let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
    for kernel in KERNELS {
        let name = format!("{}_vla", kernel.replace('-', "_"));
        let without = instructions(&assembly(&toolchain, kernel, false), &name);
        let with = instructions(&assembly(&toolchain, kernel, true), &format!("{name}.orthant.original"));
        assert!(without.len() > 20, "{kernel} has {} instructions", without.len());
        assert_eq!(without, with, "{kernel}");
    }
}
