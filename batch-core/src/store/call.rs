//! What the writing operations of a store take: one plain struct per call.
//!
//! Names and payloads are opaque text. Every call that writes carries `now`,
//! the store time at which it is made (S15). Reads are asked for
//! in `query.rs`, replies are in `reply.rs`.

use std::time::Duration;

use crate::id::{JobId, Kind, RequestId, SessionId, Ticket};
use crate::time::Timestamp;

/// Who submits, as the store keeps it: two opaque texts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallerName {
    /// The identity that caps and keys are counted by.
    pub name: String,
    /// What sort of caller it is; kept, never compared.
    pub class: String,
}

/// The three name spaces of idempotency keys (R1.3, R1.5, R12).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeySpace {
    /// Derived from the caller's name and the targets.
    Content,
    /// Given by the client.
    Client,
    /// Derived from the job that is run again and the choice of its targets.
    Rerun,
}

/// An idempotency key, within one kind and caller name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    /// Its name space.
    pub space: KeySpace,
    /// Its text.
    pub text: String,
}

/// Whether a matching job may be returned instead of a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reuse {
    /// Return a matching job (R1.3).
    Allowed,
    /// Make a new job and move the key to it (R1.5).
    Fresh,
}

/// When a job stops starting targets because too many failed (R14).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Halt {
    /// Never.
    #[default]
    Never,
    /// After this many failures; 0 counts as 1.
    Failures(u64),
    /// When failed × 100 ≥ percent × total; 0 counts as 1.
    Percent(u8),
}

/// What becomes of a job whose runner is gone (R1.7).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Recovery {
    /// It ends `failed: interrupted`; only this session runs it.
    Interrupt {
        /// The submitting session, to which the job is pinned.
        session: SessionId,
    },
    /// It belongs to its kind; any runner goes on with it.
    Resume,
}

impl Recovery {
    /// The session that the job is pinned to.
    pub fn pin(&self) -> Option<&SessionId> {
        match self {
            Self::Interrupt { session } => Some(session),
            Self::Resume => None,
        }
    }
}

/// How one job is run and kept. Not part of its key (R1.3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// How many targets may be open at once; 0 counts as 1.
    pub width: u32,
    /// When failures stop it.
    pub halt: Halt,
    /// What becomes of it without its runner.
    pub recovery: Recovery,
    /// How long it is kept after its lease last moved.
    pub ttl: Duration,
    /// Lost starts in a row after which a target is stored as failed (R9.5); 0 counts as 1.
    pub max_losses: u32,
    /// The job that this one runs again (R12).
    pub rerun_of: Option<JobId>,
    /// Opaque text of at most [`NOTE_BYTES`](crate::limits::NOTE_BYTES), answered by `job` only.
    pub note: String,
}

/// One target as it is submitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTarget {
    /// What to fetch; opaque, may be empty.
    pub url: String,
    /// Canonical JSON text of its options; opaque to the store.
    pub options: String,
    /// Its index in the first job of a chain of reruns; `None` in that first job.
    pub origin: Option<u64>,
}

impl NewTarget {
    /// Bytes of url and options.
    pub fn bytes(&self) -> u64 {
        (self.url.len() + self.options.len()) as u64
    }
}

/// Where the targets of a submit are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Targets {
    /// In the call: at most [`INLINE_TARGETS`](crate::limits::INLINE_TARGETS).
    Inline(Vec<NewTarget>),
    /// With the client still; they are staged when the answer is `Send`.
    NotYet,
    /// Staged under the job's id.
    Staged,
}

impl Targets {
    /// Bytes that the call itself brings.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Inline(targets) => targets.iter().map(NewTarget::bytes).sum(),
            Self::NotYet | Self::Staged => 0,
        }
    }
}

/// The limits that a submit is held to (R1.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// Targets of one job.
    pub targets_per_job: u64,
    /// Live jobs of the caller within the kind.
    pub jobs_per_caller: u64,
    /// Live jobs of the kind.
    pub jobs_total: u64,
}

/// Makes a job, or finds the one that the same request made before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Submit {
    /// The new job's id; the name of this call (S2).
    pub id: JobId,
    /// Which work it is for.
    pub kind: Kind,
    /// Who submits.
    pub caller: CallerName,
    /// Its idempotency key.
    pub key: Key,
    /// Digest of caller and targets; equals the key's text in the content space.
    pub digest: String,
    /// Whether a matching job may be returned.
    pub reuse: Reuse,
    /// How the job is run and kept.
    pub settings: Settings,
    /// Number of targets; at least 1.
    pub total: u64,
    /// Where they are.
    pub targets: Targets,
    /// The limits.
    pub caps: Caps,
    /// Store time.
    pub now: Timestamp,
}

