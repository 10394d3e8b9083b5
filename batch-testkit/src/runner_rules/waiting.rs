//! What waiting costs: no worker and no store call (R2.5, R2.6).

use std::time::Duration;

use batch_core::state::JobStatus;

use super::crew::crew;
use crate::breach::{Verdict, holds};
use crate::case::Case;

const HOUR: Duration = Duration::from_hours(1);

/// R2.5, R2.6, B20 A job that waits leaves its worker to the others.
pub async fn b20_a_waiting_job_holds_no_worker(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.busy_for(HOUR);

    let other = crew.submit("b", 3).await?;
    crew.script.run(3).await?;

    crew.ends(&other, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.6 A runner with nothing but waiting jobs asks once per poll.
pub async fn waiting_jobs_cause_no_store_calls(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .workers(8)
        .with(|config| config.poll = HOUR)
        .start()
        .await?;
    crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.busy_for(HOUR);
    crew.spy.more("renew", 2).await?;
    let (takes, turns) = (crew.spy.calls("take"), crew.spy.calls("turn"));

    crew.spy.more("renew", 15).await?;

    holds(crew.spy.calls("take") - takes <= 2, "next to no takes")?;
    holds(crew.spy.calls("turn") == turns, "no turns")?;
    crew.close(case).await.map(|_| ())
}

/// R2.6 Of many idle workers one asks.
pub async fn many_idle_workers_ask_like_one(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case)
        .workers(16)
        .with(|config| config.poll = HOUR)
        .start()
        .await?;

    crew.spy.more("renew", 10).await?;

    holds(crew.spy.calls("take") <= 3, "one take, not one per worker")?;
    crew.close(case).await.map(|_| ())
}

/// R2.6 An idle runner asks about once per poll.
pub async fn an_idle_runner_asks_once_per_poll(case: &mut Case<'_>) -> Verdict {
    let second = Duration::from_millis(40);
    let idle = |config: &mut batch_core::config::Config| {
        config.poll = second;
        config.beat = second;
    };
    let crew = crew(case).workers(4).with(idle).start().await?;

    crew.spy.more("renew", 10).await?;

    holds(
        crew.spy.calls("take") <= 20,
        "no more than two takes a poll",
    )?;
    crew.close(case).await.map(|_| ())
}

/// R2.6, R1.9 A submit wakes an idle worker at once.
pub async fn a_submit_wakes_an_idle_worker(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .workers(2)
        .with(|config| config.poll = HOUR)
        .start()
        .await?;
    crew.spy.more("renew", 3).await?;

    let id = crew.submit("a", 1).await?;

    crew.script.expect("a1").await?.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.6, R2.1 Without any poll every worker finds its work.
pub async fn no_worker_needs_a_poll(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .workers(3)
        .with(|config| config.poll = HOUR)
        .start()
        .await?;
    let a = crew.submit("a", 30).await?;
    let b = crew.submit("b", 30).await?;
    let c = crew.make(crew.job("c", 30).width(3)).await?;

    crew.script.run(90).await?;

    crew.ends(&a, JobStatus::Done).await?;
    crew.ends(&b, JobStatus::Done).await?;
    crew.ends(&c, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}
