//! What is known of the machine that the program is to run on, and who says so.
//!
//! Vectors and registers are LLVM's to know: they follow from the target and the processor of each function (`-march`,
//! `target-cpu`), and code with others would be wrong or slow. Caches are another matter, because nothing in the code says
//! which machine it will meet. For each fact about them the first of these that knows it wins:
//!
//! 1. the option with its name (`l1-bytes`, ...), for cross-compilation;
//! 2. with `machine=native` this machine, as Linux describes its first processor under
//!    `/sys/devices/system/cpu/cpu0/cache`; with `machine=target` what LLVM knows of the processor (for x86 it has
//!    the same 32 KiB and 256 KiB for all);
//! 3. the generic sizes of [`schedule::Machine`].
//!
//! *The same input gives the same code on every machine*, unless `machine=native` is given. A processor's name is no reason to look at
//! this machine: code for it may be compiled anywhere, and should then come out the same, and `-march=native`
//! arrives here as a name.

use llvm::{Pass, Target};
use options::{Options, Whose};
use report::machine::{Cache, Fact, MachineReport, Origin};
use schedule::Machine;
use std::path::Path;

/// Where Linux describes the caches of the first processor.
const CACHES: &str = "/sys/devices/system/cpu/cpu0/cache";

/// Data caches; 0: not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// Bytes and ways of each level.
    levels: [Level; 3],
    /// Bytes of a line.
    line_bytes: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Level {
    bytes: u64,
    ways: u64,
}

impl Caches {
    /// Those of this machine, if the options ask for them.
    pub fn wanted(options: &Options) -> Caches {
        match options.machine {
            Whose::Native => Caches::in_folder(Path::new(CACHES)),
            Whose::Generic | Whose::Target => Caches::default(),
        }
    }

    /// What the folders `index0`, `index1`, ... say. Nothing is said twice: of two caches of a level the first counts.
    fn in_folder(folder: &Path) -> Caches {
        let mut caches = Caches::default();
        for index in
            (0..).map(|number| folder.join(format!("index{number}"))).take_while(|index| index.is_dir())
        {
            let text = |name: &str| std::fs::read_to_string(index.join(name)).unwrap_or_default();
            let number = |name: &str| text(name).trim().parse::<u64>().unwrap_or(0);
            let level = number("level").checked_sub(1).and_then(|at| caches.levels.get_mut(at as usize));
            let Some(level) = level.filter(|level| level.bytes == 0 && text("type").trim() != "Instruction")
            else {
                continue;
            };
            *level = Level { bytes: bytes(text("size").trim()), ways: number("ways_of_associativity") };
            if caches.line_bytes == 0 {
                caches.line_bytes = number("coherency_line_size");
            }
        }
        caches
    }

    /// Those that LLVM knows.
    fn of_target(target: &Target) -> Caches {
        let level = |bytes: u32, ways: u32| Level { bytes: bytes.into(), ways: ways.into() };
        Caches {
            levels: [
                level(target.l1_size, target.l1_ways),
                level(target.l2_size, target.l2_ways),
                Level::default(),
            ],
            line_bytes: target.cache_line.into(),
        }
    }
}

/// `32K`, as Linux writes sizes; 0 if it is something else.
fn bytes(text: &str) -> u64 {
    let (digits, factor) = match text.strip_suffix('K') {
        Some(digits) => (digits, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(digits) => (digits, 1 << 20),
            None => (text, 1),
        },
    };
    digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)).unwrap_or(0)
}

/// What is known of the machine that a function is compiled for. `native` are the caches of this machine, as far as they are wanted.
pub fn known(pass: Pass<'_>, options: &Options, native: &Caches) -> MachineReport {
    let target = pass.target();
    let facts = Facts::new(options, &target, native);
    MachineReport {
        format: report::FORMAT,
        triple: pass.target_triple(),
        processor: pass.target_cpu(),
        ..facts.report(&target)
    }
}

/// Bits of vectors that arithmetic works at in each cycle, whatever is longer. True of AMD's Zen 4, where it was
/// measured that the tiles of fdtd-2d are 5 % worse without.
const WORKED_AT_ONCE: u32 = 256;

