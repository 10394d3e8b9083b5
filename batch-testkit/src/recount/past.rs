//! What was seen once and may never change: ends, outcomes, places in the sequence.

use std::collections::BTreeMap;

use batch_core::id::JobId;
use batch_core::state::JobStatus;
use batch_core::store::view::{Job, Target};

use super::Rows;
use crate::breach::{Verdict, holds, same};

/// Every job as it was last seen.
#[derive(Debug, Default)]
pub(super) struct Past {
    jobs: BTreeMap<JobId, Rows>,
}

impl Past {
    /// Holds the rows of now against those of before, and remembers them.
    pub(super) fn compare(&mut self, rows: &[Rows]) -> Verdict {
        let sequence: Vec<_> = rows.iter().map(|row| row.job.seq).collect();
        holds(
            sequence.is_sorted_by(|a, b| a < b),
            "a sequence that only grows",
        )
        .map_err(|failure| failure.of("S4.1"))?;
        for row in rows {
            if let Some(before) = self.jobs.get(&row.job.id)
                && before.job.seq == row.job.seq
            {
                compare_job(&before.job, &row.job)?;
                compare_targets(before, row)?;
            }
        }
        let now = rows.iter().map(|row| (row.job.id.clone(), row.clone()));
        self.jobs = now.collect();
        Ok(())
    }
}

fn compare_job(before: &Job, now: &Job) -> Verdict {
    let named = |job: &Job| {
        (
            job.kind.clone(),
            job.caller.clone(),
            job.created_at,
            job.total,
        )
    };
    same(named(now), named(before)).map_err(|failure| failure.of("S1.1"))?;
    let begun = before.started_at.is_none() || now.started_at == before.started_at;
    holds(begun, "the time of the first start kept").map_err(|f| f.of("R2.1"))?;
    holds(now.lease >= before.lease, "a lease that never moves back").map_err(|f| f.of("R6.4"))?;
    if before.status.is_terminal() {
        let end = |job: &Job| (job.status, job.finished_at, job.error.clone());
        return same(end(now), end(before)).map_err(|failure| failure.of("R4.1"));
    }
    // Several steps may lie between two looks: only what no steps lead to is wrong.
    let back = before.status == JobStatus::Running && now.status == JobStatus::Queued;
    holds(!back, "a running job that was not queued again").map_err(|f| f.of("R4.1"))
}

fn compare_targets(before: &Rows, now: &Rows) -> Verdict {
    for (old, new) in before.targets.iter().zip(&now.targets) {
        let sent = |target: &Target| (target.url.clone(), target.options.clone(), target.origin);
        same(sent(new), sent(old)).map_err(|failure| failure.of("S9.1"))?;
        holds(new.fence >= old.fence, "a fence that only grows").map_err(|f| f.of("R9.1"))?;
        holds(new.tries >= old.tries, "tries that only grow").map_err(|f| f.of("R3.2"))?;
        if old.outcome.is_some() {
            same(new, old).map_err(|failure| failure.of("R4.1"))?;
        }
    }
    Ok(())
}
