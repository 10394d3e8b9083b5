//! Whether the disk has room for what grows, so that what frees always has some (B40).
//!
//! sled writes everything into new segments of its log first, what frees too; and a
//! database that ran out of room is of no use until there is some. So a step that brings
//! data is refused while a few segments are still free.

use std::path::{Path, PathBuf};

/// Bytes that only steps without data of their own may use: four segments of the log.
const RESERVE: u64 = 4 * (512 << 10);

/// What one step takes beside its data.
const KEYS_OF_STEP: u64 = 4 << 10;

/// The disk below a database.
#[derive(Debug)]
pub(crate) struct Room {
    directory: PathBuf,
}

impl Room {
    pub(crate) fn below(directory: &Path) -> Self {
        Self {
            directory: directory.to_owned(),
        }
    }

    /// Bytes that a group of steps may add; everything where nobody knows.
    pub(crate) fn budget(&self) -> u64 {
        let Ok(disk) = rustix::fs::statvfs(&self.directory) else {
            return u64::MAX;
        };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        free.saturating_sub(RESERVE)
    }
}

/// What a step writes that brings so many bytes.
pub(crate) fn cost(bytes: u64) -> u64 {
    bytes.saturating_add(KEYS_OF_STEP)
}
