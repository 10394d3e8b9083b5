//! S11: damage behind the header is found where it is read, and is no panic.

use std::path::Path;

use batch_core::id::SessionId;
use batch_core::store::call::{Evict, Sweep, Turn};
use batch_core::store::error::{StoreError, StoreErrorKind};
use batch_core::store::query::{JobFilter, JobList, JobOrder, TargetOrder, TargetQuery};
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;
use batch_store_sqlite::{Options, SqliteStore};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use batch_testkit::calls;

/// A file with jobs of every sort.
async fn write(path: &Path) {
    let store = SqliteStore::open(path, Options::default()).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    for number in 0..30 {
        let targets = (0..5).map(|_| calls::target("u".repeat(300))).collect();
        let call = calls::submit(&format!("job-{number}"), targets);
        store.submit(call).await.unwrap();
    }
    for _ in 0..10 {
        let started = calls::started(&store, &session).await;
        store
            .finish(calls::done(&started.start, "1"))
            .await
            .unwrap();
    }
    store.close().await.unwrap();
}

/// Overwrites a few places behind the first page, which holds the identity.
fn damage(path: &Path, seed: u64) {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut bytes = std::fs::read(path).unwrap();
    for _ in 0..20 {
        let at = rng.random_range(4_096..bytes.len() - 64);
        let noise: [u8; 64] = rng.random();
        bytes.splice(at..at + 64, noise);
    }
    std::fs::write(path, bytes).unwrap();
}

/// The errors of calls that read and write all over the file.
async fn errors(store: &SqliteStore) -> Vec<StoreError> {
    let session = SessionId::from("s");
    let mut found = Vec::new();
    let list = JobList {
        filter: JobFilter::default(),
        order: JobOrder::Sequence,
        after: None,
        max: 100,
    };
    note(&mut found, store.list(list).await);
    for number in 0..30 {
        let query = TargetQuery {
            id: format!("job-{number}").into(),
            order: TargetOrder::Index,
            from: 0,
            max: 10,
        };
        note(&mut found, store.targets(query).await);
        let call = calls::submit(&format!("new-{number}"), vec![calls::target("u")]);
        note(&mut found, store.submit(call).await);
        turn(store, &session, &mut found).await;
    }
    let now = Timestamp::from_millis(10_000_000);
    note(&mut found, store.sweep(Sweep { now, max: 100 }).await);
    let evict = Evict {
        kind: "".into(),
        max_bytes: 0,
        max: 100,
    };
    note(&mut found, store.evict(evict).await);
    found
}

async fn turn(store: &SqliteStore, session: &SessionId, found: &mut Vec<StoreError>) {
    let Some(batch_core::store::reply::TakeReply::Started(started)) =
        note(found, store.take(calls::take(session)).await)
    else {
        return;
    };
    let turn = Turn {
        finish: calls::done(&started.start, "1"),
        take: calls::take(session),
    };
    note(found, store.turn(turn).await);
}

fn note<T>(found: &mut Vec<StoreError>, reply: StoreResult<T>) -> Option<T> {
    reply.map_err(|error| found.push(error)).ok()
}

/// S11.3
#[tokio::test]
async fn damage_is_an_error_and_never_a_panic() {
    let dir = tempfile::tempdir().unwrap();
    let whole = dir.path().join("whole.db");
    write(&whole).await;

    let mut met = 0;
    for seed in 0..40 {
        let path = dir.path().join(format!("{seed}.db"));
        std::fs::copy(&whole, &path).unwrap();
        damage(&path, seed);
        let found = match SqliteStore::open(&path, Options::default()).await {
            Ok(store) => errors(&store).await,
            Err(refused) => vec![refused],
        };
        for error in &found {
            assert_eq!(
                error.kind(),
                StoreErrorKind::Corrupt,
                "seed {seed}: {error}"
            );
        }
        met += usize::from(!found.is_empty());
    }
    assert!(met > 10, "only {met} damaged files were met with an error");
}
