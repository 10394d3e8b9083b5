//! Following a job, and waiting for its end (R13).

use std::sync::Arc;
use std::time::Duration;

use batch_core::error::Error;
use batch_core::runner::{Event, Watch};
use batch_core::state::JobStatus;
use batch_core::store::Store;
use batch_core::store::error::StoreErrorKind;
use batch_core::submission::Mode;

use super::crew::crew;
use crate::breach::{Verdict, same, unlike};
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan};
use crate::script::SOON;

/// The names of all events to the last; a stored target by its index.
async fn events(watch: &mut Watch) -> Verdict<Vec<String>> {
    let mut names = Vec::new();
    loop {
        let next = match tokio::time::timeout(SOON, watch.next()).await {
            Ok(next) => next?,
            Err(_) => return unlike(&names, "a last event"),
        };
        match next {
            Some(Event::Started { .. }) => names.push("started".to_owned()),
            Some(Event::Stored(target)) => names.push(format!("stored {}", target.index)),
            Some(Event::Ended(job)) => names.push(format!("ended {}", job.status)),
            None => return Ok(names),
        }
    }
}

/// R13.1 Events come in order, to one who watches from the start and from any point.
pub async fn events_come_in_order_from_any_point(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).workers(2).start().await?;
    let id = crew.make(crew.job("a", 3).width(2)).await?;
    let mut watch = crew.runner.watch(&id, 0);
    let following = tokio::spawn(async move { events(&mut watch).await });
    let (one, two) = (crew.script.next().await?, crew.script.next().await?);
    let (first, second) = (one.attempt.index, two.attempt.index);

    crew.turn(|| two.done("ok")).await?;
    crew.script.expect("a3").await?.done("ok");
    crew.spy.more("take", 2).await?;
    one.done("ok");
    crew.ends(&id, JobStatus::Done).await?;

    let all = [
        "started".to_owned(),
        format!("stored {second}"),
        "stored 2".to_owned(),
        format!("stored {first}"),
        "ended done".to_owned(),
    ];
    same(following.await.ok().transpose()?, Some(all.to_vec()))?;
    let late = events(&mut crew.runner.watch(&id, 2)).await?;
    same(Some(late.as_slice()), all.get(3..))?;
    crew.close(case).await.map(|_| ())
}

/// R13.1, R13.2 A runner sees what another one does.
pub async fn a_job_is_followed_from_another_runner(case: &mut Case<'_>) -> Verdict {
    let mut one = crew(case).start().await?;
    one.submit("x", 1).await?;
    let held = one.script.next().await?;
    let mut other = crew(case).on(case.second().await?).start().await?;
    let id = one.make(one.job("a", 2).mode(Mode::Resume)).await?;
    let mut watch = one.runner.watch(&id, 0);

    other.script.run(2).await?;
    let seen = events(&mut watch).await?;

    let expected = ["started", "stored 0", "stored 1", "ended done"]
        .map(String::from)
        .to_vec();
    same(seen, expected)?;
    one.ends(&id, JobStatus::Done).await?;
    drop(held);
    other.stop().await?;
    one.close(case).await.map(|_| ())
}

/// R13.1 A cancelled job ends for its watchers when nothing of it is in flight.
pub async fn a_watch_of_a_cancelled_job_sees_its_last_outcome(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;
    let held = crew.script.next().await?;
    let mut watch = crew.runner.watch(&id, 0);
    crew.runner.cancel(&id).await?;

    held.done("late");

    let expected = ["started", "stored 0", "ended cancelled"]
        .map(String::from)
        .to_vec();
    same(events(&mut watch).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

/// R13.1 A job that starts and goes on between two reads of its watch has started first.
pub async fn a_job_that_starts_between_two_reads_has_started_first(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("x", 1).await?;
    let held = crew.script.next().await?;
    let id = crew.submit("a", 1).await?;
    let reads = crew.spy.calls("job");
    crew.spy.hold(Some("job"));
    let mut watch = crew.runner.watch(&id, 0);
    let following = tokio::spawn(async move { events(&mut watch).await });
    crew.spy.reached("job", reads + 1).await?;

    let turns = crew.spy.calls("turn");
    held.done("ok");
    crew.script.expect("a1").await?.done("ok");
    crew.spy.reached("turn", turns + 2).await?;
    crew.spy.hold(None);

    let expected = ["started", "stored 0", "ended done"].map(String::from);
    same(following.await.ok().transpose()?, Some(expected.to_vec()))?;
    crew.close(case).await.map(|_| ())
}

/// R13.2 A wait ends with its time, and reads the job as it is.
pub async fn a_wait_ends_with_its_time(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 1).await?;
    let held = crew.script.next().await?;

    let none = crew.runner.wait(&id, Some(Duration::ZERO)).await?;
    let brief = crew
        .runner
        .wait(&id, Some(Duration::from_millis(20)))
        .await?;

    same(
        (none.status, brief.status),
        (JobStatus::Running, JobStatus::Running),
    )?;
    held.done("ok");
    same(
        crew.runner.wait(&id, Some(Duration::MAX)).await?.status,
        JobStatus::Done,
    )?;
    crew.close(case).await.map(|_| ())
}

/// R13.2, R8.2 A wait ends with its time although the store says nothing.
pub async fn a_wait_ends_with_its_time_without_a_store(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    let mut crew = crew(case).on(store).start().await?;
    let id = crew.submit("a", 1).await?;
    let begun = crew.script.expect("a1").await?;
    fault.plan(Plan {
        operation: Some("job"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::Stall,
    });

    let waited = crew.runner.wait(&id, Some(Duration::from_millis(1))).await;

    let kind = match &waited {
        Err(Error::Store(error)) => Some(error.kind()),
        _ => None,
    };
    same(kind, Some(StoreErrorKind::Unavailable))?;
    fault.heal();
    fault.release();
    begun.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}
