//! Jobs as people read them: a table, or one job field by field.

use std::fmt::Write as _;

use batch_core::store::view::Job;

use super::shown;
use crate::identity::Note;

/// The heading of a table of jobs.
pub(crate) fn heading() -> String {
    row([
        "ID", "STATUS", "DONE", "FAILED", "TOTAL", "CREATED", "CALLER",
    ])
}

/// A job as a row of the table.
pub(crate) fn job(job: &Job) -> String {
    row([
        &shown::text(job.id.as_str()),
        job.status.as_str(),
        &job.counts.done.to_string(),
        &job.counts.failed.to_string(),
        &job.total.to_string(),
        &shown::time(job.created_at),
        &shown::text(&job.caller.name),
    ])
}

fn row([id, status, done, failed, total, created, caller]: [&str; 7]) -> String {
    format!("{id:<32}  {status:<9}  {done:>8}  {failed:>8}  {total:>8}  {created:<20}  {caller}\n")
}

/// A job, a field a line.
pub(crate) fn details(job: &Job, note: Option<&Note>) -> String {
    let counts = job.counts;
    let mut fields = vec![
        ("job", shown::text(job.id.as_str())),
        ("status", status(job)),
        ("caller", shown::text(&job.caller.name)),
        ("created", shown::time(job.created_at)),
    ];
    if let Some(at) = job.finished_at {
        fields.push(("finished", shown::time(at)));
    }
    fields.push((
        "targets",
        format!(
            "{} in all: {} done, {} failed, {} running, {} pending",
            job.total, counts.done, counts.failed, counts.running, counts.pending
        ),
    ));
    if let Some(note) = note {
        let words: Vec<_> = note.command.iter().map(|word| shown::text(word)).collect();
        fields.push(("command", words.join(" ")));
        fields.push(("directory", shown::text(&note.directory)));
    }
    if let Some(id) = &job.rerun_of {
        fields.push(("rerun of", shown::text(id.as_str())));
    }
    if let Some(id) = &job.newest_rerun {
        fields.push(("rerun", shown::text(id.as_str())));
    }
    let mut details = String::new();
    for (name, value) in fields {
        // Writing to a string cannot fail.
        let _ = writeln!(details, "{name:<10} {value}");
    }
    details
}

fn status(job: &Job) -> String {
    let mut status = job.status.to_string();
    if let Some(error) = &job.error {
        status.push_str(": ");
        status.push_str(&shown::text(error));
    }
    if job.evicted {
        status.push_str(", results evicted");
    }
    status
}
