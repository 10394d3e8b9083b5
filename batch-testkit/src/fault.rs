//! Faults between a client and its store: refused, lost, stalled and dropped calls.
//!
//! [`FaultStore`] wraps any store and strikes as planned, generated over the trait
//! from one list, so that no operation is forgotten. [`drop_at_every_poll`] drops one
//! future at its first, second … poll. The TCP faults of a store on a network are
//! not here.

use std::fmt;
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use async_trait::async_trait;
use batch_core::id::Kind;
use batch_core::store::capability::Capabilities;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::{Store, StoreResult};
use tokio::sync::watch;

use crate::breach::Verdict;

/// What goes wrong with a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It is not applied, and answers with an error of this kind.
    Before(StoreErrorKind),
    /// It is applied, and its reply is lost: `Unknown`.
    After,
    /// It reaches the store only when [`FaultStore::release`] is called.
    Stall,
    /// It is not applied: the store panics.
    Panic,
    /// Its future is dropped after so many polls, if it has not ended: `Unknown`.
    DropAtPoll(u32),
}

/// How often a plan strikes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Often {
    /// At that call only.
    Once,
    /// At that call and every later one.
    FromThenOn,
}

/// Which calls a fault strikes.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The operation of this name; `None` for any.
    pub operation: Option<&'static str>,
    /// The n-th such call, from 1, counted from when the plan is made.
    pub call: u64,
    /// Once, or from then on.
    pub often: Often,
    /// What happens.
    pub fault: Fault,
}

/// A store whose calls go wrong as planned.
pub struct FaultStore {
    inner: Arc<dyn Store>,
    plans: Mutex<Vec<Planned>>,
    released: watch::Sender<bool>,
}

struct Planned {
    plan: Plan,
    seen: u64,
    struck: u64,
}

impl FaultStore {
    /// A store without faults as yet.
    pub fn new(inner: Arc<dyn Store>) -> Self {
        Self {
            inner,
            plans: Mutex::new(Vec::new()),
            released: watch::Sender::new(false),
        }
    }

    /// Adds a plan; when several strike at once, the first one counts.
    pub fn plan(&self, plan: Plan) {
        self.lock().push(Planned {
            plan,
            seen: 0,
            struck: 0,
        });
    }

    /// Forgets all plans.
    pub fn heal(&self) {
        self.lock().clear();
    }

    /// Lets every stalled call go on, now and later.
    pub fn release(&self) {
        self.released.send_replace(true);
    }

    /// How often the plans have struck.
    pub fn struck(&self) -> u64 {
        self.lock().iter().map(|planned| planned.struck).sum()
    }

    /// Counts a call; the fault that strikes it, if any.
    fn next(&self, operation: &'static str) -> Option<Fault> {
        let mut first = None;
        for planned in self.lock().iter_mut() {
            if planned.counts(operation) && first.is_none() {
                planned.struck += 1;
                first = Some(planned.plan.fault);
            }
        }
        first
    }

    async fn strike<T>(
        &self,
        operation: &'static str,
        call: impl Future<Output = StoreResult<T>> + Send,
    ) -> StoreResult<T> {
        match self.next(operation) {
            None => call.await,
            Some(Fault::Before(kind)) => Err(error(kind, operation, "a fault before the call")),
            Some(Fault::Panic) => panic!("a planned fault"),
            Some(Fault::After) => {
                call.await?;
                Err(lost(operation))
            }
            Some(Fault::Stall) => {
                // The sender lives as long as this store: waiting cannot fail.
                let _ = self.released.subscribe().wait_for(|free| *free).await;
                call.await
            }
            Some(Fault::DropAtPoll(polls)) => {
                let answer = drop_at_poll(call, polls).await;
                answer.unwrap_or_else(|| Err(lost(operation)))
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Planned>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Planned {
    /// Counts a call of this operation; whether it is to be struck.
    fn counts(&mut self, operation: &str) -> bool {
        if self.plan.operation.is_some_and(|own| own != operation) {
            return false;
        }
        self.seen += 1;
        match self.plan.often {
            Often::Once => self.seen == self.plan.call,
            Often::FromThenOn => self.seen >= self.plan.call,
        }
    }
}

impl fmt::Debug for FaultStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FaultStore").finish_non_exhaustive()
    }
}

fn error(kind: StoreErrorKind, operation: &'static str, reason: &str) -> StoreError {
    StoreError::new(kind, operation, reason)
}

fn lost(operation: &'static str) -> StoreError {
    error(
        StoreErrorKind::Unknown,
        operation,
        "the reply was lost; send it again",
    )
}

macro_rules! over_every_operation {
    ($($name:ident($call:ty) -> $reply:ty;)*) => {
        /// The names of all operations with a call, for plans.
        pub const OPERATIONS: &[&str] = &[$(stringify!($name)),*];

        #[async_trait]
        impl Store for FaultStore {
            async fn capabilities(&self) -> StoreResult<Capabilities> {
                self.strike("capabilities", self.inner.capabilities()).await
            }

            $(async fn $name(&self, call: $call) -> StoreResult<$reply> {
                self.strike(stringify!($name), self.inner.$name(call)).await
            })*

            async fn wake(&self, kind: &Kind) {
                self.inner.wake(kind).await;
            }

            async fn close(&self) -> StoreResult<()> {
                self.strike("close", self.inner.close()).await
            }
        }
    };
}

batch_core::for_each_operation!(over_every_operation!);

/// Polls a future at most `polls` times, then drops it: `None`.
pub async fn drop_at_poll<T>(future: impl Future<Output = T>, polls: u32) -> Option<T> {
    let mut future = pin!(future);
    let mut left = polls;
    std::future::poll_fn(|context| {
        left = left.saturating_sub(1);
        match future.as_mut().poll(context) {
            Poll::Ready(value) => Poll::Ready(Some(value)),
            Poll::Pending if left == 0 => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}

/// Sends the same call again and again, dropped at its first, second … poll, until one ends.
///
/// `check` runs after each drop. Answers with the reply of the call that ended.
pub async fn drop_at_every_poll<T, F: Future<Output = T>>(
    make: impl Fn() -> F,
    mut check: impl AsyncFnMut() -> Verdict,
) -> Verdict<T> {
    let mut polls = 1;
    loop {
        if let Some(value) = drop_at_poll(make(), polls).await {
            return Ok(value);
        }
        check().await?;
        polls += 1;
    }
}
