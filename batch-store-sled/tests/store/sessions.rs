//! R9.3: whoever entered before the store was opened is dead, for nobody shares it.

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::Reap;
use batch_core::store::query::Sessions;
use batch_core::store::reply::ReapReply;
use batch_core::store::view::SessionLock;
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

async fn locks(store: &dyn Store) -> Vec<(String, SessionLock)> {
    let call = Sessions {
        after: None,
        max: 10,
    };
    let page = store.sessions(call).await.unwrap();
    let sessions = page.sessions.into_iter();
    sessions
        .map(|session| (session.id.as_str().to_owned(), session.lock))
        .collect()
}

/// R9.3, R9.4
#[tokio::test]
async fn sessions_of_an_earlier_opening_are_dead_and_reaped() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("store");
    let before = SledStore::open(&path, Options::default()).await.unwrap();
    let old = SessionId::from("old");
    before.enter(calls::enter(&old)).await.unwrap();
    let living = locks(&before).await;
    before.close().await.unwrap();

    let store = SledStore::open(&path, Options::default()).await.unwrap();
    store
        .enter(calls::enter(&SessionId::from("new")))
        .await
        .unwrap();
    let seen = locks(&store).await;
    let reap = Reap {
        session: old,
        beat: 1,
        now: calls::NOW,
        max: 10,
    };
    let reaped = store.reap(reap).await.unwrap();

    assert_eq!(living, [("old".to_owned(), SessionLock::Unknown)]);
    let expected = [
        ("new".to_owned(), SessionLock::Unknown),
        ("old".to_owned(), SessionLock::Free),
    ];
    assert_eq!(seen, expected);
    assert!(matches!(reaped, ReapReply::Reaped { more: false, .. }));
    assert_eq!(locks(&store).await.len(), 1);
}
