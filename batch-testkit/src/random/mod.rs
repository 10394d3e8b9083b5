//! The random engine: programs drawn from a seed, judged by the model after every step.
//!
//! After each call everything that the store shows is read, compared with the model, and
//! counted again. A failing program is shrunk twice, reported with its rule, and kept.

mod check;
mod corpus;
mod drive;
mod names;
mod observe;
mod program;
mod recount;
mod report;
mod run;
mod shrink;
mod strategy;
mod words;
mod world;

pub use check::{CASES, check, explore, replay, replay_kept, test};
pub use program::{
    AnswerOf, BeatOf, ClockOf, HaltOf, Kept, KeyOf, NewJob, Op, Part, ReuseOf, Sent, StagedOf,
    StartOf, StopOf, TicketOf, VERSION,
};
pub use report::{Counterexample, Failure, Report};
