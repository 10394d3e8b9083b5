//! A worker: takes a target, tries it, delivers what came of it, and goes on (R2.1).

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use super::attempt::{Tried, attempt};
use super::deliver::deliver;
use super::shared::Shared;
use crate::caller::Caller;
use crate::id::Ticket;
use crate::store::StoreResult;
use crate::store::call::Take;
use crate::store::reply::{Started, TakeReply};
use crate::time::Timestamp;

/// A start in hand.
pub(super) struct Taken {
    pub(super) started: Started,
    pub(super) ticket: Ticket,
    /// The value that was submitted here. A cancel forgets it, but not of this start (R5.1).
    pub(super) caller: Option<Arc<dyn Caller>>,
}

/// How long a worker waits after a take that failed for good.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Works until the runner closes.
pub(super) async fn work(shared: Arc<Shared>) {
    let mut next = None;
    while let Some(taken) = match next.take() {
        Some(taken) => Some(taken),
        None => idle(&shared).await,
    } {
        next = one_target(&shared, taken).await;
    }
}

/// Tries one target; one that was taken while the runner closes goes back untried.
async fn one_target(shared: &Shared, taken: Taken) -> Option<Taken> {
    shared.gauges.job_lives(&taken.started.start.job);
    let tried = if shared.signals.closing.is_cancelled() {
        Tried::handed_back()
    } else {
        attempt(shared, &taken).await
    };
    deliver(shared, taken, tried).await
}

/// Waits for a target. Of all idle workers one asks the store (R2.6).
async fn idle(shared: &Shared) -> Option<Taken> {
    let closing = &shared.signals.closing;
    let _gate = closing.run_until_cancelled(shared.gate.lock()).await?;
    // Of two wake-ups at once in a row the second is no news: the wait is not skipped.
    let mut trusted = true;
    loop {
        if closing.is_cancelled() {
            return None;
        }
        // Registered before the take, so that no wake-up falls between both.
        let mut woken = std::pin::pin!(shared.store.wake(&shared.config.kind).fuse());
        let mut told = std::pin::pin!(shared.signals.takeable.notified());
        told.as_mut().enable();
        let early = (&mut woken).now_or_never().is_some() && trusted;
        trusted = !early;
        let (early, wait) = match take(shared).await {
            Ok(Next::Taken(taken)) => return Some(*taken),
            Ok(Next::Idle(ready_at)) => (early, shared.until(ready_at)),
            Ok(Next::Again) => continue,
            // A store that cannot answer may well go on waking: that is no news.
            Err(_) => (false, AFTER_FAILURE),
        };
        if !early {
            tokio::select! {
                biased;
                () = closing.cancelled() => return None,
                () = told => {}
                () = woken => {}
                () = shared.clock.sleep(wait) => {}
            }
        }
    }
}

/// What a take came to.
pub(super) enum Next {
    Taken(Box<Taken>),
    Idle(Option<Timestamp>),
    Again,
}

/// Asks the store for a target.
async fn take(shared: &Shared) -> StoreResult<Next> {
    let call = shared.take_call();
    let ticket = call.ticket.clone();
    let reply = shared
        .send("take", || shared.store.take(call.clone()))
        .await;
    match reply {
        Ok(reply) => Ok(shared.took(call, reply).await),
        Err(error) => {
            shared.drop_ticket(&ticket);
            Err(error)
        }
    }
}

impl Shared {
    /// A take under a new ticket.
    pub(super) fn take_call(&self) -> Take {
        Take {
            session: self.session_id(),
            ticket: self.draw_ticket(),
            now: self.now(),
        }
    }

    /// Keeps the books of a take's reply.
    pub(super) async fn took(&self, call: Take, reply: TakeReply) -> Next {
        match reply {
            TakeReply::Started(started) => {
                self.keep_ticket(&call.ticket, started.start.clone());
                Next::Taken(Box::new(Taken {
                    caller: self.gauges.caller(&started.start.job),
                    started: *started,
                    ticket: call.ticket,
                }))
            }
            TakeReply::Idle { ready_at } => {
                self.drop_ticket(&call.ticket);
                Next::Idle(ready_at)
            }
            TakeReply::Gone => {
                self.drop_ticket(&call.ticket);
                self.await_new_session(&call.session).await;
                Next::Again
            }
        }
    }

    /// How long an idle worker may wait before it asks again.
    fn until(&self, ready_at: Option<Timestamp>) -> Duration {
        let poll = self.config.poll;
        let due = ready_at.map_or(poll, |at| at.since(self.now()));
        // A target that is due now by this clock was not due by the take's.
        due.clamp(Duration::from_millis(1), poll.max(Duration::from_millis(1)))
    }
}
