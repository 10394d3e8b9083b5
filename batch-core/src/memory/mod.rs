//! The reference store: everything in one process's memory, lost with it.
//!
//! `tables.rs` holds the rows and applies changes, `reads.rs` reads them for the
//! decisions, `pages.rs` for clients. Every operation is one short critical section.

#[cfg(test)]
mod costs;
mod pages;
mod reads;
mod tables;

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use tokio::sync::Notify;

use crate::decide::{self, Table};
use crate::id::Kind;
use crate::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use crate::store::capability::{Capabilities, Durability, Sharing};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use crate::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use crate::store::{Store, StoreResult};
use tables::Tables;

/// A store in memory.
#[derive(Default)]
pub struct MemoryStore {
    state: Mutex<State>,
    changed: Notify,
}

#[derive(Default)]
struct State {
    tables: Tables,
    closed: bool,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads, or changes nothing that could wake a runner.
    fn with<T>(
        &self,
        operation: &'static str,
        act: impl FnOnce(&mut Tables) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let mut state = self.lock();
        if state.closed {
            let reason = "the store was closed; open it again";
            return Err(StoreError::new(StoreErrorKind::Closed, operation, reason));
        }
        act(&mut state.tables).map_err(|error| error.in_operation(operation))
    }

    /// Changes rows, and wakes whoever waits for a job.
    fn change<T>(
        &self,
        operation: &'static str,
        act: impl FnOnce(&mut Tables) -> StoreResult<T>,
    ) -> StoreResult<T> {
        let reply = self.with(operation, act)?;
        self.changed.notify_waiters();
        Ok(reply)
    }

    /// Decisions change nothing and applying one runs no injected code: nothing panics
    /// half way, and a lock that is poisoned all the same is used on.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryStore").finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for MemoryStore {
    async fn capabilities(&self) -> StoreResult<Capabilities> {
        Ok(Capabilities::v1(Durability::Process, Sharing::OneOwner).with_wakes())
    }

    async fn submit(&self, call: Submit) -> StoreResult<SubmitReply> {
        self.change("submit", |tables| {
            tables.keep(decide::submit(tables, &call)?)
        })
    }

    async fn stage(&self, call: Stage) -> StoreResult<StageReply> {
        self.with("stage", |tables| tables.keep(decide::stage(tables, &call)?))
    }

    async fn enter(&self, call: Enter) -> StoreResult<EnterReply> {
        self.with("enter", |tables| tables.keep(decide::enter(tables, &call)?))
    }

    async fn renew(&self, call: Renew) -> StoreResult<RenewReply> {
        self.with("renew", |tables| tables.keep(decide::renew(tables, &call)?))
    }

    async fn sessions(&self, call: Sessions) -> StoreResult<SessionPage> {
        self.with("sessions", |tables| Ok(tables.session_page(&call)))
    }

    async fn reap(&self, call: Reap) -> StoreResult<ReapReply> {
        self.change("reap", |tables| decide::reap(tables, &call))
    }

    async fn take(&self, call: Take) -> StoreResult<TakeReply> {
        self.with("take", |tables| tables.keep(decide::take(tables, &call)?))
    }

    async fn finish(&self, call: Finish) -> StoreResult<FinishReply> {
        self.change("finish", |tables| {
            tables.keep(decide::finish(tables, &call)?)
        })
    }

    async fn turn(&self, call: Turn) -> StoreResult<TurnReply> {
        self.change("turn", |tables| {
            let finish = tables.keep(decide::finish(tables, &call.finish)?)?;
            let take = tables.keep(decide::take(tables, &call.take)?)?;
            Ok(TurnReply { finish, take })
        })
    }

    async fn cancel(&self, call: Cancel) -> StoreResult<CancelReply> {
        self.with("cancel", |tables| {
            tables.keep(decide::cancel(tables, &call)?)
        })
    }

    async fn touch(&self, call: Touch) -> StoreResult<TouchReply> {
        self.with("touch", |tables| tables.keep(decide::touch(tables, &call)?))
    }

    async fn sweep(&self, call: Sweep) -> StoreResult<Swept> {
        self.with("sweep", |tables| decide::sweep(tables, &call))
    }

    async fn evict(&self, call: Evict) -> StoreResult<Evicted> {
        self.with("evict", |tables| decide::evict(tables, &call))
    }

    async fn job(&self, call: JobQuery) -> StoreResult<JobReply> {
        self.with("job", |tables| Ok(tables.job_reply(&call)))
    }

    async fn targets(&self, call: TargetQuery) -> StoreResult<TargetReply> {
        self.with("targets", |tables| decide::targets(tables, &call))
    }

    async fn list(&self, call: JobList) -> StoreResult<JobPage> {
        self.with("list", |tables| tables.job_page(&call))
    }

    async fn stats(&self, call: StatsQuery) -> StoreResult<Stats> {
        self.with("stats", |tables| Ok(tables.stats(&call)))
    }

    async fn kinds(&self, call: KindList) -> StoreResult<KindPage> {
        self.with("kinds", |tables| Ok(tables.kind_page(&call)))
    }

    async fn wake(&self, _kind: &Kind) {
        self.changed.notified().await;
    }

    async fn close(&self) -> StoreResult<()> {
        self.lock().closed = true;
        Ok(())
    }
}
