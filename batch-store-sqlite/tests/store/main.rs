//! What the store promises beyond the rules that every store shares: opening, sharing
//! a file, durability, full disks, the size of its log.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

mod child;
mod damage;
mod edges;
mod fidelity;
mod full;
mod kill;
mod log;
mod opening;
mod processes;
mod rows;
mod schema;
mod sessions;
mod sharing;
mod sync;
mod waiting;