/// The same for the scheduler.
pub fn for_scheduler(known: &MachineReport, panel_bytes: u64) -> Machine {
    let small = |fact: Fact| fact.value as u32;
    Machine {
        l1_bytes: known.l1.bytes.value,
        l1_ways: small(known.l1.ways),
        l2_bytes: known.l2.bytes.value,
        l2_ways: small(known.l2.ways),
        l3_bytes: known.l3.bytes.value,
        line_bytes: known.line_bytes.value,
        vector_bits: small(known.vector_bits).min(WORKED_AT_ONCE),
        widest_bits: small(known.widest_bits),
        vector_registers: small(known.vector_registers),
        panel_bytes,
    }
}

/// Who knows what about caches.
struct Facts<'a> {
    options: &'a Options,
    /// From somebody who was asked, and who that is.
    asked: (Caches, Origin),
    generic: Machine,
}

impl Facts<'_> {
    fn new<'a>(options: &'a Options, target: &Target, native: &Caches) -> Facts<'a> {
        let asked = match options.machine {
            Whose::Native => (*native, Origin::Native),
            Whose::Target => (Caches::of_target(target), Origin::Target),
            Whose::Generic => (Caches::default(), Origin::Generic),
        };
        Facts { options, asked, generic: Machine::default() }
    }

    /// All but what has no number.
    fn report(&self, target: &Target) -> MachineReport {
        let Facts { options, generic, .. } = self;
        let of_llvm = |known: u32, otherwise: u32| match known {
            0 => Fact { value: otherwise.into(), origin: Origin::Generic },
            known => Fact { value: known.into(), origin: Origin::Target },
        };
        let widest = target.widest_bits;
        MachineReport {
            format: 0,
            triple: String::new(),
            processor: None,
            l1: self.cache(0, options.l1_bytes, options.l1_ways, (generic.l1_bytes, generic.l1_ways)),
            l2: self.cache(1, options.l2_bytes, options.l2_ways, (generic.l2_bytes, generic.l2_ways)),
            l3: self.cache(2, options.l3_bytes, 0, (generic.l3_bytes, 0)),
            line_bytes: self.fact(options.line_bytes, self.asked.0.line_bytes, generic.line_bytes),
            vector_bits: of_llvm(target.vector_bits, generic.vector_bits),
            widest_bits: of_llvm(widest, generic.widest_bits),
            vector_registers: of_llvm(target.vector_registers, generic.vector_registers),
            scalar_registers: Fact { value: target.scalar_registers.into(), origin: Origin::Target },
            fma: target.has_fma != 0,
            threads: planned_threads(options),
        }
    }

    fn cache(&self, level: usize, bytes: Option<u64>, ways: u32, generic: (u64, u32)) -> Cache {
        let known = self.asked.0.levels[level];
        Cache {
            bytes: self.fact(bytes, known.bytes, generic.0),
            ways: self.fact((ways > 0).then_some(ways.into()), known.ways, generic.1.into()),
        }
    }

    fn fact(&self, given: Option<u64>, known: u64, generic: u64) -> Fact {
        match (given, known) {
            (Some(value), _) => Fact { value, origin: Origin::Given },
            (None, 0) => Fact { value: generic, origin: Origin::Generic },
            (None, value) => Fact { value, origin: self.asked.1 },
        }
    }
}

