//! Damage is found where it is read, or mended where it can be, and never a panic (S11).

use std::fs;
use std::path::{Path, PathBuf};

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::Submit;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobQuery, TargetOrder, TargetQuery};
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

fn two_targets(id: &str) -> Submit {
    calls::submit(id, vec![calls::target("u"), calls::target("v")])
}

/// A closed store with jobs that are queued, running and done.
async fn used(dir: &Path) -> PathBuf {
    let path = dir.join("store");
    let store = SledStore::open(&path, Options::default()).await.unwrap();
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    for id in ["a", "b"] {
        store.submit(two_targets(id)).await.unwrap();
    }
    calls::drain(&store, &session).await;
    for id in ["c", "d", "e"] {
        store.submit(two_targets(id)).await.unwrap();
    }
    calls::started(&store, &session).await;
    store.close().await.unwrap();
    path
}

/// Changes the keys of a table behind the store's back.
fn tamper(path: &Path, table: u8, change: impl Fn(&sled::Db, sled::IVec)) {
    let db = sled::open(path.join("batch.data")).unwrap();
    for entry in db.scan_prefix([table]) {
        change(&db, entry.unwrap().0);
    }
    db.flush().unwrap();
}

/// S11.2: what follows from other rows is made anew.
#[tokio::test]
async fn derived_keys_are_made_anew_when_the_store_is_opened() {
    let dir = tempfile::tempdir().unwrap();
    let path = used(dir.path()).await;
    for table in *b"abdefghkprw" {
        tamper(&path, table, |db, key| drop(db.remove(key).unwrap()));
    }
    let db = sled::open(path.join("batch.data")).unwrap();
    db.insert(b"r-of-nothing", b"x").unwrap();
    db.insert(b"a-of-nothing", b"x").unwrap();
    db.flush().unwrap();
    drop(db);

    let store = SledStore::open(&path, Options::default()).await.unwrap();

    let session = SessionId::from("s");
    assert_eq!(calls::drain(&store, &session).await, 4);
    let stats = calls::stats(&store).await;
    assert_eq!((stats.live, stats.counters.targets_done), (1, 8));
}

/// S11.2
#[tokio::test]
async fn a_damaged_row_is_an_error_where_it_is_read() {
    let dir = tempfile::tempdir().unwrap();
    let path = used(dir.path()).await;
    tamper(&path, b'N', |_, _| {});
    tamper(&path, b'T', |db, key| {
        drop(db.insert(key, b"\x01junk").unwrap());
    });
    let store = SledStore::open(&path, Options::default()).await.unwrap();

    let taken = store.take(calls::take(&SessionId::from("s"))).await;
    let read = store.job(JobQuery::Id("a".into())).await;

    assert_eq!(taken.unwrap_err().kind(), StoreErrorKind::Corrupt);
    assert!(read.is_ok());
    store.submit(two_targets("f")).await.unwrap();
}

/// S11.2: bytes turned over anywhere are damage or nothing, never a panic or a hang.
#[tokio::test]
async fn b41_turned_bytes_are_damage_or_nothing() {
    for step in 0..12 {
        let dir = tempfile::tempdir().unwrap();
        let path = used(dir.path()).await;
        let file = path.join("batch.data/db");
        let mut bytes = fs::read(&file).unwrap();
        let used = bytes.iter().rposition(|byte| *byte != 0).unwrap();
        let at = used * step / 12;
        bytes[at..(at + 16).min(used)]
            .iter_mut()
            .for_each(|byte| *byte ^= 0xFF);
        fs::write(&file, bytes).unwrap();

        let opened = SledStore::open(&path, Options::default()).await;

        if let Err(error) = opened {
            assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
            assert!(error.to_string().contains(path.to_str().unwrap()));
        }
    }
}

/// S10.1, S11.2: a snapshot that a kill cut short is no damage.
#[tokio::test]
async fn b04_a_snapshot_that_was_cut_short_is_set_aside() {
    let dir = tempfile::tempdir().unwrap();
    let path = used(dir.path()).await;
    let torn = path.join("batch.data/snap.00000000000FFFFF.generating");
    fs::write(&torn, "half a snap").unwrap();

    let store = SledStore::open(&path, Options::default()).await.unwrap();

    assert_eq!(calls::stats(&store).await.counters.jobs_submitted, 5);
    let aside = fs::read(path.join("batch.data/torn-snapshot")).unwrap();
    assert_eq!(
        (aside.as_slice(), torn.exists()),
        (&b"half a snap"[..], false)
    );
}

/// S11.2: sled keeps a large value in a file of its own.
#[tokio::test]
async fn a_large_value_that_is_gone_is_damage() {
    let dir = tempfile::tempdir().unwrap();
    let path = used(dir.path()).await;
    let store = SledStore::open(&path, Options::default()).await.unwrap();
    let large = calls::submit("large", vec![calls::target("u".repeat(900_000))]);
    store.submit(large).await.unwrap();
    store.close().await.unwrap();
    fs::remove_dir_all(path.join("batch.data/blobs")).unwrap();
    let store = SledStore::open(&path, Options::default()).await.unwrap();

    let read = store.targets(page_of("large")).await;

    assert_eq!(read.unwrap_err().kind(), StoreErrorKind::Corrupt);
    store.submit(two_targets("f")).await.unwrap();
}

fn page_of(id: &str) -> TargetQuery {
    TargetQuery {
        id: id.into(),
        order: TargetOrder::Index,
        from: 0,
        max: 1,
    }
}
