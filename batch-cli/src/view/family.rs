//! A job and the jobs that ran some of its targets again.

use std::collections::HashSet;

use batch_core::id::JobId;
use batch_core::limits::LIST_EXAMINED;
use batch_core::state::JobStatus;
use batch_core::store::query::{JobFilter, JobList, JobOrder};
use batch_core::store::view::{Counts, Job};

use crate::exit::Failure;
use crate::reads::Reads;

/// A job and all its reruns, in the order in which they were made.
#[derive(Debug, Clone)]
pub(crate) struct Family {
    pub(crate) root: Job,
    pub(crate) reruns: Vec<Job>,
}

impl Family {
    /// Finds the reruns of a job, and theirs; all are of its kind.
    pub(crate) async fn of(reads: &Reads, root: Job) -> Result<Self, Failure> {
        let mut family = Self {
            root,
            reruns: Vec::new(),
        };
        if family.root.newest_rerun.is_none() {
            return Ok(family);
        }
        let mut known = HashSet::from([family.root.id.clone()]);
        let mut after = None;
        loop {
            let filter = JobFilter {
                kind: Some(family.root.kind.clone()),
                ..JobFilter::default()
            };
            let order = JobOrder::Sequence;
            let page = reads
                .list(JobList {
                    filter,
                    order,
                    after,
                    max: LIST_EXAMINED,
                })
                .await?;
            for job in page.jobs {
                if job
                    .rerun_of
                    .as_ref()
                    .is_some_and(|origin| known.contains(origin))
                {
                    known.insert(job.id.clone());
                    family.reruns.push(job);
                }
            }
            if page.next.is_none() {
                return Ok(family);
            }
            after = page.next;
        }
    }

    /// Reads again those that may have changed.
    pub(crate) async fn refresh(&mut self, reads: &Reads) -> Result<(), Failure> {
        for job in std::iter::once(&mut self.root).chain(&mut self.reruns) {
            if !is_settled(job) {
                *job = reads.job(&job.id).await?;
            }
        }
        Ok(())
    }

    pub(crate) fn jobs(&self) -> impl DoubleEndedIterator<Item = &Job> {
        std::iter::once(&self.root).chain(&self.reruns)
    }

    pub(crate) fn ids(&self) -> Vec<JobId> {
        self.jobs().map(|job| job.id.clone()).collect()
    }

    /// The member at this place, the root being the first.
    pub(crate) fn member(&self, place: usize) -> Option<&Job> {
        match place.checked_sub(1) {
            None => Some(&self.root),
            Some(place) => self.reruns.get(place),
        }
    }

    /// Whether no member changes any more.
    pub(crate) fn is_settled(&self) -> bool {
        self.jobs().all(is_settled)
    }

    pub(crate) fn is_evicted(&self) -> bool {
        self.jobs().any(|job| job.evicted)
    }

    /// Counts of the whole, from those of its targets with an outcome.
    pub(crate) fn counts(&self, done: u64, failed: u64) -> Counts {
        let running: u64 = self.jobs().map(|job| job.counts.running).sum();
        let open = self.root.total.saturating_sub(done).saturating_sub(failed);
        let running = running.min(open);
        Counts {
            pending: open - running,
            running,
            done,
            failed,
        }
    }

    /// The status of the whole: that of a single job, else what its counts say.
    pub(crate) fn status(&self, counts: Counts) -> JobStatus {
        let Some(newest) = self.reruns.last() else {
            return self.root.status;
        };
        if self.jobs().any(|job| job.status.is_live()) {
            JobStatus::Running
        } else if counts.done == self.root.total {
            JobStatus::Done
        } else if counts.pending > 0 && newest.status == JobStatus::Cancelled {
            JobStatus::Cancelled
        } else if counts.done == 0 {
            JobStatus::Failed
        } else {
            JobStatus::Partial
        }
    }
}

/// Ended, and nothing of it in flight.
fn is_settled(job: &Job) -> bool {
    job.status.is_terminal() && job.counts.running == 0
}
