//! What the store promises beyond the rules that every store shares: damage, numbers,
//! names, cost, what is left behind, wake-ups.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

mod closing;
mod costs;
mod damage;
mod fidelity;
mod large;
mod leftovers;
mod numbers;
mod place;
mod waking;
