//! Settings, and the runtime that a runner lives on (R11).

use std::sync::Arc;
use std::time::Duration;

use batch_core::config::Config;
use batch_core::id::Kind;
use batch_core::runner::Runner;
use batch_core::state::JobStatus;
use batch_core::store::call::Halt;

use super::crew::crew;
use crate::breach::{Failure, Verdict, same};
use crate::case::Case;
use crate::script::{SOON, echo};
use crate::spy::SpyStore;

/// R11.3, B49 Every setting at its greatest: the runner works, and closes.
pub async fn b49_absurd_settings_are_clamped(case: &mut Case<'_>) -> Verdict {
    let absurd = |config: &mut Config| {
        *config = Config {
            kind: Kind::default(),
            ttl: Duration::MAX,
            targets_per_job: u64::MAX,
            jobs_per_caller: u64::MAX,
            jobs_total: u64::MAX,
            workers: usize::MAX,
            worker_ceiling: usize::MAX,
            max_bytes: u64::MAX,
            max_result_bytes: u64::MAX,
            retry_wait: Duration::MAX,
            retry_for: Duration::MAX,
            store_retry_for: Duration::MAX,
            beat: Duration::MAX,
            missed_beats: u32::MAX,
            max_losses: u32::MAX,
            poll: Duration::MAX,
            sweep_every: Duration::MAX,
            max_width: u32::MAX,
            target_timeout: Some(Duration::MAX),
            halt: Halt::Percent(u8::MAX),
            host: String::new(),
        };
    };
    let mut crew = crew(case).with(absurd).start().await?;
    let id = crew
        .make(crew.job("a", 2).width(u32::MAX).ttl(Duration::MAX))
        .await?;

    crew.script.next().await?.busy();
    crew.script.run(1).await?;

    same(case.job(id.as_str()).await?.status, JobStatus::Running)?;
    crew.close(case).await.map(|_| ())
}

/// R11.3, B49 Every wait at its least: nothing spins and nothing fails.
pub async fn b49_the_least_settings_work(case: &mut Case<'_>) -> Verdict {
    let nano = Duration::from_nanos(1);
    let least = |config: &mut Config| {
        config.ttl = nano;
        config.poll = nano;
        config.retry_wait = nano;
        config.sweep_every = nano;
    };
    let mut crew = crew(case).with(least).start().await?;
    let id = crew.submit("a", 2).await?;

    crew.script.expect("a1").await?.busy();
    crew.script.run(2).await?;

    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R11.1 With nothing set the defaults hold.
pub async fn nothing_set_means_the_defaults(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .with(|config| *config = Config::default())
        .start()
        .await?;

    let id = crew.submit("a", 32).await?;
    let many = crew.try_submit(crew.job_of("other", "b", 33)).await;
    let second = crew.try_submit(crew.job("c", 1)).await;

    same(
        many.is_err_and(|error| error.to_string().contains("32")),
        true,
    )?;
    same(second.is_err(), true)?;
    same(case.job(id.as_str()).await?.ttl, Duration::from_hours(24))?;
    crew.script.run(32).await?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R8.1, B44 A runner lives on a runtime of one thread.
pub async fn b44_one_thread_is_enough(case: &mut Case<'_>) -> Verdict {
    let store = case.store().clone();
    let targets = super::crew::list(case.markers(), "a", 20);
    let alone = std::thread::spawn(move || on_one_thread(store, targets));

    let done = tokio::task::spawn_blocking(move || alone.join()).await;

    match done {
        Ok(Ok(done)) => same(done?, 20)?,
        _ => return Err(Failure::broken("an end", "a panic")),
    }
    case.recount().await
}

fn on_one_thread(
    store: std::sync::Arc<dyn batch_core::store::Store>,
    targets: Vec<batch_core::store::call::NewTarget>,
) -> Verdict<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| Failure::Harness(error.to_string()))?;
    runtime.block_on(async {
        let runner = Runner::builder(store, echo).start().await?;
        let caller = std::sync::Arc::new(batch_core::caller::PlainCaller::new("ann"));
        let request = batch_core::submission::Submission::new(caller, targets);
        let made = runner.submit(request).await?;
        let job = runner.wait(&made.id, Some(SOON)).await?;
        runner.close(Some(SOON)).await;
        Ok(job.counts.done)
    })
}

/// R11.4 A submit is followed by a sweep, every beat by a look for dead sessions.
pub async fn sweeps_follow_submits_and_looks_follow_beats(case: &mut Case<'_>) -> Verdict {
    let spy = Arc::new(SpyStore::new(case.store().clone()));
    let rare = |config: &mut Config| config.sweep_every = Duration::from_hours(1);
    let mut crew = crew(case).on(spy.clone()).with(rare).start().await?;
    let before = spy.calls("sweep");

    let id = crew.submit("a", 1).await?;
    crew.script.run(1).await?;

    spy.reached("sweep", before + 1).await?;
    spy.more("sessions", 3).await?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R11.4 Old jobs are swept now and then, without any submit.
pub async fn sweeps_follow_each_other(case: &mut Case<'_>) -> Verdict {
    let spy = Arc::new(SpyStore::new(case.store().clone()));
    let often = |config: &mut Config| config.sweep_every = Duration::from_millis(5);

    let crew = crew(case).on(spy.clone()).with(often).start().await?;

    spy.more("sweep", 3).await?;
    crew.close(case).await.map(|_| ())
}
