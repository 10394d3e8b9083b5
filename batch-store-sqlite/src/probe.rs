//! Whether a file may be opened: decided read-only, before anything is touched (S11).
//!
//! The file is read through SQLite as immutable: without locks, without a log, and
//! without a descriptor of our own, whose closing would drop the locks that other
//! connections of this process hold on the file.

use std::fs;
use std::io;
use std::path::Path;

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};
use rusqlite::{Connection, ErrorCode, OpenFlags};

use crate::error::{classify, error};
use crate::schema::{APPLICATION_ID, MAJOR, VERSION_BASE};
use crate::sql;

/// What is at an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or an empty file.
    Nothing,
    /// A store, or what looks like one that a crash left to be recovered.
    Store,
}

/// Looks at `path`; an error names it, and why it cannot be a store.
pub(crate) fn probe(path: &Path) -> StoreResult<Found> {
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(unusable(path, "is a directory; name a file")),
        Ok(found) if !found.is_file() => Err(unusable(path, "is not a regular file")),
        Ok(found) if found.len() == 0 => Ok(Found::Nothing),
        Ok(_) => look_inside(path),
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => look_at_parent(path),
        Err(cause) => Err(unusable(path, "cannot be examined").with_source(cause)),
    }
}

fn look_at_parent(path: &Path) -> StoreResult<Found> {
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty());
    match parent.map(fs::metadata) {
        Some(Ok(parent)) if !parent.is_dir() => Err(unusable(
            path,
            "cannot be made; its parent is not a directory",
        )),
        Some(Err(cause)) => {
            let reason = "cannot be made; its directory does not exist or cannot be examined";
            Err(unusable(path, reason).with_source(cause))
        }
        Some(Ok(_)) | None => Ok(Found::Nothing),
    }
}

/// How often a file that looks damaged is looked at.
const LOOKS: u32 = 8;

fn look_inside(path: &Path) -> StoreResult<Found> {
    settled(|| look_once(path))
}

/// Looks once more at a file that seems damaged: another process may just have moved its
/// log into it, which is seen half done without locks, and taken the log away.
fn settled(mut look: impl FnMut() -> StoreResult<Found>) -> StoreResult<Found> {
    let mut found = look();
    for _ in 1..LOOKS {
        match &found {
            Err(error) if error.kind() == StoreErrorKind::Corrupt => found = look(),
            _ => break,
        }
    }
    found
}

fn look_once(path: &Path) -> StoreResult<Found> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let identity =
        Connection::open_with_flags(immutable(path), flags).and_then(|conn| Identity::of(&conn));
    match identity {
        Ok(identity) => identity.check(path).map(|()| Found::Store),
        Err(cause) => match cause.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt) if is_to_be_recovered(path) => Ok(Found::Store),
            Some(ErrorCode::DatabaseCorrupt) => Err(damaged(path).with_source(cause)),
            Some(ErrorCode::NotADatabase) => Err(foreign(path).with_source(cause)),
            _ => Err(classify(&path.display().to_string(), cause)),
        },
    }
}

/// A crash may leave the file shorter than its header says; its log has the rest.
fn is_to_be_recovered(path: &Path) -> bool {
    // SQLite names its logs after the file that a link leads to.
    let Ok(path) = fs::canonicalize(path) else {
        return false;
    };
    ["-wal", "-journal"].into_iter().any(|suffix| {
        let mut log = path.as_os_str().to_owned();
        log.push(suffix);
        fs::metadata(log).is_ok_and(|log| log.len() > 0)
    })
}

/// The file as a URI; every byte that could be syntax is escaped.
fn immutable(path: &Path) -> String {
    use std::fmt::Write as _;

    let mut uri = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        if byte.is_ascii_alphanumeric() || b"/-_.".contains(byte) {
            uri.push(char::from(*byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri.push_str("?mode=ro&immutable=1");
    uri
}

/// What the header of a file says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) application: i64,
    pub(crate) version: i64,
    pub(crate) tables: i64,
}

impl Identity {
    pub(crate) fn of(conn: &Connection) -> rusqlite::Result<Self> {
        Ok(Self {
            application: conn.pragma_query_value(None, "application_id", |row| row.get(0))?,
            version: conn.pragma_query_value(None, "user_version", |row| row.get(0))?,
            tables: conn.query_row(sql::TABLE_COUNT, [], |row| row.get(0))?,
        })
    }

    /// Whether nobody has put anything into the file.
    pub(crate) fn is_empty(self) -> bool {
        self.application == 0 && self.version == 0 && self.tables == 0
    }

    /// Whether it is a store of a schema that this code reads.
    pub(crate) fn check(self, path: &Path) -> StoreResult<()> {
        if self.application != APPLICATION_ID {
            return Err(foreign(path));
        }
        let (major, minor) = (self.version / VERSION_BASE, self.version % VERSION_BASE);
        if major == MAJOR {
            return Ok(());
        }
        let reason = format!(
            "{} has schema {major}.{minor}, this program reads {MAJOR}.x; use another release",
            path.display()
        );
        Err(error(StoreErrorKind::Incompatible, reason))
    }
}

/// The file is another program's, or its header is lost.
fn foreign(path: &Path) -> StoreError {
    let reason = format!(
        "{} is not a store of this program; name another file",
        path.display()
    );
    error(StoreErrorKind::Incompatible, reason)
}

fn damaged(path: &Path) -> StoreError {
    let reason = format!(
        "{} is damaged or cut off; restore it from a copy",
        path.display()
    );
    error(StoreErrorKind::Corrupt, reason)
}

pub(crate) fn unusable(path: &Path, reason: &str) -> StoreError {
    error(
        StoreErrorKind::Unavailable,
        format!("{} {reason}", path.display()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked(mut looks: Vec<StoreResult<Found>>) -> (Option<StoreErrorKind>, usize) {
        let before = looks.len();
        let found = settled(|| looks.remove(0));
        (found.err().map(|error| error.kind()), before - looks.len())
    }

    /// S11.1
    #[test]
    fn a_file_that_another_process_just_closed_is_not_taken_for_damaged() {
        let path = Path::new("store.db");

        let half_moved = looked(vec![Err(damaged(path)), Ok(Found::Store)]);

        assert_eq!(half_moved, (None, 2));
    }

    /// S11.1, S11.2
    #[test]
    fn damage_that_stays_and_a_foreign_file_are_refused() {
        let path = Path::new("store.db");
        let looks = LOOKS as usize;

        let stays = looked((0..looks).map(|_| Err(damaged(path))).collect());
        let other = looked(vec![Err(foreign(path))]);

        assert_eq!(stays, (Some(StoreErrorKind::Corrupt), looks));
        assert_eq!(other, (Some(StoreErrorKind::Incompatible), 1));
    }
}
