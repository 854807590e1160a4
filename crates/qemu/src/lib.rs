//! Observing unmodified x86-64 programs: with QEMU's user mode, instruction by instruction, or at their own speed, by samples.
//!
//! One crate, two halves. `liborthant_qemu.so` is a TCG plugin: `qemu-x86_64 -plugin liborthant_qemu.so,config=FILE
//! ./app` runs the program, and the plugin decodes its code, feeds [`trace`] with what happens, and writes a profile with
//! addresses at the end. The other half is an ordinary library for the command: it checks the program, runs
//! QEMU with the plugin, and adds names, source lines and instructions as text.
//!
//! | module | what it is |
//! |---|---|
//! | [`run`], `interrupt` | checks the program and QEMU, runs both, reads the profile; Ctrl-C |
//! | [`symbols`] | addresses to functions, source lines and text |
//! | [`config`] | what the plugin is told |
//! | `plugin`, `api` | the plugin: QEMU's callbacks |
//! | `decode` | x86-64 instructions as the tracer wants them |
//! | `lookahead` | where control can go from an instruction |
//! | `modules` | files in the program's memory |
//! | [`native`], `unwind` | the survey: the program at its own speed, sampled; stacks |
//!
//! Integer results are recomputed from the instructions and memory (`trace::values`): Debian 12's QEMU 7.2 lets plugins
//! read no registers. Where QEMU can read them (from 9.0 on), results that cannot be recomputed are read.

#![allow(unsafe_code)] // QEMU's C interface, and reading the program's memory in the emulator's own address space; signals

mod api;
pub mod config;
mod decode;
mod interrupt;
mod lookahead;
mod modules;
pub mod native;
mod plugin;
pub mod run;
pub mod symbols;
mod unwind;

/// The plugin's file name.
pub const PLUGIN: &str = "liborthant_qemu.so";
