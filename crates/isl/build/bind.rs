//! Binds isl to the memory of `src/heap.rs`, to the arithmetic of `src/numbers.rs` and to the simplex method of `src/simplex.rs`.
//!
//! The installed archive is copied, and in the copy names become ours. So nothing but isl's own objects is concerned:
//! neither what is linked with them nor the compiler that loads the plugin.
//!
//! - The C library's allocator: nothing in the archive defines it. `strdup` is among the names because isl frees what it returns.
//! - Functions of isl itself ([`FASTER`]): who calls one finds ours, which does what is common and leaves the rest to isl's
//!   own under another name. Calls inside of the object that defines a function may stay with it: they mean the same.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const MEMORY: [&str; 5] = ["malloc", "calloc", "realloc", "free", "strdup"];

/// The objects that define functions which are ours now, with these.
const FASTER: [(&str, &[&str]); 5] = [
    ("isl_int_sioimath.c.o", &["isl_sioimath_add", "isl_sioimath_mul"]),
    (
        "isl_seq.c.o",
        &[
            "isl_seq_clr",
            "isl_seq_combine",
            "isl_seq_cpy",
            "isl_seq_eq",
            "isl_seq_gcd",
            "isl_seq_get_hash_bits",
            "isl_seq_inner_product",
            "isl_seq_last_non_zero",
            "isl_seq_neg",
            "isl_seq_normalize",
        ],
    ),
    ("isl_sample.c.o", &["isl_basic_set_sample_vec"]),
    ("isl_convex_hull.c.o", &["isl_basic_map_remove_redundancies"]),
    ("isl_map_subtract.c.o", &["isl_map_is_subset", "isl_set_is_subset"]),
];

/// The tools that it takes.
pub struct Tools {
    pub objcopy: PathBuf,
    pub ar: PathBuf,
}

/// Writes the archive `to`: as `from`, but with our memory and arithmetic.
pub fn bind(tools: &Tools, from: &Path, to: &Path) -> Result<(), String> {
    let called = || FASTER.iter().flat_map(|(_, names)| *names).map(ours);
    run(Command::new(&tools.objcopy).args(memory()).args(called()).args([from, to]))?;
    for (object, defined) in FASTER {
        let (folder, is_defined) = (to.with_extension("objects"), |name: &&&str| defined.contains(*name));
        std::fs::create_dir_all(&folder).map_err(|e| format!("cannot create {}: {e}", folder.display()))?;
        let (original, bound) = (folder.join("original.o"), folder.join(object));
        let bytes = run(Command::new(&tools.ar).arg("p").arg(from).arg(object))?.stdout;
        if bytes.is_empty() {
            return Err(format!("{} has no {object}", from.display()));
        }
        std::fs::write(&original, bytes).map_err(|e| format!("cannot write {}: {e}", original.display()))?;
        let all = || FASTER.iter().flat_map(|(_, names)| *names);
        let renamed = all().filter(is_defined).map(originals);
        let called = all().filter(|name| !is_defined(name)).map(ours);
        let mut command = Command::new(&tools.objcopy);
        run(command.args(memory()).args(renamed).args(called).args([&original, &bound]))?;
        run(Command::new(&tools.ar).arg("r").arg(to).arg(&bound))?;
    }
    Ok(())
}

fn memory() -> impl Iterator<Item = String> {
    MEMORY.iter().map(|name| format!("--redefine-sym={name}=orthant_isl_{name}"))
}

/// Whether a function of isl is ours now: then it has another name for who declares it.
pub fn is_faster(name: &str) -> bool {
    FASTER.iter().any(|(_, names)| names.contains(&name))
}

/// `isl_x` is ours.
fn ours(name: &&str) -> String {
    format!("--redefine-sym={name}=orthant_{name}")
}

/// `isl_x` gets out of the way.
fn originals(name: &&str) -> String {
    format!("--redefine-sym={name}=orthant_original_{name}")
}

fn run(command: &mut Command) -> Result<Output, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{program} cannot be run ({e})"))?;
    if output.status.success() {
        return Ok(output);
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("{program} failed ({}): {}", output.status, message.trim()))
}
