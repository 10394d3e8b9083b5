//! Targets that are only busy (R3.2).

use std::sync::Arc;
use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::submission::Mode;

use super::crew::{crew, outcomes};
use crate::breach::{Failure, Verdict, holds, present, same};
use crate::case::Case;
use crate::clocks::ShiftedClock;

const MINUTE: Duration = Duration::from_mins(1);

/// A clock whose hour the rule sets, on a store that heeds it.
fn shifted(case: &Case<'_>) -> Verdict<Arc<ShiftedClock>> {
    if case.capabilities().store_time.is_some() {
        let why = "the store has a clock of its own, which the kit cannot move";
        return Err(Failure::NotOffered(why.to_owned()));
    }
    Ok(Arc::default())
}

/// R3.2, B19 A busy target is tried until it answers, and its tries are counted.
pub async fn b19_a_busy_target_is_tried_until_it_answers(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;

    crew.script.expect("a1").await?.busy();
    crew.script.expect("a1").await?.busy();
    let third = crew.script.expect("a1").await?;

    same(third.attempt.tries, 3)?;
    third.done("ok");
    crew.script.expect("a2").await?.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    let tries: Vec<_> = case
        .all_targets(id.as_str())
        .await?
        .iter()
        .map(|t| t.tries)
        .collect();
    same(tries, vec![3, 1])?;
    same(case.stats().await?.counters.targets_retried_later, 2)?;
    same(crew.close(case).await?.targets().len(), 2)
}

/// R3.2, B19 Busy at `retry_for` after the first busy answer, a target is given up.
pub async fn b19_a_target_is_given_up_when_its_time_is_over(case: &mut Case<'_>) -> Verdict {
    let clock = shifted(case)?;
    let recipe = crew(case)
        .clock(clock.clone())
        .with(|config| config.retry_for = MINUTE);
    let mut crew = recipe.start().await?;
    let id = crew.submit("a", 2).await?;
    let first = crew.script.expect("a1").await?;
    crew.turn(|| first.busy()).await?;
    clock.forward(Duration::from_secs(50));
    let second = crew.script.expect("a1").await?;
    crew.turn(|| second.busy()).await?;
    clock.forward(Duration::from_secs(10));

    crew.script.expect("a1").await?.busy();
    crew.script.expect("a2").await?.done("ok");

    crew.ends(&id, JobStatus::Partial).await?;
    let expected = ["failed busy", "done ok"].map(String::from).to_vec();
    same(outcomes(case, &id).await?, expected)?;
    crew.close(case).await.map(|_| ())
}

/// R3.2, S15, B22 A clock that goes back gives no target up.
pub async fn b22_a_clock_that_goes_back_gives_nothing_up(case: &mut Case<'_>) -> Verdict {
    let clock = shifted(case)?;
    let recipe = crew(case)
        .clock(clock.clone())
        .with(|config| config.retry_for = MINUTE);
    let mut crew = recipe.start().await?;
    let id = crew.submit("a", 1).await?;
    clock.forward(Duration::from_hours(2));
    crew.script.expect("a1").await?.busy();
    let second = crew.script.expect("a1").await?;
    clock.back(Duration::from_hours(2));

    second.busy();
    clock.forward(Duration::from_hours(2));
    crew.script.expect("a1").await?.done("ok");

    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R3.2 The wait of the error counts when it is longer, up to what is left.
pub async fn a_longer_wait_is_honoured_within_its_limit(case: &mut Case<'_>) -> Verdict {
    let clock = shifted(case)?;
    let recipe = crew(case)
        .clock(clock.clone())
        .with(|config| config.retry_for = 9 * MINUTE);
    let mut crew = recipe.start().await?;
    let within = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.busy_for(2 * MINUTE);
    let beyond = crew.submit("b", 1).await?;
    let begun = crew.script.expect("b1").await?;
    crew.turn(|| begun.busy_for(Duration::from_hours(1)))
        .await?;
    crew.spy.more("take", 2).await?;

    let wait =
        |target: batch_core::store::view::Target| Some(target.due?.since(target.busy_since?));
    same(
        wait(case.target(within.as_str(), 0).await?),
        Some(2 * MINUTE),
    )?;
    same(
        wait(case.target(beyond.as_str(), 0).await?),
        Some(9 * MINUTE),
    )?;
    holds(
        crew.script.begun().is_none(),
        "neither is tried before its time",
    )?;
    clock.forward(2 * MINUTE);
    crew.script.expect("a1").await?.done("ok");
    clock.forward(7 * MINUTE);
    crew.script.expect("b1").await?.done("ok");
    crew.ends(&within, JobStatus::Done).await?;
    crew.ends(&beyond, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R3.2, B19 Another runner goes on counting.
pub async fn b19_a_restart_goes_on_counting(case: &mut Case<'_>) -> Verdict {
    let mut first = crew(case).start().await?;
    let id = first.make(first.job("a", 1).mode(Mode::Resume)).await?;
    first.script.expect("a1").await?.busy();
    let held = first.script.expect("a1").await?;
    first.turn(|| held.busy_for(MINUTE / 600)).await?;
    let since = case.target(id.as_str(), 0).await?.busy_since;
    first.close(case).await?;

    let mut second = crew(case).start().await?;
    let third = second.script.expect("a1").await?;

    same(third.attempt.tries, 3)?;
    let target = case.target(id.as_str(), 0).await?;
    same(
        (target.status, target.busy_since),
        (TargetStatus::Running, since),
    )?;
    present(since, "when it was first busy")?;
    third.done("ok");
    second.ends(&id, JobStatus::Done).await?;
    second.close(case).await.map(|_| ())
}

/// R3.2, B19 Two runners count together.
pub async fn b19_two_runners_count_together(case: &mut Case<'_>) -> Verdict {
    let mut one = crew(case).start().await?;
    let other = crew(case)
        .on(case.second().await?)
        .run(one.script.fetch())
        .await?;
    let id = one.make(one.job("a", 1).mode(Mode::Resume)).await?;

    one.script.next().await?.busy();
    one.script.next().await?.busy();
    one.script.next().await?.busy();
    one.script.next().await?.busy();
    let fifth = one.script.next().await?;

    same((fifth.attempt.tries, fifth.attempt.fence), (5, 5))?;
    fifth.done("ok");
    one.ends(&id, JobStatus::Done).await?;
    other.stop().await?;
    one.close(case).await.map(|_| ())
}
