//! Why a runner could not do what it was asked, and what to do about it.
//!
//! Texts never hold a target's url, options or result, nor a caller.

use thiserror::Error;

use crate::caller::BoxError;
use crate::canonical::NotCanonical;
use crate::id::JobId;
use crate::store::error::StoreError;

/// The part of a target that could not be accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Its options.
    Options,
}

/// A runner could not do what it was asked.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A job needs at least one target (R1.1).
    #[error("no targets: submit at least one")]
    NoTargets,
    /// The options of a target are not canonical JSON (R1.2).
    #[error("target {index}: bad options: {reason}")]
    BadTarget {
        /// The target, from 0.
        index: u64,
        /// The part of it.
        field: Field,
        /// What is wrong.
        reason: NotCanonical,
    },
    /// More targets than one job may have (R1.4).
    #[error("too many targets: a job holds at most {limit}")]
    TooManyTargets {
        /// The most that a job may have.
        limit: u64,
    },
    /// The caller has as many live jobs as it may (R1.4).
    #[error("the caller has as many live jobs as it may: wait until one ends")]
    CallerBusy,
    /// The kind has as many live jobs as it may (R1.4).
    #[error("as many jobs are live as may be: wait until one ends")]
    Busy,
    /// The client's key names a job of other targets (R1.5).
    #[error("the idempotency key belongs to job {id} with other targets: choose another key")]
    KeyConflict {
        /// That job.
        id: JobId,
    },
    /// The list of targets could not be read.
    #[error("the list of targets could not be read")]
    Source(#[source] BoxError),
    /// The list of targets differed when it was read again (R1.10).
    #[error("the list of targets changed while it was submitted: submit it again")]
    SourceChanged,
    /// No such job.
    #[error("no job of this id: it never was, or is gone")]
    NotFound,
    /// The job's targets and results were evicted (S7).
    #[error("the job's targets were evicted: submit them again")]
    Evicted,
    /// The job is live still (R12).
    #[error("the job has not ended: wait for it, or cancel it")]
    NotEnded,
    /// No target of the job is of the chosen sort (R12).
    #[error("nothing to run again: no target of the job was chosen")]
    NothingToRerun,
    /// The job is of another kind, and this runner would never run its rerun.
    #[error("the job is of another kind: use a runner of that kind, or mode `Resume`")]
    OtherKind,
    /// The runner was closed (R10).
    #[error("the runner is closed: start another")]
    Closed,
    /// The store could not answer.
    #[error(transparent)]
    Store(#[from] StoreError),
}
