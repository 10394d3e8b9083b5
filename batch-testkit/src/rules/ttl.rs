//! How long a job is kept: lease, ttl, touch and sweep (S6, R6).

use std::time::Duration;

use batch_core::state::JobStatus;
use batch_core::store::reply::{FinishReply, SubmitReply, TouchReply};
use batch_core::time::Timestamp;

use crate::breach::{Verdict, holds, same};
use crate::case::{Case, HOUR, START, done, hand_back, job, just_before};

const MILLISECOND: Duration = Duration::from_millis(1);

/// S6.1 An ended job is gone when lease + ttl has come, and there one millisecond earlier.
pub async fn b22_an_ended_job_is_gone_at_its_ttl_and_not_before(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.advance(just_before(HOUR));
    let early = case.sweep().await?;
    let kept = case.find("a").await?.is_some();
    case.advance(MILLISECOND);

    let swept = case.sweep().await?;

    same((early.jobs, kept), (0, true))?;
    same((swept.jobs, case.find("a").await?), (1, None))
}

/// S6.1 For reuse the same millisecond counts, swept or not.
pub async fn b22_a_done_job_is_reused_until_its_ttl_and_not_at_it(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").client_key("early")).await?;
    case.make(job("b")).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", done("x")).await?;
    case.advance(just_before(HOUR));
    let early = case.submit(job("c").like("a").client_key("early")).await?;
    case.advance(MILLISECOND);

    let late = case.submit(job("d").like("b")).await?;

    same(matches!(early, SubmitReply::Reused { .. }), true)?;
    same(matches!(late, SubmitReply::Created { .. }), true)
}

/// S6.1 Each job has a ttl of its own, counted in milliseconds.
pub async fn b22_each_job_has_its_own_ttl(case: &mut Case<'_>) -> Verdict {
    case.make(job("short").ttl(Duration::from_millis(250)))
        .await?;
    case.make(job("long").ttl(Duration::from_millis(251)))
        .await?;
    case.cancel("short").await?;
    case.cancel("long").await?;
    case.advance(Duration::from_millis(250));

    case.sweep().await?;

    same(case.listed().await?, vec!["long".to_owned()])
}

/// S6.2 A live job always matches, however old.
pub async fn a_live_job_is_reused_past_its_ttl(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.advance(HOUR * 48);

    let reply = case.submit(job("b").like("a")).await?;

    same(matches!(reply, SubmitReply::Reused { .. }), true)
}

/// S6.3 A live job that nobody cared for ends `failed: expired`, and goes one ttl later.
pub async fn an_abandoned_live_job_expires(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.advance(HOUR);

    let swept = case.sweep().await?;
    let ended = case.job("a").await?;
    case.advance(HOUR);
    let later = case.sweep().await?;

    let told: Vec<_> = swept
        .expired
        .iter()
        .map(|e| (e.id.as_str(), e.status, e.created_at))
        .collect();
    same(told, vec![("a", JobStatus::Failed, START)])?;
    same(
        (ended.status, ended.error),
        (JobStatus::Failed, Some("expired".to_owned())),
    )?;
    same((swept.jobs, later.jobs), (0, 1))
}

/// S6.3 One millisecond before its ttl a live job does not expire.
pub async fn b22_a_live_job_does_not_expire_early(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.advance(just_before(HOUR));

    let swept = case.sweep().await?;

    same(swept.expired, Vec::new())?;
    same(case.job("a").await?.status, JobStatus::Queued)
}

/// S6.4 A job with a target in flight is neither swept nor expired.
pub async fn b23_a_job_in_flight_is_not_swept(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("live")).await?;
    case.make(job("ended")).await?;
    let live = case.start("s1").await?.start;
    let ended = case.start("s1").await?.start;
    case.cancel("ended").await?;
    case.advance(HOUR * 3);

    let swept = case.sweep().await?;

    same((swept.jobs, swept.expired), (0, Vec::new()))?;
    case.settle(&live, done("x")).await?;
    case.settle(&ended, done("x")).await
}

/// S6.4 Once nothing is in flight its own time counts again.
pub async fn b23_after_the_last_outcome_the_ttl_counts_again(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.advance(HOUR * 3);
    case.sweep().await?;
    case.settle(&start, done("x")).await?;
    case.advance(just_before(HOUR));
    let early = case.sweep().await?;
    case.advance(MILLISECOND);

    let swept = case.sweep().await?;

    same((early.jobs, swept.jobs), (0, 1))
}

