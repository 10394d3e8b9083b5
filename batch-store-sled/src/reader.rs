//! The threads that read: one read sees one state, and the writer waits for its end (S8).

use async_channel::Receiver;
use batch_core::store::StoreResult;
use batch_core::store::error::StoreErrorKind;
use tokio::sync::oneshot;

use crate::engine::{Engine, broken, caught};
use crate::step::Step;

/// A read that waits for a reader.
pub(crate) type Look = Box<dyn FnOnce(&Engine) + Send>;

/// A read of `act`, whose result goes to `reply`.
pub(crate) fn look<T: Send + 'static>(
    act: impl FnOnce(&Step<'_>) -> StoreResult<T> + Send + 'static,
    reply: oneshot::Sender<StoreResult<T>>,
) -> Look {
    Box::new(move |engine| {
        // A caller that went away needs no read.
        if reply.is_closed() {
            return;
        }
        let mut db = engine.read();
        if db.is_none() {
            drop(db);
            if let Err(cause) = engine.revive() {
                let _ = reply.send(Err(cause));
                return;
            }
            db = engine.read();
        }
        let answer = match db.as_ref() {
            Some(db) => caught(StoreErrorKind::Corrupt, || act(&Step::new(db))),
            None => Err(broken()),
        };
        drop(db);
        let _ = reply.send(answer);
    })
}

/// Serves reads until the channel is closed and drained.
pub(crate) fn serve(engine: &Engine, looks: &Receiver<Look>) {
    while let Ok(look) = looks.recv_blocking() {
        look(engine);
    }
}
