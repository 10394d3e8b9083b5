//! A cancel ends a job at once, and what is in flight is stored (R5).

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::reply::{CancelReply, FinishReply, TakeReply};

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, START, busy, done, failed, hand_back, job};

/// R5.1 A queued job is cancelled, and nothing of it starts.
pub async fn a_queued_job_is_cancelled(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.advance(Duration::from_secs(1));

    let reply = case.cancel("a").await?;

    same(reply, CancelReply::Cancelled { created_at: START })?;
    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })?;
    let ended = case.job("a").await?;
    same((ended.status, ended.error), (JobStatus::Cancelled, None))?;
    same(
        (ended.finished_at, ended.lease),
        (Some(case.now()), case.now()),
    )
}

/// R5.1 Outcomes before and in flight stay; the rest stays pending.
pub async fn b13_a_late_finish_leaves_cancelled(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4)).await?;
    case.run_one("s1", done("0")).await?;
    let flying = case.start("s1").await?.start;
    case.cancel("a").await?;
    let finished_at = case.job("a").await?.finished_at;
    case.advance(Duration::from_secs(1));

    let reply = case.finish(&flying, failed("1")).await?;

    same(
        matches!(reply, FinishReply::Stored { ended: None, .. }),
        true,
    )?;
    let ended = case.job("a").await?;
    same(ended.status, JobStatus::Cancelled)?;
    same(
        (finished_at.is_some(), ended.finished_at),
        (true, finished_at),
    )?;
    same(
        (ended.counts.done, ended.counts.failed, ended.counts.pending),
        (1, 1, 2),
    )
}

/// R5.1 The last outcome leaves `cancelled`.
pub async fn b13_the_last_outcome_leaves_cancelled(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", done("0")).await?;
    let last = case.start("s1").await?.start;
    case.cancel("a").await?;

    case.settle(&last, done("1")).await?;

    let ended = case.job("a").await?;
    same((ended.status, ended.counts.done), (JobStatus::Cancelled, 2))
}

/// R5.1 A target that comes back busy after the cancel stays pending for good.
pub async fn b13_a_busy_target_stays_pending(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.cancel("a").await?;

    case.settle(&start, busy(Duration::from_secs(1))).await?;
    case.advance(Duration::from_secs(2));

    same(case.target("a", 0).await?.status, TargetStatus::Pending)?;
    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })
}

/// R5.1 A target handed back after the cancel stays pending for good.
pub async fn a_handed_back_target_stays_pending(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.cancel("a").await?;

    case.settle(&start, hand_back(Duration::ZERO)).await?;

    same(case.target("a", 0).await?.status, TargetStatus::Pending)?;
    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })
}

/// R5.1 A waiting job that is cancelled is not waited for.
pub async fn a_cancelled_waiting_job_is_not_waited_for(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", busy(Duration::from_secs(1))).await?;

    case.cancel("a").await?;

    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })
}

/// R5.1, R9.4 A dead session's target goes back to pending, and the job stays cancelled.
pub async fn a_dead_sessions_target_goes_back(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").max_losses(1)).await?;
    case.start("s1").await?;
    case.cancel("a").await?;

    let reaped = case.reap("s1").await?;

    same((reaped.returned, reaped.interrupted), (1, 0))?;
    same(case.target("a", 0).await?.status, TargetStatus::Pending)?;
    same(case.job("a").await?.status, JobStatus::Cancelled)?;
    same(case.take("s2").await?, TakeReply::Idle { ready_at: None })
}

/// R5.1 A job that has ended keeps its status, and the answer says which.
pub async fn b14_an_ended_job_is_already(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let ends = [
        ("done", [done("x"), done("y")]),
        ("failed", [failed("x"), failed("y")]),
        ("partial", [done("x"), failed("y")]),
    ];
    for (id, [first, second]) in ends {
        case.make(job(id).targets(2)).await?;
        case.run_one("s1", first).await?;
        case.run_one("s1", second).await?;
        let before = (case.job(id).await?, case.all_targets(id).await?);
        case.advance(Duration::from_secs(1));

        let replies = [case.cancel(id).await?, case.cancel(id).await?];

        let status = before.0.status;
        same(status.as_str(), id)?;
        same(replies, [CancelReply::Already { status }; 2])?;
        same((case.job(id).await?, case.all_targets(id).await?), before)?;
    }
    Ok(())
}

/// R5.1 A second cancel is told that the job is cancelled already.
pub async fn b14_a_second_request_is_already(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    let before = case.job("a").await?;

    let reply = case.cancel("a").await?;

    let status = JobStatus::Cancelled;
    same(reply, CancelReply::Already { status })?;
    same(case.job("a").await?, before)
}

/// R5.1 An unknown job, and one that was swept, is not found.
pub async fn b14_unknown_and_swept_jobs_are_not_found(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);
    case.sweep().await?;

    same(case.cancel("a").await?, CancelReply::NotFound)?;
    same(case.cancel("nobody").await?, CancelReply::NotFound)
}

/// R5.1, R4.1 A cancel after the last outcome loses, one before it wins.
pub async fn a_cancel_and_the_last_outcome_agree(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    let a = case.start("s1").await?.start;
    let b = case.start("s1").await?.start;

    case.settle(&a, done("x")).await?;
    case.cancel("a").await?;
    case.cancel("b").await?;
    case.settle(&b, done("x")).await?;

    same(case.job("a").await?.status, JobStatus::Done)?;
    same(case.job("b").await?.status, JobStatus::Cancelled)?;
    same(case.stats().await?.counters.jobs_cancelled, 1)
}
