//! `cargo xtask setup`: the programs and libraries from outside that building and testing need.
//!
//! [`REQUIREMENTS`] is the one list. A requirement is met by Debian's package in a sufficient version
//! (one `dpkg-query`, nothing else, when all are there) or, on any other system, by the thing itself: the
//! program answers with a sufficient version, the header or library lies where LLVM says its own are.
//! Only what is missing is installed, with `apt-get`, as root or through sudo; before that, the packages
//! are named with the reason for each. Where that cannot be done the list is the answer, with exit code 2.

use crate::{Failure, Outcome, command};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A version's leading numbers.
type Version = Vec<u32>;

/// How to see whether a thing is there without asking a package manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Probe {
    /// The program runs and prints a sufficient version.
    Program(&'static str),
    /// The file lies in LLVM's header folder.
    Header(&'static str),
    /// The file lies in LLVM's library folder.
    Library(&'static str),
    /// The C++ compiler finds the header.
    SystemHeader(&'static str),
}

/// One thing that must be there.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// Debian's package.
    pub package: &'static str,
    /// The least version, as its leading numbers.
    least: &'static [u32],
    /// What it is for.
    pub why: &'static str,
    probe: Probe,
}

const LLVM: &[u32] = &[22, 1];

/// Everything that building and testing need beyond rustup's toolchain and git.
pub const REQUIREMENTS: &[Requirement] = &[
    Requirement {
        package: "g++",
        least: &[10],
        why: "compiles the C++ shim over LLVM and links the Rust programs",
        probe: Probe::Program("g++"),
    },
    Requirement {
        package: "clang-22",
        least: LLVM,
        why: "the C and C++ compiler that the plugin is loaded into",
        probe: Probe::Program("clang-22"),
    },
    Requirement {
        package: "flang-22",
        least: LLVM,
        why: "the Fortran compiler that the plugin is loaded into",
        probe: Probe::Program("flang-22"),
    },
    Requirement {
        package: "llvm-22-dev",
        least: LLVM,
        why: "LLVM's headers, shared library and llvm-config, which the shim is built against; opt and llc",
        probe: Probe::Header("llvm/Plugins/PassPlugin.h"),
    },
    Requirement {
        package: "llvm-22-tools",
        least: LLVM,
        why: "FileCheck, which the file tests use",
        probe: Probe::Program("FileCheck-22"),
    },
    Requirement {
        package: "libpolly-22-dev",
        least: LLVM,
        why: "isl, the integer set library (libPollyISL.a and its headers)",
        probe: Probe::Library("libPollyISL.a"),
    },
    Requirement {
        package: "libclang-rt-22-dev",
        least: LLVM,
        why: "clang's sanitizers, which check that random test programs are well defined",
        probe: Probe::Library("clang/22/lib/linux/libclang_rt.asan-preinit-x86_64.a"),
    },
    Requirement {
        package: "lld-22",
        least: LLVM,
        why: "the linker that can load the plugin: link-time optimization and `cargo orthant`",
        probe: Probe::Program("ld.lld-22"),
    },
    Requirement {
        package: "libomp-22-dev",
        least: LLVM,
        why: "LLVM's runtime of OpenMP: one of the two that loops in threads are tested with; gcc's comes with g++",
        probe: Probe::Library("libomp.so"),
    },
    Requirement {
        package: "valgrind",
        least: &[3, 19],
        why: "the leak check of the isl bindings",
        probe: Probe::Program("valgrind"),
    },
    Requirement {
        package: "qemu-user",
        least: &[7, 2],
        why: "runs the programs that `orthant profile` observes",
        probe: Probe::Program("qemu-x86_64"),
    },
    Requirement {
        package: "chromium-headless-shell",
        least: &[100],
        why: "the browser in which the HTML report is tested",
        probe: Probe::Program("chromium-headless-shell"),
    },
    Requirement {
        package: "libboost-dev",
        least: &[1, 74],
        why: "uBLAS, whose matrices a test of shapes compiles",
        probe: Probe::SystemHeader("boost/version.hpp"),
    },
    Requirement {
        package: "make",
        least: &[4],
        why: "the test of `orthant cc` as make's compiler",
        probe: Probe::Program("make"),
    },
];

/// `setup`, for the other tasks: quiet when there is nothing to do.
pub fn ensure() -> Outcome {
    let missing = missing(REQUIREMENTS);
    if missing.is_empty() { Ok(()) } else { install(&missing) }
}

/// `cargo xtask setup [--check]`
pub fn run(check: bool) -> Outcome {
    let missing = missing(REQUIREMENTS);
    if missing.is_empty() {
        println!("setup: everything is there ({} requirements, nothing to install)", REQUIREMENTS.len());
    }
    match (missing.is_empty(), check) {
        (true, true) => Ok(()),
        (true, false) => fetch(),
        (false, true) => Err(Failure::Missing(format!("not set up:\n{}", list(&missing)))),
        (false, false) => install(&missing).and_then(|()| fetch()),
    }
}

/// The crates that tests compile: later they need no network.
fn fetch() -> Outcome {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shapes/inputs/ndarray/Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    command::run(Command::new(cargo).args(["fetch", "--quiet", "--locked", "--manifest-path"]).arg(input))
}

/// Installs packages that are not in the list but that one task needs.
pub fn ensure_packages(packages: &[&str], why: &str) -> Outcome {
    let installed = installed(packages);
    let absent: Vec<_> = packages.iter().copied().filter(|p| !installed.contains_key(*p)).collect();
    if absent.is_empty() {
        return Ok(());
    }
    println!("setup: {why}: {}", absent.join(" "));
    apt_install(&absent)
}

fn missing(requirements: &[Requirement]) -> Vec<Requirement> {
    let names: Vec<_> = requirements.iter().map(|r| r.package).collect();
    let installed = installed(&names);
    let packaged = |r: &Requirement| installed.get(r.package).is_some_and(|v| sufficient(v, r.least));
    requirements.iter().filter(|r| !packaged(r) && !present(r)).copied().collect()
}

fn list(missing: &[Requirement]) -> String {
    let line = |r: &Requirement| {
        let version = r.least.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
        format!("  {:<20} >= {version:<6} {}", r.package, r.why)
    };
    missing.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn install(missing: &[Requirement]) -> Outcome {
    let packages: Vec<_> = missing.iter().map(|r| r.package).collect();
    if !on_path("apt-get") {
        return Err(Failure::Missing(format!(
            "apt-get is not here, so please install these by your system's own means \
             (the names are Debian's; programs must be on the path under the names used here, as clang-22):\n{}",
            list(missing)
        )));
    }
    println!("setup: these packages are missing and will be installed:\n{}", list(missing));
    apt_install(&packages)?;
    let still = self::missing(missing);
    match still.is_empty() {
        true => {
            println!("setup: done");
            Ok(())
        }
        false => Err(Failure::Missing(format!(
            "apt-get was content, but these are still missing:\n{}",
            list(&still)
        ))),
    }
}

fn apt_install(packages: &[&str]) -> Outcome {
    let become_root = become_root().ok_or_else(|| no_root(packages))?;
    // An outdated or unreachable extra source makes `update` fail, but need not concern our packages.
    if command::run(&mut apt_get(become_root, &["update"])).is_err() {
        eprintln!("setup: apt-get update failed; trying with the package lists as they are");
    }
    let unknown: Vec<_> = packages.iter().copied().filter(|p| !has_candidate(p)).collect();
    if !unknown.is_empty() {
        return Err(Failure::Missing(format!(
            "apt knows no package {}.\nOn Debian 12, LLVM 22 comes with the security updates: enable the suite \
             bookworm-security, for example by the line\n  deb http://deb.debian.org/debian-security \
             bookworm-security main\nin /etc/apt/sources.list, and run this again.",
            unknown.join(", ")
        )));
    }
    let words: Vec<_> =
        ["install", "-y", "--no-install-recommends"].iter().chain(packages).copied().collect();
    command::run(&mut apt_get(become_root, &words))
}

fn no_root(packages: &[&str]) -> Failure {
    Failure::Missing(format!(
        "installing packages needs root, and there is neither root nor a usable sudo. Please run, as root:\n  \
         apt-get update && apt-get install --no-install-recommends {}",
        packages.join(" ")
    ))
}

fn apt_get(become_root: &[&str], words: &[&str]) -> Command {
    let line: Vec<_> = [become_root, &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get"], words].concat();
    let mut command = Command::new(line[0]);
    command.args(&line[1..]);
    command
}

/// The words to put before a command so that root runs it, if there is a way.
fn become_root() -> Option<&'static [&'static str]> {
    let silent_sudo =
        || command::raw_output(Command::new("sudo").args(["-n", "true"])).is_ok_and(|o| o.status.success());
    match () {
        () if nix::unistd::geteuid().is_root() => Some(&[]),
        () if !on_path("sudo") => None,
        () if silent_sudo() => Some(&["sudo", "-n"]),
        () if std::io::stdin().is_terminal() => Some(&["sudo"]),
        () => None,
    }
}

fn has_candidate(package: &str) -> bool {
    let answer = command::output(Command::new("apt-cache").args(["policy", package])).unwrap_or_default();
    candidate(&answer)
}

fn candidate(policy: &str) -> bool {
    policy.lines().any(|line| line.trim().strip_prefix("Candidate:").is_some_and(|v| v.trim() != "(none)"))
}

/// Debian's view: the installed ones of these packages with their versions.
fn installed(packages: &[&str]) -> HashMap<String, String> {
    let mut query = Command::new("dpkg-query");
    query.args(["-W", "-f=${Package} ${db:Status-Status} ${Version}\n"]).args(packages);
    // It exits with 1 if one of them is unknown, and still answers for the others.
    let answer = command::raw_output(&mut query).map(|output| output.stdout).unwrap_or_default();
    parse_installed(&String::from_utf8_lossy(&answer))
}

fn parse_installed(answer: &str) -> HashMap<String, String> {
    let line = |line: &str| match line.split_whitespace().collect::<Vec<_>>()[..] {
        [name, "installed", version] => Some((name.to_owned(), version.to_owned())),
        _ => None,
    };
    answer.lines().filter_map(line).collect()
}

/// Whether a Debian version (with or without epoch) or a program's version is at least `least`.
fn sufficient(version: &str, least: &[u32]) -> bool {
    let upstream = version.split_once(':').map_or(version, |(_epoch, rest)| rest);
    numbers(upstream).as_slice() >= least
}

fn numbers(version: &str) -> Version {
    let digits =
        version.split('.').map(|part| part.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.map_while(|digits| digits.parse().ok()).collect()
}

fn present(requirement: &Requirement) -> bool {
    match requirement.probe {
        Probe::Program(name) => version_of(name).is_some_and(|v| sufficient(&v, requirement.least)),
        Probe::Header(file) => llvm_config("--includedir").is_some_and(|dir| dir.join(file).is_file()),
        Probe::Library(file) => llvm_config("--libdir").is_some_and(|dir| dir.join(file).is_file()),
        Probe::SystemHeader(file) => {
            let mut compiler = Command::new("g++");
            compiler.args(["-E", "-x", "c++", "-include", file, "/dev/null"]);
            command::output(&mut compiler).is_ok()
        }
    }
}

fn version_of(program: &str) -> Option<String> {
    first_version(&command::output(Command::new(program).arg("--version")).ok()?)
}

/// The first word of the text that is a version: numbers with dots between.
fn first_version(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "(),-".contains(c));
    let version = |word: &&str| word.contains('.') && numbers(word).len() >= 2;
    words
        .map(|word| word.trim_start_matches(|c: char| c.is_ascii_alphabetic()))
        .find(version)
        .map(str::to_owned)
}

fn llvm_config(question: &str) -> Option<PathBuf> {
    command::output(Command::new("llvm-config-22").arg(question))
        .ok()
        .map(|answer| PathBuf::from(answer.trim()))
}

fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|dir| dir.join(program).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number_and_without_epoch() {
        assert!(sufficient("1:22.1.8-1~deb12u1", &[22, 1]));
        assert!(sufficient("23.0.0", &[22, 1]));
        assert!(sufficient("4:12.2.0-3", &[10]));
        assert!(!sufficient("1:22.0.9", &[22, 1]));
        assert!(!sufficient("1:9.3", &[10]));
        assert!(!sufficient("unknown", &[1]));
    }

    #[test]
    fn a_program_s_version_is_found_in_what_it_prints() {
        let cases = [
            ("Debian clang version 22.1.8 (1~deb12u1)\nTarget: x86_64", "22.1.8"),
            ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0\n", "12.2.0"),
            ("valgrind-3.19.0\n", "3.19.0"),
            ("GNU Make 4.3\nBuilt for", "4.3"),
            ("Debian LLVM version 22.1.8\n", "22.1.8"),
        ];
        for (text, version) in cases {
            assert_eq!(first_version(text).as_deref(), Some(version), "{text}");
        }
        assert_eq!(first_version("no number here."), None);
    }

    #[test]
    fn only_fully_installed_packages_count() {
        let answer = "g++ installed 4:12.2.0-3\nvalgrind config-files 1:3.19.0-1\nmake not-installed \n";
        let installed = parse_installed(answer);
        assert_eq!(installed.len(), 1);
        assert_eq!(installed["g++"], "4:12.2.0-3");
    }

    #[test]
    fn a_package_without_candidate_is_recognised() {
        assert!(candidate("clang-22:\n  Installed: (none)\n  Candidate: 1:22.1.8-1~deb12u1\n"));
        assert!(!candidate("clang-22:\n  Installed: (none)\n  Candidate: (none)\n"));
        assert!(!candidate(""));
    }
}
