//! Scheduling, state machine and store contract of a store-backed batch job runner.
//!
//! A caller submits a job, a list of targets; a small pool of workers drains all
//! live jobs in rotation, one target of a job at a time; each outcome is stored.

pub mod canonical;
pub mod decide;
pub mod id;
pub mod key;
pub mod limits;
pub mod memory;
pub mod state;
pub mod store;
pub mod time;
