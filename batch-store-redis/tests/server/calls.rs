//! Calls and reads of a store that processes share, with everything filled in that no test is about.

use std::time::Duration;

use batch_core::id::{JobId, Kind, Ticket};
use batch_core::store::Store;
use batch_core::store::call::{Enter, Finish, Start, Take};
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, StatsQuery, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{FinishReply, SubmitReply, TakeReply, TargetReply};
use batch_core::store::view::{Job, KindStats, Target};
use batch_testkit::Markers;
use batch_testkit::case::{START, hand_back, job};

pub(crate) async fn submit(store: &dyn Store, id: &str) {
    let markers = Markers::plant().unwrap();
    let reply = store.submit(job(id).call(&markers, START)).await.unwrap();
    assert!(matches!(reply, SubmitReply::Created { .. }), "{reply:?}");
}

pub(crate) async fn enter(store: &dyn Store, session: &str) {
    let call = Enter {
        session: session.into(),
        kind: Kind::default(),
        host: String::new(),
        beat_length: Duration::from_secs(2),
        now: START,
    };
    store.enter(call).await.unwrap();
}

pub(crate) async fn start(store: &dyn Store, session: &str) -> Start {
    let call = Take {
        session: session.into(),
        ticket: Ticket::random(),
        now: START,
    };
    match store.take(call).await.unwrap() {
        TakeReply::Started(started) => started.start,
        other => panic!("nothing was started: {other:?}"),
    }
}

pub(crate) async fn give_back(store: &dyn Store, start: &Start) {
    let call = Finish {
        start: start.clone(),
        answer: hand_back(Duration::ZERO),
        elapsed: Duration::ZERO,
        now: START,
    };
    let reply = store.finish(call).await.unwrap();
    assert!(matches!(reply, FinishReply::Stored { .. }), "{reply:?}");
}

pub(crate) async fn stats(store: &dyn Store) -> KindStats {
    let query = StatsQuery {
        kind: Kind::default(),
        caller: None,
    };
    store.stats(query).await.unwrap().kind
}

/// All jobs, of which there are fewer than a thousand, in their sequence.
pub(crate) async fn jobs(store: &dyn Store) -> Vec<Job> {
    let list = JobList {
        filter: JobFilter::default(),
        order: JobOrder::Sequence,
        after: None,
        max: 1_000,
    };
    store.list(list).await.unwrap().jobs
}

pub(crate) async fn first_target(store: &dyn Store, id: &JobId) -> Target {
    let query = TargetQuery {
        id: id.clone(),
        order: TargetOrder::Index,
        from: 0,
        max: 1,
    };
    match store.targets(query).await.unwrap() {
        TargetReply::Page(mut page) => page.targets.remove(0),
        other => panic!("no page: {other:?}"),
    }
}
