//! What an error of sled means to a client of the store (S12).
//!
//! sled's texts name files and offsets, never keys or values, so they may be kept as
//! cause.

use std::io;

use batch_core::store::error::{StoreError, StoreErrorKind};

/// The name of the operation until the caller puts its own.
const UNNAMED: &str = "sled";

/// An error of a read, or of the opening: nothing was changed.
pub(crate) fn failed(cause: sled::Error) -> StoreError {
    let (kind, reason) = match &cause {
        sled::Error::Io(io) => of_io(io),
        sled::Error::Unsupported(_) => (
            StoreErrorKind::Incompatible,
            "the data is of another version of sled",
        ),
        sled::Error::Corruption { .. }
        | sled::Error::ReportableBug(_)
        | sled::Error::CollectionNotFound(_) => (StoreErrorKind::Corrupt, DAMAGED),
    };
    error(kind, reason).with_source(cause)
}

/// An error of a step that is applied or made durable: it may have happened.
///
/// sled writes into its log first and does not say how far it came.
pub(crate) fn unknown(cause: sled::Error) -> StoreError {
    let reason = match &cause {
        sled::Error::Io(io) if is_full(io) => "no room is left on the disk; free some",
        _ => "the disk failed while the step was made durable; send it again",
    };
    error(StoreErrorKind::Unknown, reason).with_source(cause)
}

const DAMAGED: &str = "the data is damaged; restore it from a copy";

fn of_io(cause: &io::Error) -> (StoreErrorKind, &'static str) {
    match cause.kind() {
        _ if is_full(cause) => (StoreErrorKind::Full, "no room is left; free disk space"),
        // A large value is a file of its own; the log names one that is not whole.
        io::ErrorKind::NotFound | io::ErrorKind::UnexpectedEof => {
            (StoreErrorKind::Corrupt, DAMAGED)
        }
        _ => (
            StoreErrorKind::Unavailable,
            "the data cannot be used now; check the disk and the permissions",
        ),
    }
}

fn is_full(cause: &io::Error) -> bool {
    matches!(
        cause.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge
    )
}

/// A row that cannot be read.
pub(crate) fn damaged() -> StoreError {
    error(StoreErrorKind::Corrupt, DAMAGED)
}

/// An error without a cause in sled.
pub(crate) fn error(kind: StoreErrorKind, reason: impl Into<String>) -> StoreError {
    StoreError::new(kind, UNNAMED, reason)
}

/// The store was closed.
pub(crate) fn closed() -> StoreError {
    error(
        StoreErrorKind::Closed,
        "the store was closed; open it again",
    )
}
