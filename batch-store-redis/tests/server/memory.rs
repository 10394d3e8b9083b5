//! B40, S12.2: a server at its memory limit refuses whole calls, and what frees memory passes.

use std::fmt::Debug;
use std::sync::Arc;

use batch_core::id::JobId;
use batch_core::state::JobStatus;
use batch_core::store::StoreResult;
use batch_core::store::call::{
    Answer, Cancel, Evict, Reap, Renew, Stage, Start, Sweep, Touch, Turn,
};
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::{
    CancelReply, EnterReply, FinishReply, ReapReply, RenewReply, SubmitReply, TakeReply, TouchReply,
};
use batch_testkit::case::{HOUR, Request, busy, done, failed, hand_back, job, target};
use batch_testkit::script::Script;
use batch_testkit::spy::SpyStore;
use batch_testkit::{Case, calls};

use crate::crew;
use crate::place::Place;

/// From now on every write of new data is refused.
fn fill(place: &Place) {
    place.say::<()>(&["CONFIG", "SET", "maxmemory", "1"]);
}

fn make_room(place: &Place) {
    place.say::<()>(&["CONFIG", "SET", "maxmemory", "0"]);
}

/// The full server refuses the call and keeps nothing of it; with room it is made.
async fn refuses<T: Debug>(place: &Place, send: impl AsyncFn() -> StoreResult<T>) {
    fill(place);
    let before = place.dump();

    let error = send().await.unwrap_err();

    assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
    assert_eq!(place.dump(), before);
    make_room(place);
    send().await.unwrap();
}

/// The full server makes the call.
async fn passes<T: Debug>(place: &Place, send: impl AsyncFn() -> StoreResult<T>) -> T {
    fill(place);
    let reply = send().await.unwrap();
    make_room(place);
    reply
}

/// A session `s` with the first of two targets of `job` in flight.
async fn with_a_start(case: &mut Case<'_>) -> Start {
    case.enter("s").await.unwrap();
    case.make(job("job").targets(2)).await.unwrap();
    case.start("s").await.unwrap().start
}

/// S1.1
#[tokio::test]
async fn a_submit_is_refused_whole() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let call = case.call(&job("job").targets(3));

    refuses(&place, async || case.store().submit(call.clone()).await).await;

    case.recount().await.unwrap();
}

/// S1.1
#[tokio::test]
async fn a_stage_is_refused_whole() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    let call = Stage {
        id: JobId::from("job"),
        session: "s".into(),
        first: 0,
        targets: job("job").targets(3).list(case.markers()),
        now: case.now(),
    };

    refuses(&place, async || case.store().stage(call.clone()).await).await;
}

/// S1.1
#[tokio::test]
async fn a_take_is_refused_whole() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    case.make(job("job")).await.unwrap();
    let call = case.take_call("s", "ticket");

    refuses(&place, async || case.store().take(call.clone()).await).await;

    case.recount().await.unwrap();
}

async fn outcome_is_refused(answer: Answer) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = case.finish_call(&start, answer);

    refuses(&place, async || case.store().finish(call.clone()).await).await;

    case.recount().await.unwrap();
}

/// S1.1
#[tokio::test]
async fn a_result_is_refused_whole() {
    outcome_is_refused(done("1")).await;
}

/// S1.1
#[tokio::test]
async fn a_failure_is_refused_whole() {
    outcome_is_refused(failed("broken")).await;
}

/// S1.1
#[tokio::test]
async fn a_turn_with_a_result_is_refused_whole() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = Turn {
        finish: case.finish_call(&start, done("1")),
        take: case.take_call("s", "next"),
    };

    refuses(&place, async || case.store().turn(call.clone()).await).await;

    case.recount().await.unwrap();
}

/// R9.2 a full store lets nobody die.
#[tokio::test]
async fn a_renewal_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    with_a_start(&mut case).await;
    let call = Renew {
        session: "s".into(),
        now: case.now(),
    };

    let reply = passes(&place, async || case.store().renew(call.clone()).await).await;

    assert!(matches!(reply, RenewReply::Beat { beat: 2, .. }));
}

/// R9.2 a runner can begin on a full store, and then make room.
#[tokio::test]
async fn an_enter_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let session = "s".into();
    let call = calls::enter(&session);

    let reply = passes(&place, async || case.store().enter(call.clone()).await).await;

    assert!(matches!(reply, EnterReply::Entered { .. }), "{reply:?}");
    case.recount().await.unwrap();
}

/// S12.2 what was stored is told, though there is no room to start the next target.
#[tokio::test]
async fn a_turn_with_a_busy_answer_parks_and_takes_nothing() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = Turn {
        finish: case.finish_call(&start, busy(HOUR)),
        take: case.take_call("s", "next"),
    };

    let reply = passes(&place, async || case.store().turn(call.clone()).await).await;

    assert!(
        matches!(reply.finish, FinishReply::Stored { .. }),
        "{reply:?}"
    );
    assert_eq!(reply.take, TakeReply::Idle { ready_at: None });
    case.recount().await.unwrap();
}

