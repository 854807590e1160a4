//! Runs every test file of the checkout's `tests` folder with the plugin and the command just built.

use filetests::{Suite, Toolchain};
use std::process::ExitCode;

fn main() -> ExitCode {
    match Toolchain::beside_this_test() {
        Ok(toolchain) => {
            Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests")).external(toolchain).run()
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
