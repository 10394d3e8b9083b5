//! Calls that race, over two handles where the backend offers them (R1.6, S3, S4).
//!
//! Each rule starts all its calls on one barrier and judges what came of them.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use batch_core::store::call::{Cancel, Finish, Submit, Sweep, Touch};
use batch_core::store::reply::{CancelReply, FinishReply, SubmitReply, TakeReply, TouchReply};
use batch_core::store::{Store, StoreResult};
use tokio::sync::Barrier;
use tokio::task::{JoinHandle, JoinSet};

use crate::breach::{Failure, Verdict, same};
use crate::case::{Case, done, job};

const SECOND: Duration = Duration::from_secs(1);

/// Sends all submits at once, in turn over two handles.
async fn all_at_once(case: &Case<'_>, calls: Vec<Submit>) -> Verdict<Vec<SubmitReply>> {
    let handles = [Arc::clone(case.store()), case.second().await?];
    let barrier = Arc::new(Barrier::new(calls.len()));
    let mut tasks = JoinSet::new();
    for (call, store) in calls.into_iter().zip(handles.iter().cycle()) {
        let (store, barrier) = (Arc::clone(store), Arc::clone(&barrier));
        tasks.spawn(async move {
            barrier.wait().await;
            store.submit(call).await
        });
    }
    let mut replies = Vec::new();
    while let Some(reply) = tasks.join_next().await {
        replies.push(reply.map_err(|error| Failure::Harness(error.to_string()))??);
    }
    Ok(replies)
}

/// The reply of a call that ran beside another.
async fn joined<T>(call: JoinHandle<StoreResult<T>>) -> Verdict<T> {
    let ended = call.await;
    Ok(ended.map_err(|error| Failure::Harness(error.to_string()))??)
}

/// How many replies made a job.
fn created(replies: &[SubmitReply]) -> usize {
    let made = |reply: &&SubmitReply| matches!(reply, SubmitReply::Created { .. });
    replies.iter().filter(made).count()
}

/// R1.6, S3.1 Fifty identical submits at once make one job, and nobody hits a cap.
pub async fn b08_fifty_identical_submits_make_one_job(case: &mut Case<'_>) -> Verdict {
    let request = |n| job(&format!("{n}")).like("same").targets(3).caps(1, 1);
    let calls = (0..50).map(|n| case.call(&request(n))).collect();

    let replies = all_at_once(case, calls).await?;

    case.recount().await?;
    let ids = case.listed().await?;
    let found = |reply: &&SubmitReply| match reply {
        SubmitReply::Reused { id, .. } => ids.iter().any(|own| own == id.as_str()),
        _ => false,
    };
    same((ids.len(), created(&replies)), (1, 1))?;
    same(replies.iter().filter(found).count(), 49)
}

/// R1.6, S3.1 Sixty-four different submits never exceed a cap, and fill it exactly.
pub async fn b11_racing_submits_never_exceed_a_cap(case: &mut Case<'_>) -> Verdict {
    let request = |n: u32, caller| job(&format!("{caller}{n}")).caller(caller).caps(3, 5);
    let ann = (0..32).map(|n| request(n, "ann"));
    let bob = (0..32).map(|n| request(n, "bob"));
    let calls = ann.zip(bob).flat_map(|(a, b)| [a, b]);
    let calls = calls.map(|request| case.call(&request)).collect();

    let replies = all_at_once(case, calls).await?;

    case.recount().await?;
    same(created(&replies), 5)?;
    let ann = case.stats_of("", Some("ann")).await?.caller_live;
    let bob = case.stats_of("", Some("bob")).await?.caller_live;
    same((ann + bob, ann.max(bob)), (5, 3))?;
    let id = case.listed().await?.swap_remove(0);
    case.cancel(&id).await?;
    case.make(job("next").caller("cat").caps(3, 5)).await?;
    let over = case.submit(job("over").caller("dan").caps(3, 5)).await?;
    same(over, SubmitReply::Busy)
}

/// R2.2, S4.3 Many takers at once start no target twice, and no serial job twice.
pub async fn b02_many_takers_start_no_target_twice(case: &mut Case<'_>) -> Verdict {
    for n in 0..10 {
        case.make(job(&format!("{n}")).targets(4)).await?;
    }
    let handles = [Arc::clone(case.store()), case.second().await?];
    let mut tasks = JoinSet::new();
    for n in 0..8 {
        case.enter(&format!("s{n}")).await?;
    }
    for (n, store) in (0..8).zip(handles.iter().cycle()) {
        let calls = Taker::new(case, n);
        tasks.spawn(calls.drain(Arc::clone(store)));
    }

    let mut ran = Vec::new();
    while let Some(own) = tasks.join_next().await {
        ran.extend(own.map_err(|error| Failure::Harness(error.to_string()))??);
    }

    case.recount().await?;
    let distinct: BTreeSet<_> = ran.iter().cloned().collect();
    let stats = case.stats().await?;
    same((ran.len(), distinct.len()), (40, 40))?;
    same((stats.live, stats.counters.jobs_done), (0, 10))
}

