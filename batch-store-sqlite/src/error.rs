//! What an error of SQLite means to a client of the store (S12).
//!
//! SQLite's texts name tables and columns, never values, so they may be kept as cause.

use batch_core::store::error::{StoreError, StoreErrorKind};
use rusqlite::{Connection, Error, ErrorCode};

/// The name of the operation until the caller puts its own.
const UNNAMED: &str = "sqlite";

/// An error of a statement: nothing of its step is kept.
pub(crate) fn failed(conn: &Connection, error: Error) -> StoreError {
    let address = conn.path().filter(|path| !path.is_empty());
    classify(address.unwrap_or("the store"), error)
}

/// An error of the commit: what cannot be undone for certain is unknown.
pub(crate) fn commit_failed(conn: &Connection, error: Error) -> StoreError {
    if error.sqlite_error_code() == Some(ErrorCode::SystemIoFailure) {
        let reason = "the disk failed while the step was made durable; send it again";
        return StoreError::new(StoreErrorKind::Unknown, UNNAMED, reason).with_source(error);
    }
    failed(conn, error)
}

/// An error of a file at `address`.
pub(crate) fn classify(address: &str, error: Error) -> StoreError {
    let (kind, reason) = match error.sqlite_error_code() {
        Some(code) => of_code(code, address),
        None => of_value(&error),
    };
    StoreError::new(kind, UNNAMED, reason).with_source(error)
}

fn of_code(code: ErrorCode, address: &str) -> (StoreErrorKind, String) {
    match code {
        ErrorCode::DiskFull => (
            StoreErrorKind::Full,
            "no room is left; free disk space, or sweep".to_owned(),
        ),
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => (
            StoreErrorKind::Unavailable,
            format!("another process holds the lock of {address}; try again"),
        ),
        ErrorCode::ReadOnly => (
            StoreErrorKind::Unavailable,
            format!("{address} cannot be written; check its permissions"),
        ),
        ErrorCode::CannotOpen | ErrorCode::PermissionDenied => (
            StoreErrorKind::Unavailable,
            format!("{address} cannot be opened; check its permissions and its directory's"),
        ),
        ErrorCode::DatabaseCorrupt
        | ErrorCode::NotADatabase
        | ErrorCode::ConstraintViolation
        | ErrorCode::TypeMismatch
        | ErrorCode::Unknown => (StoreErrorKind::Corrupt, damaged()),
        ErrorCode::TooBig => (
            StoreErrorKind::Invalid,
            "a text is larger than SQLite can hold; shorten it".to_owned(),
        ),
        _ => (
            StoreErrorKind::Unavailable,
            format!("{address} cannot be used now; try again"),
        ),
    }
}

/// Errors of the binding itself: a value of another type or range than was written.
fn of_value(error: &Error) -> (StoreErrorKind, String) {
    match error {
        Error::FromSqlConversionFailure(..)
        | Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::InvalidColumnIndex(..)
        | Error::Utf8Error(..)
        | Error::QueryReturnedNoRows => (StoreErrorKind::Corrupt, damaged()),
        _ => (
            StoreErrorKind::Unavailable,
            "SQLite refused the call".to_owned(),
        ),
    }
}

fn damaged() -> String {
    "the file is damaged; restore it from a copy".to_owned()
}

/// An error without a cause in SQLite.
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
