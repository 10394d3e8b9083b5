//! Replies that are lost and futures that are dropped: whole or not at all (S1, S2).
//!
//! Each rule sends one call, loses it on the way and sends it again. After every
//! loss the store is recounted: the state is that before or that after the call.

use std::sync::Arc;

use batch_core::store::Store;
use batch_core::store::call::{Cancel, Enter, Evict, Reap, Renew, Stage, Sweep, Touch, Turn};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::{
    CancelReply, EnterReply, FinishReply, ReapReply, RenewReply, StageReply, SubmitReply,
    TakeReply, TouchReply,
};

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, HOUR, busy, done, job, target};
use crate::fault::{Fault, FaultStore, Often, Plan, drop_at_every_poll};

/// Sends a call until it ends, dropped at every poll, then with its reply lost, then as it is.
///
/// The last answer is what the rule judges.
macro_rules! lose {
    ($case:expr, $operation:ident, $call:expr) => {{
        let (store, call) = (Arc::clone($case.store()), $call);
        let send = || store.$operation(call.clone());
        let check = async || {
            $case.flush().await?;
            $case.recount().await
        };
        drop_at_every_poll(send, check).await??;
        let faulty = FaultStore::new(Arc::clone(&store));
        faulty.plan(lost_reply());
        let lost = faulty.$operation(call.clone()).await;
        same($case.error_of(lost)?, StoreErrorKind::Unknown)?;
        $case.recount().await?;
        let answer = store.$operation(call).await?;
        $case.recount().await?;
        answer
    }};
}

fn lost_reply() -> Plan {
    Plan {
        operation: None,
        call: 1,
        often: Often::Once,
        fault: Fault::After,
    }
}

/// S1.1, S2.1 A lost submit made one job.
pub async fn b08_a_lost_submit_makes_one_job(case: &mut Case<'_>) -> Verdict {
    let call = case.call(&job("a").targets(3));

    let reply = lose!(case, submit, call);

    same(matches!(reply, SubmitReply::Created { .. }), true)?;
    same(case.stats().await?.counters.jobs_submitted, 1)
}

/// S1.1 A refused submit that is lost leaves nothing.
pub async fn a_lost_refusal_leaves_nothing(case: &mut Case<'_>) -> Verdict {
    let call = case.call(&job("a").caps(0, 0));

    let reply = lose!(case, submit, call);

    same(reply, SubmitReply::CallerBusy)?;
    same(case.listed().await?, Vec::<String>::new())
}

/// S1.1, R1.10 A lost chunk is staged once.
pub async fn a_lost_chunk_is_staged_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let targets = vec![target("u0", "{}"), target("u1", "{}")];
    let call = Stage {
        id: "a".into(),
        session: "s1".into(),
        first: 0,
        targets: targets.clone(),
        now: case.now(),
    };

    let reply = lose!(case, stage, call);

    same(reply, StageReply::Staged)?;
    case.make(job("a").with(targets).staged()).await.map(|_| ())
}

/// S1.1 A lost enter makes one session.
pub async fn a_lost_enter_makes_one_session(case: &mut Case<'_>) -> Verdict {
    let call = Enter {
        session: "s1".into(),
        kind: <_>::default(),
        host: String::new(),
        beat_length: std::time::Duration::from_secs(2),
        now: case.now(),
    };

    let reply = lose!(case, enter, call);

    same(matches!(reply, EnterReply::Entered { .. }), true)?;
    same(case.sessions().await?.len(), 1)
}

/// S1.1 A lost renewal leaves a session that goes on beating.
pub async fn a_lost_renewal_goes_on_beating(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let call = Renew {
        session: "s1".into(),
        now: case.now(),
    };

    let reply = lose!(case, renew, call);

    match reply {
        RenewReply::Beat { beat, .. } => same(beat >= 4, true),
        RenewReply::Gone => unlike(&reply, "Beat"),
    }
}

/// S1.1, S2.2 A lost take starts one target.
pub async fn a_lost_take_starts_one_target(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(3)).await?;
    let call = case.take_call("s1", "t");

    let reply = lose!(case, take, call);

    match reply {
        TakeReply::Started(started) => same((started.start.index, started.start.fence), (0, 1))?,
        other => return unlike(&other, "Started"),
    }
    same(case.job("a").await?.counts.running, 1)
}

