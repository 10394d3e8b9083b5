//! Whether the disk has room for what grows, so that what frees always has some (B40).
//!
//! A step that ends or frees something needs a few pages of the log, and the log must be
//! movable into the file. So a step that brings data is refused while that is still so.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::sql;

/// Bytes that only steps without data of their own may use.
const RESERVE: u64 = 256 << 10;

/// What the pages of one step take beside its data.
const PAGES_OF_STEP: u64 = 16 << 10;

/// Free bytes from which nobody counts: more than the log and any group take.
const PLENTY: u64 = 1 << 30;

/// The disk below a database.
#[derive(Debug)]
pub(crate) struct Room {
    /// `None` in memory.
    file: Option<PathBuf>,
}

/// What the steps of a group may still add.
#[derive(Debug, Default)]
pub(crate) struct Budget {
    /// Free bytes of the disk; `None` where there is plenty, or nobody knows.
    free: Option<u64>,
    /// Bytes of the file, and of the log, that are used again first.
    file: u64,
    log: u64,
    spent: u64,
}

impl Room {
    pub(crate) fn below(conn: &Connection) -> Self {
        let file = conn.path().filter(|path| !path.is_empty());
        Self {
            file: file.map(PathBuf::from),
        }
    }

    /// What a group may add, of steps that bring `wanted` bytes together.
    pub(crate) fn budget(&self, conn: &Connection, wanted: u64) -> Budget {
        let Some(file) = &self.file else {
            return Budget::default();
        };
        let log = std::fs::metadata(log_of(file)).map_or(0, |log| log.len());
        match free(file) {
            None => Budget::default(),
            Some(free) if free >= PLENTY => Budget::default(),
            // All of the log may be to move still.
            Some(free) if free > log + RESERVE + 2 * wanted => Budget {
                free: Some(free - log - RESERVE),
                ..Budget::default()
            },
            Some(_) => tight(conn, file, log),
        }
    }
}

/// Moves the log first: what is moved needs no room, nor what goes where something was.
fn tight(conn: &Connection, file: &Path, log: u64) -> Budget {
    let pending = pending(conn);
    let free = free(file).unwrap_or(0);
    Budget {
        free: Some(free.saturating_sub(pending + RESERVE)),
        file: unused(conn),
        log: if pending == 0 { log } else { 0 },
        spent: 0,
    }
}

impl Budget {
    /// Whether a step that brings so many bytes still fits: once in the log, once in the
    /// file.
    pub(crate) fn spend(&mut self, bytes: u64) -> bool {
        let spent = self.spent.saturating_add(cost(bytes));
        let grows = spent.saturating_sub(self.file) + spent.saturating_sub(self.log);
        let fits = self.free.is_none_or(|free| grows <= free);
        if fits {
            self.spent = spent;
        }
        fits
    }
}

/// What a step writes that brings so many bytes.
pub(crate) fn cost(bytes: u64) -> u64 {
    bytes.saturating_add(PAGES_OF_STEP).min(PLENTY)
}

/// Bytes that this user may still write on the disk of a file; `None` where nobody knows.
fn free(file: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(file).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn log_of(file: &Path) -> PathBuf {
    let mut log = file.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Moves what can be moved of the log into the file; bytes that are left to move.
fn pending(conn: &Connection) -> u64 {
    let moved = conn.query_row(sql::CHECKPOINT, [], |row| {
        Ok((row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
    });
    let (log, done) = moved.unwrap_or((0, 0));
    bytes(log - done)
}

/// Bytes of the file that hold nothing, and are used again first.
fn unused(conn: &Connection) -> u64 {
    bytes(
        conn.query_row(sql::FREE_PAGES, [], |row| row.get(0))
            .unwrap_or(0),
    )
}

fn bytes(pages: i64) -> u64 {
    u64::try_from(pages).unwrap_or(0) * 4_096
}

#[cfg(test)]
mod tests {
    use super::*;

    /// S12.2, B40
    #[test]
    fn a_step_fits_where_log_and_file_have_room() {
        let budget = |free, file, log| Budget {
            free: Some(free),
            file,
            log,
            spent: 0,
        };
        let one = cost(0);

        assert!(budget(2 * one, 0, 0).spend(0));
        assert!(!budget(2 * one - 1, 0, 0).spend(0));
        assert!(budget(0, one, one).spend(0));
        assert!(!budget(0, 9 * one, 0).spend(0), "the log cannot grow");
        assert!(!budget(0, 0, 9 * one).spend(0), "the file cannot grow");
        assert!(Budget::default().spend(u64::MAX));
    }

    /// S12.2, B40
    #[test]
    fn the_steps_of_a_group_share_what_there_is() {
        let mut budget = Budget {
            free: Some(5 * cost(0)),
            ..Budget::default()
        };

        let fits: Vec<_> = (0..4).map(|_| budget.spend(0)).collect();

        assert_eq!(fits, [true, true, false, false]);
    }
}
