//! How connections are opened, and what every one of them is set to.

use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use batch_core::decide::Rows;
use batch_core::store::StoreResult;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::error::classify;
use crate::migrate::{ADDITIONS, create, migrate};
use crate::options::{Durability, Options};
use crate::probe::{Found, Identity, probe, unusable};
use crate::schema::TABLES;
use crate::tables::Tables;

/// How long opening waits for another process that opens or closes the same file.
///
/// Short, so that a file which somebody holds exclusively is refused at once.
const OPEN_WAIT: Duration = Duration::from_secs(2);

/// How long to wait between two looks at a lock of another process.
///
/// Shorter than a sync of the disk, so that two busy processes take turns.
const LOCK_EVERY: Duration = Duration::from_micros(500);

/// Statements that each connection keeps prepared: more than there are.
const STATEMENTS: usize = 128;

/// Pages of the log after which the writer copies them into the file.
pub(crate) const CHECKPOINT_PAGES: u32 = 4_000;

/// Bytes that the log keeps on disk once it was copied.
const LOG_BYTES: u32 = 64 << 20;

/// KiB of pages that the writer keeps in memory.
const WRITER_CACHE: i64 = 64 << 10;

/// KiB of pages that a reader keeps in memory.
const READER_CACHE: i64 = 8 << 10;

/// The connections of one handle.
pub(crate) struct Connections {
    pub(crate) writer: Connection,
    pub(crate) readers: Vec<Connection>,
}

/// Opens a file, which becomes a store if it is new.
pub(crate) fn open(path: &Path, options: &Options) -> StoreResult<Connections> {
    let flags = match probe(path)? {
        Found::Nothing => OpenFlags::SQLITE_OPEN_CREATE,
        Found::Store => OpenFlags::empty(),
    };
    let failed = |cause| classify(&path.display().to_string(), cause);
    let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE | flags).map_err(failed)?;
    wait_for_locks(&mut writer, OPEN_WAIT.min(options.busy_timeout)).map_err(failed)?;
    if writer.is_readonly("main").map_err(failed)? {
        return Err(unusable(path, "cannot be written; check its permissions"));
    }
    // Asked again, as what a crash left half made is empty once it is recovered.
    if Identity::of(&writer).map_err(failed)?.is_empty() {
        create(&mut writer, path)?;
    }
    set_up_log(&mut writer, OPEN_WAIT).map_err(failed)?;
    migrate(&mut writer, path, ADDITIONS)?;
    Tables::new(&writer).sequence()?;
    set_up_writer(&mut writer, options).map_err(failed)?;
    let readers = (0..options.readers).map(|_| open_reader(path, options));
    Ok(Connections {
        writer,
        readers: readers.collect::<Result<_, _>>().map_err(failed)?,
    })
}

/// A private store that is lost with its handle: one connection for everything.
pub(crate) fn open_in_memory(options: &Options) -> StoreResult<Connections> {
    let failed = |cause| classify("a store in memory", cause);
    let mut writer = Connection::open_in_memory().map_err(failed)?;
    writer.execute_batch(TABLES).map_err(failed)?;
    set_up_writer(&mut writer, options).map_err(failed)?;
    Ok(Connections {
        writer,
        readers: Vec::new(),
    })
}

fn connect(path: &Path, flags: OpenFlags) -> rusqlite::Result<Connection> {
    Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)
}

fn open_reader(path: &Path, options: &Options) -> rusqlite::Result<Connection> {
    let mut conn = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    wait_for_locks(&mut conn, options.busy_timeout)?;
    conn.pragma_update(None, "cache_size", -READER_CACHE)?;
    set_up(&conn)?;
    Ok(conn)
}

/// Two processes that open a new file at once may meet here; SQLite does not wait.
fn set_up_log(conn: &mut Connection, wait: Duration) -> rusqlite::Result<()> {
    let until = Instant::now() + wait;
    loop {
        let set = conn.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match set
            .as_ref()
            .err()
            .and_then(rusqlite::Error::sqlite_error_code)
        {
            Some(rusqlite::ErrorCode::DatabaseBusy) if Instant::now() < until => {
                thread::park_timeout(LOCK_EVERY);
            }
            _ => return set,
        }
    }
}

fn set_up_writer(conn: &mut Connection, options: &Options) -> rusqlite::Result<()> {
    wait_for_locks(conn, options.busy_timeout)?;
    conn.pragma_update(None, "synchronous", options.durability.synchronous())?;
    // On macOS a plain sync leaves the data in the disk's cache; elsewhere this is nothing.
    let full = options.durability == Durability::Power;
    conn.pragma_update(None, "fullfsync", full)?;
    conn.pragma_update(None, "checkpoint_fullfsync", full)?;
    conn.pragma_update(None, "cache_size", -WRITER_CACHE)?;
    let ignore = |_: &rusqlite::Row<'_>| Ok(());
    conn.pragma_update_and_check(None, "wal_autocheckpoint", CHECKPOINT_PAGES, ignore)?;
    conn.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, ignore)?;
    if let Some(pages) = options.max_pages {
        conn.pragma_update_and_check(None, "max_page_count", pages, ignore)?;
    }
    set_up(conn)
}

/// What every connection is set to, whatever it is for.
pub(crate) fn set_up(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    // Plans do not depend on bound values, so that no statement is prepared twice.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "foreign_keys", false)?;
    conn.pragma_update(None, "trusted_schema", false)
}

/// Waits for locks of other processes in short naps, which nothing can end early:
/// SQLite has no event for a lock that becomes free.
fn wait_for_locks(conn: &mut Connection, timeout: Duration) -> rusqlite::Result<()> {
    let mut since = Instant::now();
    conn.busy_handler(Some(move |tries: i32| {
        if tries == 0 {
            since = Instant::now();
        }
        let goes_on = since.elapsed() < timeout;
        if goes_on {
            thread::park_timeout(LOCK_EVERY);
        }
        goes_on
    }))
}
