//! The one thread that writes: steps that wait together share one transaction.
//!
//! Each step is a savepoint of its own, so that one that fails or panics takes no
//! other with it (S1). Nobody is answered before the commit. What a step does is not
//! decided here.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use async_channel::Receiver;
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::connect::CHECKPOINT_PAGES;
use crate::error::{commit_failed, error, failed};
use crate::room::{Room, cost};
use crate::sql;
use crate::tables::{Tables, execute};

/// Steps that share one transaction at most.
const GROUP: usize = 256;

/// Pages of a log that is kept short, on a disk that was full.
const SHORT_LOG: u32 = 64;

/// Groups without a full disk after which the log may be long again.
const SHORT_FOR: u32 = 10_000;

/// A step that waits for the writer.
pub(crate) type Task = Box<dyn Step>;

/// One step: run inside a transaction, answered after its end.
pub(crate) trait Step: Send {
    /// Runs it, perhaps again in another transaction; whether its changes are kept.
    fn run(&mut self, tables: &mut Tables<'_>) -> bool;

    /// Bytes of data that it brings; `None` for one that needs no room of its own.
    fn brings(&self) -> Option<u64>;

    /// Answers whoever waits, if anybody does.
    fn answer(self: Box<Self>, ended: Result<(), &StoreError>);
}

/// A step made of a function.
pub(crate) struct Call<T, F, D> {
    act: F,
    done: D,
    brings: Option<u64>,
    /// `None` until the step was run.
    result: Option<StoreResult<T>>,
    reply: oneshot::Sender<StoreResult<T>>,
}

impl<T, F, D> Call<T, F, D>
where
    T: Send + 'static,
    F: FnMut(&mut Tables<'_>) -> StoreResult<T> + Send + 'static,
    D: FnOnce(&T) + Send + 'static,
{
    /// A step that does `act`, and `done` once that is kept.
    pub(crate) fn task(
        brings: Option<u64>,
        act: F,
        done: D,
        reply: oneshot::Sender<StoreResult<T>>,
    ) -> Task {
        Box::new(Self {
            act,
            done,
            brings,
            result: None,
            reply,
        })
    }
}

impl<T, F, D> Step for Call<T, F, D>
where
    T: Send,
    F: FnMut(&mut Tables<'_>) -> StoreResult<T> + Send,
    D: FnOnce(&T) + Send,
{
    fn run(&mut self, tables: &mut Tables<'_>) -> bool {
        let act = &mut self.act;
        let result = caught(|| act(tables));
        let kept = result.is_ok();
        self.result = Some(result);
        kept
    }

    fn brings(&self) -> Option<u64> {
        self.brings
    }

    fn answer(self: Box<Self>, ended: Result<(), &StoreError>) {
        let Self {
            done,
            result,
            reply,
            ..
        } = *self;
        let answer = match (result, ended) {
            (Some(Err(own)), _) => Err(own),
            (Some(Ok(kept)), Ok(())) => Ok(kept),
            (_, Err(failure)) => Err(failure.clone()),
            (None, Ok(())) => Err(lost()),
        };
        if let Ok(kept) = &answer {
            let told = caught(|| {
                done(kept);
                Ok(())
            });
            debug_assert!(told.is_ok(), "what follows a step does not fail");
        }
        // A caller that went away has nobody to tell; the step is applied all the same.
        let _ = reply.send(answer);
    }
}

/// Runs a function; a panic is an error, and its value is forgotten (R8).
pub(crate) fn caught<T>(act: impl FnOnce() -> StoreResult<T>) -> StoreResult<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        forget(panic);
        tracing::error!("a step of the store panicked; nothing of it is kept");
        let reason = "the step panicked; nothing of it is kept";
        Err(error(StoreErrorKind::Unavailable, reason))
    })
}

/// Drops the value of a panic, which may panic again.
fn forget(panic: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(again);
    }
}

/// Serves steps until the channel is closed and drained.
pub(crate) fn serve(conn: &Connection, tasks: &Receiver<Task>) {
    let (mut log, room) = (Log::default(), Room::below(conn));
    while let Ok(first) = tasks.recv_blocking() {
        let mut group = vec![first];
        while group.len() < GROUP
            && let Ok(task) = tasks.try_recv()
        {
            group.push(task);
        }
        let group = refuse_what_has_no_room(conn, &room, group);
        if !group.is_empty() {
            serve_group(conn, &mut log, group);
        }
    }
}

/// A step that brings data is refused while what frees still has room (B40).
fn refuse_what_has_no_room(conn: &Connection, room: &Room, group: Vec<Task>) -> Vec<Task> {
    let brought = group.iter().filter_map(|task| task.brings());
    let wanted = brought.map(cost).fold(0, u64::saturating_add);
    if wanted == 0 {
        return group;
    }
    let mut budget = room.budget(conn, wanted);
    let (kept, refused): (Vec<_>, Vec<_>) = group
        .into_iter()
        .partition(|task| task.brings().is_none_or(|bytes| budget.spend(bytes)));
    if !refused.is_empty() {
        let reason = "no room is left; free disk space, or sweep";
        answer(refused, Err(&error(StoreErrorKind::Full, reason)));
    }
    kept
}

