//! The pipeline of stages over one function
