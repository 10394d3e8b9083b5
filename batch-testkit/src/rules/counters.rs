//! What ever happened is counted per kind, once, in the step that did it (S13).
//!
//! That counts agree with the rows is checked after every call of every rule.

use std::time::Duration;

use batch_core::store::view::Counters;

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, busy, done, failed, hand_back, job};

/// S13.1 Each ending is counted by its status.
pub async fn endings_are_counted_by_status(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("done")).await?;
    case.make(job("failed")).await?;
    case.make(job("partial").targets(2)).await?;
    case.make(job("cancelled")).await?;
    case.cancel("cancelled").await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    let counters = case.stats().await?.counters;

    let expected = Counters {
        jobs_submitted: 4,
        jobs_done: 1,
        jobs_failed: 1,
        jobs_partial: 1,
        jobs_cancelled: 1,
        targets_done: 2,
        targets_failed: 2,
        ..Counters::default()
    };
    same(counters, expected)
}

/// S13.1 Busy answers are counted, hand-backs are not.
pub async fn busy_answers_are_counted(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;

    case.run_one("s1", busy(Duration::ZERO)).await?;
    case.run_one("s1", hand_back(Duration::ZERO)).await?;
    case.run_one("s1", busy(Duration::ZERO)).await?;

    same(case.stats().await?.counters.targets_retried_later, 2)
}

/// S13.1 Refusals, reuses and replays count nothing.
pub async fn refusals_and_reuses_count_nothing(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    let start = case.run_one("s1", done("x")).await?;
    let before = case.stats().await?;

    case.submit(job("b").like("a").targets(2)).await?;
    case.submit(job("c").caps(1, 1)).await?;
    case.submit(job("a").targets(2)).await?;
    case.finish(&start, done("x")).await?;
    case.finish(&start, failed("y")).await?;
    case.cancel("nobody").await?;

    same(case.stats().await?, before)
}

/// S13.2 Swept jobs are counted, and what they were stays counted.
pub async fn swept_jobs_stay_counted(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;
    case.advance(HOUR);

    case.sweep().await?;

    let stats = case.stats().await?;
    same(
        (stats.counters.jobs_submitted, stats.counters.jobs_swept),
        (1, 1),
    )?;
    same(
        (stats.counters.jobs_done, stats.counters.targets_done),
        (1, 1),
    )?;
    same(
        (stats.live, stats.jobs, stats.terminal_bytes),
        (0, [0; 6], 0),
    )
}

/// S13.1 A reaped session is counted once, at its last step, in its own kind.
pub async fn a_reaped_session_is_counted_once(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.enter("s2").await?;
    case.make(job("a").pinned("s1")).await?;
    case.make(job("b").pinned("s1")).await?;
    case.reap_step("s1", 1, 1).await?;
    let halfway = case.stats().await?.counters.sessions_reaped;

    case.reap("s1").await?;
    case.reap_step("s1", 1, 10).await?;

    same(
        (halfway, case.stats().await?.counters.sessions_reaped),
        (0, 1),
    )
}

/// S13.3 The sweep that takes a kind's last job, while no session serves it, takes the kind.
pub async fn b31_an_abandoned_kind_is_taken_with_its_last_job(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").kind("gone").caller("once")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);

    case.sweep().await?;

    let stats = case.stats_of("gone", Some("once")).await?;
    same(stats.kind.counters, Counters::default())?;
    same(stats.caller_live, 0)?;
    let first = batch_core::store::query::KindList {
        after: None,
        max: 10,
    };
    same(case.store().kinds(first).await?.kinds, Vec::new())
}

/// S13.3 A kind that a session serves keeps its counters without jobs.
pub async fn a_served_kind_keeps_its_counters(case: &mut Case<'_>) -> Verdict {
    case.enter_kind("s1", "served").await?;
    case.make(job("a").kind("served")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);

    case.sweep().await?;

    let counters = case.stats_of("served", None).await?.kind.counters;
    same((counters.jobs_submitted, counters.jobs_swept), (1, 1))
}

/// S13.1 Kinds are counted apart.
pub async fn kinds_are_counted_apart(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").kind("one")).await?;
    case.make(job("b").kind("two")).await?;
    case.cancel("b").await?;

    let one = case.stats_of("one", None).await?.kind.counters;
    let two = case.stats_of("two", None).await?.kind.counters;

    same((one.jobs_submitted, one.jobs_cancelled), (1, 0))?;
    same((two.jobs_submitted, two.jobs_cancelled), (1, 1))
}

/// S3.2 An unknown kind counts zero, and asking makes no kind.
pub async fn an_unknown_kind_counts_zero(case: &mut Case<'_>) -> Verdict {
    let stats = case.stats_of("nobody", Some("nobody")).await?;

    same((stats.kind, stats.caller_live), (<_>::default(), 0))?;
    let first = batch_core::store::query::KindList {
        after: None,
        max: 10,
    };
    same(case.store().kinds(first).await?.kinds, Vec::new())
}
