//! Reading jobs, and touching them (R6).

use batch_core::error::Error;
use batch_core::state::JobStatus;
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, StatsQuery, TargetOrder, TargetQuery,
};

use super::crew::crew;
use crate::breach::{Verdict, holds, same};
use crate::case::Case;

/// R6.1 A read changes nothing and costs no write.
pub async fn a_read_writes_nothing(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;
    crew.script.run(2).await?;
    let before = crew.ends(&id, JobStatus::Done).await?;
    let page = TargetQuery {
        id: id.clone(),
        order: TargetOrder::Index,
        from: 0,
        max: 1,
    };
    let all = JobList {
        filter: JobFilter::default(),
        order: JobOrder::Sequence,
        after: None,
        max: 9,
    };

    let job = crew.runner.status(&id).await?;
    let first = crew.runner.targets(page).await?;
    let list = crew.runner.list(all).await?;
    let stats = StatsQuery {
        kind: String::new().into(),
        caller: None,
    };
    let stats = crew.runner.stats(stats).await?;

    same(job, before)?;
    same((first.targets.len(), first.next), (1, Some(1)))?;
    same((list.jobs.len(), stats.kind.counters.targets_done), (1, 2))?;
    same(crew.spy.calls("touch"), 0)?;
    crew.close(case).await.map(|_| ())
}

/// R6.4 A touch moves a lease, and revives nothing.
pub async fn a_touch_moves_the_lease_only(case: &mut Case<'_>) -> Verdict {
    let clock = std::sync::Arc::new(crate::clocks::ShiftedClock::default());
    let mut crew = crew(case).clock(clock.clone()).start().await?;
    let id = crew.submit("a", 1).await?;
    crew.script.run(1).await?;
    let before = crew.ends(&id, JobStatus::Done).await?;
    clock.forward(std::time::Duration::from_secs(5));

    holds(crew.runner.touch(&id).await?, "the job exists")?;

    let after = case.job(id.as_str()).await?;
    holds(after.lease >= before.lease, "a later lease")?;
    same(after.status, JobStatus::Done)?;
    crew.close(case).await.map(|_| ())
}

/// R6.3, R13.1 Of an unknown job every read says so.
pub async fn every_read_of_an_unknown_job_says_so(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    let unknown = "unknown".into();
    let page = TargetQuery {
        id: "unknown".into(),
        order: TargetOrder::Index,
        from: 0,
        max: 1,
    };

    let status = crew.runner.status(&unknown).await;
    let targets = crew.runner.targets(page).await;
    let wait = crew.runner.wait(&unknown, None).await;
    let event = crew.runner.watch(&unknown, 0).next().await;

    holds(matches!(status, Err(Error::NotFound)), "NotFound of status")?;
    holds(
        matches!(targets, Err(Error::NotFound)),
        "NotFound of targets",
    )?;
    holds(matches!(wait, Err(Error::NotFound)), "NotFound of wait")?;
    holds(matches!(event, Err(Error::NotFound)), "NotFound of watch")?;
    crew.close(case).await.map(|_| ())
}
