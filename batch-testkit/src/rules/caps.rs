//! Live jobs are counted, and a cap is free the moment a job ends (R1.4, S3).
//!
//! Submits that race for the last place are in `race.rs`.

use batch_core::state::JobStatus;
use batch_core::store::call::{Answer, Halt};
use batch_core::store::reply::SubmitReply;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, Request, done, failed, job};

/// A request of a caller who may have one live job.
fn only(id: &str) -> Request {
    job(id).caller("ann").caps(1, 100)
}

/// Fails unless exactly one more job of the caller fits.
async fn exactly_one_fits(case: &mut Case<'_>) -> Verdict {
    case.make(only("next")).await?;
    let reply = case.submit(only("one too many")).await?;
    same(reply, SubmitReply::CallerBusy)
}

/// R1.4, S3.1 The caller's live jobs of the kind are capped.
pub async fn a_caller_at_its_cap_is_busy(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann").caps(2, 9)).await?;
    case.make(job("b").caller("ann").caps(2, 9)).await?;

    let third = case.submit(job("c").caller("ann").caps(2, 9)).await?;
    let other = case.submit(job("d").caller("bob").caps(2, 9)).await?;

    same(third, SubmitReply::CallerBusy)?;
    same(matches!(other, SubmitReply::Created { .. }), true)
}

/// R1.4, S3.1 The kind's live jobs are capped.
pub async fn a_kind_at_its_cap_is_busy(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann").caps(9, 2)).await?;
    case.make(job("b").caller("bob").caps(9, 2)).await?;

    let reply = case.submit(job("c").caller("cat").caps(9, 2)).await?;

    same(reply, SubmitReply::Busy)
}

/// R1.4, S3.1 Kinds have caps of their own.
pub async fn another_kind_has_its_own_caps(case: &mut Case<'_>) -> Verdict {
    case.make(only("a")).await?;

    case.make(only("b").kind("other").caps(1, 1))
        .await
        .map(|_| ())
}

/// R1.4 As many targets as the cap says are allowed, one more is not.
pub async fn one_target_over_the_cap_is_too_many(case: &mut Case<'_>) -> Verdict {
    let over = case.submit(job("a").targets(4).targets_cap(3)).await?;

    same(over, SubmitReply::TooMany)?;
    case.make(job("b").targets(3).targets_cap(3))
        .await
        .map(|_| ())
}

/// R1.3, S3.1 A reuse needs no place.
pub async fn b08_a_repeat_of_a_live_request_hits_no_cap(case: &mut Case<'_>) -> Verdict {
    case.make(only("a")).await?;

    let reply = case
        .submit(only("b").like("a").targets_cap(0).caps(0, 0))
        .await?;

    let expected = SubmitReply::Reused {
        id: "a".into(),
        status: JobStatus::Queued,
    };
    same(reply, expected)
}

/// R1.4 A cap below the live count refuses, and harms no job.
pub async fn b11_a_lowered_cap_lets_jobs_go_on(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").caller("ann")).await?;
    case.make(job("b").caller("ann")).await?;

    let reply = case.submit(only("c")).await?;

    same(reply, SubmitReply::CallerBusy)?;
    case.run_one("s1", done("a")).await?;
    case.run_one("s1", done("b")).await?;
    exactly_one_fits(case).await
}

/// S3.2, R4.1 A done job frees one place.
pub async fn b10_a_done_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a")).await?;

    case.run_one("s1", done("x")).await?;

    exactly_one_fits(case).await
}

/// S3.2, R4.1 A failed job frees one place.
pub async fn b10_a_failed_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a")).await?;

    case.run_one("s1", failed("x")).await?;

    exactly_one_fits(case).await
}

/// S3.2, R4.1 A partial job frees one place.
pub async fn b10_a_partial_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a").targets(2)).await?;

    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    exactly_one_fits(case).await
}

/// S3.2, R5.1 A job cancelled before its start frees one place at once.
pub async fn b10_a_cancelled_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.make(only("a")).await?;

    case.cancel("a").await?;

    exactly_one_fits(case).await
}

/// S3.2, R5.1 Cancelled with a target in flight, it frees its place at once and only once.
pub async fn b10_a_target_in_flight_frees_no_second_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a")).await?;
    let start = case.start("s1").await?.start;
    case.cancel("a").await?;
    case.make(only("b")).await?;

    case.settle(&start, done("late")).await?;

    let reply = case.submit(only("c")).await?;
    same(reply, SubmitReply::CallerBusy)
}

/// S3.2, S6.3 An expired job frees one place.
pub async fn b10_an_expired_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.make(only("a")).await?;
    case.advance(HOUR);

    case.sweep().await?;

    exactly_one_fits(case).await
}

/// S3.2, R9.4 An interrupted job frees one place.
pub async fn b10_an_interrupted_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a").pinned("s1")).await?;
    case.start("s1").await?;

    case.reap("s1").await?;

    exactly_one_fits(case).await
}

/// S3.2 The sweep of an ended job frees no second place.
pub async fn b10_a_sweep_frees_no_second_place(case: &mut Case<'_>) -> Verdict {
    case.make(only("a")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);

    case.sweep().await?;

    exactly_one_fits(case).await
}

/// S3.2, R14.2 A halted job frees one place.
pub async fn b10_a_halted_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a").targets(3).halt(Halt::Failures(1)))
        .await?;

    case.run_one("s1", failed("x")).await?;

    exactly_one_fits(case).await
}

/// S3.2, R9.6 A job whose caller is unknown frees one place.
pub async fn b10_a_refused_job_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a").targets(2)).await?;

    case.run_one("s1", Answer::Refuse).await?;

    exactly_one_fits(case).await
}

/// S3.2, R9.5 A job that ends by its lost starts frees one place.
pub async fn b10_a_job_lost_too_often_frees_one_place(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(only("a").max_losses(1)).await?;
    case.start("s1").await?;

    case.reap("s1").await?;

    same(case.job("a").await?.status, JobStatus::Failed)?;
    exactly_one_fits(case).await
}

/// S3.2, S12.1 A submit that is no request takes no place.
pub async fn b10_an_invalid_submit_takes_no_place(case: &mut Case<'_>) -> Verdict {
    let none = case.call(&only("a").with(Vec::new()));
    let long = case.call(&only("b").note("n".repeat((64 << 10) + 1)));

    case.error_of(case.store().submit(none).await)?;
    case.error_of(case.store().submit(long).await)?;

    case.recount().await?;
    exactly_one_fits(case).await
}
