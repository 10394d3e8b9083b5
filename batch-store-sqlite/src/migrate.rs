//! How a file gets the schema that this code writes (S11).
//!
//! A minor only adds, so older programs go on beside newer ones. There is no second
//! major yet; one would be refused while another session is live.

use std::path::Path;

use batch_core::store::StoreResult;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::classify;
use crate::probe::Identity;
use crate::schema::{APPLICATION_ID, MAJOR, MINOR, TABLES, VERSION_BASE};

/// One addition: the statements that bring a file to this minor.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Addition {
    pub(crate) minor: i64,
    pub(crate) statements: &'static str,
}

/// Every minor after the first, in order.
pub(crate) const ADDITIONS: &[Addition] = &[];

const _: () = assert!(
    ADDITIONS.len() as u64 == MINOR.cast_unsigned(),
    "every minor has its addition"
);

/// Makes a new file a store, unless another process was faster.
///
/// Runs before the file has a write-ahead log, so that its identity is in the file
/// itself and a later probe finds it there.
pub(crate) fn create(conn: &mut Connection, path: &Path) -> StoreResult<()> {
    let failed = |cause| classify(&path.display().to_string(), cause);
    let step = begin(conn).map_err(failed)?;
    let found = Identity::of(&step).map_err(failed)?;
    if !found.is_empty() {
        return found.check(path);
    }
    let made = step
        .execute_batch(TABLES)
        .and_then(|()| step.pragma_update(None, "application_id", APPLICATION_ID))
        .and_then(|()| step.pragma_update(None, "user_version", MAJOR * VERSION_BASE));
    made.and_then(|()| step.commit()).map_err(failed)
}

/// Brings a store of an older minor up; one of a newer minor stays as it is.
pub(crate) fn migrate(
    conn: &mut Connection,
    path: &Path,
    additions: &[Addition],
) -> StoreResult<()> {
    let failed = |cause| classify(&path.display().to_string(), cause);
    let found = Identity::of(conn).map_err(failed)?;
    found.check(path)?;
    if missing(found, additions).next().is_none() {
        return Ok(());
    }
    let step = begin(conn).map_err(failed)?;
    let found = Identity::of(&step).map_err(failed)?;
    found.check(path)?;
    for addition in missing(found, additions) {
        let version = MAJOR * VERSION_BASE + addition.minor;
        step.execute_batch(addition.statements)
            .and_then(|()| step.pragma_update(None, "user_version", version))
            .map_err(failed)?;
    }
    step.commit().map_err(failed)
}

/// The additions that a file of this version has not seen.
fn missing(found: Identity, additions: &[Addition]) -> impl Iterator<Item = &Addition> {
    let minor = found.version % VERSION_BASE;
    additions
        .iter()
        .filter(move |addition| addition.minor > minor)
}

fn begin(conn: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    conn.transaction_with_behavior(TransactionBehavior::Immediate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new_file(dir: &tempfile::TempDir) -> (Connection, std::path::PathBuf) {
        let path = dir.path().join("store.db");
        let mut conn = Connection::open(&path).unwrap();
        create(&mut conn, &path).unwrap();
        (conn, path)
    }

    const LATER: &[Addition] = &[
        Addition {
            minor: 1,
            statements: "ALTER TABLE note ADD COLUMN one INTEGER;",
        },
        Addition {
            minor: 2,
            statements: "CREATE TABLE two (x INTEGER) STRICT;",
        },
    ];

    /// S11.4
    #[test]
    fn an_older_minor_is_brought_up_once() {
        let dir = tempfile::tempdir().unwrap();
        let (mut conn, path) = new_file(&dir);

        migrate(&mut conn, &path, LATER).unwrap();
        migrate(&mut conn, &path, LATER).unwrap();

        assert_eq!(Identity::of(&conn).unwrap().version, 1_002);
        conn.execute("INSERT INTO two (x) VALUES (1)", []).unwrap();
    }

    /// S11.2
    #[test]
    fn a_migration_that_fails_leaves_the_file_as_it_was() {
        let dir = tempfile::tempdir().unwrap();
        let (mut conn, path) = new_file(&dir);
        let broken = [
            LATER[0],
            Addition {
                minor: 2,
                statements: "no statement",
            },
        ];

        let refused = migrate(&mut conn, &path, &broken);

        assert!(refused.is_err());
        assert_eq!(Identity::of(&conn).unwrap().version, 1_000);
    }
}
