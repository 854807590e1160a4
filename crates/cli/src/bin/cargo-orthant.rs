//! The binary `cargo-orthant`, which cargo runs for `cargo orthant`; everything is in the library.

fn main() -> std::process::ExitCode {
    cli::cargo_main()
}
