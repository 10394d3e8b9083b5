//! Jobs that stop after too many failures (R14).

use batch_core::hooks::JobEvent;
use batch_core::state::JobStatus;
use batch_core::store::call::{Halt, Take};
use batch_core::store::reply::TakeReply;

use super::crew::{crew, now, outcomes};
use super::heard::Note;
use crate::breach::{Verdict, holds, present, same};
use crate::case::Case;

/// R14.1, R14.2 At its number of failures a job halts.
pub async fn a_job_halts_at_its_number_of_failures(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew.make(crew.job("a", 4).halt(Halt::Failures(2))).await?;

    crew.script.expect("a1").await?.fails("no");
    crew.script.expect("a2").await?.fails("no");

    let job = crew.ends(&id, JobStatus::Failed).await?;
    same(job.error.as_deref(), Some("halted"))?;
    let expected = ["failed no", "failed no", "pending", "pending"]
        .map(String::from)
        .to_vec();
    same(outcomes(case, &id).await?, expected)?;
    same(crew.close(case).await?.ended(JobStatus::Failed), 1)
}

/// R14.1, R14.2, R11.1 At its share of failures too, by the runner's own setting.
pub async fn a_job_halts_at_its_share_of_failures(case: &mut Case<'_>) -> Verdict {
    let half = |config: &mut batch_core::config::Config| config.halt = Halt::Percent(50);
    let mut crew = crew(case).with(half).start().await?;
    let id = crew.submit("a", 4).await?;

    crew.script.expect("a1").await?.done("ok");
    crew.script.expect("a2").await?.fails("no");
    crew.script.expect("a3").await?.fails("no");

    let job = crew.ends(&id, JobStatus::Partial).await?;
    same(job.error.as_deref(), Some("halted"))?;
    crew.close(case).await.map(|_| ())
}

/// R14.1, R14.2 What is in flight when a job halts is stored, and ends it.
pub async fn what_is_in_flight_ends_a_halting_job(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).workers(2).start().await?;
    let id = crew
        .make(crew.job("a", 3).width(2).halt(Halt::Failures(1)))
        .await?;
    let (one, two) = (crew.script.next().await?, crew.script.next().await?);

    crew.turn(|| one.fails("no")).await?;
    same(case.job(id.as_str()).await?.status, JobStatus::Running)?;
    two.done("ok");

    let job = crew.ends(&id, JobStatus::Partial).await?;
    same(
        (job.counts.pending, job.error.as_deref()),
        (1, Some("halted")),
    )?;
    crew.close(case).await.map(|_| ())
}

/// R9.2, R14.2, R4.2 A lost start that is the last one in flight ends its job, and is told.
pub async fn a_lost_start_ends_a_halting_job(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = crew
        .make(crew.job("a", 3).width(2).halt(Halt::Failures(1)))
        .await?;
    let begun = crew.script.expect("a1").await?;
    crew.spy.hold(Some("renew"));
    let session = present(case.sessions().await?.pop(), "a session")?.id;
    let taken = case.store().take(Take {
        session,
        ticket: "nobody's".into(),
        now: now(),
    });
    holds(matches!(taken.await?, TakeReply::Started(_)), "a start")?;
    crew.turn(|| begun.fails("no")).await?;
    same(case.job(id.as_str()).await?.status, JobStatus::Running)?;

    crew.spy.hold(None);

    let job = crew.ends(&id, JobStatus::Failed).await?;
    same(job.error.as_deref(), Some("halted"))?;
    let ended = Note::Job(JobEvent::Ended(JobStatus::Failed));
    crew.heard.until(&ended, 1).await?;
    same(crew.close(case).await?.ended(JobStatus::Failed), 1)
}
