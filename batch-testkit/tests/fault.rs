//! Faults strike where they are planned, and nowhere else.

use std::sync::Arc;
use std::task::Poll;

use batch_core::id::{JobId, Kind, SessionId};
use batch_core::memory::MemoryStore;
use batch_core::store::call::{Enter, Touch};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{KindList, Sessions};
use batch_core::store::{Store, StoreResult};
use batch_core::time::Timestamp;
use batch_testkit::fault::{
    Fault, FaultStore, OPERATIONS, Often, Plan, drop_at_every_poll, drop_at_poll,
};

fn faulty(plan: Plan) -> Arc<FaultStore> {
    let store = FaultStore::new(Arc::new(MemoryStore::new()));
    store.plan(plan);
    Arc::new(store)
}

fn at(operation: &'static str, call: u64, often: Often, fault: Fault) -> Plan {
    Plan {
        operation: Some(operation),
        call,
        often,
        fault,
    }
}

async fn enter(store: &FaultStore, id: &str) -> StoreResult<()> {
    let call = Enter {
        session: SessionId::new(id),
        kind: Kind::default(),
        host: String::new(),
        beat_length: std::time::Duration::from_secs(2),
        now: Timestamp::from_millis(0),
    };
    store.enter(call).await.map(|_| ())
}

/// The sessions that the store holds.
async fn entered(store: &FaultStore) -> StoreResult<usize> {
    let all = Sessions {
        after: None,
        max: 10,
    };
    Ok(store.sessions(all).await?.sessions.len())
}

fn kind_of(answer: StoreResult<()>) -> Option<StoreErrorKind> {
    answer.err().map(|error| error.kind())
}

#[tokio::test]
async fn a_fault_before_applies_nothing() {
    let before = Fault::Before(StoreErrorKind::Unavailable);
    let store = faulty(at("enter", 2, Often::Once, before));

    let first = enter(&store, "a").await;
    let second = enter(&store, "b").await;
    let third = enter(&store, "c").await;

    assert_eq!(kind_of(first), None);
    assert_eq!(kind_of(second), Some(StoreErrorKind::Unavailable));
    assert_eq!(kind_of(third), None);
    assert_eq!((entered(&store).await.unwrap(), store.struck()), (2, 1));
}

#[tokio::test]
async fn a_fault_after_has_applied() {
    let store = faulty(at("enter", 1, Often::FromThenOn, Fault::After));

    let first = enter(&store, "a").await;
    let second = enter(&store, "b").await;

    assert_eq!(kind_of(first), Some(StoreErrorKind::Unknown));
    assert_eq!(kind_of(second), Some(StoreErrorKind::Unknown));
    assert_eq!(entered(&store).await.unwrap(), 2);
}

#[tokio::test]
async fn a_healed_store_has_no_faults() {
    let store = faulty(at("enter", 1, Often::FromThenOn, Fault::After));

    store.heal();

    assert_eq!(kind_of(enter(&store, "a").await), None);
}

#[tokio::test]
async fn a_stalled_call_goes_on_when_it_is_released() {
    let store = faulty(at("enter", 1, Often::Once, Fault::Stall));
    let stalled = tokio::spawn({
        let store = Arc::clone(&store);
        async move { enter(&store, "a").await }
    });
    tokio::task::yield_now().await;
    assert_eq!(entered(&store).await.unwrap(), 0);

    store.release();

    assert_eq!(kind_of(stalled.await.unwrap()), None);
    assert_eq!(entered(&store).await.unwrap(), 1);
}

#[tokio::test]
async fn a_call_that_ends_in_time_is_not_dropped() {
    let store = faulty(at("enter", 1, Often::Once, Fault::DropAtPoll(1)));

    assert_eq!(kind_of(enter(&store, "a").await), None);
}

/// Ready at its third poll.
async fn third_time() -> u32 {
    let mut polls = 0;
    std::future::poll_fn(|context| {
        polls += 1;
        context.waker().wake_by_ref();
        if polls == 3 {
            Poll::Ready(polls)
        } else {
            Poll::Pending
        }
    })
    .await
}

#[tokio::test]
async fn a_future_is_dropped_at_the_poll_that_was_asked_for() {
    assert_eq!(drop_at_poll(third_time(), 2).await, None);
    assert_eq!(drop_at_poll(third_time(), 3).await, Some(3));
}

#[tokio::test]
async fn a_future_is_dropped_at_every_poll_until_it_ends() {
    let mut checks = 0;

    let value = drop_at_every_poll(third_time, async || {
        checks += 1;
        Ok(())
    })
    .await;

    assert_eq!((value.unwrap(), checks), (3, 2));
}

#[tokio::test]
async fn a_plan_for_any_operation_counts_all_of_them() {
    let plan = Plan {
        operation: None,
        call: 2,
        often: Often::Once,
        fault: Fault::Before(StoreErrorKind::Full),
    };
    let store = faulty(plan);
    let touch = Touch {
        id: JobId::new("a"),
        now: Timestamp::from_millis(0),
    };

    let first = store
        .kinds(KindList {
            after: None,
            max: 1,
        })
        .await;
    let second = store.touch(touch).await;

    assert!(first.is_ok());
    assert_eq!(second.unwrap_err().kind(), StoreErrorKind::Full);
}

#[test]
fn every_operation_of_the_trait_can_be_named() {
    let names = "submit stage enter renew sessions reap take finish turn cancel touch sweep \
                 evict job targets list stats kinds";
    assert_eq!(OPERATIONS.join(" "), names);
}
