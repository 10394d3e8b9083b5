//! Following a job, whoever runs it (R13).
//!
//! Events are derived from the rows, so that they can be read from any point on.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::shared::{Shared, lock};
use super::status;
use crate::error::Error;
use crate::id::JobId;
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::query::{TargetOrder, TargetQuery};
use crate::store::view::{Job, Target};
use crate::time::Timestamp;

/// Outcomes that are read at a time.
const PAGE: u32 = 256;

/// How long one read may take where less time is given.
const SHORTEST_READ: Duration = Duration::from_secs(1);

/// What happened to a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Its first target was started.
    Started {
        /// When.
        at: Timestamp,
    },
    /// An outcome was stored.
    Stored(Box<Target>),
    /// It has ended, and nothing of it is in flight; the last event.
    Ended(Box<Job>),
}

/// The events of one job, in order.
pub struct Watch {
    shared: Arc<Shared>,
    id: JobId,
    next: u64,
    started: bool,
    ended: bool,
    ready: VecDeque<Event>,
}

impl Watch {
    pub(super) fn new(shared: Arc<Shared>, id: JobId, from: u64) -> Self {
        let ready = VecDeque::new();
        Self {
            shared,
            id,
            next: from,
            started: from > 0,
            ended: false,
            ready,
        }
    }

    /// The next event; `None` after `Ended`. Safe to drop: no event is lost.
    ///
    /// # Errors
    /// `NotFound` or `Evicted` when the job went away.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if let Some(event) = self.ready.pop_front() {
                return Ok(Some(event));
            }
            if self.ended {
                return Ok(None);
            }
            let shared = self.shared.clone();
            let mut progress = std::pin::pin!(shared.signals.progress.notified());
            progress.as_mut().enable();
            if !self.read().await? {
                shared.pause(progress.as_mut()).await;
            }
        }
    }

    /// Reads what is new; whether there was anything.
    async fn read(&mut self) -> Result<bool, Error> {
        let job = status::job(&self.shared, &self.id).await?;
        if let Some(at) = job.started_at.filter(|_| !self.started) {
            self.started = true;
            self.ready.push_back(Event::Started { at });
        }
        if job.started_at.is_none() && job.status.is_live() {
            // What is stored by now belongs behind a start that this read did not see.
            return Ok(false);
        }
        let query = TargetQuery {
            id: self.id.clone(),
            order: TargetOrder::Stored,
            from: self.next,
            max: PAGE,
        };
        let page = status::targets(&self.shared, query).await?;
        self.next += page.targets.len() as u64;
        let complete = page.next.is_none();
        self.ready
            .extend(page.targets.into_iter().map(|t| Event::Stored(Box::new(t))));
        // The job was read first: whatever it counted is on this page or before.
        if complete && job.status.is_terminal() && job.counts.running == 0 {
            self.ended = true;
            self.ready.push_back(Event::Ended(Box::new(job)));
        }
        Ok(!self.ready.is_empty())
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Reads a job when it has ended, or as it was read last when the time is up.
pub(super) async fn wait(
    shared: &Shared,
    id: &JobId,
    timeout: Option<Duration>,
) -> Result<Job, Error> {
    let last = Mutex::default();
    let mut ended = std::pin::pin!(until_ended(shared, id, &last));
    let Some(limit) = timeout else {
        return ended.await;
    };
    // One answer is given a while, also where no time is.
    for more in [limit, SHORTEST_READ.saturating_sub(limit)] {
        tokio::select! {
            biased;
            ended = ended.as_mut() => return ended,
            () = shared.clock.sleep(more) => {}
        }
        if let Some(job) = lock(&last).take() {
            return Ok(job);
        }
    }
    Err(unanswered(id))
}

/// Reads a job until it has ended; `last` keeps it as it was read last.
async fn until_ended(shared: &Shared, id: &JobId, last: &Mutex<Option<Job>>) -> Result<Job, Error> {
    loop {
        let mut progress = std::pin::pin!(shared.signals.progress.notified());
        progress.as_mut().enable();
        let job = status::job(shared, id).await?;
        if job.status.is_terminal() {
            return Ok(job);
        }
        *lock(last) = Some(job);
        shared.pause(progress.as_mut()).await;
    }
}

fn unanswered(id: &JobId) -> Error {
    let reason = "the store gave no answer in time; wait longer, or try again";
    StoreError::new(StoreErrorKind::Unavailable, "job", reason)
        .with_id(id)
        .into()
}

impl Shared {
    /// Waits until a job of this runner moved on, or a poll has passed.
    async fn pause(&self, progress: std::pin::Pin<&mut tokio::sync::futures::Notified<'_>>) {
        tokio::select! {
            biased;
            () = progress => {}
            () = self.clock.sleep(self.config.poll) => {}
        }
    }
}
