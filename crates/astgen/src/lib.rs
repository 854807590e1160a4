//! From a schedule tree to a loop tree, and a C printer for people.
