//! Binds isl to the memory of `src/heap.rs`.
//!
//! The installed archive is copied, and in the copy the names of the C library's allocator become those of ours. So
//! nothing but isl's own objects is concerned: neither what is linked with them nor the compiler that loads the
//! plugin. `strdup` is among the names because isl frees what it returns.

use std::path::Path;
use std::process::Command;

const REPLACED: [&str; 5] = ["malloc", "calloc", "realloc", "free", "strdup"];

/// Writes the archive `to`: as `from`, but with our memory.
pub fn bind(objcopy: &Path, from: &Path, to: &Path) -> Result<(), String> {
    let mut command = Command::new(objcopy);
    for name in REPLACED {
        command.arg(format!("--redefine-sym={name}=orthant_isl_{name}"));
    }
    let output = command
        .arg(from)
        .arg(to)
        .output()
        .map_err(|e| format!("{} cannot be run ({e})", objcopy.display()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!(
        "{} failed ({}): {}",
        objcopy.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr).trim()
    ))
}
