//! Cancelling, and what comes after it (R5).

use batch_core::hooks::JobEvent;
use batch_core::state::JobStatus;

use super::crew::{crew, outcomes};
use super::heard::Note;
use crate::breach::{Verdict, holds, same};
use crate::case::Case;

/// R5.1, R5.2, B13 What is in flight is stored, nothing else starts, the status stays.
pub async fn b13_a_late_fetch_leaves_its_job_cancelled(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case)
        .workers(2)
        .with(|config| config.jobs_per_caller = 1)
        .start()
        .await?;
    let id = crew.submit("a", 4).await?;
    crew.script.expect("a1").await?.done("ok");
    let held = crew.script.expect("a2").await?;

    holds(crew.runner.cancel(&id).await?, "a live job is cancelled")?;
    same(crew.runner.status(&id).await?.status, JobStatus::Cancelled)?;
    let next = crew.submit("b", 1).await?;
    crew.script.expect("b1").await?.done("ok");
    crew.ends(&next, JobStatus::Done).await?;
    let finished = crew.runner.status(&id).await?.finished_at;
    held.done("late");
    crew.heard
        .until(
            &Note::Target(None, case.markers().text("late").len() + 2),
            1,
        )
        .await?;
    crew.spy.more("take", 2).await?;

    holds(
        crew.script.begun().is_none(),
        "nothing else of the job starts",
    )?;
    let job = crew.runner.status(&id).await?;
    same(
        (job.status, job.finished_at),
        (JobStatus::Cancelled, finished),
    )?;
    let expected = ["done ok", "done late", "pending", "pending"]
        .map(String::from)
        .to_vec();
    same(outcomes(case, &id).await?, expected)?;
    let heard = crew.close(case).await?;
    same(
        (
            heard.ended(JobStatus::Cancelled),
            heard.ended(JobStatus::Done),
        ),
        (1, 1),
    )
}

/// R5.1, B13 The last target of a job in flight changes nothing either.
pub async fn b13_the_last_fetch_leaves_its_job_cancelled(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 1).await?;
    let held = crew.script.expect("a1").await?;

    holds(crew.runner.cancel(&id).await?, "a live job is cancelled")?;
    held.done("late");
    crew.heard.until(&Note::Inflight(0), 1).await?;
    crew.spy.more("take", 1).await?;

    same(outcomes(case, &id).await?, vec!["done late".to_owned()])?;
    same(case.job(id.as_str()).await?.status, JobStatus::Cancelled)?;
    let heard = crew.close(case).await?;
    same(
        (heard.ended(JobStatus::Cancelled), heard.seconds().len()),
        (1, 1),
    )
}

/// R5.1, B13 A target that comes back busy after the cancel stays pending.
pub async fn b13_a_busy_target_of_a_cancelled_job_stays_pending(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.submit("a", 2).await?;
    let held = crew.script.expect("a1").await?;

    holds(crew.runner.cancel(&id).await?, "a live job is cancelled")?;
    held.busy();
    crew.heard.until(&Note::Inflight(0), 1).await?;
    crew.spy.more("take", 4).await?;

    holds(crew.script.begun().is_none(), "nothing is tried again")?;
    same(outcomes(case, &id).await?, vec!["pending".to_owned(); 2])?;
    crew.close(case).await.map(|_| ())
}

/// R5.1, B14 What has ended, or never was, cannot be cancelled.
pub async fn b14_what_has_ended_is_not_cancelled(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let done = crew.submit("a", 1).await?;
    crew.script.expect("a1").await?.done("ok");
    crew.ends(&done, JobStatus::Done).await?;
    let cancelled = crew.submit("b", 1).await?;
    let held = crew.script.expect("b1").await?;
    holds(
        crew.runner.cancel(&cancelled).await?,
        "a live job is cancelled",
    )?;
    held.done("late");

    let answers = [
        crew.runner.cancel(&done).await?,
        crew.runner.cancel(&cancelled).await?,
        crew.runner.cancel(&"unknown".into()).await?,
        crew.runner.touch(&"unknown".into()).await?,
    ];

    same(answers, [false; 4])?;
    same(case.job(done.as_str()).await?.status, JobStatus::Done)?;
    same(
        crew.close(case)
            .await?
            .times(&Note::Job(JobEvent::Ended(JobStatus::Cancelled))),
        1,
    )
}

/// R5.1, B14 Of a cancel and the last outcome one wins, and both say which.
pub async fn b14_a_cancel_that_races_the_end_agrees_with_it(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let mut cancelled = 0;
    for number in 0..100 {
        let id = crew.submit(&format!("{number}-"), 1).await?;
        let begun = crew.script.next().await?;
        let runner = crew.runner.clone();
        let racing = id.clone();
        let race = tokio::spawn(async move { runner.cancel(&racing).await });
        begun.done("ok");
        let won = matches!(race.await, Ok(Ok(true)));
        let job = crew.ended(&id).await?;
        same(job.status == JobStatus::Cancelled, won)?;
        cancelled += usize::from(won);
    }

    let heard = crew.close(case).await?;
    same(heard.ended(JobStatus::Cancelled), cancelled)?;
    same(heard.ended(JobStatus::Done), 100 - cancelled)
}
