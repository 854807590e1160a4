//! How the plugin is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    // Rust's default finds all functions of LLVM when the plugin is loaded: half of what loading takes. Most are never called.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,lazy");
}
