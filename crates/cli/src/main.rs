//! The binary `orthant`; everything is in the library.

fn main() -> std::process::ExitCode {
    cli::main()
}
