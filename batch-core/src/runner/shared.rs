//! What all tasks of one runner share: the injected parts, the session, the signals.

use std::collections::{HashMap, HashSet};
use std::future::Future;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{Mutex as AsyncMutex, Notify, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::builder::RunnerBuilder;
use super::close::CloseReport;
use super::gauges::Gauges;
use super::recover::Watcher;
use super::tally::Counts;
use crate::caller::Callers;
use crate::clock::Clock;
use crate::config::Config;
use crate::error::Error;
use crate::fetch::Fetch;
use crate::hooks::Hooks;
use crate::id::{SessionId, Ticket};
use crate::store::Store;
use crate::store::call::Start;
use crate::time::Timestamp;

/// One runner, as its tasks see it.
pub(crate) struct Shared {
    pub(super) store: Arc<dyn Store>,
    pub(super) fetch: Arc<dyn Fetch>,
    pub(super) callers: Arc<dyn Callers>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) config: Config,
    pub(super) hooks: Hooks,
    pub(super) gauges: Gauges,
    pub(super) tally: Counts,
    /// The session of now; changes when it was found gone and entered anew.
    pub(super) session: watch::Sender<SessionId>,
    /// Own renewals so far, and the beat that the last one answered.
    pub(super) renewed: watch::Sender<Renewed>,
    /// What store time was, and when by the monotonic clock (S15).
    store_time: Mutex<Option<(Timestamp, Duration)>>,
    /// Tickets of takes that are awaited, or whose starts are in hand (R9.2).
    tickets: Mutex<HashMap<Ticket, Option<Start>>>,
    /// Other sessions and how long their beats stood still.
    pub(super) watcher: AsyncMutex<Watcher>,
    /// Held by the one idle worker that asks the store.
    pub(super) gate: AsyncMutex<()>,
    /// Held by the one task that looks after lost starts and jobs.
    pub(super) upkeep: AsyncMutex<()>,
    pub(super) signals: Signals,
    pub(super) tasks: Tasks,
    pub(super) runtime: Handle,
}

/// Own renewals.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Renewed {
    pub(super) count: u64,
    pub(super) beat: u64,
}

/// Wake-ups and ends.
#[derive(Default)]
pub(super) struct Signals {
    /// A target may have become takeable.
    pub(super) takeable: Notify,
    /// A job of this runner moved on.
    pub(super) progress: Notify,
    /// The session was found gone.
    pub(super) gone: Notify,
    /// A sweep is wanted.
    pub(super) sweep: Notify,
    /// Terminal jobs are over their byte budget.
    pub(super) evict: Notify,
    /// No submit and no take begins any more.
    pub(super) closing: CancellationToken,
    /// What fetches see.
    pub(super) cancel: CancellationToken,
    /// Workers are dropped where they stand.
    pub(super) abort: CancellationToken,
    /// Background tasks end.
    pub(super) stop: CancellationToken,
}

/// What close waits for.
pub(super) struct Tasks {
    pub(super) submits: TaskTracker,
    pub(super) workers: TaskTracker,
    pub(super) background: TaskTracker,
    pub(super) close_begun: AtomicBool,
    pub(super) closed: watch::Sender<Option<CloseReport>>,
}

impl Shared {
    pub(super) async fn new(builder: RunnerBuilder) -> Result<Arc<Self>, Error> {
        let shared = Self {
            store: builder.store,
            fetch: builder.fetch,
            callers: builder.callers,
            clock: builder.clock,
            config: builder.config.resolved(),
            gauges: Gauges::new(&builder.hooks),
            hooks: builder.hooks,
            tally: Counts::default(),
            session: watch::Sender::new(SessionId::random()),
            renewed: watch::Sender::new(Renewed::default()),
            store_time: Mutex::default(),
            tickets: Mutex::default(),
            watcher: AsyncMutex::default(),
            gate: AsyncMutex::default(),
            upkeep: AsyncMutex::default(),
            signals: Signals::default(),
            tasks: Tasks {
                submits: TaskTracker::new(),
                workers: TaskTracker::new(),
                background: TaskTracker::new(),
                close_begun: AtomicBool::new(false),
                closed: watch::Sender::new(None),
            },
            runtime: Handle::current(),
        };
        let capabilities = shared
            .send("capabilities", || shared.store.capabilities())
            .await?;
        shared.set_store_time(capabilities.store_time);
        Ok(Arc::new(shared))
    }

    /// Store time now.
    pub(super) fn now(&self) -> Timestamp {
        match *lock(&self.store_time) {
            Some((time, at)) => time.after(self.clock.elapsed().saturating_sub(at)),
            None => self.clock.now(),
        }
    }

    /// Keeps what a store with a clock of its own said.
    pub(super) fn set_store_time(&self, time: Option<Timestamp>) {
        if let Some(time) = time {
            *lock(&self.store_time) = Some((time, self.clock.elapsed()));
        }
    }

    /// The session of now.
    pub(super) fn session_id(&self) -> SessionId {
        self.session.borrow().clone()
    }

    /// Draws a ticket for a take that is about to be sent.
    pub(super) fn draw_ticket(&self) -> Ticket {
        let ticket = Ticket::random();
        lock(&self.tickets).insert(ticket.clone(), None);
        ticket
    }

    /// The ticket's take was answered with a start.
    pub(super) fn keep_ticket(&self, ticket: &Ticket, start: Start) {
        lock(&self.tickets).insert(ticket.clone(), Some(start));
    }

    /// Nothing is awaited of the ticket any more.
    pub(super) fn drop_ticket(&self, ticket: &Ticket) {
        lock(&self.tickets).remove(ticket);
    }

    /// Whether the ticket is awaited or its start is in hand.
    pub(super) fn knows_ticket(&self, ticket: &Ticket) -> bool {
        lock(&self.tickets).contains_key(ticket)
    }

    /// Every ticket that is awaited, or whose start is in hand.
    pub(super) fn known_tickets(&self) -> HashSet<Ticket> {
        lock(&self.tickets).keys().cloned().collect()
    }

    /// Every start in hand.
    pub(super) fn starts_in_hand(&self) -> Vec<Start> {
        lock(&self.tickets).values().flatten().cloned().collect()
    }

    /// Runs a background task until the runner stops.
    pub(super) fn spawn<Fut>(self: &Arc<Self>, task: impl FnOnce(Arc<Self>) -> Fut)
    where
        Fut: Future<Output = ()> + Send + 'static,
    {
        let work = task(self.clone());
        let stop = self.signals.stop.clone();
        self.tasks.background.spawn_on(
            async move {
                stop.run_until_cancelled(work).await;
            },
            &self.runtime,
        );
    }

    /// Runs a worker until it ends, or is dropped at the end of a close.
    pub(super) fn spawn_worker<Fut>(self: &Arc<Self>, worker: fn(Arc<Self>) -> Fut)
    where
        Fut: Future<Output = ()> + Send + 'static,
    {
        let work = worker(self.clone());
        let abort = self.signals.abort.clone();
        self.tasks.workers.spawn_on(
            async move {
                abort.run_until_cancelled(work).await;
            },
            &self.runtime,
        );
    }
}

/// Locks plain data that no panic can leave half changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
