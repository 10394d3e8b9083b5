//! Whose turn it is, over jobs, workers and runners (R2.1–R2.4).

use std::collections::HashSet;

use batch_core::state::JobStatus;
use batch_core::submission::Mode;

use super::crew::crew;
use crate::breach::{Verdict, holds, present, same};
use crate::case::Case;

/// R2.3, R2.1 Two jobs take turns on one worker.
pub async fn two_jobs_take_turns_on_one_worker(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let a = crew.submit("a", 3).await?;
    let held = crew.script.expect("a1").await?;
    let b = crew.submit("b", 3).await?;

    held.done("ok");
    let order = crew.script.run(5).await?;

    same(
        order,
        ["b1", "a2", "b2", "a3", "b3"].map(String::from).to_vec(),
    )?;
    crew.ends(&a, JobStatus::Done).await?;
    crew.ends(&b, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.3, B28 One caller's long job does not keep the others waiting.
pub async fn b28_a_long_job_starves_nobody(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let long = crew.submit("a", 1_000).await?;
    crew.script.run(2).await?;
    let held = crew.script.expect("a3").await?;
    let b = crew.make(crew.job_of("b", "b", 1)).await?;
    let c = crew.make(crew.job_of("c", "c", 2)).await?;

    held.done("ok");
    let order = crew.script.run(6).await?;

    same(
        order,
        ["b1", "c1", "a4", "c2", "a5", "a6"]
            .map(String::from)
            .to_vec(),
    )?;
    crew.ends(&b, JobStatus::Done).await?;
    crew.ends(&c, JobStatus::Done).await?;
    holds(crew.runner.cancel(&long).await?, "the long job is live")?;
    crew.close(case).await.map(|_| ())
}

/// R2.2, R3.3 A job is serial, however many workers there are.
pub async fn a_job_is_serial_with_many_workers(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).workers(4).start().await?;
    let id = crew.submit("a", 3).await?;
    let first = crew.script.expect("a1").await?;

    crew.spy.more("take", 3).await?;
    let early = crew.script.begun();

    holds(early.is_none(), "nothing starts beside the first target")?;
    first.done("ok");
    same(
        crew.script.run(2).await?,
        ["a2", "a3"].map(String::from).to_vec(),
    )?;
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.2 As many targets are open as the width says, started in order.
pub async fn a_width_of_two_runs_two_at_once(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).workers(4).start().await?;
    let id = crew.make(crew.job("a", 4).width(2)).await?;
    let one = crew.script.next().await?;
    let two = crew.script.next().await?;

    crew.spy.more("take", 3).await?;
    let third = crew.script.begun();

    let both: HashSet<_> = [one.attempt.index, two.attempt.index].into();
    same(both, HashSet::from([0, 1]))?;
    holds(third.is_none(), "no third target starts")?;
    one.done("ok");
    crew.script.expect("a3").await?.done("ok");
    two.done("ok");
    crew.script.expect("a4").await?.done("ok");
    crew.ends(&id, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R2.2, R11.1 No submit gets more width than the runner allows.
pub async fn a_width_is_clamped(case: &mut Case<'_>) -> Verdict {
    let crew = crew(case)
        .with(|config| config.max_width = 3)
        .start()
        .await?;

    let wide = crew.make(crew.job("a", 1).width(u32::MAX)).await?;
    let zero = crew.make(crew.job("b", 1).width(0)).await?;

    same(case.job(wide.as_str()).await?.width, 3)?;
    same(case.job(zero.as_str()).await?.width, 1)?;
    crew.close(case).await.map(|_| ())
}

/// R2.3, R2.2, B02 Two runners run every target once, and each job in order.
pub async fn b02_two_runners_run_every_target_once(case: &mut Case<'_>) -> Verdict {
    let mut one = crew(case).workers(4).start().await?;
    let other = crew(case)
        .workers(4)
        .on(case.second().await?)
        .run(one.script.fetch())
        .await?;
    for name in ["a-", "b-", "c-", "d-"] {
        one.make(one.job(name, 20).mode(Mode::Resume)).await?;
    }

    let order = one.script.run(80).await?;

    same(order.iter().collect::<HashSet<_>>().len(), 80)?;
    for name in ["a-", "b-", "c-", "d-"] {
        let own: Vec<_> = order
            .iter()
            .filter(|begun| begun.starts_with(name))
            .cloned()
            .collect();
        let expected: Vec<_> = (1..=20).map(|number| format!("{name}{number}")).collect();
        same(own, expected)?;
    }
    one.runner.close(None).await;
    other.stop().await?;
    one.close(case).await.map(|_| ())
}

/// R2.3 Two runners keep the order of turns that one would.
pub async fn two_runners_keep_the_order_of_turns(case: &mut Case<'_>) -> Verdict {
    let mut one = crew(case).start().await?;
    let other = crew(case)
        .on(case.second().await?)
        .run(one.script.fetch())
        .await?;
    let first = one.make(one.job("x", 1).mode(Mode::Resume)).await?;
    let second = one.make(one.job("y", 1).mode(Mode::Resume)).await?;
    let (x, y) = (one.script.next().await?, one.script.next().await?);
    for name in ["a", "b", "c"] {
        one.make(one.job(name, 2).mode(Mode::Resume)).await?;
    }

    x.done("ok");
    let begun = one.script.next().await?;
    let mut order = vec![begun.name().to_owned()];
    begun.done("ok");
    order.extend(one.script.run(5).await?);

    same(
        order,
        ["a1", "b1", "c1", "a2", "b2", "c2"]
            .map(String::from)
            .to_vec(),
    )?;
    y.done("ok");
    one.ends(&first, JobStatus::Done).await?;
    one.ends(&second, JobStatus::Done).await?;
    other.stop().await?;
    one.close(case).await.map(|_| ())
}

/// R2.3, B29 Jobs start as they were submitted, with the clock going back meanwhile.
pub async fn b29_jobs_start_as_they_were_submitted(case: &mut Case<'_>) -> Verdict {
    let clock = std::sync::Arc::new(crate::clocks::ShiftedClock::default());
    let mut crew = crew(case).clock(clock.clone()).start().await?;
    crew.submit("held", 1).await?;
    let held = crew.script.next().await?;
    for number in 0..12 {
        crew.submit(&format!("{number}-"), 1).await?;
        clock.back(std::time::Duration::from_secs(1));
    }

    held.done("ok");
    let order = crew.script.run(12).await?;

    let expected: Vec<_> = (0..12).map(|number| format!("{number}-1")).collect();
    same(order, expected)?;
    let last = present(case.listed().await?.pop(), "a job")?;
    crew.ends(&last.as_str().into(), JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}
