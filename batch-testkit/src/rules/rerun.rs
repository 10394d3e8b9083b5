//! A job that runs another again, and what links the two (R12).
//!
//! Which targets it takes is decided before the store is called.

use batch_core::store::call::NewTarget;
use batch_core::store::reply::SubmitReply;

use crate::breach::{Verdict, same};
use crate::case::{Case, done, failed, job, target};

/// A target that keeps its index in the first job of the chain.
fn again(url: &str, origin: u64) -> NewTarget {
    NewTarget {
        origin: Some(origin),
        ..target(url, "{}")
    }
}

/// Makes a job whose target 1 failed.
async fn first_job(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;
    let targets = vec![target("u0", "{}"), target("u1", "{}")];
    case.make(job("first").with(targets)).await?;
    case.run_one("s1", done("x")).await?;
    case.run_one("s1", failed("x")).await.map(|_| ())
}

/// R12.1, R12.3 A rerun names its origin, and the origin its newest rerun.
pub async fn a_rerun_and_its_origin_name_each_other(case: &mut Case<'_>) -> Verdict {
    first_job(case).await?;

    case.make(
        job("second")
            .with(vec![again("u1", 1)])
            .rerun_of("first", "failed"),
    )
    .await?;

    same(case.job("second").await?.rerun_of, Some("first".into()))?;
    same(case.job("first").await?.newest_rerun, Some("second".into()))
}

/// R12.3 A target keeps its index in the first job of the chain.
pub async fn a_target_keeps_its_first_index(case: &mut Case<'_>) -> Verdict {
    first_job(case).await?;
    case.make(
        job("second")
            .with(vec![again("u1", 1)])
            .rerun_of("first", "failed"),
    )
    .await?;

    let started = case.start("s1").await?;

    same((started.start.index, started.origin), (0, 1))?;
    same(case.target("second", 0).await?.origin, 1)
}

/// R12.3 In the first job a target's index is its own.
pub async fn in_the_first_job_the_index_is_its_own(case: &mut Case<'_>) -> Verdict {
    first_job(case).await?;

    let targets = case.all_targets("first").await?;

    let origins: Vec<_> = targets.iter().map(|target| target.origin).collect();
    same(origins, vec![0, 1])
}

/// R12.2 The same rerun of the same origin is one job.
pub async fn the_same_rerun_is_reused(case: &mut Case<'_>) -> Verdict {
    first_job(case).await?;
    let rerun = |id: &str, which| job(id).with(vec![again("u1", 1)]).rerun_of("first", which);
    case.make(rerun("second", "failed")).await?;

    let same_choice = case.submit(rerun("third", "failed")).await?;
    let other_choice = case.submit(rerun("fourth", "undone")).await?;

    same(matches!(same_choice, SubmitReply::Reused { .. }), true)?;
    same(matches!(other_choice, SubmitReply::Created { .. }), true)?;
    same(case.job("first").await?.newest_rerun, Some("fourth".into()))
}

/// R12.2, R1.5 The keys of reruns are a name space of their own.
pub async fn reruns_have_keys_of_their_own(case: &mut Case<'_>) -> Verdict {
    first_job(case).await?;
    case.make(job("content").with(vec![target("u1", "{}")]))
        .await?;
    case.make(
        job("client")
            .with(vec![target("u1", "{}")])
            .client_key("first failed"),
    )
    .await?;

    case.make(
        job("second")
            .with(vec![again("u1", 1)])
            .rerun_of("first", "failed"),
    )
    .await
    .map(|_| ())
}

/// R12.3 A rerun whose origin is gone is a job all the same.
pub async fn a_rerun_outlives_its_origin(case: &mut Case<'_>) -> Verdict {
    case.enter("s1").await?;

    case.make(
        job("second")
            .with(vec![again("u1", 1)])
            .rerun_of("gone", "failed"),
    )
    .await?;

    same(case.job("second").await?.rerun_of, Some("gone".into()))?;
    same(case.find("gone").await?, None)
}
