//! Failures stop a job that asked for it (R14).

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::call::Halt;
use batch_core::store::reply::TakeReply;

use crate::breach::{Verdict, same};
use crate::case::{Case, busy, done, failed, job};

/// How a job ended.
async fn end_of(case: &Case<'_>, id: &str) -> Verdict<(JobStatus, Option<String>)> {
    let ended = case.job(id).await?;
    Ok((ended.status, ended.error))
}

fn halted(status: JobStatus) -> (JobStatus, Option<String>) {
    (status, Some("halted".to_owned()))
}

/// R14.1 Off by default: every target runs.
pub async fn without_halt_failures_stop_nothing(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3)).await?;

    case.run_one("s1", failed("x")).await?;
    case.run_one("s1", failed("x")).await?;
    case.run_one("s1", done("x")).await?;

    same(end_of(case, "a").await?, (JobStatus::Partial, None))
}

/// R14.1, R14.2 After N failures nothing more starts; without a result the job failed.
pub async fn n_failures_halt_the_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4).halt(Halt::Failures(2)))
        .await?;

    case.run_one("s1", failed("x")).await?;
    case.run_one("s1", failed("x")).await?;

    same(case.take("s1").await?, TakeReply::Idle { ready_at: None })?;
    same(end_of(case, "a").await?, halted(JobStatus::Failed))
}

/// R14.2 With a result the halted job is partial.
pub async fn a_halted_job_with_a_result_is_partial(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4).halt(Halt::Failures(1)))
        .await?;

    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    same(end_of(case, "a").await?, halted(JobStatus::Partial))
}

/// R14.1 A percentage counts of the total, and is reached exactly.
pub async fn a_percentage_halts_when_it_is_reached(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4).halt(Halt::Percent(50)))
        .await?;

    case.run_one("s1", failed("x")).await?;
    let before = case.job("a").await?.halting;
    case.run_one("s1", failed("x")).await?;

    same(before, false)?;
    same(end_of(case, "a").await?, halted(JobStatus::Failed))
}

/// R14.1, R14.2 What is in flight is stored, and the step that leaves nothing in flight ends the job.
pub async fn what_is_in_flight_is_stored(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(4).width(2).halt(Halt::Failures(1)))
        .await?;
    let first = case.start("s1").await?.start;
    let second = case.start("s1").await?.start;
    case.settle(&first, failed("x")).await?;

    let halting = case.job("a").await?;
    let idle = case.take("s1").await?;
    case.settle(&second, done("x")).await?;

    same(
        (halting.halting, halting.status),
        (true, JobStatus::Running),
    )?;
    same(idle, TakeReply::Idle { ready_at: None })?;
    same(end_of(case, "a").await?, halted(JobStatus::Partial))
}

/// R14.2, R4.1 When nothing is pending the job ends by its outcomes, without an error.
pub async fn with_nothing_pending_it_ends_by_its_outcomes(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).halt(Halt::Failures(1)))
        .await?;

    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    same(end_of(case, "a").await?, (JobStatus::Partial, None))
}

/// R14.2 A busy answer may be the step that ends a halting job.
pub async fn a_busy_answer_may_end_a_halting_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).width(2).halt(Halt::Failures(1)))
        .await?;
    let first = case.start("s1").await?.start;
    let second = case.start("s1").await?.start;
    case.settle(&first, failed("x")).await?;

    case.settle(&second, busy(Duration::ZERO)).await?;

    same(end_of(case, "a").await?, halted(JobStatus::Failed))
}

/// R14.2, R9.4 A reap may be the step that ends a halting job.
pub async fn a_reap_may_end_a_halting_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").targets(3).width(2).halt(Halt::Failures(1)))
        .await?;
    case.start("s1").await?;
    case.run_one("s2", failed("x")).await?;

    let reaped = case.reap("s1").await?;

    same(
        reaped.ended.iter().map(|ended| ended.status).collect(),
        vec![JobStatus::Failed],
    )?;
    same(end_of(case, "a").await?, halted(JobStatus::Failed))
}

/// R14.1, R5.1 A halting job can still be cancelled.
pub async fn a_halting_job_can_be_cancelled(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(3).width(2).halt(Halt::Failures(1)))
        .await?;
    let flying = case.start("s1").await?.start;
    case.run_one("s1", failed("x")).await?;

    case.cancel("a").await?;
    case.settle(&flying, done("x")).await?;

    same(end_of(case, "a").await?, (JobStatus::Cancelled, None))
}

/// R14.1, R11.3 A limit of 0 counts as 1.
pub async fn a_zero_limit_counts_as_one(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2).halt(Halt::Failures(0)))
        .await?;
    let queued = case.job("a").await?.status;

    case.run_one("s1", failed("x")).await?;

    same(queued, JobStatus::Queued)?;
    same(end_of(case, "a").await?, halted(JobStatus::Failed))
}
