//! The command as its users meet it: real processes, real signals, real files.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics fails"
)]
#![expect(clippy::format_collect, reason = "lists of a few lines")]

mod backends;
mod help;
mod http;
mod identity;
mod input;
mod kill;
mod output;
mod rerun;
mod run;
mod signal;
mod store;
mod trials;
mod world;
