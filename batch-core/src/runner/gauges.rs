//! The jobs that a runner has to do with, and the targets that it fetches (R7).
//!
//! Hooks are called after the change, with no lock held and every panic caught; how a
//! gauge is told in order is in `gauge.rs`.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::gauge::Gauge;
use super::shared::{Shared, lock};
use crate::caller::{BoxError, Caller};
use crate::hooks::{Hooks, JobEvent};
use crate::id::JobId;
use crate::store::reply::Ending;

/// Callers by job, live jobs, and targets being fetched.
pub(super) struct Gauges {
    callers: Mutex<HashMap<JobId, Arc<dyn Caller>>>,
    live: Gauge<Live>,
    fetching: Gauge<usize>,
}

impl Gauges {
    pub(super) fn new(hooks: &Hooks) -> Self {
        Self {
            callers: Mutex::default(),
            live: Gauge::new(hooks.depth.clone()),
            fetching: Gauge::new(hooks.inflight.clone()),
        }
    }

    /// R1.8: the caller is known before the store is.
    pub(super) fn register(&self, id: &JobId, caller: Arc<dyn Caller>) {
        lock(&self.callers).insert(id.clone(), caller);
    }

    /// The submit made no job of this id.
    pub(super) fn unregister(&self, id: &JobId) {
        let caller = lock(&self.callers).remove(id);
        let_go(caller);
    }

    /// The caller of a job that this runner submitted.
    pub(super) fn caller(&self, id: &JobId) -> Option<Arc<dyn Caller>> {
        lock(&self.callers).get(id).cloned()
    }

    /// A submit made this job. It may have ended before the submit's reply came.
    pub(super) fn job_made(&self, id: &JobId) {
        self.live.change(|live| {
            let known = lock(&self.callers).contains_key(id);
            if known { live.add(id) } else { None }
        });
    }

    /// This runner has a target of the job in flight.
    pub(super) fn job_lives(&self, id: &JobId) {
        self.live.change(|live| live.add(id));
    }

    /// A job ended, wherever that became known.
    pub(super) fn job_ended(&self, id: &JobId) {
        self.unregister(id);
        self.live
            .change(|live| live.jobs.remove(id).then_some(live.jobs.len()));
    }

    /// The job to look after next; each in turn.
    pub(super) fn next_to_check(&self) -> Option<JobId> {
        self.live.with(Live::next)
    }

    /// R7.2: the runner is closed. Whatever its tries still do, it counts nothing more.
    pub(super) fn close(&self) {
        let callers = std::mem::take(&mut *lock(&self.callers));
        callers.into_values().for_each(let_go);
        self.live.close();
        self.fetching.close();
    }

    /// Counts a fetch until the guard is dropped.
    pub(super) fn fetching(&self) -> Fetching<'_> {
        self.count_fetch(1);
        Fetching(self)
    }

    fn count_fetch(&self, change: isize) {
        self.fetching.change(|fetching| {
            *fetching = fetching.saturating_add_signed(change);
            Some(*fetching)
        });
    }
}

/// Live jobs, and which of them was looked after last.
#[derive(Default)]
struct Live {
    jobs: BTreeSet<JobId>,
    last: Option<JobId>,
}

impl Live {
    /// Counts a job that was not counted before; the new depth.
    fn add(&mut self, id: &JobId) -> Option<usize> {
        if self.jobs.contains(id) {
            return None;
        }
        self.jobs.insert(id.clone());
        Some(self.jobs.len())
    }

    /// The one behind the last one, in the order of ids and around.
    fn next(&mut self) -> Option<JobId> {
        let behind = self.last.take().and_then(|last| {
            let behind = (Bound::Excluded(last), Bound::Unbounded);
            self.jobs.range(behind).next().cloned()
        });
        self.last = behind.or_else(|| self.jobs.first().cloned());
        self.last.clone()
    }
}

/// One fetch that is under way.
pub(super) struct Fetching<'a>(&'a Gauges);

impl Drop for Fetching<'_> {
    fn drop(&mut self) {
        self.0.count_fetch(-1);
    }
}

impl Shared {
    /// Tells of a job.
    pub(super) fn tell_job(&self, event: JobEvent) {
        if let Some(hook) = &self.hooks.job {
            quietly(|| hook(event));
        }
    }

    /// R4.2: by the one that made the transition.
    pub(super) fn tell_ended(&self, id: &JobId, ending: Ending) {
        self.gauges.job_ended(id);
        self.tell_job(JobEvent::Ended(ending.status));
        if let Some(hook) = &self.hooks.job_seconds {
            let took = self.now().since(ending.created_at);
            quietly(|| hook(took));
        }
        self.signals.progress.notify_waiters();
    }

    /// R3.4: once per target that this runner stored.
    pub(super) fn tell_target(&self, error: Option<&BoxError>, took: Duration, bytes: usize) {
        if let Some(hook) = &self.hooks.target {
            quietly(|| hook(error, took, bytes));
        }
        self.signals.progress.notify_waiters();
    }
}

/// R7.3: a panic in a hook harms nothing.
pub(super) fn quietly(call: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
        let_go(panic);
        tracing::warn!("a hook panicked");
    }
}

/// Drops what injected code made, which may panic, and so may what that carries.
pub(super) fn let_go<T>(value: T) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(move || drop(value))) {
        std::mem::forget(panic);
    }
}
