//! File tests: text files whose first line names the command that is run on them.
//!
//! # The file
//!
//! A test file is an ordinary input (`.ll .c .cpp .f90 .rs .imp .scop`) with directives in its own comment
//! syntax: `;` for `.ll`, `//` for `.c .cpp .rs`, `!` for `.f90`, any of `#`, `//`, `;` for `.imp` and
//! `.scop` (whichever its first line uses).
//!
//! ```text
//! // test: clang -O3 -Rpass-missed=orthant -c %s -o /dev/null     the first line; more may follow it
//! // exit: 1                                                      optional; 0 if absent
//! ...
//! ```
//!
//! * `test:` is one command line, split into words as a POSIX shell would (quotes, no expansions), with
//!   optional `NAME=VALUE` words in front that set environment variables. Further `test:` lines directly
//!   after the first run in order; all but the last must succeed.
//! * `exit:` is the exit status that the last command must have. Death by a signal is always a failure.
//! * In the words of a command: `%s` is the file, `%S` its folder, `%T` a fresh empty folder (also the working
//!   directory), `%t` a name in it made from the file's, `%plugin` the plugin (external commands only), `%%` a
//!   percent sign.
//!
//! What is checked is everything the commands wrote, standard output and standard error together. Before the
//! check, absolute paths are replaced by the names above (`%s`, `%S`, `%t`, `%T`, `%plugin`, `%root` for the
//! checkout, `%llvm` for the folder of LLVM's programs), so that expectations do not depend on where the checkout is.
//!
//! # Two ways to check, decided by what the file contains
//!
//! *FileCheck*: lines `CHECK:`, `CHECK-NOT:`, `CHECK-NEXT:`, `CHECK-SAME:`, `CHECK-EMPTY:`, `CHECK-DAG:`,
//! `CHECK-LABEL:`, `CHECK-COUNT-<n>:` are checked by LLVM's own FileCheck.
//!
//! *Golden output*: a last section, opened by the line `output:`, holds the expected text as comments up to
//! the end of the file. White space at line ends and blank lines at the end of the text do not count. This
//! needs nothing of LLVM. `BLESS=1` rewrites the section from the actual output and prints the name of each
//! file it changed; a new test starts with an empty section.
//!
//! ```text
//! # test: double
//! 21
//! # output:
//! # 42
//! ```
//!
//! # Nothing is skipped
//!
//! A file that is not a proper test fails: no `test:` in the first line, a command nobody defined, no check,
//! both kinds of check, a misspelt directive (`CHEKC:`, `CHECK-NXT:`, `CHECK` without its colon, `exti: 1`),
//! text after the golden section, an extension without a comment syntax. So does a suite without tests. Only
//! `*.md` files and folders named `inputs` (headers and other things that tests refer to) are left alone.
//!
//! # In a crate below LLVM
//!
//! Commands can be closures. With `filetests` as a dev-dependency and a target `[[test]] name = "files"`,
//! `harness = false`, this runs every file under the crate's `tests/files` without LLVM:
//!
//! ```no_run
//! // tests/files.rs
//! fn main() -> std::process::ExitCode {
//!     filetests::Suite::new(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/files"))
//!         .command("double", |input| {
//!             let body: String = input.code().trim().to_string();
//!             let number: i64 = body.parse().map_err(|e| format!("{}: {e}", input.name))?;
//!             Ok((2 * number).to_string())
//!         })
//!         .run()
//! }
//! ```
//!
//! `Ok` is exit status 0 with that output, `Err` is exit status 1 with that output (so a test of a message
//! says `exit: 1`), and a panic is a failed test whatever the file says.

mod check;
mod command;
mod suite;
mod test_file;
mod toolchain;

pub use command::TestInput;
pub use suite::{Suite, Verdict};
pub use toolchain::Toolchain;
