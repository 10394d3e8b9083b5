//! The database itself, shared by the writer and the readers, and opened anew when it
//! broke.
//!
//! After a failed write sled answers nothing but that failure; its log is whole up to
//! there. So the writer closes it and opens it again, which plays the log back. A panic
//! of sled is a failure like any other, and ends no thread of ours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::{Duration, Instant};

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use sled::Db;

use crate::error::{error, failed};

/// Bytes of pages that sled keeps in memory.
const CACHE_BYTES: u64 = 64 << 20;

/// How long a database that was just closed may hold its files.
const CLOSING: Duration = Duration::from_secs(2);

/// How long to wait between two looks at it.
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// The database; `None` while it is broken or closed.
#[derive(Debug)]
pub(crate) struct Engine {
    path: PathBuf,
    db: RwLock<Option<Db>>,
}

impl Engine {
    /// Opens the database of a directory.
    pub(crate) fn open(path: &Path) -> StoreResult<Self> {
        let db = open(path)?;
        Ok(Self {
            path: path.to_owned(),
            db: RwLock::new(Some(db)),
        })
    }

    /// For a read: nothing is written meanwhile, and all that is seen is durable.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Option<Db>> {
        self.db.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a group of steps.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Option<Db>> {
        self.db.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database, opened again if it broke.
    pub(crate) fn revived<'a>(&self, db: &'a mut Option<Db>) -> StoreResult<&'a Db> {
        if db.is_none() {
            *db = Some(open(&self.path)?);
            tracing::warn!("the database was opened again after a failure");
        }
        db.as_ref().ok_or_else(broken)
    }

    /// Closes the database, however it is.
    pub(crate) fn close(&self) {
        let db = self.write().take();
        let closed = caught(StoreErrorKind::Unavailable, || {
            drop(db);
            Ok(())
        });
        if let Err(cause) = closed {
            tracing::error!(%cause, "the database could not be closed");
        }
    }
}

/// A database that was closed in this process frees its files when its threads end,
/// which nothing tells.
fn open(path: &Path) -> StoreResult<Db> {
    let until = Instant::now() + CLOSING;
    loop {
        let config = sled::Config::new()
            .path(path)
            .cache_capacity(CACHE_BYTES)
            // The writer flushes before it answers.
            .flush_every_ms(None);
        let opened = caught(StoreErrorKind::Corrupt, || config.open().map_err(failed));
        match opened {
            Err(cause) if cause.kind() == StoreErrorKind::Unavailable && Instant::now() < until => {
                thread::park_timeout(LOOK_EVERY);
            }
            opened => return opened,
        }
    }
}

/// No database is open.
pub(crate) fn broken() -> StoreError {
    let reason = "the database is being opened again after a failure; try again";
    error(StoreErrorKind::Unavailable, reason)
}

/// Runs a function; a panic in it is an error of `kind`, and its value is forgotten (R8).
pub(crate) fn caught<T>(
    kind: StoreErrorKind,
    act: impl FnOnce() -> StoreResult<T>,
) -> StoreResult<T> {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
            std::mem::forget(again);
        }
        tracing::error!("the database panicked");
        Err(error(kind, "the database panicked; it may be damaged"))
    })
}
