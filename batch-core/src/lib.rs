//! Scheduling, state machine and store contract of a store-backed batch job runner.
//!
//! A caller submits a job, a list of targets; a small pool of workers drains all
//! live jobs in rotation, one target of a job at a time; each outcome is stored.
//! Begin with [`runner::Runner`]; who writes a store begins with [`store::Store`].

#![deny(clippy::print_stdout)]

pub mod caller;
pub mod canonical;
pub mod clock;
pub mod config;
pub mod decide;
pub mod error;
pub mod fetch;
pub mod hooks;
pub mod id;
pub mod key;
pub mod limits;
pub mod memory;
pub mod runner;
pub mod source;
pub mod state;
pub mod store;
pub mod submission;
pub mod target;
pub mod time;
