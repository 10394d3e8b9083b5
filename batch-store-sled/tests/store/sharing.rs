//! One owner: whoever comes second is told so, and the first goes on (B50).

use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

use crate::child::{begun, child};

/// S11.1, S12.1, B41
#[tokio::test]
async fn b41_a_second_process_is_told_that_the_store_is_in_use() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SledStore::open(&path, Options::default()).await.unwrap();

    let mut second = child("open", &path);
    second.stdin(std::process::Stdio::null());
    let told = String::from_utf8(second.output().unwrap().stdout).unwrap();
    let third = SledStore::open(&path, Options::default())
        .await
        .unwrap_err();

    let expected = format!("{} is already in use by another process", path.display());
    assert!(told.contains(&expected), "{told}");
    assert!(third.to_string().contains(&expected), "{third}");
    assert_eq!(third.kind(), StoreErrorKind::Unavailable);
    store
        .submit(calls::submit("job", vec![calls::target("u")]))
        .await
        .unwrap();
}

/// S10.1, R9.3: a killed owner holds nothing, and its sessions are seen as dead.
#[tokio::test]
async fn b04_a_killed_owner_gives_the_store_free() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let store = SledStore::open(&path, Options::default()).await.unwrap();
    store
        .submit(calls::submit("job", vec![calls::target("u")]))
        .await
        .unwrap();
    store.close().await.unwrap();
    let (mut holder, _told) = begun("hold", &path, "holding");

    holder.kill().unwrap();
    holder.wait().unwrap();
    let store = SledStore::open(&path, Options::default()).await.unwrap();

    let job = calls::job(&store, "job").await.unwrap();
    assert_eq!(job.counts.running, 1);
}

/// S12.1
#[tokio::test]
async fn a_closed_store_answers_closed() {
    let dir = tempfile::tempdir().unwrap();
    let store = SledStore::open(dir.path().join("store"), Options::default())
        .await
        .unwrap();
    store.close().await.unwrap();
    store.close().await.unwrap();

    let submit = store
        .submit(calls::submit("job", vec![calls::target("u")]))
        .await;
    let capabilities = store.capabilities().await;

    assert_eq!(submit.unwrap_err().kind(), StoreErrorKind::Closed);
    assert_eq!(capabilities.unwrap_err().kind(), StoreErrorKind::Closed);
}
