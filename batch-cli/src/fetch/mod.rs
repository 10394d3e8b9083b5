//! The two sorts of work: a command per target, or a request over HTTP.

pub(crate) mod body;
pub(crate) mod exec;
mod group;
pub(crate) mod http;
mod output;
pub(crate) mod program;
