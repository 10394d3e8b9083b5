//! The rows of the model: everything that a read can show, and what resends need.
//!
//! They are kept as they are told and never derived twice: counts and bytes are counted
//! from the targets each time.

use std::time::Duration;

use batch_core::id::{JobId, Kind, RequestId, SessionId, Ticket};
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::{Answer, CallerName, Key, NewTarget, Settings, Start};
use batch_core::store::view::{Counts, Outcome};
use batch_core::time::Timestamp;

/// What names a job under a key: kind, caller name, key.
pub(super) type KeyName = (Kind, String, Key);

/// A session from its enter until its reap is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SessionRow {
    pub(super) kind: Kind,
    pub(super) host: String,
    pub(super) beat: u64,
    pub(super) beat_length: Duration,
}

/// A list that is being brought in, invisible to every read (R1.10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StageRow {
    pub(super) session: SessionId,
    pub(super) targets: Vec<NewTarget>,
    pub(super) last: Timestamp,
}

/// Where a job stands between two starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In the rotation, at this position.
    Ready(u64),
    /// In the waiting set, until this time.
    Waiting(Timestamp),
    /// In neither.
    None,
}

/// What ended a job, as far as a resend must find it again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EndedBy {
    Finish(Start),
    Cancel(RequestId),
    Store,
}

/// A job from its submit until it is swept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct JobRow {
    pub(super) seq: u64,
    pub(super) kind: Kind,
    pub(super) caller: CallerName,
    pub(super) key: Key,
    pub(super) digest: String,
    pub(super) settings: Settings,
    pub(super) status: JobStatus,
    pub(super) error: Option<&'static str>,
    pub(super) halting: bool,
    pub(super) place: Place,
    pub(super) targets: Vec<TargetRow>,
    pub(super) created_at: Timestamp,
    pub(super) started_at: Option<Timestamp>,
    pub(super) finished_at: Option<Timestamp>,
    pub(super) lease: Timestamp,
    pub(super) evicted: bool,
    pub(super) newest_rerun: Option<JobId>,
    pub(super) ended_by: Option<EndedBy>,
}

impl JobRow {
    /// How many targets stand where.
    pub(super) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for target in &self.targets {
            match target.status() {
                TargetStatus::Pending => counts.pending += 1,
                TargetStatus::Running => counts.running += 1,
                TargetStatus::Done => counts.done += 1,
                TargetStatus::Failed => counts.failed += 1,
            }
        }
        counts
    }

    /// The job's bytes; none once it is evicted.
    pub(super) fn bytes(&self) -> u64 {
        if self.evicted {
            return 0;
        }
        self.targets.iter().map(TargetRow::bytes).sum()
    }

    /// Targets that were started and have no outcome.
    pub(super) fn open(&self) -> u64 {
        let open = |target: &&TargetRow| {
            matches!(
                target.state,
                TargetState::Running { .. } | TargetState::Parked { .. }
            )
        };
        self.targets.iter().filter(open).count() as u64
    }

    /// The first target that was never started.
    pub(super) fn next_unstarted(&self) -> Option<usize> {
        let unstarted = |target: &TargetRow| target.state == TargetState::Unstarted;
        self.targets.iter().position(unstarted)
    }

    /// The parked target that comes first: by due time, then index (R2.2).
    pub(super) fn first_parked(&self) -> Option<(Timestamp, usize)> {
        let due = |(index, target): (usize, &TargetRow)| match target.state {
            TargetState::Parked { due } => Some((due, index)),
            _ => None,
        };
        self.targets.iter().enumerate().filter_map(due).min()
    }

    /// S6.1: over from `lease + ttl` on.
    pub(super) fn is_over(&self, now: Timestamp) -> bool {
        self.lease.after(self.settings.ttl) <= now
    }

    /// Somebody cared for the job: the lease never moves back.
    pub(super) fn care(&mut self, now: Timestamp) {
        self.lease = self.lease.max(now);
    }

    /// Whether this very finish ended the job.
    pub(super) fn ended_by_finish(&self, start: &Start) -> bool {
        matches!(&self.ended_by, Some(EndedBy::Finish(by)) if by == start)
    }
}

/// A target of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TargetRow {
    pub(super) url: String,
    pub(super) options: String,
    pub(super) origin: u64,
    pub(super) fence: u64,
    pub(super) state: TargetState,
    pub(super) losses: u32,
    pub(super) busy: u32,
    pub(super) busy_since: Option<Timestamp>,
    pub(super) answered: Option<Answered>,
}

/// Where a target stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TargetState {
    Unstarted,
    Running { session: SessionId, ticket: Ticket },
    Parked { due: Timestamp },
    Stored(Box<Stored>),
}

/// A stored outcome; its fence is the target's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stored {
    pub(super) outcome: Outcome,
    pub(super) ordinal: u64,
    pub(super) by: StoredBy,
    pub(super) session: SessionId,
    pub(super) elapsed: Option<Duration>,
    pub(super) at: Timestamp,
}

/// Who stored an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoredBy {
    Finish,
    Reap,
}

/// The last start that came back without an outcome, and its answer (S2.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answered {
    pub(super) session: SessionId,
    pub(super) fence: u64,
    pub(super) answer: Answer,
}

impl TargetRow {
    /// A target before its first start.
    pub(super) fn new(target: &NewTarget, index: u64) -> Self {
        Self {
            url: target.url.clone(),
            options: target.options.clone(),
            origin: target.origin.unwrap_or(index),
            fence: 0,
            state: TargetState::Unstarted,
            losses: 0,
            busy: 0,
            busy_since: None,
            answered: None,
        }
    }

    /// The status that reads show.
    pub(super) fn status(&self) -> TargetStatus {
        match &self.state {
            TargetState::Unstarted | TargetState::Parked { .. } => TargetStatus::Pending,
            TargetState::Running { .. } => TargetStatus::Running,
            TargetState::Stored(stored) => stored.outcome.status(),
        }
    }

    fn bytes(&self) -> u64 {
        let outcome = match &self.state {
            TargetState::Stored(stored) => stored.outcome.bytes(),
            _ => 0,
        };
        (self.url.len() + self.options.len()) as u64 + outcome
    }
}
