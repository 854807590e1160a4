//! Hides the symbols of static libraries: a binary that exported isl's would have them bound to libLLVM's own copy
//! in any plugin it loads, and the other way round. See docs/architecture.md.

fn main() {
    println!("cargo::rustc-link-arg-bins=-Wl,--exclude-libs,ALL");
    println!("cargo::rerun-if-changed=build.rs");
}
