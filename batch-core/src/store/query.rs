//! What the reads of a store take: which row, or which page.
//!
//! A page names where it begins and how many rows it may hold.

use crate::id::{JobId, Kind, SessionId};
use crate::state::JobStatus;
use crate::store::call::Key;

/// Asks for a page of sessions, in the order of their ids.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sessions {
    /// The last session of the page before; `None` for the first page.
    pub after: Option<SessionId>,
    /// At most so many; at least 1.
    pub max: u32,
}

/// Names a job to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JobQuery {
    /// By its id.
    Id(JobId),
    /// The newest job made under a key.
    Key {
        /// Its kind.
        kind: Kind,
        /// The caller's name.
        caller: String,
        /// The key.
        key: Key,
    },
}

/// The order of a page of targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetOrder {
    /// All targets, by index.
    Index,
    /// Only those with an outcome, in the order in which they were stored (R13).
    Stored,
}

/// Asks for a page of targets (R6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetQuery {
    /// The job.
    pub id: JobId,
    /// The order.
    pub order: TargetOrder,
    /// The first index, or the first ordinal, of the page.
    pub from: u64,
    /// At most so many rows; at least 1.
    pub max: u32,
}

/// The order of a page of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum JobOrder {
    /// As submitted: by sequence.
    Sequence,
    /// As their next turns come; only jobs that may start a target now (S4).
    Rotation,
}

/// Which jobs a page holds; `None` stands for any.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct JobFilter {
    /// Of this kind. The rotation order needs one.
    pub kind: Option<Kind>,
    /// Of the caller of this name.
    pub caller: Option<String>,
    /// Of this status.
    pub status: Option<JobStatus>,
}

/// Asks for a page of jobs; a bounded number of rows is examined (S8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobList {
    /// Which jobs.
    pub filter: JobFilter,
    /// In which order.
    pub order: JobOrder,
    /// The `next` of the page before; `None` for the first page.
    pub after: Option<u64>,
    /// At most so many rows; at least 1. A page may hold fewer, even none, and still have a next.
    pub max: u32,
}

/// Asks for the counts of a kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatsQuery {
    /// The kind.
    pub kind: Kind,
    /// Whose live jobs to count besides.
    pub caller: Option<String>,
}

/// Asks for a page of kinds, in the order of their names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KindList {
    /// The last kind of the page before; `None` for the first page.
    pub after: Option<Kind>,
    /// At most so many; at least 1.
    pub max: u32,
}
