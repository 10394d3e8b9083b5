//! The rules of the runner, on every store (R1–R14).
//!
//! A file per group, listed in `catalog.rs`. `crew.rs` makes runners for them,
//! `heard.rs` keeps what their hooks were told. They run the real runner with small
//! settings, and wait for events; time that matters is on a clock that they move.

mod catalog;
mod crew;
mod heard;

pub mod again;
pub mod cancel;
pub mod close;
pub mod damage;
pub mod ending;
pub mod faults;
pub mod gauges;
pub mod long;
pub mod race;
pub mod reads;
pub mod retry;
pub mod rotation;
pub mod sessions;
pub mod settings;
pub mod stopping;
pub mod submit;
pub mod target;
pub mod waiting;
pub mod watch;
