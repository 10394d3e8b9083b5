//! What the store promises beyond the rules that every store shares: opening, one owner,
//! damage, full disks.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

mod child;
mod churn;
mod damage;
mod fidelity;
mod full;
mod opening;
mod sessions;
mod sharing;