async fn answer_passes(answer: Answer) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = case.finish_call(&start, answer);

    let reply = passes(&place, async || case.store().finish(call.clone()).await).await;

    assert!(matches!(reply, FinishReply::Stored { .. }), "{reply:?}");
    assert_eq!(case.job("job").await.unwrap().counts.running, 0);
    case.recount().await.unwrap();
}

/// R3.2
#[tokio::test]
async fn a_busy_answer_passes() {
    answer_passes(busy(HOUR)).await;
}

/// R8.3 a runner whose outcome is refused for good can give its target back.
#[tokio::test]
async fn a_hand_back_passes() {
    answer_passes(hand_back(HOUR)).await;
}

/// R9.6
#[tokio::test]
async fn a_refusal_passes() {
    answer_passes(Answer::Refuse).await;
}

/// R5.1
#[tokio::test]
async fn a_cancel_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.make(job("job")).await.unwrap();
    let call = Cancel {
        id: "job".into(),
        request: "r".into(),
        now: case.now(),
    };

    let reply = passes(&place, async || case.store().cancel(call.clone()).await).await;

    assert!(matches!(reply, CancelReply::Cancelled { .. }));
    case.recount().await.unwrap();
}

/// R6.4
#[tokio::test]
async fn a_touch_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.make(job("job")).await.unwrap();
    let call = Touch {
        id: "job".into(),
        now: case.now(),
    };

    let reply = passes(&place, async || case.store().touch(call.clone()).await).await;

    assert!(matches!(reply, TouchReply::Touched { .. }));
}

/// R9.4
#[tokio::test]
async fn a_reap_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    with_a_start(&mut case).await;
    let call = Reap {
        session: "s".into(),
        beat: 1,
        now: case.now(),
        max: 100,
    };

    let reply = passes(&place, async || case.store().reap(call.clone()).await).await;

    assert!(matches!(reply, ReapReply::Reaped { returned: 1, .. }));
    case.recount().await.unwrap();
}

/// S6.1
#[tokio::test]
async fn a_sweep_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    case.make(job("job")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
    let call = Sweep {
        now: case.now().after(HOUR),
        max: 100,
    };

    let reply = passes(&place, async || case.store().sweep(call).await).await;

    assert_eq!(reply.jobs, 1);
    case.recount().await.unwrap();
}

/// S7.1
#[tokio::test]
async fn an_eviction_passes() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    case.make(job("old")).await.unwrap();
    case.make(job("new")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
    case.run_one("s", done("1")).await.unwrap();
    let call = Evict {
        kind: <_>::default(),
        max_bytes: 0,
        max: 100,
    };

    let reply = passes(&place, async || case.store().evict(call.clone()).await).await;

    assert_eq!(reply.jobs, 1);
    case.recount().await.unwrap();
}

fn large(number: usize) -> Request {
    let url = format!("{number}-{}", "u".repeat(1_000));
    job(&format!("large-{number}")).with(vec![target(url, "{}"); 100])
}

/// Submits large jobs until there is no room; how many there are.
async fn crowded(case: &Case<'_>) -> usize {
    let mut made = 0;
    loop {
        match case.store().submit(case.call(&large(made))).await {
            Ok(SubmitReply::Created { .. }) => made += 1,
            Ok(other) => panic!("not made: {other:?}"),
            Err(error) => {
                assert_eq!(error.kind(), StoreErrorKind::Full, "{error}");
                return made;
            }
        }
    }
}

/// S1.1, S6.3 what is refused is not there, and a sweep makes room for it.
#[tokio::test]
async fn b40_a_store_that_filled_up_recovers_by_cancel_and_sweep() {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let limit = place.memory("used_memory") + 3_000_000;
    place.say::<()>(&["CONFIG", "SET", "maxmemory", &limit.to_string()]);

    let made = crowded(&case).await;
    let refused = case.find(&format!("large-{made}")).await.unwrap();
    let live = case.stats().await.unwrap().live;
    // More than one job's room: the server counts the buffers of its clients, too.
    for number in 0..8 {
        case.cancel(&format!("large-{number}")).await.unwrap();
    }
    calls::sweep(case.store().as_ref(), case.now().after(HOUR)).await;
    place.await_freed();

    assert_eq!((refused, live), (None, made as u64));
    case.make(large(made)).await.unwrap();
}

/// R8.2, S10.1 a runner keeps its outcome until there is room.
#[tokio::test]
async fn b40_an_outcome_waits_for_room() {
    let place = Place::new().await;
    let case = Case::new(&place).await.unwrap();
    let spy = Arc::new(SpyStore::new(Arc::clone(case.store())));
    let mut script = Script::new(case.markers());
    let runner = crew::runner(Arc::clone(&spy) as _, script.fetch()).await;
    let id = crew::submit(&runner, "job", 2).await;

    let first = script.next().await.unwrap();
    fill(&place);
    first.done("1");
    spy.more("turn", 2).await.unwrap();
    let while_full = runner.status(&id).await.unwrap().counts;
    make_room(&place);
    script.next().await.unwrap().done("2");
    let job = crew::ended(&runner, &id).await;

    assert_eq!((while_full.done, while_full.running), (0, 1));
    assert_eq!((job.status, job.counts.done), (JobStatus::Done, 2));
    runner.close(None).await;
}
