//! The rows that the decisions read and change: plain data, one struct per table.
//!
//! A store keeps them as it likes, see `rows.rs`. What reads show is in
//! `store/view.rs`.

use std::time::Duration;

use crate::id::{JobId, Kind, SessionId, Ticket};
use crate::state::{JobStatus, TargetStatus};
use crate::store::call::{CallerName, Halt, Key, Start};
use crate::store::query::JobFilter;
use crate::store::view::{Counts, Job, KindStats, Outcome, Session, SessionLock};
use crate::time::Timestamp;

/// Where a job stands in its kind's rotation (R2.1, R2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// In neither set: it may start nothing, now or later by itself.
    Nowhere,
    /// In the rotation, at this position.
    Ready {
        /// Smaller is earlier.
        pos: u64,
    },
    /// In the waiting set, until this time.
    Waiting {
        /// When its earliest parked target is due.
        due: Timestamp,
    },
}

/// Which call ended a job; it may be sent again (S2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EndedBy {
    /// The finish of this start.
    Finish {
        /// The target.
        index: u64,
        /// The session of the start.
        session: SessionId,
        /// The fence of the start.
        fence: u64,
    },
    /// The cancel of this request.
    Cancel {
        /// The request's id.
        request: String,
    },
    /// A step of reap.
    Reap,
    /// A step of sweep.
    Expiry,
}

/// A job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobRow {
    /// Its place in the store's sequence; the row's key.
    pub seq: u64,
    /// Where its targets, starts and outcomes are kept; unique, and never its `seq` if staged.
    pub rows: u64,
    /// Its id.
    pub id: JobId,
    /// Its kind.
    pub kind: Kind,
    /// Who submitted it.
    pub caller: CallerName,
    /// The key that it was made under.
    pub key: Key,
    /// Digest of caller and targets.
    pub digest: String,
    /// How many targets may be open.
    pub width: u32,
    /// When failures stop it.
    pub halt: Halt,
    /// The session that alone runs it.
    pub pin: Option<SessionId>,
    /// How long it is kept after its lease.
    pub ttl: Duration,
    /// Lost starts in a row that fail a target.
    pub max_losses: u32,
    /// The job that it runs again.
    pub rerun_of: Option<JobId>,
    /// The newest job that runs it again.
    pub newest_rerun: Option<JobId>,
    /// When it was submitted.
    pub created: Timestamp,
    /// When its first target was started.
    pub started: Option<Timestamp>,
    /// When it ended.
    pub finished: Option<Timestamp>,
    /// When somebody last cared for it.
    pub lease: Timestamp,
    /// When sweep looks at it next (S6).
    pub expiry: Timestamp,
    /// Where it stands.
    pub status: JobStatus,
    /// Why it was ended from outside.
    pub error: Option<String>,
    /// Which call ended it.
    pub ended_by: Option<EndedBy>,
    /// Number of targets.
    pub total: u64,
    /// The first target that was never started.
    pub next: u64,
    /// Targets with a result.
    pub done: u64,
    /// Targets with an error.
    pub failed: u64,
    /// Targets in flight.
    pub running: u64,
    /// Open targets that nobody runs.
    pub parked: u64,
    /// Whether failures have stopped it.
    pub halting: bool,
    /// Whether its targets are gone.
    pub evicted: bool,
    /// Bytes of targets and outcomes.
    pub bytes: u64,
    /// Where it stands in the rotation.
    pub place: Place,
}

impl JobRow {
    /// Targets that are started and have no outcome yet.
    pub fn open(&self) -> u64 {
        self.running + self.parked
    }

    /// Targets with an outcome.
    pub fn stored(&self) -> u64 {
        self.done + self.failed
    }

    /// Targets without an outcome that nobody runs.
    pub fn pending(&self) -> u64 {
        self.total.saturating_sub(self.stored() + self.running)
    }

    /// Whether it is terminal, holds its targets, and nothing is in flight (S7).
    pub fn is_freeable(&self) -> bool {
        self.status.is_terminal() && !self.evicted && self.running == 0
    }

    /// Whether lease + ttl has passed (S6).
    pub fn is_past_ttl(&self, now: Timestamp) -> bool {
        self.lease.after(self.ttl) <= now
    }

    /// Whether a list with this filter shows it.
    pub fn matches(&self, filter: &JobFilter) -> bool {
        let JobFilter {
            kind,
            caller,
            status,
        } = filter;
        kind.as_ref().is_none_or(|kind| *kind == self.kind)
            && caller
                .as_ref()
                .is_none_or(|caller| *caller == self.caller.name)
            && status.is_none_or(|status| status == self.status)
    }

    /// Its place in the rotation; the last one of all when it is in none.
    pub fn position(&self) -> u64 {
        match self.place {
            Place::Ready { pos } => pos,
            Place::Waiting { .. } | Place::Nowhere => u64::MAX,
        }
    }

