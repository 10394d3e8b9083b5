//! How what came of a try reaches the store, and what follows from its reply.

use std::sync::atomic::AtomicU64;

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
    let Tried {
        answer,
        error,
        took,
    } = tried;
    let finish = Finish {
        start: taken.started.start,
        answer,
        elapsed: took,
        now: shared.now(),
    };
    let take = match send(shared, &finish).await {
        Ok((reply, take)) => {
            settle(shared, &finish, error.as_ref(), &reply);
            take
        }
        Err(refusal) => {
            give_in(shared, finish, error, &refusal).await;
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

/// A take with its reply.
type Answered = (Take, TakeReply);

/// R2.7: one call for both; a runner that closes takes nothing more.
async fn send(shared: &Shared, finish: &Finish) -> StoreResult<(FinishReply, Option<Answered>)> {
    let job = &finish.start.job;
    if shared.signals.closing.is_cancelled() {
        let sent = shared.send(("finish", job), || shared.store.finish(finish.clone()));
        return sent.await.map(|reply| (reply, None));
    }
    let take = shared.take_call();
    let turn = || {
        let (finish, take) = (finish.clone(), take.clone());
        shared.store.turn(Turn { finish, take })
    };
    match shared.send(("turn", job), turn).await {
        Ok(reply) => Ok((reply.finish, Some((take, reply.take)))),
        Err(error) => {
            shared.drop_ticket(&take.ticket);
            Err(error)
        }
    }
}

/// R8.3: a failure instead of the outcome, else a hand-back, each sent once.
async fn give_in(shared: &Shared, finish: Finish, held: Option<Held>, refusal: &StoreError) {
    let refused = matches!(
        refusal.kind(),
        StoreErrorKind::Full | StoreErrorKind::Invalid
    );
    let outcome = matches!(finish.answer, Answer::Done { .. } | Answer::Failed { .. });
    if !refused || !outcome {
        return;
    }
    // What had no room may have been the take of the turn, not the outcome.
    if sent_once(shared, &finish, held.as_ref()).await {
        return;
    }
    add(&shared.tally.not_stored);
    let failed = Answer::Failed {
        error: NOT_STORED.to_owned(),
        hint: None,
    };
    let back = Answer::HandBack {
        wait: shared.config.retry_wait,
    };
    let held = Held::new(TargetError::new(NOT_STORED));
    let (start, elapsed) = (finish.start, finish.elapsed);
    for answer in [failed, back] {
        let finish = Finish {
            start: start.clone(),
            answer,
            elapsed,
            now: shared.now(),
        };
        if sent_once(shared, &finish, Some(&held)).await {
            return;
        }
    }
}

/// Sends a finish once; whether it was answered, and so settled.
async fn sent_once(shared: &Shared, finish: &Finish, held: Option<&Held>) -> bool {
    let call = shared.store.finish(finish.clone());
    let reply = shared.send_once(("finish", &finish.start.job), call).await;
    reply.is_ok_and(|reply| {
        settle(shared, finish, held, &reply);
        true
    })
}

/// Tells hooks, gauges and the eviction of what the store answered.
fn settle(shared: &Shared, finish: &Finish, held: Option<&Held>, reply: &FinishReply) {
    let job = &finish.start.job;
    match reply {
        FinishReply::Stored {
            ended,
            terminal_bytes,
        } => {
            match &finish.answer {
                Answer::Done { result } => shared.tell_target(None, finish.elapsed, result.len()),
                Answer::Failed { .. } => {
                    shared.tell_target(held.and_then(Held::get), finish.elapsed, 0);
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
