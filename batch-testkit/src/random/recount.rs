//! Counts again, from the store's own rows, what the store says that it has counted.
//!
//! It needs no model: it holds for any store at any time (R2.2, R4.1, S3.2, S13.2).

use batch_core::id::Kind;
use batch_core::state::TargetStatus;
use batch_core::store::reply::Stats;
use batch_core::store::view::{Counts, Job, KindStats, Target};

use super::observe::Seen;
use crate::model::Breach;

pub(super) fn recount(seen: &Seen) -> Result<(), Breach> {
    for job in &seen.jobs {
        of_job(job, seen.targets.get(&job.id).map(Vec::as_slice))?;
    }
    for (kind, stats) in &seen.stats {
        of_kind(kind, stats, seen)?;
    }
    Ok(())
}

fn of_job(job: &Job, targets: Option<&[Target]>) -> Result<(), Breach> {
    let counts = job.counts;
    let sum = counts.pending + counts.running + counts.done + counts.failed;
    equal("R4.1", "the sum of the counts", job, (job.total, sum))?;
    let within = counts.running.min(u64::from(job.width));
    equal("R2.2", "targets in flight", job, (within, counts.running))?;
    if job.evicted {
        return equal("S7.3", "bytes without targets", job, (0, job.bytes));
    }
    let Some(targets) = targets else {
        return Ok(());
    };
    equal("R4.1", "the counts", job, (count(targets), counts))?;
    let bytes: u64 = targets.iter().map(Target::bytes).sum();
    equal("R4.1", "the bytes", job, (bytes, job.bytes))
}

fn count(targets: &[Target]) -> Counts {
    let of = |status| targets.iter().filter(|row| row.status == status).count() as u64;
    Counts {
        pending: of(TargetStatus::Pending),
        running: of(TargetStatus::Running),
        done: of(TargetStatus::Done),
        failed: of(TargetStatus::Failed),
    }
}

fn of_kind(kind: &Kind, stats: &Stats, seen: &Seen) -> Result<(), Breach> {
    let jobs = || seen.jobs.iter().filter(|job| job.kind == *kind);
    let live = || jobs().filter(|job| job.status.is_live());
    let mut expected = KindStats {
        live: live().count() as u64,
        terminal_bytes: jobs()
            .filter(|job| job.status.is_terminal())
            .map(|job| job.bytes)
            .sum(),
        counters: stats.kind.counters,
        ..KindStats::default()
    };
    for job in jobs() {
        if let Some(count) = expected.jobs.get_mut(job.status.index()) {
            *count += 1;
        }
    }
    equal("S3.2", "the counts", kind, (expected, stats.kind))?;
    let own = live().filter(|job| job.caller.name == seen.caller).count() as u64;
    equal(
        "S3.2",
        "the caller's live jobs",
        kind,
        (own, stats.caller_live),
    )?;
    let counters = stats.kind.counters;
    let rows = jobs().count() as u64 + counters.jobs_swept;
    equal(
        "S13.2",
        "jobs submitted",
        kind,
        (rows, counters.jobs_submitted),
    )?;
    let endings =
        counters.jobs_done + counters.jobs_partial + counters.jobs_failed + counters.jobs_cancelled;
    let sum = endings + stats.kind.live;
    equal(
        "S13.2",
        "jobs submitted",
        kind,
        (sum, counters.jobs_submitted),
    )
}

fn equal<T: PartialEq + std::fmt::Debug>(
    rule: &'static str,
    what: &str,
    of: &impl std::fmt::Debug,
    (expected, seen): (T, T),
) -> Result<(), Breach> {
    if expected == seen {
        return Ok(());
    }
    Err(Breach::new(
        rule,
        format!("{what} of {of:?} to recount to {expected:?}"),
        format!("{seen:?}"),
    ))
}
