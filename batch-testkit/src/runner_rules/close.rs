//! How a runner ends (R10).

use std::sync::Arc;
use std::time::Duration;

use batch_core::error::Error;
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::submission::Mode;

use super::crew::{clean, crew, outcomes};
use crate::breach::{Verdict, holds, same};
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan, drop_at_poll};

/// Long enough for a store on a busy machine, short enough for a test.
const LIMIT: Option<Duration> = Some(Duration::from_millis(300));

fn strike_all(fault: &FaultStore, what: Fault) {
    fault.plan(Plan {
        operation: None,
        call: 1,
        often: Often::FromThenOn,
        fault: what,
    });
}

/// R10.1, B26 A runner with nothing to do closes, with sixty-four waiting workers too.
pub async fn b26_an_idle_runner_closes_at_once(case: &mut Case<'_>) -> Verdict {
    let many = |config: &mut batch_core::config::Config| {
        config.worker_ceiling = 64;
        config.workers = 64;
        config.poll = Duration::from_hours(1);
    };
    let crew = crew(case).with(many).start().await?;

    let report = crew.runner.close(None).await;

    same(report, clean())?;
    same(case.sessions().await?.len(), 0)
}

/// R10.2, B26 What is in flight is stored, and nothing new starts.
pub async fn b26_an_outcome_that_arrives_is_stored(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.make(crew.job("a", 2).mode(Mode::Resume)).await?;
    let begun = crew.script.expect("a1").await?;
    let runner = crew.runner.clone();
    let closing = tokio::spawn(async move { runner.close(None).await });

    begun.signalled().await?;
    begun.done("ok");

    holds(
        closing.await.is_ok_and(|report| report == clean()),
        "a clean close",
    )?;
    holds(crew.script.begun().is_none(), "nothing new starts")?;
    same(
        outcomes(case, &id).await?,
        ["done ok", "pending"].map(String::from).to_vec(),
    )?;
    crew.close(case).await.map(|_| ())
}

/// R10.2 A try that fails after the signal is handed back, and tried by the next runner.
pub async fn an_error_after_the_signal_hands_back(case: &mut Case<'_>) -> Verdict {
    let mut first = crew(case).start().await?;
    let id = first.make(first.job("a", 1).mode(Mode::Resume)).await?;
    let begun = first.script.expect("a1").await?;
    let runner = first.runner.clone();
    let closing = tokio::spawn(async move { runner.close(None).await });
    begun.signalled().await?;
    begun.fails("stopped");
    holds(
        closing.await.is_ok_and(|report| report == clean()),
        "a clean close",
    )?;
    same(outcomes(case, &id).await?, vec!["pending".to_owned()])?;

    let mut second = crew(case).start().await?;
    let again = second.script.expect("a1").await?;

    same((again.attempt.fence, again.attempt.tries), (2, 1))?;
    again.done("ok");
    second.ends(&id, JobStatus::Done).await?;
    first.stop().await?;
    second.close(case).await.map(|_| ())
}

/// R10.1, B26 A fetch that ignores the signal is dropped at the deadline, and reported.
pub async fn b26_a_fetch_that_ignores_the_signal_is_left(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.make(crew.job("a", 1).mode(Mode::Resume)).await?;
    let mut begun = crew.script.expect("a1").await?;

    // Time enough to give the session back, on a busy machine too.
    let report = crew.runner.close(Some(Duration::from_secs(3))).await;

    let left: Vec<_> = report
        .unfinished
        .iter()
        .map(|start| (&start.job, start.index))
        .collect();
    same(left, vec![(&id, 0)])?;
    begun.dropped().await?;
    same(outcomes(case, &id).await?, vec!["pending".to_owned()])?;
    same(crew.heard.inflights(), vec![1, 0])?;
    same(crew.heard.depths(), vec![1, 0])
}

/// R10.1, B26 Without a store a close still ends by its deadline.
pub async fn b26_a_close_ends_in_time_without_a_store(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let mut crew = crew(case).on(store).start().await?;
    crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    strike_all(&fault, Fault::Stall);
    begun.done("ok");

    let report = crew.runner.close(LIMIT).await;

    same((report.unfinished.len(), report.gave_back), (1, false))?;
    fault.heal();
    fault.release();
    Ok(())
}

/// R10.1, B26 A store that refuses everything holds no close beyond its deadline.
pub async fn b26_a_close_ends_in_time_with_a_store_that_refuses(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let crew = crew(case).on(store).workers(4).start().await?;
    strike_all(&fault, Fault::Before(StoreErrorKind::Unavailable));

    let report = crew.runner.close(LIMIT).await;

    same((report.unfinished.len(), report.gave_back), (0, false))
}

/// R10.1, R10.2, R3.1 A submit that hangs leaves half of the time to the fetches.
pub async fn a_hanging_submit_leaves_time_to_the_fetches(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.make(crew.job("a", 1).mode(Mode::Resume)).await?;
    let begun = crew.script.expect("a1").await?;
    crew.spy.hold(Some("submit"));
    let _ = drop_at_poll(crew.runner.submit(crew.job("b", 1)), 1).await;
    let (runner, limit) = (crew.runner.clone(), Some(Duration::from_secs(2)));
    let closing = tokio::spawn(async move { runner.close(limit).await });

    begun.signalled().await?;
    begun.done("ok");

    let unfinished = closing.await.map(|report| report.unfinished.len());
    holds(matches!(unfinished, Ok(0)), "nothing in hand")?;
    crew.spy.hold(None);
    same(outcomes(case, &id).await?, vec!["done ok".to_owned()])
}

