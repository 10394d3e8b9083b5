//! A call that took effect answers the same when it is sent again (S2).
//!
//! Replies that are really lost are in `lost.rs`.

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::call::Answer;
use batch_core::store::reply::{CancelReply, FinishReply, SubmitReply, TakeReply};

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, HOUR, START, busy, done, hand_back, job};

const SECOND: Duration = Duration::from_secs(1);

/// The status with which a finish says that it ended the job.
fn ending(reply: &FinishReply) -> Verdict<Option<JobStatus>> {
    match reply {
        FinishReply::Stored { ended, .. } => Ok(ended.map(|ended| ended.status)),
        other => unlike(other, "Stored"),
    }
}

/// S2.1 A submit that made its job is `Created` again, whatever became of it.
pub async fn a_submit_is_created_again(case: &mut Case<'_>) -> Verdict {
    let seq = case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.cancel("a").await?;
    case.advance(SECOND);

    let again = case.submit(job("a").caps(0, 0)).await?;

    same(again, SubmitReply::Created { seq })?;
    same(case.stats().await?.counters.jobs_submitted, 2)?;
    same(case.job("a").await?.lease, START)
}

/// S2.1 It is `Created` again although another job has its key now.
pub async fn a_submit_is_created_again_after_its_key_moved(case: &mut Case<'_>) -> Verdict {
    let seq = case.make(job("a")).await?;
    case.make(job("b").like("a").fresh()).await?;

    let again = case.submit(job("a")).await?;

    same(again, SubmitReply::Created { seq })
}

/// S2.1, S7.3 It is `Created` again although its job was evicted.
pub async fn a_submit_is_created_again_after_an_eviction(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let seq = case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.run_one("s1", done("x")).await?;
    case.advance(SECOND);
    case.run_one("s1", done("x")).await?;
    case.evict(0).await?;

    let again = case.submit(job("a")).await?;

    same(case.job("a").await?.evicted, true)?;
    same(again, SubmitReply::Created { seq })
}

/// S2.1, R1.7 It is `Created` again although its session is gone.
pub async fn a_pinned_submit_is_created_again_after_the_reap(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let seq = case.make(job("a").pinned("s1")).await?;
    case.reap("s1").await?;

    let again = case.submit(job("a").pinned("s1")).await?;

    same(again, SubmitReply::Created { seq })
}

/// S2.6 A refused submit decides anew.
pub async fn a_refused_submit_decides_anew(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    let refused = case.submit(job("b").caps(1, 9)).await?;
    case.cancel("a").await?;

    same(refused, SubmitReply::CallerBusy)?;
    case.make(job("b").caps(1, 9)).await.map(|_| ())
}

/// S2.2 A take is answered with the same start while that is open.
pub async fn a_take_answers_the_same_start(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).width(2)).await?;
    let first = case.take_as("s1", "t").await?;
    case.advance(SECOND);
    let before = case.job("a").await?;

    let again = case.take_as("s1", "t").await?;

    same(&again, &first)?;
    same(case.job("a").await?, before)
}

/// S2.2, R5.1 A take is answered with its open start although the job is cancelled.
pub async fn a_take_answers_the_same_start_after_a_cancel(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let first = case.take_as("s1", "t").await?;
    case.cancel("a").await?;

    let again = case.take_as("s1", "t").await?;

    same(again, first)
}

/// S2.6 An idle take decides anew.
pub async fn an_idle_take_decides_anew(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let idle = case.take_as("s1", "t").await?;
    case.make(job("a")).await?;

    let again = case.take_as("s1", "t").await?;

    same(idle, TakeReply::Idle { ready_at: None })?;
    same(matches!(again, TakeReply::Started(_)), true)
}

/// S2.2, R9.4 A take of a session that was reaped is gone.
pub async fn a_take_of_a_reaped_session_is_gone(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.take_as("s1", "t").await?;
    case.reap("s1").await?;

    same(case.take_as("s1", "t").await?, TakeReply::Gone)
}

/// S2.2 Tickets of different sessions are different tickets.
pub async fn a_ticket_is_a_name_within_its_session(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    case.take_as("s1", "t").await?;

    let other = case.take_as("s2", "t").await?;

    match other {
        TakeReply::Started(started) => same(started.start.job.as_str(), "b"),
        other => unlike(&other, "Started"),
    }
}

