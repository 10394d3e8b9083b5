//! What an error of the server, or of the connection, means to a client of the store (S12).
//!
//! A text of the server may repeat a key or a value, so it is not kept: the code alone says
//! what happened. The address is shown without user and password.

use batch_core::store::error::{StoreError, StoreErrorKind};
use redis::{ErrorKind, RedisError};

/// The name of the operation until the caller puts its own.
const UNNAMED: &str = "redis";

/// Whether a call may have changed something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// It only reads: whatever went wrong, nothing happened.
    None,
    /// It may have been applied when its reply is lost.
    Writes,
}

/// An error of a call that was sent.
pub(crate) fn classify(error: &RedisError, effect: Effect) -> StoreError {
    let (kind, reason) = meaning(error, effect);
    self::error(kind, reason)
}

/// An error of a question about the server, whose address it names.
pub(crate) fn classify_at(address: &str, error: &RedisError) -> StoreError {
    let (kind, reason) = meaning(error, Effect::None);
    self::error(kind, format!("{address}: {reason}"))
}

fn meaning(error: &RedisError, effect: Effect) -> (StoreErrorKind, String) {
    let code = error.code().unwrap_or_default();
    if let Some((kind, reason)) = of_code(code) {
        return (kind, reason.to_owned());
    }
    match error.kind() {
        ErrorKind::Io | ErrorKind::Parse | ErrorKind::Client if effect == Effect::Writes => (
            StoreErrorKind::Unknown,
            "the connection broke before the reply came; send it again".to_owned(),
        ),
        ErrorKind::Server(_) | ErrorKind::Extension => (
            StoreErrorKind::Unavailable,
            format!("the server refused the call with {code}"),
        ),
        _ => (
            StoreErrorKind::Unavailable,
            "the connection broke; try again".to_owned(),
        ),
    }
}

/// What the first word of a server's error means.
fn of_code(code: &str) -> Option<(StoreErrorKind, &'static str)> {
    Some(match code {
        "OOM" => (
            StoreErrorKind::Full,
            "the server is at its maxmemory; raise it, or sweep and evict",
        ),
        "FULL" => (StoreErrorKind::Full, "the sequence of the store is used up"),
        "MISCONF" => (
            StoreErrorKind::Full,
            "the server cannot save to its disk; see its log",
        ),
        "INVALID" => (
            StoreErrorKind::Invalid,
            "the chunk or the total does not fit what is staged; stage the list anew",
        ),
        "CORRUPT" | "WRONGTYPE" => (
            StoreErrorKind::Corrupt,
            "the data under the prefix is damaged; restore it from a copy",
        ),
        "READONLY" => (
            StoreErrorKind::Unavailable,
            "the server is a replica now; the address must lead to the primary",
        ),
        "LOADING" => (
            StoreErrorKind::Unavailable,
            "the server is loading its data; try again",
        ),
        "MASTERDOWN" | "CLUSTERDOWN" | "TRYAGAIN" | "BUSY" | "NOREPLICAS" => (
            StoreErrorKind::Unavailable,
            "the server cannot serve now; try again",
        ),
        "NOAUTH" | "WRONGPASS" => (
            StoreErrorKind::Unavailable,
            "the server refused the user or the password; correct it in the address",
        ),
        "NOPERM" => (
            StoreErrorKind::Unavailable,
            "the user lacks a permission; grant what docs/backends.md lists",
        ),
        _ => return None,
    })
}

/// Whether the connection is of no use any more.
pub(crate) fn breaks(error: &RedisError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::Io | ErrorKind::Parse | ErrorKind::Client
    ) || matches!(error.code(), Some("READONLY" | "MASTERDOWN" | "NOAUTH"))
}

/// A reply that is not of the form that its script gives.
pub(crate) fn damaged() -> StoreError {
    error(
        StoreErrorKind::Corrupt,
        "the data under the prefix is damaged; restore it from a copy",
    )
}

/// An error without a cause in the server.
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
