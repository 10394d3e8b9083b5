//! What a run says when it begins and ends, and the exit code that follows.

use batch_core::store::view::Counts;

use crate::exit::{Exit, Failure};
use crate::output::json::RunLine;
use crate::output::rows::{Format, Rows};
use crate::output::{Console, json, shown};
use crate::view::Family;

/// The first line of a run that works.
pub(super) fn say_begun(
    family: &Family,
    counts: Counts,
    reused: bool,
    store: &str,
    console: &Console,
) {
    let (id, total) = (&family.root.id, family.root.total);
    if !reused {
        console.say(format!("new job {id}: {total} targets, store {store}"));
        return;
    }
    console.say(format!(
        "going on with job {id}: {} of {total} done, {} failed, store {store}",
        counts.done, counts.failed
    ));
}

/// The first line of a run that has nothing to do.
pub(super) fn say_complete(family: &Family, counts: Counts, store: &str, console: &Console) {
    let status = family.status(counts);
    let ended = family.jobs().filter_map(|job| job.finished_at).max();
    let since = ended
        .map(|at| format!(" since {}", shown::time(at)))
        .unwrap_or_default();
    console.say(format!(
        "job {} is {status}{since}: {} done, {} failed; nothing is run (--fresh runs it anew, \
         --retry-failed its failed targets), store {store}",
        family.root.id, counts.done, counts.failed
    ));
}

/// The end of a run whose job has ended.
pub(super) async fn finish(
    family: &Family,
    rows: &Rows<'_>,
    reused: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    let counts = family.counts(rows.done, rows.failed);
    let status = family.status(counts);
    let line = line(family, counts, reused);
    close(&line, rows.format(), console).await?;
    let why = family
        .jobs()
        .next_back()
        .and_then(|job| job.error.as_deref());
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    console.say(format!(
        "job {} is {status}{why}: {}",
        family.root.id,
        told(counts)
    ));
    Ok(Exit::of(status))
}

/// The end of a run that was stopped before its job ended.
pub(super) async fn stopped(
    family: &Family,
    counts: Counts,
    rows: &Rows<'_>,
    reused: bool,
    console: &Console,
) -> Result<Exit, Failure> {
    close(&line(family, counts, reused), rows.format(), console).await?;
    console.say(format!(
        "stopped job {}: {}; give the same command again to go on",
        family.root.id,
        told(counts)
    ));
    Ok(Exit::Signalled)
}

/// The end of a run whose output nobody reads.
pub(super) fn quietly(family: &Family, counts: Counts) -> Exit {
    if family.is_settled() {
        Exit::of(family.status(counts))
    } else {
        Exit::Signalled
    }
}

fn told(counts: Counts) -> String {
    let Counts {
        pending,
        running,
        done,
        failed,
    } = counts;
    match pending + running {
        0 => format!("{done} done, {failed} failed"),
        left => format!("{done} done, {failed} failed, {left} not run"),
    }
}

fn line(family: &Family, counts: Counts, reused: bool) -> RunLine<'_> {
    RunLine {
        job: family.root.id.as_str(),
        status: family.status(counts),
        reused,
        targets_total: family.root.total,
        targets_done: counts.done + counts.failed,
        counts,
    }
}

async fn close(line: &RunLine<'_>, format: Format, console: &Console) -> Result<(), Failure> {
    if format == Format::Json {
        json::line(console, line).await?;
    }
    console.flush().await
}
