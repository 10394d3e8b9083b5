//! A job's counts and status against its targets.

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::view::{Counts, Job, Outcome, Target};

use super::Rows;
use crate::breach::{Verdict, holds, same};

/// Fails with the rule that a job breaks.
pub(super) fn check(rows: &Rows) -> Verdict {
    let job = &rows.job;
    let counts = job.counts;
    let sum = counts.pending + counts.running + counts.done + counts.failed;
    same(sum, job.total).map_err(|failure| failure.of("R4.1"))?;
    status(job)?;
    if job.evicted {
        holds(job.status.is_terminal(), "only ended jobs evicted").map_err(|f| f.of("S7.1"))?;
        return same(job.bytes, 0).map_err(|failure| failure.of("S7.1"));
    }
    same(count(&rows.targets), counts).map_err(|failure| failure.of("R4.1"))?;
    same(job.bytes, bytes(&rows.targets)).map_err(|failure| failure.of("S7.1"))?;
    width(job, &rows.targets)?;
    ordinals(job, &rows.targets)?;
    rows.targets.iter().try_for_each(target)
}

fn count(targets: &[Target]) -> Counts {
    let of = |status| {
        targets
            .iter()
            .filter(|target| target.status == status)
            .count() as u64
    };
    Counts {
        pending: of(TargetStatus::Pending),
        running: of(TargetStatus::Running),
        done: of(TargetStatus::Done),
        failed: of(TargetStatus::Failed),
    }
}

/// Section 0: UTF-8 lengths of url, options, result, error and hint.
fn bytes(targets: &[Target]) -> u64 {
    let outcome = |target: &Target| match &target.outcome {
        None => 0,
        Some(Outcome::Done { result }) => result.len(),
        Some(Outcome::Failed { error, hint }) => error.len() + hint.as_deref().map_or(0, str::len),
    };
    targets
        .iter()
        .map(|target| (target.url.len() + target.options.len() + outcome(target)) as u64)
        .sum()
}

/// R4.1: the status says what the counts say.
fn status(job: &Job) -> Verdict {
    let counts = job.counts;
    let stored = counts.done + counts.failed;
    let agrees = match job.status {
        JobStatus::Queued => stored + counts.running == 0 && job.started_at.is_none(),
        JobStatus::Running => stored < job.total && job.started_at.is_some(),
        JobStatus::Done => counts.done == job.total,
        JobStatus::Partial => counts.done > 0 && counts.done < job.total,
        JobStatus::Failed => counts.failed == job.total || job.error.is_some(),
        JobStatus::Cancelled => job.error.is_none(),
    };
    holds(
        agrees,
        &format!("counts {counts:?} that fit {}", job.status),
    )
    .map_err(|failure| failure.of("R4.1"))?;
    let stuck = job.halting && job.status.is_live() && counts.running == 0;
    holds(!stuck, "a halting job without a target in flight ended").map_err(|f| f.of("R14.2"))?;
    same(job.finished_at.is_some(), job.status.is_terminal()).map_err(|failure| failure.of("R4.1"))
}

/// R2.2: no more are open than the width says, and none before its turn.
fn width(job: &Job, targets: &[Target]) -> Verdict {
    let started = |target: &&Target| target.fence > 0;
    let open = targets
        .iter()
        .filter(started)
        .filter(|target| target.outcome.is_none())
        .count();
    holds(
        open as u64 <= u64::from(job.width),
        "open targets within the width",
    )
    .map_err(|failure| failure.of("R2.2"))?;
    let begun = targets.iter().take_while(|target| target.fence > 0).count();
    same(targets.iter().filter(started).count(), begun).map_err(|failure| failure.of("R2.2"))
}

/// R13.1: the ordinals of n outcomes are 0 … n − 1.
fn ordinals(job: &Job, targets: &[Target]) -> Verdict {
    let mut ordinals: Vec<_> = targets.iter().filter_map(|target| target.ordinal).collect();
    ordinals.sort_unstable();
    let expected: Vec<_> = (0..job.counts.done + job.counts.failed).collect();
    same(ordinals, expected).map_err(|failure| failure.of("R13.1"))
}

/// R6.2: a target shows what its status allows, and nothing else.
fn target(target: &Target) -> Verdict {
    let ended = target.outcome.is_some();
    let shown = match target.status {
        TargetStatus::Pending => !ended && target.session.is_none(),
        TargetStatus::Running => !ended && target.session.is_some() && target.due.is_none(),
        TargetStatus::Done => matches!(target.outcome, Some(Outcome::Done { .. })),
        TargetStatus::Failed => matches!(target.outcome, Some(Outcome::Failed { .. })),
    };
    // A target that a reap failed has no try that anybody measured.
    let stamps = [target.ordinal.is_some(), target.stored_at.is_some()];
    let measured = target.elapsed.is_none() || ended;
    let agree = measured && stamps.iter().all(|stamp| *stamp == ended);
    let parked = target.due.is_some() && target.fence == 0;
    holds(
        shown && agree && !parked,
        "fields that fit the target's status",
    )
    .map_err(|failure| failure.of("R6.2"))
}
