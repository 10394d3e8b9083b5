//! How dead sessions are told from slow ones, and what they held is taken back (R9.3, R9.4).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::shared::Shared;
use crate::id::SessionId;
use crate::store::StoreResult;
use crate::store::call::Reap;
use crate::store::query::Sessions;
use crate::store::reply::{Ended, Ending, ReapReply};
use crate::store::view::{Session, SessionLock};

/// Sessions of one page.
const PAGE: u32 = 100;
/// Jobs and targets of one step of reap.
const STEP: u32 = 100;

/// What was seen of other sessions.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    seen: HashMap<SessionId, Seen>,
}

/// Since when a beat has stood still.
#[derive(Debug, Clone, Copy)]
struct Seen {
    beat: u64,
    renewals: u64,
    at: Duration,
}

impl Watcher {
    /// R9.3: whether a session is dead, by its lock, or by own renewals and own time.
    fn is_dead(&mut self, session: &Session, missed: u32, renewals: u64, at: Duration) -> bool {
        if session.lock == SessionLock::Free {
            return true;
        }
        let fresh = Seen {
            beat: session.beat,
            renewals,
            at,
        };
        let seen = self.seen.entry(session.id.clone()).or_insert(fresh);
        if seen.beat != session.beat {
            *seen = fresh;
        }
        let stood = at.saturating_sub(seen.at);
        renewals.saturating_sub(seen.renewals) >= u64::from(missed)
            && stood >= session.beat_length.saturating_mul(missed)
    }

    /// Forgets sessions that are no longer listed.
    fn keep_only(&mut self, listed: &[SessionId]) {
        self.seen.retain(|id, _| listed.contains(id));
    }
}

/// Looks for dead sessions at the start and after every renewal.
pub(super) async fn watch(shared: Arc<Shared>) {
    let mut renewed = shared.renewed.subscribe();
    loop {
        look(&shared).await;
        if renewed.changed().await.is_err() {
            return;
        }
    }
}

/// Reaps every session that is dead.
pub(super) async fn look(shared: &Shared) {
    // An error was logged; the next look finds what is left.
    let Ok(dead) = find_dead(shared).await else {
        return;
    };
    let before = shared.reaped.load(Ordering::Acquire);
    for session in dead {
        let _ = reap(shared, &session.id, session.beat).await;
    }
    if shared.reaped.load(Ordering::Acquire) != before {
        shared.signals.takeable.notify_one();
    }
}

/// Holds the watcher while it reads only: a reap calls hooks, which may submit (R7.3).
async fn find_dead(shared: &Shared) -> StoreResult<Vec<Session>> {
    let mut watcher = shared.watcher.lock().await;
    let (mut dead, mut listed, mut after) = (Vec::new(), Vec::new(), None);
    loop {
        let call = Sessions { after, max: PAGE };
        let page = shared
            .send_once("sessions", shared.store.sessions(call))
            .await?;
        // Both as of now: a read that took long has shown the beat of now.
        let (renewals, at) = (shared.renewed.borrow().count, shared.clock.elapsed());
        for session in page.sessions {
            listed.push(session.id.clone());
            let own = session.id == shared.session_id();
            if !own && watcher.is_dead(&session, shared.config.missed_beats, renewals, at) {
                dead.push(session);
            }
        }
        after = page.next;
        if after.is_none() {
            watcher.keep_only(&listed);
            return Ok(dead);
        }
    }
}

/// Takes back all that a session held, step by step; `false` when it was alive after all.
pub(super) async fn reap(shared: &Shared, id: &SessionId, beat: u64) -> StoreResult<bool> {
    loop {
        let call = Reap {
            session: id.clone(),
            beat,
            now: shared.now(),
            max: STEP,
        };
        match shared
            .send("reap", || shared.store.reap(call.clone()))
            .await?
        {
            ReapReply::Moved => return Ok(false),
            ReapReply::Reaped { ended, more, .. } => {
                shared.reaped.fetch_add(1, Ordering::AcqRel);
                tell_all(shared, &ended);
                if !more {
                    return Ok(true);
                }
            }
        }
    }
}

/// R9.4: hooks are told of jobs of the reaper's own kind.
pub(super) fn tell_all(shared: &Shared, ended: &[Ended]) {
    for job in ended.iter().filter(|job| job.kind == shared.config.kind) {
        let ending = Ending {
            status: job.status,
            created_at: job.created_at,
        };
        shared.tell_ended(&job.id, ending);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    const BEAT: Duration = Duration::from_secs(2);

    fn session(beat: u64, lock: SessionLock) -> Session {
        Session {
            id: "other".into(),
            kind: None,
            host: String::new(),
            entered_at: Timestamp::default(),
            seen_at: Timestamp::default(),
            beat,
            beat_length: BEAT,
            lock,
        }
    }

    /// R9.3
    #[test]
    fn a_beat_that_stands_still_is_death_after_own_renewals_and_own_time() {
        let mut watcher = Watcher::default();
        let other = session(5, SessionLock::Unknown);

        assert!(!watcher.is_dead(&other, 3, 10, BEAT));
        assert!(
            !watcher.is_dead(&other, 3, 12, BEAT * 9),
            "two renewals are too few"
        );
        assert!(
            !watcher.is_dead(&other, 3, 13, BEAT * 3),
            "two beats of time are too few"
        );
        assert!(watcher.is_dead(&other, 3, 13, BEAT * 4));
    }

    /// R9.3
    #[test]
    fn a_beat_that_moved_counts_anew() {
        let mut watcher = Watcher::default();

        assert!(!watcher.is_dead(&session(5, SessionLock::Held), 3, 0, BEAT));
        assert!(!watcher.is_dead(&session(6, SessionLock::Held), 3, 9, BEAT * 9));
    }

    /// R9.3
    #[test]
    fn a_free_lock_is_death_at_once() {
        let mut watcher = Watcher::default();

        assert!(watcher.is_dead(&session(1, SessionLock::Free), 3, 0, BEAT));
    }
}
