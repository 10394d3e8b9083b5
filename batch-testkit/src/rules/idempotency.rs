//! The same request makes one job, as long as that job serves it (R1.3, R1.5).
//!
//! What counts as the same text is decided before the store is called.

use std::time::Duration;

use batch_core::id::Kind;
use batch_core::state::JobStatus;
use batch_core::store::call::{Halt, Key, KeySpace};
use batch_core::store::query::JobQuery;
use batch_core::store::reply::{JobReply, SubmitReply};

use crate::breach::{Verdict, same, unlike};
use crate::case::{Case, HOUR, done, failed, job};

/// The answer of a submit that found a job.
fn reused(id: &str, status: JobStatus) -> SubmitReply {
    SubmitReply::Reused {
        id: id.into(),
        status,
    }
}

/// R1.3, S3.1 A live job answers for the same request.
pub async fn a_live_job_is_reused(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").targets(2)).await?;

    let reply = case.submit(job("b").like("a").targets(2)).await?;

    same(reply, reused("a", JobStatus::Queued))?;
    same(case.find("b").await?, None)
}

/// R1.3, S3.1 A done job is reused.
pub async fn a_done_job_is_reused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;

    let reply = case.submit(job("b").like("a")).await?;

    same(reply, reused("a", JobStatus::Done))
}

/// R1.3, S3.1 A partial job without pending targets is reused.
pub async fn a_complete_partial_job_is_reused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a").targets(2)).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    let reply = case.submit(job("b").like("a").targets(2)).await?;

    same(reply, reused("a", JobStatus::Partial))
}

/// R1.3, R14.2 A partial job with pending targets is made again.
pub async fn a_halted_partial_job_is_not_reused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let request = || job("a").targets(3).halt(Halt::Failures(1));
    case.make(request()).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await?;

    same(case.job("a").await?.status, JobStatus::Partial)?;
    case.make(job("b").like("a").targets(3)).await.map(|_| ())
}

/// R1.3, S3.1 A failed job is made again.
pub async fn a_failed_job_is_not_reused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", failed("x")).await?;

    case.make(job("b").like("a")).await.map(|_| ())
}

/// R1.3, S3.1 A cancelled job is made again.
pub async fn a_cancelled_job_is_not_reused(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;

    case.make(job("b").like("a")).await.map(|_| ())
}

/// R1.3, S7.3 An evicted job is made again.
pub async fn an_evicted_job_is_not_reused(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    case.make(job("a")).await?;
    case.run_one("s1", done("x")).await?;
    case.make(job("newest")).await?;
    case.advance(Duration::from_millis(1));
    case.run_one("s1", done("x")).await?;
    case.evict(0).await?;

    same(case.job("a").await?.evicted, true)?;
    case.make(job("b").like("a")).await.map(|_| ())
}

/// R1.3 Only the newest job made under a key is considered.
pub async fn an_older_job_is_not_considered(case: &mut Case<'_>) -> Verdict {
    case.make(job("old")).await?;
    case.make(job("new").like("old").fresh()).await?;
    case.cancel("new").await?;

    case.make(job("b").like("old")).await.map(|_| ())
}

/// R1.3 The lease of a reused job moves.
pub async fn a_reuse_moves_the_lease(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.advance(Duration::from_secs(5));

    case.submit(job("b").like("a")).await?;

    same(case.job("a").await?.lease, case.now())
}

/// R1.3 Settings are not part of the key: the first job stays as it is.
pub async fn a_reuse_keeps_the_first_jobs_settings(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").width(2).note("first")).await?;

    let reply = case
        .submit(job("b").like("a").width(9).ttl(HOUR * 9).note("second"))
        .await?;

    let kept = case.job("a").await?;
    same(reply, reused("a", JobStatus::Queued))?;
    same(
        (kept.width, kept.ttl, kept.note),
        (2, HOUR, "first".to_owned()),
    )
}

