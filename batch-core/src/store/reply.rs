//! What the operations of a store answer. A refusal is a variant, not an error.
//!
//! The rows of pages are in `view.rs`; errors are in `error.rs`.

use crate::id::{JobId, Kind, SessionId, Ticket};
use crate::state::JobStatus;
use crate::store::call::{CallerName, Start};
use crate::store::view::{Job, KindStats, Session, Target};
use crate::time::Timestamp;

/// Answers [`Submit`](crate::store::call::Submit).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubmitReply {
    /// The job was made, now or by an earlier sending of this call.
    Created {
        /// Its place in the store's sequence.
        seq: u64,
    },
    /// The same request made this job before.
    Reused {
        /// That job.
        id: JobId,
        /// Its status.
        status: JobStatus,
    },
    /// It may be made: stage its targets and send it again.
    Send,
    /// The client's key names a job of other targets that could be reused.
    KeyConflict {
        /// That job.
        id: JobId,
    },
    /// More targets than a job may have.
    TooMany,
    /// The caller has as many live jobs as it may.
    CallerBusy,
    /// The kind has as many live jobs as it may.
    Busy,
    /// Another job has this id.
    IdTaken,
    /// The session that the job was to be pinned to is gone.
    Gone,
}

/// Answers [`Stage`](crate::store::call::Stage).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StageReply {
    /// The chunk is in the store.
    Staged,
    /// A job, or another session's stage, has this id.
    IdTaken,
    /// The session is gone.
    Gone,
}

/// Answers [`Enter`](crate::store::call::Enter).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EnterReply {
    /// The session is live.
    Entered {
        /// The store's time, if it has a clock of its own.
        store_time: Option<Timestamp>,
    },
    /// A session of this id was given up as dead; draw a new id.
    Gone,
}

/// A running start, as `renew` reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldStart {
    /// The ticket of the take that made it.
    pub ticket: Ticket,
    /// The start.
    pub start: Start,
}

/// Answers [`Renew`](crate::store::call::Renew).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RenewReply {
    /// The session is live.
    Beat {
        /// Its beat counter, one higher.
        beat: u64,
        /// Everything that it holds.
        starts: Vec<HeldStart>,
        /// The store's time, if it has a clock of its own.
        store_time: Option<Timestamp>,
    },
    /// The session is gone: enter again under a new id.
    Gone,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    /// The sessions, in the order of their ids.
    pub sessions: Vec<Session>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<SessionId>,
}

/// A job that a step of `reap` or `sweep` ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// The job.
    pub id: JobId,
    /// Its kind.
    pub kind: Kind,
    /// How it ended.
    pub status: JobStatus,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// Answers [`Reap`](crate::store::call::Reap).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReapReply {
    /// The session is dead, and this much was taken back in this step.
    Reaped {
        /// Jobs that ended.
        ended: Vec<Ended>,
        /// Targets that were parked, due at once.
        returned: u64,
        /// Targets that were stored `failed: interrupted`.
        interrupted: u64,
        /// Whether another step is needed.
        more: bool,
    },
    /// It was alive after that beat; nothing changed.
    Moved,
}

/// A started target with all that its fetch needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The start.
    pub start: Start,
    /// The target's index in the first job of a chain of reruns.
    pub origin: u64,
    /// What to fetch.
    pub url: String,
    /// Canonical JSON text of its options.
    pub options: String,
    /// Who submitted it.
    pub caller: CallerName,
    /// How often it came back busy so far.
    pub tries: u32,
    /// When it first came back busy.
    pub busy_since: Option<Timestamp>,
}

/// Answers [`Take`](crate::store::call::Take).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TakeReply {
    /// A target was started, now or by an earlier sending of this call.
    Started(Box<Started>),
    /// Nothing may be started now.
    Idle {
        /// When the earliest parked target of a waiting job is due.
        ready_at: Option<Timestamp>,
    },
    /// The session is gone.
    Gone,
}

/// How a job ended, as the finish that ended it learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// The job's status.
    pub status: JobStatus,
    /// When it was submitted.
    pub created_at: Timestamp,
}

/// Answers [`Finish`](crate::store::call::Finish).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FinishReply {
    /// The answer is kept, now or by an earlier sending of this call.
    Stored {
        /// Set when this very finish ended the job.
        ended: Option<Ending>,
        /// Bytes of the kind's terminal jobs.
        terminal_bytes: u64,
    },
    /// Another outcome of this start is stored; nothing changed.
    Other {
        /// That of the stored outcome.
        status: crate::state::TargetStatus,
        /// Set when that outcome ended the job.
        ended: Option<Ending>,
    },
    /// The start was reaped or followed by another; nothing changed.
    Superseded,
    /// No such target.
    NotFound,
}

/// Answers [`Turn`](crate::store::call::Turn).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnReply {
    /// Of the finish.
    pub finish: FinishReply,
    /// Of the take.
    pub take: TakeReply,
}

/// Answers [`Cancel`](crate::store::call::Cancel).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReply {
    /// This request cancelled it.
    Cancelled {
        /// When it was submitted.
        created_at: Timestamp,
    },
    /// It had ended before.
    Already {
        /// How.
        status: JobStatus,
    },
    /// No such job.
    NotFound,
}

/// Answers [`Touch`](crate::store::call::Touch).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchReply {
    /// The lease is at least `now`.
    Touched {
        /// The lease.
        lease: Timestamp,
    },
    /// No such job.
    NotFound,
}

/// Answers [`Sweep`](crate::store::call::Sweep).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Swept {
    /// How many jobs are gone.
    pub jobs: u64,
    /// Live jobs that ended `failed: expired`.
    pub expired: Vec<Ended>,
    /// Whether another step is needed.
    pub more: bool,
}

/// Answers [`Evict`](crate::store::call::Evict).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Evicted {
    /// How many jobs lost their targets.
    pub jobs: u64,
    /// How many bytes that were.
    pub bytes: u64,
    /// Whether another step is needed.
    pub more: bool,
}

/// Answers [`JobQuery`](crate::store::query::JobQuery).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobReply {
    /// The job, perhaps without its targets.
    Found(Box<Job>),
    /// No such job.
    NotFound,
}

/// Answers [`TargetQuery`](crate::store::query::TargetQuery).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetReply {
    /// One consistent page.
    Page(TargetPage),
    /// The job's targets were evicted.
    Evicted,
    /// No such job.
    NotFound,
}

/// A page of targets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetPage {
    /// The targets.
    pub targets: Vec<Target>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<u64>,
}

/// A page of jobs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobPage {
    /// The jobs, without their notes.
    pub jobs: Vec<Job>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<u64>,
}

/// Answers [`StatsQuery`](crate::store::query::StatsQuery).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stats {
    /// The counts of the kind; all zero for one that the store does not know.
    pub kind: KindStats,
    /// Live jobs of the caller that was asked for.
    pub caller_live: u64,
}

/// A page of kinds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindPage {
    /// The kinds, in the order of their names.
    pub kinds: Vec<Kind>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Kind>,
}