/// How many threads loops are planned for where they run in threads.
pub fn planned_threads(options: &Options) -> Fact {
    match options.threads {
        0 => {
            let count = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
            Fact { value: count, origin: Origin::Native }
        }
        count => Fact { value: count.into(), origin: Origin::Given },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use options::Layer;
    use std::fs;

    fn options(text: &str) -> Options {
        Options::from_layers(&[Layer::environment(text).unwrap()]).unwrap()
    }

    /// A folder as Linux has it; each line is an index: level, type, size, ways, line.
    fn folder(indices: &[[&str; 5]]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (number, values) in indices.iter().enumerate() {
            let index = folder.path().join(format!("index{number}"));
            fs::create_dir(&index).unwrap();
            let names = ["level", "type", "size", "ways_of_associativity", "coherency_line_size"];
            for (name, value) in names.iter().zip(values) {
                fs::write(index.join(name), format!("{value}\n")).unwrap();
            }
        }
        folder
    }

    fn zen() -> Caches {
        let folder = folder(&[
            ["1", "Data", "48K", "12", "64"],
            ["1", "Instruction", "32K", "8", "64"],
            ["2", "Unified", "1024K", "16", "64"],
            ["3", "Unified", "32M", "16", "64"],
        ]);
        Caches::in_folder(folder.path())
    }

    #[test]
    fn caches_are_read_as_linux_writes_them() {
        let level = |bytes, ways| Level { bytes, ways };
        let levels = [level(48 << 10, 12), level(1 << 20, 16), level(32 << 20, 16)];
        assert_eq!(zen(), Caches { levels, line_bytes: 64 });
        // The instructions come first, a level is missing, a size is nonsense.
        let odd = folder(&[
            ["1", "Instruction", "32K", "8", "32"],
            ["1", "Data", "16K", "4", "128"],
            ["3", "Unified", "many", "", "128"],
            ["9", "Unified", "1K", "1", "128"],
        ]);
        let odd = Caches::in_folder(odd.path());
        assert_eq!(odd, Caches { levels: [level(16 << 10, 4), level(0, 0), level(0, 0)], line_bytes: 128 });
        assert_eq!(Caches::in_folder(Path::new("/no/such/folder")), Caches::default());
    }

    #[test]
    fn options_come_before_machines_and_these_before_the_generic() {
        let target = Target { l1_size: 32 << 10, l2_size: 256 << 10, cache_line: 128, ..Target::default() };
        let of = |text: &str| Facts::new(&options(text), &target, &zen()).report(&target);
        let generic = of("");
        assert_eq!(
            for_scheduler(&generic, 0),
            Machine::default(),
            "nothing of this machine without being asked"
        );
        assert_eq!(generic.l2.bytes, Fact { value: 512 << 10, origin: Origin::Generic });

        let native = of("machine=native l2-bytes=2M l1-ways=4");
        assert_eq!(native.l1.bytes, Fact { value: 48 << 10, origin: Origin::Native });
        assert_eq!(native.l1.ways, Fact { value: 4, origin: Origin::Given });
        assert_eq!(native.l2.bytes, Fact { value: 2 << 20, origin: Origin::Given });
        assert_eq!(native.l2.ways, Fact { value: 16, origin: Origin::Native });
        assert_eq!(native.l3.bytes.value, 32 << 20);

        let of_llvm = of("machine=target");
        assert_eq!(of_llvm.l2.bytes, Fact { value: 256 << 10, origin: Origin::Target });
        assert_eq!(of_llvm.l2.ways, Fact { value: 8, origin: Origin::Generic });
        assert_eq!(of_llvm.line_bytes.value, 128);
        assert_eq!(of_llvm.l3.bytes, Fact { value: 8 << 20, origin: Origin::Generic });
    }

    #[test]
    fn vectors_are_those_of_the_target() {
        let target = Target { vector_bits: 128, widest_bits: 512, has_fma: 1, ..Target::default() };
        let known = Facts::new(&options("machine=native"), &target, &zen()).report(&target);
        let machine = for_scheduler(&known, 7);
        assert_eq!((machine.vector_bits, machine.widest_bits, machine.vector_registers), (128, 512, 16));
        assert_eq!((machine.panel_bytes, known.fma), (7, true));
        let long =
            MachineReport { vector_bits: Fact { value: 512, origin: Origin::Target }, ..known.clone() };
        assert_eq!(for_scheduler(&long, 0).vector_bits, 256, "longer ones take longer");
        assert_eq!(known.vector_registers.origin, Origin::Generic);
    }

    #[test]
    fn threads_are_those_asked_for() {
        assert_eq!(planned_threads(&options("threads=7")), Fact { value: 7, origin: Origin::Given });
        assert!(planned_threads(&options("")).value >= 1);
    }
}
