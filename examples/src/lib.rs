//! The README, compiled: its code is a doctest here, where every crate is at hand.
//!
//! The examples themselves are the files beside this crate's `Cargo.toml`.

/// Holds the README's code to the crates as they are.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
pub struct Readme;
