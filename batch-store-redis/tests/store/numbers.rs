//! S9.2, S4.1: numbers beyond what scripts count exactly are kept as text, or refused.

use std::time::Duration;

use batch_core::id::SessionId;
use batch_core::store::Store;
use batch_core::store::call::{Caps, Enter, Halt, NewTarget, Submit};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::query::{JobList, JobOrder, TargetOrder, TargetQuery};
use batch_core::store::reply::{FinishReply, SubmitReply, TargetReply};
use batch_core::time::Timestamp;
use batch_testkit::calls;

use crate::place::{Place, job};

/// The last number that a script counts exactly to.
const LAST: u64 = (1 << 53) - 1;

/// S4.1
#[tokio::test]
async fn the_sequence_ends_with_full_and_changes_nothing() {
    let place = Place::new();
    let store = place.entered().await;
    place.say::<()>(&["SET", "{p}:sequence", &(LAST - 1).to_string()]);

    let last = store.submit(job("last", 1)).await.unwrap();
    let before = place.dump("p");
    let error = store.submit(job("beyond", 1)).await.unwrap_err();

    assert_eq!(last, SubmitReply::Created { seq: LAST });
    assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
    assert_eq!(place.dump("p"), before);
}

/// S4.1 the last jobs of the sequence are listed, run and swept like any other.
#[tokio::test]
async fn the_last_jobs_keep_their_order() {
    let place = Place::new();
    let store = place.entered().await;
    place.say::<()>(&["SET", "{p}:sequence", &(LAST - 3).to_string()]);

    store.submit(job("first", 1)).await.unwrap();
    store.submit(job("second", 1)).await.unwrap();
    store.submit(job("third", 1)).await.unwrap();
    let all = JobList {
        filter: <_>::default(),
        order: JobOrder::Sequence,
        after: Some(LAST - 2),
        max: 100,
    };
    let behind = store.list(all).await.unwrap().jobs;
    let first = calls::started(&store, &SessionId::from("s")).await;

    assert_eq!(
        behind.iter().map(|job| job.seq).collect::<Vec<_>>(),
        [LAST - 1, LAST]
    );
    assert_eq!(first.start.job.as_str(), "first");
}

/// S4.2
#[tokio::test]
async fn the_rotation_ends_with_full_and_changes_nothing() {
    let place = Place::new();
    let store = place.entered().await;
    place.say::<()>(&["HSET", "{p}:kind:", "turn", &LAST.to_string()]);
    let before = place.dump("p");

    let error = store.submit(job("beyond", 1)).await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
    assert_eq!(place.dump("p"), before);
}

/// S9.2, S5.1, S5.2
#[tokio::test]
async fn the_largest_index_and_fence_are_those_of_no_start() {
    let place = Place::new();
    let store = place.entered().await;
    store.submit(job("a", 1)).await.unwrap();
    let start = calls::started(&store, &SessionId::from("s")).await.start;
    let mut far = calls::done(&start, "1");
    far.start.index = u64::MAX;
    let mut late = calls::done(&start, "1");
    late.start.fence = u64::MAX;

    assert_eq!(store.finish(far).await.unwrap(), FinishReply::NotFound);
    assert_eq!(store.finish(late).await.unwrap(), FinishReply::Superseded);
}

/// S9.2
#[tokio::test]
async fn the_largest_settings_come_back() {
    let place = Place::new();
    let store = place.entered().await;
    let mut call = job("a", 1);
    call.settings.width = u32::MAX;
    call.settings.max_losses = u32::MAX;
    call.settings.halt = Halt::Failures(u64::MAX);
    call.settings.ttl = Duration::from_millis(i64::MAX.unsigned_abs());

    store.submit(call.clone()).await.unwrap();
    let kept = calls::job(&store, "a").await.unwrap();

    let wanted = &call.settings;
    assert_eq!(
        (kept.width, kept.max_losses),
        (wanted.width, wanted.max_losses)
    );
    assert_eq!((kept.halt, kept.ttl), (wanted.halt, wanted.ttl));
}

/// S9.2
#[tokio::test]
async fn the_largest_origin_comes_back() {
    let place = Place::new();
    let store = place.entered().await;
    let target = NewTarget {
        origin: Some(u64::MAX),
        ..calls::target("u")
    };
    store
        .submit(calls::submit("a", vec![target]))
        .await
        .unwrap();
    let first = TargetQuery {
        id: "a".into(),
        order: TargetOrder::Index,
        from: 0,
        max: 1,
    };

    let started = calls::started(&store, &SessionId::from("s")).await;
    let TargetReply::Page(page) = store.targets(first).await.unwrap() else {
        panic!("no page");
    };

    assert_eq!(started.origin, u64::MAX);
    assert_eq!(page.targets.first().unwrap().origin, u64::MAX);
}

fn capped(total: u64, most: u64) -> Submit {
    Submit {
        total,
        targets: batch_core::store::call::Targets::NotYet,
        caps: Caps {
            targets_per_job: most,
            jobs_per_caller: u64::MAX,
            jobs_total: u64::MAX,
        },
        ..job("a", 1)
    }
}

/// R1.4, S9.2 two numbers that a double cannot tell apart.
#[tokio::test]
async fn a_cap_is_exact_beyond_what_scripts_count() {
    let place = Place::new();
    let store = place.entered().await;

    let over = store.submit(capped(u64::MAX, u64::MAX - 1)).await.unwrap();
    let within = store.submit(capped(u64::MAX, u64::MAX)).await.unwrap();

    assert_eq!((over, within), (SubmitReply::TooMany, SubmitReply::Send));
}

/// S9.2, S15.2
#[tokio::test]
async fn the_edges_of_time_come_back() {
    let place = Place::new();
    let store = place.store("p").await;
    let enter = |id: &str, now| Enter {
        now,
        ..calls::enter(&SessionId::from(id))
    };
    store.enter(enter("early", Timestamp::MIN)).await.unwrap();
    store.enter(enter("late", Timestamp::MAX)).await.unwrap();
    let all = batch_core::store::query::Sessions {
        after: None,
        max: 10,
    };

    let sessions = store.sessions(all).await.unwrap().sessions;

    let entered: Vec<_> = sessions.iter().map(|session| session.entered_at).collect();
    assert_eq!(entered, [Timestamp::MIN, Timestamp::MAX]);
}
