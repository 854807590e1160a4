//! Whom Orthant is compared with: compilers and their flags, and which of them this machine has.
//!
//! Everyone compiles for the same machine and computes the same bits: `-march=native`, no `-ffast-math`, and one
//! meaning of floating-point contraction for all. By default that is `off`: clang's `on` fuses `a * b + c`
//! within an expression, gcc has no such mode (its `on` is `off`, its default `fast` fuses across statements
//! as it likes), so `off` is the one meaning that all share and that makes every bit comparable. With
//! `--contract on` the clangs fuse as they do by default and gcc gets `fast`; its bits are then not compared.
//! `-fno-math-errno` goes to everyone: a `sqrt` that sets `errno` is a call with a side effect, which hides the
//! loops from all of them, and changes no value.

use super::suite_kernels::Kernel;
use crate::command;
use std::path::Path;
use std::process::Command;

/// Who builds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// clang-22 -O3: what everything is compared with.
    Clang,
    /// clang-22 -O3 with our plugin.
    Orthant,
    /// The same with `position=late`, where scalars are in the way; only if named.
    OrthantLate,
    /// The same in one thread however many the others have; only if named.
    OrthantAlone,
    /// clang-22 -O3 on loops tiled by hand, of kernels that have such a text; only if named.
    Tiled,
    /// A clang with its Polly.
    Polly(u32),
    /// gcc -O3.
    Gcc,
    /// gcc -O3 with its polyhedral optimizer.
    Graphite,
}

/// One way to build.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Who.
    pub who: Who,
    /// The name in tables and options.
    pub key: &'static str,
    /// The compiler.
    pub compiler: String,
    /// Its flags, without those of the kernel.
    pub flags: Vec<String>,
    /// For linking.
    pub link: Vec<String>,
    /// Whether the bits must be those of clang.
    pub same_bits: bool,
}

/// What all builds have in common.
pub struct Setting<'a> {
    /// `off` or `on`.
    pub contract: &'a str,
    /// Threads that the program may use.
    pub threads: u32,
    /// Further flags for every compiler.
    pub cflags: &'a [String],
    /// Options of the pass, as NAME=VALUE.
    pub options: &'a [String],
    /// liborthant.so
    pub plugin: &'a Path,
}

/// The names, in the order of the table's columns.
pub const KEYS: [&str; 9] =
    ["clang", "orthant", "orthant-late", "orthant-alone", "tiled", "polly", "polly-19", "gcc", "graphite"];

const ALL: [Who; 9] = [
    Who::Clang,
    Who::Orthant,
    Who::OrthantLate,
    Who::OrthantAlone,
    Who::Tiled,
    Who::Polly(22),
    Who::Polly(19),
    Who::Gcc,
    Who::Graphite,
];

/// All of them, whether they are here or not.
pub fn all(setting: &Setting) -> Vec<Peer> {
    ALL.into_iter().zip(KEYS).map(|(who, key)| peer(who, key, setting)).collect()
}

fn peer(who: Who, key: &'static str, setting: &Setting) -> Peer {
    let is_gcc = matches!(who, Who::Gcc | Who::Graphite);
    let contract = if is_gcc && setting.contract == "on" { "fast" } else { setting.contract };
    let mut flags: Vec<String> =
        ["-O3", "-march=native", "-fno-math-errno"].iter().map(|flag| (*flag).to_owned()).collect();
    flags.push(format!("-ffp-contract={contract}"));
    flags.extend(own_flags(who, setting));
    flags.extend_from_slice(setting.cflags);
    let compiler = match who {
        Who::Clang | Who::Orthant | Who::OrthantLate | Who::OrthantAlone | Who::Tiled => {
            "clang-22".to_owned()
        }
        Who::Polly(version) => format!("clang-{version}"),
        Who::Gcc | Who::Graphite => "gcc".to_owned(),
    };
    let link = if setting.threads > 1 { runtime(who) } else { Vec::new() };
    Peer { who, key, compiler, flags, link, same_bits: !is_gcc || setting.contract == "off" }
}

fn own_flags(who: Who, setting: &Setting) -> Vec<String> {
    let parallel = setting.threads > 1;
    match who {
        Who::Clang | Who::Tiled => Vec::new(),
        Who::Orthant | Who::OrthantLate | Who::OrthantAlone => {
            let plugin = format!("-fpass-plugin={}", setting.plugin.display());
            // What `orthant cc` makes of -march=native.
            let mut options = vec!["machine=native".to_owned()];
            options.extend_from_slice(setting.options);
            if parallel && who != Who::OrthantAlone {
                options.extend(["parallel=true".to_owned(), format!("threads={}", setting.threads)]);
            }
            if who == Who::OrthantLate {
                options.push("position=late".to_owned());
            }
            let words = options.iter().flat_map(|o| ["-mllvm".to_owned(), format!("-orthant-{o}")]);
            std::iter::once(plugin).chain(words).collect()
        }
        Who::Polly(_) => {
            let all = if parallel { &["-polly", "-polly-parallel"][..] } else { &["-polly"] };
            all.iter().flat_map(|flag| ["-mllvm".to_owned(), (*flag).to_owned()]).collect()
        }
        Who::Gcc | Who::Graphite => {
            let graphite = (who == Who::Graphite).then(|| "-floop-nest-optimize".to_owned());
            let threads = parallel.then(|| format!("-ftree-parallelize-loops={}", setting.threads));
            graphite.into_iter().chain(threads).collect()
        }
    }
}

