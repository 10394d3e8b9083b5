//! Calls that keep sessions and jobs, end them and take them away.

use std::time::Duration;

use batch_core::store::call::{Cancel, Enter, Evict, Reap, Renew, Sweep, Touch};
use batch_core::store::reply::{CancelReply, EnterReply, ReapReply, RenewReply, TouchReply};
use batch_testkit::Case;
use batch_testkit::case::{HOUR, done, job};
use batch_testkit::proxy::Act;

use super::{counted, with_a_start};
use crate::place::Place;

/// A session `s` and a job `job` that is done.
async fn with_a_done_job(case: &mut Case<'_>) {
    case.enter("s").await.unwrap();
    case.make(job("job")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
}

async fn enter(act: Act) {
    let place = Place::new().await;
    let case = Case::new(&place).await.unwrap();
    let call = Enter {
        session: "s".into(),
        kind: <_>::default(),
        host: String::new(),
        beat_length: Duration::from_secs(2),
        now: case.now(),
    };

    let reply = place
        .twice(act, async || case.store().enter(call.clone()).await)
        .await;

    assert!(matches!(reply, EnterReply::Entered { .. }), "{reply:?}");
    assert_eq!(case.session("s").await.unwrap().unwrap().beat, 1);
}

async fn renew(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let sent = 1 + u64::from(act == Act::CutAfter);
    let call = Renew {
        session: "s".into(),
        now: case.now(),
    };

    let reply = place
        .twice(act, async || case.store().renew(call.clone()).await)
        .await;

    let RenewReply::Beat { beat, starts, .. } = reply else {
        panic!("no beat: {reply:?}");
    };
    assert_eq!(beat, 1 + sent);
    assert_eq!(starts.first().unwrap().start, start);
}

async fn cancel(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.make(job("job")).await.unwrap();
    let call = Cancel {
        id: "job".into(),
        request: "r".into(),
        now: case.now(),
    };

    let reply = place
        .twice(act, async || case.store().cancel(call.clone()).await)
        .await;

    let created_at = case.now();
    assert_eq!(reply, CancelReply::Cancelled { created_at });
    let stats = counted(&mut case).await;
    assert_eq!((stats.live, stats.counters.jobs_cancelled), (0, 1));
}

async fn touch(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.make(job("job")).await.unwrap();
    let now = case.now().after(HOUR);
    let call = Touch {
        id: "job".into(),
        now,
    };

    let reply = place
        .twice(act, async || case.store().touch(call.clone()).await)
        .await;

    assert_eq!(reply, TouchReply::Touched { lease: now });
    assert_eq!(case.job("job").await.unwrap().lease, now);
}

async fn sweep(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    with_a_done_job(&mut case).await;
    let left = u64::from(act == Act::CutBefore);
    let call = Sweep {
        now: case.now().after(HOUR),
        max: 100,
    };

    let reply = place
        .twice(act, async || case.store().sweep(call).await)
        .await;

    assert_eq!(reply.jobs, left);
    assert_eq!(case.find("job").await.unwrap(), None);
    assert_eq!(counted(&mut case).await.counters.jobs_swept, 1);
}

async fn evict(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    with_a_done_job(&mut case).await;
    case.make(job("newer")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
    let left = u64::from(act == Act::CutBefore);
    let call = Evict {
        kind: <_>::default(),
        max_bytes: 0,
        max: 100,
    };

    let reply = place
        .twice(act, async || case.store().evict(call.clone()).await)
        .await;

    assert_eq!(reply.jobs, left);
    assert!(case.job("job").await.unwrap().evicted);
    assert_eq!(counted(&mut case).await.counters.jobs_evicted, 1);
}

async fn reap(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    with_a_start(&mut case).await;
    let left = u64::from(act == Act::CutBefore);
    let call = Reap {
        session: "s".into(),
        beat: 1,
        now: case.now(),
        max: 100,
    };

    let reply = place
        .twice(act, async || case.store().reap(call.clone()).await)
        .await;

    let ReapReply::Reaped { returned, more, .. } = reply else {
        panic!("not reaped: {reply:?}");
    };
    assert_eq!((returned, more), (left, false));
    assert_eq!(case.sessions().await.unwrap(), Vec::new());
    assert_eq!(counted(&mut case).await.counters.sessions_reaped, 1);
}

cut! {
    /// R9.2
    enter;
    /// R9.2
    renew;
    /// S2.5
    cancel;
    /// R6.4
    touch;
    /// S2.6
    sweep;
    /// S2.6
    evict;
    /// S2.6
    reap;
}
