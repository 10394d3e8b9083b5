//! Conformance, property, fault and crash suites for stores of the batch job runner.
//!
//! A store's author implements [`Backend`] and writes one line: every rule of the
//! contract becomes a test of its own.
//!
//! ```
//! use std::sync::Arc;
//!
//! use batch_core::memory::MemoryStore;
//! use batch_core::store::Store;
//! use batch_testkit::{Backend, Setup, Site, Stop, async_trait};
//!
//! struct Acme;
//!
//! #[async_trait]
//! impl Backend for Acme {
//!     fn name(&self) -> &str {
//!         "acme"
//!     }
//!
//!     async fn create(&self, _site: &Site) -> Setup<Arc<dyn Store>> {
//!         Ok(Arc::new(MemoryStore::new()))
//!     }
//!
//!     async fn reopen(&self, _site: &Site, _how: Stop) -> Setup<Option<Arc<dyn Store>>> {
//!         Ok(None)
//!     }
//! }
//!
//! batch_testkit::conformance!(Acme);
//! # fn main() {}
//! ```

#![deny(clippy::print_stdout)]

mod backend;
mod breach;
pub mod calls;
pub mod case;
mod catalog;
pub mod clocks;
mod conformance;
pub mod fault;
pub mod kill;
mod markers;
pub mod model;
pub mod proxy;
pub mod random;
mod record;
mod recount;
pub mod redis_server;
pub mod report;
pub mod rules;
mod runner_rules;
pub mod script;
mod site;
pub mod spy;
mod suite;

pub use async_trait::async_trait;

pub use backend::{Backend, Setup, Stop};
pub use breach::{Breach, Failure, Verdict, holds, present, same, unlike};
pub use case::Case;
pub use catalog::rules;
pub use markers::Markers;
pub use recount::Recount;
pub use site::Site;
pub use suite::{Judgement, Rule, Run, judge, test};
