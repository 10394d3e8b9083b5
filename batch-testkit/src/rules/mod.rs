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
