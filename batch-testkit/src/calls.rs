//! Calls with everything filled in that a test does not care about, for a store's own tests.
//!
//! The rules of the suite make theirs by `case/`, with markers in every text.

#![allow(
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a test panics where it fails"
)]

use std::time::Duration;

use batch_core::id::{JobId, Kind, SessionId, Ticket};
use batch_core::store::Store;
use batch_core::store::call::{
    Answer, CallerName, Caps, Enter, Finish, Halt, Key, KeySpace, NewTarget, Recovery, Reuse,
    Settings, Start, Submit, Sweep, Take, Targets, Turn,
};
use batch_core::store::query::{JobQuery, StatsQuery};
use batch_core::store::reply::{FinishReply, JobReply, Started, TakeReply};
use batch_core::store::view::{Job, KindStats};
use batch_core::time::Timestamp;

/// The time of every call.
pub const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A target without options.
pub fn target(url: impl Into<String>) -> NewTarget {
    NewTarget {
        url: url.into(),
        options: "{}".to_owned(),
        origin: None,
    }
}

/// A submit of a job of its own key, without caps that matter.
pub fn submit(id: &str, targets: Vec<NewTarget>) -> Submit {
    Submit {
        id: JobId::from(id),
        kind: Kind::default(),
        caller: CallerName {
            name: "caller".to_owned(),
            class: String::new(),
        },
        key: Key {
            space: KeySpace::Content,
            text: id.to_owned(),
        },
        digest: id.to_owned(),
        reuse: Reuse::Allowed,
        settings: Settings {
            width: 1,
            halt: Halt::Never,
            recovery: Recovery::Resume,
            ttl: Duration::from_hours(1),
            max_losses: 3,
            rerun_of: None,
            note: String::new(),
        },
        total: targets.len() as u64,
        targets: Targets::Inline(targets),
        caps: Caps {
            targets_per_job: u64::MAX,
            jobs_per_caller: u64::MAX,
            jobs_total: u64::MAX,
        },
        now: NOW,
    }
}

/// The enter of a session that serves the default kind.
pub fn enter(session: &SessionId) -> Enter {
    Enter {
        session: session.clone(),
        kind: Kind::default(),
        host: String::new(),
        beat_length: Duration::from_secs(2),
        now: NOW,
    }
}

/// A take under a ticket of its own.
pub fn take(session: &SessionId) -> Take {
    Take {
        session: session.clone(),
        ticket: Ticket::random(),
        now: NOW,
    }
}

/// A start's finish with a result, which is JSON.
pub fn done(start: &Start, result: &str) -> Finish {
    Finish {
        start: start.clone(),
        answer: Answer::Done {
            result: result.to_owned(),
        },
        elapsed: Duration::ZERO,
        now: NOW,
    }
}

/// Takes a target, which must be there.
pub async fn started(store: &dyn Store, session: &SessionId) -> Box<Started> {
    match store.take(take(session)).await.unwrap() {
        TakeReply::Started(started) => started,
        other => panic!("nothing was started: {other:?}"),
    }
}

/// Runs every target that may be started, turn by turn; how many there were.
pub async fn drain(store: &dyn Store, session: &SessionId) -> u64 {
    let mut turns = 0;
    let mut next = store.take(take(session)).await.unwrap();
    while let TakeReply::Started(started) = next {
        let turn = Turn {
            finish: done(&started.start, "1"),
            take: take(session),
        };
        let reply = store.turn(turn).await.unwrap();
        assert!(matches!(reply.finish, FinishReply::Stored { .. }));
        next = reply.take;
        turns += 1;
    }
    turns
}

/// Sweeps until nothing is left of what is past its time.
pub async fn sweep(store: &dyn Store, now: Timestamp) {
    for _step in 0..10_000 {
        if !store.sweep(Sweep { now, max: 500 }).await.unwrap().more {
            return;
        }
    }
    panic!("a sweep without end");
}

/// A job, if there is one of this id.
pub async fn job(store: &dyn Store, id: &str) -> Option<Job> {
    match store.job(JobQuery::Id(JobId::from(id))).await.unwrap() {
        JobReply::Found(job) => Some(*job),
        JobReply::NotFound => None,
    }
}

/// The counts of the default kind.
pub async fn stats(store: &dyn Store) -> KindStats {
    let query = StatsQuery {
        kind: Kind::default(),
        caller: None,
    };
    store.stats(query).await.unwrap().kind
}