/// Brings a chunk of a long list into the store, invisible until its submit (R1.10).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The id that the job will have.
    pub id: JobId,
    /// The session that owns the stage.
    pub session: SessionId,
    /// Index of the first target of the chunk; at most the number staged so far.
    pub first: u64,
    /// The chunk; rows staged before are overwritten.
    pub targets: Vec<NewTarget>,
    /// Store time.
    pub now: Timestamp,
}

/// Begins a session (R9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enter {
    /// The new session.
    pub session: SessionId,
    /// The kind that it serves.
    pub kind: Kind,
    /// Where it runs; display only.
    pub host: String,
    /// How often it will renew.
    pub beat_length: Duration,
    /// Store time; a store with a clock of its own uses that.
    pub now: Timestamp,
}

/// Shows that a session is alive (R9.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renew {
    /// The session.
    pub session: SessionId,
    /// Store time; a store with a clock of its own uses that.
    pub now: Timestamp,
}

/// Takes back what a dead session held, one bounded step (R9.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reap {
    /// The dead session.
    pub session: SessionId,
    /// The beat at which it was seen; 0 for one that only starts name.
    pub beat: u64,
    /// Store time.
    pub now: Timestamp,
    /// At most so many jobs and targets in this step; at least 1.
    pub max: u32,
}

/// Asks for the next target of the session's kind (R2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// Who takes.
    pub session: SessionId,
    /// The name of this call (S2).
    pub ticket: Ticket,
    /// Store time.
    pub now: Timestamp,
}

/// Names one start of one target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Start {
    /// The session that holds it.
    pub session: SessionId,
    /// The job.
    pub job: JobId,
    /// The target, from 0.
    pub index: u64,
    /// The number of the target's starts when it began.
    pub fence: u64,
}

/// What came of a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// An outcome: the result as JSON text.
    Done {
        /// The result.
        result: String,
    },
    /// An outcome: an error.
    Failed {
        /// Its text.
        error: String,
        /// What may help.
        hint: Option<String>,
    },
    /// The target was only busy; try it again after `wait` (R3.2).
    Busy {
        /// How long it is parked.
        wait: Duration,
    },
    /// The runner cannot finish it; anyone may try it again after `wait`.
    HandBack {
        /// How long it is parked.
        wait: Duration,
    },
    /// Nobody can run this job: its caller cannot be rebuilt (R9.6).
    Refuse,
}

impl Answer {
    /// Bytes of an outcome; an answer without one brings none.
    pub fn outcome_bytes(&self) -> Option<u64> {
        let bytes = match self {
            Self::Done { result } => result.len(),
            Self::Failed { error, hint } => error.len() + hint.as_ref().map_or(0, String::len),
            Self::Busy { .. } | Self::HandBack { .. } | Self::Refuse => return None,
        };
        Some(bytes as u64)
    }
}

/// Answers a start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finish {
    /// The start; the name of this call (S2).
    pub start: Start,
    /// What came of it.
    pub answer: Answer,
    /// How long the try took, measured by its runner.
    pub elapsed: Duration,
    /// Store time.
    pub now: Timestamp,
}

/// A finish and a take in one call (R2.7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Applied first.
    pub finish: Finish,
    /// Applied next, whatever the first part was refused for.
    pub take: Take,
}

/// Ends a live job (R5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cancel {
    /// The job.
    pub id: JobId,
    /// The name of this call (S2).
    pub request: RequestId,
    /// Store time.
    pub now: Timestamp,
}

/// Moves the lease of a job (R6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The job.
    pub id: JobId,
    /// Store time.
    pub now: Timestamp,
}

/// Frees what is past its ttl, one bounded step over all kinds (S6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sweep {
    /// Store time.
    pub now: Timestamp,
    /// At most so many jobs and rows in this step; at least 1.
    pub max: u32,
}

/// Frees targets of terminal jobs until the rest fits, one bounded step (S7).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evict {
    /// The kind.
    pub kind: Kind,
    /// What its terminal jobs may keep, in bytes.
    pub max_bytes: u64,
    /// At most so many jobs in this step; at least 1.
    pub max: u32,
}
