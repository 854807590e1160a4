//! The imperative language: parser, formatter, semantics, array dataflow
