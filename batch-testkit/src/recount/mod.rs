//! Every count of a store, computed again from its own rows.
//!
//! `job.rs` holds a job against its targets, `kind.rs` a kind against its jobs,
//! `past.rs` all of it against what was seen before. A recount asks the store only
//! through its reads, and wants it to itself while it runs.

mod job;
mod kind;
mod past;

use batch_core::id::Kind;
use batch_core::store::Store;
use batch_core::store::query::{JobFilter, JobList, JobOrder, KindList, TargetOrder, TargetQuery};
use batch_core::store::reply::TargetReply;
use batch_core::store::view::{Job, Target};

use crate::breach::{Verdict, holds, unlike};
use past::Past;

/// Rows of one page.
const PAGE: u32 = 1_000;

/// Recounts a store, and remembers what may never change again.
#[derive(Debug, Default)]
pub struct Recount {
    past: Past,
}

/// A job with its targets; none when they were evicted.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) job: Job,
    pub(crate) targets: Vec<Target>,
}

impl Recount {
    /// Fails with the rule that a count breaks.
    pub async fn check(&mut self, store: &dyn Store) -> Verdict {
        let jobs = jobs(store, &JobFilter::default(), JobOrder::Sequence).await?;
        let mut rows = Vec::with_capacity(jobs.len());
        for job in jobs {
            let targets = targets(store, &job).await?;
            rows.push(Rows { job, targets });
        }
        rows.iter().try_for_each(job::check)?;
        let kinds = kinds(store).await?;
        for row in &rows {
            holds(
                kinds.contains(&row.job.kind),
                "the kind of every job in `kinds`",
            )
            .map_err(|failure| failure.of("S13.1"))?;
        }
        for kind in &kinds {
            let own: Vec<_> = rows.iter().filter(|row| row.job.kind == *kind).collect();
            kind::check(store, kind, &own).await?;
        }
        self.past.compare(&rows)
    }
}

/// All jobs that pass a filter.
pub(crate) async fn jobs(
    store: &dyn Store,
    filter: &JobFilter,
    order: JobOrder,
) -> Verdict<Vec<Job>> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let call = JobList {
            filter: filter.clone(),
            order,
            after,
            max: PAGE,
        };
        let page = store.list(call).await?;
        all.extend(page.jobs);
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

async fn kinds(store: &dyn Store) -> Verdict<Vec<Kind>> {
    let mut all = Vec::new();
    let mut after = None;
    loop {
        let page = store.kinds(KindList { after, max: PAGE }).await?;
        all.extend(page.kinds);
        after = page.next;
        if after.is_none() {
            return Ok(all);
        }
    }
}

async fn targets(store: &dyn Store, job: &Job) -> Verdict<Vec<Target>> {
    let mut all = Vec::new();
    let mut from = Some(0);
    while let Some(first) = from {
        let call = TargetQuery {
            id: job.id.clone(),
            order: TargetOrder::Index,
            from: first,
            max: PAGE,
        };
        match store.targets(call).await? {
            TargetReply::Page(page) => {
                all.extend(page.targets);
                from = page.next;
            }
            TargetReply::Evicted if job.evicted => return Ok(Vec::new()),
            other => {
                return unlike(&other, "the targets of a listed job").map_err(|f| f.of("R6.3"));
            }
        }
    }
    Ok(all)
}
