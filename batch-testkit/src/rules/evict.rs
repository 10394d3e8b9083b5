//! Targets of ended jobs are freed until the rest fits (S7).

use std::time::Duration;

use batch_core::store::query::TargetOrder;
use batch_core::store::reply::{Evicted, TargetReply};

use crate::breach::{Verdict, same};
use crate::case::{Case, HOUR, done, job};

const SECOND: Duration = Duration::from_secs(1);

/// Makes and ends jobs, a second apart.
async fn ended(case: &mut Case<'_>, ids: &[&str]) -> Verdict {
    case.enter("s1").await?;
    for id in ids {
        case.make(job(id)).await?;
        case.run_one("s1", done("x")).await?;
        case.advance(SECOND);
    }
    Ok(())
}

/// Which of the jobs are evicted.
async fn evicted(case: &Case<'_>, ids: &[&str]) -> Verdict<String> {
    let mut found = String::new();
    for id in ids {
        if case.job(id).await?.evicted {
            found.push_str(id);
        }
    }
    Ok(found)
}

/// S7.1 The oldest lease goes first, until the rest fits.
pub async fn the_oldest_lease_goes_first(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b", "c"]).await?;
    case.touch("a").await?;
    let total = case.stats().await?.terminal_bytes;

    let count = case.evict(total - 1).await?;

    same(
        (count, evicted(case, &["a", "b", "c"]).await?),
        (1, "b".to_owned()),
    )
}

/// S7.1 Of equal leases the smaller sequence goes first.
pub async fn of_equal_leases_the_older_job_goes_first(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    for id in ["z", "y", "x"] {
        case.make(job(id)).await?;
        case.run_one("s1", done("x")).await?;
    }
    let total = case.stats().await?.terminal_bytes;

    case.evict(total - 1).await?;

    same(evicted(case, &["x", "y", "z"]).await?, "z".to_owned())
}

/// S7.2 The one with the newest lease stays, whatever the limit.
pub async fn the_newest_lease_stays(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b", "c"]).await?;

    let count = case.evict(0).await?;

    same(
        (count, evicted(case, &["a", "b", "c"]).await?),
        (2, "ab".to_owned()),
    )
}

/// S7.2 What fits is left alone.
pub async fn what_fits_is_left_alone(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b"]).await?;
    let total = case.stats().await?.terminal_bytes;

    same(case.evict(total).await?, 0)
}

/// S6.4, S7.1 Live jobs, and jobs with a target in flight, keep their targets.
pub async fn live_and_flying_jobs_are_not_evicted(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("live").targets(2)).await?;
    case.run_one("s1", done("x")).await?;
    case.make(job("flying")).await?;
    case.start("s1").await?;
    case.start("s1").await?;
    case.cancel("flying").await?;
    case.advance(SECOND);
    case.make(job("newest")).await?;
    case.run_one("s1", done("x")).await?;

    same(case.evict(0).await?, 0)
}

/// S7.3 The job's row stays, with the counts it had and no bytes.
pub async fn b17_an_evicted_job_keeps_its_counts(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b"]).await?;
    let before = case.job("a").await?;

    case.evict(0).await?;

    let after = case.job("a").await?;
    same((after.counts, after.status), (before.counts, before.status))?;
    same((after.evicted, after.bytes), (true, 0))?;
    let page = case.page("a", TargetOrder::Index, 0, 10).await?;
    same(page, TargetReply::Evicted)
}

/// S7.3 The reply says how many jobs and bytes were freed.
pub async fn the_reply_tells_jobs_and_bytes(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b", "c"]).await?;
    let bytes = case.job("a").await?.bytes + case.job("b").await?.bytes;

    let reply = case.evict_step(0, 10).await?;

    let expected = Evicted {
        jobs: 2,
        bytes,
        more: false,
    };
    same(reply, expected)?;
    same(case.stats().await?.counters.jobs_evicted, 2)
}

/// S1.2 An eviction works in bounded steps.
pub async fn an_eviction_works_in_bounded_steps(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b", "c"]).await?;

    let first = case.evict_step(0, 1).await?;
    let last = case.evict_step(0, 1).await?;

    same((first.jobs, first.more), (1, true))?;
    same((last.jobs, last.more), (1, false))
}

/// S7.1 An eviction concerns its own kind.
pub async fn an_eviction_concerns_its_own_kind(case: &mut Case<'_>) -> Verdict {
    case.enter_kind("s1", "other").await?;
    for id in ["a", "b"] {
        case.make(job(id).kind("other")).await?;
        case.run_one("s1", done("x")).await?;
    }

    case.evict(0).await?;

    same(evicted(case, &["a", "b"]).await?, String::new())
}

/// S7.3, S6.1 An evicted job can be touched, and is swept at its ttl.
pub async fn an_evicted_job_is_swept_at_its_ttl(case: &mut Case<'_>) -> Verdict {
    ended(case, &["a", "b"]).await?;
    case.evict(0).await?;
    case.touch("a").await?;
    case.advance(HOUR);

    let swept = case.sweep().await?;

    same(swept.jobs, 2)?;
    same(case.listed().await?, Vec::<String>::new())
}
