//! S14.1: what a call costs does not grow with what is stored, counted in commands.

use std::collections::BTreeMap;

use batch_core::id::{JobId, SessionId};
use batch_core::store::Store;
use batch_core::store::call::{Cancel, Touch, Turn};
use batch_store_redis::RedisStore;
use batch_testkit::calls::{self, NOW};

use crate::place::{Place, job};

/// Commands by name, and how often each ran.
pub(crate) type Calls = BTreeMap<String, u64>;

const FEW: usize = 12;
const MANY: usize = 20_000;

fn session() -> SessionId {
    SessionId::from("s")
}

/// The commands since the counts were last cleared, those of scripts included.
fn counted(place: &Place) -> Calls {
    let info: String = place.say(&["INFO", "commandstats"]);
    let stats = info
        .lines()
        .filter_map(|line| line.strip_prefix("cmdstat_"));
    let calls = stats.filter_map(|line| {
        let (name, rest) = line.split_once(":calls=")?;
        let (calls, _) = rest.split_once(',')?;
        Some((name.to_owned(), calls.parse().ok()?))
    });
    // What the counting itself says.
    let own = [
        "info",
        "config|resetstat",
        "client|setinfo",
        "hello",
        "select",
    ];
    calls
        .filter(|(name, _): &(String, u64)| !own.contains(&name.as_str()))
        .collect()
}

pub(crate) async fn cost<T>(place: &Place, call: impl Future<Output = T>) -> Calls {
    place.say::<()>(&["CONFIG", "RESETSTAT"]);
    call.await;
    counted(place)
}

/// A store with so many jobs: a third is done, the rest is queued.
async fn filled(place: &Place, jobs: usize) -> RedisStore {
    let store = place.entered().await;
    for number in 0..jobs / 3 {
        store
            .submit(job(&format!("done-{number}"), 1))
            .await
            .unwrap();
    }
    calls::drain(&store, &session()).await;
    for number in 0..jobs - jobs / 3 {
        store
            .submit(job(&format!("queued-{number}"), 2))
            .await
            .unwrap();
    }
    store
}

/// What each call costs on a store with so many jobs.
async fn costs(jobs: usize) -> Vec<(&'static str, Calls)> {
    let place = Place::new();
    let store = filled(&place, jobs).await;
    let started = calls::started(&store, &session()).await;
    let other = calls::started(&store, &session()).await;
    let turn = Turn {
        finish: calls::done(&started.start, "1"),
        take: calls::take(&session()),
    };
    let finish = calls::done(&other.start, "1");
    let touch = Touch {
        id: JobId::from("queued-5"),
        now: NOW.after(std::time::Duration::from_secs(1)),
    };
    let cancel = Cancel {
        id: JobId::from("queued-6"),
        request: "r".into(),
        now: NOW,
    };
    vec![
        ("submit", cost(&place, store.submit(job("new", 2))).await),
        (
            "take",
            cost(&place, store.take(calls::take(&session()))).await,
        ),
        ("turn", cost(&place, store.turn(turn)).await),
        ("finish", cost(&place, store.finish(finish)).await),
        ("touch", cost(&place, store.touch(touch)).await),
        ("cancel", cost(&place, store.cancel(cancel)).await),
        ("job", cost(&place, calls::job(&store, "queued-3")).await),
        ("stats", cost(&place, calls::stats(&store)).await),
    ]
}

/// S14.1
#[tokio::test]
async fn b32_a_call_costs_the_same_commands_among_few_jobs_and_among_many() {
    let few = costs(FEW).await;
    let many = costs(MANY).await;

    assert_eq!(few, many);
    assert!(
        few.iter().all(|(_, calls)| calls.contains_key("evalsha")),
        "{few:?}"
    );
    assert!(
        few.iter().all(|(_, calls)| !calls.contains_key("keys")),
        "{few:?}"
    );
}
