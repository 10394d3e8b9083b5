//! Job, targets, list, stats and kinds (R6, S8). Their rows are put together here; the
//! reads of the decisions are in `lookup.rs`.

use batch_core::decide;
use batch_core::store::StoreResult;
use batch_core::store::query::{JobList, JobQuery, KindList, StatsQuery, TargetQuery};
use batch_core::store::reply::{JobPage, JobReply, KindPage, Stats, TargetReply};

use crate::handle::{Handle, Operation};

pub(crate) async fn job(handle: &Handle, call: JobQuery) -> StoreResult<JobReply> {
    let operation = match &call {
        JobQuery::Id(id) => Operation::on("job", id),
        JobQuery::Key { .. } => Operation::of("job"),
    };
    handle
        .read(operation, move |step| step.job_reply(&call))
        .await
}

pub(crate) async fn targets(handle: &Handle, call: TargetQuery) -> StoreResult<TargetReply> {
    let operation = Operation::on("targets", &call.id);
    handle
        .read(operation, move |step| decide::targets(step, &call))
        .await
}

pub(crate) async fn list(handle: &Handle, call: JobList) -> StoreResult<JobPage> {
    handle
        .read(Operation::of("list"), move |step| step.job_page(&call))
        .await
}

pub(crate) async fn stats(handle: &Handle, call: StatsQuery) -> StoreResult<Stats> {
    handle
        .read(Operation::of("stats"), move |step| step.stats_of(&call))
        .await
}

pub(crate) async fn kinds(handle: &Handle, call: KindList) -> StoreResult<KindPage> {
    handle
        .read(Operation::of("kinds"), move |step| step.kind_page(&call))
        .await
}
