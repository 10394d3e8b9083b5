//! Reads of jobs, and the small writes that go with them: cancel and touch (R5, R6).

use super::shared::Shared;
use crate::error::Error;
use crate::id::{JobId, RequestId};
use crate::state::JobStatus;
use crate::store::call::{Cancel, Touch};
use crate::store::query::{JobList, JobQuery, StatsQuery, TargetQuery};
use crate::store::reply::{
    CancelReply, Ending, JobPage, JobReply, Stats, TargetPage, TargetReply, TouchReply,
};
use crate::store::view::Job;

pub(super) async fn cancel(shared: &Shared, id: &JobId) -> Result<bool, Error> {
    let call = Cancel {
        id: id.clone(),
        request: RequestId::random(),
        now: shared.now(),
    };
    match shared
        .send(("cancel", id), || shared.store.cancel(call.clone()))
        .await?
    {
        CancelReply::Cancelled { created_at } => {
            let ending = Ending {
                status: JobStatus::Cancelled,
                created_at,
            };
            shared.tell_ended(id, ending);
            Ok(true)
        }
        CancelReply::Already { .. } | CancelReply::NotFound => Ok(false),
    }
}

pub(super) async fn touch(shared: &Shared, id: &JobId) -> Result<bool, Error> {
    let call = Touch {
        id: id.clone(),
        now: shared.now(),
    };
    let reply = shared
        .send(("touch", id), || shared.store.touch(call.clone()))
        .await?;
    Ok(matches!(reply, TouchReply::Touched { .. }))
}

pub(super) async fn job(shared: &Shared, id: &JobId) -> Result<Job, Error> {
    let query = JobQuery::Id(id.clone());
    match shared
        .send(("job", id), || shared.store.job(query.clone()))
        .await?
    {
        JobReply::Found(job) => Ok(*job),
        JobReply::NotFound => Err(Error::NotFound),
    }
}

pub(super) async fn targets(shared: &Shared, query: TargetQuery) -> Result<TargetPage, Error> {
    match shared
        .send("targets", || shared.store.targets(query.clone()))
        .await?
    {
        TargetReply::Page(page) => Ok(page),
        TargetReply::Evicted => Err(Error::Evicted),
        TargetReply::NotFound => Err(Error::NotFound),
    }
}

pub(super) async fn list(shared: &Shared, query: JobList) -> Result<JobPage, Error> {
    Ok(shared
        .send("list", || shared.store.list(query.clone()))
        .await?)
}

pub(super) async fn stats(shared: &Shared, query: StatsQuery) -> Result<Stats, Error> {
    Ok(shared
        .send("stats", || shared.store.stats(query.clone()))
        .await?)
}
