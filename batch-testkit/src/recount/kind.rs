//! A kind's counts, counters and rotation against its jobs.

use std::collections::BTreeMap;

use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::query::{JobFilter, JobOrder, StatsQuery};
use batch_core::store::view::{Job, KindStats};

use super::{Rows, jobs};
use crate::breach::{Verdict, holds, same};

/// Fails with the rule that a kind breaks.
pub(super) async fn check(store: &dyn Store, kind: &Kind, rows: &[&Rows]) -> Verdict {
    let call = StatsQuery {
        kind: kind.clone(),
        caller: None,
    };
    let stats = store.stats(call).await?.kind;
    let live = rows.iter().filter(|row| row.job.status.is_live()).count();
    same(stats.live, live as u64).map_err(|failure| failure.of("S3.2"))?;
    same(stats.jobs, per_status(rows)).map_err(|failure| failure.of("R4.1"))?;
    same(stats.terminal_bytes, terminal_bytes(rows)).map_err(|failure| failure.of("S7.1"))?;
    counters(&stats, rows)?;
    callers(store, kind, rows).await?;
    rotation(store, kind, rows).await
}

fn per_status(rows: &[&Rows]) -> [u64; 6] {
    JobStatus::ALL.map(|status| {
        let of_status = rows.iter().filter(|row| row.job.status == status);
        of_status.count() as u64
    })
}

fn terminal_bytes(rows: &[&Rows]) -> u64 {
    rows.iter()
        .filter(|row| row.job.status.is_terminal())
        .map(|row| row.job.bytes)
        .sum()
}

/// S13.2: submitted = rows + swept, and endings + live = submitted.
fn counters(stats: &KindStats, rows: &[&Rows]) -> Verdict {
    let counters = &stats.counters;
    let endings =
        counters.jobs_done + counters.jobs_partial + counters.jobs_failed + counters.jobs_cancelled;
    let stored = |count: fn(&Job) -> u64| rows.iter().map(|row| count(&row.job)).sum::<u64>();
    let evicted = rows.iter().filter(|row| row.job.evicted).count() as u64;
    let kept = rows.len() as u64;
    same(counters.jobs_submitted, kept + counters.jobs_swept)
        .and_then(|()| same(endings + stats.live, counters.jobs_submitted))
        .and_then(|()| {
            let enough = counters.targets_done >= stored(|job| job.counts.done)
                && counters.targets_failed >= stored(|job| job.counts.failed)
                && counters.jobs_evicted >= evicted;
            holds(enough, "counters no smaller than what the rows show")
        })
        .map_err(|failure| failure.of("S13.2"))
}

/// S3.2: live jobs of every caller.
async fn callers(store: &dyn Store, kind: &Kind, rows: &[&Rows]) -> Verdict {
    let mut live: BTreeMap<&str, u64> = BTreeMap::new();
    for row in rows {
        let count = live.entry(row.job.caller.name.as_str()).or_default();
        *count += u64::from(row.job.status.is_live());
    }
    for (caller, expected) in live {
        let call = StatsQuery {
            kind: kind.clone(),
            caller: Some(caller.to_owned()),
        };
        let observed = store.stats(call).await?.caller_live;
        same(observed, expected).map_err(|failure| failure.of("S3.2"))?;
    }
    Ok(())
}

/// S4.2: the rotation holds each job that may start an unstarted target, and none that has ended.
async fn rotation(store: &dyn Store, kind: &Kind, rows: &[&Rows]) -> Verdict {
    let filter = JobFilter {
        kind: Some(kind.clone()),
        ..JobFilter::default()
    };
    let inside = jobs(store, &filter, JobOrder::Rotation).await?;
    for job in &inside {
        let belongs = job.status.is_live() && !job.halting;
        let places = inside.iter().filter(|other| other.id == job.id).count();
        holds(
            belongs && places == 1,
            "live jobs in the rotation, each once",
        )
        .map_err(|failure| failure.of("S4.2"))?;
    }
    for row in rows.iter().filter(|row| may_start(row)) {
        let found = inside.iter().any(|job| job.id == row.job.id);
        holds(found, "a startable job in the rotation").map_err(|failure| failure.of("S4.2"))?;
    }
    Ok(())
}

/// R2.2: an unstarted target is left, and fewer are open than the width says.
fn may_start(rows: &Rows) -> bool {
    let job = &rows.job;
    let started = rows.targets.iter().filter(|target| target.fence > 0);
    let open = started.filter(|target| target.outcome.is_none()).count() as u64;
    let unstarted = rows.targets.iter().any(|target| target.fence == 0);
    job.status.is_live() && !job.halting && unstarted && open < u64::from(job.width)
}
