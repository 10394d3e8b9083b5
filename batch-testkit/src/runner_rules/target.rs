//! One try of one target: panics, results, limits and names (R3).

use std::future::Ready;
use std::sync::Arc;
use std::time::Duration;

use batch_core::caller::{BoxError, Caller};
use batch_core::fetch::{Attempt, CancelSignal, Json, TargetError};
use batch_core::state::JobStatus;
use batch_core::target::RawTarget;

use super::crew::{crew, now, outcomes};
use crate::breach::{Verdict, present, same};
use crate::case::Case;
use crate::clocks::ManualClock;

/// Panics once more when it is dropped.
#[derive(Debug)]
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::panic_any("dropped");
        }
    }
}

impl std::fmt::Display for Bomb {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bomb")
    }
}

impl std::error::Error for Bomb {}

/// R3.1, B25 A panic of any sort fails its target, and its worker goes on.
pub async fn b25_a_panic_fails_its_target_only(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 6).await?;

    crew.script.expect("a1").await?.panics();
    crew.script.expect("a2").await?.panics_with("a text");
    crew.script.expect("a3").await?.done("ok");
    crew.script.expect("a4").await?.panics_with(42_u32);
    crew.script.expect("a5").await?.panics_with(Bomb);
    crew.script.expect("a6").await?.done("ok");

    crew.ends(&id, JobStatus::Partial).await?;
    let (failed, done) = ("failed internal error", "done ok");
    let expected = [failed, failed, done, failed, failed, done]
        .map(String::from)
        .to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

