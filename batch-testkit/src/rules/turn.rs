//! A finish and a take in one call give the replies of the pair (R2.7).

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::reply::{FinishReply, TakeReply, TurnReply};

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, busy, done, hand_back, job};

/// The job and the index that the take part started.
fn started(reply: &TurnReply) -> Verdict<(&str, u64)> {
    match &reply.take {
        TakeReply::Started(started) => Ok((started.start.job.as_str(), started.start.index)),
        other => unlike(other, "Started"),
    }
}

/// R2.7 A turn stores the outcome and starts the next target.
pub async fn a_turn_stores_and_takes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.make(job("b")).await?;
    let start = case.start("s1").await?.start;

    let reply = case.turn(&start, done("x"), "t").await?;

    same(
        matches!(reply.finish, FinishReply::Stored { ended: None, .. }),
        true,
    )?;
    same(started(&reply)?, ("b", 0))?;
    same(case.rotation().await?, vec!["a".to_owned()])
}

/// R2.7 A turn tells the ending of its finish, and takes from another job.
pub async fn a_turn_tells_the_ending(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;

    let reply = case.turn(&start, done("x"), "t").await?;

    match reply.finish {
        FinishReply::Stored { ended, .. } => {
            same(ended.map(|ended| ended.status), Some(JobStatus::Done))?;
        }
        other => return unlike(&other, "Stored"),
    }
    same(reply.take, TakeReply::Idle { ready_at: None })
}

/// R2.7 The take part runs whatever the finish part was refused for.
pub async fn the_take_runs_after_a_refused_finish(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.make(job("b")).await?;
    let mut start = case.start("s1").await?.start;
    start.fence = 9;

    let reply = case.turn(&start, done("x"), "t").await?;

    same(&reply.finish, &FinishReply::Superseded)?;
    same(started(&reply)?, ("b", 0))
}

/// R2.7, S2.2, S2.3 A turn sent again gives the same two replies and changes nothing.
pub async fn a_turn_sent_again_gives_the_same_replies(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3)).await?;
    let start = case.start("s1").await?.start;
    let first = case.turn(&start, done("x"), "t").await?;
    let before = case.job("a").await?;

    let again = case.turn(&start, done("x"), "t").await?;

    same(again, first)?;
    same(case.job("a").await?, before)
}

/// R2.7, S2.4 A turn whose own take restarts the target that it handed back may be sent again.
pub async fn a_turn_may_restart_what_it_handed_back(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    let first = case.turn(&start, hand_back(Duration::ZERO), "t").await?;

    let again = case.turn(&start, hand_back(Duration::ZERO), "t").await?;

    same(started(&first)?, ("a", 0))?;
    same(again, first)
}

/// R2.7, R2.5 A busy turn leaves its job waiting.
pub async fn a_busy_turn_tells_when_to_come_back(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    let wait = Duration::from_secs(1);

    let reply = case.turn(&start, busy(wait), "t").await?;

    let ready_at = Some(case.now().after(wait));
    same(reply.take, TakeReply::Idle { ready_at })
}

/// R2.7, R9.4 The take part of a session that is gone is gone.
pub async fn a_turn_of_a_reaped_session_is_gone(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.reap("s1").await?;

    let reply = case.turn(&start, done("x"), "t").await?;

    same(reply.finish, FinishReply::Superseded)?;
    same(reply.take, TakeReply::Gone)
}

/// R2.7 A fused turn leaves the state of the pair.
pub async fn a_fused_turn_leaves_the_state_of_the_pair(case: &mut Case<'_>) -> Verdict {
    let mut fused = Vec::new();
    let mut pair = Vec::new();
    case.enter_kind("s1", "fused").await?;
    case.enter_kind("s2", "pair").await?;
    for kind in ["fused", "pair"] {
        case.make(job(&format!("{kind} a")).targets(2).kind(kind))
            .await?;
        case.make(job(&format!("{kind} b")).targets(2).kind(kind))
            .await?;
    }
    let mut one = case.start("s1").await?.start;
    let mut two = case.start("s2").await?.start;

    for ticket in ["1", "2", "3"] {
        let reply = case.turn(&one, done("x"), ticket).await?;
        fused.push(started(&reply)?.1);
        if let TakeReply::Started(next) = reply.take {
            one = next.start;
        }
        case.settle(&two, done("x")).await?;
        two = case.start("s2").await?.start;
        pair.push(two.index);
    }

    same(fused, pair)?;
    let counts = |stats: batch_core::store::reply::Stats| stats.kind.counters;
    same(
        counts(case.stats_of("fused", None).await?),
        counts(case.stats_of("pair", None).await?),
    )
}