/// S1.1, S2.3 A lost outcome is stored once.
pub async fn a_lost_outcome_is_stored_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    let call = case.finish_call(&start, done("x"));

    let reply = lose!(case, finish, call);

    same(
        matches!(reply, FinishReply::Stored { ended: Some(_), .. }),
        true,
    )?;
    let counters = case.stats().await?.counters;
    same((counters.targets_done, counters.jobs_done), (1, 1))
}

/// S1.1, S2.4 A lost busy answer is one try.
pub async fn b20_a_lost_busy_answer_is_one_try(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    let call = case.finish_call(&start, busy(HOUR));

    let reply = lose!(case, finish, call);

    same(
        matches!(reply, FinishReply::Stored { ended: None, .. }),
        true,
    )?;
    same(case.target("a", 0).await?.tries, 1)?;
    same(case.stats().await?.counters.targets_retried_later, 1)
}

/// S1.1, R2.7 A lost turn stores one outcome and starts one target.
pub async fn a_lost_turn_stores_and_starts_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3)).await?;
    let start = case.start("s1").await?.start;
    let call = Turn {
        finish: case.finish_call(&start, done("x")),
        take: case.take_call("s1", "t"),
    };

    let reply = lose!(case, turn, call);

    same(
        matches!(reply.finish, FinishReply::Stored { ended: None, .. }),
        true,
    )?;
    same(matches!(reply.take, TakeReply::Started(_)), true)?;
    let counts = case.job("a").await?.counts;
    same((counts.done, counts.running, counts.pending), (1, 1, 1))
}

/// S1.1, S2.5 A lost cancel cancels once.
pub async fn a_lost_cancel_cancels_once(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    let call = Cancel {
        id: "a".into(),
        request: "r".into(),
        now: case.now(),
    };

    let reply = lose!(case, cancel, call);

    same(matches!(reply, CancelReply::Cancelled { .. }), true)?;
    same(case.stats().await?.counters.jobs_cancelled, 1)
}

/// S1.1 A lost touch moves the lease once.
pub async fn a_lost_touch_moves_the_lease(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.advance(HOUR / 2);
    let now = case.now();
    let call = Touch {
        id: "a".into(),
        now,
    };

    let reply = lose!(case, touch, call);

    same(reply, TouchReply::Touched { lease: now })
}

/// S1.1, S2.6 A lost sweep takes each job away once.
pub async fn a_lost_sweep_takes_each_job_away_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    for id in ["a", "b", "c", "d"] {
        case.make(job(id)).await?;
        case.cancel(id).await?;
    }
    case.advance(HOUR);
    let now = case.now();
    let call = Sweep { now, max: 1 };

    lose!(case, sweep, call);
    case.sweep().await?;

    same(case.listed().await?, Vec::<String>::new())?;
    same(case.stats().await?.counters.jobs_swept, 4)
}

/// S1.1, S2.6 A lost eviction frees each job once.
pub async fn a_lost_eviction_frees_each_job_once(case: &mut Case<'_>) -> Verdict {
    for id in ["a", "b", "c", "d", "e"] {
        case.make(job(id)).await?;
        case.cancel(id).await?;
    }
    let call = Evict {
        kind: <_>::default(),
        max_bytes: 0,
        max: 1,
    };

    lose!(case, evict, call);
    case.evict(0).await?;

    same(case.stats().await?.counters.jobs_evicted, 4)
}

/// S1.1, S2.6 A lost reap takes each start back once.
pub async fn a_lost_reap_takes_each_start_back_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("pinned").pinned("s1")).await?;
    case.make(job("a").targets(2).width(2).max_losses(1))
        .await?;
    for _ in 0..3 {
        case.start("s1").await?;
    }
    let call = Reap {
        session: "s1".into(),
        beat: 1,
        now: case.now(),
        max: 1,
    };

    let reply = lose!(case, reap, call);
    case.reap("s1").await?;

    same(matches!(reply, ReapReply::Reaped { .. }), true)?;
    let counters = case.stats().await?.counters;
    same((counters.targets_failed, counters.jobs_failed), (2, 2))?;
    same(counters.sessions_reaped, 1)
}
