//! Submits that race, from two runners (R1.6).

use std::sync::Arc;
use std::time::Duration;

use batch_core::config::Config;
use batch_core::error::Error;
use batch_core::id::SessionId;
use batch_core::runner::Runner;
use batch_core::store::Store;
use batch_core::store::call::{Enter, Recovery};
use batch_core::submission::{Submission, Submitted};
use tokio::task::JoinSet;

use super::crew::{Crew, crew, now};
use crate::breach::{Failure, Verdict, holds, same};
use crate::calls;
use crate::case::Case;
use crate::fault::{Fault, FaultStore, Often, Plan};

/// Sends all at once, alternating between the runners.
async fn all_at_once(
    runners: [&Runner; 2],
    submissions: Vec<Submission>,
) -> Verdict<Vec<Result<Submitted, Error>>> {
    let mut set = JoinSet::new();
    for (submission, runner) in submissions.into_iter().zip(runners.into_iter().cycle()) {
        let runner = runner.clone();
        set.spawn(async move { runner.submit(submission).await });
    }
    let mut answers = Vec::new();
    while let Some(answer) = set.join_next().await {
        answers.push(answer.map_err(|error| Failure::Harness(error.to_string()))?);
    }
    Ok(answers)
}

async fn pair(case: &Case<'_>, per_caller: u64, total: u64) -> Verdict<(Crew, Crew)> {
    let caps = |config: &mut batch_core::config::Config| {
        config.jobs_per_caller = per_caller;
        config.jobs_total = total;
    };
    let one = crew(case).with(caps).start().await?;
    let other = crew(case)
        .with(caps)
        .on(case.second().await?)
        .start()
        .await?;
    Ok((one, other))
}

/// R1.6, B08 Fifty equal submits of two runners make one job.
pub async fn b08_equal_submits_at_once_make_one_job(case: &mut Case<'_>) -> Verdict {
    let (one, other) = pair(case, 1, 1).await?;
    let equal = (0..50).map(|_| one.job("a", 2)).collect();

    let answers = all_at_once([&one.runner, &other.runner], equal).await?;

    let submitted: Vec<_> = answers.into_iter().collect::<Result<_, _>>()?;
    let made = submitted.iter().filter(|answer| !answer.reused).count();
    same(made, 1)?;
    holds(
        submitted
            .windows(2)
            .all(|two| two.first().map(|s| &s.id) == two.last().map(|s| &s.id)),
        "one id",
    )?;
    same(case.listed().await?.len(), 1)?;
    one.stop().await?;
    other.close(case).await.map(|_| ())
}

/// R1.6, R1.4, B11 Sixty-four different submits of two callers fill the caps and no more.
pub async fn b11_different_submits_at_once_keep_the_caps(case: &mut Case<'_>) -> Verdict {
    let (one, other) = pair(case, 3, 5).await?;
    let different = (0..32)
        .flat_map(|n| ["ann", "bob"].map(|caller| one.job_of(caller, &format!("{n}-"), 1)))
        .collect();

    let answers = all_at_once([&one.runner, &other.runner], different).await?;

    let made = answers.iter().filter(|answer| answer.is_ok()).count();
    let refused = answers
        .iter()
        .filter(|answer| matches!(answer, Err(Error::CallerBusy | Error::Busy)))
        .count();
    same((made, refused), (5, 59))?;
    let ann = case.stats_of("", Some(&case.markers().text("ann"))).await?;
    same(ann.kind.live, 5)?;
    holds(
        ann.caller_live == 2 || ann.caller_live == 3,
        "two or three of each caller",
    )?;
    one.stop().await?;
    other.close(case).await.map(|_| ())
}

/// R1.11, B10 A refusal does not count if the dead session behind it is given back meanwhile.
pub async fn b10_a_refusal_does_not_outlive_a_dead_session(case: &mut Case<'_>) -> Verdict {
    let fault = Arc::new(FaultStore::new(case.store().clone()));
    let store: Arc<dyn Store> = fault.clone();
    fault.plan(Plan {
        operation: Some("reap"),
        call: 1,
        often: Often::FromThenOn,
        fault: Fault::Stall,
    });
    let dead = Enter {
        beat_length: Duration::from_millis(1),
        now: now(),
        ..calls::enter(&SessionId::from("dead"))
    };
    case.store().enter(dead.clone()).await?;
    let cap = |config: &mut Config| config.jobs_per_caller = 1;
    let mut crew = crew(case).on(store).impatient().with(cap).start().await?;
    let mut pinned = calls::submit("pinned", vec![calls::target("u")]);
    pinned.caller.name = crew.caller("caller").name().to_owned();
    pinned.settings.recovery = Recovery::Interrupt {
        session: dead.session,
    };
    pinned.now = now();
    case.store().submit(pinned).await?;
    crew.spy.hold(Some("submit"));
    let (runner, job) = (crew.runner.clone(), crew.job("a", 1));
    let submit = tokio::spawn(async move { runner.submit(job).await });
    crew.spy.reached("submit", 1).await?;

    fault.heal();
    fault.release();
    crew.spy.reached("reap", 1).await?;
    crew.spy.more("renew", 2).await?;
    crew.spy.hold(None);

    holds(
        submit.await.is_ok_and(|made| made.is_ok()),
        "the job is made",
    )?;
    let begun = crew.script.expect("a1").await?;
    crew.turn(|| begun.done("ok")).await?;
    crew.close(case).await.map(|_| ())
}
