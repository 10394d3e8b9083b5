//! Brings a job under way: makes it, helps it, or runs targets of it again.

use std::sync::Arc;

use batch_core::caller::PlainCaller;
use batch_core::id::JobId;
use batch_core::runner::Runner;
use batch_core::submission::{Mode, Submission};

use super::keep;
use super::plan::Plan;
use super::prepare::Request;
use crate::exit::Failure;
use crate::output::Console;
use crate::reads::Reads;
use crate::value::halt_text;
use crate::view::Family;

/// A job under way.
pub(super) struct Begun {
    pub(super) family: Family,
    /// Whether it was there before.
    pub(super) reused: bool,
}

/// Carries a plan out.
pub(super) async fn begin(
    runner: &Runner,
    request: &Request,
    reads: &Reads,
    plan: Plan,
    console: &Console,
) -> Result<Begun, Failure> {
    let root = match plan {
        Plan::New => return made(runner, reads, submission(request)).await,
        Plan::Fresh { live } => {
            for id in live {
                runner.cancel(&id).await?;
            }
            return made(runner, reads, submission(request).fresh()).await;
        }
        Plan::Help(family) | Plan::Complete(family) => {
            keep::used(reads, &family).await?;
            keeps(&family, request, console);
            family.root
        }
        Plan::Rerun(family, steps) => {
            keep::used(reads, &family).await?;
            for (id, selection) in steps {
                let again = Submission::rerun(caller(request), &id, selection);
                settled(reads, &id).await?;
                runner.submit(with_settings(again, request)).await?;
            }
            family.root
        }
    };
    let root = reads.job(&root.id).await?;
    Ok(Begun {
        family: Family::of(reads, root).await?,
        reused: true,
    })
}

async fn made(runner: &Runner, reads: &Reads, submission: Submission) -> Result<Begun, Failure> {
    let submitted = runner.submit(submission).await?;
    let root = reads.job(&submitted.id).await?;
    Ok(Begun {
        family: Family::of(reads, root).await?,
        reused: submitted.reused,
    })
}

/// Waits until nothing of an ended job is in flight: what a dead process held comes back.
async fn settled(reads: &Reads, id: &JobId) -> Result<(), Failure> {
    while reads.job(id).await?.counts.running > 0 {
        reads.pause().await;
    }
    Ok(())
}

fn submission(request: &Request) -> Submission {
    with_settings(
        Submission::new(caller(request), request.list.clone())
            .digest(request.survey.digest.as_str()),
        request,
    )
}

fn caller(request: &Request) -> Arc<PlainCaller> {
    Arc::new(PlainCaller::new(request.caller.as_str()))
}

fn with_settings(submission: Submission, request: &Request) -> Submission {
    submission
        .mode(Mode::Resume)
        .width(request.settings.jobs.unwrap_or(1))
        .halt(request.settings.halt.unwrap_or_default())
        .note(request.note.as_str())
}

/// Says which of the wanted settings a live job does not take up.
fn keeps(family: &Family, request: &Request, console: &Console) {
    let Some(job) = family.jobs().rfind(|job| job.status.is_live()) else {
        return;
    };
    if let Some(jobs) = request.settings.jobs.filter(|jobs| *jobs != job.width) {
        console.say(format!("the job keeps its -j {}, not {jobs}", job.width));
    }
    if let Some(halt) = request.settings.halt.filter(|halt| *halt != job.halt) {
        let (kept, wanted) = (halt_text(job.halt), halt_text(halt));
        console.say(format!("the job keeps its --halt {kept}, not {wanted}"));
    }
}
