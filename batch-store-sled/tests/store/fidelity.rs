//! Names full of syntax stay apart, byte for byte, also in what is on the disk (S9).

use batch_core::id::{Kind, SessionId};
use batch_core::store::Store;
use batch_core::store::call::Enter;
use batch_core::store::query::{KindList, StatsQuery};
use batch_store_sled::{Options, SledStore};
use batch_testkit::calls;

/// S9.2, B46
#[tokio::test]
async fn b46_names_full_of_syntax_stay_apart() {
    let names = [
        "", "\0", "\0\0", "a", "a\0", "a\0b", "a:b", "*", "{x}", "../x", "é", "'; DROP",
    ];
    let dir = tempfile::tempdir().unwrap();
    let store = SledStore::open(dir.path().join("store"), Options::default())
        .await
        .unwrap();

    for (number, name) in names.iter().enumerate() {
        let enter = Enter {
            kind: Kind::new(*name),
            ..calls::enter(&SessionId::new(*name))
        };
        store.enter(enter).await.unwrap();
        for job in 0..=number {
            let mut submit = calls::submit(&format!("{number}-{job}"), vec![calls::target("u")]);
            submit.kind = Kind::new(*name);
            submit.caller.name = (*name).to_owned();
            store.submit(submit).await.unwrap();
        }
    }

    for (number, name) in names.iter().enumerate() {
        let query = StatsQuery {
            kind: Kind::new(*name),
            caller: Some((*name).to_owned()),
        };
        let stats = store.stats(query).await.unwrap();
        let jobs = number as u64 + 1;
        assert_eq!(
            (stats.kind.live, stats.caller_live),
            (jobs, jobs),
            "{name:?}"
        );
    }
    let list = KindList {
        after: None,
        max: 100,
    };
    let mut sorted: Vec<_> = names.map(Kind::new).into();
    sorted.sort();
    assert_eq!(store.kinds(list).await.unwrap().kinds, sorted);
}
