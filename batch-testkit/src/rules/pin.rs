//! Jobs that one session alone runs, and ends with (R1.7, S4).

use std::time::Duration;

use batch_core::store::reply::TakeReply;

use crate::breach::{Verdict, same};
use crate::case::{Case, busy, job};

const SECOND: Duration = Duration::from_secs(1);

/// R1.7, S4.3 Only its session runs a pinned job.
pub async fn only_its_session_runs_a_pinned_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").pinned("s1")).await?;

    let foreign = case.take("s2").await?;

    same(foreign, TakeReply::Idle { ready_at: None })?;
    same(case.turn_of("s1").await?.0, "a".to_owned())
}

/// R1.7, S4.3 Pinned and shared jobs take turns as one rotation.
pub async fn pinned_and_shared_jobs_take_turns(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1").targets(2).width(2)).await?;
    case.make(job("b").targets(2).width(2)).await?;
    case.make(job("c").pinned("s1")).await?;

    let rotation = case.rotation().await?;
    let mut order = Vec::new();
    for _ in 0..5 {
        order.push(case.turn_of("s1").await?.0);
    }

    same(rotation.concat(), "abc".to_owned())?;
    same(order.concat(), "abcab".to_owned())
}

/// R2.5, S4.3 A take promotes one shared job, then one of its own.
pub async fn a_take_promotes_a_shared_job_then_its_own(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("own").pinned("s1")).await?;
    case.make(job("shared")).await?;
    case.run_one("s1", busy(SECOND)).await?;
    case.run_one("s1", busy(SECOND)).await?;
    case.advance(SECOND);

    let first = case.turn_of("s1").await?.0;
    let second = case.turn_of("s1").await?.0;

    same([first.as_str(), second.as_str()], ["shared", "own"])
}

/// R2.5, S4.3 Nobody else promotes a pinned job, or is told of its time.
pub async fn a_foreign_pinned_job_is_not_waited_for(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").pinned("s1")).await?;
    case.run_one("s1", busy(SECOND)).await?;

    let foreign = case.take("s2").await?;

    same(foreign, TakeReply::Idle { ready_at: None })
}

/// R1.7, R1.3 The pin is no part of the key: any session's submit finds the job.
pub async fn a_pinned_job_is_reused_by_other_sessions(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").pinned("s1")).await?;

    case.submit(job("b").like("a").pinned("s2")).await?;

    same(case.job("a").await?.pin, Some("s1".into()))?;
    same(case.find("b").await?, None)
}