fn serve_group(conn: &Connection, log: &mut Log, mut group: Vec<Task>) {
    let mut end = commit_group(conn, &mut group);
    if end.as_ref().is_err_and(End::is_full) && log.make_room(conn) {
        end = commit_group(conn, &mut group);
    }
    if end.is_ok() {
        log.committed(conn);
    }
    match end {
        Ok(()) => answer(group, Ok(())),
        Err(End::Failed(failure)) => answer(group, Err(&failure)),
        Err(End::Alone) => {
            for task in group {
                serve_alone(conn, task);
            }
        }
    }
}

/// The transaction was lost to one of several steps: each gets one of its own.
fn serve_alone(conn: &Connection, task: Task) {
    let mut alone = [task];
    let end = commit_group(conn, &mut alone);
    let failure = match end {
        Ok(()) => None,
        Err(End::Failed(failure)) => Some(failure),
        Err(End::Alone) => Some(lost()),
    };
    for task in alone {
        task.answer(failure.as_ref().map_or(Ok(()), Err));
    }
}

fn answer(group: Vec<Task>, ended: Result<(), &StoreError>) {
    for task in group {
        task.answer(ended);
    }
}

/// How a group was not committed.
enum End {
    /// Nothing of it is kept, or nobody knows.
    Failed(StoreError),
    /// Nothing of it is kept; a smaller one may succeed.
    Alone,
}

impl End {
    /// Whether there was, or may have been, no room.
    fn is_full(&self) -> bool {
        match self {
            Self::Failed(failure) => failure.kind() == StoreErrorKind::Full,
            Self::Alone => true,
        }
    }
}

/// How long the log may grow before it is moved into the file.
#[derive(Default)]
struct Log {
    /// Groups to commit until it may be long again; 0 when it may.
    short_for: u32,
}

impl Log {
    /// Moves the log into the file, so that it is written from its beginning again: on a
    /// disk that is full, that is room. Whether all of it was moved.
    ///
    /// The file may need room to grow for that. So the log is kept short for a while: what
    /// somebody frees must not go to the log first.
    fn make_room(&mut self, conn: &Connection) -> bool {
        self.short_for = SHORT_FOR;
        limit(conn, SHORT_LOG);
        let moved = conn.query_row(sql::CHECKPOINT, [], |row| {
            Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
        });
        matches!(moved, Ok((log, done)) if log == done)
    }

    /// A group was committed.
    fn committed(&mut self, conn: &Connection) {
        if self.short_for == 1 {
            limit(conn, CHECKPOINT_PAGES);
        }
        self.short_for = self.short_for.saturating_sub(1);
    }
}

/// Sets the pages of the log after which it is moved into the file.
fn limit(conn: &Connection, pages: u32) {
    let set = conn.pragma_update_and_check(None, "wal_autocheckpoint", pages, |_| Ok(()));
    if let Err(cause) = set {
        tracing::warn!(%cause, "the limit of the log could not be set");
    }
}

/// One transaction: all steps, then the commit.
fn commit_group(conn: &Connection, group: &mut [Task]) -> Result<(), End> {
    let begun = execute(conn, sql::BEGIN_WRITE);
    begun.map_err(|cause| End::Failed(failed(conn, cause)))?;
    let end = match group {
        [only] => run_only(conn, only),
        group => run_each(conn, group).and_then(|()| commit(conn, true)),
    };
    roll_back(conn);
    end
}

/// A step that is alone needs no savepoint: the transaction is one.
fn run_only(conn: &Connection, only: &mut Task) -> Result<(), End> {
    if only.run(&mut Tables::new(conn)) {
        commit(conn, false)
    } else {
        Ok(())
    }
}

/// S1: a failed step is undone alone, unless SQLite gave up the whole transaction.
fn run_each(conn: &Connection, group: &mut [Task]) -> Result<(), End> {
    let mut tables = Tables::new(conn);
    for task in group {
        execute(conn, sql::SAVEPOINT).map_err(|_| End::Alone)?;
        if !task.run(&mut tables) {
            execute(conn, sql::ROLLBACK_STEP).map_err(|_| End::Alone)?;
        }
        execute(conn, sql::RELEASE).map_err(|_| End::Alone)?;
    }
    Ok(())
}

fn commit(conn: &Connection, several: bool) -> Result<(), End> {
    execute(conn, sql::COMMIT).map_err(|cause| {
        let failure = commit_failed(conn, cause);
        if several && failure.kind() == StoreErrorKind::Full {
            End::Alone
        } else {
            End::Failed(failure)
        }
    })
}

/// Leaves no transaction open, whatever happened.
fn roll_back(conn: &Connection) {
    if !conn.is_autocommit()
        && let Err(cause) = execute(conn, sql::ROLLBACK)
    {
        tracing::error!(%cause, "a transaction could not be rolled back");
    }
}

fn lost() -> StoreError {
    error(StoreErrorKind::Unavailable, "the transaction was lost")
}

#[cfg(test)]
mod tests;
