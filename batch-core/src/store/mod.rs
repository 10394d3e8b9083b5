//! The `Store` trait: what must be true of a store, and nothing else.
//!
//! Calls are in `call.rs` and `query.rs`, replies in `reply.rs`, rows of reads in `view.rs`.
//! The reference store is `crate::memory`; what every store decides is in `crate::decide`.

pub mod call;
pub mod capability;
pub mod error;
mod forward;
pub mod operation;
pub mod query;
pub mod reply;
pub mod view;

use async_trait::async_trait;

use crate::id::Kind;
use call::{Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn};
use capability::Capabilities;
use error::StoreError;
use query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};

/// The result of a store operation.
pub type StoreResult<T> = Result<T, StoreError>;

/// Keeps jobs, targets, outcomes and sessions, and decides what changes.
///
/// # Model
///
/// A store holds jobs, ordered lists of targets. Every kind has a rotation: its
/// jobs that may start a target now, in the order of their turns. A session
/// `take`s the target of the job at the head, works, and `finish`es the start;
/// the job has meanwhile gone to the tail, or waits until it may start another.
/// Everything that is compared in one decision is changed in the same atomic
/// step: that is why submit, take, finish, cancel and reap are single operations.
///
/// # What every store promises
///
/// Atomic and cancel-safe steps (S1), calls that may be sent again (S2), exact
/// idempotency and caps (S3), exact order (S4), fenced outcomes (S5), ttl (S6),
/// eviction by bytes (S7), pure reads (S8), fidelity (S9), typed errors (S12),
/// durable counters (S13) and cost that does not grow with what is stored (S14).
///
/// # What it may choose
///
/// Durability, sharing, a clock of its own and wake-ups: see [`Capabilities`].
///
/// # Time
///
/// Every writing call carries `now`, the store's time in milliseconds. A store
/// with a clock of its own reports it in `capabilities`, `enter` and `renew`, and
/// clients advance it by their monotonic clock. Differences saturate at zero, and
/// a stamp from the future counts as alive (S15).
///
/// # Errors
///
/// [`Unavailable`](error::StoreErrorKind::Unavailable) and `Full` mean that nothing
/// happened; `Unknown` that it may have. All three may be sent again, the same call
/// with the same names. The other kinds are final.
///
/// # Cancellation
///
/// Any future may be dropped at any poll: the operation is then applied whole or
/// not at all, and the store goes on working.
///
/// # Writing one
///
/// A store over ordered rows implements [`Rows`](crate::decide::Rows) and
/// [`Table`](crate::decide::Table) and calls the functions of `decide` inside its
/// transaction; see `memory/` for the shortest example. It is then judged by one
/// line, `batch_testkit::conformance!(Acme);`.
///
/// # Example
///
/// ```
/// use batch_core::memory::MemoryStore;
/// use batch_core::store::{Store, query::StatsQuery};
/// use batch_core::id::Kind;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let store: Box<dyn Store> = Box::new(MemoryStore::new());
/// let stats = store.stats(StatsQuery { kind: Kind::default(), caller: None }).await?;
/// assert_eq!(stats.kind.live, 0);
/// # Ok(())
/// # }
/// ```
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug + 'static {
    /// Tells what this store promises, and its time if it has a clock.
    /// # Effect
    /// None.
    /// # Returns
    /// The promises that the rules of this store are chosen by, and store time now if
    /// the store has a clock.
    /// # Errors
    /// `Unavailable` when the store must be asked and cannot be reached.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// S10, S15.
    async fn capabilities(&self) -> StoreResult<Capabilities>;

    /// Makes a job, or answers with the one that the same request made before.
    /// # Effect
    /// On `Created` the job is `queued`, its targets `pending`, its key names it,
    /// and it stands at the tail of its kind's rotation. On `Reused` the lease of
    /// the found job moves. Any other reply changes nothing.
    /// # Returns
    /// In this order of precedence: the reply of an earlier sending, `IdTaken`,
    /// `Gone`, `Reused` or `KeyConflict`, `TooMany`, `CallerBusy`, `Busy`, `Send`,
    /// `Created`.
    /// # Errors
    /// `Full`, `Unavailable`, `Invalid`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R1.3–R1.7, R1.10, S2, S3, S4.
    async fn submit(&self, call: Submit) -> StoreResult<SubmitReply>;

    /// Keeps a chunk of a long list, invisible until its job is submitted as `Staged`.
    /// # Effect
    /// The rows are kept under the job's id; the stage's life begins anew.
    /// # Returns
    /// `Staged`, also for rows that were there before; `IdTaken` once the job exists.
    /// # Errors
    /// `Invalid` for a chunk that leaves a gap or is over the inline limits.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R1.10, S2.
    async fn stage(&self, call: Stage) -> StoreResult<StageReply>;

    /// Begins a session.
    /// # Effect
    /// The session exists with beat 1; a local store has locked its file before.
    /// # Returns
    /// `Entered`, also when it is sent again; `Gone` for one given up as dead.
    /// # Errors
    /// `Full`, `Unavailable`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R9.2, R9.3.
    async fn enter(&self, call: Enter) -> StoreResult<EnterReply>;

    /// Shows that a session is alive, and reports what it holds.
    /// # Effect
    /// The beat counter is one higher.
    /// # Returns
    /// The beat and every running start; `Gone` once somebody reaps the session.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R9.2.
    async fn renew(&self, call: Renew) -> StoreResult<RenewReply>;

    /// Reads a page of sessions, and of ids that only running starts name.
    /// # Effect
    /// None.
    /// # Returns
    /// At most `max` sessions in the order of their ids, and where the next page begins;
    /// an id without a session has beat 0 and a free lock.
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// R9.3, R9.4.
    async fn sessions(&self, call: Sessions) -> StoreResult<SessionPage>;

    /// Takes back what a dead session held, one bounded step.
    /// # Effect
    /// The first step marks it dead. Then live jobs pinned to it end
    /// `failed: interrupted`, its running targets are parked and due at once, or
    /// stored `failed: interrupted` at `max_losses`, and its stages are given up.
    /// The last step removes the session.
    /// # Returns
    /// What this step did, and whether more is left; `Moved` when the session
    /// lived after the beat that was seen.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again, it goes on.
    /// # Cancellation
    /// Each job is taken back whole or not at all.
    /// # Rules
    /// R9.3–R9.5, R14.
    async fn reap(&self, call: Reap) -> StoreResult<ReapReply>;

    /// Starts the next target of the session's kind.
    /// # Effect
    /// The earliest due waiting job of the shared set, then that of the session's
    /// own set, goes to the tail. The job at the head starts one target and leaves
    /// its place; if it may start another it joins the tail.
    /// # Returns
    /// `Started`, the same one while the ticket's start is open; `Idle` with the
    /// time at which a waiting job is due; `Gone`. `Idle` writes nothing.
    /// # Errors
    /// `Full`, `Unavailable`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all; `renew` reports a start that nobody learned of.
    /// # Rules
    /// R2, S2, S4.
    async fn take(&self, call: Take) -> StoreResult<TakeReply>;

    /// Answers a start.
    /// # Effect
    /// An outcome is stored and may end the job; a busy or handed-back target is
    /// parked; a refusal parks the target and ends the job `failed: unknown caller`.
    /// # Returns
    /// `Stored`, the same when it is sent again; `Other`, `Superseded` and
    /// `NotFound` change nothing.
    /// # Errors
    /// `Full` (outcomes only), `Unavailable`, `Invalid`: nothing changed. `Unknown`:
    /// send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R3.2, R3.3, R4.1, R5.1, R9.1, R9.6, R14, S2, S5.
    async fn finish(&self, call: Finish) -> StoreResult<FinishReply>;

    /// Answers a start and takes the next target.
    ///
    /// The default sends the one, then the other. An override saves a commit and a
    /// round trip; it gives the same replies.
    /// # Effect
    /// That of `finish`, then that of `take`, whatever the finish was refused for.
    /// # Returns
    /// The replies of both.
    /// # Errors
    /// Those of either; the finish may then have been applied: send the turn again.
    /// # Cancellation
    /// Each part is applied whole or not at all.
    /// # Rules
    /// R2.7, S2.
    async fn turn(&self, call: Turn) -> StoreResult<TurnReply> {
        let finish = self.finish(call.finish).await?;
        let take = self.take(call.take).await?;
        Ok(TurnReply { finish, take })
    }

    /// Ends a live job.
    /// # Effect
    /// The job is `cancelled` and its cap free; nothing of it starts any more.
    /// # Returns
    /// `Cancelled`, the same when this request is sent again; `Already`; `NotFound`.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R5, S2.
    async fn cancel(&self, call: Cancel) -> StoreResult<CancelReply>;

    /// Moves the lease of an existing job, whatever its status.
    /// # Effect
    /// lease = max(lease, now).
    /// # Returns
    /// `Touched` with the lease that counts now; `NotFound`.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again.
    /// # Cancellation
    /// Applied whole or not at all.
    /// # Rules
    /// R6.
    async fn touch(&self, call: Touch) -> StoreResult<TouchReply>;

    /// Frees what is past its ttl, over all kinds, one bounded step.
    /// # Effect
    /// Terminal jobs with lease + ttl ≤ now and nothing in flight are gone; such
    /// live ones end `failed: expired`. Rows of jobs that are gone, abandoned
    /// stages and empty kinds are freed.
    /// # Returns
    /// The jobs that are gone, those that this step expired, and whether more is left.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again, it goes on.
    /// # Cancellation
    /// Each job is taken away whole or not at all.
    /// # Rules
    /// S1, S6, S13, R1.10.
    async fn sweep(&self, call: Sweep) -> StoreResult<Swept>;

    /// Frees targets of a kind's terminal jobs until the rest fits, one bounded step.
    /// # Effect
    /// Oldest lease first, then sequence; the one with the newest lease stays. The
    /// job's own row stays, marked as evicted.
    /// # Returns
    /// The jobs and bytes that this step freed, and whether more is left.
    /// # Errors
    /// `Unavailable`: nothing changed. `Unknown`: send it again, it goes on.
    /// # Cancellation
    /// Each job is evicted whole or not at all.
    /// # Rules
    /// S7.
    async fn evict(&self, call: Evict) -> StoreResult<Evicted>;

    /// Reads one job with its counts and note.
    /// # Effect
    /// None.
    /// # Returns
    /// The job of this id, or the newest one that the key names; `NotFound`.
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// R6, S8, S9.
    async fn job(&self, call: JobQuery) -> StoreResult<JobReply>;

    /// Reads one consistent page of a job's targets.
    /// # Effect
    /// None.
    /// # Returns
    /// At most `max` rows or 4 MiB, whichever comes first, at least one row;
    /// `Evicted` or `NotFound` when the job went away, also between two pages.
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// R6, R13, S8, S9.
    async fn targets(&self, call: TargetQuery) -> StoreResult<TargetReply>;

    /// Reads a page of jobs.
    /// # Effect
    /// None.
    /// # Returns
    /// At most `max` jobs of a bounded number of examined ones, and where the next page
    /// begins: a page may be empty and not the last.
    /// # Errors
    /// `Unavailable`, `Corrupt`; `Invalid` for the rotation without a kind.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// S4, S8.
    async fn list(&self, call: JobList) -> StoreResult<JobPage>;

    /// Reads the counts of a kind.
    /// # Effect
    /// None.
    /// # Returns
    /// The kind's counts and counters, and the caller's live jobs; zeros for an unknown kind.
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// S3, S13.
    async fn stats(&self, call: StatsQuery) -> StoreResult<Stats>;

    /// Reads a page of the kinds that have jobs, sessions or counters.
    /// # Effect
    /// None.
    /// # Returns
    /// At most `max` kinds in the order of their names, and where the next page begins.
    /// # Errors
    /// `Unavailable`, `Corrupt`.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// S8, S13.
    async fn kinds(&self, call: KindList) -> StoreResult<KindPage>;

    /// Resolves when a job of the kind may have become takeable since the first poll.
    ///
    /// Whoever waits polls it once, takes, and awaits it when the take was idle. The
    /// default never resolves; idle runners ask again. Correctness never depends on it.
    /// # Effect
    /// None.
    /// # Returns
    /// Nothing; it may also resolve when nothing changed.
    /// # Errors
    /// None: a store that cannot be reached does not resolve.
    /// # Cancellation
    /// Safe: nothing is written.
    /// # Rules
    /// R2.6.
    async fn wake(&self, _kind: &Kind) {
        std::future::pending::<()>().await;
    }

    /// Waits for what was begun, and frees what the handle holds.
    /// # Effect
    /// Later calls answer `Closed`. Closing twice is harmless.
    /// # Returns
    /// Nothing, once all that was acknowledged is as durable as was declared.
    /// # Errors
    /// `Unavailable` when the last writes could not be made durable.
    /// # Cancellation
    /// The store is closed all the same.
    /// # Rules
    /// S10, S12.
    async fn close(&self) -> StoreResult<()>;
}
