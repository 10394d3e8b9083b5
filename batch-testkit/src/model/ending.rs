//! Outcomes and endings: by the last outcome, by halting, from outside (R4, R9.6, R14).

use batch_core::id::{JobId, Kind};
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::Halt;
use batch_core::store::view::{Counts, Outcome};
use batch_core::time::Timestamp;

use super::Model;
use super::row::{EndedBy, JobRow, Place, Stored, TargetState};

impl Model {
    /// R3.3, R14.1: keeps an outcome for good; the job may be halting from now on.
    pub(super) fn store_outcome(&mut self, id: &JobId, index: u64, mut stored: Stored) {
        let Some(job) = self.jobs.get_mut(id) else {
            return;
        };
        let before = job.counts();
        stored.ordinal = before.done + before.failed;
        job.care(stored.at);
        let status = stored.outcome.status();
        let index = usize::try_from(index).ok();
        if let Some(target) = index.and_then(|index| job.targets.get_mut(index)) {
            target.state = TargetState::Stored(Box::new(stored));
            target.answered = None;
        }
        job.halting |= job.status.is_live() && reached(job.settings.halt, job);
        let kind = job.kind.clone();
        let counters = self.counters(&kind);
        match status {
            TargetStatus::Done => counters.targets_done += 1,
            _ => counters.targets_failed += 1,
        }
    }

    /// R4.1, R14.2: ends a live job that has everything stored, or that is halting with
    /// nothing in flight.
    pub(super) fn end_if_due(&mut self, id: &JobId, by: &EndedBy, now: Timestamp) {
        let Some(job) = self.jobs.get(id).filter(|job| job.status.is_live()) else {
            return;
        };
        let counts = job.counts();
        if counts.running > 0 {
            return;
        }
        if counts.pending == 0 {
            self.end(id, by.clone(), (by_outcomes(counts), None), now);
        } else if job.halting {
            let status = match counts.done {
                0 => JobStatus::Failed,
                _ => JobStatus::Partial,
            };
            self.end(id, by.clone(), (status, Some("halted")), now);
        }
    }

    /// R9.6: nobody can run the job.
    pub(super) fn end_unknown_caller(&mut self, id: &JobId, by: EndedBy, now: Timestamp) {
        let live = self.jobs.get(id).is_some_and(|job| job.status.is_live());
        if live {
            self.end(id, by, (JobStatus::Failed, Some("unknown caller")), now);
        }
    }

    /// Makes a live job terminal: it leaves its place, and its lease moves.
    pub(super) fn end(
        &mut self,
        id: &JobId,
        by: EndedBy,
        (status, error): (JobStatus, Option<&'static str>),
        now: Timestamp,
    ) {
        let Some(job) = self.jobs.get_mut(id) else {
            return;
        };
        job.status = status;
        job.error = error;
        job.finished_at = Some(now);
        job.place = Place::None;
        job.ended_by = Some(by);
        job.care(now);
        let kind = job.kind.clone();
        let counters = self.counters(&kind);
        match status {
            JobStatus::Done => counters.jobs_done += 1,
            JobStatus::Partial => counters.jobs_partial += 1,
            JobStatus::Cancelled => counters.jobs_cancelled += 1,
            _ => counters.jobs_failed += 1,
        }
    }

    /// Bytes of the kind's terminal jobs.
    pub(super) fn terminal_bytes(&self, kind: &Kind) -> u64 {
        let terminal = |job: &&JobRow| job.kind == *kind && job.status.is_terminal();
        self.jobs.values().filter(terminal).map(JobRow::bytes).sum()
    }
}

/// R4.1: by what the outcomes say.
fn by_outcomes(counts: Counts) -> JobStatus {
    match (counts.done, counts.failed) {
        (_, 0) => JobStatus::Done,
        (0, _) => JobStatus::Failed,
        _ => JobStatus::Partial,
    }
}

/// R14.1: so many failures, or such a share of the job.
fn reached(halt: Halt, job: &JobRow) -> bool {
    let failed = job.counts().failed;
    match halt {
        Halt::Never => false,
        Halt::Failures(limit) => failed >= limit.max(1),
        Halt::Percent(percent) => {
            let share = u64::from(percent.max(1)).saturating_mul(job.targets.len() as u64);
            failed.saturating_mul(100) >= share
        }
    }
}

/// R9.5: what is stored for a target whose starts were lost too often.
pub(super) fn interrupted() -> Outcome {
    Outcome::Failed {
        error: "interrupted".to_owned(),
        hint: None,
    }
}
