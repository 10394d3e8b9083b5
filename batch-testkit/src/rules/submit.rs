//! What a submit makes, and when it is refused (R1.4, R1.6, R1.7).
//!
//! Keys are in `idempotency.rs`, caps in `caps.rs`, long lists in `stage.rs`.

use std::time::Duration;

use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::call::Halt;
use batch_core::store::error::StoreErrorKind;
use batch_core::store::reply::SubmitReply;
use batch_core::store::view::Counts;
use batch_core::time::Timestamp;

use crate::breach::{Verdict, holds, same};
use crate::case::{Case, HOUR, busy, failed, job, target};

/// R1.7 A new job is queued, its targets pending, created and leased now.
pub async fn a_new_job_is_queued_with_pending_targets(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(3)).await?;

    let found = case.job("a").await?;
    let targets = case.all_targets("a").await?;

    same(found.status, JobStatus::Queued)?;
    let counts = Counts {
        pending: 3,
        ..Counts::default()
    };
    same(found.counts, counts)?;
    same((found.created_at, found.lease), (case.now(), case.now()))?;
    same((found.started_at, found.finished_at), (None, None))?;
    let fresh = |status, fence| status == TargetStatus::Pending && fence == 0;
    holds(
        targets.iter().all(|t| fresh(t.status, t.fence)),
        "fresh targets",
    )
}

/// R1.7 A job keeps its own settings.
pub async fn a_job_keeps_its_settings(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let request = job("a").width(4).ttl(HOUR * 2).max_losses(7).pinned("s1");
    case.make(request).await?;

    let found = case.job("a").await?;

    same((found.width, found.ttl, found.max_losses), (4, HOUR * 2, 7))?;
    same(found.pin, Some("s1".into()))
}

/// R1.7 A width, or a number of losses, of 0 counts as 1.
pub async fn a_zero_setting_counts_as_one(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").width(0).max_losses(0)).await?;

    let found = case.job("a").await?;

    same((found.width, found.max_losses), (1, 1))
}

/// R1.7 A job that would be pinned to nobody is refused.
pub async fn a_job_pinned_to_an_unknown_session_is_gone(case: &mut Case<'_>) -> Verdict {
    let reply = case.submit(job("a").pinned("nobody")).await?;

    same(reply, SubmitReply::Gone)?;
    same(case.listed().await?, Vec::<String>::new())
}

/// R1.7 A session that is being reaped gets no more jobs.
pub async fn a_job_pinned_to_a_dying_session_is_gone(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").pinned("s1")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.reap_step("s1", 1, 1).await?;

    let reply = case.submit(job("c").pinned("s1")).await?;

    same(reply, SubmitReply::Gone)
}

/// R1.6 An id names one job.
pub async fn an_id_in_use_is_taken(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;

    let reply = case.submit(job("a").like("other")).await?;

    same(reply, SubmitReply::IdTaken)
}

/// R1.6 A taken id is told before a reuse, a session that is gone and the caps.
pub async fn id_taken_comes_first(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.make(job("b")).await?;

    let reply = case
        .submit(job("b").like("a").pinned("nobody").caps(0, 0))
        .await?;

    same(reply, SubmitReply::IdTaken)
}

/// R1.6 A session that is gone is told before a reuse and the caps.
pub async fn gone_comes_before_reuse(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;

    let reply = case
        .submit(job("b").like("a").pinned("nobody").caps(0, 0))
        .await?;

    same(reply, SubmitReply::Gone)
}

/// R1.4, R1.6 The caps are told in their order.
pub async fn the_caps_are_told_in_their_order(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann")).await?;
    let over = || job("b").caller("ann").targets(3);

    let many = case.submit(over().targets_cap(2).caps(1, 1)).await?;
    let caller = case.submit(over().caps(1, 1)).await?;
    let total = case.submit(over().caps(2, 1)).await?;
    let send = case.submit(over().caps(2, 2).not_yet()).await?;

    same(many, SubmitReply::TooMany)?;
    same(caller, SubmitReply::CallerBusy)?;
    same(total, SubmitReply::Busy)?;
    same(send, SubmitReply::Send)
}

/// R1.6 A refusal leaves nothing that any operation can see.
pub async fn b11_a_refusal_leaves_nothing(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann")).await?;
    let before = case.stats_of("", Some("ann")).await?;

    case.submit(job("b").caller("ann").caps(1, 9)).await?;
    case.submit(job("c").caller("bob").kind("new").targets(2).targets_cap(1))
        .await?;

    same(case.find("b").await?, None)?;
    same(case.find("c").await?, None)?;
    same(case.stats_of("", Some("ann")).await?, before)?;
    same(case.listed().await?, ["a"].map(str::to_owned).to_vec())?;
    case.make(job("b").caller("ann")).await.map(|_| ())
}

/// R1.1, S12.1 A job without targets breaks the contract.
pub async fn a_job_without_targets_is_invalid(case: &mut Case<'_>) -> Verdict {
    let call = case.call(&job("a").with(Vec::new()));

    let answer = case.store().submit(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)?;
    same(case.find("a").await?, None)
}

/// R1.10, S12.1 A total that differs from the targets breaks the contract.
pub async fn a_wrong_total_is_invalid(case: &mut Case<'_>) -> Verdict {
    let call = case.call(&job("a").with(vec![target("u", "{}")]).total(2));

    let answer = case.store().submit(call).await;

    same(case.error_of(answer)?, StoreErrorKind::Invalid)?;
    same(case.find("a").await?, None)
}

/// R1.7 An empty url is a url.
pub async fn an_empty_url_is_allowed(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").with(vec![target("", "{}")])).await?;

    same(case.target("a", 0).await?.url, String::new())
}

/// R1.7 The same url may stand in a job several times.
pub async fn b17_twin_targets_are_told_apart_by_index(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").with(vec![target("twin", "{}"); 3]))
        .await?;

    let first = case.run_one("s1", crate::case::done("0")).await?;
    let second = case.run_one("s1", crate::case::failed("1")).await?;
    let third = case.run_one("s1", crate::case::done("2")).await?;

    same([first.index, second.index, third.index], [0, 1, 2])?;
    let statuses: Vec<_> = case.all_targets("a").await?;
    let statuses: Vec<_> = statuses.iter().map(|target| target.status).collect();
    let expected = vec![TargetStatus::Done, TargetStatus::Failed, TargetStatus::Done];
    same(statuses, expected)
}

/// R1.7, R11.3 The largest settings are settings: nothing overflows.
pub async fn b49_the_largest_settings_are_settings(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.set_clock(Timestamp::MAX);
    let request = job("a").targets(2).width(u32::MAX).max_losses(u32::MAX);
    case.make(
        request
            .ttl(Duration::MAX)
            .halt(Halt::Failures(u64::MAX))
            .targets_cap(u64::MAX)
            .caps(u64::MAX, u64::MAX),
    )
    .await?;

    case.run_one("s1", busy(Duration::MAX)).await?;
    case.run_one("s1", failed("x")).await?;
    case.touch("a").await?;

    let found = case.job("a").await?;
    same((found.width, found.max_losses), (u32::MAX, u32::MAX))?;
    same(found.counts.failed + found.counts.pending, 2)
}
