//! What the store promises of a real server: one that is cut off, restarted, replaced,
//! full, too old or not permitted, and one that many processes share.
//!
//! Every test starts a server of its own. The rules that all stores share are in
//! `conformance.rs` beside this folder.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

mod calls;
mod child;
mod crew;
mod cutting;
mod memory;
mod opening;
mod outage;
mod place;
mod prefixes;
mod processes;
mod refusals;
