//! Turns symbolic operations into calls: ids, keys, times and starts of one run.
//!
//! Where the contract says nothing (two lists staged under one id, a dead session's id
//! entered again), the world does not go.

use std::collections::BTreeMap;
use std::time::Duration;

use batch_core::id::{JobId, Kind, RequestId, SessionId, Ticket};
use batch_core::store::call::{
    Cancel, Enter, Evict, Finish, Reap, Renew, Stage, Start, Submit, Sweep, Take, Touch, Turn,
};
use batch_core::store::reply::TakeReply;
use batch_core::time::Timestamp;

use super::names;
use super::program::{AnswerOf, BeatOf, ClockOf, Op, Part, Sent, StartOf, TicketOf};
use crate::model::{Call, Model, Reply};

/// Job numbers from here on are staged, the others travel with their submit.
pub(super) const FIRST_STAGED: u8 = 6;

/// How many job numbers there are.
pub(super) const JOBS: u8 = 8;

/// How many kinds, callers and sessions there are.
pub(super) const FEW: u8 = 3;

/// The world that a program runs in.
#[derive(Debug, Default)]
pub(super) struct World {
    now: i64,
    generations: BTreeMap<u8, u32>,
    tickets: BTreeMap<u8, Vec<Ticket>>,
    drawn: u32,
    starts: Vec<Start>,
    sent: Vec<Call>,
}

impl World {
    /// A world at a time like today's.
    pub(super) fn new() -> Self {
        Self {
            now: 1_700_000_000_000,
            ..Self::default()
        }
    }

