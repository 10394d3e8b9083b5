//! A file of every released schema opens, and goes on.
//!
//! `WRITE_FROZEN=1 cargo test -p batch-store-sqlite frozen` writes the newest one anew,
//! which is done only before its schema is released.

use std::path::{Path, PathBuf};

use batch_core::id::{JobId, SessionId};
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::Store;
use batch_core::store::query::{TargetOrder, TargetQuery};
use batch_core::store::reply::TargetReply;
use batch_core::store::view::Target;
use batch_store_sqlite::{Options, SqliteStore};

use batch_testkit::calls;

fn frozen(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/frozen")
        .join(name)
}

/// One job of three targets: one is done, one runs, one was not started.
async fn write(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    let session = SessionId::from("frozen-session");
    store.enter(calls::enter(&session)).await.unwrap();
    let targets = ["u0\0", "u1", "u2"].map(calls::target).to_vec();
    let mut call = calls::submit("frozen-job", targets);
    "a note".clone_into(&mut call.settings.note);
    store.submit(call).await.unwrap();
    let first = calls::started(&store, &session).await;
    store
        .finish(calls::done(&first.start, "[1]"))
        .await
        .unwrap();
    calls::started(&store, &session).await;
    store.close().await.unwrap();
}

async fn targets(store: &dyn Store) -> Vec<Target> {
    let query = TargetQuery {
        id: JobId::from("frozen-job"),
        order: TargetOrder::Index,
        from: 0,
        max: 10,
    };
    match store.targets(query).await.unwrap() {
        TargetReply::Page(page) => page.targets,
        other => panic!("no page: {other:?}"),
    }
}

/// S11.4
#[tokio::test]
async fn a_frozen_file_of_schema_1_0_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    if std::env::var_os("WRITE_FROZEN").is_some() {
        write(&path).await;
        std::fs::copy(&path, frozen("schema-1-0.db")).unwrap();
    }
    std::fs::copy(frozen("schema-1-0.db"), &path).unwrap();

    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let job = calls::job(&store, "frozen-job").await.unwrap();
    let shown = targets(&store).await;
    let session = SessionId::from("frozen-session");
    store
        .finish(calls::done(&start_of(&shown, 1), "2"))
        .await
        .unwrap();
    let turns = calls::drain(&store, &session).await;

    assert_eq!((job.status, job.total), (JobStatus::Running, 3));
    assert_eq!(job.note, "a note");
    assert_eq!(shown.first().unwrap().url, "u0\0");
    assert_eq!(shown.first().unwrap().status, TargetStatus::Done);
    assert_eq!(turns, 1);
    let ended = calls::job(&store, "frozen-job").await.unwrap();
    assert_eq!(ended.status, JobStatus::Done);
}

/// The start that runs target `index`.
fn start_of(shown: &[Target], index: usize) -> batch_core::store::call::Start {
    let target = shown.get(index).unwrap();
    batch_core::store::call::Start {
        session: target.session.clone().unwrap(),
        job: JobId::from("frozen-job"),
        index: target.index,
        fence: target.fence,
    }
}
