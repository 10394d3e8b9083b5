//! A job together with its reruns, seen as one: each target with its newest outcome.

mod cursor;
mod family;
mod merge;
mod tally;

pub(crate) use family::Family;
pub(crate) use merge::View;
