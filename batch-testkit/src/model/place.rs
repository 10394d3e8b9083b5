//! The rotation: where a job stands, who is promoted, who is at the head (R2, S4).

use batch_core::id::{JobId, Kind, SessionId};
use batch_core::time::Timestamp;

use super::Model;
use super::row::{JobRow, Place};

/// Which of a kind's jobs a step looks at: those for every session, or those pinned to one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pinned<'a>(pub(super) Option<&'a SessionId>);

impl Model {
    /// The next place at the tail.
    pub(super) fn next_position(&mut self) -> u64 {
        self.last_position += 1;
        self.last_position
    }

    /// After a step that changed what the job may start: exactly one place.
    ///
    /// A job that stands in the rotation keeps its place (R2.1); `leave` comes first when a
    /// start takes it out.
    pub(super) fn settle(&mut self, id: &JobId, now: Timestamp) {
        let position = self.next_position();
        let Some(job) = self.jobs.get_mut(id) else {
            return;
        };
        job.place = match (wanted(job, now), job.place) {
            (Place::Ready(_) | Place::Waiting(_), Place::Ready(stays)) => Place::Ready(stays),
            (Place::Ready(_), _) => Place::Ready(position),
            (other, _) => other,
        };
    }

    /// R2.5: the earliest due job of the set goes to the tail.
    pub(super) fn promote(&mut self, kind: &Kind, pinned: Pinned<'_>, now: Timestamp) {
        let first = self.first_waiting(kind, pinned);
        let Some((_, id)) = first.filter(|(due, _)| *due <= now) else {
            return;
        };
        let position = self.next_position();
        if let Some(job) = self.jobs.get_mut(&id) {
            job.place = Place::Ready(position);
        }
    }

    /// The job of the set that is due first, and when.
    pub(super) fn first_waiting(
        &self,
        kind: &Kind,
        pinned: Pinned<'_>,
    ) -> Option<(Timestamp, JobId)> {
        let waiting = |(id, job): (&JobId, &JobRow)| match job.place {
            Place::Waiting(due) if belongs(job, kind, pinned) => Some((due, job.seq, id.clone())),
            _ => None,
        };
        let first = self.jobs.iter().filter_map(waiting).min();
        first.map(|(due, _, id)| (due, id))
    }

    /// The job with the smallest position that the session may run.
    pub(super) fn head(&self, kind: &Kind, session: &SessionId) -> Option<JobId> {
        let ready = |(id, job): (&JobId, &JobRow)| match job.place {
            Place::Ready(position)
                if belongs(job, kind, Pinned(None))
                    || belongs(job, kind, Pinned(Some(session))) =>
            {
                Some((position, id.clone()))
            }
            _ => None,
        };
        let first = self.jobs.iter().filter_map(ready).min();
        first.map(|(_, id)| id)
    }
}

fn belongs(job: &JobRow, kind: &Kind, pinned: Pinned<'_>) -> bool {
    job.kind == *kind && job.settings.recovery.pin() == pinned.0
}

/// R2.2, R2.5, S4.4: what the job may do now.
fn wanted(job: &JobRow, now: Timestamp) -> Place {
    let may_run = job.status.is_live() && !job.halting;
    let width = u64::from(job.settings.width.max(1));
    let may_open = job.open() < width && job.next_unstarted().is_some();
    match job.first_parked() {
        _ if !may_run => Place::None,
        _ if may_open => Place::Ready(0),
        Some((due, _)) if due <= now => Place::Ready(0),
        Some((due, _)) => Place::Waiting(due),
        None => Place::None,
    }
}
