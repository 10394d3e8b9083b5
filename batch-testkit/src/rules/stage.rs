//! Long lists are staged in chunks, invisible until their submit (R1.10).

use std::time::Duration;

use batch_core::limits::STAGE_LIFE;
use batch_core::store::call::NewTarget;
use batch_core::store::call::Stage;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::{StageReply, SubmitReply};

use crate::breach::{Verdict, same};
use crate::case::{Case, Request, job, just_before, target};

/// Targets `from..to` of a list.
fn chunk(from: u64, to: u64) -> Vec<NewTarget> {
    (from..to).map(|n| target(format!("u{n}"), "{}")).collect()
}

/// A submit of a list of three targets that are staged.
fn staged(id: &str) -> Request {
    job(id).with(chunk(0, 3)).staged()
}

/// R1.10 A list that is not there yet is asked for.
pub async fn a_list_that_is_not_there_is_asked_for(case: &mut Case<'_>) -> Verdict {
    let not_yet = case.submit(job("a").targets(5).not_yet()).await?;
    let staged = case.submit(job("a").targets(5).staged()).await?;

    same(not_yet, SubmitReply::Send)?;
    same(staged, SubmitReply::Send)?;
    same(case.find("a").await?, None)
}

/// R1.10 A staged list becomes a job with all its targets.
pub async fn a_staged_list_becomes_a_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.stage("a", "s1", 0, chunk(0, 2)).await?;
    case.stage("a", "s1", 2, chunk(2, 3)).await?;

    case.make(staged("a")).await?;

    let urls: Vec<_> = case.all_targets("a").await?;
    let urls: Vec<_> = urls.into_iter().map(|target| target.url).collect();
    same(urls, ["u0", "u1", "u2"].map(str::to_owned).to_vec())?;
    same(case.start("s1").await?.url, "u0".to_owned())
}

/// R1.10 A stage is invisible to every operation.
pub async fn a_stage_is_invisible(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;

    case.stage("a", "s1", 0, chunk(0, 3)).await?;

    same(case.find("a").await?, None)?;
    same(case.listed().await?, Vec::<String>::new())?;
    same(case.stats().await?.counters.jobs_submitted, 0)?;
    let idle = case.take("s1").await?;
    same(
        matches!(idle, batch_core::store::reply::TakeReply::Idle { .. }),
        true,
    )
}

/// R1.10 A stage with fewer rows than the total is asked for again.
pub async fn a_short_stage_is_asked_for_again(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.stage("a", "s1", 0, chunk(0, 2)).await?;

    let short = case.submit(staged("a")).await?;
    case.stage("a", "s1", 2, chunk(2, 3)).await?;

    same(short, SubmitReply::Send)?;
    case.make(staged("a")).await.map(|_| ())
}

/// R1.10, S2.6 A chunk sent again overwrites itself.
pub async fn a_chunk_sent_again_changes_nothing(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.stage("a", "s1", 0, chunk(0, 3)).await?;

    let again = case.stage("a", "s1", 0, chunk(0, 3)).await?;

    same(again, StageReply::Staged)?;
    case.make(staged("a")).await?;
    same(case.all_targets("a").await?.len(), 3)
}

/// R1.10, S12.1 A chunk that leaves a gap breaks the contract.
pub async fn a_gap_is_invalid(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.stage("a", "s1", 0, chunk(0, 1)).await?;
    let gap = Stage {
        id: "a".into(),
        session: "s1".into(),
        first: 2,
        targets: chunk(2, 3),
        now: case.now(),
    };

    let answer = case.store().stage(gap).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)
}

/// R1.10 An id with a job takes no more chunks.
pub async fn a_chunk_for_a_job_is_refused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;

    let reply = case.stage("a", "s1", 0, chunk(0, 1)).await?;

    same(reply, StageReply::IdTaken)
}

/// R1.10 A stage belongs to its session.
pub async fn a_foreign_stage_is_taken(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.stage("a", "s1", 0, chunk(0, 2)).await?;

    let reply = case.stage("a", "s2", 0, chunk(0, 1)).await?;

    same(reply, StageReply::IdTaken)?;
    case.stage("a", "s1", 2, chunk(2, 3)).await?;
    case.make(staged("a")).await.map(|_| ())
}

/// R1.10 Nobody stages for a session that is gone.
pub async fn a_session_that_is_gone_cannot_stage(case: &mut Case<'_>) -> Verdict {
    let reply = case.stage("a", "nobody", 0, chunk(0, 1)).await?;

    same(reply, StageReply::Gone)
}

/// R1.10, R9.4 A reaped session's stage is abandoned.
pub async fn a_reaped_stage_is_abandoned(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.stage("a", "s1", 0, chunk(0, 3)).await?;
    case.reap("s1").await?;

    let lost = case.submit(staged("a")).await?;
    case.stage("a", "s2", 0, chunk(0, 3)).await?;

    same(lost, SubmitReply::Send)?;
    case.make(staged("a")).await.map(|_| ())
}

/// R1.10 An hour after its last chunk a stage is abandoned, one millisecond earlier it is not.
pub async fn a_stage_lives_an_hour(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let almost = just_before(STAGE_LIFE);
    case.stage("a", "s1", 0, chunk(0, 3)).await?;
    case.stage("b", "s1", 0, chunk(0, 3)).await?;

    case.advance(almost);
    case.sweep().await?;
    case.make(staged("a")).await?;
    case.advance(Duration::from_millis(1));

    let late = case.submit(staged("b").fresh()).await?;
    same(late, SubmitReply::Send)
}

/// R1.10 A chunk begins the stage's hour anew.
pub async fn a_chunk_renews_its_stage(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.stage("a", "s1", 0, chunk(0, 2)).await?;
    case.advance(just_before(STAGE_LIFE));
    case.stage("a", "s1", 2, chunk(2, 3)).await?;
    case.advance(just_before(STAGE_LIFE));
    case.sweep().await?;

    case.make(staged("a")).await.map(|_| ())
}

/// R1.10 More targets than a call may carry are refused.
pub async fn a_call_carries_at_most_a_thousand_targets(case: &mut Case<'_>) -> Verdict {
    case.make(job("full").with(chunk(0, 1_000))).await?;
    let call = case.call(&job("over").with(chunk(0, 1_001)));

    let answer = case.store().submit(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)
}

/// R1.10 More than 1 MiB in a call is refused, but one target may be larger.
pub async fn a_call_carries_at_most_a_mebibyte(case: &mut Case<'_>) -> Verdict {
    let half = target("x".repeat(600 << 10), "{}");
    case.make(job("one").with(vec![target("y".repeat(2 << 20), "{}")]))
        .await?;
    let call = case.call(&job("two").with(vec![half.clone(), half]));

    let answer = case.store().submit(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)
}
