//! Everything that a store shows, as lines to compare.

use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, JobQuery, KindList, Sessions, StatsQuery, TargetOrder,
    TargetQuery,
};
use batch_core::store::reply::TargetReply;
use batch_core::store::view::{Job, SessionLock};

/// Reads all that there is, in pages of a few rows.
pub(crate) async fn all(store: &dyn Store) -> Vec<String> {
    let mut lines = Vec::new();
    let jobs = list(store, JobFilter::default(), JobOrder::Sequence, 3).await;
    for job in &jobs {
        let found = store.job(JobQuery::Id(job.id.clone())).await.unwrap();
        lines.push(format!("{found:?}"));
        for order in [TargetOrder::Index, TargetOrder::Stored] {
            targets(store, job, order, &mut lines).await;
        }
    }
    for kind in kinds(store).await {
        of_kind(store, kind, &mut lines).await;
    }
    sessions(store, &mut lines).await;
    lines
}

async fn targets(store: &dyn Store, job: &Job, order: TargetOrder, lines: &mut Vec<String>) {
    let mut from = Some(0);
    while let Some(first) = from {
        let query = TargetQuery {
            id: job.id.clone(),
            order,
            from: first,
            max: 2,
        };
        let reply = store.targets(query).await.unwrap();
        lines.push(format!("{order:?} {reply:?}"));
        from = match reply {
            TargetReply::Page(page) => page.next,
            TargetReply::Evicted | TargetReply::NotFound => None,
        };
    }
}

async fn of_kind(store: &dyn Store, kind: Kind, lines: &mut Vec<String>) {
    for caller in [None, Some("a".to_owned()), Some("a:b".to_owned())] {
        let query = StatsQuery {
            kind: kind.clone(),
            caller: caller.clone(),
        };
        lines.push(format!("{kind:?} {:?}", store.stats(query).await.unwrap()));
        for order in [JobOrder::Sequence, JobOrder::Rotation] {
            for status in [None, Some(JobStatus::Running)] {
                let filter = JobFilter {
                    kind: Some(kind.clone()),
                    caller: caller.clone(),
                    status,
                };
                let jobs = list(store, filter, order, 2).await;
                lines.push(format!("{kind:?} {caller:?} {order:?} {jobs:?}"));
            }
        }
    }
}

async fn list(store: &dyn Store, filter: JobFilter, order: JobOrder, max: u32) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut after = None;
    loop {
        let query = JobList {
            filter: filter.clone(),
            order,
            after,
            max,
        };
        let page = store.list(query).await.unwrap();
        jobs.extend(page.jobs);
        after = page.next;
        if after.is_none() {
            return jobs;
        }
    }
}

async fn kinds(store: &dyn Store) -> Vec<Kind> {
    let mut kinds = Vec::new();
    let mut after = None;
    loop {
        let page = store.kinds(KindList { after, max: 1 }).await.unwrap();
        kinds.extend(page.kinds);
        after = page.next;
        if after.is_none() {
            return kinds;
        }
    }
}

/// Locks are left out: the reference store has none.
async fn sessions(store: &dyn Store, lines: &mut Vec<String>) {
    let mut after = None;
    loop {
        let page = store.sessions(Sessions { after, max: 1 }).await.unwrap();
        for mut session in page.sessions {
            session.lock = SessionLock::Unknown;
            lines.push(format!("{session:?}"));
        }
        after = page.next;
        if after.is_none() {
            return;
        }
    }
}
