//! This runner's own session: how it begins, beats, and begins again (R9.2).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use super::shared::{Renewed, Shared};
use crate::error::Error;
use crate::id::{SessionId, Ticket};
use crate::store::StoreResult;
use crate::store::call::{Answer, Enter, Finish, Renew, Start};
use crate::store::query::JobQuery;
use crate::store::reply::{EnterReply, FinishReply, HeldStart, JobReply, RenewReply};

/// Enters the store under a new id.
pub(super) async fn enter(shared: &Shared) -> Result<(), Error> {
    loop {
        let session = SessionId::random();
        let call = Enter {
            session: session.clone(),
            kind: shared.config.kind.clone(),
            host: shared.config.host.clone(),
            beat_length: shared.config.beat,
            now: shared.now(),
        };
        match shared
            .send("enter", || shared.store.enter(call.clone()))
            .await?
        {
            EnterReply::Entered { store_time } => {
                shared.set_store_time(store_time);
                shared.renewed.send_modify(|renewed| renewed.beat = 1);
                shared.session.send_replace(session);
                return Ok(());
            }
            // A new id that was given up already: the store is not to be hurried.
            EnterReply::Gone => shared.clock.sleep(shared.config.beat).await,
        }
    }
}

/// Renews the session every beat, and enters again when it is gone.
pub(super) async fn beat(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            biased;
            () = shared.signals.gone.notified() => {}
            () = shared.clock.sleep(shared.config.beat) => {}
        }
        let known = shared.known_tickets();
        match renew(&shared).await {
            Ok(RenewReply::Beat {
                beat,
                starts,
                store_time,
            }) => {
                shared.set_store_time(store_time);
                shared.renewed.send_modify(|renewed| {
                    *renewed = Renewed {
                        count: renewed.count + 1,
                        beat,
                    };
                });
                let lost = lost(&shared, &known, starts);
                shared.spawn(|shared| look_after(shared, lost));
            }
            Ok(RenewReply::Gone) => {
                tracing::warn!("the session was given up as dead; entering again");
                // An error was logged; the next beat finds the session gone once more.
                let _ = enter(&shared).await;
            }
            // It was logged; the next beat follows soon.
            Err(_) => {}
        }
    }
}

/// One renewal; a late answer is worth no second sending, the next beat follows soon.
pub(super) async fn renew(shared: &Shared) -> StoreResult<RenewReply> {
    let call = Renew {
        session: shared.session_id(),
        now: shared.now(),
    };
    shared
        .send_for_a_beat("renew", shared.store.renew(call))
        .await
}

/// R9.2: the starts of takes whose replies were lost. A ticket that was known when the
/// renewal was sent may have been answered meanwhile.
fn lost(shared: &Shared, known: &HashSet<Ticket>, starts: Vec<HeldStart>) -> Vec<Start> {
    starts
        .into_iter()
        .filter(|held| !known.contains(&held.ticket) && !shared.knows_ticket(&held.ticket))
        .map(|held| held.start)
        .collect()
}

/// What follows a beat; never two at once, however slow the store is.
async fn look_after(shared: Arc<Shared>, lost: Vec<Start>) {
    let Ok(_only) = shared.upkeep.try_lock() else {
        return;
    };
    for start in lost {
        return_lost(&shared, start).await;
    }
    check_one_job(&shared).await;
}

/// What fails here is found again by the next renewal.
async fn return_lost(shared: &Shared, start: Start) {
    let id = start.job.clone();
    let call = Finish {
        start,
        answer: Answer::HandBack {
            wait: Duration::ZERO,
        },
        elapsed: Duration::ZERO,
        now: shared.now(),
    };
    let reply = shared
        .send_once(("finish", &id), shared.store.finish(call))
        .await;
    // R14.2: of a job that halts it may have been the last one in flight.
    if let Ok(FinishReply::Stored {
        ended: Some(ending),
        ..
    }) = reply
    {
        shared.tell_ended(&id, ending);
    }
    shared.signals.takeable.notify_one();
}

/// R7.1: one job a beat is looked after, in case another process ended it.
async fn check_one_job(shared: &Shared) {
    let Some(id) = shared.gauges.next_to_check() else {
        return;
    };
    let reply = shared
        .send_once(("job", &id), shared.store.job(JobQuery::Id(id.clone())))
        .await;
    let ended = match reply {
        Ok(JobReply::Found(job)) => job.status.is_terminal() && job.counts.running == 0,
        Ok(JobReply::NotFound) => true,
        Err(_) => false,
    };
    if ended {
        shared.gauges.job_ended(&id);
    }
}

impl Shared {
    /// Waits until a session that was found gone is replaced, or the runner closes.
    pub(super) async fn await_new_session(&self, gone: &SessionId) {
        self.signals.gone.notify_one();
        let mut session = self.session.subscribe();
        let replaced = session.wait_for(|now| now != gone);
        let _ = self.signals.closing.run_until_cancelled(replaced).await;
    }
}
