//! Outcomes are fenced: who may speak for a target, and once only (R9.1, S5).
//!
//! What a repeated call answers is in `resend.rs`.

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::Start;
use batch_core::store::reply::FinishReply;
use batch_core::store::view::Outcome;

use crate::breach::{Verdict, holds, same};
use crate::case::{Case, HOUR, busy, done, failed, hand_back, job};

/// S5.2, R9.1 A reaped start has lost its say.
pub async fn a_reaped_start_cannot_store(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let old = case.start("s1").await?.start;
    case.reap("s1").await?;

    let reply = case.finish(&old, done("late")).await?;

    same(reply, FinishReply::Superseded)?;
    same(case.target("a", 0).await?.status, TargetStatus::Pending)
}

/// S5.2, R9.1 Only the newest start may speak for its target.
pub async fn a_superseded_start_cannot_store(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    let old = case.start("s1").await?.start;
    case.reap("s1").await?;
    let new = case.start("s2").await?.start;

    let reply = case.finish(&old, done("late")).await?;

    same(reply, FinishReply::Superseded)?;
    same((old.fence, new.fence), (1, 2))?;
    case.settle(&new, done("new")).await
}

/// S5.2, R9.1 The outcome of the newest start stays, whoever comes late.
pub async fn b01_a_stale_owner_does_not_settle_twice(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").caller("ann").caps(1, 9)).await?;
    let old = case.start("s1").await?.start;
    case.reap("s1").await?;
    case.run_one("s2", done("B")).await?;

    let reply = case.finish(&old, done("A")).await?;

    same(reply, FinishReply::Superseded)?;
    same(
        case.target("a", 0).await?.outcome,
        Some(Outcome::Done {
            result: "\"B\"".to_owned(),
        }),
    )?;
    same(case.stats_of("", Some("ann")).await?.caller_live, 0)
}

/// S5.3 A second outcome of the same start that differs changes nothing.
pub async fn a_different_second_outcome_is_other(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.run_one("s1", done("first")).await?;

    let reply = case.finish(&start, failed("second")).await?;

    same(
        reply,
        FinishReply::Other {
            status: TargetStatus::Done,
            ended: None,
        },
    )?;
    same(case.job("a").await?.counts.failed, 0)
}

/// S5.3 A different second outcome of the start that ended the job is told so.
pub async fn other_tells_the_ending_of_its_own_start(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.run_one("s1", done("first")).await?;

    let reply = case.finish(&start, failed("second")).await?;

    match reply {
        FinishReply::Other { status, ended } => {
            same(status, TargetStatus::Done)?;
            same(ended.map(|ended| ended.status), Some(JobStatus::Done))
        }
        other => crate::breach::unlike(&other, "Other"),
    }
}

/// S5.1 An unknown job has no targets.
pub async fn an_unknown_job_is_not_found(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let start = start_of("s1", "nobody", 0, 1);

    let reply = case.finish(&start, done("x")).await?;

    same(reply, FinishReply::NotFound)
}

/// S5.1 An index past the end is no target.
pub async fn b17_an_index_past_the_end_is_not_found(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.start("s1").await?;

    let reply = case.finish(&start_of("s1", "a", 2, 1), done("x")).await?;
    let far = case
        .finish(&start_of("s1", "a", u64::MAX, 1), done("x"))
        .await?;

    same(reply, FinishReply::NotFound)?;
    same(far, FinishReply::NotFound)
}

/// S5.2 A target that was never started has no start to answer.
pub async fn b17_a_target_never_claimed_cannot_be_stored(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;

    let first = case.finish(&start_of("s1", "a", 0, 1), done("x")).await?;
    let zero = case.finish(&start_of("s1", "a", 1, 0), done("x")).await?;

    same(first, FinishReply::Superseded)?;
    same(zero, FinishReply::Superseded)?;
    same(case.job("a").await?.status, JobStatus::Queued)
}

/// S5.2 The session is part of a start's name.
pub async fn a_foreign_session_cannot_store(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a")).await?;
    let own = case.start("s1").await?.start;
    let foreign = Start {
        session: "s2".into(),
        ..own.clone()
    };

    let reply = case.finish(&foreign, done("x")).await?;

    same(reply, FinishReply::Superseded)?;
    case.settle(&own, done("own")).await
}

/// S5.2 The session is part of a start's name once its outcome is stored, too.
pub async fn a_foreign_session_cannot_repeat_an_outcome(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let own = case.run_one("s1", done("x")).await?;
    let foreign = Start {
        session: "s2".into(),
        ..own
    };

    let reply = case.finish(&foreign, done("x")).await?;

    same(reply, FinishReply::Superseded)
}

/// S5.2 The session is part of a start's name once it is answered busy, too.
pub async fn a_foreign_session_cannot_repeat_a_busy_answer(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let own = case.run_one("s1", busy(Duration::ZERO)).await?;
    let foreign = Start {
        session: "s2".into(),
        ..own
    };

    let reply = case.finish(&foreign, busy(Duration::ZERO)).await?;

    same(reply, FinishReply::Superseded)
}

/// S5.2 A fence that was not given yet is nobody's.
pub async fn a_future_fence_cannot_store(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let own = case.start("s1").await?.start;
    let future = Start {
        fence: own.fence + 1,
        ..own
    };

    let reply = case.finish(&future, done("x")).await?;

    same(reply, FinishReply::Superseded)
}

/// S5.2 A start that was answered busy has had its say.
pub async fn an_answer_after_busy_is_superseded(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.run_one("s1", busy(Duration::from_secs(1))).await?;

    let outcome = case.finish(&start, done("x")).await?;
    let longer = case.finish(&start, busy(Duration::from_secs(2))).await?;
    let back = case
        .finish(&start, hand_back(Duration::from_secs(1)))
        .await?;

    same(outcome, FinishReply::Superseded)?;
    same(longer, FinishReply::Superseded)?;
    same(back, FinishReply::Superseded)?;
    same(case.target("a", 0).await?.tries, 1)
}

/// R9.1 Slowness alone never refuses an outcome.
pub async fn a_slow_outcome_is_stored(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.advance(HOUR * 720);
    case.sweep().await?;

    case.settle(&start, done("slow")).await?;

    same(case.job("a").await?.status, JobStatus::Done)
}

/// R3.7, R9.1 The fence is the number of the target's starts.
pub async fn the_fence_grows_by_one_with_each_start(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;

    let first = case.run_one("s1", busy(Duration::ZERO)).await?;
    let second = case.run_one("s1", hand_back(Duration::ZERO)).await?;
    let third = case.start("s1").await?.start;

    same([first.fence, second.fence, third.fence], [1, 2, 3])?;
    holds(
        case.target("a", 0).await?.fence == 3,
        "the fence on the target's page",
    )
}

fn start_of(session: &str, id: &str, index: u64, fence: u64) -> Start {
    Start {
        session: session.into(),
        job: id.into(),
        index,
        fence,
    }
}
