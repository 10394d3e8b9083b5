//! R9.3: the OS lock says whether a session's process lives.

use std::io::{BufRead as _, BufReader};

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::Reap;
use batch_core::store::query::Sessions;
use batch_core::store::view::SessionLock;
use batch_store_sqlite::{Options, SqliteStore};

use crate::child::child;
use batch_testkit::calls;

async fn locks(store: &dyn Store) -> Vec<(String, SessionLock)> {
    let page = store
        .sessions(Sessions {
            after: None,
            max: 10,
        })
        .await
        .unwrap();
    let sessions = page.sessions.into_iter();
    sessions
        .map(|session| (session.id.as_str().to_owned(), session.lock))
        .collect()
}

fn reap(session: &str, beat: u64) -> Reap {
    Reap {
        session: SessionId::from(session),
        beat,
        now: calls::NOW,
        max: 10,
    }
}

/// R9.3
#[tokio::test]
async fn a_killed_processs_session_is_seen_at_once_and_reaped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let mut holder = child("hold a session", &path).spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().ends_with("entered")));

    let held = locks(&store).await;
    holder.kill().unwrap();
    holder.wait().unwrap();
    let free = locks(&store).await;
    store.reap(reap("child", 1)).await.unwrap();

    assert_eq!(held, [("child".to_owned(), SessionLock::Held)]);
    assert_eq!(free, [("child".to_owned(), SessionLock::Free)]);
    assert_eq!(locks(&store).await, []);
    assert!(!dir.path().join("store.db.sessions/child").exists());
}

/// R9.3
#[tokio::test]
async fn a_lock_lasts_as_long_as_its_handle() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let one = SqliteStore::open(&path, Options::default()).await.unwrap();
    let other = SqliteStore::open(&path, Options::default()).await.unwrap();
    one.enter(calls::enter(&SessionId::from("s")))
        .await
        .unwrap();

    let own = locks(&one).await;
    let held = locks(&other).await;
    drop(one);
    let free = locks(&other).await;

    assert_eq!(own, [("s".to_owned(), SessionLock::Held)]);
    assert_eq!(held, [("s".to_owned(), SessionLock::Held)]);
    assert_eq!(free, [("s".to_owned(), SessionLock::Free)]);
}

#[tokio::test]
async fn a_lock_is_seen_through_a_link_to_the_file() {
    let dir = tempfile::tempdir().unwrap();
    let (path, link) = (dir.path().join("store.db"), dir.path().join("link.db"));
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let one = SqliteStore::open(&path, Options::default()).await.unwrap();
    let other = SqliteStore::open(&link, Options::default()).await.unwrap();

    one.enter(calls::enter(&SessionId::from("s")))
        .await
        .unwrap();

    let held = locks(&other).await;
    assert_eq!(held, [("s".to_owned(), SessionLock::Held)]);
}

/// R9.3
#[tokio::test]
async fn a_missing_file_says_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    store
        .enter(calls::enter(&SessionId::from("s")))
        .await
        .unwrap();

    std::fs::remove_dir_all(dir.path().join("store.db.sessions")).unwrap();

    assert_eq!(
        locks(&store).await,
        [("s".to_owned(), SessionLock::Unknown)]
    );
}

/// R9.4 a session whose row is gone is still found by what it holds.
#[tokio::test]
async fn b05_a_session_without_a_row_is_listed_and_reaped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let call = calls::submit("job", vec![calls::target("u")]);
    store.submit(call).await.unwrap();
    calls::started(&store, &session).await;

    let vandal = rusqlite::Connection::open(&path).unwrap();
    vandal.execute("DELETE FROM session", []).unwrap();
    let seen = locks(&store).await;
    store.reap(reap("s", 0)).await.unwrap();

    assert_eq!(seen, [("s".to_owned(), SessionLock::Free)]);
    assert_eq!(locks(&store).await, []);
    assert_eq!(calls::job(&store, "job").await.unwrap().counts.pending, 1);
}

/// R9.3: a lock is taken before its row is written, and a process may end in between.
#[tokio::test]
async fn the_lock_file_of_a_session_that_never_began_is_cleared_away() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let dead = SqliteStore::open(&path, Options::default()).await.unwrap();
    dead.enter(calls::enter(&SessionId::from("dead")))
        .await
        .unwrap();
    drop(dead);
    let files = dir.path().join("store.db.sessions");
    std::fs::write(files.join("never-began"), "").unwrap();
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();

    store
        .enter(calls::enter(&SessionId::from("new")))
        .await
        .unwrap();

    assert!(!files.join("never-began").exists());
    assert!(files.join("new").exists());
    assert!(files.join("dead").exists(), "its reaper needs it");
}
