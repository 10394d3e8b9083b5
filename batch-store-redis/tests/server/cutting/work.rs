//! Calls that make work and run it: submit, stage, take, finish, turn.

use batch_core::id::JobId;
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::{Answer, Stage, Turn};
use batch_core::store::reply::{FinishReply, StageReply, SubmitReply, TakeReply};
use batch_core::store::view::KindStats;
use batch_testkit::Case;
use batch_testkit::case::{HOUR, busy, done, failed, hand_back, job};
use batch_testkit::proxy::Act;

use super::{counted, with_a_start};
use crate::place::Place;

async fn submit(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let call = case.call(&job("job").targets(3));

    let reply = place
        .twice(act, async || case.store().submit(call.clone()).await)
        .await;

    assert!(matches!(reply, SubmitReply::Created { .. }), "{reply:?}");
    let stats = counted(&mut case).await;
    assert_eq!((stats.live, stats.counters.jobs_submitted), (1, 1));
}

async fn stage(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    let request = job("job").targets(3).pinned("s");
    let call = Stage {
        id: JobId::from("job"),
        session: "s".into(),
        first: 0,
        targets: request.list(case.markers()),
        now: case.now(),
    };

    let reply = place
        .twice(act, async || case.store().stage(call.clone()).await)
        .await;

    assert_eq!(reply, StageReply::Staged);
    case.make(request.staged()).await.unwrap();
    assert_eq!(case.all_targets("job").await.unwrap().len(), 3);
}

async fn take(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    case.make(job("job").width(2).targets(2)).await.unwrap();
    let call = case.take_call("s", "ticket");

    let reply = place
        .twice(act, async || case.store().take(call.clone()).await)
        .await;

    let TakeReply::Started(started) = reply else {
        panic!("nothing started: {reply:?}");
    };
    assert_eq!((started.start.index, started.start.fence), (0, 1));
    assert_eq!(case.job("job").await.unwrap().counts.running, 1);
    counted(&mut case).await;
}

/// Answers the first of two targets; the target and the counts afterwards.
async fn finish(act: Act, answer: Answer) -> (TargetStatus, KindStats) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = case.finish_call(&start, answer);

    let reply = place
        .twice(act, async || case.store().finish(call.clone()).await)
        .await;

    assert!(matches!(reply, FinishReply::Stored { .. }), "{reply:?}");
    let target = case.target("job", 0).await.unwrap();
    (target.status, counted(&mut case).await)
}

async fn finish_done(act: Act) {
    let (status, counted) = finish(act, done("1")).await;

    assert_eq!(status, TargetStatus::Done);
    assert_eq!(counted.counters.targets_done, 1);
}

async fn finish_failed(act: Act) {
    let (status, counted) = finish(act, failed("broken")).await;

    assert_eq!(status, TargetStatus::Failed);
    assert_eq!(counted.counters.targets_failed, 1);
}

async fn finish_busy(act: Act) {
    let (status, counted) = finish(act, busy(HOUR)).await;

    assert_eq!(status, TargetStatus::Pending);
    assert_eq!(counted.counters.targets_retried_later, 1);
}

async fn finish_hand_back(act: Act) {
    let (status, counted) = finish(act, hand_back(HOUR)).await;

    assert_eq!(status, TargetStatus::Pending);
    assert_eq!(
        (counted.live, counted.counters.targets_retried_later),
        (1, 0)
    );
}

async fn finish_refuse(act: Act) {
    let (status, counted) = finish(act, Answer::Refuse).await;

    assert_eq!(status, TargetStatus::Pending);
    assert_eq!((counted.live, counted.counters.jobs_failed), (0, 1));
}

/// The finish that ends a job says so to both sendings.
async fn last_finish(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    case.enter("s").await.unwrap();
    case.make(job("job")).await.unwrap();
    let start = case.start("s").await.unwrap().start;
    let call = case.finish_call(&start, done("1"));

    let reply = place
        .twice(act, async || case.store().finish(call.clone()).await)
        .await;

    let FinishReply::Stored { ended, .. } = reply else {
        panic!("not stored: {reply:?}");
    };
    assert_eq!(ended.unwrap().status, JobStatus::Done);
    assert_eq!(counted(&mut case).await.counters.jobs_done, 1);
}

async fn turn(act: Act) {
    let place = Place::new().await;
    let mut case = Case::new(&place).await.unwrap();
    let start = with_a_start(&mut case).await;
    let call = Turn {
        finish: case.finish_call(&start, done("1")),
        take: case.take_call("s", "next"),
    };

    let reply = place
        .twice(act, async || case.store().turn(call.clone()).await)
        .await;

    assert!(matches!(reply.finish, FinishReply::Stored { .. }));
    let TakeReply::Started(next) = reply.take else {
        panic!("nothing started: {:?}", reply.take);
    };
    assert_eq!((next.start.index, next.start.fence), (1, 1));
    let counts = case.job("job").await.unwrap().counts;
    assert_eq!((counts.done, counts.running), (1, 1));
    counted(&mut case).await;
}

cut! {
    /// S2.1
    submit;
    /// R1.10
    stage;
    /// S2.2
    take;
    /// S2.3
    finish_done;
    /// S2.3
    finish_failed;
    /// S2.4
    finish_busy;
    /// S2.4
    finish_hand_back;
    /// S2.4
    finish_refuse;
    /// S2.3
    last_finish;
    /// S2.2, S2.3
    turn;
}
