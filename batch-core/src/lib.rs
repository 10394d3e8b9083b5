//! Placeholder.

pub mod canonical;
pub mod key;
