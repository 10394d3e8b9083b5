//! How what came of a try reaches the store, and what follows from its reply.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use super::attempt::{Held, Tried};
use super::shared::Shared;
use super::tally::add;
use super::worker::{Next, Taken};
use crate::fetch::TargetError;
use crate::store::StoreResult;
use crate::store::call::{Answer, Finish, Take, Turn};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::reply::{FinishReply, TakeReply};

/// What is stored instead of an outcome that the store refuses for good (R8.3).
const NOT_STORED: &str = "outcome not stored";

/// Stores an outcome or parks the target, and takes the next one in the same call.
///
/// The start stays in hand until it is answered: meanwhile this worker takes nothing.
pub(super) async fn deliver(shared: &Shared, taken: Taken, tried: Tried) -> Option<Taken> {
    let call = finish_call(shared, &taken, tried.answer.clone(), tried.took);
    let sent = if shared.signals.closing.is_cancelled() {
        let job = &call.start.job;
        let sent = shared.send_about("finish", job, || shared.store.finish(call.clone()));
        sent.await.map(|reply| (reply, None))
    } else {
        turn(shared, &call).await
    };
    let take = match sent {
        Ok((reply, take)) => {
            settle(shared, &taken, &tried, &reply);
            take
        }
        Err(error) => {
            give_in(shared, &taken, tried, call, &error).await;
            None
        }
    };
    shared.drop_ticket(&taken.ticket);
    // What is stored was told before: a session that is gone may be awaited for long.
    let (call, reply) = take?;
    match shared.took(call, reply).await {
        Next::Taken(taken) => Some(*taken),
        Next::Idle(_) | Next::Again => None,
    }
}

fn finish_call(shared: &Shared, taken: &Taken, answer: Answer, elapsed: Duration) -> Finish {
    Finish {
        start: taken.started.start.clone(),
        answer,
        elapsed,
        now: shared.now(),
    }
}

/// A take with its reply.
type Answered = (Take, TakeReply);

/// R2.7: one call for both.
async fn turn(shared: &Shared, finish: &Finish) -> StoreResult<(FinishReply, Option<Answered>)> {
    let take = shared.take_call();
    let call = Turn {
        finish: finish.clone(),
        take: take.clone(),
    };
    let job = &finish.start.job;
    match shared
        .send_about("turn", job, || shared.store.turn(call.clone()))
        .await
    {
        Ok(reply) => Ok((reply.finish, Some((take, reply.take)))),
        Err(error) => {
            shared.drop_ticket(&take.ticket);
            Err(error)
        }
    }
}

/// R8.3: a failure instead of the outcome, else a hand-back, each sent once.
async fn give_in(shared: &Shared, taken: &Taken, tried: Tried, call: Finish, error: &StoreError) {
    let refused = matches!(error.kind(), StoreErrorKind::Full | StoreErrorKind::Invalid);
    let outcome = matches!(tried.answer, Answer::Done { .. } | Answer::Failed { .. });
    if !refused || !outcome {
        return;
    }
    // What had no room may have been the take of the turn, not the outcome.
    if let Ok(reply) = shared.send_once("finish", shared.store.finish(call)).await {
        return settle(shared, taken, &tried, &reply);
    }
    add(&shared.tally.not_stored);
    let failed = Answer::Failed {
        error: NOT_STORED.to_owned(),
        hint: None,
    };
    let back = Answer::HandBack {
        wait: shared.config.retry_wait,
    };
    for answer in [failed, back] {
        let tried = Tried {
            answer: answer.clone(),
            error: Some(Held::new(TargetError::new(NOT_STORED))),
            took: tried.took,
        };
        let call = finish_call(shared, taken, answer, tried.took);
        if let Ok(reply) = shared.send_once("finish", shared.store.finish(call)).await {
            return settle(shared, taken, &tried, &reply);
        }
    }
}

/// Tells hooks, gauges and the eviction of what the store answered.
fn settle(shared: &Shared, taken: &Taken, tried: &Tried, reply: &FinishReply) {
    let job = &taken.started.start.job;
    match reply {
        FinishReply::Stored {
            ended,
            terminal_bytes,
        } => {
            match &tried.answer {
                Answer::Done { result } => shared.tell_target(None, tried.took, result.len()),
                Answer::Failed { .. } => {
                    let error = tried.error.as_ref().and_then(Held::get);
                    shared.tell_target(error, tried.took, 0);
                }
                Answer::Busy { .. } | Answer::HandBack { .. } | Answer::Refuse => {}
            }
            if let Some(ending) = ended {
                shared.tell_ended(job, *ending);
            }
            if *terminal_bytes > shared.config.max_bytes {
                shared.signals.evict.notify_one();
            }
            shared.signals.takeable.notify_one();
        }
        FinishReply::Other { ended, .. } => {
            if let Some(ending) = ended {
                shared.tell_ended(job, *ending);
            }
        }
        FinishReply::Superseded | FinishReply::NotFound => {
            count_late(&shared.tally.superseded, job);
        }
    }
}

/// R9.1: a start that was taken away while it ran.
fn count_late(count: &AtomicU64, job: &crate::id::JobId) {
    add(count);
    tracing::warn!(job = %job, "an outcome came too late");
}
