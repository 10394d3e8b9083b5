//! The runner: a handle through which a service submits, watches and ends jobs.
//!
//! Each concern is a file of its own; this one holds the public face.

mod attempt;
mod builder;
mod close;
mod deliver;
mod gauge;
mod gauges;
mod recover;
mod rerun;
mod retain;
mod retry;
mod scan;
mod send;
mod session;
mod shared;
mod status;
mod submit;
mod tally;
mod watch;
mod worker;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use builder::RunnerBuilder;
pub use close::CloseReport;
pub use tally::Tally;
pub use watch::{Event, Watch};

use crate::caller::Caller;
use crate::error::Error;
use crate::fetch::Fetch;
use crate::id::JobId;
use crate::store::Store;
use crate::store::query::{JobList, StatsQuery, TargetQuery};
use crate::store::reply::{JobPage, Stats, TargetPage};
use crate::store::view::Job;
use crate::submission::{Selection, Submission, Submitted};
use close::Guard;

/// Runs jobs from a store. Cheap to clone; all clones are one runner.
///
/// Dropping the last clone begins a close that nobody waits for (R10.5). Every
/// method may be dropped at any point; a submit that has begun finishes all the
/// same (R1.8).
///
/// # Example
///
/// ```
/// use std::sync::Arc;
/// use batch_core::caller::{Caller, PlainCaller};
/// use batch_core::fetch::{Attempt, CancelSignal};
/// use batch_core::memory::MemoryStore;
/// use batch_core::runner::Runner;
/// use batch_core::store::call::NewTarget;
/// use batch_core::submission::Submission;
/// use batch_core::target::RawTarget;
///
/// async fn fetch(
///     _: Attempt,
///     _: CancelSignal,
///     _: Arc<dyn Caller>,
///     target: RawTarget,
/// ) -> Result<usize, std::io::Error> {
///     Ok(target.url.len())
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let runner = Runner::builder(Arc::new(MemoryStore::new()), fetch).start().await?;
/// let caller = Arc::new(PlainCaller::new("ann"));
/// let targets = vec![NewTarget::new("one"), NewTarget::new("three")];
/// let submitted = runner.submit(Submission::new(caller, targets)).await?;
/// let job = runner.wait(&submitted.id, None).await?;
/// assert_eq!(job.counts.done, 2);
/// runner.close(None).await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Runner {
    guard: Arc<Guard>,
}

impl Runner {
    /// Begins to describe a runner of this work on this store.
    pub fn builder(store: Arc<dyn Store>, fetch: impl Fetch) -> RunnerBuilder {
        RunnerBuilder::new(store, Arc::new(fetch))
    }

    /// Makes a job, or finds the one that the same request made before (R1).
    ///
    /// # Errors
    /// What is wrong with the targets, which cap is reached, or what the store said.
    /// `Store` of kind `Unknown` means that the job may exist: submit again.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, Error> {
        submit::submit(&self.guard.shared, submission).await
    }

    /// Makes a new job of the chosen targets of a terminal one (R12).
    ///
    /// The same as submitting a [`Submission::rerun`] with its defaults.
    ///
    /// # Errors
    /// `NotEnded`, `Evicted`, `NotFound`, `NothingToRerun`, and those of `submit`.
    pub async fn rerun(
        &self,
        caller: Arc<dyn Caller>,
        id: &JobId,
        selection: Selection,
    ) -> Result<Submitted, Error> {
        self.submit(Submission::rerun(caller, id, selection)).await
    }

    /// Ends a live job (R5). `false` for one that is unknown or has ended.
    pub async fn cancel(&self, id: &JobId) -> Result<bool, Error> {
        status::cancel(&self.guard.shared, id).await
    }

    /// Moves the lease of a job (R6). `false` for an unknown one.
    pub async fn touch(&self, id: &JobId) -> Result<bool, Error> {
        status::touch(&self.guard.shared, id).await
    }

    /// Reads a job; a pure read (R6).
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn status(&self, id: &JobId) -> Result<Job, Error> {
        status::job(&self.guard.shared, id).await
    }

    /// Reads one consistent page of a job's targets; a pure read (R6).
    ///
    /// # Errors
    /// `NotFound` and `Evicted`, also when the job went away between two pages.
    pub async fn targets(&self, query: TargetQuery) -> Result<TargetPage, Error> {
        status::targets(&self.guard.shared, query).await
    }

    /// Reads a page of jobs.
    pub async fn list(&self, query: JobList) -> Result<JobPage, Error> {
        status::list(&self.guard.shared, query).await
    }

    /// Reads the counts of a kind.
    pub async fn stats(&self, query: StatsQuery) -> Result<Stats, Error> {
        status::stats(&self.guard.shared, query).await
    }

    /// Follows a job from its outcome of this ordinal on (R13); 0 for all of it.
    pub fn watch(&self, id: &JobId, from: u64) -> Watch {
        Watch::new(self.guard.shared.clone(), id.clone(), from)
    }

    /// Waits until the job has ended, or `timeout` has passed, and reads it (R13.2).
    ///
    /// # Errors
    /// `NotFound`.
    pub async fn wait(&self, id: &JobId, timeout: Option<Duration>) -> Result<Job, Error> {
        watch::wait(&self.guard.shared, id, timeout).await
    }

    /// What this runner counted of calls that changed nothing (R7.4).
    pub fn tally(&self) -> Tally {
        self.guard.shared.tally.read()
    }

    /// Stops the runner (R10), within `deadline` if there is one.
    ///
    /// Fetches are signalled and awaited; one that ends with an error is handed back, and
    /// what is left at the deadline is taken back like that of a dead session.
    /// Calling it again, or dropping the future, is harmless.
    pub async fn close(&self, deadline: Option<Duration>) -> CloseReport {
        close::close(&self.guard.shared, deadline).await
    }
}

impl fmt::Debug for Runner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Runner").finish_non_exhaustive()
    }
}
