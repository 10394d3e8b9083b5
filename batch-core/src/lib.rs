//! Placeholder.

pub mod canonical;
