//! What lies in the file, counted from outside: nothing grows by repeats, nothing stays for good.

use std::path::{Path, PathBuf};
use std::time::Duration;

use batch_core::id::{SessionId, Ticket};
use batch_core::store::Store;
use batch_core::store::call::{Answer, Cancel, Evict, Finish, Reap, Renew, Take, Touch};
use batch_core::store::query::{
    JobFilter, JobList, JobOrder, JobQuery, KindList, Sessions, TargetOrder, TargetQuery,
};
use batch_core::store::reply::{ReapReply, TakeReply};
use batch_store_sqlite::{Durability, Options, SqliteStore};
use rusqlite::Connection;
use tempfile::TempDir;

use batch_testkit::calls;

const HOUR: Duration = Duration::from_hours(1);

async fn opened() -> (TempDir, PathBuf, SqliteStore) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let options = Options::default().with_durability(Durability::Kill);
    let store = SqliteStore::open(&path, options).await.unwrap();
    (dir, path, store)
}

/// How many rows each table has, without those that have none.
fn rows(path: &Path) -> Vec<(String, i64)> {
    let conn = Connection::open(path).unwrap();
    let mut tables = conn
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        .unwrap();
    let names = tables.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let counted = names.map(|name| {
        let name = name.unwrap();
        let sql = format!("SELECT count(*) FROM \"{name}\"");
        let count: i64 = conn.query_row(&sql, [], |row| row.get(0)).unwrap();
        (name, count)
    });
    counted.filter(|(_, count)| *count > 0).collect()
}

fn cancel(id: &str, request: &str) -> Cancel {
    Cancel {
        id: id.into(),
        request: request.into(),
        now: calls::NOW,
    }
}

fn busy(call: Finish) -> Finish {
    let wait = Duration::ZERO;
    Finish {
        answer: Answer::Busy { wait },
        ..call
    }
}

/// S2.7 however often calls are sent again, or answered busy, no row is added.
#[tokio::test]
async fn repeats_add_no_rows() {
    let (_dir, path, store) = opened().await;
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let submit = |id| calls::submit(id, vec![calls::target("u"); 2]);
    store.submit(submit("done")).await.unwrap();
    store.submit(submit("cancelled")).await.unwrap();
    let started = calls::started(&store, &session).await.start;
    let done = calls::done(&started, "1");
    store.finish(done.clone()).await.unwrap();
    store.cancel(cancel("cancelled", "r")).await.unwrap();
    let take = calls::take(&session);
    store.take(take.clone()).await.unwrap();
    let before = rows(&path);

    for n in 0..50 {
        store.submit(submit("done")).await.unwrap();
        let again = calls::submit(&format!("other-{n}"), vec![calls::target("u"); 2]);
        let key = submit("done").key;
        let digest = "done".to_owned();
        store
            .submit(batch_core::store::call::Submit {
                key,
                digest,
                ..again
            })
            .await
            .unwrap();
        store.take(take.clone()).await.unwrap();
        store.take(calls::take(&session)).await.unwrap();
        store.finish(done.clone()).await.unwrap();
        store.cancel(cancel("cancelled", "r")).await.unwrap();
        store
            .cancel(cancel("cancelled", &format!("r{n}")))
            .await
            .unwrap();
        store.enter(calls::enter(&session)).await.unwrap();
        let now = calls::NOW;
        let session = session.clone();
        store.renew(Renew { session, now }).await.unwrap();
    }

    assert_eq!(rows(&path), before);
}

/// S2.7 a target that comes back busy keeps its one row.
#[tokio::test]
async fn busy_answers_add_no_rows() {
    let (_dir, path, store) = opened().await;
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let call = calls::submit("job", vec![calls::target("u")]);
    store.submit(call).await.unwrap();
    let mut before = Vec::new();

    for n in 0..50 {
        let started = calls::started(&store, &session).await.start;
        let call = busy(calls::done(&started, ""));
        store.finish(call.clone()).await.unwrap();
        store.finish(call).await.unwrap();
        if n == 0 {
            before = rows(&path);
        }
    }

    assert_eq!(rows(&path), before);
}

