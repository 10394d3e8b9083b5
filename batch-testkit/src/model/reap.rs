//! Reap, from its first step to its last: jobs, starts, stages, session (R9.3–R9.5).

use batch_core::id::{JobId, SessionId};
use batch_core::state::JobStatus;
use batch_core::store::call::{Reap, Start};
use batch_core::store::reply::Ended;
use batch_core::time::Timestamp;

use super::call::Reaped;
use super::ending::interrupted;
use super::row::{EndedBy, JobRow, Stored, StoredBy, TargetState};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// R9.3: a session whose beat moved is alive. R9.4: everything that it held is free.
    pub(super) fn reap(&mut self, call: &Reap) -> Verdict {
        let session = self.sessions.get(&call.session);
        if session.is_some_and(|session| session.beat != call.beat) {
            return verdict("R9.3", Reply::Reap(None));
        }
        let mut reaped = Reaped::default();
        self.end_pinned_jobs(&call.session, call.now, &mut reaped);
        for held in self.held(&call.session) {
            self.take_back(&held.start, call.now, &mut reaped);
        }
        self.stages.retain(|_, stage| stage.session != call.session);
        if let Some(session) = self.sessions.remove(&call.session) {
            self.counters(&session.kind).sessions_reaped += 1;
        }
        reaped.ended.sort_by(|a, b| a.id.cmp(&b.id));
        verdict("R9.4", Reply::Reap(Some(reaped)))
    }

    /// Jobs that only this session could run end, in the order of their submits.
    fn end_pinned_jobs(&mut self, session: &SessionId, now: Timestamp, reaped: &mut Reaped) {
        let mut pinned: Vec<(u64, JobId)> = self
            .jobs
            .iter()
            .filter(|(_, job)| job.status.is_live())
            .filter(|(_, job)| job.settings.recovery.pin() == Some(session))
            .map(|(id, job)| (job.seq, id.clone()))
            .collect();
        pinned.sort();
        for (_, id) in pinned {
            let ending = (JobStatus::Failed, Some("interrupted"));
            self.end(&id, EndedBy::Store, ending, now);
            reaped
                .ended
                .extend(self.jobs.get(&id).map(|job| ended(&id, job)));
        }
    }

    /// R5.1, R9.5: a start without answer is a loss; the target is due at once, or stored as
    /// interrupted when its live job lost it too often.
    fn take_back(&mut self, start: &Start, now: Timestamp, reaped: &mut Reaped) {
        let Some(job) = self.jobs.get_mut(&start.job) else {
            return;
        };
        let live = job.status.is_live();
        let limit = job.settings.max_losses.max(1);
        let index = usize::try_from(start.index).ok();
        let Some(target) = index.and_then(|index| job.targets.get_mut(index)) else {
            return;
        };
        target.losses += 1;
        if live && target.losses >= limit {
            self.store_outcome(&start.job, start.index, lost(start, now));
            reaped.interrupted += 1;
        } else {
            target.state = TargetState::Parked { due: now };
            reaped.returned += 1;
        }
        self.end_if_due(&start.job, &EndedBy::Store, now);
        self.settle(&start.job, now);
        let over = self.jobs.get(&start.job).filter(|_| live);
        let over = over.filter(|job| job.status.is_terminal());
        reaped.ended.extend(over.map(|job| ended(&start.job, job)));
    }
}

/// The outcome of a start that nobody answered: how long it ran is not known.
fn lost(start: &Start, now: Timestamp) -> Stored {
    Stored {
        outcome: interrupted(),
        ordinal: 0,
        by: StoredBy::Reap,
        session: start.session.clone(),
        elapsed: None,
        at: now,
    }
}

/// The job as a reap or a sweep reports its ending.
pub(super) fn ended(id: &JobId, job: &JobRow) -> Ended {
    Ended {
        id: id.clone(),
        kind: job.kind.clone(),
        status: job.status,
        created_at: job.created_at,
    }
}
