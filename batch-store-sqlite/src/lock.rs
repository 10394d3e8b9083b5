//! The OS locks by which one process sees that another's session lives (R9.3).
//!
//! A session locks a file of its own in a directory beside the database. The system
//! frees the lock when the process ends, however it ends. All calls block; they run
//! on the store's threads.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::view::SessionLock;
use sha2::{Digest, Sha256};

use crate::error::{closed, error};

/// How often a lock is tried that another handle is just looking at.
const TRIES: u32 = 50;

/// How long to wait between two tries.
const TRY_EVERY: Duration = Duration::from_millis(1);

/// The longest id that is a file name as it is.
const PLAIN_ID: usize = 64;

/// The locks of one handle.
#[derive(Debug)]
pub(crate) struct Locks {
    /// `None` for a store in memory, which no other process sees.
    dir: Option<PathBuf>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    files: HashMap<SessionId, File>,
    closed: bool,
}

/// Whether a call took a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hold {
    /// It did.
    New,
    /// This handle, or another one, held it before.
    Before,
}

impl Locks {
    /// The locks of the database at `path`, whatever links lead there.
    pub(crate) fn beside(path: &Path) -> StoreResult<Self> {
        let path = fs::canonicalize(path).map_err(|cause| cannot_lock(path, cause))?;
        let mut dir = path.into_os_string();
        dir.push(".sessions");
        Ok(Self {
            dir: Some(PathBuf::from(dir)),
            held: Mutex::default(),
        })
    }

    /// No locks.
    pub(crate) fn none() -> Self {
        Self {
            dir: None,
            held: Mutex::default(),
        }
    }

    /// Holds the lock of a session until it is released.
    pub(crate) fn hold(&self, session: &SessionId) -> StoreResult<Hold> {
        let Some(dir) = &self.dir else {
            return Ok(Hold::Before);
        };
        let mut held = self.held();
        if held.closed {
            return Err(closed());
        }
        if held.files.contains_key(session) {
            return Ok(Hold::Before);
        }
        match take(dir, session).map_err(|cause| cannot_lock(dir, cause))? {
            Some(file) => {
                held.files.insert(session.clone(), file);
                Ok(Hold::New)
            }
            None => Ok(Hold::Before),
        }
    }

    /// Gives the lock of a session up; its file stays for its reaper.
    pub(crate) fn release(&self, session: &SessionId) {
        self.held().files.remove(session);
    }

    /// Removes the file of a session that is reaped.
    pub(crate) fn remove(&self, session: &SessionId) {
        self.release(session);
        if let Some(dir) = &self.dir
            && let Err(cause) = fs::remove_file(dir.join(file_name(session)))
            && cause.kind() != io::ErrorKind::NotFound
        {
            tracing::warn!(%cause, "the lock file of a reaped session stays");
        }
    }

    /// Removes the files of sessions that ended between their lock and their row.
    ///
    /// For a step that writes only: during it no other session is about to begin.
    pub(crate) fn remove_strays(
        &self,
        is_known: impl Fn(&SessionId) -> StoreResult<bool>,
    ) -> StoreResult<()> {
        let Some(dir) = &self.dir else {
            return Ok(());
        };
        for session in sessions_in(dir) {
            if self.probe(&session) == SessionLock::Free && !is_known(&session)? {
                self.remove(&session);
            }
        }
        Ok(())
    }

    /// Gives every lock up, and takes no other.
    pub(crate) fn close(&self) {
        let mut held = self.held();
        held.closed = true;
        held.files.clear();
    }

    /// What the lock of a session says: only a file that is there can say anything.
    pub(crate) fn probe(&self, session: &SessionId) -> SessionLock {
        let Some(dir) = &self.dir else {
            return SessionLock::Unknown;
        };
        let Ok(file) = File::open(dir.join(file_name(session))) else {
            return SessionLock::Unknown;
        };
        match file.try_lock_shared() {
            Ok(()) => SessionLock::Free,
            Err(TryLockError::WouldBlock) => SessionLock::Held,
            Err(TryLockError::Error(_)) => SessionLock::Unknown,
        }
    }

    /// Nothing is done between two changes of the map that could leave it half done.
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The locked file; `None` when another handle holds it.
fn take(dir: &Path, session: &SessionId) -> io::Result<Option<File>> {
    fs::create_dir_all(dir)?;
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(dir.join(file_name(session)))?;
    for _ in 0..TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) => thread::park_timeout(TRY_EVERY),
            Err(TryLockError::Error(cause)) => return Err(cause),
        }
    }
    Ok(None)
}

/// The sessions whose files are called as they are; a runner's own always is.
fn sessions_in(dir: &Path) -> Vec<SessionId> {
    let names = fs::read_dir(dir).into_iter().flatten().flatten();
    names
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_plain(name))
        .map(SessionId::from)
        .collect()
}

/// Names are data (S9): whatever is not plain becomes a digest.
fn file_name(session: &SessionId) -> String {
    let id = session.as_str();
    if is_plain(id) {
        id.to_owned()
    } else {
        format!("_{}", hex::encode(Sha256::digest(id)))
    }
}

fn is_plain(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=PLAIN_ID).contains(&id.len()) && id.bytes().all(plain)
}

fn cannot_lock(dir: &Path, cause: io::Error) -> StoreError {
    let reason = format!(
        "no session can be locked in {}; check its permissions",
        dir.display()
    );
    error(StoreErrorKind::Unavailable, reason).with_source(cause)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locks() -> (tempfile::TempDir, Locks) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("store.db");
        File::create(&path).unwrap();
        let locks = Locks::beside(&path).unwrap();
        (dir, locks)
    }

    /// R9.3
    #[test]
    fn a_lock_is_held_free_or_unknown() {
        let (_dir, locks) = locks();
        let session = SessionId::from("s");

        assert_eq!(locks.probe(&session), SessionLock::Unknown);
        locks.hold(&session).unwrap();
        assert_eq!(locks.probe(&session), SessionLock::Held);
        locks.release(&session);
        assert_eq!(locks.probe(&session), SessionLock::Free);
        locks.remove(&session);
        assert_eq!(locks.probe(&session), SessionLock::Unknown);
    }

    /// S9
    #[test]
    fn b46_a_session_id_is_never_read_as_a_path() {
        for id in ["", "../x", "a/b", ".", "A", "_61", "\0", &"a".repeat(65)] {
            let name = file_name(&SessionId::from(id));

            assert_eq!(name.len(), 65);
            assert!(name.starts_with('_'));
        }
    }
}