/// Jobs that end in every way: done, failed, cancelled, expired, interrupted, evicted.
async fn live_a_life(store: &SqliteStore, session: &SessionId) {
    store.enter(calls::enter(session)).await.unwrap();
    for n in 0..40 {
        let mut call = calls::submit(&format!("{n}"), vec![calls::target("u"); 3]);
        call.caller.name = format!("caller-{n}");
        call.kind = if n % 2 == 0 { "" } else { "other" }.into();
        "a note".clone_into(&mut call.settings.note);
        store.submit(call).await.unwrap();
    }
    for n in (0..40).step_by(5) {
        store.cancel(cancel(&n.to_string(), "r")).await.unwrap();
    }
    for _ in 0..20 {
        let start = calls::started(store, session).await.start;
        store.finish(calls::done(&start, "1")).await.unwrap();
        let start = calls::started(store, session).await.start;
        store.finish(busy(calls::done(&start, "1"))).await.unwrap();
    }
    let (kind, max_bytes, max) = ("".into(), 0, 100);
    store
        .evict(Evict {
            kind,
            max_bytes,
            max,
        })
        .await
        .unwrap();
    calls::started(store, session).await;
    let stage = batch_core::store::call::Stage {
        id: "staged".into(),
        session: session.clone(),
        first: 0,
        targets: vec![calls::target("u"); 3],
        now: calls::NOW,
    };
    store.stage(stage).await.unwrap();
}

/// S1.3, S13.3 when everything has gone its way only the sequence is left.
#[tokio::test]
async fn b31_a_swept_store_keeps_its_sequence_only() {
    let (_dir, path, store) = opened().await;
    let session = SessionId::from("s");
    live_a_life(&store, &session).await;
    let full = rows(&path);

    let now = calls::NOW;
    let (beat, max) = (1, 1_000);
    store
        .reap(Reap {
            session,
            beat,
            now,
            max,
        })
        .await
        .unwrap();
    for hours in [1, 2, 3] {
        let now = calls::NOW.after(HOUR * hours);
        calls::sweep(&store, now).await;
    }

    assert!(full.len() > 10, "{full:?}");
    assert_eq!(rows(&path), [("store".to_owned(), 1)]);
}

async fn read_everything(store: &SqliteStore, id: &str) {
    store.job(JobQuery::Id(id.into())).await.unwrap();
    let page = TargetQuery {
        id: id.into(),
        order: TargetOrder::Index,
        from: 0,
        max: 10,
    };
    store.targets(page).await.unwrap();
    for order in [JobOrder::Sequence, JobOrder::Rotation] {
        let filter = JobFilter {
            kind: Some("".into()),
            ..JobFilter::default()
        };
        let (after, max) = (None, 10);
        let call = JobList {
            filter,
            order,
            after,
            max,
        };
        store.list(call).await.unwrap();
    }
    calls::stats(store).await;
    store
        .kinds(KindList {
            after: None,
            max: 9,
        })
        .await
        .unwrap();
    store
        .sessions(Sessions {
            after: None,
            max: 9,
        })
        .await
        .unwrap();
}

/// R6.1, S8.1 of a thousand reads none commits anything, whatever they look at.
#[tokio::test]
async fn b50_a_thousand_reads_commit_nothing() {
    let (_dir, path, store) = opened().await;
    live_a_life(&store, &SessionId::from("s")).await;
    let watcher = Connection::open(&path).unwrap();
    let version = || -> i64 {
        let pragma = "PRAGMA data_version";
        watcher.query_row(pragma, [], |row| row.get(0)).unwrap()
    };
    let before = version();

    for n in 0..1_000 {
        read_everything(&store, &(n % 45).to_string()).await;
    }

    assert_eq!(version(), before);
    let (id, now) = ("1".into(), calls::NOW.after(HOUR));
    store.touch(Touch { id, now }).await.unwrap();
    assert_ne!(version(), before);
}

/// R9.4 a start whose job is gone is dropped, and keeps nobody else from working.
#[tokio::test]
async fn b05_a_start_without_its_job_is_dropped_by_reap() {
    let (_dir, path, store) = opened().await;
    let [dead, alive] = ["dead", "alive"].map(SessionId::from);
    store.enter(calls::enter(&dead)).await.unwrap();
    store.enter(calls::enter(&alive)).await.unwrap();
    let submit = |id| calls::submit(id, vec![calls::target("u")]);
    store.submit(submit("lost")).await.unwrap();
    calls::started(&store, &dead).await;
    store.submit(submit("other")).await.unwrap();
    let vandal = Connection::open(&path).unwrap();
    vandal
        .execute("DELETE FROM job WHERE id = 'lost'", [])
        .unwrap();

    let (now, beat, max) = (calls::NOW, 1, 10);
    let session = dead.clone();
    let reaped = store
        .reap(Reap {
            session,
            beat,
            now,
            max,
        })
        .await;
    let count = "SELECT COUNT(*) FROM open WHERE session = 'dead'";
    let held: i64 = vandal.query_row(count, [], |row| row.get(0)).unwrap();
    let ticket = Ticket::random();
    let taken = store
        .take(Take {
            session: alive,
            ticket,
            now,
        })
        .await
        .unwrap();

    assert!(matches!(reaped, Ok(ReapReply::Reaped { more: false, .. })));
    assert_eq!(held, 0);
    assert!(matches!(taken, TakeReply::Started(started) if started.start.job.as_str() == "other"));
}