    /// The job as reads show it.
    pub fn view(&self, note: String) -> Job {
        Job {
            id: self.id.clone(),
            seq: self.seq,
            kind: self.kind.clone(),
            caller: self.caller.clone(),
            digest: self.digest.clone(),
            status: self.status,
            error: self.error.clone(),
            total: self.total,
            counts: Counts {
                pending: self.pending(),
                running: self.running,
                done: self.done,
                failed: self.failed,
            },
            width: self.width,
            halt: self.halt,
            halting: self.halting,
            pin: self.pin.clone(),
            ttl: self.ttl,
            max_losses: self.max_losses,
            rerun_of: self.rerun_of.clone(),
            newest_rerun: self.newest_rerun.clone(),
            created_at: self.created,
            started_at: self.started,
            finished_at: self.finished,
            lease: self.lease,
            bytes: self.bytes,
            evicted: self.evicted,
            note,
        }
    }
}

/// How a start was answered without an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Parking {
    /// Busy, with its wait in milliseconds.
    Busy(i64),
    /// Handed back, with its wait in milliseconds.
    HandBack(i64),
    /// Refused.
    Refuse,
}

/// The last start of a target that was answered without an outcome (S2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The fence of the start.
    pub fence: u64,
    /// Its session.
    pub session: SessionId,
    /// The answer.
    pub answer: Parking,
}

/// An open target's latest start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRow {
    /// Where its job's rows are.
    pub rows: u64,
    /// Its job's place in the sequence.
    pub seq: u64,
    /// The target.
    pub index: u64,
    /// Number of its starts.
    pub fence: u64,
    /// The session of the latest start.
    pub session: SessionId,
    /// The ticket that made it, while it runs.
    pub ticket: Option<Ticket>,
    /// When it may start again; `None` while it runs.
    pub due: Option<Timestamp>,
    /// The last start that was answered busy, handed back or refused.
    pub last: Option<Answered>,
    /// Starts in a row that were lost.
    pub losses: u32,
    /// Busy answers so far.
    pub tries: u32,
    /// When it first came back busy.
    pub busy_since: Option<Timestamp>,
}

impl OpenRow {
    /// Whether this very start runs now.
    pub fn is_running(&self, start: &Start) -> bool {
        self.due.is_none() && self.fence == start.fence && self.session == start.session
    }
}

/// A stored outcome; never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutcomeRow {
    /// Where its job's rows are.
    pub rows: u64,
    /// The target.
    pub index: u64,
    /// Outcomes of the job stored before.
    pub ordinal: u64,
    /// The fence of the start that stored it.
    pub fence: u64,
    /// The session of the start that stored it.
    pub session: SessionId,
    /// Result, or error and hint.
    pub outcome: Outcome,
    /// Busy answers, and one more.
    pub tries: u32,
    /// How long the last try took; `None` when a reap stored it, since nobody answered.
    pub elapsed: Option<Duration>,
    /// When it was stored.
    pub stored: Timestamp,
}

impl OutcomeRow {
    /// The status of the target.
    pub fn status(&self) -> TargetStatus {
        self.outcome.status()
    }

    /// Whether a reap stored it, and not the start that it names (R9.5).
    pub fn is_of_reap(&self) -> bool {
        self.elapsed.is_none()
    }
}

/// A kind: the head of its rotation's numbers, and its counts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KindRow {
    /// Its name; the row's key.
    pub name: Kind,
    /// The last rotation position that was given.
    pub turn: u64,
    /// Sessions that serve it.
    pub sessions: u64,
    /// Its counts.
    pub stats: KindStats,
}

impl KindRow {
    /// Whether neither a job nor a session keeps it (S13).
    pub fn is_empty(&self) -> bool {
        self.sessions == 0 && self.stats.jobs.iter().all(|jobs| *jobs == 0)
    }
}

/// The live jobs of a caller within a kind; no row stands for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerRow {
    /// The kind.
    pub kind: Kind,
    /// The caller's name.
    pub name: String,
    /// Its live jobs.
    pub live: u64,
}

/// A session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionRow {
    /// Its id; the row's key.
    pub id: SessionId,
    /// The kind that it serves.
    pub kind: Kind,
    /// Where it runs.
    pub host: String,
    /// Its beat counter.
    pub beat: u64,
    /// How often it renews.
    pub beat_length: Duration,
    /// Whether a step of reap has marked it.
    pub dead: bool,
    /// When it entered.
    pub entered: Timestamp,
    /// When it last renewed.
    pub seen: Timestamp,
}

impl SessionRow {
    /// The session as reads show it, with what its lock says.
    pub fn view(self, lock: SessionLock) -> Session {
        Session {
            id: self.id,
            kind: Some(self.kind),
            host: self.host,
            entered_at: self.entered,
            seen_at: self.seen,
            beat: self.beat,
            beat_length: self.beat_length,
            lock,
        }
    }
}

/// Targets that wait for their submit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRow {
    /// The id that the job will have; the row's key.
    pub id: JobId,
    /// Where the targets are kept.
    pub rows: u64,
    /// Who owns it.
    pub session: SessionId,
    /// Number of targets so far.
    pub count: u64,
    /// Bytes of url and options so far.
    pub bytes: u64,
    /// When the last chunk came.
    pub last: Timestamp,
}