/// S2.3 An outcome is stored once, with the same ending each time.
pub async fn b17_an_outcome_sent_again_is_stored_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let first = case.run_one("s1", done("x")).await?;
    let last = case.run_one("s1", done("y")).await?;
    let before = (case.job("a").await?, case.stats().await?);
    case.advance(SECOND);

    let inner = case.finish(&first, done("x")).await?;
    let ending_one = case.finish(&last, done("y")).await?;

    same(ending(&inner)?, None)?;
    same(ending(&ending_one)?, Some(JobStatus::Done))?;
    same((case.job("a").await?, case.stats().await?), before)
}

/// S2.3, R9.4 An outcome is known again after its session was reaped.
pub async fn an_outcome_is_known_after_the_reap(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.run_one("s1", done("x")).await?;
    case.reap("s1").await?;

    let again = case.finish(&start, done("x")).await?;

    same(ending(&again)?, Some(JobStatus::Done))
}

/// S2.4 A busy answer is kept once, until a later start is answered.
pub async fn a_busy_answer_sent_again_counts_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.run_one("s1", busy(SECOND)).await?;
    let before = case.target("a", 0).await?;
    case.advance(SECOND / 2);

    let again = case.finish(&start, busy(SECOND)).await?;

    same(ending(&again)?, None)?;
    same(case.target("a", 0).await?, before)?;
    same(case.stats().await?.counters.targets_retried_later, 1)
}

/// S2.4 A hand-back is known again while a later start runs, and no longer once that is answered.
pub async fn a_hand_back_is_known_until_a_later_answer(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let first = case.run_one("s1", hand_back(Duration::ZERO)).await?;
    let second = case.start("s1").await?.start;

    let while_running = case.finish(&first, hand_back(Duration::ZERO)).await?;
    case.settle(&second, busy(SECOND)).await?;
    let after = case.finish(&first, hand_back(Duration::ZERO)).await?;

    same(ending(&while_running)?, None)?;
    same(after, FinishReply::Superseded)
}

/// S2.4 Once the outcome of a later start is stored, an earlier busy answer is superseded.
pub async fn a_busy_answer_before_the_outcome_is_superseded(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let first = case.run_one("s1", busy(Duration::ZERO)).await?;
    case.run_one("s1", done("x")).await?;

    let late = case.finish(&first, busy(Duration::ZERO)).await?;

    same(late, FinishReply::Superseded)
}

/// S2.4, R9.6 A refusal tells the same ending again.
pub async fn a_refusal_sent_again_tells_the_same_ending(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.finish(&start, Answer::Refuse).await?;

    let again = case.finish(&start, Answer::Refuse).await?;

    same(ending(&again)?, Some(JobStatus::Failed))?;
    same(case.stats().await?.counters.jobs_failed, 1)
}

/// S2.3, S7.3 Of an evicted job only the finish that ended it is known.
pub async fn of_an_evicted_job_the_ending_finish_is_known(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let first = case.run_one("s1", done("x")).await?;
    let last = case.run_one("s1", done("y")).await?;
    case.make(job("b")).await?;
    case.advance(SECOND);
    case.run_one("s1", done("z")).await?;
    case.evict(0).await?;

    let inner = case.finish(&first, done("x")).await?;
    let ending_one = case.finish(&last, done("y")).await?;

    same(inner, FinishReply::NotFound)?;
    same(ending(&ending_one)?, Some(JobStatus::Done))
}

/// S2.5 A cancel is `Cancelled` again for the same request.
pub async fn a_cancel_is_cancelled_again(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    let first = case.cancel_as("a", "r").await?;
    let before = (case.job("a").await?, case.stats().await?);
    case.advance(SECOND);

    let again = case.cancel_as("a", "r").await?;

    same(again, CancelReply::Cancelled { created_at: START })?;
    same(again, first)?;
    same((case.job("a").await?, case.stats().await?), before)
}

/// S2.5 A request that did not cancel never says so later.
pub async fn a_cancel_that_came_late_stays_already(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;

    let first = case.cancel_as("a", "r").await?;
    let again = case.cancel_as("a", "r").await?;

    let already = CancelReply::Already {
        status: JobStatus::Done,
    };
    same((first, again), (already, already))
}

/// S2.6 A sweep that is sent again goes on from where it is.
pub async fn a_sweep_sent_again_decides_anew(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);

    let first = case.sweep().await?;
    let again = case.sweep().await?;

    same((first.jobs, again.jobs), (1, 0))?;
    same(case.stats().await?.live, 0)
}
