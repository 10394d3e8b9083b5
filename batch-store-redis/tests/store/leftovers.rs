//! S1.3, S13.3: what is gone leaves nothing behind but the schema and the sequence.

use batch_core::id::{JobId, SessionId};
use batch_core::store::Store;
use batch_core::store::call::{Answer, Cancel, Evict, Finish, Reap, Recovery, Stage, Submit};
use batch_core::time::Timestamp;
use batch_testkit::calls::{self, NOW};

use crate::place::{Place, job};

fn session() -> SessionId {
    SessionId::from("s")
}

fn pinned(id: &str) -> Submit {
    let mut call = job(id, 2);
    call.settings.recovery = Recovery::Interrupt { session: session() };
    "note".clone_into(&mut call.settings.note);
    call
}

async fn stage(store: &dyn Store, id: &str) {
    let call = Stage {
        id: JobId::from(id),
        session: session(),
        first: 0,
        targets: vec![calls::target("u"); 3],
        now: NOW,
    };
    store.stage(call).await.unwrap();
}

/// A target that comes back busy and waits.
async fn park(store: &dyn Store) {
    let started = calls::started(store, &session()).await;
    let wait = std::time::Duration::from_secs(1);
    let busy = Finish {
        answer: Answer::Busy { wait },
        ..calls::done(&started.start, "")
    };
    store.finish(busy).await.unwrap();
}

/// Jobs of every fate: done, evicted, cancelled, in flight, waiting, pinned, staged.
async fn live_a_life(store: &dyn Store) {
    store.submit(job("done", 3)).await.unwrap();
    store.submit(job("newer", 3)).await.unwrap();
    calls::drain(store, &session()).await;
    let evict = Evict {
        kind: <_>::default(),
        max_bytes: 0,
        max: 100,
    };
    store.evict(evict).await.unwrap();
    store.submit(job("waiting", 2)).await.unwrap();
    park(store).await;
    store.submit(job("flying", 2)).await.unwrap();
    calls::started(store, &session()).await;
    store.submit(job("cancelled", 2)).await.unwrap();
    let cancel = Cancel {
        id: "cancelled".into(),
        request: "r".into(),
        now: NOW,
    };
    store.cancel(cancel).await.unwrap();
    store.submit(pinned("pinned")).await.unwrap();
    stage(store, "staged").await;
}

async fn reap(store: &dyn Store) {
    let call = Reap {
        session: session(),
        beat: 1,
        now: NOW,
        max: 100,
    };
    store.reap(call).await.unwrap();
}

/// S1.3, S13.3, R1.10, R9.4
#[tokio::test]
async fn b31_a_whole_life_leaves_the_schema_and_the_sequence() {
    let place = Place::new();
    let store = place.entered().await;
    live_a_life(&store).await;
    let lived = place.keys("*").len();

    reap(&store).await;
    // Live jobs expire first, and are gone one ttl later.
    calls::sweep(&store, NOW.after(std::time::Duration::from_hours(2))).await;
    calls::sweep(&store, Timestamp::MAX).await;

    assert!(lived > 20, "{lived}");
    assert_eq!(place.keys("*"), ["{p}:schema", "{p}:sequence"]);
}

/// S1.1 a refusal leaves nothing.
#[tokio::test]
async fn a_refused_submit_leaves_nothing() {
    let place = Place::new();
    let store = place.store("p").await;
    let before = place.dump("p");
    let mut capped = job("a", 1);
    capped.caps.jobs_total = 0;

    store.submit(capped).await.unwrap();
    store.submit(pinned("b")).await.unwrap();

    assert_eq!(place.dump("p"), before);
}
