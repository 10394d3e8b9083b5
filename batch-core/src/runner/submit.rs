//! How a submission becomes a job, or finds the one that it made before (R1).

use std::sync::Arc;

use super::scan::{Scan, scan, stage};
use super::shared::Shared;
use super::tally::add;
use super::{recover, rerun};
use crate::caller::Caller;
use crate::error::Error;
use crate::hooks::JobEvent;
use crate::id::{JobId, Kind, SessionId};
use crate::source::Source;
use crate::store::call::{
    CallerName, Key, KeySpace, Recovery, Settings, Submit, Targets as Brought,
};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::store::reply::SubmitReply;
use crate::submission::{Mode, Submission, Submitted, Work};

/// How often a submit is begun again after its session or its stage was lost.
const ROUNDS: u32 = 16;

/// R1.8: a submit that has begun finishes even when its future is dropped.
pub(super) async fn submit(
    shared: &Arc<Shared>,
    submission: Submission,
) -> Result<Submitted, Error> {
    // Taken before the look, so that a close either is seen or waits for this submit.
    let _begun = shared.tasks.submits.token();
    if shared.signals.closing.is_cancelled() {
        return Err(Error::Closed);
    }
    let own = shared.clone();
    let begun = async move { prepare(&own, submission).await };
    let task = shared.tasks.submits.spawn_on(begun, &shared.runtime);
    task.await.unwrap_or_else(|broken| {
        Err(if broken.is_panic() {
            Error::Source("reading the list panicked".into())
        } else {
            Error::Closed
        })
    })
}

/// A submit with everything that does not change between its sendings.
struct Draft {
    id: JobId,
    kind: Kind,
    caller: Arc<dyn Caller>,
    key: Key,
    rerun_of: Option<JobId>,
    source: Arc<dyn Source>,
    scan: Scan,
    submission: Submission,
}

async fn prepare(shared: &Arc<Shared>, submission: Submission) -> Result<Submitted, Error> {
    let (source, origin): (Arc<dyn Source>, _) = match &submission.work {
        Work::Source(source) => (source.clone(), None),
        Work::Rerun { id, selection } => {
            let job = rerun::origin(shared, id).await?;
            if job.kind != shared.config.kind && submission.mode == Mode::Interrupt {
                return Err(Error::OtherKind);
            }
            let own = shared.clone();
            let chosen = rerun::Chosen {
                shared: own,
                id: id.clone(),
                selection: *selection,
            };
            (Arc::new(chosen), Some((job, rerun::key(id, *selection))))
        }
    };
    let scan = scan(shared, source.as_ref(), submission.caller.name()).await?;
    if submission
        .digest
        .as_ref()
        .is_some_and(|known| *known != scan.digest)
    {
        return Err(Error::SourceChanged);
    }
    if scan.total == 0 {
        return Err(if origin.is_some() {
            Error::NothingToRerun
        } else {
            Error::NoTargets
        });
    }
    let (kind, rerun_of, key) = match origin {
        Some((job, key)) => (job.kind, Some(job.id), key),
        None => (shared.config.kind.clone(), None, key_of(&submission, &scan)),
    };
    let id = JobId::random();
    let caller = submission.caller.clone();
    let registered = Registered::new(shared, &id, caller.clone());
    let draft = Draft {
        id,
        kind,
        caller,
        key,
        rerun_of,
        source,
        scan,
        submission,
    };
    let result = settle(shared, &draft).await;
    if may_be_made(&result, &draft.id) {
        registered.keep(&draft.kind);
    }
    result
}

/// Whether the store has the job, or may have it: nobody learned what became of it.
fn may_be_made(result: &Result<Submitted, Error>, id: &JobId) -> bool {
    match result {
        Ok(submitted) => submitted.id == *id,
        Err(Error::Store(error)) => error.kind() == StoreErrorKind::Unknown,
        Err(_) => false,
    }
}

/// R1.8: the caller of a job in the making, forgotten unless the job is or may be there.
struct Registered<'a> {
    shared: &'a Shared,
    id: Option<JobId>,
}

impl<'a> Registered<'a> {
    fn new(shared: &'a Shared, id: &JobId, caller: Arc<dyn Caller>) -> Self {
        shared.gauges.register(id, caller);
        let id = Some(id.clone());
        Self { shared, id }
    }

    /// A job of another kind is never run here, so that nothing would forget its caller.
    ///
    /// One that only may be there is looked for like the others, a job a beat (R7.1).
    fn keep(mut self, kind: &Kind) {
        if *kind == self.shared.config.kind
            && let Some(id) = self.id.take()
        {
            self.shared.gauges.job_made(&id);
        }
    }
}

