//! S9.3: names are data. No name, id or prefix reaches what belongs to another.

use batch_core::id::{Kind, SessionId, Ticket};
use batch_core::store::Store;
use batch_core::store::call::{Cancel, Enter, Renew, Submit};
use batch_core::store::query::StatsQuery;
use batch_core::store::reply::RenewReply;
use batch_testkit::calls::{self, NOW};

use crate::place::{Place, job};

/// What a key, a pattern, a script or a list of names could mistake for its own syntax.
const NAMES: [&str; 14] = [
    "",
    " ",
    "a",
    "a:b",
    "b",
    "*",
    "?",
    "[ab]",
    "{p}",
    "{p}:jobs",
    "]]=]",
    "1:a",
    "\0",
    "\u{1f600}\n",
];

fn of(kind: &str, caller: &str, id: &str) -> Submit {
    let mut call = job(id, 1);
    call.kind = Kind::new(kind);
    caller.clone_into(&mut call.caller.name);
    call
}

async fn live(store: &dyn Store, kind: &str, caller: &str) -> (u64, u64) {
    let query = StatsQuery {
        kind: Kind::new(kind),
        caller: Some(caller.to_owned()),
    };
    let stats = store.stats(query).await.unwrap();
    (stats.kind.live, stats.caller_live)
}

/// Every pair of a kind and a caller, of which none is another.
fn pairs() -> Vec<(&'static str, &'static str)> {
    let of = |kind| NAMES.into_iter().map(move |caller| (kind, caller));
    NAMES.into_iter().flat_map(of).collect()
}

/// S9.3, S3.2
#[tokio::test]
async fn b46_kinds_and_callers_of_any_name_stay_apart() {
    let place = Place::new();
    let store = place.store("p").await;

    for (number, (kind, caller)) in pairs().into_iter().enumerate() {
        store
            .submit(of(kind, caller, &format!("{number}")))
            .await
            .unwrap();
    }

    let each = NAMES.len() as u64;
    for (kind, caller) in pairs() {
        assert_eq!(
            live(&store, kind, caller).await,
            (each, 1),
            "{kind:?} {caller:?}"
        );
    }
}

/// S9.3
#[tokio::test]
async fn b46_a_step_for_one_name_leaves_every_other_as_it_is() {
    let place = Place::new();
    let store = place.store("p").await;
    for name in NAMES {
        store.submit(of(name, name, name)).await.unwrap();
    }
    let before = place.dump("p");

    for name in NAMES {
        let cancel = Cancel {
            id: name.into(),
            request: name.into(),
            now: NOW,
        };
        store.cancel(cancel).await.unwrap();
        assert_eq!(live(&store, name, name).await, (0, 0), "{name:?}");
    }
    let after = place.dump("p");

    assert_ne!(before, after);
    let session = SessionId::from("s");
    store.enter(calls::enter(&session)).await.unwrap();
    calls::sweep(&store, batch_core::time::Timestamp::MAX).await;
    assert_eq!(place.say::<u64>(&["EXISTS", "{p}:jobs", "{p}:ids"]), 0);
}

/// S9.3, R9.4
#[tokio::test]
async fn b46_sessions_and_tickets_of_any_name_stay_apart() {
    let place = Place::new();
    let store = place.store("p").await;
    store.submit(wide(NAMES.len())).await.unwrap();
    for name in NAMES {
        let enter = Enter {
            kind: Kind::default(),
            ..calls::enter(&SessionId::from(name))
        };
        store.enter(enter).await.unwrap();
    }

    for (index, name) in NAMES.into_iter().enumerate() {
        let mut take = calls::take(&SessionId::from(name));
        take.ticket = name.into();
        let first = store.take(take.clone()).await.unwrap();
        let again = store.take(take).await.unwrap();
        assert_eq!(first, again, "{name:?}");
        assert_eq!(held(&store, name).await, [(name.into(), index as u64)]);
    }
}

/// What a session holds: tickets and indexes.
async fn held(store: &dyn Store, session: &str) -> Vec<(Ticket, u64)> {
    let renew = Renew {
        session: session.into(),
        now: NOW,
    };
    let RenewReply::Beat { starts, .. } = store.renew(renew).await.unwrap() else {
        panic!("{session:?} is gone");
    };
    let held = starts
        .into_iter()
        .map(|held| (held.ticket, held.start.index));
    held.collect()
}

fn wide(targets: usize) -> Submit {
    let mut call = job("wide", targets);
    call.settings.width = u32::MAX;
    call
}

/// S9.3, S8.1
#[tokio::test]
async fn b46_a_store_changes_nothing_under_another_prefix() {
    let place = Place::new();
    let (one, other) = (place.store("a").await, place.store("a.b").await);
    let session = SessionId::from("s");
    other.enter(calls::enter(&session)).await.unwrap();
    other.submit(job("x", 2)).await.unwrap();
    calls::started(&other, &session).await;
    let before = place.dump("a.b");

    one.enter(calls::enter(&session)).await.unwrap();
    one.submit(job("x", 2)).await.unwrap();
    calls::drain(&one, &session).await;
    calls::sweep(&one, batch_core::time::Timestamp::MAX).await;

    assert_eq!(place.dump("a.b"), before);
    assert_eq!(calls::job(&one, "x").await, None);
    assert_eq!(place.keys("*").len(), before.len() + place.dump("a").len());
}
