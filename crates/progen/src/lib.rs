//! Random C programs with loop nests, compiled with and without Orthant, and compared.
//!
//! [`generate()`] makes a program from a seed: functions with loop nests of every shape that people write and some
//! that they do not (see the module `generate` for what keeps them free of undefined behaviour), and a `main` that
//! calls each with several arguments, aliasing pointers among them, and prints a digest of all memory and all
//! scalars after every call. [`Tester`] compiles it twice and compares what the two executables print; a
//! disagreement, a crash or a hang is a [`Failure`], and [`minimize()`] makes it small.
//!
//! ```
//! let config = progen::Config { functions: 2, ..progen::Config::default() };
//! let source = progen::generate(7, &config);
//! assert_eq!(source, progen::generate(7, &config));
//! assert!(source.contains("f1"));
//! ```

mod check;
mod generate;
mod minimize;
mod runtime;
mod tree;

pub use check::{Coverage, Error, Failure, Flags, ROTATION, Tester};
pub use generate::{Config, program};
pub use minimize::minimize;
pub use tree::{Function, Program};

/// The C source of a seed's program: the same for the same seed and configuration.
pub fn generate(seed: u64, config: &Config) -> String {
    program(seed, config).render()
}
