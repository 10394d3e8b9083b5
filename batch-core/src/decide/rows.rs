//! What a store gives the decisions: rows to read, and a place to apply changes.
//!
//! Every read is a point look-up or the head of an ordered index; none scans (S14).

use super::change::{Change, Decision};
use super::row::{JobRow, KindRow, OpenRow, OutcomeRow, SessionRow, StageRow};
use crate::id::{JobId, Kind, SessionId, Ticket};
use crate::store::StoreResult;
use crate::store::call::{Key, NewTarget};
use crate::time::Timestamp;

/// Reads rows inside one transaction.
///
/// All reads of one decision see the same state.
pub trait Rows {
    /// The last number that was drawn from the store's sequence; 0 at first.
    fn sequence(&self) -> StoreResult<u64>;
    /// A job by its id.
    fn job(&self, id: &JobId) -> StoreResult<Option<JobRow>>;
    /// A job by its place in the sequence.
    fn job_at(&self, seq: u64) -> StoreResult<Option<JobRow>>;
    /// The place in the sequence of the newest job made under a key.
    fn key(&self, kind: &Kind, caller: &str, key: &Key) -> StoreResult<Option<u64>>;
    /// A kind.
    fn kind(&self, name: &Kind) -> StoreResult<Option<KindRow>>;
    /// Live jobs of a caller within a kind.
    fn caller_live(&self, kind: &Kind, caller: &str) -> StoreResult<u64>;
    /// A session, dead or alive.
    fn session(&self, id: &SessionId) -> StoreResult<Option<SessionRow>>;
    /// A stage.
    fn stage(&self, id: &JobId) -> StoreResult<Option<StageRow>>;
    /// A target as it was submitted or staged.
    fn target(&self, rows: u64, index: u64) -> StoreResult<Option<NewTarget>>;
    /// The latest start of an open target.
    fn open(&self, rows: u64, index: u64) -> StoreResult<Option<OpenRow>>;
    /// A target's outcome.
    fn outcome(&self, rows: u64, index: u64) -> StoreResult<Option<OutcomeRow>>;
    /// The target whose outcome has this ordinal.
    fn stored(&self, rows: u64, ordinal: u64) -> StoreResult<Option<u64>>;
    /// The first parked targets of a job, by due time, then index.
    fn parked(&self, rows: u64, max: usize) -> StoreResult<Vec<OpenRow>>;
    /// The running start that a ticket made.
    fn held_under(&self, session: &SessionId, ticket: &Ticket) -> StoreResult<Option<OpenRow>>;
    /// The first running starts of a session, by ticket.
    fn held(&self, session: &SessionId, max: usize) -> StoreResult<Vec<OpenRow>>;
    /// The job at the head of a kind's rotation, shared or of one session.
    fn ready_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>>;
    /// The job of a kind's waiting set that is due first, then by sequence.
    fn waiting_head(&self, kind: &Kind, pin: Option<&SessionId>) -> StoreResult<Option<JobRow>>;
    /// The first live jobs pinned to a session, by sequence.
    fn pinned(&self, session: &SessionId, max: usize) -> StoreResult<Vec<JobRow>>;
    /// The first stages of a session, by id.
    fn stages_of(&self, session: &SessionId, max: usize) -> StoreResult<Vec<StageRow>>;
    /// The stage whose last chunk came first, then by id, if that was at `latest` or before.
    fn stage_before(&self, latest: Timestamp) -> StoreResult<Option<StageRow>>;
    /// Jobs with `expiry` ≤ `now`, by expiry, then sequence.
    fn expiring(&self, now: Timestamp, max: usize) -> StoreResult<Vec<JobRow>>;
    /// The first freeable jobs of a kind, by lease, then sequence.
    fn freeable(&self, kind: &Kind, max: usize) -> StoreResult<Vec<JobRow>>;
    /// The first kind, by name, that neither a job nor a session keeps.
    fn empty_kind(&self) -> StoreResult<Option<KindRow>>;
}

/// What freeing dust did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Freed {
    /// Rows that are gone.
    pub rows: u32,
    /// Whether rows are left.
    pub more: bool,
}

/// Rows that can be changed, inside one transaction.
///
/// Reads, also of indexes, see what the same transaction applied before. After an
/// error the transaction is given up, with all that it applied.
pub trait Table: Rows {
    /// Applies one change; later reads of the transaction see it.
    fn apply(&mut self, change: Change) -> StoreResult<()>;

    /// Frees at most `max` rows of targets, starts and outcomes that no job owns any more.
    fn free_dust(&mut self, max: u32) -> StoreResult<Freed>;

    /// Applies all changes of a decision, and answers with its reply.
    fn keep<T>(&mut self, decision: Decision<T>) -> StoreResult<T>
    where
        Self: Sized,
    {
        for change in decision.changes {
            self.apply(change)?;
        }
        Ok(decision.reply)
    }
}
