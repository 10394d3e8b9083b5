//! How a runner is described and started.

use std::fmt;
use std::sync::Arc;

use super::Runner;
use super::close::Guard;
use super::shared::Shared;
use super::{recover, retain, session, worker};
use crate::caller::{Callers, PlainCallers};
use crate::clock::{Clock, SystemClock};
use crate::config::Config;
use crate::error::Error;
use crate::fetch::Fetch;
use crate::hooks::Hooks;
use crate::store::Store;

/// Describes a runner; every part but store and fetch has a default.
#[must_use = "a builder does nothing until it is started"]
pub struct RunnerBuilder {
    pub(super) store: Arc<dyn Store>,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) callers: Arc<dyn Callers>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) config: Config,
    pub(super) hooks: Hooks,
}

impl RunnerBuilder {
    pub(super) fn new(store: Arc<dyn Store>, fetch: Arc<dyn Fetch>) -> Self {
        Self {
            store,
            fetch,
            callers: Arc::new(PlainCallers),
            clock: Arc::new(SystemClock::new()),
            config: Config::default(),
            hooks: Hooks::default(),
        }
    }

    /// Its settings.
    pub fn config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// What it reports to.
    pub fn hooks(mut self, hooks: Hooks) -> Self {
        self.hooks = hooks;
        self
    }

    /// Its clock; the host's by default.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Self {
        self.clock = clock;
        self
    }

    /// How callers of jobs that it did not submit are rebuilt; plain by default.
    pub fn callers(mut self, callers: impl Callers) -> Self {
        self.callers = Arc::new(callers);
        self
    }

    /// Enters the store and starts the workers, on the current tokio runtime.
    ///
    /// # Errors
    /// `Store` when the store could not be entered within `store_retry_for`.
    pub async fn start(self) -> Result<Runner, Error> {
        let shared = Shared::new(self).await?;
        session::enter(&shared).await?;
        shared.spawn(session::beat);
        shared.spawn(recover::watch);
        shared.spawn(retain::sweep);
        shared.spawn(retain::evict);
        for _ in 0..shared.config.workers {
            shared.spawn_worker(worker::work);
        }
        Ok(Runner {
            guard: Arc::new(Guard { shared }),
        })
    }
}

impl fmt::Debug for RunnerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunnerBuilder").finish_non_exhaustive()
    }
}
