//! Take: the same start again, promotion, the head of the rotation, one start (R2, S2.2, S4).

use batch_core::id::JobId;
use batch_core::state::JobStatus;
use batch_core::store::call::{Start, Take};
use batch_core::store::reply::{Started, TakeReply};

use super::place::Pinned;
use super::row::{JobRow, Place, TargetRow, TargetState};
use super::{Model, Reply, Verdict, verdict};

impl Model {
    /// Starts one target of the job at the head, or says when to come back.
    pub(super) fn take(&mut self, call: &Take) -> Verdict {
        let Some(session) = self.sessions.get(&call.session) else {
            return answer("R9.4", TakeReply::Gone);
        };
        let kind = session.kind.clone();
        if let Some(started) = self.started_before(call) {
            return answer("S2.2", TakeReply::Started(Box::new(started)));
        }
        let shared = Pinned(None);
        let own = Pinned(Some(&call.session));
        self.promote(&kind, shared, call.now);
        self.promote(&kind, own, call.now);
        let Some(id) = self.head(&kind, &call.session) else {
            let first = [shared, own].map(|set| self.first_waiting(&kind, set));
            let ready_at = first.into_iter().flatten().map(|(due, _)| due).min();
            return answer("R2.5", TakeReply::Idle { ready_at });
        };
        match self.start(&id, call) {
            Some(started) => answer("S4.2", TakeReply::Started(Box::new(started))),
            None => answer("S4.2", TakeReply::Idle { ready_at: None }),
        }
    }

    /// S2.2: the ticket's start, while it is open.
    fn started_before(&self, call: &Take) -> Option<Started> {
        self.jobs.iter().find_map(|(id, job)| {
            let index = job.targets.iter().position(|target| {
                matches!(&target.state, TargetState::Running { session, ticket }
                    if *session == call.session && *ticket == call.ticket)
            })?;
            started(id, job, index)
        })
    }

    /// R2.1: the first start makes the job running; the job leaves its place, and joins the
    /// tail when it may start another.
    fn start(&mut self, id: &JobId, call: &Take) -> Option<Started> {
        let job = self.jobs.get_mut(id)?;
        let index = choose(job, call)?;
        let target = job.targets.get_mut(index)?;
        target.fence += 1;
        target.state = TargetState::Running {
            session: call.session.clone(),
            ticket: call.ticket.clone(),
        };
        job.status = JobStatus::Running;
        job.started_at.get_or_insert(call.now);
        job.place = Place::None;
        let started = started(id, job, index);
        self.settle(id, call.now);
        started
    }
}

/// R2.2: a due parked target first, then the next in the list, then the earliest parked one:
/// a job that stands in the rotation starts something even if the time went back.
fn choose(job: &JobRow, call: &Take) -> Option<usize> {
    let parked = job.first_parked();
    if let Some((_, index)) = parked.filter(|(due, _)| *due <= call.now) {
        return Some(index);
    }
    let may_open = job.open() < u64::from(job.settings.width.max(1));
    let next = job.next_unstarted().filter(|_| may_open);
    next.or(parked.map(|(_, index)| index))
}

fn started(id: &JobId, job: &JobRow, index: usize) -> Option<Started> {
    let target: &TargetRow = job.targets.get(index)?;
    let TargetState::Running { session, .. } = &target.state else {
        return None;
    };
    Some(Started {
        start: Start {
            session: session.clone(),
            job: id.clone(),
            index: index as u64,
            fence: target.fence,
        },
        origin: target.origin,
        url: target.url.clone(),
        options: target.options.clone(),
        caller: job.caller.clone(),
        tries: target.busy,
        busy_since: target.busy_since,
    })
}

fn answer(rule: &'static str, reply: TakeReply) -> Verdict {
    verdict(rule, Reply::Take(reply))
}
