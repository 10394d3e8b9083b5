//! The store's handle: how a call reaches the threads, and how they end.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::{io, thread};

use async_channel::{Receiver, Sender};
use batch_core::id::SessionId;
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
pub(crate) use batch_core::store::operation::Operation;
use batch_core::store::view::SessionLock;
use tokio::sync::{Notify, oneshot};

use crate::engine::{Engine, caught};
use crate::error::{closed, error};
use crate::probe::{Found, Lock, Place};
use crate::reader::{self, Look};
use crate::recover::recover;
use crate::room::Room;
use crate::rows::Value;
use crate::step::Step;
use crate::writer::{self, After, Task};
use crate::{keys, options::Options};

/// Calls that wait for a thread; more wait for room, without having begun.
const QUEUE: usize = 1_024;

/// The value of the identity: the schema that the rows are of.
const IDENTITY: u64 = 1;

/// A store that is open.
pub(crate) struct Handle {
    tasks: Sender<Task>,
    looks: Sender<Look>,
    /// Sessions that entered since the store was opened: all others are dead.
    entered: Arc<Mutex<HashSet<SessionId>>>,
    woken: Arc<Notify>,
    ended: Receiver<()>,
}

impl Handle {
    /// Opens the store of a directory, and starts its threads.
    pub(crate) fn open(path: &Path, options: &Options) -> StoreResult<Self> {
        let place = Place::of(path)?;
        place.probe()?;
        let lock = place.lock()?;
        // Asked again, as somebody else may have made the store meanwhile.
        let found = place.probe()?;
        let engine = Engine::open(&place.data()).map_err(|cause| place.unopened(cause))?;
        identify(&engine, &place, found).map_err(|cause| place.unopened(cause))?;
        Self::start(engine, Room::below(&place.data()), lock, options)
    }

    fn start(engine: Engine, room: Room, lock: Lock, options: &Options) -> StoreResult<Self> {
        let (tasks, to_write) = async_channel::bounded(QUEUE);
        let (looks, to_read) = async_channel::bounded::<Look>(QUEUE);
        let (runs, ended) = async_channel::bounded::<()>(1);
        let (reader_runs, readers_ended) = async_channel::bounded::<()>(1);
        let engine = Arc::new(engine);
        let woken = Arc::new(Notify::new());
        for _ in 0..options.readers {
            let (engine, to_read) = (engine.clone(), to_read.clone());
            let runs = reader_runs.clone();
            spawn("batch-sled-reader", move || {
                reader::serve(&engine, &to_read);
                drop(runs);
            })?;
        }
        drop(reader_runs);
        let wakes = woken.clone();
        spawn("batch-sled-writer", move || {
            writer::serve(&engine, &room, &to_write, || wakes.notify_waiters());
            // Nothing is ever sent: the channel ends with the last reader.
            let _ = readers_ended.recv_blocking();
            engine.close();
            drop(lock);
            drop(runs);
        })?;
        Ok(Self {
            tasks,
            looks,
            entered: Arc::default(),
            woken,
            ended,
        })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.tasks.is_closed()
    }

    /// Changes rows in one step.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        operation: Operation,
        act: impl FnOnce(&mut Step<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.send(None, After::Nothing, operation, act).await
    }

    /// Changes rows in one step, after which a job may be takeable.
    pub(crate) async fn write_and_wake<T: Send + 'static>(
        &self,
        operation: Operation,
        act: impl FnOnce(&mut Step<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.send(None, After::Wake, operation, act).await
    }

    /// Changes rows in one step that brings so many bytes of data.
    pub(crate) async fn bring<T: Send + 'static>(
        &self,
        bytes: u64,
        after: After,
        operation: Operation,
        act: impl FnOnce(&mut Step<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.send(Some(bytes), after, operation, act).await
    }

