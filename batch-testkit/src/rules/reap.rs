//! What is taken back from a dead session, in bounded steps (R9.4–R9.6).

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::Answer;
use batch_core::store::reply::{FinishReply, ReapReply, TakeReply};
use batch_core::store::view::Outcome;

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, START, busy, done, failed, hand_back, job};

/// R9.4 A dead session's running target is parked, due at once.
pub async fn a_dead_sessions_target_is_due_at_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", done("x")).await?;
    case.start("s1").await?;
    case.advance(Duration::from_secs(9));

    let reaped = case.reap("s1").await?;

    same((reaped.returned, reaped.interrupted), (1, 0))?;
    same(case.target("a", 1).await?.due, Some(case.now()))?;
    let next = case.start("s2").await?.start;
    same((next.index, next.fence), (1, 2))
}

/// R9.4 Its pinned jobs end `failed: interrupted`, and their targets go back.
pub async fn its_pinned_jobs_end_interrupted(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1").targets(2).max_losses(1))
        .await?;
    case.start("s1").await?;
    case.advance(Duration::from_secs(9));

    let reaped = case.reap("s1").await?;

    let ended = case.job("a").await?;
    same(
        (ended.status, ended.error),
        (JobStatus::Failed, Some("interrupted".to_owned())),
    )?;
    same(
        (ended.finished_at, ended.counts.pending),
        (Some(case.now()), 2),
    )?;
    same((reaped.returned, reaped.interrupted), (1, 0))?;
    let told: Vec<_> = reaped
        .ended
        .iter()
        .map(|e| (e.id.as_str(), e.status, e.created_at))
        .collect();
    same(told, vec![("a", JobStatus::Failed, START)])
}

/// R9.4 A pinned job that has ended before stays as it is.
pub async fn an_ended_pinned_job_stays(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1")).await?;
    case.run_one("s1", done("x")).await?;
    let before = case.job("a").await?;

    let reaped = case.reap("s1").await?;

    same(reaped.ended, Vec::new())?;
    same(case.job("a").await?, before)
}

/// R9.4 A `Resume` job goes on with another session.
pub async fn a_resume_job_goes_on(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;

    case.reap("s1").await?;
    case.run_one("s2", done("x")).await?;

    same(case.job("a").await?.status, JobStatus::Done)
}

/// R9.4 The last step removes the session, and the next reap finds nothing.
pub async fn the_last_step_removes_the_session(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;

    case.reap("s1").await?;

    same(case.sessions().await?, Vec::new())?;
    let again = case.reap_step("s1", 1, 100).await?;
    same(
        again,
        ReapReply::Reaped {
            ended: Vec::new(),
            returned: 0,
            interrupted: 0,
            more: false,
        },
    )
}

/// S1.2, R9.4 A reap works in bounded steps, and stopping between them loses nothing.
pub async fn a_reap_works_in_bounded_steps(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.make(job("c")).await?;
    for _ in 0..3 {
        case.start("s1").await?;
    }

    let mut jobs = 0;
    let mut targets = 0;
    let mut steps = 0;
    let mut more = true;
    while more && steps < 100 {
        match case.reap_step("s1", 1, 1).await? {
            ReapReply::Reaped {
                ended,
                returned,
                more: left,
                ..
            } => {
                same(ended.len() as u64 + returned <= 1, true)?;
                jobs += ended.len();
                targets += returned;
                more = left;
            }
            ReapReply::Moved => return unlike(&ReapReply::Moved, "Reaped"),
        }
        steps += 1;
    }

    same((jobs, targets, more), (2, 3, false))?;
    same(case.sessions().await?, Vec::new())
}

/// R9.4 A dead session of another kind is reaped as well.
pub async fn any_kind_of_session_can_be_reaped(case: &mut Case<'_>) -> Verdict {
    case.enter_kind("s1", "other").await?;
    case.make(job("a").kind("other").pinned("s1")).await?;

    let reaped = case.reap("s1").await?;

    let kinds: Vec<_> = reaped
        .ended
        .iter()
        .map(|ended| ended.kind.as_str())
        .collect();
    same(kinds, vec!["other"])?;
    let counters = case.stats_of("other", None).await?.kind.counters;
    same((counters.sessions_reaped, counters.jobs_failed), (1, 1))
}

