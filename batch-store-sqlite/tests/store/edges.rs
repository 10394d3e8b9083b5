//! Numbers at the edges: the sequence, sums of bytes, and options nobody would choose.

use std::path::Path;
use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobFilter, JobList, JobOrder};
use batch_core::store::reply::SubmitReply;
use batch_store_sqlite::{Options, SqliteStore};
use rusqlite::Connection;

use batch_testkit::calls;

/// A store whose sequence has come to `last`.
async fn store_at(path: &Path, last: u64) -> SqliteStore {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    let vandal = Connection::open(path).unwrap();
    let sql = "UPDATE store SET sequence = ?1";
    vandal.execute(sql, [last.cast_signed()]).unwrap();
    store
}

/// Places in the sequence of all jobs, read one by one.
async fn listed(store: &dyn Store, order: JobOrder) -> Vec<(String, u64)> {
    let mut jobs = Vec::new();
    let mut after = None;
    loop {
        let filter = JobFilter {
            kind: Some("".into()),
            ..JobFilter::default()
        };
        let max = 1;
        let call = JobList {
            filter,
            order,
            after,
            max,
        };
        let page = store.list(call).await.unwrap();
        jobs.extend(
            page.jobs
                .into_iter()
                .map(|job| (job.id.to_string(), job.seq)),
        );
        after = page.next;
        if after.is_none() {
            return jobs;
        }
    }
}

/// S4.1, S9.2: 10^8, 2^31, and the last places that a row's number leaves room for.
#[tokio::test]
async fn b35_the_order_goes_on_over_every_edge_of_the_sequence() {
    let dir = tempfile::tempdir().unwrap();
    for last in [299_999_999, (1 << 31) - 2, (1 << 32) - 2, (1_u64 << 39) - 4] {
        let store = store_at(&dir.path().join(format!("{last}.db")), last).await;
        let session = SessionId::from("s");
        store.enter(calls::enter(&session)).await.unwrap();
        let expected = [("c", 1), ("b", 2), ("a", 3)].map(|(id, n)| (id.to_owned(), last + n));

        for (id, seq) in &expected {
            let call = calls::submit(id, vec![calls::target("u"); 2]);
            let made = store.submit(call).await.unwrap();
            assert_eq!(made, SubmitReply::Created { seq: *seq });
        }

        assert_eq!(listed(&store, JobOrder::Sequence).await, expected);
        assert_eq!(listed(&store, JobOrder::Rotation).await, expected);
        assert_eq!(calls::drain(&store, &session).await, 6);
        assert_eq!(calls::stats(&store).await.counters.jobs_done, 3);
    }
}

/// S12.1, S1.1 a sequence that is used up is told, and leaves nothing.
#[tokio::test]
async fn b35_a_sequence_that_is_used_up_is_full() {
    let dir = tempfile::tempdir().unwrap();
    for last in [(1_u64 << 39) - 1, (1 << 53) - 1, (1 << 63) - 1] {
        let store = store_at(&dir.path().join(format!("{last}.db")), last).await;

        let call = calls::submit("job", vec![calls::target("u")]);
        let refused = store.submit(call).await.unwrap_err();

        assert_eq!(refused.kind(), StoreErrorKind::Full, "{last}: {refused}");
        assert_eq!(calls::job(&store, "job").await, None);
        assert_eq!(calls::stats(&store).await.counters.jobs_submitted, 0);
    }
}

/// S9.2, S13.1 sums beyond 2^53 stay exact.
#[tokio::test]
async fn b35_sums_beyond_the_exact_floats_stay_exact() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store.db");
    let store = store_at(&path, 0).await;
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    let edge = (1_u64 << 53) - 1;
    let vandal = Connection::open(&path).unwrap();
    let sql = "UPDATE kind SET terminal_bytes = ?1, targets_done = ?1";
    vandal.execute(sql, [edge.cast_signed()]).unwrap();

    let call = calls::submit("job", vec![calls::target("u")]);
    store.submit(call).await.unwrap();
    calls::drain(&store, &session).await;

    let stats = calls::stats(&store).await;
    let bytes = calls::job(&store, "job").await.unwrap().bytes;
    assert_eq!(stats.terminal_bytes, edge + bytes);
    assert_eq!(stats.counters.targets_done, edge + 1);
}

/// R11.3 options at both ends of their range make a store that works, or is full.
#[tokio::test]
async fn b49_absurd_options_harm_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let options = [
        Options::default().with_readers(0),
        Options::default().with_readers(usize::MAX),
        Options::default().with_busy_timeout(Duration::ZERO),
        Options::default().with_busy_timeout(Duration::MAX),
        Options::default().with_max_pages(u32::MAX),
    ];

    for (n, options) in options.into_iter().enumerate() {
        let path = dir.path().join(format!("{n}.db"));
        let store = SqliteStore::open(path, options).await.unwrap();
        let session = SessionId::from("s");
        store.enter(calls::enter(&session)).await.unwrap();
        let call = calls::submit("job", vec![calls::target("u"); 3]);
        store.submit(call).await.unwrap();
        assert_eq!(calls::drain(&store, &session).await, 3);
        store.close().await.unwrap();
    }
}

/// S12.2 a store without room for a page more says so at the first write.
#[tokio::test]
async fn b49_a_file_of_one_page_is_full() {
    let dir = tempfile::tempdir().unwrap();
    let options = Options::default().with_max_pages(1);
    let store = SqliteStore::open(dir.path().join("store.db"), options)
        .await
        .unwrap();

    let long = calls::submit("job", vec![calls::target("u".repeat(50_000))]);
    let refused = store.submit(long).await.unwrap_err();

    assert_eq!(refused.kind(), StoreErrorKind::Full);
    assert_eq!(calls::job(&store, "job").await, None);
}