    async fn send<T: Send + 'static>(
        &self,
        brings: Option<u64>,
        after: After,
        operation: Operation,
        act: impl FnOnce(&mut Step<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (reply, answer) = oneshot::channel();
        let answer = match self
            .tasks
            .send(writer::task(act, brings, after, reply))
            .await
        {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(vanished())),
            Err(_) => Err(closed()),
        };
        answer.map_err(|cause| operation.failed(cause))
    }

    /// Reads rows of one state.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        operation: Operation,
        act: impl FnOnce(&Step<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let (reply, answer) = oneshot::channel();
        let answer = match self.looks.send(reader::look(act, reply)).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(vanished())),
            Err(_) => Err(closed()),
        };
        answer.map_err(|cause| operation.failed(cause))
    }

    /// Keeps that a session belongs to this opening of the store.
    pub(crate) fn entered(&self) -> Entered {
        Entered(self.entered.clone())
    }

    /// Resolves when a job may have become takeable.
    pub(crate) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Takes no more calls, and waits until those that were begun are answered.
    pub(crate) async fn close(&self) {
        self.stop();
        // Nothing is ever sent: the channel ends with the writer.
        let _ = self.ended.recv().await;
    }

    fn stop(&self) {
        self.tasks.close();
        self.looks.close();
    }
}

/// The threads answer what was begun and end by themselves.
impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The sessions of this opening.
#[derive(Clone)]
pub(crate) struct Entered(Arc<Mutex<HashSet<SessionId>>>);

impl Entered {
    pub(crate) fn add(&self, session: &SessionId) {
        self.sessions().insert(session.clone());
    }

    pub(crate) fn remove(&self, session: &SessionId) {
        self.sessions().remove(session);
    }

    /// R9.3: whoever entered before this opening is gone, for nobody shares the store.
    pub(crate) fn lock_of(&self, session: &SessionId) -> SessionLock {
        if self.sessions().contains(session) {
            SessionLock::Unknown
        } else {
            SessionLock::Free
        }
    }

    fn sessions(&self) -> std::sync::MutexGuard<'_, HashSet<SessionId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A new database gets its identity, one that should have it is checked.
fn identify(engine: &Engine, place: &Place, found: Found) -> StoreResult<()> {
    let db = engine.read();
    let db = db.as_ref().ok_or_else(|| place.damaged())?;
    let known = Step::new(db).get::<u64>(&keys::identity())?;
    match (found, known) {
        (Found::Store, Some(IDENTITY)) => {
            caught(StoreErrorKind::Corrupt, || recover(db))?;
            flush(db)
        }
        (Found::Store, _) => Err(place.damaged()),
        (Found::Nothing, _) => {
            let key = keys::identity().into_bytes();
            db.insert(key, IDENTITY.encode())
                .map_err(crate::error::unknown)?;
            flush(db)?;
            place.finish()
        }
    }
}

fn flush(db: &sled::Db) -> StoreResult<()> {
    db.flush().map(drop).map_err(crate::error::unknown)
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> StoreResult<()> {
    let spawned = thread::Builder::new().name(name.to_owned()).spawn(run);
    spawned.map(drop).map_err(no_thread)
}

/// Runs blocking work on a thread of its own.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> StoreResult<T> + Send + 'static,
) -> StoreResult<T> {
    let (reply, answer) = oneshot::channel();
    spawn("batch-sled-open", move || {
        // A caller that went away has nobody to tell.
        let _ = reply.send(caught(StoreErrorKind::Corrupt, work));
    })?;
    answer.await.unwrap_or_else(|_| Err(vanished()))
}

fn no_thread(cause: io::Error) -> StoreError {
    let reason = "the system gives the store no thread";
    error(StoreErrorKind::Unavailable, reason).with_source(cause)
}

/// A thread ended without an answer, which only a bug can do.
fn vanished() -> StoreError {
    error(
        StoreErrorKind::Unknown,
        "the store's thread ended; open the store again",
    )
}