/// Clang's OpenMP library also has the entry points that gcc's code calls, but gcc's own is what gcc users have.
fn runtime(who: Who) -> Vec<String> {
    match who {
        Who::Clang | Who::OrthantAlone | Who::Tiled => Vec::new(),
        Who::Gcc | Who::Graphite => vec!["-lgomp".to_owned()],
        Who::Orthant | Who::OrthantLate | Who::Polly(_) => vec!["-fopenmp=libomp".to_owned()],
    }
}

impl Peer {
    /// The text that this peer is given of a kernel, if there is one.
    pub fn text_of(&self, kernel: &Kernel) -> Option<Kernel> {
        if self.who == Who::Tiled { kernel.tiled() } else { Some(kernel.clone()) }
    }

    /// A command with the compiler and its flags. What the environment says to the plugin does not count here.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.compiler);
        command.args(&self.flags).env_remove("ORTHANT_OPTS").env_remove("ORTHANT_CONFIG");
        command
    }

    /// The command for people.
    pub fn shown(&self) -> String {
        command::shown(&self.command())
    }

    /// The compiler's name for its version, or why it cannot be used.
    pub fn probe(&self, scratch: &Path) -> Result<String, String> {
        let source = scratch.join("probe.c");
        let text = "void f(double *a, int n) { for (int i = 0; i < n; i++) a[i] += 1; }\n";
        std::fs::write(&source, text).map_err(|e| format!("{}: {e}", source.display()))?;
        let mut compile = self.command();
        compile.arg("-c").arg("-o").arg(scratch.join("probe.o")).arg(&source);
        let output = compile.output().map_err(|e| format!("cannot start {}: {e}", self.compiler))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(said.lines().next().unwrap_or("it fails without a message").trim().to_owned());
        }
        let version = command::output(Command::new(&self.compiler).arg("--version"));
        Ok(version.ok().and_then(|text| text.lines().next().map(str::to_owned)).unwrap_or_default())
    }
}

/// What to install for one that is missing.
pub fn remedy(who: Who) -> &'static str {
    match who {
        Who::Polly(19) => "apt-get install clang-19 libpolly-19-dev",
        Who::Polly(_) => "apt-get install clang-22 libpolly-22-dev",
        Who::Gcc | Who::Graphite => "apt-get install gcc g++",
        Who::Clang | Who::Orthant | Who::OrthantLate | Who::OrthantAlone | Who::Tiled => "cargo xtask setup",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(contract: &str, threads: u32) -> Vec<Peer> {
        let options = ["schedule=identity".to_owned()];
        let plugin = Path::new("liborthant.so");
        all(&Setting { contract, threads, cflags: &[], options: &options, plugin })
    }

    #[test]
    fn all_compute_the_same_bits_unless_contraction_is_asked_for() {
        for peer in peers("off", 1) {
            assert!(peer.same_bits && peer.flags.contains(&"-ffp-contract=off".to_owned()), "{peer:?}");
            assert!(!peer.flags.iter().any(|flag| flag.contains("fast")), "{peer:?}");
        }
        let comparable: Vec<_> = peers("on", 1).iter().filter(|p| p.same_bits).map(|p| p.key).collect();
        let clangs = ["clang", "orthant", "orthant-late", "orthant-alone", "tiled", "polly", "polly-19"];
        assert_eq!(comparable, clangs);
    }

    #[test]
    fn everyone_has_flags_of_its_own() {
        let peers = peers("off", 2);
        let shown = |key: &str| peers.iter().find(|p| p.key == key).unwrap().shown();
        assert!(shown("orthant").contains(
            "-fpass-plugin=liborthant.so -mllvm -orthant-machine=native -mllvm -orthant-schedule=identity"
        ));
        assert!(
            shown("polly-19").starts_with("clang-19 -O3 ") && shown("polly-19").contains("-polly-parallel")
        );
        assert!(shown("graphite").contains("-floop-nest-optimize -ftree-parallelize-loops=2"));
        assert!(!shown("clang").contains("-mllvm"));
        assert!(shown("orthant-late").contains("-orthant-position=late"));
        assert!(!shown("orthant").contains("position"));
        assert!(shown("orthant").contains("-orthant-parallel=true -mllvm -orthant-threads=2"));
        assert!(!shown("orthant-alone").contains("parallel"));
    }

    #[test]
    fn a_missing_compiler_is_said_with_its_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut peer = peers("off", 1).remove(0);
        peer.compiler = "no-such-compiler".to_owned();
        assert!(peer.probe(dir.path()).unwrap_err().contains("no-such-compiler"));
    }
}
