//! What a decision wants changed: a list of row changes beside its reply.

use super::row::{CallerRow, JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use crate::id::{JobId, Kind, SessionId};
use crate::store::call::NewTarget;

/// One change of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The last number drawn from the sequence.
    Sequence(u64),
    /// A new job, its note and its key; the key names it from now on.
    AddJob {
        /// The job.
        job: Box<JobRow>,
        /// Its note.
        note: String,
    },
    /// A changed job.
    PutJob {
        /// The row as it was, for indexes derived from it.
        before: Box<JobRow>,
        /// The row as it is now.
        after: Box<JobRow>,
    },
    /// A job that is gone, with its note, and with its key if that names it still.
    RemoveJob(Box<JobRow>),
    /// Targets, replacing those of the same index.
    PutTargets {
        /// Where they are kept.
        rows: u64,
        /// Index of the first.
        first: u64,
        /// The targets.
        targets: Vec<NewTarget>,
    },
    /// A started or parked target.
    PutOpen(OpenRow),
    /// A target that is no longer open.
    RemoveOpen {
        /// Where its job's rows are.
        rows: u64,
        /// The target.
        index: u64,
    },
    /// A new outcome.
    AddOutcome(OutcomeRow),
    /// Targets, starts and outcomes that no job owns any more.
    AddDust {
        /// Where they are kept.
        rows: u64,
    },
    /// A new or changed kind.
    PutKind(KindRow),
    /// A kind that nothing keeps.
    RemoveKind(Kind),
    /// The live jobs of a caller; the row goes at 0.
    PutCaller(CallerRow),
    /// A new or changed session.
    PutSession(SessionRow),
    /// A session that is gone.
    RemoveSession(SessionId),
    /// A new or grown stage.
    PutStage(StageRow),
    /// A stage that became a job, or dust.
    RemoveStage(JobId),
}

/// A reply, and what must be changed to make it true.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision<T> {
    /// What to answer.
    pub reply: T,
    /// What to change; empty for a refusal.
    pub changes: Vec<Change>,
}

impl<T> Decision<T> {
    /// An answer that changes nothing.
    pub fn unchanged(reply: T) -> Self {
        Self {
            reply,
            changes: Vec::new(),
        }
    }

    /// An answer with changes.
    pub fn new(reply: T, changes: Vec<Change>) -> Self {
        Self { reply, changes }
    }
}
