//! What an error of the server, or of the connection, means to a client of the store (S12).
//!
//! A text of the server may repeat a key or a value, so it is not kept: the code alone says
//! what happened. The address is shown without user and password.

use std::fmt;

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

/// What went wrong below, in words that hold nothing of a call.
#[derive(Debug)]
struct Cause(String);

impl Cause {
    /// The code of a server's error, or what the system or TLS said of the connection.
    fn of(cause: &RedisError) -> Self {
        Self(match (code_of(cause), cause.kind()) {
            (Some(code), _) => format!("the server answered {code}"),
            (None, ErrorKind::Io) => cause.to_string(),
            (None, _) => cause.category().to_owned(),
        })
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Cause {}

/// An error of a call that was sent to the server at `address`.
pub(crate) fn classify(address: &str, cause: &RedisError, effect: Effect) -> StoreError {
    meaning(address, cause, effect).with_source(Cause::of(cause))
}

fn meaning(address: &str, cause: &RedisError, effect: Effect) -> StoreError {
    if let Some((kind, what)) = code_of(cause).map(|code| of_code(code, cause)) {
        return error(kind, format!("{address}: {what}"));
    }
    match effect {
        Effect::Writes => error(
            StoreErrorKind::Unknown,
            format!("{address}: no reply came; send it again"),
        ),
        Effect::None => error(
            StoreErrorKind::Unavailable,
            format!("{address}: no reply came; try again"),
        ),
    }
}

/// No connection could be made, so nothing was sent.
pub(crate) fn unreachable(address: &str, cause: &RedisError) -> StoreError {
    let (kind, reason) = match code_of(cause) {
        Some(code) => {
            let (kind, what) = of_code(code, cause);
            (kind, format!("{address}: {what}"))
        }
        None => (StoreErrorKind::Unavailable, no_answer(address, cause)),
    };
    error(kind, reason).with_source(Cause::of(cause))
}

fn no_answer(address: &str, cause: &RedisError) -> String {
    if cause.kind() == ErrorKind::AuthenticationFailed {
        format!("{address}: {BAD_PASSWORD}")
    } else if cause.is_timeout() {
        format!("{address} is silent; is it a Redis server?")
    } else {
        format!("{address} cannot be reached; is the server running")
    }
}

/// The first word of a server's error; `None` when no answer of it came.
fn code_of(cause: &RedisError) -> Option<&str> {
    match cause.kind() {
        ErrorKind::Server(_) | ErrorKind::Extension => cause.code(),
        _ => None,
    }
}

const BAD_PASSWORD: &str = "the user or the password was refused; correct it in the address";
const LACKS: &str = "the user lacks a permission; grant what docs/backends.md lists";
const DAMAGED: &str = "the data under the prefix is damaged; restore it from a copy";

/// What the first word of a server's error means.
fn of_code(code: &str, cause: &RedisError) -> (StoreErrorKind, &'static str) {
    match code {
        "OOM" => (
            StoreErrorKind::Full,
            "the server is at its maxmemory; raise it, or sweep and evict",
        ),
        "FULL" => (StoreErrorKind::Full, "the sequence of the store is used up"),
        "INVALID" => (
            StoreErrorKind::Invalid,
            "the chunk or the total does not fit what is staged; stage the list anew",
        ),
        "CORRUPT" | "WRONGTYPE" => (StoreErrorKind::Corrupt, DAMAGED),
        // A right that was taken away while a script ran, which the server does not undo.
        _ if is_denied(code, cause) => (StoreErrorKind::Unknown, LACKS),
        // A script of ours stumbles only over what it did not write.
        "ERR" if of_script(cause) => (StoreErrorKind::Corrupt, DAMAGED),
        "NOAUTH" | "WRONGPASS" => (StoreErrorKind::Unavailable, BAD_PASSWORD),
        "NOPERM" => (StoreErrorKind::Unavailable, LACKS),
        "READONLY" => (
            StoreErrorKind::Unavailable,
            "the server is a replica; the address must lead to the primary",
        ),
        "LOADING" => (
            StoreErrorKind::Unavailable,
            "the server is loading its data; try again",
        ),
        "MISCONF" => (
            StoreErrorKind::Full,
            "the server cannot save to its disk; see its log",
        ),
        _ => (
            StoreErrorKind::Unavailable,
            "the server refuses calls now; try again",
        ),
    }
}

/// Whether an error arose inside a script: the server adds where.
fn of_script(cause: &RedisError) -> bool {
    cause
        .detail()
        .is_some_and(|detail| detail.contains("user_script"))
}

/// Whether a script was refused a command or a key after it began, in the words of servers
/// of 7.0 and of later ones.
fn is_denied(code: &str, cause: &RedisError) -> bool {
    let words = cause.detail().unwrap_or_default();
    of_script(cause) && (code == "NOPERM" || words.starts_with("The user executing the script"))
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
    error(StoreErrorKind::Corrupt, DAMAGED)
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

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::io;

    use super::*;

    /// An error as a server says it: a code, and a text that may repeat a call.
    fn said(code: &str, text: &str) -> RedisError {
        redis::make_extension_error(code.to_owned(), Some(text.to_owned()))
    }

    /// R8.5, S12.1
    #[test]
    fn a_cause_names_the_code_and_repeats_no_text() {
        let error = classify("h:1", &said("OOM", "S3cr3t"), Effect::Writes);

        let cause = error.source().unwrap().to_string();
        assert_eq!(
            (error.kind(), cause.as_str()),
            (StoreErrorKind::Full, "the server answered OOM")
        );
        assert!(!format!("{error} {error:?}").contains("S3cr3t"));
    }

    /// S11.3
    #[test]
    fn what_a_script_stumbles_over_is_damage() {
        let text = "attempt to compare nil with number script: x, on @user_script:9.";

        assert_eq!(
            classify("h:1", &said("ERR", text), Effect::Writes).kind(),
            StoreErrorKind::Corrupt
        );
        assert_eq!(
            classify("h:1", &said("ERR", "busy"), Effect::Writes).kind(),
            StoreErrorKind::Unavailable
        );
    }

    /// S12.2 the server does not undo what the script had written by then.
    #[test]
    fn what_a_script_was_denied_may_be_half_done() {
        let old =
            "The user executing the script can't run this command script: x, on @user_script:9.";
        let new =
            "User u has no permissions to run the 'zadd' command script: x, on @user_script:9.";

        for said in [said("ERR", old), said("NOPERM", new)] {
            let kind = classify("h:1", &said, Effect::Writes).kind();
            assert_eq!(kind, StoreErrorKind::Unknown);
        }
        let kind = classify("h:1", &said("NOPERM", "no permissions"), Effect::Writes).kind();
        assert_eq!(kind, StoreErrorKind::Unavailable);
    }

    /// S12.2
    #[test]
    fn a_lost_reply_is_unknown_only_of_a_call_that_writes() {
        let cut = RedisError::from(io::Error::from(io::ErrorKind::ConnectionReset));

        assert_eq!(
            classify("h:1", &cut, Effect::Writes).kind(),
            StoreErrorKind::Unknown
        );
        assert_eq!(
            classify("h:1", &cut, Effect::None).kind(),
            StoreErrorKind::Unavailable
        );
        assert_eq!(unreachable("h:1", &cut).kind(), StoreErrorKind::Unavailable);
    }
}
