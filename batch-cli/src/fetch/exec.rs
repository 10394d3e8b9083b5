//! Runs a command for a target, without a shell, in a process group of its own.
//!
//! Exit 0 is done, 75 is retry-later, anything else a failure with the end of
//! standard error. A try that is given up takes its whole group with it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;

use async_trait::async_trait;
use batch_core::caller::{BoxError, Caller};
use batch_core::fetch::{Attempt, CancelSignal, Fetch, Json, RetryLater, TargetError};
use batch_core::target::RawTarget;
use serde_json::Map;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::body;
use super::group::Group;
use super::is_lack;
use super::output::{self, Captured};
use super::program::Program;
use crate::joblog::Joblog;

/// The largest output that is kept as a result.
pub(crate) const OUTPUT_BYTES: usize = 64 << 20;
/// How much of standard error is kept.
const ERROR_BYTES: usize = 4 << 10;
/// The exit status that asks for another try later.
const RETRY_LATER: i32 = 75;

/// A command that is run once per target.
#[derive(Debug)]
pub(crate) struct Exec {
    pub(crate) program: Program,
    pub(crate) joblog: Option<Joblog>,
    /// Kills what is running.
    pub(crate) kill: CancellationToken,
}

/// What a command came to.
struct Ended {
    status: ExitStatus,
    output: Captured,
    errors: Vec<u8>,
}

#[async_trait]
impl Fetch for Exec {
    async fn fetch(
        &self,
        attempt: Attempt,
        _signal: CancelSignal,
        _caller: Arc<dyn Caller>,
        target: RawTarget,
    ) -> Result<Json, BoxError> {
        let words = self.program.with(&target.url);
        let child = spawn(&words, &attempt, &target.options)?;
        let line = self.joblog.as_ref();
        let line = line.map(|log| log.begin(attempt.origin, &words));
        let ended = tokio::select! {
            ended = watch(child) => ended?,
            () = self.kill.cancelled() => return Err(TargetError::new("killed").into()),
        };
        if let Some(line) = line {
            line.end(ended.received(), ended.status);
        }
        ended.into_result()
    }
}

fn spawn(words: &[OsString], attempt: &Attempt, options: &str) -> Result<Child, BoxError> {
    let (name, arguments) = words.split_first().ok_or("no command")?;
    Command::new(name)
        .args(arguments)
        .env("BATCHQ_JOB", attempt.job.as_str())
        .env("BATCHQ_INDEX", attempt.origin.to_string())
        .env("BATCHQ_TRY", attempt.tries.to_string())
        .env(
            "BATCHQ_TOKEN",
            format!("{}:{}", attempt.job, attempt.origin),
        )
        .env("BATCHQ_FENCE", attempt.fence.to_string())
        .env("BATCHQ_OPTIONS", options)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(|error| refused(&error))
}

/// Why the system would not start it; a lack passes.
fn refused(error: &io::Error) -> BoxError {
    let why = format!("cannot start the command: {error}");
    match error.kind() {
        _ if is_lack(error) => RetryLater::new().because(why).into(),
        io::ErrorKind::InvalidInput => {
            TargetError::new("the target holds a NUL byte, which no argument can").into()
        }
        io::ErrorKind::ArgumentListTooLong => {
            TargetError::new("the target, or the command with it, is too long for the system")
                .into()
        }
        _ => TargetError::new(why).into(),
    }
}

/// Reads the pipes to their end before it reaps: until then the group's id is its own.
async fn watch(mut child: Child) -> Result<Ended, BoxError> {
    let group = Group::of(&child);
    let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("the command has no pipes".into());
    };
    let limited = async {
        let output = output::all(out, OUTPUT_BYTES).await?;
        if output == Captured::TooLarge {
            Err(TooLarge::Yes)
        } else {
            Ok(output)
        }
    };
    let errors = async { Ok(output::end(err, ERROR_BYTES).await?) };
    let (output, errors) = match tokio::try_join!(limited, errors) {
        Ok(both) => both,
        Err(TooLarge::Yes) => return Err(TargetError::new("result too large").into()),
        Err(TooLarge::Io(error)) => return Err(error.into()),
    };
    let status = child.wait().await?;
    group.forget();
    Ok(Ended {
        status,
        output,
        errors,
    })
}

enum TooLarge {
    Yes,
    Io(io::Error),
}

impl From<io::Error> for TooLarge {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl Ended {
    fn received(&self) -> usize {
        match &self.output {
            Captured::All(bytes) => bytes.len(),
            Captured::TooLarge => OUTPUT_BYTES,
        }
    }

    fn into_result(self) -> Result<Json, BoxError> {
        match (self.status.code(), self.output) {
            (Some(0), Captured::All(bytes)) => body::encode(bytes, Map::new()),
            (Some(0), Captured::TooLarge) => Err(TargetError::new("result too large").into()),
            (Some(RETRY_LATER), _) => {
                let text = failure(self.status, &self.errors);
                Err(RetryLater::new().because(TargetError::new(text)).into())
            }
            _ => Err(TargetError::new(failure(self.status, &self.errors)).into()),
        }
    }
}

/// How it ended, and the end of what it said.
fn failure(status: ExitStatus, errors: &[u8]) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "ended without a status".to_owned(),
    };
    let said = String::from_utf8_lossy(errors);
    let said = said.trim();
    if said.is_empty() {
        how
    } else {
        format!("{how}: {said}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_says_how_it_ended_and_why() {
        let status = ExitStatus::from_raw(3 << 8);

        assert_eq!(
            failure(status, b"no such file\n"),
            "exit status 3: no such file"
        );
        assert_eq!(failure(status, b" \n"), "exit status 3");
        assert_eq!(failure(ExitStatus::from_raw(9), b""), "killed by signal 9");
    }
}
