//! This runner's own session: how it begins, beats, and begins again (R9.2).

use std::sync::Arc;

use super::shared::{Renewed, Shared};
use crate::error::Error;
use crate::id::SessionId;
use crate::store::StoreResult;
use crate::store::call::{Answer, Enter, Finish, Renew};
use crate::store::query::JobQuery;
use crate::store::reply::{EnterReply, HeldStart, JobReply, RenewReply};
use std::time::Duration;

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
            EnterReply::Gone => {}
        }
    }
}

/// Renews the session every beat, and enters again when it is gone.
pub(super) async fn beat(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = shared.clock.sleep(shared.config.beat) => {}
            () = shared.signals.gone.notified() => {}
        }
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
                return_lost(&shared, starts);
                shared.spawn(check_one_job);
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

/// R9.2: starts of takes whose replies were lost go back.
fn return_lost(shared: &Arc<Shared>, starts: Vec<HeldStart>) {
    for held in starts {
        if shared.knows_ticket(&held.ticket) {
            continue;
        }
        let own = shared.clone();
        shared.tasks.background.spawn_on(
            async move {
                let call = Finish {
                    start: held.start,
                    answer: Answer::HandBack {
                        wait: Duration::ZERO,
                    },
                    elapsed: Duration::ZERO,
                    now: own.now(),
                };
                // What fails here is found again by the next renewal.
                let _ = own.send_once("finish", own.store.finish(call)).await;
                own.signals.takeable.notify_one();
            },
            &shared.runtime,
        );
    }
}

/// R7.1: one job a beat is looked after, in case another process ended it.
async fn check_one_job(shared: Arc<Shared>) {
    let Some(id) = shared.gauges.next_to_check() else {
        return;
    };
    let reply = shared
        .send_once("job", shared.store.job(JobQuery::Id(id.clone())))
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
