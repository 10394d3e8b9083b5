//! S11.3: damage is told where it is read, dropped where it is in the way, and spreads nowhere.

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::{Evict, Reap, Renew};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobQuery, Sessions};
use batch_core::store::reply::{ReapReply, RenewReply};
use batch_testkit::calls::{self, NOW};

use crate::place::{Place, job};

fn session() -> SessionId {
    SessionId::from("s")
}

fn reap() -> Reap {
    Reap {
        session: session(),
        beat: 1,
        now: NOW,
        max: 100,
    }
}

/// S11.3
#[tokio::test]
async fn a_row_of_another_type_is_corrupt() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 1)).await.unwrap();
    place.say::<()>(&["DEL", "{p}:job:1"]);
    place.say::<()>(&["SET", "{p}:job:1", "x"]);
    let before = place.dump("p");

    let read = store.job(JobQuery::Id("a".into())).await.unwrap_err();
    let taken = store.take(calls::take(&session())).await.unwrap_err();

    assert_eq!(read.kind(), StoreErrorKind::Corrupt, "{read}");
    assert_eq!(taken.kind(), StoreErrorKind::Corrupt, "{taken}");
    assert_eq!(place.dump("p"), before);
}

/// S11.3 a field that a script cannot count with is damage too, and nothing is half written.
#[tokio::test]
async fn a_number_that_is_none_is_corrupt() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 1)).await.unwrap();
    let start = calls::started(&store, &session()).await.start;
    place.say::<()>(&["HSET", "{p}:job:1", "running", "many"]);
    let before = place.dump("p");

    let error = store.finish(calls::done(&start, "1")).await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert_eq!(place.dump("p"), before);
}

/// Damages one field of a row; a finish then says so, and writes nothing of its own.
async fn finish_is_refused(row: &str, field: &str) {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 1)).await.unwrap();
    let start = calls::started(&store, &session()).await.start;
    place.say::<()>(&["HSET", row, field, "x"]);
    let before = place.dump("p");

    let error = store.finish(calls::done(&start, "1")).await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{field}: {error}");
    assert_eq!(place.dump("p"), before, "{field}");
}

/// S1.1, S11.3 scripts do not roll back, so what they stumble over is found before they write.
#[tokio::test]
async fn a_damaged_field_leaves_no_step_half_done() {
    finish_is_refused("{p}:kind:", "bytes").await;
    finish_is_refused("{p}:kind:", "targets_done").await;
    finish_is_refused("{p}:job:1", "lease").await;
    finish_is_refused("{p}:job:1", "ttl").await;
    finish_is_refused("{p}:job:1", "done").await;
}

/// S11.3
#[tokio::test]
async fn a_start_that_cannot_be_read_is_corrupt() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 1)).await.unwrap();
    let start = calls::started(&store, &session()).await.start;
    place.say::<()>(&["HSET", "{p}:opens:1", "0", "\u{7f}no row"]);
    let before = place.dump("p");

    let error = store.finish(calls::done(&start, "1")).await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert_eq!(place.dump("p"), before);
}

/// S11.3 the entry of a job that is gone is told once, and then in nobody's way.
#[tokio::test]
async fn a_place_without_its_job_does_not_stop_the_rotation() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("lost", 1)).await.unwrap();
    store.submit(job("next", 1)).await.unwrap();
    place.say::<()>(&["DEL", "{p}:job:1"]);

    let error = store.take(calls::take(&session())).await.unwrap_err();
    let started = calls::started(&store, &session()).await;

    assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
    assert_eq!(started.start.job.as_str(), "next");
}

/// R9.4 whatever is lost of a session, what it held goes back.
#[tokio::test]
async fn b05_a_session_of_which_only_starts_are_left_is_reaped() {
    for lost in [&["{p}:sessions"][..], &["{p}:sessions", "{p}:session:s"]] {
        let place = Place::new();
        let store = place.entered().await;
        store.submit(job("a", 1)).await.unwrap();
        calls::started(&store, &session()).await;
        for key in lost {
            place.say::<()>(&["DEL", key]);
        }

        let page = store
            .sessions(Sessions {
                after: None,
                max: 10,
            })
            .await
            .unwrap();
        let beat = page.sessions.iter().map(|session| session.beat).next();
        let reaped = store
            .reap(Reap {
                beat: beat.unwrap(),
                ..reap()
            })
            .await
            .unwrap();

        assert_eq!(page.sessions.len(), 1);
        assert!(matches!(
            reaped,
            ReapReply::Reaped {
                returned: 1,
                more: false,
                ..
            }
        ));
        assert_eq!(calls::job(&store, "a").await.unwrap().counts.pending, 1);
        assert!(place.keys("{p}:holders").is_empty());
    }
}

