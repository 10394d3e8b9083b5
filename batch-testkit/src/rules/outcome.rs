//! What a stored outcome is, and how the last one ends the job (R3.3, R4, R13).

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::Answer;
use batch_core::store::reply::{Ending, FinishReply};
use batch_core::store::view::Outcome;

use crate::breach::{Verdict, same};
use crate::case::{Case, START, done, failed, job};

/// R3.3, R6.2 A result is kept with all that is told about it.
pub async fn a_result_is_kept_with_its_circumstances(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.advance(Duration::from_secs(1));
    let text = case.markers().text("result");

    case.run_one("s1", done(&text)).await?;

    let target = case.target("a", 0).await?;
    let result = format!("\"{text}\"");
    same(target.status, TargetStatus::Done)?;
    same(target.outcome, Some(Outcome::Done { result }))?;
    same(target.stored_at, Some(case.now()))?;
    same(target.elapsed, Some(Duration::from_millis(125)))?;
    same(target.session, Some("s1".into()))
}

/// R3.3 An error is kept with its hint.
pub async fn an_error_is_kept_with_its_hint(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let error = case.markers().text("error");
    let hint = Some(case.markers().text("hint"));
    let answer = Answer::Failed {
        error: error.clone(),
        hint: hint.clone(),
    };

    case.run_one("s1", answer).await?;

    let target = case.target("a", 0).await?;
    same(target.outcome, Some(Outcome::Failed { error, hint }))
}

/// R3.3, S9.1 No hint and an empty hint stay apart.
pub async fn an_empty_hint_is_a_hint(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let hint = Some(String::new());
    let error = String::new();

    case.run_one(
        "s1",
        Answer::Failed {
            error: error.clone(),
            hint: hint.clone(),
        },
    )
    .await?;

    same(
        case.target("a", 0).await?.outcome,
        Some(Outcome::Failed { error, hint }),
    )
}

/// R4.1 All done ends the job done.
pub async fn all_done_is_done(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", done("x")).await?;

    case.run_one("s1", done("x")).await?;

    let ended = case.job("a").await?;
    same((ended.status, ended.error), (JobStatus::Done, None))
}

/// R4.1 All failed ends the job failed.
pub async fn all_failed_is_failed(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", failed("x")).await?;

    case.run_one("s1", failed("x")).await?;

    let ended = case.job("a").await?;
    same((ended.status, ended.error), (JobStatus::Failed, None))
}

/// R4.1 A mix ends the job partial.
pub async fn a_mix_is_partial(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", failed("x")).await?;

    case.run_one("s1", done("x")).await?;

    same(case.job("a").await?.status, JobStatus::Partial)
}

/// R4.2 Only the finish that made the transition is told the ending.
pub async fn b16_one_finish_is_told_the_ending(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).width(2)).await?;
    let first = case.start("s1").await?.start;
    let last = case.start("s1").await?.start;
    case.advance(Duration::from_secs(1));

    let earlier = case.finish(&first, done("x")).await?;
    let ending = case.finish(&last, done("x")).await?;

    let told = |reply: FinishReply| match reply {
        FinishReply::Stored { ended, .. } => ended,
        _ => None,
    };
    let expected = Ending {
        status: JobStatus::Done,
        created_at: START,
    };
    same(told(earlier), None)?;
    same(told(ending), Some(expected))?;
    same(case.job("a").await?.finished_at, Some(case.now()))
}

/// R4.1, S7.1 The reply tells the bytes of the kind's ended jobs.
pub async fn the_reply_tells_the_terminal_bytes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let first = case.start("s1").await?.start;
    let reply = case.finish(&first, done("x")).await?;
    let last = case.start("s1").await?.start;
    let ending = case.finish(&last, done("x")).await?;

    let told = |reply: FinishReply| match reply {
        FinishReply::Stored { terminal_bytes, .. } => terminal_bytes,
        _ => u64::MAX,
    };
    same(told(reply), 0)?;
    same(told(ending), case.job("a").await?.bytes)
}

/// R13.1 Outcomes are read in the order in which they were stored, from 0.
pub async fn outcomes_are_read_in_the_order_stored(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(3)).await?;
    let zero = case.start("s1").await?.start;
    case.start("s1").await?;
    let two = case.start("s1").await?.start;
    case.settle(&two, done("x")).await?;
    case.settle(&zero, failed("x")).await?;

    let stored = case.stored("a").await?;

    let order: Vec<_> = stored.iter().map(|t| (t.index, t.ordinal)).collect();
    same(order, vec![(2, Some(0)), (0, Some(1))])
}

/// R1.3 An outcome moves the lease, also of a job that has ended.
pub async fn an_outcome_moves_the_lease(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.cancel("a").await?;
    case.advance(Duration::from_secs(9));

    case.settle(&start, done("x")).await?;

    same(case.job("a").await?.lease, case.now())
}
