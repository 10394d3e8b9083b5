//! The database itself, shared by the writer and the readers, and opened anew when it
//! broke.
//!
//! After a failed write sled answers nothing but that failure; its log is whole up to
//! there. So the writer closes it and opens it again, which plays the log back. A panic
//! of sled is a failure like any other, and ends no thread of ours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

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

/// What a snapshot that sled did not finish is renamed to, so that sled looks past it.
const TORN: &str = "torn-snapshot";

/// The database; `None` while it is broken or closed.
#[derive(Debug)]
pub(crate) struct Engine {
    path: PathBuf,
    db: RwLock<Option<Db>>,
    /// Held while waiting for `db`, so that a busy writer cannot pass a waiting reader.
    turn: Mutex<()>,
}

impl Engine {
    /// Opens the database of a directory.
    pub(crate) fn open(path: &Path) -> StoreResult<Self> {
        let db = open(path)?;
        Ok(Self {
            path: path.to_owned(),
            db: RwLock::new(Some(db)),
            turn: Mutex::default(),
        })
    }

    /// For a read: nothing is written meanwhile, and all that is seen is durable.
    pub(crate) fn read(&self) -> RwLockReadGuard<'_, Option<Db>> {
        let _turn = self.turn();
        self.db.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a group of steps.
    pub(crate) fn write(&self) -> RwLockWriteGuard<'_, Option<Db>> {
        let _turn = self.turn();
        self.db.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The database, opened again if it broke.
    pub(crate) fn revived<'a>(&self, db: &'a mut Option<Db>) -> StoreResult<&'a Db> {
        if db.is_none() {
            // sled would make a new and empty database where the files are gone.
            fs::metadata(self.path.join("db")).map_err(gone)?;
            *db = Some(open(&self.path)?);
            tracing::warn!("the database was opened again after a failure");
        }
        db.as_ref().ok_or_else(broken)
    }

    /// Opens a broken database again, for whoever finds it so and has nothing to write.
    pub(crate) fn revive(&self) -> StoreResult<()> {
        self.revived(&mut self.write()).map(drop)
    }

    /// Closes the database, however it is.
    pub(crate) fn close(&self) {
        discard(&mut self.write());
    }
}

/// Lets go of a database, which may panic where it cannot be written any more.
pub(crate) fn discard(db: &mut Option<Db>) {
    let db = db.take();
    let closed = caught(StoreErrorKind::Unavailable, || {
        drop(db);
        Ok(())
    });
    if let Err(cause) = closed {
        tracing::error!(%cause, "the database could not be closed");
    }
}

/// A database that was closed in this process frees its files when its threads end,
/// which nothing tells.
fn open(path: &Path) -> StoreResult<Db> {
    set_torn_snapshots_aside(path)?;
    let until = Instant::now() + CLOSING;
    loop {
        let config = sled::Config::new()
            .path(path)
            .cache_capacity(CACHE_BYTES)
            // The writer flushes before it answers.
            .flush_every_ms(None);
        match caught(StoreErrorKind::Corrupt, || Ok(config.open()))? {
            Err(cause) if is_held(&cause) && Instant::now() < until => {
                thread::park_timeout(LOOK_EVERY);
            }
            opened => return opened.map_err(failed),
        }
    }
}

/// sled answers that its file is locked as an error without a kind.
fn is_held(cause: &sled::Error) -> bool {
    matches!(cause, sled::Error::Io(cause) if cause.kind() == io::ErrorKind::Other)
}

/// A snapshot that was being written when the process was killed is taken by sled for its
/// newest one, and the whole database for damaged. Until it is renamed nothing relies on
/// it: the snapshot before and the log hold the same.
fn set_torn_snapshots_aside(path: &Path) -> StoreResult<()> {
    let unusable = |cause| failed(sled::Error::Io(cause));
    let entries = match fs::read_dir(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(unusable)?,
    };
    for entry in entries {
        let file = entry.map_err(unusable)?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::rename(&file, path.join(TORN)).map_err(unusable)?;
            tracing::warn!("a snapshot that was cut short was set aside");
        }
    }
    Ok(())
}

fn gone(cause: io::Error) -> StoreError {
    let reason = "the data is gone; restore it from a copy and open the store again";
    error(StoreErrorKind::Corrupt, reason).with_source(cause)
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

#[cfg(test)]
mod tests;
