//! B40: a full store refuses whole steps, and goes on when there is room.

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::Cancel;
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::reply::CancelReply;
use batch_core::time::Timestamp;
use batch_store_sqlite::{Options, SqliteStore};

use batch_testkit::calls;

fn large_job(number: usize) -> batch_core::store::call::Submit {
    let targets = (0..100).map(|_| calls::target("u".repeat(200))).collect();
    calls::submit(&format!("large-{number}"), targets)
}

/// Submits until there is no room; how many jobs fit, and the refusal.
async fn fill(store: &SqliteStore) -> (usize, StoreError) {
    for number in 0..1_000 {
        if let Err(refusal) = store.submit(large_job(number)).await {
            return (number, refusal);
        }
    }
    panic!("a thousand large jobs fit");
}

/// S1.1, S12.2
#[tokio::test]
async fn b40_a_full_store_refuses_whole_jobs_and_recovers() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_max_pages(200);
    let store = SqliteStore::open(&path, options).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();

    let (made, refusal) = fill(&store).await;
    assert_eq!(refusal.kind(), StoreErrorKind::Full);
    assert_eq!(calls::stats(&store).await.live, made as u64);
    assert_eq!(calls::job(&store, &format!("large-{made}")).await, None);

    // Cancel and sweep need no room of their own.
    let cancel = Cancel {
        id: "large-0".into(),
        request: "r".into(),
        now: calls::NOW,
    };
    let cancelled = store.cancel(cancel).await.unwrap();
    assert!(matches!(cancelled, CancelReply::Cancelled { .. }));
    let later = Timestamp::from_millis(10_000_000);
    calls::sweep(&store, later).await;

    store.submit(large_job(made)).await.unwrap();
    assert!(calls::drain(&store, &session).await >= 100);
}

/// S1.4
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_step_that_does_not_fit_takes_no_neighbour_down() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_max_pages(200);
    let store = SqliteStore::open(&path, options).await.unwrap();
    let huge = calls::submit("huge", vec![calls::target("u".repeat(1 << 20))]);

    let small = |id: &'static str| store.submit(calls::submit(id, vec![calls::target("u")]));
    let (one, refused, other) = tokio::join!(small("one"), store.submit(huge), small("other"));

    assert_eq!(refused.unwrap_err().kind(), StoreErrorKind::Full);
    one.unwrap();
    other.unwrap();
    assert_eq!(calls::stats(&store).await.live, 2);
}

/// S1.1, S11.1 a store that is full opens again with everything that it kept.
#[tokio::test]
async fn b40_a_full_store_opens_again() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_max_pages(200);
    let store = SqliteStore::open(&path, options.clone()).await.unwrap();
    let (made, _) = fill(&store).await;
    store.close().await.unwrap();

    let store = SqliteStore::open(&path, options).await.unwrap();

    assert_eq!(calls::stats(&store).await.live, made as u64);
    let refused = store.submit(large_job(made)).await.unwrap_err();
    assert_eq!(refused.kind(), StoreErrorKind::Full);
    let last = calls::job(&store, &format!("large-{}", made - 1)).await;
    assert_eq!(last.unwrap().counts.pending, 100);
}
