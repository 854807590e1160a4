//! Runs a model under any schedule on small parameters: the test oracle.