/// R9.5 Starts lost in a row fail their target at the limit.
pub async fn lost_starts_in_a_row_fail_the_target(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(2).max_losses(2)).await?;
    case.enter("s1").await?;
    case.start("s1").await?;
    case.reap("s1").await?;
    case.enter("s2").await?;
    case.start("s2").await?;

    let reaped = case.reap("s2").await?;

    same((reaped.returned, reaped.interrupted), (0, 1))?;
    let target = case.target("a", 0).await?;
    let error = "interrupted".to_owned();
    same(target.outcome, Some(Outcome::Failed { error, hint: None }))?;
    same(target.ordinal, Some(0))?;
    same(case.job("a").await?.status, JobStatus::Running)
}

/// R9.5, R4.1 A target stored as interrupted may end its job.
pub async fn an_interrupted_target_may_end_its_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").max_losses(1)).await?;
    case.start("s1").await?;

    let reaped = case.reap("s1").await?;

    let told: Vec<_> = reaped.ended.iter().map(|ended| ended.status).collect();
    same(told, vec![JobStatus::Failed])?;
    let ended = case.job("a").await?;
    same((ended.status, ended.error), (JobStatus::Failed, None))
}

/// R9.5, R9.1 The start that the reap failed has lost its say, also for the same outcome.
pub async fn an_interrupted_start_cannot_store(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").max_losses(1)).await?;
    let lost = case.start("s1").await?.start;
    case.reap("s1").await?;

    let other = case.finish(&lost, done("x")).await?;
    let equal = case.finish(&lost, failed("interrupted")).await?;

    same(other, FinishReply::Superseded)?;
    same(equal, FinishReply::Superseded)
}

/// R9.5 Busy and hand-back begin the count of losses anew.
pub async fn an_answer_resets_the_losses(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").max_losses(2)).await?;
    case.enter("s1").await?;
    case.start("s1").await?;
    case.reap("s1").await?;
    case.enter("s2").await?;
    case.run_one("s2", busy(Duration::ZERO)).await?;
    case.start("s2").await?;
    case.reap("s2").await?;
    case.enter("s3").await?;
    case.run_one("s3", hand_back(Duration::ZERO)).await?;
    case.start("s3").await?;

    let reaped = case.reap("s3").await?;

    same((reaped.returned, reaped.interrupted), (1, 0))
}

/// R9.5 A loss is no try.
pub async fn a_lost_start_counts_no_try(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.start("s1").await?;
    case.reap("s1").await?;

    case.run_one("s2", done("x")).await?;

    same(case.target("a", 0).await?.tries, 1)
}

/// R9.6 A refused job ends `failed: unknown caller`, its target goes back.
pub async fn a_refused_job_ends_unknown_caller(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.start("s1").await?.start;

    let reply = case.finish(&start, Answer::Refuse).await?;

    match reply {
        FinishReply::Stored { ended, .. } => {
            same(ended.map(|ended| ended.status), Some(JobStatus::Failed))?;
        }
        other => return unlike(&other, "Stored"),
    }
    let ended = case.job("a").await?;
    same(
        (ended.status, ended.error),
        (JobStatus::Failed, Some("unknown caller".to_owned())),
    )?;
    same(case.target("a", 0).await?.status, TargetStatus::Pending)?;
    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })
}

/// R9.6, R5.1 A refusal after the cancel leaves `cancelled`.
pub async fn a_late_refusal_leaves_cancelled(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.cancel("a").await?;

    let reply = case.finish(&start, Answer::Refuse).await?;

    same(
        matches!(reply, FinishReply::Stored { ended: None, .. }),
        true,
    )?;
    same(case.job("a").await?.status, JobStatus::Cancelled)
}