/// R10.1, R7.2 A close without any time ends at once, and so do the gauges.
pub async fn a_close_without_time_tells_the_gauges(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("a", 1).await?;
    let _begun = crew.script.expect("a1").await?;

    let report = crew.runner.close(Some(Duration::ZERO)).await;

    same(report.unfinished.len(), 1)?;
    same(crew.heard.inflights().last().copied(), Some(0))?;
    same(crew.heard.depths().last().copied(), Some(0))
}

/// R10.1, R1.8 A close waits for a submit that has begun.
pub async fn a_close_waits_for_begun_submits(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).start().await?;
    crew.spy.hold(Some("submit"));
    let (runner, request) = (crew.runner.clone(), crew.job("a", 1).mode(Mode::Resume));
    let submit = tokio::spawn(async move { runner.submit(request).await });
    crew.spy.more("submit", 1).await?;
    let runner = crew.runner.clone();
    let closing = tokio::spawn(async move { runner.close(None).await });
    crew.spy.more("renew", 3).await?;
    same(closing.is_finished(), false)?;

    crew.spy.hold(None);

    holds(
        submit.await.is_ok_and(|answer| answer.is_ok()),
        "the submit is answered",
    )?;
    drop(crew.script);
    holds(
        closing.await.is_ok_and(|report| report.gave_back),
        "a clean close",
    )
}

/// R10.3, R1.7 Pinned jobs end as interrupted, shared ones stay.
pub async fn pinned_jobs_end_and_shared_ones_stay(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let pinned = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    let shared = crew.make(crew.job("b", 1).mode(Mode::Resume)).await?;
    let queued = crew.submit("c", 1).await?;
    drop(begun);

    let heard = crew.close(case).await?;

    let queued = case.job(queued.as_str()).await?;
    same(
        (queued.status, queued.error.as_deref()),
        (JobStatus::Failed, Some("interrupted")),
    )?;
    holds(
        case.job(pinned.as_str()).await?.status.is_terminal(),
        "the pinned job has ended",
    )?;
    holds(
        case.job(shared.as_str()).await?.status.is_live(),
        "the shared job is live",
    )?;
    holds(heard.ended(JobStatus::Failed) >= 1, "the ending is told")
}

/// R10.4 After the close only submits are refused.
pub async fn after_the_close_only_submits_are_refused(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("x", 1).await?;
    let held = crew.script.expect("x1").await?;
    let id = crew.make(crew.job("a", 1).mode(Mode::Resume)).await?;
    let runner = crew.runner.clone();
    let closing = tokio::spawn(async move { runner.close(None).await });
    held.signalled().await?;
    held.done("ok");
    holds(
        closing.await.is_ok_and(|report| report == clean()),
        "a clean close",
    )?;
    let request = super::crew::list(case.markers(), "b", 1);
    let caller = Arc::new(batch_core::caller::PlainCaller::new("ann"));
    let request = batch_core::submission::Submission::new(caller, request);

    let submit = crew.runner.submit(request).await;

    holds(matches!(submit, Err(Error::Closed)), "Closed")?;
    same(crew.runner.status(&id).await?.id, id.clone())?;
    holds(crew.runner.touch(&id).await?, "the job exists")?;
    holds(crew.runner.cancel(&id).await?, "the job was live")?;
    case.recount().await
}

/// R10.5, B26 A close may be called twice, at once, and given up half way.
pub async fn b26_a_close_may_be_repeated_and_dropped(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;

    let dropped = drop_at_poll(crew.runner.close(None), 1).await;
    let (one, other) = (crew.runner.clone(), crew.runner.clone());
    let one = tokio::spawn(async move { one.close(None).await });
    let other = tokio::spawn(async move { other.close(None).await });
    begun.done("ok");

    holds(dropped.is_none(), "the close was under way")?;
    holds(
        one.await.is_ok_and(|report| report == clean()),
        "a clean close",
    )?;
    holds(
        other.await.is_ok_and(|report| report == clean()),
        "the same close",
    )?;
    same(crew.runner.close(LIMIT).await, clean())?;
    case.recount().await
}

/// R10.5 Dropping the last handle closes.
pub async fn dropping_the_last_handle_closes(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;
    let begun = crew.script.expect("a1").await?;
    let watched = crew.runner.watch(&id, 0);

    drop(crew.runner);
    begun.signalled().await?;
    begun.done("ok");

    crew.spy.reached("reap", 1).await?;
    drop(watched);
    let job = case.job(id.as_str()).await?;
    same((job.status, job.counts.done), (JobStatus::Failed, 1))
}

/// R10.3, R9.2 A lost reply of the last renewal does not keep the session.
pub async fn a_lost_renewal_does_not_keep_the_session(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let crew = crew(case).on(store).start().await?;
    fault.plan(Plan {
        operation: Some("renew"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::After,
    });
    crew.spy.more("renew", 2).await?;
    fault.heal();

    let report = crew.runner.close(None).await;

    same(report, clean())?;
    same(case.sessions().await?.len(), 0)
}
