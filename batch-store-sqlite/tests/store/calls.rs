//! Calls with everything filled in that a test does not care about.

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

pub(crate) const NOW: Timestamp = Timestamp::from_millis(1_000);

pub(crate) fn target(url: impl Into<String>) -> NewTarget {
    NewTarget {
        url: url.into(),
        options: "{}".to_owned(),
        origin: None,
    }
}

/// A submit of a job of its own key, without caps that matter.
pub(crate) fn submit(id: &str, targets: Vec<NewTarget>) -> Submit {
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

pub(crate) fn enter(session: &SessionId) -> Enter {
    Enter {
        session: session.clone(),
        kind: Kind::default(),
        host: String::new(),
        beat_length: Duration::from_secs(2),
        now: NOW,
    }
}

pub(crate) fn take(session: &SessionId) -> Take {
    Take {
        session: session.clone(),
        ticket: Ticket::random(),
        now: NOW,
    }
}

pub(crate) fn done(start: &Start, result: &str) -> Finish {
    Finish {
        start: start.clone(),
        answer: Answer::Done {
            result: result.to_owned(),
        },
        elapsed: Duration::ZERO,
        now: NOW,
    }
}

pub(crate) async fn started(store: &dyn Store, session: &SessionId) -> Box<Started> {
    match store.take(take(session)).await.unwrap() {
        TakeReply::Started(started) => started,
        other => panic!("nothing was started: {other:?}"),
    }
}

/// Runs every target that may be started, turn by turn; how many there were.
pub(crate) async fn drain(store: &dyn Store, session: &SessionId) -> u64 {
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
pub(crate) async fn sweep(store: &dyn Store, now: Timestamp) {
    for _step in 0..10_000 {
        if !store.sweep(Sweep { now, max: 500 }).await.unwrap().more {
            return;
        }
    }
    panic!("a sweep without end");
}

pub(crate) async fn job(store: &dyn Store, id: &str) -> Option<Job> {
    match store.job(JobQuery::Id(JobId::from(id))).await.unwrap() {
        JobReply::Found(job) => Some(*job),
        JobReply::NotFound => None,
    }
}

pub(crate) async fn stats(store: &dyn Store) -> KindStats {
    let query = StatsQuery {
        kind: Kind::default(),
        caller: None,
    };
    store.stats(query).await.unwrap().kind
}