impl Drop for Registered<'_> {
    fn drop(&mut self) {
        if let Some(id) = &self.id {
            self.shared.gauges.unregister(id);
        }
    }
}

/// R1.3, R1.5: the client's key, or the one that the content gives.
fn key_of(submission: &Submission, scan: &Scan) -> Key {
    match &submission.client_key {
        Some(text) => Key {
            space: KeySpace::Client,
            text: text.clone(),
        },
        None => Key {
            space: KeySpace::Content,
            text: scan.digest.clone(),
        },
    }
}

/// Sends the submit until its answer is one to accept.
async fn settle(shared: &Shared, draft: &Draft) -> Result<Submitted, Error> {
    let mut targets = match &draft.scan.inline {
        Some(targets) => Brought::Inline(targets.clone()),
        None => Brought::NotYet,
    };
    let mut looked = false;
    for _ in 0..ROUNDS {
        if shared.signals.stop.is_cancelled() {
            return Err(Error::Closed);
        }
        let session = shared.session_id();
        let call = call(shared, draft, &session, targets.clone());
        let reply = shared
            .send(("submit", &draft.id), || shared.store.submit(call.clone()))
            .await?;
        let refused = matches!(
            reply,
            SubmitReply::Reused { .. } | SubmitReply::CallerBusy | SubmitReply::Busy
        );
        // R1.11: what a dead session holds is given back before a refusal counts.
        if refused && !std::mem::replace(&mut looked, true) && recover::look(shared).await {
            continue;
        }
        match reply {
            SubmitReply::Send => {
                if stage(
                    shared,
                    draft.source.as_ref(),
                    &draft.scan,
                    &draft.id,
                    &session,
                )
                .await?
                {
                    targets = Brought::Staged;
                }
            }
            SubmitReply::Gone => shared.await_new_session(&session).await,
            reply => return accept(shared, draft, reply),
        }
    }
    Err(gave_up(draft).into())
}

fn gave_up(draft: &Draft) -> StoreError {
    let reason = "the session or the staged list was lost again and again; try later";
    StoreError::new(StoreErrorKind::Unavailable, "submit", reason).with_id(&draft.id)
}

fn call(shared: &Shared, draft: &Draft, session: &SessionId, targets: Brought) -> Submit {
    let submission = &draft.submission;
    let config = &shared.config;
    let recovery = match submission.mode {
        Mode::Interrupt => Recovery::Interrupt {
            session: session.clone(),
        },
        Mode::Resume => Recovery::Resume,
    };
    let shortest = config.store_retry_for.saturating_mul(2);
    Submit {
        id: draft.id.clone(),
        kind: draft.kind.clone(),
        caller: CallerName {
            name: draft.caller.name().to_owned(),
            class: draft.caller.class().to_owned(),
        },
        key: draft.key.clone(),
        digest: draft.scan.digest.clone(),
        reuse: submission.reuse,
        settings: Settings {
            width: submission.width.clamp(1, config.max_width),
            halt: submission.halt.unwrap_or(config.halt),
            recovery,
            ttl: submission.ttl.unwrap_or(config.ttl).max(shortest),
            max_losses: config.max_losses,
            rerun_of: draft.rerun_of.clone(),
            note: submission.note.clone(),
        },
        total: draft.scan.total,
        targets,
        caps: config.caps(),
        now: shared.now(),
    }
}

/// What the answer means for whoever submitted.
fn accept(shared: &Shared, draft: &Draft, reply: SubmitReply) -> Result<Submitted, Error> {
    match reply {
        SubmitReply::Created { .. } => {
            shared.tell_job(JobEvent::Created);
            shared.signals.sweep.notify_one();
            shared.signals.takeable.notify_one();
            Ok(Submitted {
                id: draft.id.clone(),
                reused: false,
            })
        }
        SubmitReply::Reused { id, .. } => {
            add(&shared.tally.reused);
            shared.tell_job(JobEvent::Reused);
            Ok(Submitted { id, reused: true })
        }
        refusal => {
            add(&shared.tally.refused);
            Err(refused(shared, draft, refusal))
        }
    }
}

fn refused(shared: &Shared, draft: &Draft, refusal: SubmitReply) -> Error {
    match refusal {
        SubmitReply::TooMany => Error::TooManyTargets {
            limit: shared.config.targets_per_job,
        },
        SubmitReply::CallerBusy => Error::CallerBusy,
        SubmitReply::Busy => Error::Busy,
        SubmitReply::KeyConflict { id } => Error::KeyConflict { id },
        _ => StoreError::new(StoreErrorKind::Invalid, "submit", "the job's id is taken")
            .with_id(&draft.id)
            .into(),
    }
}
