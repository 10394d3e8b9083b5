//! B02, B41, B43: several handles and processes on one file.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::TakeReply;
use batch_store_sqlite::{Durability, Options, SqliteStore};
use batch_testkit::fault::drop_at_poll;
use rusqlite::Connection;

use crate::child::child;
use batch_testkit::calls;

async fn opened(path: &Path) -> SqliteStore {
    let options = Options::default().with_durability(Durability::Kill);
    SqliteStore::open(path, options).await.unwrap()
}

/// Four workers submit jobs and drain the rotation through one handle.
async fn work(store: Arc<SqliteStore>, name: &'static str) -> u64 {
    let mut workers = Vec::new();
    for worker in 0..4 {
        let store = Arc::clone(&store);
        workers.push(tokio::spawn(async move {
            let session = SessionId::new(format!("{name}-{worker}"));
            store.enter(calls::enter(&session)).await.unwrap();
            let mut turns = 0;
            for number in 0..15 {
                let targets = (0..5).map(|_| calls::target("u")).collect();
                let id = format!("{session}-{number}");
                store.submit(calls::submit(&id, targets)).await.unwrap();
                turns += calls::drain(&*store, &session).await;
            }
            turns
        }));
    }
    let mut turns = 0;
    for worker in workers {
        turns += worker.await.unwrap();
    }
    turns
}

/// R2.2, S4.3
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b02_two_handles_run_every_target_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let (one, other) = (Arc::new(opened(&path).await), Arc::new(opened(&path).await));

    let (left, right) = tokio::join!(
        work(Arc::clone(&one), "one"),
        work(Arc::clone(&other), "other")
    );

    let stats = calls::stats(&*one).await;
    assert_eq!(left + right, 2 * 4 * 15 * 5);
    assert_eq!(stats.counters.targets_done, left + right);
    assert_eq!(stats.counters.jobs_done, 2 * 4 * 15);
    assert_eq!(stats.live, 0);
}

/// R2.3, S11.1
#[test]
fn b41_processes_share_one_new_file() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");

    let children: Vec<_> = (0..3)
        .map(|_| child("hammer", &path).spawn().unwrap())
        .collect();
    let said = children.into_iter().map(|child| {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    });
    let turns = said.map(|said| {
        let line = said.lines().find_map(|line| line.split("turns ").nth(1));
        line.unwrap().parse::<u64>().unwrap()
    });

    assert_eq!(turns.sum::<u64>(), 3 * 40 * 5);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_handles_may_make_a_file_at_the_same_time() {
    let dir = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> = (0..10)
        .map(|number| dir.path().join(format!("{number}.db")))
        .collect();

    for path in &paths {
        let (one, other) = tokio::join!(opened(path), opened(path));
        one.submit(calls::submit("job", vec![calls::target("u")]))
            .await
            .unwrap();
        assert!(calls::job(&other, "job").await.is_some());
    }
}

/// S12.2: within the timeout a lock is waited for, beyond it nothing has happened.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn b43_a_held_write_lock_is_waited_for_then_reported() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_busy_timeout(Duration::from_millis(100));
    let store = SqliteStore::open(&path, options).await.unwrap();
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();

    let refused = store
        .submit(calls::submit("job", vec![calls::target("u")]))
        .await
        .unwrap_err();
    let read = calls::job(&store, "job").await;
    holder.execute_batch("COMMIT").unwrap();

    assert_eq!(refused.kind(), StoreErrorKind::Unavailable);
    assert_eq!(refused.id(), Some("job"));
    assert!(
        refused.to_string().contains("another process holds"),
        "{refused}"
    );
    assert_eq!(read, None);
    store
        .submit(calls::submit("job", vec![calls::target("u")]))
        .await
        .unwrap();
}

/// Opening an existing store takes no lock that a writer or a reader holds.
#[tokio::test]
async fn a_store_opens_while_others_write_and_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let first = opened(&path).await;
    let (writer, reader) = (
        Connection::open(&path).unwrap(),
        Connection::open(&path).unwrap(),
    );
    reader
        .execute_batch("BEGIN; SELECT sequence FROM store;")
        .unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();

    let second = opened(&path).await;

    assert_eq!(calls::job(&second, "job").await, None);
    first.close().await.unwrap();
}

/// R2.6, B43: while another process holds the write lock, an idle take answers at once.
#[tokio::test]
async fn an_idle_take_needs_no_write_lock() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let impatient = Options::default().with_busy_timeout(Duration::from_millis(1));
    let store = SqliteStore::open(&path, impatient).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();

    let idle = store.take(calls::take(&session)).await.unwrap();

    assert_eq!(idle, TakeReply::Idle { ready_at: None });
}

/// S1.1 a dropped future leaves a step whole, or not begun.
#[tokio::test]
async fn a_dropped_call_is_applied_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;

    for number in 0..20 {
        let call = calls::submit(&format!("job-{number}"), vec![calls::target("u")]);
        drop_at_poll(store.submit(call), 1 + number % 4).await;
    }
    store.close().await.unwrap();

    let made = calls::stats(&opened(&path).await).await.live;
    let made = i64::try_from(made).unwrap();
    let kept = Connection::open(&path).unwrap();
    for table in ["job", "target", "key"] {
        let count = format!("SELECT count(*) FROM {table}");
        let rows: i64 = kept.query_row(&count, [], |row| row.get(0)).unwrap();
        assert_eq!(rows, made, "{table}");
    }
    let live = "SELECT coalesce(sum(live), 0) FROM caller";
    let live: i64 = kept.query_row(live, [], |row| row.get(0)).unwrap();
    assert_eq!(live, made, "caller");
}

/// S12.1
#[tokio::test]
async fn a_closed_store_answers_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = opened(&dir.path().join("store.db")).await;

    store.close().await.unwrap();
    store.close().await.unwrap();

    let write = store.submit(calls::submit("job", vec![calls::target("u")]));
    assert_eq!(write.await.unwrap_err().kind(), StoreErrorKind::Closed);
    let read = store.job(batch_core::store::query::JobQuery::Id("job".into()));
    assert_eq!(read.await.unwrap_err().kind(), StoreErrorKind::Closed);
    assert!(store.capabilities().await.is_err());
}
