//! A store that counts its calls, and can keep back its replies.
//!
//! What goes wrong with a call is in `fault.rs`; here every call is applied.

use std::collections::HashMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use batch_core::id::Kind;
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::capability::Capabilities;
use batch_core::store::query::{JobList, JobQuery, KindList, Sessions, StatsQuery, TargetQuery};
use batch_core::store::reply::{
    CancelReply, EnterReply, Evicted, FinishReply, JobPage, JobReply, KindPage, ReapReply,
    RenewReply, SessionPage, StageReply, Stats, SubmitReply, Swept, TakeReply, TargetReply,
    TouchReply, TurnReply,
};
use batch_core::store::{Store, StoreResult};
use tokio::sync::watch;

use crate::breach::{Verdict, unlike};
use crate::script::SOON;

type Calls = HashMap<&'static str, u64>;

/// A store whose calls are counted when they are answered.
pub struct SpyStore {
    inner: Arc<dyn Store>,
    answered: watch::Sender<Calls>,
    held: watch::Sender<Option<&'static str>>,
    restless: AtomicBool,
    largest: Mutex<usize>,
}

impl SpyStore {
    /// Watches a store.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            answered: watch::Sender::default(),
            held: watch::Sender::default(),
            restless: AtomicBool::new(false),
            largest: Mutex::default(),
        }
    }

    /// How many calls of this operation were applied.
    pub fn calls(&self, operation: &str) -> u64 {
        count(&self.answered.borrow(), operation)
    }

    /// Waits until so many more calls of this operation were applied.
    pub async fn more(&self, operation: &str, calls: u64) -> Verdict {
        self.reached(operation, self.calls(operation) + calls).await
    }

    /// Waits until so many calls of this operation were applied in all.
    pub async fn reached(&self, operation: &str, until: u64) -> Verdict {
        let mut answered = self.answered.subscribe();
        let enough = answered.wait_for(|calls| count(calls, operation) >= until);
        match tokio::time::timeout(SOON, enough).await {
            Ok(_) => Ok(()),
            Err(_) => unlike(&self.calls(operation), "more calls of the operation"),
        }
    }

    /// Keeps back the replies of one operation, or lets all go.
    pub fn hold(&self, operation: Option<&'static str>) {
        self.held.send_replace(operation);
    }

    /// From now on `wake` resolves at once, as that of a closed store may.
    pub fn never_rest(&self) {
        self.restless.store(true, Ordering::SeqCst);
    }

    /// The most targets that one chunk brought.
    pub fn largest_chunk(&self) -> usize {
        *self.largest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn watch<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        let reply = call.await;
        self.answered
            .send_modify(|calls| *calls.entry(operation).or_default() += 1);
        // The sender lives as long as this store: waiting cannot fail.
        let _ = self
            .held
            .subscribe()
            .wait_for(|held| *held != Some(operation))
            .await;
        reply
    }

    fn look_at(&self, chunk: usize) {
        let mut largest = self.largest.lock().unwrap_or_else(PoisonError::into_inner);
        *largest = chunk.max(*largest);
    }
}

fn count(calls: &Calls, operation: &str) -> u64 {
    calls.get(operation).copied().unwrap_or_default()
}

impl fmt::Debug for SpyStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpyStore").finish_non_exhaustive()
    }
}

macro_rules! watch_every_operation {
    ($($name:ident($call:ty) -> $reply:ty;)*) => {
        #[async_trait]
        impl Store for SpyStore {
            async fn capabilities(&self) -> StoreResult<Capabilities> {
                self.watch("capabilities", self.inner.capabilities()).await
            }

            async fn stage(&self, call: Stage) -> StoreResult<StageReply> {
                self.look_at(call.targets.len());
                self.watch("stage", self.inner.stage(call)).await
            }

            $(async fn $name(&self, call: $call) -> StoreResult<$reply> {
                self.watch(stringify!($name), self.inner.$name(call)).await
            })*

            async fn wake(&self, kind: &Kind) {
                if !self.restless.load(Ordering::SeqCst) {
                    self.inner.wake(kind).await;
                }
            }

            async fn close(&self) -> StoreResult<()> {
                self.watch("close", self.inner.close()).await
            }
        }
    };
}

watch_every_operation! {
    submit(Submit) -> SubmitReply;
    enter(Enter) -> EnterReply;
    renew(Renew) -> RenewReply;
    sessions(Sessions) -> SessionPage;
    reap(Reap) -> ReapReply;
    take(Take) -> TakeReply;
    finish(Finish) -> FinishReply;
    turn(Turn) -> TurnReply;
    cancel(Cancel) -> CancelReply;
    touch(Touch) -> TouchReply;
    sweep(Sweep) -> Swept;
    evict(Evict) -> Evicted;
    job(JobQuery) -> JobReply;
    targets(TargetQuery) -> TargetReply;
    list(JobList) -> JobPage;
    stats(StatsQuery) -> Stats;
    kinds(KindList) -> KindPage;
}
