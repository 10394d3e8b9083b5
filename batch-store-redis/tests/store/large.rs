//! R1.10, S1.2, S9.1: long lists, large results and many stale jobs, in bounded steps.

use batch_core::id::{JobId, SessionId};
use batch_core::store::Store;
use batch_core::store::call::{Stage, Submit, Sweep, Targets};
use batch_core::store::query::{TargetOrder, TargetQuery};
use batch_core::store::reply::{StageReply, TargetPage, TargetReply};
use batch_core::store::view::Outcome;
use batch_core::time::Timestamp;
use batch_testkit::calls::{self, NOW};

use crate::costs::{Calls, cost};
use crate::place::{Place, job};

/// Targets of one chunk, the most that a call may carry.
const CHUNK: usize = 1_000;

fn session() -> SessionId {
    SessionId::from("s")
}

async fn stage(store: &dyn Store, id: &str, chunks: usize) {
    for chunk in 0..chunks {
        let call = Stage {
            id: JobId::from(id),
            session: session(),
            first: (chunk * CHUNK) as u64,
            targets: vec![calls::target("u"); CHUNK],
            now: NOW,
        };
        assert_eq!(store.stage(call).await.unwrap(), StageReply::Staged);
    }
}

fn committed(id: &str, chunks: usize) -> Submit {
    Submit {
        total: (chunks * CHUNK) as u64,
        targets: Targets::Staged,
        ..job(id, 1)
    }
}

/// What it costs to commit a list of so many chunks.
async fn commit(chunks: usize) -> Calls {
    let place = Place::new();
    let store = place.entered().await;
    stage(&store, "a", chunks).await;

    let cost = cost(&place, store.submit(committed("a", chunks))).await;

    let kept = calls::job(&store, "a").await.unwrap();
    assert_eq!(kept.total, (chunks * CHUNK) as u64);
    cost
}

/// R1.10, S14.1
#[tokio::test]
async fn b32_a_commit_costs_the_same_however_long_the_list_is() {
    assert_eq!(commit(1).await, commit(50).await);
}

async fn page(store: &dyn Store, id: &str, from: u64) -> TargetPage {
    let call = TargetQuery {
        id: id.into(),
        order: TargetOrder::Index,
        from,
        max: 10_000,
    };
    match store.targets(call).await.unwrap() {
        TargetReply::Page(page) => page,
        other => panic!("no page: {other:?}"),
    }
}

/// R6.2, S14.2
#[tokio::test]
async fn a_long_list_is_read_in_short_pages_without_a_gap() {
    let place = Place::new();
    let store = place.entered().await;
    stage(&store, "a", 2).await;
    store.submit(committed("a", 2)).await.unwrap();
    let (mut indexes, mut longest, mut next) = (Vec::new(), 0, Some(0));

    while let Some(from) = next {
        let page = page(&store, "a", from).await;
        longest = longest.max(page.targets.len());
        indexes.extend(page.targets.iter().map(|target| target.index));
        next = page.next;
    }

    assert!(indexes.into_iter().eq(0..2_000));
    assert!(longest <= 200, "{longest}");
}

/// S9.1, R6.2
#[tokio::test]
async fn b30_results_of_eight_megabytes_come_back_one_a_page() {
    let place = Place::new();
    let store = place.entered().await;
    let large = format!("\"{}\"", "é\u{1f600}".repeat(1_400_000));
    store.submit(job("a", 2)).await.unwrap();
    let first = calls::started(&store, &session()).await.start;
    store.finish(calls::done(&first, &large)).await.unwrap();
    let second = calls::started(&store, &session()).await.start;
    store.finish(calls::done(&second, &large)).await.unwrap();

    let (one, two) = (page(&store, "a", 0).await, page(&store, "a", 1).await);

    let result = Some(Outcome::Done { result: large });
    assert_eq!((one.targets.len(), one.next), (1, Some(1)));
    assert!(one.targets.first().unwrap().outcome == result);
    assert!(two.targets.first().unwrap().outcome == result);
}

/// S1.2, S14.2
#[tokio::test]
async fn b32_many_stale_jobs_are_swept_in_bounded_steps() {
    let place = Place::new();
    let store = place.entered().await;
    for number in 0..1_000 {
        store.submit(job(&format!("{number}"), 1)).await.unwrap();
    }
    calls::drain(&store, &session()).await;
    let all = Sweep {
        now: Timestamp::MAX,
        max: u32::MAX,
    };
    let (mut gone, mut most, mut more) = (0, 0, true);

    while more {
        let step = store.sweep(all).await.unwrap();
        (gone, most, more) = (gone + step.jobs, most.max(step.jobs), step.more);
    }

    assert_eq!(gone, 1_000);
    assert!(most <= 100, "{most}");
    assert!(place.keys("{p}:job:*").is_empty());
}
