//! The threads that read, each over a read-only connection of its own.
//!
//! One read is one transaction: it sees one state, waits for no writer, and ends with
//! its page (S8).

use async_channel::Receiver;
use batch_core::store::StoreResult;
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::error::failed;
use crate::sql;
use crate::tables::{Tables, execute};
use crate::writer::caught;

/// A read that waits for a reader.
pub(crate) type Look = Box<dyn FnOnce(&Connection) + Send>;

/// A read of `act`, whose result goes to `reply`.
pub(crate) fn look<T: Send + 'static>(
    act: impl FnOnce(&Tables<'_>) -> StoreResult<T> + Send + 'static,
    reply: oneshot::Sender<StoreResult<T>>,
) -> Look {
    Box::new(move |conn| {
        // A caller that went away needs no read.
        if !reply.is_closed() {
            let _ = reply.send(caught(|| read(conn, act)));
        }
    })
}

/// Serves reads until the channel is closed and drained.
pub(crate) fn serve(conn: &Connection, looks: &Receiver<Look>) {
    while let Ok(look) = looks.recv_blocking() {
        look(conn);
        end(conn);
    }
}

fn read<T>(conn: &Connection, act: impl FnOnce(&Tables<'_>) -> StoreResult<T>) -> StoreResult<T> {
    execute(conn, sql::BEGIN_READ).map_err(|cause| failed(conn, cause))?;
    let answer = act(&Tables::new(conn));
    end(conn);
    answer
}

/// Ends the read transaction, whatever happened in it.
fn end(conn: &Connection) {
    if !conn.is_autocommit()
        && let Err(cause) = execute(conn, sql::ROLLBACK)
    {
        tracing::error!(%cause, "a read could not be ended");
    }
}
