//! The write-ahead log stays small, also under reads that go on for long.

use std::path::Path;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_store_sqlite::{Durability, Options, SqliteStore};
use rusqlite::Connection;

use batch_testkit::calls;

/// The log is copied every 4,000 pages; one group of writes may come on top.
const LIMIT: u64 = 24 << 20;

fn log_bytes(path: &Path) -> u64 {
    let log = path.with_extension("db-wal");
    std::fs::metadata(log).map_or(0, |log| log.len())
}

async fn write_much(store: &SqliteStore, session: &SessionId, round: usize) {
    for number in 0..40 {
        let targets = (0..20).map(|_| calls::target("u".repeat(15_000))).collect();
        let call = calls::submit(&format!("{round}-{number}"), targets);
        store.submit(call).await.unwrap();
    }
    assert!(calls::drain(store, session).await > 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_stays_bounded_under_steady_writes() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_durability(Durability::Kill);
    let store = SqliteStore::open(&path, options).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();

    let mut largest = 0;
    for round in 0..3 {
        write_much(&store, &session, round).await;
        largest = log_bytes(&path).max(largest);
    }

    assert!(largest > 0);
    assert!(largest < LIMIT, "the log has {largest} bytes");
    store.close().await.unwrap();
    assert_eq!(log_bytes(&path), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_log_is_used_again_after_a_slow_reader() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_durability(Durability::Kill);
    let store = SqliteStore::open(&path, options).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let slow = Connection::open(&path).unwrap();
    slow.execute_batch("BEGIN; SELECT count(*) FROM job;")
        .unwrap();

    write_much(&store, &session, 0).await;
    let held = log_bytes(&path);
    slow.execute_batch("COMMIT").unwrap();
    write_much(&store, &session, 1).await;
    write_much(&store, &session, 2).await;

    // Each round writes more than 12 MB.
    let after = log_bytes(&path);
    assert!(after < held + (4 << 20), "from {held} to {after} bytes");
}
