//! The writing calls of a case, each with defaults, each followed by a recount.

use std::sync::Arc;
use std::time::Duration;

use batch_core::id::{JobId, Kind, RequestId, SessionId, Ticket};
use batch_core::store::call::{
    Answer, Cancel, Enter, Evict, Finish, NewTarget, Reap, Renew, Stage, Start, Submit, Sweep,
    Take, Touch, Turn,
};
use batch_core::store::reply::{
    CancelReply, Ended, EnterReply, Evicted, FinishReply, ReapReply, RenewReply, StageReply,
    Started, SubmitReply, Swept, TakeReply, TouchReply, TurnReply,
};

use super::{Case, Request};
use crate::breach::{Verdict, unlike};

/// So many rows, jobs or targets in one step: more than any case has.
const ALL: u32 = 1_000;

/// So many steps until a store that always says `more` is believed to be stuck.
const STEPS: u32 = 1_000;

/// How long every try of a case takes.
const ELAPSED: Duration = Duration::from_millis(125);

/// What all steps of a reap did.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reaped {
    /// Jobs that ended.
    pub ended: Vec<Ended>,
    /// Targets that were parked.
    pub returned: u64,
    /// Targets that were stored `failed: interrupted`.
    pub interrupted: u64,
}

impl Case<'_> {
    /// The call of a request, as `submit` would send it now.
    pub fn call(&self, request: &Request) -> Submit {
        request.call(&self.markers, self.now)
    }

    /// Submits.
    pub async fn submit(&mut self, request: Request) -> Verdict<SubmitReply> {
        let answer = Arc::clone(&self.store).submit(self.call(&request)).await;
        self.checked(answer).await
    }

    /// Submits what must make a job; its sequence.
    pub async fn make(&mut self, request: Request) -> Verdict<u64> {
        match self.submit(request).await? {
            SubmitReply::Created { seq } => Ok(seq),
            other => unlike(&other, "Created"),
        }
    }

    /// Stages a chunk under a job's id.
    pub async fn stage(
        &mut self,
        id: &str,
        session: &str,
        first: u64,
        targets: Vec<NewTarget>,
    ) -> Verdict<StageReply> {
        let call = Stage {
            id: id.into(),
            session: session.into(),
            first,
            targets,
            now: self.now,
        };
        let answer = Arc::clone(&self.store).stage(call).await;
        self.checked(answer).await
    }

    /// Enters a session of the default kind.
    pub async fn enter(&mut self, session: &str) -> Verdict {
        self.enter_kind(session, "").await
    }

    /// Enters a session that serves a kind.
    pub async fn enter_kind(&mut self, session: &str, kind: &str) -> Verdict {
        match self.try_enter(session, kind).await? {
            EnterReply::Entered { .. } => Ok(()),
            EnterReply::Gone => unlike(&EnterReply::Gone, "Entered"),
        }
    }

    /// Enters a session, whatever the answer.
    pub async fn try_enter(&mut self, session: &str, kind: &str) -> Verdict<EnterReply> {
        let call = Enter {
            session: session.into(),
            kind: Kind::new(kind),
            host: "host.example".to_owned(),
            beat_length: Duration::from_secs(2),
            now: self.now,
        };
        let answer = Arc::clone(&self.store).enter(call).await;
        self.checked(answer).await
    }

    /// Renews a session.
    pub async fn renew(&mut self, session: &str) -> Verdict<RenewReply> {
        let call = Renew {
            session: session.into(),
            now: self.now,
        };
        let answer = Arc::clone(&self.store).renew(call).await;
        self.checked(answer).await
    }

    /// One step of a reap.
    pub async fn reap_step(&mut self, session: &str, beat: u64, max: u32) -> Verdict<ReapReply> {
        let call = Reap {
            session: session.into(),
            beat,
            now: self.now,
            max,
        };
        let answer = Arc::clone(&self.store).reap(call).await;
        self.checked(answer).await
    }

    /// Reaps a session at the beat that it shows, to the end.
    pub async fn reap(&mut self, session: &str) -> Verdict<Reaped> {
        let beat = self.session(session).await?.map_or(0, |found| found.beat);
        let mut all = Reaped::default();
        for _ in 0..STEPS {
            match self.reap_step(session, beat, ALL).await? {
                ReapReply::Reaped {
                    ended,
                    returned,
                    interrupted,
                    more,
                } => {
                    all.ended.extend(ended);
                    all.returned += returned;
                    all.interrupted += interrupted;
                    if !more {
                        return Ok(all);
                    }
                }
                ReapReply::Moved => return unlike(&ReapReply::Moved, "Reaped"),
            }
        }
        unlike(&all, "a reap that comes to an end")
    }

    /// Takes under a new ticket.
    pub async fn take(&mut self, session: &str) -> Verdict<TakeReply> {
        let ticket = self.draw("ticket");
        self.take_as(session, &ticket).await
    }

    /// Takes under this ticket.
    pub async fn take_as(&mut self, session: &str, ticket: &str) -> Verdict<TakeReply> {
        let call = self.take_call(session, ticket);
        let answer = Arc::clone(&self.store).take(call).await;
        self.checked(answer).await
    }

    /// The call of a take.
    pub fn take_call(&self, session: &str, ticket: &str) -> Take {
        Take {
            session: SessionId::from(session),
            ticket: Ticket::from(ticket),
            now: self.now,
        }
    }

    /// Takes what must start.
    pub async fn start(&mut self, session: &str) -> Verdict<Started> {
        match self.take(session).await? {
            TakeReply::Started(started) => Ok(*started),
            other => unlike(&other, "Started"),
        }
    }

    /// Takes what must start, and answers with the job and the index only.
    pub async fn turn_of(&mut self, session: &str) -> Verdict<(String, u64)> {
        let start = self.start(session).await?.start;
        Ok((start.job.as_str().to_owned(), start.index))
    }

    /// The call of a finish.
    pub fn finish_call(&self, start: &Start, answer: Answer) -> Finish {
        Finish {
            start: start.clone(),
            answer,
            elapsed: ELAPSED,
            now: self.now,
        }
    }

    /// Answers a start.
    pub async fn finish(&mut self, start: &Start, answer: Answer) -> Verdict<FinishReply> {
        let call = self.finish_call(start, answer);
        let answer = Arc::clone(&self.store).finish(call).await;
        self.checked(answer).await
    }

    /// Answers a start, which must be kept.
    pub async fn settle(&mut self, start: &Start, answer: Answer) -> Verdict {
        match self.finish(start, answer).await? {
            FinishReply::Stored { .. } => Ok(()),
            other => unlike(&other, "Stored"),
        }
    }

    /// Starts the next target and stores this for it.
    pub async fn run_one(&mut self, session: &str, answer: Answer) -> Verdict<Start> {
        let start = self.start(session).await?.start;
        self.settle(&start, answer).await?;
        Ok(start)
    }

    /// Answers a start and takes the next target.
    pub async fn turn(
        &mut self,
        start: &Start,
        answer: Answer,
        ticket: &str,
    ) -> Verdict<TurnReply> {
        let call = Turn {
            finish: self.finish_call(start, answer),
            take: self.take_call(start.session.as_str(), ticket),
        };
        let answer = Arc::clone(&self.store).turn(call).await;
        self.checked(answer).await
    }

    /// Cancels under a new request id.
    pub async fn cancel(&mut self, id: &str) -> Verdict<CancelReply> {
        let request = self.draw("request");
        self.cancel_as(id, &request).await
    }

    /// Cancels under this request id.
    pub async fn cancel_as(&mut self, id: &str, request: &str) -> Verdict<CancelReply> {
        let call = Cancel {
            id: JobId::from(id),
            request: RequestId::from(request),
            now: self.now,
        };
        let answer = Arc::clone(&self.store).cancel(call).await;
        self.checked(answer).await
    }

    /// Touches a job.
    pub async fn touch(&mut self, id: &str) -> Verdict<TouchReply> {
        let call = Touch {
            id: JobId::from(id),
            now: self.now,
        };
        let answer = Arc::clone(&self.store).touch(call).await;
        self.checked(answer).await
    }

    /// One step of a sweep.
    pub async fn sweep_step(&mut self, max: u32) -> Verdict<Swept> {
        let call = Sweep { now: self.now, max };
        let answer = Arc::clone(&self.store).sweep(call).await;
        self.checked(answer).await
    }

    /// Sweeps until nothing is left to do.
    pub async fn sweep(&mut self) -> Verdict<Swept> {
        let mut all = Swept::default();
        for _ in 0..STEPS {
            let step = self.sweep_step(ALL).await?;
            all.jobs += step.jobs;
            all.expired.extend(step.expired);
            if !step.more {
                return Ok(all);
            }
        }
        unlike(&all, "a sweep that comes to an end")
    }

    /// One step of an eviction in the default kind.
    pub async fn evict_step(&mut self, max_bytes: u64, max: u32) -> Verdict<Evicted> {
        let call = Evict {
            kind: Kind::default(),
            max_bytes,
            max,
        };
        let answer = Arc::clone(&self.store).evict(call).await;
        self.checked(answer).await
    }

    /// Evicts in the default kind, to the end; how many jobs.
    pub async fn evict(&mut self, max_bytes: u64) -> Verdict<u64> {
        Ok(self.evict_step(max_bytes, ALL).await?.jobs)
    }
}
