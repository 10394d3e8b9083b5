//! What is at an address, found out before anything is touched (S11).
//!
//! Beside the database in `batch.data` there is a file `batch.version`, which is written
//! last when a store is made: where it is, the data is whole and of that schema, and it
//! can be read without opening the database. `batch.lock` is held while a store is open.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use batch_core::store::StoreResult;
use batch_core::store::error::{StoreError, StoreErrorKind};

use crate::error::error;

/// The schema of this release; a store of a greater major one is refused.
const SCHEMA: (u32, u32) = (1, 0);

/// What the version file begins with.
const NAME: &str = "batch-store-sled";

/// How long opening waits for another handle that is just closing.
const OPEN_WAIT: Duration = Duration::from_secs(2);

/// How long to wait between two looks at a lock; no event tells that it is free.
const LOCK_EVERY: Duration = Duration::from_millis(5);

/// Bytes that every file of sled has, as its segments begin with so many.
const SEGMENT_HEADER: usize = 20;

/// The names in a directory that is a store, or was about to become one.
const OURS: [&str; 4] = [
    "batch.data",
    "batch.lock",
    "batch.version",
    "batch.version.new",
];

/// The directory of a store.
#[derive(Debug, Clone)]
pub(crate) struct Place(PathBuf);

/// What is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing, or what the making of a store left when it was cut short.
    Nothing,
    /// A store that this release can open.
    Store,
}

/// Held while a store is open: nobody else has it.
#[derive(Debug)]
pub(crate) struct Lock {
    /// The lock goes with the file.
    _file: File,
}

impl Place {
    /// An address, independent of the working directory.
    pub(crate) fn of(path: &Path) -> StoreResult<Self> {
        std::path::absolute(path).map(Self).map_err(|cause| {
            let reason = "the path of the store is empty or cannot be resolved";
            error(StoreErrorKind::Unavailable, reason).with_source(cause)
        })
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.0.join("batch.data")
    }

    fn version(&self) -> PathBuf {
        self.0.join("batch.version")
    }

