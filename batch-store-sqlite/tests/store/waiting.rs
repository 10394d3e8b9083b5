//! B44: calls that wait for a lock of another process leave the async threads alone.
//!
//! No time is measured: where a call blocked its thread, these tests could not go on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::{Cancel, Renew, Sweep, Touch};
use batch_store_sqlite::SqliteStore;
use rusqlite::Connection;
use tokio::task::JoinSet;

use crate::child::{child, say};
use crate::processes::opened;
use batch_testkit::calls;

/// Turns of the only async thread that are counted while calls wait.
const TICKS: u32 = 10_000;

/// R2.6 a store that waits for a lock leaves the async threads alone.
#[tokio::test]
async fn b44_a_waiting_write_does_not_block_the_runtime() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = opened(&path).await;
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();

    let write = store.submit(calls::submit("job", vec![calls::target("u")]));
    let release = async {
        // Runs on the only async thread, which the write must therefore not hold.
        assert_eq!(calls::job(&store, "job").await, None);
        holder.execute_batch("COMMIT").unwrap();
    };
    let (written, ()) = tokio::join!(write, release);

    written.unwrap();
}

/// Two hundred writes of every sort.
fn many_writes(store: &Arc<SqliteStore>) -> JoinSet<()> {
    let mut waiting = JoinSet::new();
    for n in 0..40 {
        let id = format!("job-{n}");
        let now = calls::NOW;
        let own = Arc::clone(store);
        waiting.spawn(async move {
            let call = calls::submit(&id, vec![calls::target("u")]);
            own.submit(call).await.unwrap();
        });
        let own = Arc::clone(store);
        let (id, request) = ("first".into(), n.to_string().as_str().into());
        waiting.spawn(async move {
            own.cancel(Cancel { id, request, now }).await.unwrap();
        });
        let own = Arc::clone(store);
        waiting.spawn(async move {
            let (id, now) = ("first".into(), now.after(Duration::from_secs(1 + n)));
            own.touch(Touch { id, now }).await.unwrap();
        });
        let own = Arc::clone(store);
        let session = SessionId::from("s");
        waiting.spawn(async move {
            own.renew(Renew { session, now }).await.unwrap();
        });
        let own = Arc::clone(store);
        waiting.spawn(async move {
            own.sweep(Sweep { now, max: 1 }).await.unwrap();
        });
    }
    waiting
}

async fn prepared(path: &Path) -> (Arc<SqliteStore>, Connection) {
    let store = opened(path).await;
    store
        .enter(calls::enter(&SessionId::from("s")))
        .await
        .unwrap();
    let call = calls::submit("first", vec![calls::target("u")]);
    store.submit(call).await.unwrap();
    let holder = Connection::open(path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    (store, holder)
}

/// S1.1 while two hundred writes wait the only async thread ticks on and reads are answered;
/// those that are dropped meanwhile keep nobody from being answered in the end.
#[tokio::test]
async fn b44_two_hundred_waiting_writes_leave_the_thread_ticking() {
    let dir = tempfile::tempdir().unwrap();
    let (store, holder) = prepared(&dir.path().join("store.db")).await;
    let mut kept = many_writes(&store);
    let mut dropped = many_writes(&store);

    for _ in 0..TICKS {
        tokio::task::yield_now().await;
    }
    let read = calls::job(&*store, "first").await;
    let early = kept.try_join_next().is_some() || dropped.try_join_next().is_some();
    dropped.shutdown().await;
    holder.execute_batch("COMMIT").unwrap();
    while let Some(answered) = kept.join_next().await {
        answered.unwrap();
    }

    assert!(read.is_some());
    assert!(
        !early,
        "a write was answered while another process held the lock"
    );
    store.close().await.unwrap();
}

/// Counts the threads of this process, before and while calls wait.
pub(crate) async fn wait_together(path: &Path) {
    let (store, holder) = prepared(path).await;
    let before = threads();
    let mut waiting = many_writes(&store);
    for _ in 0..TICKS {
        tokio::task::yield_now().await;
    }
    let while_waiting = threads();
    holder.execute_batch("COMMIT").unwrap();
    while let Some(answered) = waiting.join_next().await {
        answered.unwrap();
    }
    say(&format!("threads {before} {while_waiting}"));
}

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

/// However many calls wait, the store has the threads that it was opened with.
#[test]
fn b44_waiting_calls_take_no_threads() {
    let dir = tempfile::tempdir().unwrap();

    let output = child("wait together", &dir.path().join("store.db"))
        .output()
        .unwrap();

    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).unwrap();
    let counts = said
        .lines()
        .find_map(|line| line.split("threads ").nth(1))
        .unwrap();
    let (before, waiting) = counts.split_once(' ').unwrap();
    assert_eq!(before, waiting);
}