/// R9.4 a lost row does not keep a session's other starts from going back.
#[tokio::test]
async fn a_reap_drops_a_start_whose_job_is_gone() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("lost", 1)).await.unwrap();
    store.submit(job("kept", 1)).await.unwrap();
    calls::started(&store, &session()).await;
    calls::started(&store, &session()).await;
    place.say::<()>(&["DEL", "{p}:job:1"]);

    let renewed = store
        .renew(Renew {
            session: session(),
            now: NOW,
        })
        .await
        .unwrap();
    let reaped = store.reap(Reap { beat: 2, ..reap() }).await.unwrap();

    assert!(matches!(&renewed, RenewReply::Beat { starts, .. } if starts.len() == 1));
    assert!(
        matches!(
            reaped,
            ReapReply::Reaped {
                returned: 1,
                more: false,
                ..
            }
        ),
        "{reaped:?}"
    );
    assert_eq!(calls::job(&store, "kept").await.unwrap().counts.pending, 1);
    assert!(place.keys("{p}:held:*").is_empty());
    assert!(place.keys("{p}:targets:1").is_empty());
}

/// R9.4 a start without its row says nothing of its job, whose targets must stay.
#[tokio::test]
async fn a_start_without_its_row_takes_no_targets_with_it() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 2)).await.unwrap();
    calls::started(&store, &session()).await;
    place.say::<()>(&["HDEL", "{p}:opens:1", "0"]);

    let renewed = store
        .renew(Renew {
            session: session(),
            now: NOW,
        })
        .await
        .unwrap();
    let reaped = store.reap(Reap { beat: 2, ..reap() }).await.unwrap();

    assert!(matches!(&renewed, RenewReply::Beat { starts, .. } if starts.is_empty()));
    assert!(
        matches!(reaped, ReapReply::Reaped { more: false, .. }),
        "{reaped:?}"
    );
    assert_eq!(place.say::<u64>(&["HLEN", "{p}:targets:1"]), 2);
}

/// R9.4
#[tokio::test]
async fn a_pin_without_its_job_does_not_stop_a_reap() {
    let place = Place::new();
    let store = place.entered().await;
    place.say::<()>(&["ZADD", "{p}:pinned:s", "9", "9"]);

    let reaped = store.reap(reap()).await.unwrap();

    assert!(
        matches!(reaped, ReapReply::Reaped { more: false, .. }),
        "{reaped:?}"
    );
    assert!(place.keys("{p}:session:*").is_empty());
    assert!(place.keys("{p}:pinned:*").is_empty());
}

/// S7.1
#[tokio::test]
async fn a_freeable_entry_without_its_job_does_not_stop_an_eviction() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("lost", 1)).await.unwrap();
    store.submit(job("old", 1)).await.unwrap();
    store.submit(job("new", 1)).await.unwrap();
    calls::drain(&store, &session()).await;
    place.say::<()>(&["DEL", "{p}:job:1"]);
    let call = Evict {
        kind: <_>::default(),
        max_bytes: 0,
        max: 100,
    };

    let evicted = store.evict(call).await.unwrap();

    assert_eq!(evicted.jobs, 1);
    assert!(calls::job(&store, "old").await.unwrap().evicted);
}

/// S6.1
#[tokio::test]
async fn a_sweep_clears_the_entries_of_a_job_that_is_gone() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("lost", 1)).await.unwrap();
    place.say::<()>(&["DEL", "{p}:job:1"]);

    calls::sweep(&store, batch_core::time::Timestamp::MAX).await;

    assert!(place.keys("{p}:expiries").is_empty());
    assert!(place.keys("{p}:jobs").is_empty());
}
