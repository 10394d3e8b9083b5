//! What a run has to do, from what the store holds of its job.

use batch_core::id::JobId;
use batch_core::state::{JobStatus, TargetStatus};
use batch_core::store::query::JobQuery;
use batch_core::store::view::{Counts, Job};
use batch_core::submission::Selection;
use batch_core::time::Timestamp;
use serde::Serialize;

use super::prepare::Request;
use crate::exit::{Exit, Failure};
use crate::output::{Console, json};
use crate::reads::Reads;
use crate::view::{Family, View};

/// What a run has to do.
#[derive(Debug)]
pub(super) enum Plan {
    /// The job is made.
    New,
    /// The job is made anew; what is live of the old one is cancelled.
    Fresh { live: Vec<JobId> },
    /// Something of the job is live: it is helped.
    Help(Family),
    /// The job has ended with something to do: targets of these members are run again.
    Rerun(Family, Vec<(JobId, Selection)>),
    /// Nothing is left to do.
    Complete(Family),
}

impl Plan {
    fn action(&self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Fresh { .. } => "fresh",
            Self::Help(_) => "resume",
            Self::Rerun(..) => "rerun",
            Self::Complete(_) => "complete",
        }
    }

    /// The job that is there, unless it is to be left behind.
    pub(super) fn family(&self) -> Option<&Family> {
        match self {
            Self::New | Self::Fresh { .. } => None,
            Self::Help(family) | Self::Rerun(family, _) | Self::Complete(family) => Some(family),
        }
    }

    /// How far the job is; of one that is to be made, all is pending.
    pub(super) async fn counts(&self, reads: &Reads, total: u64) -> Result<Counts, Failure> {
        match self.family() {
            Some(family) => family.tally(reads).await,
            None => Ok(unmade(total)),
        }
    }
}

/// The counts of a job that is not made yet.
pub(super) fn unmade(total: u64) -> Counts {
    Counts {
        pending: total,
        ..Counts::default()
    }
}

/// Looks the job up and decides; writes nothing.
pub(super) async fn plan(reads: &Reads, request: &Request) -> Result<Plan, Failure> {
    let query = JobQuery::Key {
        kind: request.kind.clone(),
        caller: request.caller.clone(),
        key: request.key(),
    };
    let Some(root) = reads.find(query).await? else {
        return Ok(Plan::New);
    };
    if is_expired(&root, reads.time().await?) {
        return Ok(Plan::New);
    }
    let family = Family::of(reads, root).await?;
    let live: Vec<_> = family
        .jobs()
        .filter(|j| j.status.is_live())
        .map(|j| j.id.clone())
        .collect();
    if request.fresh || family.is_evicted() {
        return Ok(Plan::Fresh { live });
    }
    if !live.is_empty() {
        return Ok(Plan::Help(family));
    }
    let steps = steps(reads, &family, request.retry_failed).await?;
    Ok(if steps.is_empty() {
        Plan::Complete(family)
    } else {
        Plan::Rerun(family, steps)
    })
}

fn is_expired(job: &Job, now: Timestamp) -> bool {
    job.status.is_terminal() && job.lease.after(job.ttl) <= now
}

/// Which targets are run again, by the newest job that holds them.
async fn steps(
    reads: &Reads,
    family: &Family,
    retry_failed: bool,
) -> Result<Vec<(JobId, Selection)>, Failure> {
    let ids = family.ids();
    let undone = |job: &Job| {
        let counts = job.counts;
        counts.pending + counts.running + if retry_failed { counts.failed } else { 0 }
    };
    if family.jobs().all(|job| undone(job) == 0) {
        return Ok(Vec::new());
    }
    let mut owned = vec![(false, false); ids.len()];
    let mut view = View::new(reads, family);
    while let Some(row) = view.next().await? {
        if let Some((pending, failed)) = owned.get_mut(row.owner) {
            match row.newest.status {
                TargetStatus::Pending | TargetStatus::Running => *pending = true,
                TargetStatus::Failed => *failed = true,
                TargetStatus::Done => {}
            }
        }
    }
    let steps = ids
        .into_iter()
        .zip(owned)
        .filter_map(|(id, (pending, failed))| {
            let selection = match (pending, failed && retry_failed) {
                (true, true) => Selection::Undone,
                (true, false) => Selection::Pending,
                (false, true) => Selection::Failed,
                (false, false) => return None,
            };
            Some((id, selection))
        });
    Ok(steps.collect())
}

/// What `--dry-run` prints.
#[derive(Serialize)]
struct DryLine<'a> {
    action: &'a str,
    job: Option<&'a str>,
    status: Option<JobStatus>,
    targets_total: u64,
    counts: Counts,
}

/// Says what would happen.
pub(super) async fn tell(
    request: &Request,
    plan: &Plan,
    counts: Counts,
    console: &Console,
) -> Result<Exit, Failure> {
    let action = plan.action();
    let family = plan.family();
    let total = request.survey.total;
    let root = family.map(|family| &family.root);
    let line = DryLine {
        action,
        job: root.map(|root| root.id.as_str()),
        status: family.map(|family| family.status(counts)),
        targets_total: total,
        counts,
    };
    if request.json {
        json::line(console, &line).await?;
    } else {
        let id = line.job.map(|id| format!(" job {id}")).unwrap_or_default();
        let text = format!(
            "{action}{id}: {total} targets, {} done, {} failed, {} pending, {} running\n",
            counts.done, counts.failed, counts.pending, counts.running
        );
        console.data(text.as_bytes()).await?;
    }
    console.flush().await?;
    Ok(Exit::Done)
}
