//! The rules of the contract that a store keeps, one small test each.
//!
//! A file is a group, a function is a rule: its name says it, its doc comment names
//! the ids, and `catalog.rs` lists it. Rules are given, when and then, in three blocks.

pub mod cancel;
pub mod caps;
pub mod counters;
pub mod evict;
pub mod fence;
pub mod fidelity;
pub mod halt;
pub mod idempotency;
pub mod lost;
pub mod outcome;
pub mod pin;
pub mod privacy;
pub mod race;
pub mod reads;
pub mod reap;
pub mod rerun;
pub mod resend;
pub mod rotation;
pub mod session;
pub mod stage;
pub mod store;
pub mod submit;
pub mod time;
pub mod ttl;
pub mod turn;
pub mod waiting;

pub use crate::runner_rules::{
    again as runner_again, cancel as runner_cancel, close as runner_close, damage as runner_damage,
    ending as runner_ending, faults as runner_faults, gauges as runner_gauges, long as runner_long,
    race as runner_race, reads as runner_reads, retry as runner_retry, rotation as runner_rotation,
    sessions as runner_sessions, settings as runner_settings, stopping as runner_stopping,
    submit as runner_submit, target as runner_target, waiting as runner_waiting,
    watch as runner_watch,
};
