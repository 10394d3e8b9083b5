//! Following a job, whoever runs it (R13).
//!
//! Events are derived from the rows, so that they can be read from any point on.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::shared::Shared;
use super::status;
use crate::error::Error;
use crate::id::JobId;
use crate::store::query::{TargetOrder, TargetQuery};
use crate::store::view::{Job, Target};
use crate::time::Timestamp;

/// Outcomes that are read at a time.
const PAGE: u32 = 256;

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

/// Reads a job when it has ended, or as it is when the time is up.
pub(super) async fn wait(
    shared: &Shared,
    id: &JobId,
    timeout: Option<Duration>,
) -> Result<Job, Error> {
    let begun = shared.clock.elapsed();
    loop {
        let mut progress = std::pin::pin!(shared.signals.progress.notified());
        progress.as_mut().enable();
        let job = status::job(shared, id).await?;
        let passed = shared.clock.elapsed().saturating_sub(begun);
        if job.status.is_terminal() || timeout.is_some_and(|limit| passed >= limit) {
            return Ok(job);
        }
        match timeout {
            None => shared.pause(progress.as_mut()).await,
            Some(limit) => tokio::select! {
                biased;
                () = shared.pause(progress.as_mut()) => {}
                () = shared.clock.sleep(limit.saturating_sub(passed)) => {}
            },
        }
    }
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
