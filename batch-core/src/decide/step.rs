//! One change of one job, with everything that is counted along with it.
//!
//! The counters of kind and caller are derived from the difference between the
//! row before and the row after: that is why they cannot drift (R4.1, S13).

use super::change::Change;
use super::ending;
use super::place;
use super::row::{CallerRow, EndedBy, JobRow, KindRow, Place};
use super::rows::Rows;
use crate::state::JobStatus;
use crate::store::StoreResult;
use crate::store::reply::{Ended, Ending};
use crate::store::view::KindStats;
use crate::time::Timestamp;

/// A job while a decision changes it.
pub(super) struct Step {
    before: JobRow,
    pub(super) job: JobRow,
    pub(super) kind: KindRow,
    now: Timestamp,
}

impl Step {
    /// Begins to change `job`.
    pub(super) fn of(rows: &impl Rows, job: JobRow, now: Timestamp) -> StoreResult<Self> {
        let kind = kind_of(rows, &job)?;
        Ok(Self::with_kind(job, kind, now))
    }

    /// The same, with a kind that was read, and perhaps changed, before.
    pub(super) fn with_kind(job: JobRow, kind: KindRow, now: Timestamp) -> Self {
        Self {
            before: job.clone(),
            job,
            kind,
            now,
        }
    }

    /// Whether the job was live before this step.
    pub(super) fn was_live(&self) -> bool {
        self.before.status.is_live()
    }

    /// Moves the lease to `now`, never back.
    pub(super) fn move_lease(&mut self) {
        self.job.lease = self.job.lease.max(self.now);
    }

    /// Ends a live job.
    pub(super) fn end(&mut self, status: JobStatus, error: Option<&str>, by: EndedBy) {
        debug_assert!(
            self.job.status.may_become(status),
            "an ending follows the table"
        );
        self.job.status = status;
        self.job.error = error.map(str::to_owned);
        self.job.ended_by = Some(by);
        self.job.finished = Some(self.now);
        self.job.place = Place::Nowhere;
        self.move_lease();
        self.job.expiry = self.job.lease.after(self.job.ttl);
    }

    /// Ends the job if its outcomes say so, else finds its place in the rotation.
    pub(super) fn settle(&mut self, earliest_due: Option<Timestamp>, by: EndedBy) {
        if let Some((status, error)) = ending::verdict(&self.job) {
            self.end(status, error, by);
        } else {
            place::settle(&mut self.job, &mut self.kind, earliest_due, self.now);
        }
    }

    /// How the job ended, if this step ended it.
    pub(super) fn ending(&self) -> Option<Ending> {
        let ended = self.was_live() && self.job.status.is_terminal();
        ended.then_some(Ending {
            status: self.job.status,
            created_at: self.job.created,
        })
    }

    /// The same, for a reply that lists jobs.
    pub(super) fn ended(&self) -> Option<Ended> {
        self.ending().map(|ending| Ended {
            id: self.job.id.clone(),
            kind: self.job.kind.clone(),
            status: ending.status,
            created_at: ending.created_at,
        })
    }

    /// The job, its kind and its caller as they are now.
    pub(super) fn into_changes(mut self, rows: &impl Rows) -> StoreResult<Vec<Change>> {
        self.file_expiry();
        count(&mut self.kind.stats, &self.before, &self.job);
        let mut changes = Vec::with_capacity(4);
        if self.ending().is_some() {
            changes.push(one_live_less(rows, &self.job)?);
        }
        changes.push(Change::PutJob {
            before: Box::new(self.before),
            after: Box::new(self.job),
        });
        changes.push(Change::PutKind(self.kind));
        Ok(changes)
    }

    /// S6: sweep put a job in flight off; once it is not, its own time counts again.
    fn file_expiry(&mut self) {
        let own = self.job.lease.after(self.job.ttl);
        if self.job.running == 0 && self.job.expiry > own {
            self.job.expiry = own;
        }
    }
}

/// The kind of a job, which exists as long as the job does.
pub(super) fn kind_of(rows: &impl Rows, job: &JobRow) -> StoreResult<KindRow> {
    let known = rows.kind(&job.kind)?;
    Ok(known.unwrap_or_else(|| KindRow {
        name: job.kind.clone(),
        ..KindRow::default()
    }))
}

/// The caller's live jobs without one that ended.
fn one_live_less(rows: &impl Rows, job: &JobRow) -> StoreResult<Change> {
    let live = rows.caller_live(&job.kind, &job.caller.name)?;
    Ok(Change::PutCaller(CallerRow {
        kind: job.kind.clone(),
        name: job.caller.name.clone(),
        live: live.saturating_sub(1),
    }))
}

/// What a job adds to the bytes of its kind's terminal jobs.
pub(super) fn terminal_bytes(job: &JobRow) -> u64 {
    if job.status.is_terminal() {
        job.bytes
    } else {
        0
    }
}

/// Moves the counts of a kind by the difference that one job made.
fn count(stats: &mut KindStats, before: &JobRow, after: &JobRow) {
    stats.terminal_bytes =
        (stats.terminal_bytes + terminal_bytes(after)).saturating_sub(terminal_bytes(before));
    stats.counters.targets_done += after.done - before.done;
    stats.counters.targets_failed += after.failed - before.failed;
    if before.status == after.status {
        return;
    }
    move_one(stats, before.status, after.status);
    if before.status.is_live() && after.status.is_terminal() {
        stats.live = stats.live.saturating_sub(1);
        count_ending(stats, after.status);
    }
}

fn move_one(stats: &mut KindStats, from: JobStatus, to: JobStatus) {
    if let Some(jobs) = stats.jobs.get_mut(from.index()) {
        *jobs = jobs.saturating_sub(1);
    }
    if let Some(jobs) = stats.jobs.get_mut(to.index()) {
        *jobs += 1;
    }
}

fn count_ending(stats: &mut KindStats, end: JobStatus) {
    match end {
        JobStatus::Done => stats.counters.jobs_done += 1,
        JobStatus::Partial => stats.counters.jobs_partial += 1,
        JobStatus::Failed => stats.counters.jobs_failed += 1,
        JobStatus::Cancelled => stats.counters.jobs_cancelled += 1,
        JobStatus::Queued | JobStatus::Running => {}
    }
}
