//! The rows that reads answer with: job, target, session, counts of a kind.
//!
//! They are what every store can say, whatever rows it keeps. The rows that the
//! decisions work on are in `decide/row.rs`.

use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::id::{JobId, Kind, SessionId};
use crate::state::{JobStatus, TargetStatus};
use crate::store::call::{CallerName, Halt, NewTarget};
use crate::time::Timestamp;

/// How many targets of a job stand where; their sum is its total.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Unstarted or parked.
    pub pending: u64,
    /// In flight.
    pub running: u64,
    /// With a result.
    pub done: u64,
    /// With an error.
    pub failed: u64,
}

/// A job as reads show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its id.
    pub id: JobId,
    /// Its place in the store's sequence.
    pub seq: u64,
    /// Which work it is for.
    pub kind: Kind,
    /// Who submitted it.
    pub caller: CallerName,
    /// Digest of caller and targets.
    pub digest: String,
    /// Where it stands.
    pub status: JobStatus,
    /// Why it ended, when it was ended from outside: `interrupted`, `expired`,
    /// `unknown caller` or `halted`.
    pub error: Option<String>,
    /// Number of targets.
    pub total: u64,
    /// Where they stand; of an evicted job, where they stood.
    pub counts: Counts,
    /// How many targets may be open at once.
    pub width: u32,
    /// When failures stop it.
    pub halt: Halt,
    /// Whether they have.
    pub halting: bool,
    /// The session that alone runs it; `None` when any runner may.
    pub pin: Option<SessionId>,
    /// How long it is kept after its lease.
    pub ttl: Duration,
    /// Lost starts in a row after which a target is stored as failed.
    pub max_losses: u32,
    /// The job that it runs again.
    pub rerun_of: Option<JobId>,
    /// The newest job that runs it again.
    pub newest_rerun: Option<JobId>,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When its first target was started.
    pub started_at: Option<Timestamp>,
    /// When it ended.
    pub finished_at: Option<Timestamp>,
    /// When somebody last cared for it.
    pub lease: Timestamp,
    /// Bytes of its targets and outcomes; 0 when evicted.
    pub bytes: u64,
    /// Whether its targets are gone.
    pub evicted: bool,
    /// Its note; empty in lists.
    pub note: String,
}

/// A stored outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The result as JSON text.
    Done {
        /// The result.
        result: String,
    },
    /// An error.
    Failed {
        /// Its text.
        error: String,
        /// What may help.
        hint: Option<String>,
    },
}

impl Outcome {
    /// The status of a target with this outcome.
    pub fn status(&self) -> TargetStatus {
        match self {
            Self::Done { .. } => TargetStatus::Done,
            Self::Failed { .. } => TargetStatus::Failed,
        }
    }

    /// Bytes of result, or of error and hint.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Done { result } => result.len() as u64,
            Self::Failed { error, hint } => {
                (error.len() + hint.as_ref().map_or(0, String::len)) as u64
            }
        }
    }
}

/// A target as pages show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its place in the job, from 0.
    pub index: u64,
    /// Its index in the first job of a chain of reruns.
    pub origin: u64,
    /// What is fetched.
    pub url: String,
    /// Canonical JSON text of its options.
    pub options: String,
    /// Where it stands.
    pub status: TargetStatus,
    /// The outcome, once there is one.
    pub outcome: Option<Outcome>,
    /// The number of outcomes of the job stored before this one.
    pub ordinal: Option<u64>,
    /// Number of its starts so far.
    pub fence: u64,
    /// Busy answers so far, and one more once there is an outcome.
    pub tries: u32,
    /// How long the last try took; `None` without an outcome, or when its start was lost.
    pub elapsed: Option<Duration>,
    /// When the outcome was stored.
    pub stored_at: Option<Timestamp>,
    /// When it first came back busy; `None` once there is an outcome.
    pub busy_since: Option<Timestamp>,
    /// When a parked one may be tried again.
    pub due: Option<Timestamp>,
    /// Who runs it, or stored its outcome.
    pub session: Option<SessionId>,
}

impl Target {
    /// A target of which no start is known.
    pub fn pending(index: u64, target: NewTarget) -> Self {
        Self {
            index,
            origin: target.origin.unwrap_or(index),
            url: target.url,
            options: target.options,
            status: TargetStatus::Pending,
            outcome: None,
            ordinal: None,
            fence: 0,
            tries: 0,
            elapsed: None,
            stored_at: None,
            busy_since: None,
            due: None,
            session: None,
        }
    }

    /// The result as a value (R6.1); `None` for a target that is not done.
    ///
    /// # Errors
    /// The stored JSON is not one of a `T`.
    pub fn result<T: DeserializeOwned>(&self) -> Option<serde_json::Result<T>> {
        match &self.outcome {
            Some(Outcome::Done { result }) => Some(serde_json::from_str(result)),
            Some(Outcome::Failed { .. }) | None => None,
        }
    }

    /// Bytes that count against a page.
    pub fn bytes(&self) -> u64 {
        let outcome = self.outcome.as_ref().map_or(0, Outcome::bytes);
        (self.url.len() + self.options.len()) as u64 + outcome
    }
}

/// What a store knows of a session's OS lock (R9.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionLock {
    /// Its process lives, on this machine.
    Held,
    /// Its process is gone.
    Free,
    /// Nothing is known: no lock file, or a store without locks.
    Unknown,
}

/// A session as reads show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Session {
    /// Its id.
    pub id: SessionId,
    /// The kind that it serves; `None` for one that only starts name.
    pub kind: Option<Kind>,
    /// Where it runs; display only.
    pub host: String,
    /// When it entered; display only.
    pub entered_at: Timestamp,
    /// When it last renewed; display only.
    pub seen_at: Timestamp,
    /// Its beat counter; 0 for one that only starts name.
    pub beat: u64,
    /// How often it renews.
    pub beat_length: Duration,
    /// What its OS lock says.
    pub lock: SessionLock,
}

impl Session {
    /// A session without a row, which only running starts name (R9.4).
    pub fn of_starts(id: SessionId) -> Self {
        Self {
            id,
            kind: None,
            host: String::new(),
            entered_at: Timestamp::default(),
            seen_at: Timestamp::default(),
            beat: 0,
            beat_length: Duration::ZERO,
            lock: SessionLock::Free,
        }
    }
}

/// What ever happened in a kind; counts only grow (S13).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Counters {
    /// Jobs made.
    pub jobs_submitted: u64,
    /// Jobs gone.
    pub jobs_swept: u64,
    /// Jobs that lost their targets.
    pub jobs_evicted: u64,
    /// Jobs that ended `done`.
    pub jobs_done: u64,
    /// Jobs that ended `partial`.
    pub jobs_partial: u64,
    /// Jobs that ended `failed`.
    pub jobs_failed: u64,
    /// Jobs that ended `cancelled`.
    pub jobs_cancelled: u64,
    /// Outcomes stored as done.
    pub targets_done: u64,
    /// Outcomes stored as failed.
    pub targets_failed: u64,
    /// Busy answers kept.
    pub targets_retried_later: u64,
    /// Sessions whose last step of reap is done.
    pub sessions_reaped: u64,
}

/// The counts of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct KindStats {
    /// Live jobs.
    pub live: u64,
    /// Jobs in the store per status, in the order of
    /// [`JobStatus::ALL`](crate::state::JobStatus::ALL).
    pub jobs: [u64; 6],
    /// Bytes of terminal jobs.
    pub terminal_bytes: u64,
    /// What ever happened.
    pub counters: Counters,
}