    /// Looks at the address, and changes nothing.
    pub(crate) fn probe(&self) -> StoreResult<Found> {
        match fs::metadata(&self.0) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => self.has_parent(),
            Err(cause) => Err(self.unusable("cannot be read; check its permissions", cause)),
            Ok(there) if there.is_dir() => self.probe_directory(),
            Ok(_) => Err(self.foreign("is a file; a sled store is a directory")),
        }
    }

    fn has_parent(&self) -> StoreResult<Found> {
        match self.0.parent().map(fs::metadata) {
            Some(Ok(parent)) if parent.is_dir() => Ok(Found::Nothing),
            Some(Err(cause)) => {
                Err(self.unusable("is in a directory that cannot be used; make it", cause))
            }
            _ => Err(self.foreign("is not in a directory")),
        }
    }

    fn probe_directory(&self) -> StoreResult<Found> {
        match fs::read_to_string(self.version()) {
            Ok(text) => {
                self.check_version(&text)?;
                self.check_data()?;
                Ok(Found::Store)
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => self.probe_names(),
            Err(cause) if cause.kind() == io::ErrorKind::InvalidData => Err(self.damaged()),
            Err(cause) => Err(self.unusable("cannot be read; check its permissions", cause)),
        }
    }

    /// A directory that is not a store yet may hold nothing of anybody else.
    fn probe_names(&self) -> StoreResult<Found> {
        let unreadable = |cause| self.unusable("cannot be read; check its permissions", cause);
        for entry in fs::read_dir(&self.0).map_err(unreadable)? {
            let name = entry.map_err(unreadable)?.file_name();
            if !OURS.iter().any(|own| name == *own) {
                return Err(self.foreign("holds another program's files; choose another directory"));
            }
        }
        Ok(Found::Nothing)
    }

    fn check_version(&self, text: &str) -> StoreResult<()> {
        let known = text.trim_end().strip_prefix(NAME).map(str::trim_start);
        let schema = known.and_then(|schema| schema.split_once('.'));
        let major = schema.and_then(|(major, minor)| {
            minor.parse::<u32>().ok()?;
            major.parse::<u32>().ok()
        });
        match major {
            None => Err(self.damaged()),
            Some(major) if major > SCHEMA.0 => {
                Err(self.foreign("is of a newer version; open it with that"))
            }
            Some(_) => Ok(()),
        }
    }

    /// sled would make anew what is missing, and cut off what it cannot read.
    fn check_data(&self) -> StoreResult<()> {
        let database = self.data().join("db");
        let mut begin = [0; SEGMENT_HEADER];
        let read = File::open(database).and_then(|mut file| file.read_exact(&mut begin));
        match read {
            // All of it may be zero: sled clears segments that it freed.
            Ok(()) => Ok(()),
            Err(cause) if cause.kind() == io::ErrorKind::PermissionDenied => {
                Err(self.unusable("cannot be read; check its permissions", cause))
            }
            Err(cause) => Err(self.damaged().with_source(cause)),
        }
    }

    /// Takes the lock, in a directory that is made for it if there is none.
    pub(crate) fn lock(&self) -> StoreResult<Lock> {
        let unwritable = |cause| self.unusable("cannot be written; check its permissions", cause);
        make_directory(&self.0).map_err(unwritable)?;
        let path = self.0.join("batch.lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false);
        let file = options.open(path).map_err(unwritable)?;
        let until = Instant::now() + OPEN_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    thread::park_timeout(LOCK_EVERY);
                }
                Err(TryLockError::WouldBlock) => return Err(self.in_use()),
                Err(TryLockError::Error(cause)) => {
                    return Err(self.unusable("cannot be locked", cause));
                }
            }
        }
    }

    /// Says that the data is whole, once it is.
    pub(crate) fn finish(&self) -> StoreResult<()> {
        let new = self.0.join("batch.version.new");
        let written = (|| {
            let mut file = File::create(&new)?;
            writeln!(file, "{NAME} {}.{}", SCHEMA.0, SCHEMA.1)?;
            file.sync_all()?;
            fs::rename(&new, self.version())?;
            File::open(&self.0)?.sync_all()
        })();
        written.map_err(|cause| self.unusable("cannot be written; check the disk", cause))
    }

    fn in_use(&self) -> StoreError {
        let reason = format!(
            "{} is already in use by another process; close it there",
            self.0.display()
        );
        error(StoreErrorKind::Unavailable, reason)
    }

    /// The address and what is wrong with it.
    fn unusable(&self, what: &str, cause: io::Error) -> StoreError {
        let kind = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreErrorKind::Full,
            _ => StoreErrorKind::Unavailable,
        };
        error(kind, format!("{} {what}", self.0.display())).with_source(cause)
    }

    fn foreign(&self, what: &str) -> StoreError {
        let reason = format!("{} {what}", self.0.display());
        error(StoreErrorKind::Incompatible, reason)
    }

    /// An error of sled, with the address.
    pub(crate) fn unopened(&self, cause: StoreError) -> StoreError {
        let what = match cause.kind() {
            StoreErrorKind::Corrupt => return self.damaged().with_source(cause),
            StoreErrorKind::Incompatible => "is of another version of sled; open it with that",
            StoreErrorKind::Full => "cannot be opened without free disk space; free some",
            _ => "cannot be opened; check the disk and the permissions",
        };
        let reason = format!("{} {what}", self.0.display());
        error(cause.kind(), reason).with_source(cause)
    }

    pub(crate) fn damaged(&self) -> StoreError {
        let reason = format!("{} is damaged; restore it from a copy", self.0.display());
        error(StoreErrorKind::Corrupt, reason)
    }
}

/// The directory is the user's own.
fn make_directory(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    match builder.create(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}
