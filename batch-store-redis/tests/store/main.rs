//! What the store promises beyond the rules that every store shares: damage and numbers.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

mod damage;
mod numbers;
mod place;
