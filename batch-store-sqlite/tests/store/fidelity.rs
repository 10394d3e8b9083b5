//! S9, B34, B46: what goes in comes out; and the limits of what this store keeps.

use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::call::{NewTarget, Targets};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobFilter, JobList, JobOrder, TargetOrder, TargetQuery};
use batch_core::store::reply::{TargetPage, TargetReply};
use batch_core::time::Timestamp;
use batch_store_sqlite::{Options, SqliteStore};

use batch_testkit::calls;

async fn page(store: &dyn Store, id: &str) -> TargetPage {
    let query = TargetQuery {
        id: id.into(),
        order: TargetOrder::Index,
        from: 0,
        max: u32::MAX,
    };
    match store.targets(query).await.unwrap() {
        TargetReply::Page(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

#[tokio::test]
async fn b34_texts_and_numbers_come_back_as_they_were() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let target = NewTarget {
        url: format!(
            "\0{}\u{1f469}\u{200d}\u{1f52c}\u{2028}",
            "u".repeat(1 << 20)
        ),
        options: r#"{"n":9007199254740993,"x":"\u0000"}"#.to_owned(),
        origin: Some(u64::MAX),
    };
    let id = "'; DROP TABLE job;-- \0 ../x {} * %";
    let mut call = calls::submit(id, vec![target.clone()]);
    call.now = Timestamp::MAX;
    call.settings.ttl = Duration::MAX;
    call.kind = "a:b\0".into();
    store.submit(call.clone()).await.unwrap();
    store.close().await.unwrap();

    let store = SqliteStore::open(&path, Options::default()).await.unwrap();
    let job = calls::job(&store, id).await.unwrap();
    let shown = page(&store, id).await.targets.remove(0);

    assert_eq!((shown.url, shown.options), (target.url, target.options));
    assert_eq!(shown.origin, u64::MAX);
    assert_eq!(
        (job.created_at, job.lease),
        (Timestamp::MAX, Timestamp::MAX)
    );
    assert_eq!((job.kind, job.caller), (call.kind, call.caller));
    assert_eq!(job.ttl.as_millis(), u128::from(i64::MAX.unsigned_abs()));
}

#[tokio::test]
async fn the_earliest_time_comes_back() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let mut call = calls::submit("job", vec![calls::target("u")]);
    call.now = Timestamp::MIN;

    store.submit(call).await.unwrap();

    let job = calls::job(&store, "job").await.unwrap();
    assert_eq!(job.created_at, Timestamp::MIN);
}

/// R6
#[tokio::test]
async fn a_page_ends_at_four_mebibytes() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let targets = (0..3).map(|_| calls::target("u")).collect();
    store.submit(calls::submit("job", targets)).await.unwrap();
    let result = "r".repeat(3 << 20);
    for _ in 0..3 {
        let started = calls::started(&store, &session).await;
        let call = calls::done(&started.start, &result);
        store.finish(call).await.unwrap();
    }

    let first = page(&store, "job").await;

    assert_eq!((first.targets.len(), first.next), (1, Some(1)));
}

#[tokio::test]
async fn a_job_longer_than_its_keys_can_count_is_refused() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    let mut call = calls::submit("job", vec![calls::target("u")]);
    call.total = (1 << 24) + 1;
    call.targets = Targets::NotYet;

    let refused = store.submit(call).await.unwrap_err();

    assert_eq!(refused.kind(), StoreErrorKind::Unsupported);
    assert_eq!(calls::job(&store, "job").await, None);
}

/// S8: a page examines a bounded number of rows, and may be empty with a next.
#[tokio::test]
async fn a_page_of_jobs_examines_a_thousand_at_most() {
    let store = SqliteStore::open_in_memory().await.unwrap();
    for number in 0..1_001 {
        let call = calls::submit(&format!("{number}"), vec![calls::target("u")]);
        store.submit(call).await.unwrap();
    }
    let mut call = JobList {
        filter: JobFilter {
            kind: Some("".into()),
            caller: None,
            status: Some(JobStatus::Running),
        },
        order: JobOrder::Sequence,
        after: None,
        max: 10,
    };

    let first = store.list(call.clone()).await.unwrap();
    call.after = first.next;
    let last = store.list(call).await.unwrap();

    assert_eq!((first.jobs.len(), first.next), (0, Some(1_000)));
    assert_eq!((last.jobs.len(), last.next), (0, None));
}