    pub(super) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now)
    }

    /// The call that an operation means now; `None` when it means nothing.
    pub(super) fn resolve(&mut self, op: &Op, model: &Model) -> Option<Call> {
        let now = self.now();
        match op {
            Op::Wait { millis } => {
                self.now = self.now.saturating_add(*millis);
                None
            }
            Op::Reopen { .. } => None,
            Op::Submit(job) => {
                let session = job.pin.map(|slot| self.session(slot));
                Some(Call::Submit(names::submit(job, session, model, now)))
            }
            Op::Stage { job, slot, part } => Some(self.stage(*job, *slot, *part, model)),
            Op::Take { slot, ticket } => Some(Call::Take(self.take(*slot, *ticket))),
            Op::Finish { start, answer } => {
                let finish = self.finish(*start, *answer, model)?;
                Some(Call::Finish(finish))
            }
            Op::Turn {
                start,
                answer,
                ticket,
            } => {
                let finish = self.finish(*start, *answer, model)?;
                let slot = self.slot_of(&finish.start.session)?;
                let take = self.take(slot, *ticket);
                Some(Call::Turn(Turn { finish, take }))
            }
            Op::Resend { what, back, clock } => {
                let call = self.sent_before(*what, *back)?;
                self.resend(call, *clock, model)
            }
            Op::Enter { .. } | Op::Renew { .. } | Op::Reap { .. } => self.life(op, model),
            Op::Cancel { .. } | Op::Touch { .. } | Op::Sweep { .. } | Op::Evict { .. } => {
                self.upkeep(op)
            }
        }
    }

    fn life(&self, op: &Op, model: &Model) -> Option<Call> {
        let now = self.now();
        match op {
            Op::Enter { slot, kind } => Some(Call::Enter(Enter {
                session: self.session(*slot),
                kind: names::kind(*kind),
                host: format!("host {slot}"),
                beat_length: Duration::from_secs(2),
                now,
            })),
            Op::Renew { slot } => Some(Call::Renew(Renew {
                session: self.session(*slot),
                now,
            })),
            Op::Reap { slot, beat, max } => {
                let session = self.session(*slot);
                let seen = model.beat_of(&session).unwrap_or(0);
                let beat = match beat {
                    BeatOf::Seen => seen,
                    BeatOf::Older => seen.saturating_sub(1),
                };
                let max = u32::from(*max).max(1);
                Some(Call::Reap(Reap {
                    session,
                    beat,
                    now,
                    max,
                }))
            }
            _ => None,
        }
    }

    fn upkeep(&self, op: &Op) -> Option<Call> {
        let now = self.now();
        match op {
            Op::Cancel { job, request } => Some(Call::Cancel(Cancel {
                id: names::job(*job),
                request: RequestId::new(format!("cancel {request}")),
                now,
            })),
            Op::Touch { job } => Some(Call::Touch(Touch {
                id: names::job(*job),
                now,
            })),
            Op::Sweep { max } => Some(Call::Sweep(Sweep {
                now,
                max: u32::from(*max).max(1),
            })),
            Op::Evict { kind, budget, max } => Some(Call::Evict(Evict {
                kind: names::kind(*kind),
                max_bytes: u64::from(*budget),
                max: u32::from(*max).max(1),
            })),
            _ => None,
        }
    }

    /// The id of the session; a reaped one draws a new id.
    fn session(&self, slot: u8) -> SessionId {
        let generation = self.generations.get(&slot).copied().unwrap_or(0);
        names::session(slot, generation)
    }

    fn slot_of(&self, session: &SessionId) -> Option<u8> {
        (0..FEW).find(|slot| self.session(*slot) == *session)
    }

    /// A stage that waits for its sweep is swept first: what a chunk for it does is open.
    fn stage(&self, job: u8, slot: u8, part: Part, model: &Model) -> Call {
        let job = FIRST_STAGED + job % (JOBS - FIRST_STAGED);
        let id = names::job(job);
        let now = self.now();
        if model.has_abandoned_stage(&id, now) {
            return Call::Sweep(Sweep { now, max: 1 });
        }
        let mut targets = names::staged_targets(job);
        let first = match part {
            Part::Head => {
                targets.truncate(1);
                0
            }
            Part::Tail => {
                targets = targets.split_off(1);
                1
            }
            Part::Whole => 0,
        };
        Call::Stage(Stage {
            id,
            session: self.session(slot),
            first,
            targets,
            now,
        })
    }

    fn take(&mut self, slot: u8, ticket: TicketOf) -> Take {
        let used = self.tickets.entry(slot).or_default();
        let again = match ticket {
            TicketOf::New => None,
            TicketOf::Again(back) => used.iter().rev().nth(usize::from(back)).cloned(),
        };
        let ticket = again.unwrap_or_else(|| {
            self.drawn += 1;
            let ticket = names::ticket(self.drawn);
            used.push(ticket.clone());
            ticket
        });
        Take {
            session: self.session(slot),
            ticket,
            now: self.now(),
        }
    }

    fn finish(&self, start: StartOf, answer: AnswerOf, model: &Model) -> Option<Finish> {
        let start = self.start(start, model)?;
        Some(Finish {
            elapsed: Duration::from_millis(5 + start.fence),
            answer: names::answer(answer),
            start,
            now: self.now(),
        })
    }

    fn start(&self, start: StartOf, model: &Model) -> Option<Start> {
        let back = |back: u8| self.starts.iter().rev().nth(usize::from(back)).cloned();
        match start {
            StartOf::Running(number) => {
                let running = model.running();
                let number = usize::from(number).checked_rem(running.len())?;
                running.into_iter().nth(number)
            }
            StartOf::First => self.starts.first().cloned(),
            StartOf::Back(number) => back(number),
            StartOf::Foreign(number) => back(number).map(|start| {
                let others = (0..FEW).map(|slot| self.session(slot));
                let session = others.into_iter().find(|other| *other != start.session);
                Start {
                    session: session.unwrap_or_else(|| SessionId::new("nobody")),
                    ..start
                }
            }),
            StartOf::NextFence(number) => back(number).map(|start| Start {
                fence: start.fence + 1,
                ..start
            }),
            StartOf::Outside(number) => back(number).map(|start| Start {
                index: start.index + 9,
                ..start
            }),
        }
    }

    fn sent_before(&self, what: Sent, back: u8) -> Option<Call> {
        let matching = self.sent.iter().rev().filter(|call| match what {
            Sent::Any => true,
            Sent::Submit => matches!(call, Call::Submit(_)),
            Sent::Take => matches!(call, Call::Take(_)),
            Sent::Finish => matches!(call, Call::Finish(_)),
            Sent::Turn => matches!(call, Call::Turn(_)),
            Sent::Cancel => matches!(call, Call::Cancel(_)),
        });
        matching.into_iter().nth(usize::from(back)).cloned()
    }

    /// S2: the same call again, unless it would enter a dead session's id once more.
    fn resend(&self, call: Call, clock: ClockOf, model: &Model) -> Option<Call> {
        match &call {
            Call::Submit(submit) if is_of_another_life(submit, model) => return None,
            Call::Enter(enter) if model.beat_of(&enter.session).is_none() => return None,
            Call::Stage(stage) if model.has_abandoned_stage(&stage.id, self.now()) => return None,
            Call::Stage(_) => return Some(at(call, self.now())),
            _ => {}
        }
        Some(match clock {
            ClockOf::Then => call,
            ClockOf::Now => at(call, self.now()),
        })
    }

    /// Remembers what a call was answered, for operations that name it later.
    pub(super) fn learn(&mut self, call: &Call, reply: &Reply, before: &Model) {
        self.sent.push(call.clone());
        let take = match reply {
            Reply::Take(take) => Some(take),
            Reply::Turn(turn) => Some(&turn.take),
            _ => None,
        };
        if let Some(TakeReply::Started(started)) = take
            && !self.starts.contains(&started.start)
        {
            self.starts.push(started.start.clone());
        }
        if let (Call::Reap(reap), Reply::Reap(Some(_))) = (call, reply)
            && before.beat_of(&reap.session).is_some()
            && let Some(slot) = self.slot_of(&reap.session)
        {
            *self.generations.entry(slot).or_default() += 1;
        }
    }

    /// Every key that a submit used, with its kind and caller.
    pub(super) fn keys(&self) -> Vec<(Kind, String, batch_core::store::call::Key)> {
        let submits = self.sent.iter().filter_map(|call| match call {
            Call::Submit(call) => Some((
                call.kind.clone(),
                call.caller.name.clone(),
                call.key.clone(),
            )),
            _ => None,
        });
        let mut keys: Vec<_> = submits.collect();
        keys.sort();
        keys.dedup();
        keys
    }

    /// The id of every job number.
    pub(super) fn job_ids() -> impl Iterator<Item = JobId> {
        (0..JOBS).map(names::job)
    }
}

/// Whether the id was used again, after a sweep, for the same targets under another key.
fn is_of_another_life(submit: &Submit, model: &Model) -> bool {
    model.digest_of(&submit.id) == Some(submit.digest.as_str()) && !model.is_made_by(submit)
}

/// The same call at another time.
fn at(mut call: Call, now: Timestamp) -> Call {
    match &mut call {
        Call::Submit(call) => call.now = now,
        Call::Stage(call) => call.now = now,
        Call::Enter(call) => call.now = now,
        Call::Renew(call) => call.now = now,
        Call::Reap(call) => call.now = now,
        Call::Take(call) => call.now = now,
        Call::Finish(call) => call.now = now,
        Call::Turn(call) => {
            call.finish.now = now;
            call.take.now = now;
        }
        Call::Cancel(call) => call.now = now,
        Call::Touch(call) => call.now = now,
        Call::Sweep(call) => call.now = now,
        _ => {}
    }
    call
}