/// S6.3 Handed back after a sweep has passed it over, an abandoned job expires at once.
pub async fn a_job_handed_back_past_its_ttl_expires_at_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.start("s1").await?.start;
    case.advance(HOUR * 3);
    case.sweep().await?;
    case.settle(&start, hand_back(HOUR * 9)).await?;

    case.sweep().await?;

    same(case.job("a").await?.error, Some("expired".to_owned()))
}

/// S6.3 A job that is only busy may expire: nothing of it is in flight.
pub async fn a_waiting_job_may_expire(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", crate::case::busy(HOUR * 9)).await?;
    case.advance(HOUR);

    case.sweep().await?;

    same(case.job("a").await?.error, Some("expired".to_owned()))
}

/// R6.4 A touch moves the lease of any job to now.
pub async fn a_touch_keeps_a_job(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.advance(just_before(HOUR));
    let reply = case.touch("a").await?;
    case.advance(just_before(HOUR));

    case.sweep().await?;

    let lease = START.after(just_before(HOUR));
    same(reply, TouchReply::Touched { lease })?;
    same(case.job("a").await?.lease, lease)
}

/// R6.4 A touch revives nothing.
pub async fn b23_a_touch_revives_nothing(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.make(job("b")).await?;
    case.cancel("b").await?;
    case.advance(HOUR);

    case.touch("a").await?;
    case.sweep().await?;
    let ghost = case.touch("b").await?;

    same(case.job("a").await?.status, JobStatus::Cancelled)?;
    same(ghost, TouchReply::NotFound)?;
    same(case.listed().await?, vec!["a".to_owned()])
}

/// R6.4, S15.2 A touch from an earlier clock moves nothing back.
pub async fn a_touch_moves_no_lease_back(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.set_clock(Timestamp::from_millis(START.as_millis() - 5_000));

    let reply = case.touch("a").await?;

    same(reply, TouchReply::Touched { lease: START })
}

/// S1.3 What is swept is not found by any operation.
pub async fn b23_a_late_outcome_finds_a_swept_job_gone(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    let start = case.run_one("s1", done("x")).await?;
    case.advance(HOUR);
    case.sweep().await?;

    let reply = case.finish(&start, done("x")).await?;

    same(reply, FinishReply::NotFound)?;
    same(case.listed().await?, Vec::<String>::new())
}

/// S1.2, S1.3 A sweep works in bounded steps, and stopping between them loses nothing.
pub async fn b32_a_sweep_works_in_bounded_steps(case: &mut Case<'_>) -> Verdict {
    for id in ["a", "b", "c"] {
        case.make(job(id).targets(4)).await?;
        case.cancel(id).await?;
    }
    case.advance(HOUR);

    let mut jobs = 0;
    let mut steps = 0;
    let mut more = true;
    while more && steps < 100 {
        let step = case.sweep_step(1).await?;
        holds(step.jobs <= 1, "at most one job in a step of one")?;
        jobs += step.jobs;
        more = step.more;
        steps += 1;
    }

    same((jobs, more), (3, false))?;
    same(case.listed().await?, Vec::<String>::new())
}

/// S6.1 A sweep goes over all kinds.
pub async fn a_sweep_goes_over_all_kinds(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").kind("one")).await?;
    case.make(job("b").kind("two")).await?;
    case.cancel("a").await?;
    case.cancel("b").await?;
    case.advance(HOUR);

    same(case.sweep().await?.jobs, 2)
}

/// S6.1, R11.3 A ttl without end keeps its job.
pub async fn b49_an_absurd_ttl_keeps_its_job(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").ttl(Duration::MAX)).await?;
    case.cancel("a").await?;
    case.advance(HOUR * 1_000_000);

    case.sweep().await?;

    same(case.listed().await?, vec!["a".to_owned()])
}

/// S1.2, R11.3 A step of nothing still goes on: every bound of 0 counts as 1.
pub async fn b49_a_step_of_nothing_goes_on(case: &mut Case<'_>) -> Verdict {
    for id in ["a", "b", "c"] {
        case.make(job(id)).await?;
        case.cancel(id).await?;
    }
    case.enter("s1").await?;
    case.make(job("pinned").pinned("s1").ttl(HOUR * 9)).await?;
    let evicted = case.evict_step(0, 0).await?;
    case.reap_step("s1", 1, 0).await?;
    case.advance(HOUR);

    let swept = case.sweep_step(0).await?;

    same((evicted.jobs, swept.jobs), (1, 1))?;
    same(case.job("pinned").await?.status, JobStatus::Failed)
}
