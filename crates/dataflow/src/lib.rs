//! Dependences of a model: memory-based and value-based, exact or over-approximated.