/// R3.1, B25 An error that panics when it is dropped ends no worker.
pub async fn b25_an_error_that_panics_when_dropped_ends_no_worker(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;

    crew.script.expect("a1").await?.says(|| Err(Box::new(Bomb)));
    crew.script.expect("a2").await?.done("ok");

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["failed bomb", "done ok"].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

fn no_future(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Ready<Result<(), BoxError>> {
    std::panic::panic_any(target.url)
}

/// R3.1, B25 A panic before there is a future is like any other.
pub async fn b25_a_panic_before_the_first_await_fails_its_target(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).run(no_future).await?;

    let id = crew.submit("a", 2).await?;

    crew.ends(&id, JobStatus::Failed).await?;
    let expected = ["failed internal error"; 2].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

async fn panicking_task(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Result<(), BoxError> {
    // A text, since of any other panic its task tells nothing.
    let work = tokio::task::spawn_blocking(move || std::panic::panic_any(target.url));
    Ok(work.await?)
}

/// R3.1, B25 A panic of a task that the fetch began is like any other.
pub async fn b25_a_panic_of_blocking_work_keeps_what_it_carries(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).run(panicking_task).await?;

    let id = crew.submit("a", 2).await?;

    crew.ends(&id, JobStatus::Failed).await?;
    let expected = ["failed internal error"; 2].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

/// R3.1, B25 After a hundred panics on four workers, four still run at once.
pub async fn b25_four_workers_survive_a_hundred_panics(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).workers(4).start().await?;
    let panics = crew.make(crew.job("a", 100).width(4)).await?;
    for _ in 0..100 {
        crew.script.next().await?.panics();
    }
    crew.ends(&panics, JobStatus::Failed).await?;

    let id = crew.make(crew.job("b", 4).width(4)).await?;
    let four = [
        crew.script.next().await?,
        crew.script.next().await?,
        crew.script.next().await?,
        crew.script.next().await?,
    ];

    for begun in four {
        begun.done("ok");
    }
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R3.3, R3.4 A result, an error with a hint and any other error are stored and told.
pub async fn every_answer_is_stored_and_told(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 3).await?;
    let text = |place: &str| case.markers().text(place);
    let error = TargetError::new(text("gone"))
        .with_hint(text("look"))
        .with_status(404);

    crew.script.expect("a1").await?.done("ok");
    crew.script.expect("a2").await?.fails_with(error);
    crew.script.expect("a3").await?.fails("no");

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["done ok", "failed gone (look)", "failed no"]
        .map(String::from)
        .to_vec();
    let told = vec![
        (None, text("ok").len() + 2),
        (Some(text("gone")), 0),
        (Some(text("no")), 0),
    ];
    same(outcomes(case, &id).await?, expected)?;
    same(crew.close(case).await?.targets(), told)
}

/// R3.5 A try that takes too long is dropped.
pub async fn a_try_over_its_time_is_dropped(case: &mut Case<'_>) -> Verdict {
    let limit = Some(Duration::from_millis(20));
    let mut crew = crew(case)
        .with(|config| config.target_timeout = limit)
        .start()
        .await?;
    let id = crew.submit("a", 1).await?;

    let mut begun = crew.script.expect("a1").await?;
    begun.dropped().await?;

    crew.ends(&id, JobStatus::Failed).await?;
    same(
        outcomes(case, &id).await?,
        vec!["failed timed out".to_owned()],
    )?;
    crew.close(case).await.map(|_| ())
}

/// R3.5 A try that blocks its thread beyond its time is late when it ends.
pub async fn a_try_that_blocks_beyond_its_time_is_late(case: &mut Case<'_>) -> Verdict {
    let clock = Arc::new(ManualClock::new(now()));
    let mut crew = crew(case)
        .clock(clock.clone())
        .with(|config| config.target_timeout = Some(Duration::from_secs(1)))
        .start()
        .await?;
    let id = crew.submit("a", 1).await?;

    let begun = crew.script.expect("a1").await?;
    crew.turn(|| {
        begun.says(move || {
            clock.advance(Duration::from_secs(2));
            Ok(Json::of(&"late")?)
        });
    })
    .await?;

    same(
        outcomes(case, &id).await?,
        vec!["failed timed out".to_owned()],
    )?;
    crew.close(case).await.map(|_| ())
}

/// R3.6 A result of the limit is stored, one byte more fails its target.
pub async fn a_result_over_the_limit_fails_its_target(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .with(|config| config.max_result_bytes = 1_000)
        .start()
        .await?;
    let id = crew.submit("a", 2).await?;

    crew.script.expect("a1").await?.result(1_000);
    crew.script.expect("a2").await?.result(1_001);

    crew.ends(&id, JobStatus::Partial).await?;
    let texts = outcomes(case, &id).await?;
    same(
        texts.last().map(String::as_str),
        Some("failed result too large"),
    )?;
    same(
        crew.close(case).await?.targets().first().map(|told| told.1),
        Some(1_000),
    )
}

/// R3.7 A fetch is told its job, index, fence and try.
pub async fn a_fetch_knows_its_attempt(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;
    crew.script.expect("a1").await?.done("ok");
    let first = crew.script.expect("a2").await?;
    let names = first.attempt.clone();
    first.busy();

    let second = crew.script.expect("a2").await?;

    same(
        (
            names.job,
            names.index,
            names.origin,
            names.fence,
            names.tries,
        ),
        (id.clone(), 1, 1, 1, 1),
    )?;
    same((second.attempt.fence, second.attempt.tries), (2, 2))?;
    same(second.caller.name(), case.markers().text("caller").as_str())?;
    same(
        second.options.as_str(),
        format!(r#"{{"{}":2}}"#, case.markers().text("option")).as_str(),
    )?;
    second.done("ok");
    let job = crew.ends(&id, JobStatus::Done).await?;
    let last = present(case.all_targets(job.id.as_str()).await?.pop(), "a target")?;
    same(last.tries, 2)?;
    crew.close(case).await.map(|_| ())
}

/// R3.4, S7 Results over the budget are evicted in the background, the newest job stays.
pub async fn results_over_the_budget_are_evicted(case: &mut Case<'_>) -> Verdict {
    let budget = |config: &mut batch_core::config::Config| {
        config.max_bytes = 4_000;
        config.max_result_bytes = 10_000;
    };
    let mut crew = crew(case).with(budget).start().await?;
    let old = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.result(3_000);
    crew.ends(&old, JobStatus::Done).await?;
    same(crew.spy.calls("evict"), 0)?;

    let new = crew.submit("b", 1).await?;
    crew.script.expect("b1").await?.result(3_000);
    crew.spy.reached("evict", 1).await?;

    crew.ends(&new, JobStatus::Done).await?;
    same(case.job(old.as_str()).await?.evicted, true)?;
    same(case.job(new.as_str()).await?.evicted, false)?;
    let gone = crew.runner.rerun(
        crew.caller("caller"),
        &old,
        batch_core::submission::Selection::Failed,
    );
    same(
        matches!(gone.await, Err(batch_core::error::Error::Evicted)),
        true,
    )?;
    crew.close(case).await.map(|_| ())
}

/// R3.6, R6.2 A result of a hundred megabytes is stored and read.
pub async fn a_huge_result_is_stored(case: &mut Case<'_>) -> Verdict {
    let bytes = 100 << 20;
    let large = |config: &mut batch_core::config::Config| config.max_bytes = 1 << 30;
    let mut crew = crew(case).with(large).start().await?;
    let id = crew.submit("a", 1).await?;

    crew.script.expect("a1").await?.result(bytes);

    let job = crew.ends(&id, JobStatus::Done).await?;
    same(job.bytes >= bytes as u64, true)?;
    crew.close(case).await.map(|_| ())
}

fn blocking(
    _: Attempt,
    _: CancelSignal,
    _: Arc<dyn Caller>,
    target: RawTarget,
) -> Ready<Result<String, BoxError>> {
    let (_silent, never) = std::sync::mpsc::channel::<()>();
    let _ = never.recv_timeout(Duration::from_millis(200));
    std::future::ready(Ok(target.url))
}

/// R9.2, R8.1, B44 A fetch that blocks its thread harms nobody else.
pub async fn b44_a_fetch_that_blocks_its_thread_harms_nobody(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case).run(blocking).await?;
    let id = crew.submit("a", 1).await?;

    crew.spy.more("renew", 3).await?;

    crew.ends(&id, JobStatus::Done).await?;
    same(crew.runner.tally().superseded, 0)?;
    crew.close(case).await.map(|_| ())
}
