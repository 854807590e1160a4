//! From the events of an execution to folded domains, accesses and dependences.

pub mod profile;

pub use profile::Profile;
