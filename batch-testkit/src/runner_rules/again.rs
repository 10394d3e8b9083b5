//! Running a job's targets again (R12).

use batch_core::error::Error;
use batch_core::id::JobId;
use batch_core::state::JobStatus;
use batch_core::store::call::Halt;
use batch_core::submission::{Selection, Submission};

use super::crew::{Crew, crew};
use crate::breach::{Verdict, holds, same};
use crate::case::Case;

/// A job that failed, was done, failed, and halted before the fourth.
async fn halted(crew: &mut Crew) -> Verdict<JobId> {
    let id = crew.make(crew.job("a", 4).halt(Halt::Failures(2))).await?;
    crew.script.expect("a1").await?.fails("no");
    crew.script.expect("a2").await?.done("ok");
    crew.script.expect("a3").await?.fails("no");
    crew.ends(&id, JobStatus::Partial).await?;
    Ok(id)
}

async fn rerun(crew: &Crew, id: &JobId, selection: Selection) -> Verdict<JobId> {
    crew.make(Submission::rerun(crew.caller("caller"), id, selection))
        .await
}

async fn origins(case: &Case<'_>, id: &JobId) -> Verdict<Vec<u64>> {
    let targets = case.all_targets(id.as_str()).await?;
    Ok(targets.iter().map(|target| target.origin).collect())
}

/// R12.1, R12.3 The failed ones, those without an outcome, or both, under their first index.
pub async fn the_chosen_targets_are_run_again(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = halted(&mut crew).await?;

    let failed = rerun(&crew, &id, Selection::Failed).await?;
    let pending = rerun(&crew, &id, Selection::Pending).await?;
    let undone = rerun(&crew, &id, Selection::Undone).await?;

    same(origins(case, &failed).await?, vec![0, 2])?;
    same(origins(case, &pending).await?, vec![3])?;
    same(origins(case, &undone).await?, vec![0, 2, 3])?;
    let origin = case.job(id.as_str()).await?;
    same(
        (origin.status, origin.newest_rerun),
        (JobStatus::Partial, Some(undone.clone())),
    )?;
    same(case.job(undone.as_str()).await?.rerun_of, Some(id))?;
    crew.script.run(6).await?;
    crew.ends(&undone, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R12.3, R3.7 Along a chain every target keeps its first index, and the fetch is told.
pub async fn a_chain_of_reruns_keeps_the_first_index(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = halted(&mut crew).await?;
    let second = rerun(&crew, &id, Selection::Undone).await?;
    crew.script.expect("a1").await?.done("ok");
    crew.script.expect("a3").await?.fails("no");
    crew.script.expect("a4").await?.done("ok");
    crew.ends(&second, JobStatus::Partial).await?;

    let third = rerun(&crew, &second, Selection::Failed).await?;
    let begun = crew.script.expect("a3").await?;

    same((begun.attempt.index, begun.attempt.origin), (0, 2))?;
    begun.done("ok");
    crew.ends(&third, JobStatus::Done).await?;
    same(origins(case, &third).await?, vec![2])?;
    crew.close(case).await.map(|_| ())
}

/// R12.2 The same rerun again finds its job, and does not meet the origin's own key.
pub async fn a_rerun_is_reused_like_any_job(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let id = halted(&mut crew).await?;
    let first = rerun(&crew, &id, Selection::Failed).await?;

    let caller = crew.caller("caller");
    let again = crew.runner.rerun(caller, &id, Selection::Failed).await?;

    same((again.id, again.reused), (first.clone(), true))?;
    crew.script.run(2).await?;
    crew.ends(&first, JobStatus::Done).await?;
    crew.close(case).await.map(|_| ())
}

/// R12.1 A live job, an unknown one, and one with nothing to choose are refused.
pub async fn what_cannot_be_run_again_says_why(case: &mut Case<'_>) -> Verdict {
    let mut crew = crew(case).start().await?;
    let done = crew.submit("a", 1).await?;
    crew.script.run(1).await?;
    crew.ends(&done, JobStatus::Done).await?;
    let live = crew.submit("b", 1).await?;
    let caller = crew.caller("caller");
    let all = Selection::Undone;

    let nothing = crew.runner.rerun(caller.clone(), &done, all).await;
    let not_ended = crew.runner.rerun(caller.clone(), &live, all).await;
    let unknown = crew.runner.rerun(caller, &"unknown".into(), all).await;

    holds(
        matches!(nothing, Err(Error::NothingToRerun)),
        "NothingToRerun",
    )?;
    holds(matches!(not_ended, Err(Error::NotEnded)), "NotEnded")?;
    holds(matches!(unknown, Err(Error::NotFound)), "NotFound")?;
    crew.close(case).await.map(|_| ())
}
