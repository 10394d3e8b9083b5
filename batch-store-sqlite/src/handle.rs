//! The store's handle: how a call reaches the threads, and how they end.

use std::path::Path;
use std::sync::Arc;
use std::{io, thread};

use async_channel::{Receiver, Sender};
use batch_core::decide::{Decision, Table};
use batch_core::store::StoreResult;
use batch_core::store::capability::Durability;
use batch_core::store::error::{StoreError, StoreErrorKind};
pub(crate) use batch_core::store::operation::Operation;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::connect::Connections;
use crate::error::{closed, error};
use crate::lock::Locks;
use crate::reader::{self, Look};
use crate::tables::Tables;
use crate::writer::{self, Call, Task};

/// Calls that wait for a thread; more wait for room, without having begun.
const QUEUE: usize = 1_024;

/// A store that is open.
pub(crate) struct Handle {
    tasks: Sender<Task>,
    /// `None` in memory: there the writer reads too.
    looks: Option<Sender<Look>>,
    locks: Arc<Locks>,
    durability: Durability,
    ended: Receiver<()>,
}

impl Handle {
    /// Starts the threads over their connections.
    pub(crate) fn start(
        connections: Connections,
        locks: Locks,
        durability: Durability,
    ) -> StoreResult<Self> {
        let (tasks, to_write) = async_channel::bounded(QUEUE);
        let (reading, to_read) = async_channel::bounded(QUEUE);
        let (writer_runs, ended) = async_channel::bounded(1);
        let can_read = !connections.readers.is_empty();
        let readers_ended = start_readers(connections.readers, &to_read)?;
        let conn = connections.writer;
        spawn("batch-sqlite-writer", move || {
            writer::serve(&conn, &to_write);
            // The last connection to close must be one that can clear the log away.
            let _ = readers_ended.recv_blocking();
            drop(conn);
            drop::<Sender<()>>(writer_runs);
        })?;
        Ok(Self {
            tasks,
            looks: can_read.then_some(reading),
            locks: Arc::new(locks),
            durability,
            ended,
        })
    }

    pub(crate) fn locks(&self) -> Arc<Locks> {
        Arc::clone(&self.locks)
    }

    pub(crate) fn durability(&self) -> Durability {
        self.durability
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.tasks.is_closed()
    }

    /// Changes rows in one step.
    pub(crate) async fn write<T: Send + 'static>(
        &self,
        operation: Operation,
        act: impl FnMut(&mut Tables<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.send(None, operation, act, |_| ()).await
    }

    /// Changes rows in one step that brings so many bytes of data.
    pub(crate) async fn bring<T: Send + 'static>(
        &self,
        bytes: u64,
        operation: Operation,
        act: impl FnMut(&mut Tables<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        self.send(Some(bytes), operation, act, |_| ()).await
    }

    /// Changes rows in one step; `done` runs on the writer's thread once it is committed.
    pub(crate) async fn write_then<T: Send + 'static>(
        &self,
        operation: Operation,
        act: impl FnMut(&mut Tables<'_>) -> StoreResult<T> + Send + 'static,
        done: impl FnOnce(&T) + Send + 'static,
    ) -> StoreResult<T> {
        self.send(None, operation, act, done).await
    }

    async fn send<T: Send + 'static>(
        &self,
        brings: Option<u64>,
        operation: Operation,
        act: impl FnMut(&mut Tables<'_>) -> StoreResult<T> + Send + 'static,
        done: impl FnOnce(&T) + Send + 'static,
    ) -> StoreResult<T> {
        let (reply, answer) = oneshot::channel();
        let task = Call::task(brings, act, done, reply);
        let answer = match self.tasks.send(task).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(vanished())),
            Err(_) => Err(closed()),
        };
        answer.map_err(|cause| operation.failed(cause))
    }

    /// Reads rows in one transaction.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        operation: Operation,
        mut act: impl FnMut(&Tables<'_>) -> StoreResult<T> + Send + 'static,
    ) -> StoreResult<T> {
        let Some(looks) = &self.looks else {
            return self.write(operation, move |tables| act(tables)).await;
        };
        let (reply, answer) = oneshot::channel();
        let answer = match looks.send(reader::look(act, reply)).await {
            Ok(()) => answer.await.unwrap_or_else(|_| Err(vanished())),
            Err(_) => Err(closed()),
        };
        answer.map_err(|cause| operation.failed(cause))
    }

    /// Decides on a reader first: only what changes something takes the write lock, and
    /// needs room if it brings data.
    pub(crate) async fn decide<C, T>(
        &self,
        brings: Option<u64>,
        operation: fn(&C) -> Operation,
        call: C,
        decide: fn(&Tables<'_>, &C) -> StoreResult<Decision<T>>,
    ) -> StoreResult<T>
    where
        C: Send + Sync + 'static,
        T: Send + 'static,
    {
        let call = Arc::new(call);
        if self.looks.is_some() {
            let asked = Arc::clone(&call);
            let look = move |tables: &Tables<'_>| decide(tables, &asked);
            let decision = self.read(operation(&call), look).await?;
            if decision.changes.is_empty() {
                return Ok(decision.reply);
            }
        }
        let name = operation(&call);
        let act = move |tables: &mut Tables<'_>| tables.keep(decide(tables, &call)?);
        self.send(brings, name, act, |_| ()).await
    }

    /// Takes no more calls, and waits until those that were begun are answered.
    pub(crate) async fn close(&self) {
        self.stop();
        // Nothing is ever sent: the channel ends with the last thread.
        let _ = self.ended.recv().await;
        self.locks.close();
    }

    fn stop(&self) {
        self.tasks.close();
        if let Some(looks) = &self.looks {
            looks.close();
        }
    }
}

/// The threads answer what was begun and end by themselves; the locks are free at once.
impl Drop for Handle {
    fn drop(&mut self) {
        self.stop();
        self.locks.close();
    }
}

/// Starts a thread over each connection; the channel ends when the last one has.
fn start_readers(readers: Vec<Connection>, to_read: &Receiver<Look>) -> StoreResult<Receiver<()>> {
    let (run, ended) = async_channel::bounded::<()>(1);
    for conn in readers {
        let (to_read, run) = (to_read.clone(), run.clone());
        spawn("batch-sqlite-reader", move || {
            reader::serve(&conn, &to_read);
            drop(conn);
            drop(run);
        })?;
    }
    Ok(ended)
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
    spawn("batch-sqlite-open", move || {
        // A caller that went away has nobody to tell.
        let _ = reply.send(writer::caught(work));
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

/// The address of a database, independent of the working directory.
pub(crate) fn absolute(path: &Path) -> StoreResult<std::path::PathBuf> {
    std::path::absolute(path).map_err(|cause| {
        let reason = "the path of the store is empty or cannot be resolved";
        error(StoreErrorKind::Unavailable, reason).with_source(cause)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::open;
    use crate::options::Options;

    #[tokio::test]
    async fn the_threads_of_a_dropped_handle_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        let connections = open(&path, &Options::default()).unwrap();
        let locks = Locks::beside(&path).unwrap();
        let handle = Handle::start(connections, locks, Durability::Power).unwrap();
        let ended = handle.ended.clone();

        drop(handle);

        assert!(ended.recv().await.is_err());
        assert!(!dir.path().join("store.db-wal").exists());
    }
}