/// R1.3 Kinds share no keys.
pub async fn another_kind_is_another_key(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;

    case.make(job("b").like("a").kind("other"))
        .await
        .map(|_| ())
}

/// R1.3 Callers share no keys.
pub async fn b47_another_caller_is_another_key(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").like("x").client_key("k").caller("ann"))
        .await?;

    case.make(job("b").like("x").client_key("k").caller("Ann"))
        .await?;
    case.make(job("c").like("x").client_key("k").caller("ann "))
        .await
        .map(|_| ())
}

/// R1.5 The name spaces of keys stay apart.
pub async fn the_key_spaces_stay_apart(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    let content = case.call(&job("a")).key.text;

    case.make(job("b").like("a").client_key(&content))
        .await
        .map(|_| ())
}

/// R1.5, S3.1 A client's key with other targets is a conflict.
pub async fn a_client_key_with_other_targets_conflicts(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").client_key("k")).await?;
    case.advance(Duration::from_secs(1));

    let reply = case.submit(job("b").client_key("k")).await?;

    same(reply, SubmitReply::KeyConflict { id: "a".into() })?;
    same(case.job("a").await?.lease, crate::case::START)
}

/// R1.5, S3.1 A client's key with the same targets is a reuse.
pub async fn a_client_key_with_the_same_targets_is_reused(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").client_key("k")).await?;

    let reply = case.submit(job("b").like("a").client_key("k")).await?;

    same(reply, reused("a", JobStatus::Queued))
}

/// R1.5 A job that cannot be reused is no conflict.
pub async fn a_key_is_free_once_its_job_cannot_be_reused(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").client_key("k")).await?;
    case.cancel("a").await?;

    case.make(job("b").client_key("k")).await.map(|_| ())
}

/// R1.5 `fresh` makes a new job and moves the key to it; the old one is untouched.
pub async fn fresh_moves_the_key(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    let before = case.job("a").await?;
    case.advance(Duration::from_secs(1));

    case.make(job("b").like("a").fresh()).await?;

    same(case.job("a").await?, before)?;
    let reply = case.submit(job("c").like("a")).await?;
    same(reply, reused("b", JobStatus::Queued))
}

/// R1.5 `fresh` is held to the caps.
pub async fn fresh_is_held_to_the_caps(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").caller("ann")).await?;

    let reply = case
        .submit(job("b").like("a").caller("ann").fresh().caps(1, 9))
        .await?;

    same(reply, SubmitReply::CallerBusy)?;
    let reply = case.submit(job("c").like("a").caller("ann")).await?;
    same(reply, reused("a", JobStatus::Queued))
}

/// R1.3, R6.1 The newest job of a key can be read by the key.
pub async fn the_newest_job_is_found_by_its_key(case: &mut Case<'_>) -> Verdict {
    case.make(job("a").client_key("k").caller("ann")).await?;
    case.make(job("b").client_key("k").caller("ann").fresh())
        .await?;
    let query = |caller: &str| JobQuery::Key {
        kind: Kind::default(),
        caller: caller.to_owned(),
        key: Key {
            space: KeySpace::Client,
            text: "k".to_owned(),
        },
    };

    let own = case.store().job(query("ann")).await?;
    let other = case.store().job(query("bob")).await?;

    same(other, JobReply::NotFound)?;
    match own {
        JobReply::Found(found) => same(found.id.as_str(), "b"),
        JobReply::NotFound => unlike(&own, "job b"),
    }
}

/// R1.3, S6.1 A key whose job is swept names nothing, and no older job either.
pub async fn a_swept_job_leaves_its_key_free(case: &mut Case<'_>) -> Verdict {
    case.make(job("a")).await?;
    case.cancel("a").await?;
    case.advance(HOUR);
    case.sweep().await?;

    case.make(job("b").like("a")).await?;

    same(case.listed().await?, vec!["b".to_owned()])
}
