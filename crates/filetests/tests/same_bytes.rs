//! The same source gives the same object file, byte by byte, however often it is compiled: nothing that is written may depend on
//! the order of a hash table or on addresses.

use filetests::Toolchain;
use std::path::Path;
use std::process::Command;

/// Programs with blocks in registers and panels, with conditions on data, and with checks; and options.
const PROGRAMS: [(&str, &str); 3] =
    [("contractions.c", ""), ("branches.c", "position=late"), ("checks.c", "parallel=true")];

fn compiled(program: &str, options: &str) -> Vec<u8> {
    let toolchain = Toolchain::beside_this_test().unwrap_or_else(|message| panic!("{message}"));
    let folder = tempfile::tempdir().unwrap();
    let (object, programs) = (folder.path().join("object.o"), "../progen/tests/programs");
    let output = Command::new(toolchain.llvm("clang").unwrap_or_else(|message| panic!("{message}")))
        .args(["-O3", "-w", "-c", "-o"])
        .arg(&object)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(programs).join(program))
        .arg(format!("-fpass-plugin={}", toolchain.plugin().display()))
        .env("ORTHANT_OPTS", format!("least-length=0 {options}"))
        .env_remove("ORTHANT_CONFIG")
        .output()
        .unwrap();
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    std::fs::read(object).unwrap()
}

#[test]
fn a_source_gives_the_same_object_each_time() {
    for (program, options) in PROGRAMS {
        assert!(compiled(program, options) == compiled(program, options), "{program} with `{options}`");
    }
}