/// One session that takes and finishes until nothing is left.
struct Taker {
    session: String,
    take: batch_core::store::call::Take,
}

impl Taker {
    fn new(case: &Case<'_>, n: u32) -> Self {
        let session = format!("s{n}");
        let take = case.take_call(&session, "");
        Self { session, take }
    }

    /// Takes until idle while no other taker holds a start that may free a job.
    async fn drain(self, store: Arc<dyn Store>) -> Verdict<Vec<(String, u64)>> {
        let mut ran = Vec::new();
        for n in 0_u32.. {
            let mut take = self.take.clone();
            take.ticket = format!("{}-{n}", self.session).into();
            let now = take.now;
            match store.take(take).await? {
                TakeReply::Started(started) => {
                    let start = started.start;
                    ran.push((start.job.to_string(), start.index));
                    let finish = Finish {
                        start,
                        answer: done("x"),
                        elapsed: Duration::ZERO,
                        now,
                    };
                    store.finish(finish).await?;
                }
                TakeReply::Idle { .. } if all_ended(store.as_ref()).await? => break,
                TakeReply::Idle { .. } => tokio::task::yield_now().await,
                TakeReply::Gone => return Err(Failure::broken("Started or Idle", "Gone")),
            }
        }
        Ok(ran)
    }
}

async fn all_ended(store: &dyn Store) -> Verdict<bool> {
    let call = batch_core::store::query::StatsQuery {
        kind: batch_core::id::Kind::default(),
        caller: None,
    };
    Ok(store.stats(call).await?.kind.live == 0)
}

/// R4.1, R5.1, S1.1 A cancel races the last outcome: one of them ends the job, and both replies agree.
pub async fn b14_a_cancel_races_the_last_outcome(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let mut cancelled = 0;
    for n in 0..25 {
        let id = format!("{n}");
        case.make(job(&id)).await?;
        let start = case.start("s1").await?.start;
        let (one, two) = (Arc::clone(case.store()), case.second().await?);
        let finish = case.finish_call(&start, done("x"));
        let cancel = Cancel {
            id: id.as_str().into(),
            request: "r".into(),
            now: case.now(),
        };

        let stored = tokio::spawn(async move { one.finish(finish).await });
        let asked = tokio::spawn(async move { two.cancel(cancel).await });
        let stored = joined(stored).await?;
        let asked = joined(asked).await?;

        let by_outcome = matches!(stored, FinishReply::Stored { ended: Some(_), .. });
        let by_cancel = matches!(asked, CancelReply::Cancelled { .. });
        same(by_outcome, !by_cancel)?;
        let status = case.job(&id).await?.status;
        same(status == batch_core::state::JobStatus::Cancelled, by_cancel)?;
        cancelled += u64::from(by_cancel);
        case.recount().await?;
    }
    same(case.stats().await?.counters.jobs_cancelled, cancelled)
}

/// R6.4, S6.1, S1.1 A touch races the sweep: the job stays with its new lease, or it is gone whole.
pub async fn b23_a_touch_races_the_sweep(case: &mut Case<'_>) -> Verdict {
    for n in 0..25 {
        let id = format!("{n}");
        case.make(job(&id).ttl(SECOND)).await?;
        case.cancel(&id).await?;
        case.advance(SECOND);
        let (one, two) = (Arc::clone(case.store()), case.second().await?);
        let now = case.now();
        let touch = Touch {
            id: id.as_str().into(),
            now,
        };
        let sweep = Sweep { now, max: 10 };

        let touched = tokio::spawn(async move { one.touch(touch).await });
        let swept = tokio::spawn(async move { two.sweep(sweep).await });
        let touched = joined(touched).await?;
        let swept = joined(swept).await?;

        let kept = touched == TouchReply::Touched { lease: now };
        let lease = case.find(&id).await?.map(|job| job.lease);
        same((swept.jobs, lease), (u64::from(!kept), kept.then_some(now)))?;
        case.advance(SECOND);
        case.sweep().await?;
    }
    same(case.listed().await?, Vec::<String>::new())
}
