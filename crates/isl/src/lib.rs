//! Safe bindings to the isl integer set library
