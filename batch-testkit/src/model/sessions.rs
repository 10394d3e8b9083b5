//! Enter and renew: sessions show that they are alive (R9.2, R9.4).

use batch_core::id::SessionId;
use batch_core::store::call::{Enter, Renew, Start};
use batch_core::store::reply::{EnterReply, HeldStart, RenewReply};

use super::row::{JobRow, SessionRow, TargetState};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// Sent again for the live session it changes nothing; another kind's id is taken.
    pub(super) fn enter(&mut self, call: &Enter) -> Verdict {
        if let Some(session) = self.sessions.get(&call.session) {
            if session.kind == call.kind {
                return entered();
            }
            return verdict("R9.4", Reply::Enter(EnterReply::Gone));
        }
        let session = SessionRow {
            kind: call.kind.clone(),
            host: call.host.clone(),
            beat: 1,
            beat_length: call.beat_length,
        };
        self.sessions.insert(call.session.clone(), session);
        self.counters(&call.kind);
        entered()
    }

    /// R9.2: one more beat, and every running start with its ticket.
    pub(super) fn renew(&mut self, call: &Renew) -> Verdict {
        let starts = self.held(&call.session);
        let Some(session) = self.sessions.get_mut(&call.session) else {
            return verdict("R9.4", Reply::Renew(RenewReply::Gone));
        };
        session.beat += 1;
        let beat = RenewReply::Beat {
            beat: session.beat,
            starts,
            store_time: None,
        };
        verdict("R9.2", Reply::Renew(beat))
    }

    /// The session's running starts, by ticket.
    pub(super) fn held(&self, session: &SessionId) -> Vec<HeldStart> {
        let jobs = self.jobs.iter();
        let mut held: Vec<HeldStart> = jobs
            .flat_map(|(id, job)| held_of(job).map(move |start| (id, start)))
            .filter(|(_, (_, holder, ..))| *holder == session)
            .map(|(id, (index, holder, fence, ticket))| HeldStart {
                ticket: ticket.clone(),
                start: Start {
                    session: holder.clone(),
                    job: id.clone(),
                    index,
                    fence,
                },
            })
            .collect();
        held.sort_by(|a, b| a.ticket.cmp(&b.ticket));
        held
    }

    /// Every running start, by job and index.
    pub fn running(&self) -> Vec<Start> {
        let sessions: std::collections::BTreeSet<&SessionId> = self
            .jobs
            .values()
            .flat_map(held_of)
            .map(|held| held.1)
            .collect();
        let held = sessions.into_iter().flat_map(|session| self.held(session));
        let mut starts: Vec<Start> = held.map(|held| held.start).collect();
        starts.sort_by(|a, b| (&a.job, a.index).cmp(&(&b.job, b.index)));
        starts
    }

    /// The kind that a session serves.
    pub fn kind_of(&self, session: &SessionId) -> Option<&batch_core::id::Kind> {
        self.sessions.get(session).map(|session| &session.kind)
    }

    /// The beat of a session that is not gone.
    pub fn beat_of(&self, session: &SessionId) -> Option<u64> {
        self.sessions.get(session).map(|session| session.beat)
    }
}

type Held<'a> = (u64, &'a SessionId, u64, &'a batch_core::id::Ticket);

fn held_of(job: &JobRow) -> impl Iterator<Item = Held<'_>> {
    let targets = (0..).zip(&job.targets);
    targets.filter_map(|(index, target)| match &target.state {
        TargetState::Running { session, ticket } => Some((index, session, target.fence, ticket)),
        _ => None,
    })
}

fn entered() -> Verdict {
    verdict(
        "R9.2",
        Reply::Enter(EnterReply::Entered { store_time: None }),
    )
}
