//! Conformance, property, fault and crash suites for stores of the batch job runner.
//!
//! A store's author implements [`Backend`] and writes one line.

mod backend;
pub mod model;
pub mod random;
mod site;

pub use backend::{Backend, Setup, Stop};
pub use site::Site;
