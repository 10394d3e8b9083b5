//! The JSON lines, field by field as `docs/cli.md` has them.

use batch_core::id::JobId;
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::view::{Counts, Job, Outcome, Target};
use batch_core::time::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::exit::{Exit, Failure};
use crate::identity::Note;
use crate::output::Console;

/// One target.
#[derive(Debug, Serialize)]
pub(crate) struct TargetLine<'a> {
    job: &'a str,
    index: u64,
    url: &'a str,
    status: TargetStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'a str>,
    tries: u32,
    elapsed_ms: Option<u64>,
}

impl<'a> TargetLine<'a> {
    pub(crate) fn of(job: &'a str, target: &'a Target) -> Self {
        let (result, error, hint) = match &target.outcome {
            Some(Outcome::Done { result }) => (serde_json::from_str(result).ok(), None, None),
            Some(Outcome::Failed { error, hint }) => (None, Some(error.as_str()), hint.as_deref()),
            None => (None, None, None),
        };
        let elapsed = target.elapsed.map(|elapsed| elapsed.as_millis());
        Self {
            job,
            index: target.origin,
            url: &target.url,
            status: target.status,
            result,
            error,
            hint: hint.filter(|hint| !hint.is_empty()),
            tries: target.tries,
            elapsed_ms: elapsed.map(|elapsed| u64::try_from(elapsed).unwrap_or(u64::MAX)),
        }
    }
}

/// The last line of a run.
#[derive(Debug, Serialize)]
pub(crate) struct RunLine<'a> {
    pub(crate) job: &'a str,
    pub(crate) status: JobStatus,
    pub(crate) reused: bool,
    pub(crate) targets_total: u64,
    pub(crate) targets_done: u64,
    pub(crate) counts: Counts,
}

/// What a job's note tells of its work.
#[derive(Debug, Serialize)]
struct WorkFields {
    command: Option<Vec<String>>,
    directory: Option<String>,
}

/// A job, as `list` and `show` tell it.
#[derive(Debug, Serialize)]
pub(crate) struct JobLine<'a> {
    id: &'a str,
    kind: &'a str,
    caller: &'a str,
    class: &'a str,
    status: JobStatus,
    error: Option<&'a str>,
    evicted: bool,
    rerun_of: Option<&'a str>,
    created_at: f64,
    finished_at: Option<f64>,
    lease: f64,
    targets_total: u64,
    targets_done: u64,
    counts: Counts,
    #[serde(flatten)]
    work: Option<WorkFields>,
    newest_rerun: Option<&'a str>,
}

impl<'a> JobLine<'a> {
    /// Without the command.
    pub(crate) fn of(job: &'a Job) -> Self {
        Self {
            id: job.id.as_str(),
            kind: job.kind.as_str(),
            caller: &job.caller.name,
            class: &job.caller.class,
            status: job.status,
            error: job.error.as_deref(),
            evicted: job.evicted,
            rerun_of: job.rerun_of.as_ref().map(JobId::as_str),
            created_at: job.created_at.as_secs_f64(),
            finished_at: job.finished_at.map(Timestamp::as_secs_f64),
            lease: job.lease.as_secs_f64(),
            targets_total: job.total,
            targets_done: job.counts.done + job.counts.failed,
            counts: job.counts,
            work: None,
            newest_rerun: job.newest_rerun.as_ref().map(JobId::as_str),
        }
    }

    /// With the command and directory, or null where the note does not tell them.
    pub(crate) fn with_note(mut self, note: Option<Note>) -> Self {
        let (command, directory) = note.map(|n| (n.command, n.directory)).unzip();
        self.work = Some(WorkFields { command, directory });
        self
    }
}

/// Prints one object on a line of its own.
pub(crate) async fn line(
    console: &Console,
    value: &(impl Serialize + Sync),
) -> Result<(), Failure> {
    let mut text = serde_json::to_vec(value)
        .map_err(|error| Failure::new(Exit::Bug, format!("cannot write JSON: {error}")))?;
    text.push(b'\n');
    console.data(&text).await
}
