//! Submits that race, from two runners (R1.6).

use batch_core::error::Error;
use batch_core::runner::Runner;
use batch_core::submission::{Submission, Submitted};
use tokio::task::JoinSet;

use super::crew::{Crew, crew};
use crate::breach::{Failure, Verdict, holds, same};
use crate::case::Case;

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
