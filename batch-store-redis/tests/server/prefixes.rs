//! S9.3: stores of different prefixes on one server have nothing to do with each other.

use std::sync::Arc;
use std::time::Duration;

use batch_core::store::Store;
use batch_core::store::call::{Evict, Sweep};
use batch_testkit::Case;
use batch_testkit::case::{HOUR, done, job};

use crate::place::{Dump, Place};

/// What the server keeps under a prefix.
fn under(place: &Place, prefix: &str) -> Dump {
    let start = format!("{{{prefix}}}").into_bytes();
    let mut dump = place.dump();
    dump.retain(|key, _| key.starts_with(&start));
    dump
}

/// A case on a store of this prefix, with a job of every sort in it.
async fn filled<'p>(place: &'p Place, prefix: &str) -> Case<'p> {
    let mut case = Case::new(place).await.unwrap();
    case.replace_store(Arc::new(place.store(prefix).await.unwrap()));
    case.enter("s").await.unwrap();
    case.make(job("done")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
    case.make(job("running").targets(2)).await.unwrap();
    case.start("s").await.unwrap();
    case.make(job("queued")).await.unwrap();
    case
}

/// Everything that ends, frees and takes away.
async fn emptied(case: &mut Case<'_>) {
    case.reap("s").await.unwrap();
    case.cancel("running").await.unwrap();
    case.cancel("queued").await.unwrap();
    let kind = <_>::default();
    let evict = Evict {
        kind,
        max_bytes: 0,
        max: 100,
    };
    case.store().evict(evict).await.unwrap();
    let now = case.now().after(HOUR).after(Duration::from_hours(1));
    let sweep = Sweep { now, max: 1_000 };
    while case.store().sweep(sweep).await.unwrap().more {}
}

/// The store of the first prefix is emptied; that of the second keeps every byte.
async fn stay_apart(first: &str, second: &str) {
    let place = Place::new().await;
    let mut one = filled(&place, first).await;
    let other = filled(&place, second).await;
    let before = under(&place, second);

    emptied(&mut one).await;

    assert_eq!(under(&place, second), before);
    assert_eq!(other.listed().await.unwrap().len(), 3);
    assert_eq!(one.listed().await.unwrap().len(), 0);
}

/// S9.3
#[tokio::test]
async fn b46_a_prefix_and_a_longer_one_stay_apart() {
    stay_apart("a", "a.b").await;
}

/// S9.3
#[tokio::test]
async fn b46_a_prefix_and_a_shorter_one_stay_apart() {
    stay_apart("a.b", "a").await;
}

/// S9.3
#[tokio::test]
async fn b46_prefixes_that_differ_in_case_stay_apart() {
    stay_apart("shop", "Shop").await;
}
