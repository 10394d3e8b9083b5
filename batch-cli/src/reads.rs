//! Reads of a store, sent again for a while when it could not answer.

use std::sync::Arc;
use std::time::Duration;

use batch_core::clock::{Clock, SystemClock};
use batch_core::error::Error;
use batch_core::id::JobId;
use batch_core::store::query::{JobList, JobQuery, TargetQuery};
use batch_core::store::reply::{JobPage, JobReply, TargetPage, TargetReply};
use batch_core::store::view::Job;
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;

use crate::exit::Failure;

/// The wait between two sendings.
const PAUSE: Duration = Duration::from_millis(250);

/// Reads a store.
#[derive(Clone)]
pub(crate) struct Reads {
    store: Arc<dyn Store>,
    patience: Duration,
    clock: SystemClock,
}

impl Reads {
    /// Reads that fail when the store does.
    pub(crate) fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            patience: Duration::ZERO,
            clock: SystemClock::new(),
        }
    }

    /// The same reads, sent again for this long.
    pub(crate) fn patient(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The time that calls carry.
    pub(crate) async fn time(&self) -> Result<Timestamp, Failure> {
        Ok(self.again(|| store_time(self.store.as_ref())).await?)
    }

    pub(crate) async fn pause(&self) {
        self.clock.sleep(PAUSE).await;
    }

    pub(crate) async fn find(&self, query: JobQuery) -> Result<Option<Job>, Failure> {
        match self.again(|| self.store.job(query.clone())).await? {
            JobReply::Found(job) => Ok(Some(*job)),
            JobReply::NotFound => Ok(None),
        }
    }

    pub(crate) async fn job(&self, id: &JobId) -> Result<Job, Failure> {
        let found = self.find(JobQuery::Id(id.clone())).await?;
        found.ok_or_else(|| Error::NotFound.into())
    }

    pub(crate) async fn targets(&self, query: TargetQuery) -> Result<TargetPage, Failure> {
        match self.again(|| self.store.targets(query.clone())).await? {
            TargetReply::Page(page) => Ok(page),
            TargetReply::Evicted => Err(Error::Evicted.into()),
            TargetReply::NotFound => Err(Error::NotFound.into()),
        }
    }

    pub(crate) async fn list(&self, query: JobList) -> Result<JobPage, Failure> {
        Ok(self.again(|| self.store.list(query.clone())).await?)
    }

    /// Sends a call that may be sent again, for as long as these reads are patient.
    pub(crate) async fn again<T, F>(&self, call: impl Fn() -> F) -> StoreResult<T>
    where
        F: Future<Output = StoreResult<T>>,
    {
        let begun = self.clock.elapsed();
        loop {
            match call().await {
                Err(error) if error.kind().may_retry() => {
                    if self.clock.elapsed().saturating_sub(begun) >= self.patience {
                        return Err(error);
                    }
                }
                answer => return answer,
            }
            self.pause().await;
        }
    }
}

/// The store's own time, or the host's for a store that has none (S15).
pub(crate) async fn store_time(store: &dyn Store) -> StoreResult<Timestamp> {
    let own = store.capabilities().await?.store_time;
    Ok(own.unwrap_or_else(|| SystemClock::new().now()))
}

impl std::fmt::Debug for Reads {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reads").finish_non_exhaustive()
    }
}
