//! How the command ends: its exit codes, and errors that carry one.
//!
//! The codes are documented in `docs/cli.md` and stay as they are.

use std::io;
use std::process::ExitCode;

use batch_core::error::Error;
use batch_core::state::JobStatus;
use batch_core::store::error::{StoreError, StoreErrorKind};

/// How the command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// All done.
    Done = 0,
    /// Some targets failed or never ran; or an ended job was to be cancelled.
    Partial = 1,
    /// No target is done.
    Failed = 2,
    /// The job was cancelled.
    Cancelled = 3,
    /// The command line is wrong.
    Usage = 64,
    /// The list, or an id, is wrong.
    BadInput = 65,
    /// The store cannot be used.
    Unavailable = 69,
    /// A bug of ours.
    Bug = 70,
    /// A cap is reached.
    Busy = 75,
    /// A signal stopped it.
    Signalled = 130,
}

impl Exit {
    /// The code of a job that ended with this status.
    pub(crate) fn of(status: JobStatus) -> Self {
        match status {
            JobStatus::Done => Self::Done,
            JobStatus::Partial => Self::Partial,
            JobStatus::Failed => Self::Failed,
            JobStatus::Cancelled => Self::Cancelled,
            JobStatus::Queued | JobStatus::Running => Self::Signalled,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why the command could not do its work.
#[derive(Debug)]
pub(crate) struct Failure {
    /// How it ends.
    pub(crate) exit: Exit,
    /// What to say; `None` when nobody reads on.
    pub(crate) message: Option<String>,
}

impl Failure {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self {
            exit,
            message: Some(message.into()),
        }
    }

    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Exit::Usage, message)
    }

    pub(crate) fn input(message: impl Into<String>) -> Self {
        Self::new(Exit::BadInput, message)
    }

    /// What writing to standard output came to; a closed pipe ends the command quietly.
    pub(crate) fn output(error: &io::Error) -> Self {
        if error.kind() == io::ErrorKind::BrokenPipe {
            return Self {
                exit: Exit::Done,
                message: None,
            };
        }
        Self::new(
            Exit::Unavailable,
            format!("cannot write to standard output: {error}"),
        )
    }

    /// What did not happen, and why.
    pub(crate) fn text(self, what: &str) -> String {
        let why = self.message.unwrap_or_default();
        format!("{what}: {why}")
    }

    /// Whether the reader of standard output went away.
    pub(crate) fn is_closed_pipe(&self) -> bool {
        self.message.is_none()
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let exit = match error.kind() {
            StoreErrorKind::Invalid | StoreErrorKind::Unsupported => Exit::BadInput,
            _ => Exit::Unavailable,
        };
        Self::new(exit, format!("store: {error}"))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = match &error {
            Error::Store(_) => Exit::Unavailable,
            Error::CallerBusy | Error::Busy | Error::NotEnded => Exit::Busy,
            Error::Closed => Exit::Bug,
            _ => Exit::BadInput,
        };
        match error {
            Error::Store(error) => error.into(),
            Error::Source(cause) => Self::new(exit, cause.to_string()),
            other => Self::new(exit, other.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_pipe_says_nothing() {
        let closed = Failure::output(&io::Error::from(io::ErrorKind::BrokenPipe));
        let full = Failure::output(&io::Error::from(io::ErrorKind::StorageFull));

        assert!(closed.is_closed_pipe());
        assert_eq!(full.exit, Exit::Unavailable);
    }

    #[test]
    fn a_cap_is_worth_another_try_later() {
        assert_eq!(Failure::from(Error::Busy).exit, Exit::Busy);
        assert_eq!(Failure::from(Error::NotFound).exit, Exit::BadInput);
    }
}
