//! Conformance, property, fault and crash suites for stores of the batch job runner.
//!
//! A store's author implements [`Backend`] and writes one line.

mod backend;
mod breach;
pub mod fault;
mod site;

pub use backend::{Backend, Setup, Stop};
pub use breach::{Breach, Failure, Verdict, holds, present, same, unlike};
pub use site::Site;
